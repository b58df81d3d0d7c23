"""Where the animals of a cage stay, as maps over a still of it."""

import base64
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from murid.evaluate.cage import strangers
from murid.okabe_ito import COLOURS, YELLOW
from murid.report.animals.words import duration
from murid.report.figures import style
from murid.report.metrics import natural

BINS = 96
"""Across the width of the picture."""
BLUR = 1.5
"""Bins: standard deviation by which the counts are smoothed."""
WIDTH = 3.2
"""Inches of a map."""
DOTS = 190
"""An inch."""
_LINE, _SIDE = 1.6, 0.25
"""Points of an outline; share of the width from whose edge names of zones are written inwards."""
_STEP, _STEPS = 11, 16
"""Points by which a name of a zone gives way to another's, and how often at most to a side."""
_FADE = 0.85
"""How much the most frequent place covers the still."""

Bounds = tuple[float, float, float, float]
"""Left, top, right and bottom, pixels of the frame of reference."""
Stays = dict[str, NDArray[np.float64]]
"""Seconds in each bin, (rows, columns), by animal."""


def stays(seconds: Iterable[pd.DataFrame], size: tuple[int, int]) -> Stays:
    """Count the seconds that each animal is in each part of the picture.

    Segments whose animals are not the cage's are left out, as they are in its figures.

    Parameters
    ----------
    seconds
        Tables ``seconds`` of the segments of a cage, one at a time.
    size
        Width and height of the frame of reference, pixels; what lies beside it counts at its edge.
    """
    width, height = size
    rows = max(1, round(BINS * height / width))
    animals: dict[int, frozenset[str]] = {}
    found: dict[frozenset[str], Stays] = {}
    for number, table in enumerate(seconds):
        if table.empty:
            continue
        animals[number] = frozenset(table["animal"])
        of_these = found.setdefault(animals[number], {})
        there = table[table["x"].notna()]
        weights = _lengths(table)
        for name, own in there.groupby("animal"):
            counts, _, _ = np.histogram2d(
                own["y"].clip(0, height), own["x"].clip(0, width), bins=(rows, BINS),
                range=((0, height), (0, width)), weights=weights[own.index],
            )  # fmt: skip
            of_these[str(name)] = of_these.get(str(name), 0.0) + counts
    for number, stranger in strangers(animals).items():
        if stranger.discarded:
            found.pop(animals[number], None)
    whole: Stays = {}
    for of_these in found.values():
        for name, counts in of_these.items():
            whole[name] = whole.get(name, 0.0) + counts
    return whole


