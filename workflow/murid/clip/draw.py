"""Drawing on a frame: boxes coloured by animal, antenna crosses, and words beside it.

Words stand in strips above and below the frame, so that they cover none of it; only the animals'
names stand in it, where they cover no other name. Lines and letters grow with the picture.
"""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from murid.video import Frame

Colour = tuple[int, int, int]
Canvas = NDArray[np.uint8]
Plate = tuple[int, int, int, int]
"""Left, top, right, bottom of what a name covers."""

# Okabe and Ito's colours, told apart by colour-blind eyes too; those that show on dark grey.
_PALETTE: tuple[Colour, ...] = (
    (230, 97, 0),
    (0, 178, 130),
    (86, 160, 255),
    (240, 228, 66),
    (216, 130, 180),
    (255, 255, 255),
)
_NAMED = {"R": 0, "G": 1, "B": 2}
"""Animals that are named by the colour of their tag keep it."""
_DARK: Colour = (16, 16, 16)
_LIGHT: Colour = (235, 235, 235)
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_WIDTH = 640
"""Pixels of width at which letters and lines have their normal size."""
_WIDEST = 1280


def colours(animals: Sequence[str]) -> dict[str, Colour]:
    """Return a colour for each animal: always the same for the same group."""
    if set(animals) <= set(_NAMED):
        return {animal: _PALETTE[_NAMED[animal]] for animal in animals}
    return {animal: _PALETTE[index % len(_PALETTE)] for index, animal in enumerate(sorted(animals))}


def brighten(frame: Frame) -> Frame:
    """Return the frame with its contrast evened out (CLAHE), for human eyes; same shape, uint8."""
    even = cv2.createCLAHE(clipLimit=2.0, tileGridSize=(8, 8)).apply(frame)
    return np.asarray(even, dtype=np.uint8)


def legible_scale(width: int, panels: int) -> float:
    """Return the enlargement at which names can be read and several panels fit on a screen.

    Examples
    --------
    >>> legible_scale(320, 1), legible_scale(1280, 1), legible_scale(1280, 4)
    (2.0, 1.0, 0.5)
    """
    widest = _WIDEST if panels == 1 else _WIDTH
    return min(max(width, _WIDTH), widest) / width


def picture(
    frame: Frame,
    boxes: Mapping[str, NDArray[np.float64] | None] | None,
    crosses: Mapping[str, NDArray[np.float64] | None],
    caption: str,
    title: str = "",
    scale: float = 1.0,
) -> Canvas:
    """Draw what is known of one frame.

    Parameters
    ----------
    frame
        (height, width), uint8.
    boxes
        Of each animal ``x, y, w, h`` in pixels of the raw frame; None = hidden. None for all: there
        is no answer for this frame.
    crosses
        Of each animal where its antenna is seen, (2,) pixels of the raw frame; None = no reading.
    caption, title
        Written above the frame, to the right and to the left.
    scale
        Enlargement of the frame.

    Returns
    -------
    (height, width, 3), RGB, uint8; even sides.
    """
    height, width = (2 * max(round(side * scale / 2), 1) for side in frame.shape)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    grey = cv2.resize(frame, (width, height), interpolation=method)
    canvas = np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2RGB), dtype=np.uint8)
    size = min(max(width / _WIDTH, 0.8), 2.0)
    named = colours(list(crosses))
    shown = {
        name: np.asarray(box) * scale for name, box in (boxes or {}).items() if box is not None
    }
    _draw_boxes(canvas, shown, named, size)
    _draw_crosses(canvas, crosses, scale, named, size)
    _draw_names(canvas, shown, named, size)
    strip = 2 * round(12 * size)
    above, below = (np.full((strip, width, 3), _DARK, dtype=np.uint8) for _ in range(2))
    room = _write(above, caption, width - 4, size, _LIGHT, right=True)
    _write(above, _shortened(title, room - 16, size), 4, size, _LIGHT)
    _tell_hidden(below, boxes, named, size)
    return np.vstack([above, canvas, below])


