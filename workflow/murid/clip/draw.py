"""Drawing on a frame: boxes coloured by animal, antenna crosses, and words beside it.

Words stand in strips above and below the frame, so that they cover none of it; only the animals'
names stand in it, where they cover no other name. Lines and letters grow with the picture.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from murid.okabe_ito import ON_FOOTAGE, TAGS
from murid.video import Frame

Colour = tuple[int, int, int]
Canvas = NDArray[np.uint8]
Points = Mapping[str, NDArray[np.float64] | None]
"""Of each animal a box or a place in pixels of the raw frame; None = there is none."""
Plate = tuple[int, int, int, int]
"""Left, top, right, bottom of what a name covers."""

_DARK: Colour = (16, 16, 16)
_LIGHT: Colour = (235, 235, 235)
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_WIDTH = 640
"""Pixels of width at which letters and lines have their normal size."""
_WIDEST = 1280
ASKED = "?"
"""What stands in place of the name of the animal that is asked about."""
_GAP = 4
"""Pixels between pictures side by side, and between words and the edge of their strip."""


def animal_colours(animals: Sequence[str]) -> dict[str, Colour]:
    """Return a colour for each animal: always the same for the same group."""
    if set(animals) <= set(TAGS):
        return {animal: TAGS[animal] for animal in animals}
    return {name: ON_FOOTAGE[n % len(ON_FOOTAGE)] for n, name in enumerate(sorted(animals))}


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


@dataclass(frozen=True)
class Pen:
    """What draws on a picture, or on a strip beside it.

    Attributes
    ----------
    size
        Of lines and letters; 1 = normal.
    colours
        Of the animals.
    """

    size: float
    colours: Mapping[str, Colour]

    def strokes(self, colour: Colour) -> list[tuple[Colour, int]]:
        """Return colour and thickness in pixels of a line: first the dark one that it lies on."""
        return [
            (shade, max(round(thickness * self.size), 1))
            for shade, thickness in ((_DARK, 4), (colour, 2))
        ]

    def cross(
        self, canvas: Canvas, centre: tuple[int, int], strokes: Sequence[tuple[Colour, int]]
    ) -> None:
        """Draw a cross."""
        side = round(11 * self.size)
        for shade, line in strokes:
            cv2.drawMarker(canvas, centre, shade, cv2.MARKER_TILTED_CROSS, side, line, cv2.LINE_AA)

    def name(self, canvas: Canvas, animal: str, plate: Plate) -> None:
        """Write an animal's name in dark letters on a plate of its colour."""
        left, top, right, bottom = plate
        colour = self.colours[animal]
        cv2.rectangle(canvas, (left, top), (right - 1, bottom - 1), colour, cv2.FILLED)
        self._letters(canvas, animal, left + round(3 * self.size), top + self._line[0] + 1, _DARK)

    def write(self, strip: Canvas, text: str, x: int, right: bool = False) -> int:
        """Write into the middle of a strip from ``x``, or up to it; return where the text ends."""
        wide = self.width(text)
        high, below = self._line
        left = x - wide if right else x
        self._letters(strip, text, left, (strip.shape[0] + high + below) // 2 - below, _LIGHT)
        return left if right else left + wide

    def width(self, text: str) -> int:
        """Return the width of a text in pixels."""
        size: int = cv2.getTextSize(text, _FONT, 0.5 * self.size, self._weight)[0][0]
        return size

    def extent(self, text: str) -> tuple[int, int]:
        """Return width and height of the plate behind a text, pixels."""
        return self.width(text) + round(6 * self.size), sum(self._line) + 2

    def shortened(self, text: str, room: int) -> str:
        """Cut a text that is wider than ``room`` pixels, so that it runs into nothing."""
        cut = text
        while cut and self.width(cut) > room:
            shorter = cut.removesuffix("...")[:-1]
            cut = shorter and shorter + "..."
        return cut

    @property
    def _line(self) -> tuple[int, int]:
        """How far a line of letters reaches above its base, and below it."""
        (_, high), below = cv2.getTextSize("Hg", _FONT, 0.5 * self.size, self._weight)
        return high, max(below, round(3 * self.size))

    @property
    def _weight(self) -> int:
        return 2 if self.size > 1.5 else 1

    def _letters(self, canvas: Canvas, text: str, left: int, base: int, colour: Colour) -> None:
        scale, place = 0.5 * self.size, (left, base)
        cv2.putText(canvas, text, place, _FONT, scale, colour, self._weight, cv2.LINE_AA)


def picture(
    frame: Frame,
    boxes: Points | None,
    crosses: Points,
    caption: str,
    title: str = "",
    scale: float = 1.0,
    asked: NDArray[np.float64] | None = None,
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
    asked
        A box, (4,), of which it is asked who is in it: it is white, and has no name.

    Returns
    -------
    (height, width, 3), RGB, uint8; even sides.
    """
    height, width = (2 * max(round(side * scale / 2), 1) for side in frame.shape)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    grey = cv2.resize(frame, (width, height), interpolation=method)
    canvas = np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2RGB), dtype=np.uint8)
    pen = Pen(min(max(width / _WIDTH, 0.8), 2.0), animal_colours(list(crosses)) | {ASKED: _LIGHT})
    named = (boxes or {}).items()
    shown = {animal: _scaled(box, scale) for animal, box in named if box is not None}
    if asked is not None:
        question = _scaled(asked, scale)
        shown = {animal: box for animal, box in shown.items() if box != question}
        shown[ASKED] = question
    for animal, (x, y, w, h) in shown.items():
        for shade, line in pen.strokes(pen.colours[animal]):
            cv2.rectangle(canvas, (x, y), (x + w, y + h), shade, line, cv2.LINE_AA)
    _draw_crosses(canvas, crosses, scale, pen)
    taken: list[Plate] = []
    for animal, box in shown.items():
        taken.append(free_place(canvas, box, pen.extent(animal), taken))
        pen.name(canvas, animal, taken[-1])
    strip = 2 * round(12 * pen.size)
    above, below = (np.full((strip, width, 3), _DARK, dtype=np.uint8) for _ in range(2))
    room = pen.write(above, caption, width - _GAP, right=True)
    pen.write(above, pen.shortened(title, room - 4 * _GAP), _GAP)
    _list_hidden(below, boxes, pen)
    return np.vstack([above, canvas, below])


def side_by_side(panels: Sequence[Canvas]) -> Canvas:
    """Join pictures of equal size, two in a row, with a narrow gap; even sides."""
    if len(panels) == 1:
        return panels[0]
    blank = np.full_like(panels[0], _DARK)
    padded = [
        np.pad(panel, ((0, _GAP), (0, _GAP), (0, 0)), constant_values=255)
        for panel in [*panels, *[blank] * (len(panels) % 2)]
    ]
    rows = [np.hstack(padded[first : first + 2]) for first in range(0, len(padded), 2)]
    return np.ascontiguousarray(np.vstack(rows)[:-_GAP, :-_GAP])


def _scaled(values: NDArray[np.float64], scale: float) -> tuple[int, ...]:
    return tuple(round(float(value) * scale) for value in values)


def _draw_crosses(canvas: Canvas, crosses: Points, scale: float, pen: Pen) -> None:
    at: dict[tuple[int, ...], list[str]] = {}
    for animal, place in sorted(crosses.items()):
        if place is not None:
            at.setdefault(_scaled(place, scale), []).append(animal)
    side = round(11 * pen.size)
    for (x, y), animals in at.items():
        # Animals on one antenna: crosses side by side, so that none is lost.
        for number, animal in enumerate(animals):
            aside = round((number - (len(animals) - 1) / 2) * 1.3 * side)
            pen.cross(canvas, (x + aside, y), pen.strokes(pen.colours[animal]))


def free_place(
    canvas: Canvas, box: tuple[int, ...], extent: tuple[int, int], taken: Sequence[Plate]
) -> Plate:
    """Choose where a box's name covers no other name: above it, below it, within, or beside.

    Parameters
    ----------
    canvas
        The picture that the name is to stay in.
    box
        ``x, y, w, h``, pixels of the picture.
    extent
        Width and height of the name.
    taken
        What other names cover.
    """
    (x, y, w, h), (wide, high) = box, extent
    lefts, tops = (x, x + w - wide), (y - high, y + h, y, y + h - high)
    places = [(left, top) for top in tops for left in lefts]
    places += [(x - wide, y), (x + w, y)]
    inside = [_within(canvas, *place, wide, high) for place in places]
    exact = [plate for plate, place in zip(inside, places, strict=True) if plate[:2] == place]
    for plate in [*exact, *inside]:
        if not any(overlap(plate, other) for other in taken):
            return plate
    return inside[0]


def _within(canvas: Canvas, left: int, top: int, wide: int, high: int) -> Plate:
    height, width = canvas.shape[:2]
    left, top = min(max(left, 0), max(width - wide, 0)), min(max(top, 0), max(height - high, 0))
    return left, top, left + wide, top + high


def overlap(one: Plate, other: Plate) -> bool:
    """Tell whether two plates share a pixel."""
    return all(max(one[n], other[n]) < min(one[n + 2], other[n + 2]) for n in (0, 1))


def _list_hidden(strip: Canvas, boxes: Points | None, pen: Pen) -> None:
    """Write into the strip below what a cross is, and which animals are hidden."""
    height, width = strip.shape[:2]
    room = pen.write(strip, "antenna", width - _GAP, right=True)
    pen.cross(strip, (room - height // 2, height // 2), pen.strokes(_LIGHT)[1:])
    room -= height
    if boxes is None:
        pen.write(strip, "no answer for this frame", _GAP)
        return
    hidden = [animal for animal in sorted(boxes) if boxes[animal] is None]
    if not hidden:
        return
    x = pen.write(strip, "hidden:", _GAP) + 6
    for number, animal in enumerate(hidden):
        wide, high = pen.extent(animal)
        rest = f"+{len(hidden) - number}"
        if x + wide + pen.extent(rest)[0] > room:
            pen.write(strip, rest, x)
            return
        top = (height - high) // 2
        pen.name(strip, animal, (x, top, x + wide, top + high))
        x += wide + round(6 * pen.size)
