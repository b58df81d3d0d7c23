"""How the boxes of a network are told from what it declares, and brought into one form."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.detect.onnx import fit, layouts
from murid.detect.onnx.layouts import Port
from murid.errors import InputError

FLOAT, LONG = "tensor(float)", "tensor(int64)"
SQUARE = (640, 640)
CELLS = 80 * 80 + 40 * 40 + 20 * 20


def ports(*described):
    return [Port(name, shape, kind) for name, shape, kind in described]


def one(*shape):
    return ports(("output0", shape, FLOAT))


def detr(queries=100, classes=92):
    return ports(("logits", (1, queries, classes), FLOAT), ("pred_boxes", (1, queries, 4), FLOAT))


@pytest.mark.parametrize(
    ("outputs", "size", "name", "places"),
    [
        (ports(("boxes", (None, 4), FLOAT), ("labels", (None,), LONG), ("scores", (None,), FLOAT)),
         SQUARE, "torchvision", [0, 2, 1]),
        # Numbers for names, as the older exporter writes them; boxes come anywhere.
        (ports(("3129", (None,), LONG), ("3127", (None,), FLOAT), ("3124", (None, 4), FLOAT)),
         (None, None), "torchvision", [2, 1, 0]),
        (ports(("a", (8, 50, 4), FLOAT), ("b", (8, 50), FLOAT), ("c", (8, 50), LONG)),
         SQUARE, "torchvision", [0, 1, 2]),
        # Masks beside them are not asked for.
        (ports(("boxes", (), FLOAT), ("labels", (), LONG), ("scores", (), FLOAT),
               ("masks", (None, 1, 28, 28), FLOAT)), SQUARE, "torchvision", [0, 2, 1]),
        (one(1, 84, CELLS), SQUARE, "yolo", [0]),
        (one(1, 6, CELLS), SQUARE, "yolo", [0]),
        (one(None, 5, None), (None, None), "yolo", [0]),
        (one(1, 84, CELLS + 100), SQUARE, "yolo", [0]),  # a fourth map of features
        (one(1, 3 * CELLS, 85), SQUARE, "yolov5", [0]),
        (one(1, 3 * CELLS, 6), SQUARE, "yolov5", [0]),  # of one class
        (one(1, 300, 6), SQUARE, "yolo_end_to_end", [0]),
        (one(None, 300, 6), (None, None), "yolo_end_to_end", [0]),
    ],
)  # fmt: skip
def test_a_layout_is_told_from_names_shapes_and_types(outputs, size, name, places):
    layout, found = layouts.tell("n.onnx", outputs, size, "auto")
    assert (layout.name, found) == (name, places)
    assert layouts.tell("n.onnx", outputs, size, name) == (layout, places)


@pytest.mark.parametrize(
    ("outputs", "size", "possible"),
    [
        (one(1, None, 6), SQUARE, {"yolov5", "yolo_end_to_end"}),  # of one class, or the last
        (one(None, None, 85), (None, None), {"yolov5"}),  # or without that there is anything
        (one(1, CELLS, 85), SQUARE, {"yolo", "yolov5"}),  # one a cell, turned, or YOLOX's
        (one(1, 56, 1000), SQUARE, {"yolo"}),  # no such number of cells
        (one(None, None, None), (None, None), {"yolo", "yolov5", "yolo_end_to_end"}),
        (detr(), SQUARE, {"detr", "detr_sigmoid"}),
    ],
)
def test_what_is_in_doubt_is_refused_until_it_is_named(outputs, size, possible):
    with pytest.raises(InputError, match=r"layout auto.*in doubt.*Set onnx\.layout") as told:
        layouts.tell("n.onnx", outputs, size, "auto")
    assert all(f"{port}" in str(told.value) for port in outputs)
    for name in possible:
        assert f"{name} (" in str(told.value)
        assert layouts.tell("n.onnx", outputs, size, name)[0].name == name


@pytest.mark.parametrize(
    "outputs",
    [
        [],
        ports(("output0", (1, 84), FLOAT)),
        ports(("ids", (1, 100, 6), LONG)),
        ports(("output0", (1, 116, CELLS), FLOAT), ("output1", (1, 32, 160, 160), FLOAT)),  # masks
        ports(("boxes", (1, 100, 4), FLOAT), ("scores", (1, 100), FLOAT)),
        ports(("boxes", (1, CELLS, 4), FLOAT), ("scores", (1, CELLS, 80), FLOAT),
              ("found", (1,), LONG)),
        ports(("num_dets", (1, 1), "tensor(int32)"), ("det_boxes", (1, 100, 4), FLOAT),
              ("det_scores", (1, 100), FLOAT), ("det_classes", (1, 100), "tensor(int32)")),
    ],
)  # fmt: skip
def test_what_is_of_no_layout_is_refused_with_the_shapes_found(outputs):
    for name in ("auto", *layouts.LAYOUTS):
        with pytest.raises(InputError) as told:
            layouts.tell("n.onnx", outputs, SQUARE, name)
        assert "n.onnx: found the outputs" in str(told.value)
        for port in outputs:
            assert f"{port.name} [{', '.join(map(str, port.shape))}]" in str(told.value)


def decoded(name, *arrays, images=1):
    given = [np.asarray(array) for array in arrays]
    return layouts.decode("n.onnx", layouts.LAYOUTS[name], given, images)


BOX = [8.0, 10.0, 4.0, 6.0]  # centre and size
CORNERS = [6.0, 7.0, 10.0, 13.0]


@pytest.mark.parametrize(
    ("name", "arrays"),
    [
        ("torchvision", ([CORNERS], [0.75], [1])),
        ("torchvision", ([[CORNERS]], [[0.75]], np.array([[1]], np.int32))),
        ("yolo", ([[[value] for value in (*BOX, 0.25, 0.75)]],)),
        ("yolo", (np.float16([[[value] for value in (*BOX, 0.25, 0.75)]]),)),
        ("yolov5", ([[[*BOX, 0.9375, 0.25, 0.8]]],)),
        ("yolo_end_to_end", ([[[*CORNERS, 0.75, 1.0]]],)),
        ("detr", ([[[math.log(0.05), math.log(0.75), math.log(0.2)]]], [[BOX]])),
        ("detr", ([[[5 + math.log(0.05), 5 + math.log(0.75), 5 + math.log(0.2)]]], [[BOX]])),
        ("detr_sigmoid", ([[[math.log(0.25 / 0.75), math.log(3)]]], [[BOX]])),
        ("detr_sigmoid", ([[[-1e4, math.log(3)]]], [[BOX]])),
    ],
)
def test_every_layout_gives_corners_the_best_class_and_its_score(name, arrays):
    boxes = decoded(name, *arrays)
    assert boxes.corners.dtype == boxes.scores.dtype == np.float32
    np.testing.assert_allclose(boxes.corners, [[CORNERS]], atol=1e-5)
    np.testing.assert_allclose(boxes.scores, [[0.75]], atol=1e-3)
    assert boxes.classes.tolist() == [[1]]


def test_that_there_is_nothing_is_no_class_of_detr():
    boxes = decoded("detr", [[[0.0, 9.0], [9.0, 0.0]]], [[BOX, BOX]])
    assert boxes.classes.tolist() == [[0, 0]]
    assert boxes.scores[0, 0] < 0.001 < 0.999 < boxes.scores[0, 1]


def test_a_network_may_find_nothing():
    boxes = decoded("torchvision", np.empty((0, 4)), np.empty(0), np.empty(0, np.int64))
    assert boxes.scores.shape == (1, 0)


@pytest.mark.parametrize(
    ("name", "arrays"),
    [
        ("torchvision", (np.zeros((3, 4)), np.zeros(2), np.zeros(3, int))),
        ("torchvision", (np.zeros((3, 5)), np.zeros(3), np.zeros(3, int))),
        ("torchvision", (np.zeros((2, 3, 4)), np.zeros((2, 3)), np.zeros((2, 3), int))),
        ("torchvision", (np.zeros(4), np.zeros(()), np.zeros((), int))),
        ("yolo", (np.zeros((1, 4, 9)),)),
        ("yolo", (np.zeros((84, 9)),)),
        ("yolo", (np.zeros((2, 84, 9)),)),
        ("yolov5", (np.zeros((1, 9, 5)),)),
        ("yolo_end_to_end", (np.zeros((1, 9, 7)),)),
        ("detr", (np.zeros((1, 9, 3)), np.zeros((1, 8, 4)))),
        ("detr", (np.zeros((1, 9, 1)), np.zeros((1, 9, 4)))),
        ("detr_sigmoid", (np.zeros((1, 9, 3)), np.zeros((1, 9, 5)))),
        ("yolo", (np.array([["a"]]),)),
    ],
)
def test_arrays_that_are_not_of_the_layout_are_refused_with_their_shapes(name, arrays):
    with pytest.raises(
        InputError, match=r"n\.onnx: found arrays of the shapes .* 1 images"
    ) as told:
        decoded(name, *arrays)
    assert "; ".join(str(list(array.shape)) for array in arrays) in str(told.value)
    assert f"onnx.layout {name}" in str(told.value)


@pytest.mark.parametrize("score", [-3.0, 1.5, math.nan, math.inf])
def test_scores_that_are_no_probabilities_are_refused(score):
    with pytest.raises(InputError, match="expected probabilities, 0 to 1"):
        decoded("yolo_end_to_end", [[[*CORNERS, score, 1.0], [*CORNERS, 0.5, 1.0]]])


@pytest.mark.parametrize("edge", [math.nan, math.inf])
def test_boxes_that_are_not_finite_are_refused_where_they_score(edge):
    def found(score):
        return decoded("yolo_end_to_end", [[[edge, *CORNERS[1:], score, 1.0]]])

    with pytest.raises(InputError, match="found 1 boxes that are not finite"):
        found(0.5)
    assert found(0.0).scores.tolist() == [[0.0]]


sides = st.integers(1, 700)


@given(st.tuples(sides, sides), st.tuples(sides, sides), st.booleans())
def test_boxes_come_back_to_the_frame_exactly(frame, size, stretch):
    fitted = fit.fit_of(frame, size, 114, stretch=stretch)
    seen = fitted.apply(np.zeros((1, *frame[::-1]), np.uint8))
    assert seen.shape == (1, *size[::-1])
    (left, top), (wide, high) = fitted.offset, fitted.inner
    inside = seen[0, top : top + high, left : left + wide]
    assert inside.shape == (high, wide)
    assert not inside.any()
    assert (seen == 114).sum() == size[0] * size[1] - wide * high
    whole = np.float32([[left, top, left + wide, top + high], [-1e6, -1e6, 1e6, 1e6]])
    np.testing.assert_allclose(fitted.undo(whole), [[0, 0, *frame]] * 2, rtol=1e-5)
    half = np.float32([[left, top, left + wide / 2, top + high / 4]])
    np.testing.assert_allclose(fitted.undo(half), [[0, 0, frame[0] / 2, frame[1] / 4]], rtol=1e-4)


@given(st.tuples(sides, sides), st.integers(1, 700))
def test_a_letterbox_keeps_proportions_as_far_as_pixels_go(frame, side):
    fitted = fit.fit_of(frame, (side, side), 0, stretch=False)
    scale = min(side / frame[0], side / frame[1])
    for inner, whole in zip(fitted.inner, frame, strict=True):
        assert abs(inner - scale * whole) <= 0.5 or inner == 1


@pytest.mark.parametrize(
    ("corners", "score", "units"),
    [
        (CORNERS, 0.9, "pixels"), ([0.2, 0.2, 0.4, 0.4], 0.9, "shares"),
        ([-0.5, -0.1, 1.5, 1.2], 0.9, "shares"), ([-0.6, 0.0, 1.0, 1.0], 0.9, "pixels"),
        ([0, 0, 1.6, 1], 0.9, "pixels"), (CORNERS, 0.2, "either"), ([0, 0, 1, 1], 0.2, "either"),
    ],
)  # fmt: skip
def test_boxes_tell_what_they_are_measured_in_where_they_score(corners, score, units):
    boxes = decoded("yolo_end_to_end", [[[*corners, score, 1.0], [3.0, 3.0, 9.0, 9.0, 0.1, 1.0]]])
    for shares, name in ((False, "pixels"), (True, "shares")):
        if units in (name, "either"):
            layouts.refuse_other_units("n.onnx", boxes, shares)
            continue
        with pytest.raises(InputError, match=f"n.onnx, the boxes .* Set onnx.boxes to {units}"):
            layouts.refuse_other_units("n.onnx", boxes, shares)
