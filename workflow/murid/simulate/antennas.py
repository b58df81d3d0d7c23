"""What the antenna plate under the cage reports: late, coarse, and at times wrong."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from murid.grid import Grid
from murid.simulate.motion import Track
from murid.simulate.scene import DEPTH, WIDTH

Array = NDArray[np.float64]

GRID = Grid(3, 6)
SCANS = 2.0
"""Scans of the plate per second."""
LAG = 1.5
"""Seconds from a scan to its line in the trace."""
BLUR = 1.5
"""Distance over which two antennas compete for a tag, cm."""
REACH = 3.0
"""Height above which a tag is out of reach, cm."""
CLOSE = 6.0
"""Distance within which two tags disturb each other, cm."""


def centres() -> Array:
    """Return where the antennas lie: shape (18, 2), x and y in cm, antenna 1 first."""
    spacing = np.array([WIDTH / GRID.columns, DEPTH / GRID.rows])
    return (GRID.coordinates(GRID.antennas) + 0.5) * spacing


def trace(tracks: Sequence[Track], fps: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the antenna that is reported for each animal at each frame.

    The plate is scanned twice a second; what it finds is reported about a second and a half later
    and repeated until the next scan. A tag that is out of reach keeps its last antenna; tags that
    lie close together are at times missed, or reported at each other's or a neighbouring antenna.

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
    reported = np.empty((len(at), len(tracks)), dtype=np.int64)
    last = _nearest(places[0], rng)
    for scan in range(len(at)):
        last = _scan(places[scan], heights[scan], last, rng)
        reported[scan] = last
    shown = np.searchsorted(times + lag, np.arange(frames) / fps, side="right") - 1
    return reported[np.maximum(shown, 0)]


def _nearest(places: Array, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the antenna that wins each tag, (animals,): the nearest, if not by a hair."""
    squared = ((places[:, None] - centres()[None]) ** 2).sum(axis=-1)
    luck = rng.gumbel(size=squared.shape)
    return np.argmax(-squared / (2 * BLUR**2) + luck, axis=1) + 1


def _scan(
    places: Array, heights: Array, last: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    found = _nearest(places, rng)
    result = found.copy()
    for animal in range(len(places)):
        gaps = np.hypot(*(places - places[animal]).T)
        gaps[animal] = np.inf
        other = int(np.argmin(gaps)) if len(places) > 1 else animal
        luck = rng.random(3)
        if heights[animal] > REACH or luck[0] < 0.04:
            result[animal] = last[animal]
        elif gaps[other] < CLOSE and luck[0] < 0.6:
            if luck[1] < 0.5:
                result[animal] = last[animal]
            elif luck[1] < 0.8:
                result[animal] = found[other]
            else:
                result[animal] = _neighbour(int(found[animal]), luck[2])
        elif luck[1] < 0.02:
            result[animal] = _neighbour(int(found[animal]), luck[2])
    return result


def _neighbour(antenna: int, luck: float) -> int:
    near = GRID.neighbours(antenna)
    near = near[(near > 0) & (near != antenna)]
    return int(near[int(luck * len(near))])