def side_by_side(panels: Sequence[Canvas]) -> Canvas:
    """Join pictures of equal size, two in a row, with a narrow gap; even sides."""
    if len(panels) == 1:
        return panels[0]
    height, width = panels[0].shape[:2]
    rows = (len(panels) + 1) // 2
    joined = np.full((rows * (height + 4) - 4, 2 * width + 4, 3), 255, dtype=np.uint8)
    if len(panels) % 2:
        joined[-height:, -width:] = _DARK
    for number, panel in enumerate(panels):
        y, x = (number // 2) * (height + 4), (number % 2) * (width + 4)
        joined[y : y + height, x : x + width] = panel
    return joined


def _draw_crosses(
    canvas: Canvas,
    crosses: Mapping[str, NDArray[np.float64] | None],
    scale: float,
    named: Mapping[str, Colour],
    size: float,
) -> None:
    at: dict[tuple[int, int], list[str]] = {}
    for animal, cross in sorted(crosses.items()):
        if cross is not None:
            x, y = (round(float(value) * scale) for value in cross)
            at.setdefault((x, y), []).append(animal)
    side = round(11 * size)
    for (x, y), animals in at.items():
        # Animals on one antenna: crosses side by side, so that none is lost.
        for place, animal in enumerate(animals):
            centre = (x + round((place - (len(animals) - 1) / 2) * 1.3 * side), y)
            for shade, thickness in ((_DARK, 4), (named[animal], 2)):
                line = max(round(thickness * size), 1)
                cv2.drawMarker(
                    canvas, centre, shade, cv2.MARKER_TILTED_CROSS, side, line, cv2.LINE_AA
                )


def _draw_boxes(
    canvas: Canvas,
    boxes: Mapping[str, NDArray[np.float64]],
    named: Mapping[str, Colour],
    size: float,
) -> None:
    for animal, box in boxes.items():
        x, y, w, h = (round(float(value)) for value in box)
        for shade, thickness in ((_DARK, 4), (named[animal], 2)):
            line = max(round(thickness * size), 1)
            cv2.rectangle(canvas, (x, y), (x + w, y + h), shade, line, cv2.LINE_AA)


def _draw_names(
    canvas: Canvas,
    boxes: Mapping[str, NDArray[np.float64]],
    named: Mapping[str, Colour],
    size: float,
) -> None:
    taken: list[Plate] = []
    for animal, box in boxes.items():
        plate = _free_place(canvas, box, *_extent(animal, size), taken)
        taken.append(plate)
        _label(canvas, animal, plate, named[animal], size)


def _free_place(
    canvas: Canvas, box: NDArray[np.float64], wide: int, high: int, taken: Sequence[Plate]
) -> Plate:
    """Choose where a box's name covers no other name: above it, below it, within, or beside."""
    x, y, w, h = (round(float(value)) for value in box)
    lefts, tops = (x, x + w - wide), (y - high, y + h, y, y + h - high)
    places = [(left, top) for top in tops for left in lefts]
    places += [(x - wide, y), (x + w, y)]
    inside = [_within(canvas, left, top, wide, high) for left, top in places]
    exact = [plate for plate, place in zip(inside, places, strict=True) if plate[:2] == place]
    for plate in [*exact, *inside]:
        if not any(_overlap(plate, other) for other in taken):
            return plate
    return inside[0]


def _within(canvas: Canvas, left: int, top: int, wide: int, high: int) -> Plate:
    height, width = canvas.shape[:2]
    left, top = min(max(left, 0), max(width - wide, 0)), min(max(top, 0), max(height - high, 0))
    return left, top, left + wide, top + high


def _overlap(one: Plate, other: Plate) -> bool:
    return (
        one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
    )  # fmt: skip


def _tell_hidden(
    strip: Canvas,
    boxes: Mapping[str, NDArray[np.float64] | None] | None,
    named: Mapping[str, Colour],
    size: float,
) -> None:
    """Write into the strip below what a cross is, and which animals are hidden."""
    height, width = strip.shape[:2]
    room = _write(strip, "antenna", width - 4, size, _LIGHT, right=True)
    centre = (room - height // 2, height // 2)
    line = max(round(2 * size), 1)
    cv2.drawMarker(
        strip, centre, _LIGHT, cv2.MARKER_TILTED_CROSS, round(11 * size), line, cv2.LINE_AA
    )
    room -= height
    if boxes is None:
        _write(strip, "no answer for this frame", 4, size, _LIGHT)
        return
    hidden = [animal for animal in sorted(boxes) if boxes[animal] is None]
    if not hidden:
        return
    x = _write(strip, "hidden:", 4, size, _LIGHT) + 6
    for place, animal in enumerate(hidden):
        wide, high = _extent(animal, size)
        rest = f"+{len(hidden) - place}"
        if x + wide + _extent(rest, size)[0] > room:
            _write(strip, rest, x, size, _LIGHT)
            return
        top = (height - high) // 2
        _label(strip, animal, (x, top, x + wide, top + high), named[animal], size)
        x += wide + round(6 * size)


def _extent(text: str, size: float) -> tuple[int, int]:
    """Return width and height of the plate behind a text."""
    wide = cv2.getTextSize(text, _FONT, 0.5 * size, _stroke(size))[0][0]
    high, below = _line(size)
    return wide + round(6 * size), high + below + 2


def _line(size: float) -> tuple[int, int]:
    """Return how far a line of letters reaches above its base, and below it."""
    (_, high), below = cv2.getTextSize("Hg", _FONT, 0.5 * size, _stroke(size))
    return high, max(below, round(3 * size))


def _stroke(size: float) -> int:
    return 2 if size > 1.5 else 1


def _label(canvas: Canvas, text: str, plate: Plate, colour: Colour, size: float) -> None:
    """Write dark letters on a plate of the colour."""
    left, top, right, bottom = plate
    cv2.rectangle(canvas, (left, top), (right - 1, bottom - 1), colour, cv2.FILLED)
    corner = (left + round(3 * size), top + _line(size)[0] + 1)
    cv2.putText(canvas, text, corner, _FONT, 0.5 * size, _DARK, _stroke(size), cv2.LINE_AA)


def _write(
    strip: Canvas, text: str, x: int, size: float, colour: Colour, right: bool = False
) -> int:
    """Write into the middle of a strip from ``x``, or up to it; return where the text ends."""
    wide = cv2.getTextSize(text, _FONT, 0.5 * size, _stroke(size))[0][0]
    high, below = _line(size)
    left = x - wide if right else x
    base = (strip.shape[0] + high + below) // 2 - below
    cv2.putText(
        strip, text, (left, base), _FONT, 0.5 * size, colour, _stroke(size), cv2.LINE_AA
    )  # fmt: skip
    return left if right else left + wide


def _shortened(text: str, room: int, size: float) -> str:
    """Cut a text that is wider than ``room``, so that it runs into nothing."""
    cut = text
    while cut and cv2.getTextSize(cut, _FONT, 0.5 * size, _stroke(size))[0][0] > room:
        cut = cut.removesuffix("...")[:-1] and cut.removesuffix("...")[:-1] + "..."
    return cut
