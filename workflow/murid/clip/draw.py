"""Drawing on a frame: boxes coloured by animal, antenna crosses, frame number and time."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from murid.video import Frame

Colour = tuple[int, int, int]

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
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def colours(animals: Sequence[str]) -> dict[str, Colour]:
    """Return a colour for each animal: always the same for the same group."""
    if set(animals) <= set(_NAMED):
        return {animal: _PALETTE[_NAMED[animal]] for animal in animals}
    return {animal: _PALETTE[index % len(_PALETTE)] for index, animal in enumerate(sorted(animals))}


def brighten(frame: Frame) -> Frame:
    """Return the frame with its contrast evened out (CLAHE), for human eyes; same shape, uint8."""
    return cv2.createCLAHE(clipLimit=2.0, tileGridSize=(8, 8)).apply(frame)


def picture(
    frame: Frame,
    boxes: Mapping[str, NDArray[np.float64] | None],
    crosses: Mapping[str, NDArray[np.float64] | None],
    caption: str,
    scale: float = 1.0,
) -> NDArray[np.uint8]:
    """Draw what is known of one frame.

    Parameters
    ----------
    frame
        (height, width), uint8.
    boxes
        Of each animal ``x, y, w, h`` in pixels of the raw frame; None = hidden.
    crosses
        Of each animal where its antenna is seen, (2,) pixels of the raw frame; None = no reading.
    caption
        Written into the top right corner.
    scale
        Enlargement; lines and letters keep their size.

    Returns
    -------
    (height, width, 3), RGB, uint8; even sides.
    """
    height, width = (2 * round(side * scale / 2) for side in frame.shape)
    enlarged = cv2.resize(frame, (width, height), interpolation=cv2.INTER_CUBIC)
    canvas = cv2.cvtColor(enlarged, cv2.COLOR_GRAY2RGB)
    names = colours(list(boxes))
    for number, (animal, cross) in enumerate(sorted(crosses.items())):
        if cross is not None:
            # Animals on one antenna: crosses side by side, so that none is lost.
            _cross(canvas, np.asarray(cross) * scale + [5 * number - 5, 0], names[animal])
    for animal, box in boxes.items():
        if box is not None:
            _box(canvas, np.asarray(box) * scale, names[animal], animal)
    hidden = [animal for animal in sorted(boxes) if boxes[animal] is None]
    _label(canvas, caption, (width - 4, 4), (255, 255, 255), right=True)
    for row, animal in enumerate(hidden):
        _label(canvas, f"{animal} hidden", (width - 4, 26 + 20 * row), names[animal], right=True)
    return canvas


def side_by_side(panels: Sequence[NDArray[np.uint8]], titles: Sequence[str]) -> NDArray[np.uint8]:
    """Join pictures of equal size, two in a row, each under its title."""
    titled = []
    for panel, title in zip(panels, titles, strict=True):
        panel = panel.copy()
        _label(panel, title, (4, 4), (255, 255, 255))
        titled.append(panel)
    if len(titled) == 1:
        return titled[0]
    if len(titled) % 2:
        titled.append(np.zeros_like(titled[0]))
    rows = [np.hstack(titled[start : start + 2]) for start in range(0, len(titled), 2)]
    return np.vstack(rows)


def _cross(canvas: NDArray[np.uint8], centre: NDArray[np.float64], colour: Colour) -> None:
    x, y = (round(float(value)) for value in centre)
    for shade, thickness in ((_DARK, 4), (colour, 2)):
        cv2.drawMarker(canvas, (x, y), shade, cv2.MARKER_TILTED_CROSS, 13, thickness, cv2.LINE_AA)


def _box(canvas: NDArray[np.uint8], box: NDArray[np.float64], colour: Colour, name: str) -> None:
    x, y, w, h = (round(float(value)) for value in box)
    for shade, thickness in ((_DARK, 4), (colour, 2)):
        cv2.rectangle(canvas, (x, y), (x + w, y + h), shade, thickness, cv2.LINE_AA)
    _label(canvas, name, (x, max(y - 18, 0)), colour)


def _label(
    canvas: NDArray[np.uint8],
    text: str,
    corner: tuple[int, int],
    colour: Colour,
    right: bool = False,
) -> None:
    """Write dark letters on a plate of the colour; ``corner`` is its top left, or top right."""
    (width, height), below = cv2.getTextSize(text, _FONT, 0.5, 1)
    x, y = corner
    if right:
        x -= width + 6
    cv2.rectangle(canvas, (x, y), (x + width + 6, y + height + below + 2), colour, cv2.FILLED)
    cv2.putText(canvas, text, (x + 3, y + height + 1), _FONT, 0.5, _DARK, 1, cv2.LINE_AA)
