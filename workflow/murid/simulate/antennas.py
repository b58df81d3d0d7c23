"""What the antenna plate under the cage reports: late, coarse, and at times wrong."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from murid.grid import Grid
from murid.simulate.motion import Track
from murid.simulate.scene import DEPTH, WIDTH

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

GRID = Grid(3, 6)
SCANS = 2.0
"""Scans of the plate per second."""
LAG = 1.5
"""Seconds from a scan to its line in the trace."""
BLUR = 1.6
"""Distance over which two antennas compete for a tag, cm."""
STICK = 1.6
"""How much better (in log odds) another antenna must hear a tag than the one that has it."""
REACH = 3.0
"""Height above which a tag is out of reach, cm."""
CLOSE = 5.5
"""Distance within which two tags disturb each other, cm."""
DISTURBED = 0.10
"""Chance that a scan of tags that are close begins a disturbance."""
RECOVERS = 0.2
"""Chance that a scan ends it."""


def centres() -> Array:
    """Return where the antennas lie: shape (18, 2), x and y in cm, antenna 1 first."""
    spacing = np.array([WIDTH / GRID.columns, DEPTH / GRID.rows])
    return (GRID.coordinates(GRID.antennas) + 0.5) * spacing


def trace(tracks: Sequence[Track], fps: float, rng: np.random.Generator) -> Ints:
    """Return the antenna that is reported for each animal at each frame.

    The plate is scanned twice a second; what it finds is reported about a second and a half later
    and repeated until the next scan. A tag that is out of reach keeps its last antenna; tags that
    lie close together are for a while missed, or reported at each other's or a neighbouring
    antenna.

    Returns
    -------
    Shape (T, animals), 1 to 18.
    """
    frames = len(tracks[0].speed)
    lag = LAG + rng.uniform(-0.3, 0.3)
    times = np.arange(-lag - 1.0, frames / fps, 1 / SCANS)
    at = np.clip(np.round(times * fps).astype(int), 0, frames - 1)
    places = np.stack([[track.pose.x[at], track.pose.y[at]] for track in tracks]).transpose(2, 0, 1)
    heights = np.stack([track.pose.z[at] for track in tracks], axis=1)
    plate = _Plate(places[0], rng)
    reported = np.stack([plate.scan(*scan) for scan in zip(places, heights, strict=True)])
    shown = np.searchsorted(times + lag, np.arange(frames) / fps, side="right") - 1
    return reported[np.maximum(shown, 0)]


class _Plate:
    """The antenna plate, which remembers where it last heard each tag."""

    def __init__(self, places: Array, rng: np.random.Generator) -> None:
        self.rng = rng
        self.last = np.argmax(_strength(places), axis=1) + 1
        self.wrong = np.zeros(len(places), dtype=np.int64)
        """The antenna that is reported while a tag is disturbed, 0 if it is not."""

    def scan(self, places: Array, heights: Array) -> Ints:
        """Return the antenna of each tag, from places (animals, 2) and heights (animals,)."""
        strength = _strength(places) + self.rng.gumbel(0, 0.5, (len(places), GRID.size))
        strength[np.arange(len(places)), self.last - 1] += STICK
        nearest = np.argmax(strength, axis=1) + 1
        gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
        np.fill_diagonal(gaps, np.inf)
        luck = self.rng.random((len(places), 3))
        close = gaps.min(axis=1) < CLOSE
        self.wrong[~close | (luck[:, 0] < RECOVERS)] = 0
        begins = close & (self.wrong == 0) & (luck[:, 0] > 1 - DISTURBED)
        for animal in np.flatnonzero(begins):
            other = nearest[np.argmin(gaps[animal])]
            near = GRID.neighbours(int(nearest[animal]))
            near = near[(near > 0) & (near != nearest[animal])]
            choices = (self.last[animal], other, near[int(luck[animal, 2] * len(near))])
            self.wrong[animal] = choices[int(luck[animal, 1] * len(choices))]
        heard = np.where(self.wrong > 0, self.wrong, nearest)
        self.last = np.where(heights > REACH, self.last, heard)
        return self.last.copy()


def _strength(places: Array) -> Array:
    """Return how well each antenna hears each tag, in log odds: (animals, antennas)."""
    return -((places[:, None] - centres()[None]) ** 2).sum(axis=-1) / (2 * BLUR**2)
