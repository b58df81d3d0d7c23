"""Networks as ONNX files that find the one bright box of a picture, in every layout."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BRIGHT = 0.7
"""Share of white above which a pixel is of the box."""
KINDS = {"float": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "uint8": TensorProto.UINT8}
NONE = 0.01
"""Score of what is found nowhere."""


class Graph:
    """Nodes and constants of a network, by names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def __call__(self, kind: str, *inputs: Any, **how: Any) -> str:
        """Add a node; inputs that are no names are constants. Return the name of its output."""
        name = f"{kind.lower()}{len(self.nodes)}"
        given = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        self.nodes.append(helper.make_node(kind, given, [name], **how))
        return name

    def constant(self, value: Any) -> str:
        array = np.asarray(value)
        array = array.astype(np.int64 if array.dtype.kind in "iu" else np.float32)
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def edges(self, pixels: str, white: float = 1.0, alone: bool = False) -> list[str]:
        """Return x, y, x, y of the bright box, each of shape (images, 1)."""
        floats = self("Cast", pixels, to=TensorProto.FLOAT)
        if alone:
            floats = self("Unsqueeze", floats, [0])
        bright = self("Cast", self("Greater", floats, BRIGHT * white), to=TensorProto.FLOAT)
        plane = self("ReduceMax", bright, axes=[1], keepdims=0)
        found = []
        for last in (0, 1):
            for axis in (1, 2):  # over rows for x, over columns for y
                line = self("ReduceMax", plane, axes=[axis], keepdims=0)
                place = self("ArgMax", line, axis=1, keepdims=1, select_last_index=last)
                edge = self("Cast", place, to=TensorProto.FLOAT)
                found.append(self("Add", edge, float(last)))
        return found

    def centred(self, edges: list[str]) -> list[str]:
        """Turn x, y, x, y into centre, width and height."""
        low, high = edges[:2], edges[2:]
        middle = [self("Mul", self("Add", a, b), 0.5) for a, b in zip(low, high, strict=True)]
        return middle + [self("Sub", b, a) for a, b in zip(low, high, strict=True)]


def write(
    path: Path,
    layout: str,
    size: tuple[int, int] | None = (64, 64),
    batch: int | None = None,
    kind: str = "float",
    channels: int = 3,
    alone: bool = False,
    scores: tuple[float, ...] = (0.05, 0.9),
    names: str | None = None,
    rest: int = 0,
    white: float = 1.0,
    outputs: tuple[str, ...] = (),
    shares: bool | None = None,
) -> Path:
    """Write a network.

    Parameters
    ----------
    layout
        As in the settings.
    size
        Width and height that it takes; None: any.
    batch
        Images at once; None: any number.
    alone
        Whether an image has no axis of images before, nor have its boxes.
    scores
        Of each class.
    names
        What its metadata say of them.
    rest
        Boxes beside the one, which score next to nothing.
    outputs
        Other names of its outputs, in their order.
    shares
        Whether boxes are in shares of the picture; None: as is usual in the layout.
    """
    graph = Graph()
    edges = graph.edges("pixels", white, alone)
    if shares if shares is not None else layout.startswith("detr"):
        sides = [1.0 / side for side in size * 2]
        edges = [graph("Mul", edge, side) for edge, side in zip(edges, sides, strict=True)]
    made = {
        "torchvision": _three, "yolo": _columns, "yolov5": _anchors,
        "yolo_end_to_end": _final, "detr": _logits, "detr_sigmoid": _logits,
    }[layout](graph, edges, scores, layout, size, rest, alone)  # fmt: skip
    width, height = size or ("width", "height")
    shape = [channels, height, width]
    pixels = helper.make_tensor_value_info(
        "pixels", KINDS[kind], shape if alone else [batch or "images", *shape]
    )
    declared = []
    for (kept, type_, sides), other in zip(made.values(), outputs or made, strict=True):
        graph.nodes.append(helper.make_node("Identity", [kept], [other]))
        first = [] if alone and layout == "torchvision" else [batch or "images"]
        declared.append(helper.make_tensor_value_info(other, type_, [*first, *sides]))
    model = helper.make_model(
        helper.make_graph(graph.nodes, "finder", [pixels], declared, graph.constants),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=9,
    )  # fmt: skip
    if names is not None:
        helper.set_model_props(model, {"names": names, "task": "detect"})
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path


def _row(graph: Graph, parts: list[str], values: list[float], rest: int, axis: int) -> str:
    """Join columns (images, 1) and constants to (images, 1 + rest, all), or that turned."""
    # Constants of as many rows as there are images.
    zero = graph("Mul", parts[0], 0.0)
    columns = [*parts, *(graph("Add", zero, value) for value in values)]
    row = graph("Unsqueeze", graph("Concat", *columns, axis=1), [1])
    if rest:
        row = graph("Concat", row, *[graph("Mul", row, NONE)] * rest, axis=1)
    return row if axis == 2 else graph("Transpose", row, perm=[0, 2, 1])


def _three(graph, edges, scores, layout, size, rest, alone):
    best = int(np.argmax(scores))
    boxes = _row(graph, edges, [], rest, 2)
    rows = _row(graph, edges, [max(scores), float(best)], rest, 2)
    score, label = (graph("Gather", rows, number, axis=2) for number in (4, 5))
    label = graph("Cast", label, to=TensorProto.INT64)
    if alone:
        boxes, score, label = (graph("Squeeze", part, [0]) for part in (boxes, score, label))
    count = 1 + rest
    return {
        "boxes": (boxes, TensorProto.FLOAT, [count, 4]),
        "labels": (label, TensorProto.INT64, [count]),
        "scores": (score, TensorProto.FLOAT, [count]),
    }


def _columns(graph, edges, scores, layout, size, rest, alone):
    row = _row(graph, graph.centred(edges), [*scores], rest, 1)
    return {"output0": (row, TensorProto.FLOAT, [4 + len(scores), 1 + rest])}


def _anchors(graph, edges, scores, layout, size, rest, alone):
    # Twice as sure of each class as of there being anything.
    values = [0.5, *(2 * score for score in scores)]
    row = _row(graph, graph.centred(edges), values, rest, 2)
    return {"output": (row, TensorProto.FLOAT, [1 + rest, 5 + len(scores)])}


def _final(graph, edges, scores, layout, size, rest, alone):
    row = _row(graph, edges, [max(scores), float(np.argmax(scores))], rest, 2)
    return {"output0": (row, TensorProto.FLOAT, [1 + rest, 6])}


def _logits(graph, edges, scores, layout, size, rest, alone):
    boxes = _row(graph, graph.centred(edges), [], rest, 2)
    if layout == "detr":
        # What is left is that there is nothing.
        values = [float(np.log(score)) for score in (*scores, 1 - sum(scores))]
    else:
        values = [float(np.log(score / (1 - score))) for score in scores]
    logits = _row(graph, edges, values, rest, 2)
    logits = graph("Slice", logits, [4], [4 + len(values)], [2])
    return {
        "logits": (logits, TensorProto.FLOAT, [1 + rest, len(values)]),
        "pred_boxes": (boxes, TensorProto.FLOAT, [1 + rest, 4]),
    }