def _lengths(table: pd.DataFrame) -> pd.Series:
    """Return how long each row of ``seconds`` lasts: the last is seldom a whole one."""
    whole = table.loc[table["second"] < table["second"].max(), "frames"].mean()
    return table["frames"] / whole if whole > 0 else table["frames"] * 0 + 1.0


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
    A ``figure`` element an animal, that needs no file, headed by its name and the time that its
    map is of; None if no place is known.
    """
    names = sorted((name for name, counts in found.items() if counts.any()), key=natural)
    if not names:
        return None
    one = Markup('<figure><h3>{} <span class="faint">place known for {}</span></h3>{}</figure>')
    return Markup("\n").join(
        one.format(name, duration(found[name].sum()), _drawn(found[name], size, still, zones, name))
        for name in names
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
        shown = {zone: _outline(axes, corners, size) for zone, corners in zones.items()}
        numbers = _names(drawn, axes, {zone: bounds for zone, bounds in shown.items() if bounds})
        return _image(drawn, f"Where {name} stays") + _key(numbers)


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


def _outline(
    axes: Axes, corners: Sequence[tuple[float, float]], size: tuple[int, int]
) -> Bounds | None:
    """Draw a zone's outline on its inner side, where it is seen at the picture's edge, too.

    Return where the largest part of it is; None if it is beside the picture.
    """
    import shapely  # slow to import

    width, height = size
    shown = shapely.Polygon(corners).buffer(0) & shapely.box(0, 0, width, height)
    parts = [part for part in shapely.get_parts(shown) if isinstance(part, shapely.Polygon)]
    for part in parts:
        around = np.array(part.exterior.coords)
        inner = Polygon(around, transform=axes.transData, fill=False, lw=0)
        for colour, thick in (("black", 2 * _LINE + 2), (COLOURS[1], 2 * _LINE)):
            (line,) = axes.plot(*around.T, color=colour, lw=thick)
            line.set_clip_path(inner)
    if not parts:
        return None
    left, top, right, bottom = max(parts, key=lambda part: part.area).bounds
    return left, top, right, bottom


def _names(drawn: Figure, axes: Axes, zones: Mapping[str, Bounds]) -> dict[str, str]:
    """Write the names of zones, each clear of those before it; one that is beside has a line.

    Return the numbers that stand in place of names for which there is no room, by name; "" of one
    for which there is no room either.
    """
    renderer = FigureCanvasAgg(drawn).get_renderer()
    taken: list[NDArray[np.float64]] = []
    numbers: dict[str, str] = {}
    up = [(0, _STEP * step) for step in range(-_STEPS, _STEPS + 1)]
    aside = [(_STEP * step, rise) for step in range(-_STEPS, _STEPS + 1) for _, rise in up]
    write = partial(_write, renderer, axes, taken)
    left = [zone for zone, bounds in zones.items() if not write(zone, bounds, up)]
    for zone in left:
        number = str(len(numbers) + 1)
        numbers[zone] = number if write(number, zones[zone], aside) else ""
    return numbers


def _write(
    renderer: RendererAgg,
    axes: Axes,
    taken: list[NDArray[np.float64]],
    words: str,
    bounds: Bounds,
    shifts: Sequence[tuple[int, int]],
) -> bool:
    """Write words at a zone or, shifted by some points, the least that frees them of those taken.

    Add their box to these; tell whether there was room.
    """
    left, top, right, bottom = bounds
    middle = (left + right) / 2 / axes.get_xlim()[1]
    side: Literal["left", "center", "right"] = (
        "left" if middle < _SIDE else "right" if middle > 1 - _SIDE else "center"
    )
    x = {"left": left, "center": (left + right) / 2, "right": right}[side]
    inset = {"left": 5, "center": 0, "right": -5}[side]
    text = axes.annotate(
        words, (x, top), (inset, -5), textcoords="offset points", color="white", fontsize=9,
        ha=side, va="top", parse_math=False,
        path_effects=[withStroke(linewidth=2.5, foreground="black")], zorder=4,
    )  # fmt: skip
    box = text.get_window_extent(renderer)
    scale = renderer.dpi / 72
    moves = np.array(sorted(shifts, key=lambda shift: math.hypot(*shift)))
    corners = np.array([box.extents]) + scale * np.tile(moves, 2)
    free = _within(corners, (0, 0, renderer.width, renderer.height))
    for other in taken:
        free &= ~_overlaps(corners, other)
    if not free.any():
        text.remove()
        return False
    place = int(free.argmax())
    text.xyann = (inset + moves[place, 0], -5 + moves[place, 1])
    box = Bbox.from_extents(*corners[place])
    taken.append(corners[place])
    centre = axes.transData.transform(((left + right) / 2, (top + bottom) / 2))
    if not box.contains(*centre) and moves[place].any():
        middle_of_name = ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
        ends = axes.transData.inverted().transform(np.array([centre, middle_of_name]))
        axes.plot(*ends.T, color="white", lw=0.8, zorder=3)
    return True


def _within(corners: NDArray[np.float64], around: Bounds) -> NDArray[np.bool_]:
    """Tell which boxes, (N, 4) of left, bottom, right and top, are within another."""
    least, most = np.array(around[:2]), np.array(around[2:])
    return np.asarray((corners[:, :2] >= least).all(axis=1) & (corners[:, 2:] <= most).all(axis=1))


def _overlaps(corners: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(
        (corners[:, :2] <= other[2:]).all(axis=1) & (corners[:, 2:] >= other[:2]).all(axis=1)
    )


def _key(numbers: Mapping[str, str]) -> Markup:
    """Say what zones numbers stand for, and which are not named."""
    parts = [f"{number}: {zone}" for zone, number in numbers.items() if number]
    unnamed = [zone for zone, number in numbers.items() if not number]
    parts += [f"outlined without a name: {', '.join(unnamed)}"] if unnamed else []
    key = Markup('<figcaption class="faint">{}</figcaption>')
    return key.format("; ".join(parts)) if parts else Markup("")


def _image(drawn: Figure, told: str) -> Markup:
    buffer = io.BytesIO()
    drawn.savefig(buffer, format="jpeg", dpi=DOTS, pil_kwargs={"quality": 80}, facecolor="white")
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return Markup('<img alt="{}" src="data:image/jpeg;base64,{}">').format(told, data)
