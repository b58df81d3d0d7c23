"""How networks give boxes, scores and classes: told from their outputs, and brought into one form.

A layout is told from the names, shapes and types of outputs, which a file declares. It is taken
without being named in the settings only where these leave no doubt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from murid.errors import InputError, brief

IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and deviation of red, green and blue, 0 to 1, by which many networks are trained."""
SURE = 0.25
"""Score from which a box tells what boxes are measured in: others may be anywhere."""
FARTHEST_SHARE = 1.51
"""Edge of a box, in shares of the picture, at most: as wide as the picture, its centre at the end.
In pixels, that is no box."""
STRIDES = ((8, 16, 32), (8, 16, 32, 64), (4, 8, 16, 32))
"""Of the feature maps of YOLO's networks, each of whose cells gives one box, or three."""

Side = int | None
"""Length of an axis that the file tells, None if it is any."""
Arrays = Sequence[NDArray[Any]]


class Port(NamedTuple):
    """An input or output of a network, as its file declares it."""

    name: str
    shape: tuple[Side, ...]
    kind: str
    """As onnxruntime calls it: ``tensor(float)``."""

    def __str__(self) -> str:
        sides = ", ".join("?" if side is None else str(side) for side in self.shape)
        return f"{brief(self.name, 40)} [{sides}] {self.kind.removeprefix('tensor').strip('()')}"

    @property
    def whole(self) -> bool:
        """Whether it holds whole numbers."""
        return "int" in self.kind


class Boxes(NamedTuple):
    """What a network gives for a batch of images."""

    corners: NDArray[np.float32]
    """Shape (images, n, 4): x, y, x, y in pixels of its input, or in shares of it."""
    scores: NDArray[np.float32]
    """Shape (images, n)."""
    classes: NDArray[np.int64]
    """Shape (images, n)."""


@dataclass(frozen=True)
class Layout:
    """One way to give boxes."""

    name: str
    expected: str
    """What its outputs look like, for messages."""
    find: Callable[[Sequence[Port]], list[int] | None]
    """Returns the places of the outputs that :attr:`decode` takes, None if they are not there."""
    sure: Callable[[Port, tuple[Side, Side]], bool]
    """Tells, of the first of them and of the input's height and width, whether it is no other's."""
    decode: Callable[[Arrays], Boxes]
    """Raises ``ValueError`` or ``IndexError`` where arrays are not of its shapes."""
    classes: Callable[[Sequence[Port]], Side] = lambda outputs: None
    """Returns how many classes there are, of the outputs that were found."""
    shares: bool = False
    """Whether boxes are in shares of the picture by default."""
    stretch: bool = False
    """Whether frames are stretched to the network's size by default."""
    border: int = 0
    """Grey of what lies beside a frame that keeps its proportions."""
    step: int = 1
    """Width and height are a multiple of it where the network takes any."""
    scaling: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    """Mean and deviation by default."""


def _by_words(outputs: Sequence[Port], *words: str) -> list[int] | None:
    """Return the places of the outputs whose names end so, if there is one of each."""
    places = []
    for word in words:
        found = [n for n, output in enumerate(outputs) if output.name.lower().endswith(word)]
        if len(found) != 1:
            return None
        places += found
    return places


def _find_three(outputs: Sequence[Port]) -> list[int] | None:
    """Find boxes, scores and labels by their names, else by what no two of three have in common."""
    named = _by_words(outputs, "boxes", "scores", "labels")
    if named or len(outputs) != 3:
        return named
    labels = [n for n, output in enumerate(outputs) if output.whole]
    others = [n for n in range(3) if n not in labels]
    boxes = [n for n in others if outputs[n].shape[-1:] == (4,)]
    if len(labels) != 1 or len(boxes) != 1:
        return None
    scores = next(n for n in others if n not in boxes)
    ranks = [len(outputs[n].shape) for n in (*boxes, scores, *labels)]
    fit = ranks in ([2, 1, 1], [3, 2, 2])
    return [*boxes, scores, *labels] if fit else None


def _decode_three(arrays: Arrays) -> Boxes:
    boxes, scores, labels = arrays
    if boxes.ndim == 2:
        boxes, scores, labels = boxes[None], scores[None], labels[None]
    return Boxes(boxes, scores, labels.astype(np.int64))


def _find_one(outputs: Sequence[Port]) -> list[int] | None:
    fit = len(outputs) == 1 and len(outputs[0].shape) in (0, 3) and not outputs[0].whole
    return [0] if fit else None


