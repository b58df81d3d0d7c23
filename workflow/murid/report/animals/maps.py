"""Where the animals of a cage stay, as maps over a still of it."""

import base64
import io
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from murid.okabe_ito import COLOURS, YELLOW
from murid.report.figures import style
from murid.report.metrics import natural

BINS = 96
"""Across the width of the picture."""
BLUR = 1.5
"""Bins: standard deviation by which the counts are smoothed."""
WIDTH = 3.2
"""Inches of a map."""
DOTS = 110
"""An inch."""
_FADE = 0.85
"""How much the most frequent place covers the still."""

Stays = dict[str, NDArray[np.float64]]
"""Seconds in each bin, (rows, columns), by animal."""


def stays(seconds: Iterable[pd.DataFrame], size: tuple[int, int]) -> Stays:
    """Count the seconds that each animal is in each part of the picture.

    Parameters
    ----------
    seconds
        Tables ``seconds`` of the segments of a cage, one at a time.
    size
        Width and height of the frame of reference, pixels.
    """
    width, height = size
    rows = max(1, round(BINS * height / width))
    found: Stays = {}
    for table in seconds:
        there = table[table["x"].notna()]
        for name, own in there.groupby("animal"):
            counts, _, _ = np.histogram2d(
                own["y"], own["x"], bins=(rows, BINS), range=((0, height), (0, width))
            )
            found[str(name)] = found.get(str(name), 0.0) + counts
    return found


def figure(
    found: Stays,
    size: tuple[int, int],
    still: NDArray[np.uint8] | None,
    zones: Mapping[str, Sequence[tuple[float, float]]],
) -> Markup | None:
    """Draw a map an animal with the outlines of the zones.

    Parameters
    ----------
    found
        As :func:`stays` counts.
    size
        Width and height of the frame of reference, pixels.
    still
        Grey picture in the frame of reference, (height, width), to draw on; None for none.
    zones
        Corners of each zone, pixels, by its name.

    Returns
    -------
    A ``figure`` element an animal, that needs no file; None if no place is known.
    """
    names = sorted((name for name, counts in found.items() if counts.any()), key=natural)
    if not names:
        return None
    one = Markup("<figure><h3>{}</h3>{}</figure>")
    return Markup("\n").join(
        one.format(name, _drawn(found[name], size, still, zones, name)) for name in names
    )


def _drawn(
    counts: NDArray[np.float64],
    size: tuple[int, int],
    still: NDArray[np.uint8] | None,
    zones: Mapping[str, Sequence[tuple[float, float]]],
    name: str,
) -> Markup:
    width, height = size
    with style():
        drawn = Figure(figsize=(WIDTH, WIDTH * height / width))
        axes = drawn.add_axes((0, 0, 1, 1))
        _map(axes, counts, size, still)
        for zone, corners in zones.items():
            _outline(axes, zone, corners)
        return _image(drawn, f"Where {name} stays")


def _map(
    axes: Axes,
    counts: NDArray[np.float64],
    size: tuple[int, int],
    still: NDArray[np.uint8] | None,
) -> None:
    width, height = size
    if still is not None:
        axes.imshow(still, cmap="gray", vmin=0, vmax=255, extent=(0, width, height, 0))
    else:
        axes.set_facecolor("#303030")
    smooth = gaussian_filter(counts, BLUR)
    # The root shows where it seldom is, too, next to its nest.
    shade = np.sqrt(smooth / smooth.max())
    colours = LinearSegmentedColormap.from_list("stay", ["#0072B200", "#56B4E9", YELLOW])
    axes.imshow(
        shade, cmap=colours, alpha=np.clip(shade * 1.6, 0, _FADE), extent=(0, width, height, 0),
        interpolation="bilinear",
    )  # fmt: skip
    axes.set(xlim=(0, width), ylim=(height, 0), xticks=[], yticks=[])


def _outline(axes: Axes, zone: str, corners: Sequence[tuple[float, float]]) -> None:
    around = np.array([*corners, corners[0]])
    axes.plot(*around.T, color=COLOURS[1], lw=1.2)
    axes.annotate(zone, around[:-1].mean(axis=0), color="white", fontsize=7, ha="center")


def _image(drawn: Figure, told: str) -> Markup:
    buffer = io.BytesIO()
    drawn.savefig(buffer, format="jpeg", dpi=DOTS, pil_kwargs={"quality": 80}, facecolor="white")
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return Markup('<img alt="{}" src="data:image/jpeg;base64,{}">').format(told, data)