def _cells(size: tuple[Side, Side]) -> set[int]:
    """Return how many cells the feature maps of YOLO's networks have; none if any size goes."""
    height, width = size
    if height is None or width is None:
        return set()
    return {
        sum((height // stride) * (width // stride) for stride in strides) for strides in STRIDES
    }


def _is_columns(output: Port, size: tuple[Side, Side]) -> bool:
    """Tell [b, 4 + classes, boxes]: the short axis first, and as many boxes as there are cells."""
    if len(output.shape) != 3:
        return False
    _, values, boxes = output.shape
    if values is None or values < 5:
        return False
    return boxes in _cells(size) if boxes is not None else True


def _is_rows_of_anchors(output: Port, size: tuple[Side, Side]) -> bool:
    """Tell [b, boxes, 5 + classes] by three boxes a cell: other networks give one a cell so."""
    if len(output.shape) != 3:
        return False
    _, boxes, values = output.shape
    return values is not None and values >= 6 and boxes in {3 * n for n in _cells(size)}


def _is_six_values(output: Port, size: tuple[Side, Side]) -> bool:
    """Tell [b, n, 6] of so many boxes as no cells give."""
    if len(output.shape) != 3 or output.shape[2] != 6 or output.shape[1] is None:
        return False
    boxes, cells = output.shape[1], _cells(size)
    return boxes > 6 and boxes not in cells | {3 * n for n in cells}


def _corners(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn centres, widths and heights (..., 4) into corners."""
    half = boxes[..., 2:] / 2
    return np.concatenate([boxes[..., :2] - half, boxes[..., :2] + half], axis=-1)


def _best(boxes: NDArray[np.float32], scores: NDArray[np.float32]) -> Boxes:
    """Give each box (..., 4) of centre and size its best class, of scores (..., classes)."""
    classes = scores.argmax(axis=-1)
    best = np.take_along_axis(scores, classes[..., None], axis=-1)[..., 0]
    return Boxes(_corners(boxes), best, classes)


def _decode_columns(arrays: Arrays) -> Boxes:
    rows = arrays[0].transpose(0, 2, 1)
    return _best(rows[..., :4], rows[..., 4:])


def _decode_anchors(arrays: Arrays) -> Boxes:
    rows = arrays[0]
    return _best(rows[..., :4], rows[..., 4:5] * rows[..., 5:])


def _decode_final(arrays: Arrays) -> Boxes:
    rows = arrays[0]
    if rows.shape[-1] != 6:
        raise ValueError("six values a box")
    return Boxes(rows[..., :4], rows[..., 4], rows[..., 5].round().astype(np.int64))


def _find_logits(outputs: Sequence[Port]) -> list[int] | None:
    return _by_words(outputs, "logits", "pred_boxes")


def _decode_softmax(arrays: Arrays) -> Boxes:
    logits, boxes = arrays
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    # The last is that there is nothing.
    return _best(boxes, (raised / raised.sum(axis=-1, keepdims=True))[..., :-1])


def _decode_sigmoid(arrays: Arrays) -> Boxes:
    logits, boxes = arrays
    # As 1 / (1 + exp(-x)), which overflows.
    return _best(boxes, ((1 + np.tanh(logits / 2)) / 2).astype(np.float32))


def _less(axis: int, values: int) -> Callable[[Sequence[Port]], Side]:
    """Return what counts classes: an axis of the first output, less the values beside them."""

    def count(outputs: Sequence[Port]) -> Side:
        shape = outputs[0].shape
        side = shape[axis] if len(shape) == 3 else None
        return None if side is None else side - values

    return count


_DETR: Mapping[str, Any] = {
    "find": _find_logits,
    "sure": lambda output, size: False,  # nothing tells one from the other
    "shares": True,
    "stretch": True,
    "scaling": IMAGENET,
}
_YOLO: Mapping[str, Any] = {"find": _find_one, "border": 114, "step": 32}
LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout(
            "torchvision",
            "three outputs, boxes [n, 4], scores [n] and labels [n] of whole numbers, or each with "
            "an axis of images before",
            _find_three, lambda output, size: True, _decode_three,
        ),
        Layout(
            "yolo", "one output [images, 4 + classes, boxes]",
            sure=_is_columns, decode=_decode_columns, classes=_less(1, 4), **_YOLO,
        ),
        Layout(
            "yolov5", "one output [images, boxes, 5 + classes]",
            sure=_is_rows_of_anchors, decode=_decode_anchors, classes=_less(2, 5), **_YOLO,
        ),
        Layout(
            "yolo_end_to_end", "one output [images, boxes, 6]",
            sure=_is_six_values, decode=_decode_final, **_YOLO,
        ),
        Layout(
            "detr", "outputs logits [images, boxes, classes + 1] and pred_boxes [images, boxes, 4]",
            decode=_decode_softmax, classes=_less(2, 1), **_DETR,
        ),
        Layout(
            "detr_sigmoid",
            "outputs logits [images, boxes, classes] and pred_boxes [images, boxes, 4]",
            decode=_decode_sigmoid, classes=_less(2, 0), **_DETR,
        ),
    )
}  # fmt: skip
"""All layouts, by their names in the settings."""


def tell(
    path: object, outputs: Sequence[Port], size: tuple[Side, Side], named: str
) -> tuple[Layout, list[int]]:
    """Tell how a network gives its boxes.

    Parameters
    ----------
    path
        Its file, for messages.
    outputs
        What it declares.
    size
        Height and width of its input.
    named
        The setting ``onnx.layout``.

    Returns
    -------
    The layout, and the places of the outputs that it takes, in its order.

    Raises
    ------
    InputError
        With the shapes found, if the outputs are of no layout, not of the one named, or several are
        possible.
    """
    found = "the outputs " + ("; ".join(map(str, outputs)) or "none")
    if named != "auto":
        places = LAYOUTS[named].find(outputs)
        if places is None:
            raise InputError(
                path, found, f"{LAYOUTS[named].expected}, as onnx.layout {named} has it"
            )
        return LAYOUTS[named], places
    able = [(layout, places) for layout in LAYOUTS.values() if (places := layout.find(outputs))]
    sure = [(layout, places) for layout, places in able if layout.sure(outputs[places[0]], size)]
    if len(sure) == 1:
        return sure[0]
    if able:
        several = " or ".join(f"{layout.name} ({layout.expected})" for layout, _ in able)
        raise InputError(
            path, f"{found}, which leave in doubt what they are",
            f"outputs of one layout: {several}", where="layout auto",
            remedy="Set onnx.layout to the one that the network was exported as.",
        )  # fmt: skip
    raise InputError(
        path, found, "; or ".join(layout.expected for layout in LAYOUTS.values()),
        remedy="Export the network so. Of boxes that another program finds, take the tables "
        "(column detections of the sheet).",
    )  # fmt: skip


def decode(path: object, layout: Layout, arrays: Arrays, images: int) -> Boxes:
    """Bring what a network gave for so many images into one form.

    Raises
    ------
    InputError
        With the shapes found, if arrays are not as the layout has them, boxes or scores are no
        finite numbers, or scores are no probabilities.
    """
    shapes = "; ".join(str(list(np.shape(array))) for array in arrays)
    try:
        boxes = Boxes(*layout.decode([_plain(array) for array in arrays]))
        if boxes.corners.shape != (images, *boxes.scores.shape[1:], 4):
            raise ValueError("boxes as scores")
        if not boxes.scores.shape == boxes.classes.shape == boxes.corners.shape[:2]:
            raise ValueError("scores as boxes")
    except (TypeError, ValueError, IndexError) as error:
        raise InputError(
            path, f"arrays of the shapes {shapes} for {images} images",
            f"{layout.expected} (onnx.layout {layout.name})",
        ) from error  # fmt: skip
    if not boxes.scores.size:
        return boxes
    low, high = boxes.scores.min(), boxes.scores.max()
    # NaN is in no order.
    if not (low >= -0.001 and high <= 1.001):
        raise InputError(
            path, f"scores from {low:.3g} to {high:.3g}", "probabilities, 0 to 1",
            remedy="Export the network with its last activation, or set onnx.layout.",
        )  # fmt: skip
    strange = ~np.isfinite(boxes.corners[boxes.scores > 0.001]).all(axis=-1)
    if strange.any():
        raise InputError(path, f"{strange.sum():,} boxes that are not finite", "finite boxes")
    return boxes


def refuse_other_units(path: object, boxes: Boxes, shares: bool) -> None:
    """Refuse boxes in shares of the picture where pixels are expected, and the other way round.

    Parameters
    ----------
    path
        The network's file, for messages.
    boxes
        What it gave for a batch of images; where none of them scores, nothing is told.
    shares
        Whether boxes are expected in shares.

    Raises
    ------
    InputError
        Naming the setting that says which they are.
    """
    sure = boxes.corners[boxes.scores >= SURE]
    if not sure.size:
        return
    low, high = float(sure.min()), float(sure.max())
    alike = low >= 1 - FARTHEST_SHARE and high <= FARTHEST_SHARE
    if alike == shares:
        return
    units = "pixels", "shares of the picture, 0 to 1"
    raise InputError(
        path, f"boxes from {low:.3g} to {high:.3g}, which are {units[alike]}",
        f"{units[shares]}", where=f"the boxes that score {SURE:g} or more",
        remedy=f"Set onnx.boxes to {'shares' if alike else 'pixels'}, and see whether onnx.layout "
        "is the one that the network was exported as.",
    )  # fmt: skip


def _plain(array: Any) -> NDArray[Any]:
    """Return an array as decoding takes it: numbers of 32 bits, but for whole ones."""
    given = np.asarray(array)
    return given if given.dtype.kind in "iu" else given.astype(np.float32)
