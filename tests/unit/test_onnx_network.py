"""Networks of others as detectors: files that are run, and files that are refused."""

import logging
import os
import re
import subprocess
import sys

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import onnx_networks
from murid import tables
from murid.detect import given_detector, loaded
from murid.detect.onnx import layouts, session
from murid.detect.predict import predict
from murid.errors import InputError
from murid.settings import Onnx
from one_mouse import detect, measure

SECOND = Onnx(mouse_classes=(1,))
"""Class 1 is the mouse, which the networks here are surest of."""
BOXES = [[20, 10, 30, 20], [56, 0, 8, 8], [0, 32, 8, 16]]


def frames(boxes=BOXES, size=(64, 48)):
    pictures = np.full((len(boxes), *size[::-1]), 40, np.uint8)
    for picture, (x, y, width, height) in zip(pictures, boxes, strict=True):
        picture[y : y + height, x : x + width] = 250
    return [*pictures]


def load(path, settings=SECOND, device="cpu"):
    return loaded.load(path, device, settings)


def found(path, settings=SECOND, pictures=None):
    """Return the best box of each frame, and all labels."""
    seen = predict(load(path, settings), frames() if pictures is None else pictures)
    assert all(len(each.scores) == 1 for each in seen)
    np.testing.assert_allclose([each.scores[0] for each in seen], 0.9, atol=1e-3)
    return np.array([each.boxes[0] for each in seen]), {each.labels[0] for each in seen}


NAMED = {name: SECOND.model_copy(update={"layout": name}) for name in layouts.LAYOUTS}


SIZES = [(64, 48), (128, 96), (128, 128), (96, 320), (32, 128), None]


@pytest.mark.parametrize(
    ("name", "size"),
    # The network that gives shares of its picture knows how large that is.
    [(n, size) for n in layouts.LAYOUTS for size in SIZES if size or not layouts.LAYOUTS[n].shares],
)
def test_boxes_are_in_pixels_of_the_frame_in_every_layout_and_size(name, size, tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", name, size)
    boxes, labels = found(path, NAMED[name])
    # Where pixels of the network are larger than those of the frame, its edges are between them.
    near = 0.01 if size is None or (size[0] % 64, size[1] % 48) == (0, 0) else 3.0
    np.testing.assert_allclose(boxes, BOXES, atol=near)
    assert labels == {1}


@pytest.mark.parametrize("name", layouts.LAYOUTS)
@pytest.mark.parametrize("size", [(64, 48), (128, 128)])
def test_boxes_in_other_units_are_refused_until_the_settings_say_so(name, size, tmp_path):
    shares = not layouts.LAYOUTS[name].shares
    units = {True: "shares", False: "pixels"}
    path = onnx_networks.write(tmp_path / "n.onnx", name, size, shares=shares)
    with pytest.raises(InputError, match=f"Set onnx.boxes to {units[shares]}") as refused:
        found(path, NAMED[name])
    assert str(path) in str(refused.value)
    said = NAMED[name].model_copy(update={"boxes": units[shares]})
    np.testing.assert_allclose(found(path, said)[0], BOXES, atol=0.2)
    with pytest.raises(InputError, match=f"Set onnx.boxes to {units[not shares]}"):
        found(onnx_networks.write(path, name, size, shares=not shares), said)


def test_a_letterbox_and_stretching_are_undone(tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", "torchvision", (128, 192))
    for how in ("letterbox", "stretch"):
        boxes, _ = found(path, SECOND.model_copy(update={"resize": how}))
        np.testing.assert_allclose(boxes, BOXES, atol=0.6)


@pytest.mark.parametrize(
    "how",
    [
        {"batch": 1}, {"batch": 2}, {"batch": 3}, {"batch": 5}, {"alone": True},
        {"kind": "uint8", "white": 255.0}, {"kind": "float16"}, {"channels": 1},
        {"kind": "uint8", "white": 255.0, "channels": 1, "batch": 2},
    ],
    ids=str,
)  # fmt: skip
def test_whatever_a_network_takes_it_is_given(tmp_path, how):
    path = onnx_networks.write(tmp_path / "n.onnx", "torchvision", (64, 48), **how)
    boxes, labels = found(path)
    np.testing.assert_allclose(boxes, BOXES, atol=0.01)
    assert labels == {1}


@pytest.mark.parametrize(
    ("settings", "white"),
    [
        ({"pixel_values": "byte"}, 255.0),
        ({"mean": (0.5, 0.5, 0.5), "deviation": (0.25, 0.25, 0.25)}, 2.0),
        ({"pixel_values": "byte", "mean": (100.0, 100.0, 100.0)}, 155.0),
    ],
)
def test_values_are_scaled_as_settings_say(tmp_path, settings, white):
    # A threshold that only the box passes, and only on this scale.
    share = 0.9 * white / onnx_networks.BRIGHT
    path = onnx_networks.write(tmp_path / "n.onnx", "torchvision", (64, 48), white=share)
    boxes, _ = found(path, SECOND.model_copy(update=settings))
    np.testing.assert_allclose(boxes, BOXES, atol=0.01)
    unscaled, _ = found(path)
    assert np.abs(unscaled - BOXES).max() > 10


def test_red_green_and_blue_have_means_of_their_own(tmp_path):
    # Only the mean of blue lets a pixel be bright; whatever channel is, counts.
    path = onnx_networks.write(tmp_path / "n.onnx", "torchvision", (64, 48), white=2.0)
    settings = SECOND.model_copy(update={"mean": (0.9, 0.9, 0.1), "deviation": (1.0, 1.0, 0.5)})
    np.testing.assert_allclose(found(path, settings)[0], BOXES, atol=0.01)


def test_a_network_of_any_size_sees_frames_as_wide_as_settings_say(tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo", None)
    detector = load(path, Onnx(mouse_classes=(1,), layout="yolo", input_width=256))
    assert detector._fit(64, 48).size == (256, 192)
    detector = load(path, NAMED["yolo"])
    assert detector._fit(100, 50).size == (128, 64)  # as its strides want it
    detector = load(onnx_networks.write(tmp_path / "m.onnx", "torchvision", None))
    assert detector._fit(100, 50).size == (100, 50)


@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ({"mouse_classes": (1,)}, 1),
        ({"mouse_classes": (0, 1)}, 1),
        ({"mouse_classes": (0,), "tunnel_classes": (1,)}, 2),
        ({"mouse_classes": (0,), "tunnel_classes": ()}, None),  # a class that is nothing here
        ({}, 2),  # as the file says
        ({"mouse_classes": (1,), "tunnel_classes": ()}, 1),
    ],
)
@pytest.mark.parametrize("names", ["{0: 'mouse', 1: 'tunnel'}", '{"0": "Mouse", "1": "tunnel"}'])
def test_classes_are_mapped_by_settings_or_by_their_names(tmp_path, settings, label, names):
    path = onnx_networks.write(tmp_path / "n.onnx", "torchvision", names=names)
    for seen in predict(load(path, Onnx(**settings)), frames()):
        assert seen.labels.tolist() == ([label] if label else [])


def test_boxes_beside_the_frame_are_none(tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo", (64, 96), rest=1)
    detector = load(path, NAMED["yolo"])
    detector.score_thresh = 0.0
    assert [len(each.scores) for each in predict(detector, frames())] == [1, 1, 1]


def test_suppression_and_the_threshold_are_the_detectors(tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo", (64, 48), rest=20)
    detector = load(path, NAMED["yolo"])
    detector.score_thresh, detector.nms_thresh = 0.0, 0.5
    (seen,) = predict(detector, frames()[:1])
    assert len(seen.scores) == 2  # the others lie in one place
    detector.detections_per_img = 1
    assert [len(each.scores) for each in predict(detector, frames())] == [1, 1, 1]
    detector.score_thresh = 0.95
    assert [len(each.scores) for each in predict(detector, frames())] == [0, 0, 0]


def test_boxes_are_cut_at_the_frame(tmp_path):
    # What lies in the margin of the letterbox is none of the picture.
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo", (128, 128), white=0.5)
    (seen,) = predict(load(path, NAMED["yolo"]), frames()[:1])
    np.testing.assert_allclose(seen.boxes, [[0, 0, 64, 48]])


def test_a_stage_finds_filters_and_judges_with_it_as_with_its_own(segment, tmp_path):
    # The mouse there is dark: the network finds the light ground, the whole picture.
    path = onnx_networks.write(tmp_path / "n.onnx", "torchvision", (64, 48), white=0.9)
    how = {"onnx": SECOND, "score": 0.5}
    boxes = detect(segment, path, tmp_path / "out.parquet", **how)
    assert boxes["frame"].tolist() == [*range(40)]
    assert set(boxes["label"]) == {"mouse"}
    assert tables.read_verdict(tmp_path / "out.parquet").status == "usable"
    hopper = ((0, 0), (64, 0), (64, 48), (0, 48))
    assert detect(segment, path, tmp_path / "none.parquet", hopper=hopper, **how).empty
    verdict = tables.read_verdict(tmp_path / "none.parquet")
    assert verdict.discarded
    assert "detect.hopper and detect.max_mice took 40" in verdict.reason
    assert detect(segment, path, tmp_path / "low.parquet", onnx=SECOND, score=0.95).empty
    measure([("Test", segment / "video.mp4", segment / "annotations.parquet")], path,
            tmp_path / "measured.parquet", onnx=SECOND)  # fmt: skip
    assert tables.read(tmp_path / "measured.parquet", "detector_validation")["recall"].max() == 0


def test_a_fault_of_the_network_is_none_of_the_video(segment, tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo", (64, 48), scores=(0.1, 7.0))
    with pytest.raises(InputError, match=f"{path}: found scores from 0.1 to 7|from 7 to 7"):
        detect(segment, path, tmp_path / "out.parquet", onnx=NAMED["yolo"])


def write_graph(path, nodes, inputs, outputs, constants=(), domains=(("", 17),)):
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    opsets = [helper.make_opsetid(*domain) for domain in domains]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    path.write_bytes(model.SerializeToString())
    return path


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


@pytest.mark.parametrize(
    "inputs",
    [
        [],
        [value("a", [1, 48, 64, 3])],
        [value("a", [1, 4, 48, 64])],
        [value("a", [48, 64])],
        [value("a", [1, 3, 48, 64], TensorProto.DOUBLE)],
        [value("a", [1, 3, 48, 64]), value("target_sizes", [1, 2], TensorProto.INT64)],
    ],
    ids=len,
)
def test_what_takes_no_picture_is_refused_with_what_it_takes(tmp_path, inputs):
    made = numpy_helper.from_array(np.zeros((1, 84, 9), np.float32), "made")
    node = helper.make_node("Constant", [], ["output0"], value=made)
    path = write_graph(tmp_path / "n.onnx", [node], inputs, [value("output0", [1, 84, 9])])
    with pytest.raises(
        InputError, match=r"expected one input \[images, 3, height, width\]"
    ) as told:
        load(path)
    shapes = [[side.dim_value for side in each.type.tensor_type.shape.dim] for each in inputs]
    for each, shape in zip(inputs, shapes, strict=True):
        assert f"{each.name} {shape}" in str(told.value)


def test_an_unknown_layout_is_refused_with_the_shapes_found(tmp_path, segment):
    names = ("first", "second", "third")
    path = onnx_networks.write(tmp_path / "n.onnx", "torchvision", batch=1, outputs=names, rest=6)
    load(path)  # told by shapes and types alone
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo", batch=1, rest=6)
    with pytest.raises(InputError, match=r"output0 \[1, 6, 7\] float, which leave in doubt"):
        load(path)
    path = onnx_networks.write(tmp_path / "n.onnx", "detr", batch=1, outputs=("one", "two"))
    with pytest.raises(InputError, match=r"one \[1, 1, 3\] float; two \[1, 1, 4\] float; expected"):
        detect(segment, path, tmp_path / "out.parquet", onnx=SECOND)


def test_a_layout_that_is_none_of_the_networks_is_refused(tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo")
    with pytest.raises(InputError, match=r"output0 .* as onnx\.layout detr has it"):
        load(path, NAMED["detr"])
    with pytest.raises(InputError, match=r"arrays of the shapes \[3, 6, 1\] for 3 images"):
        predict(load(path, NAMED["yolo_end_to_end"]), frames())


@pytest.mark.parametrize(
    ("how", "settings", "words"),
    [
        ({}, {}, "none is called mouse (no names at all)"),
        ({"names": "{0: 'rat', 1: 'wheel'}"}, {}, "none is called mouse (0 'rat', 1 'wheel')"),
        ({}, {"mouse_classes": (2,)}, "found 2 classes; expected one of the number 2 (mouse)"),
        ({}, {"mouse_classes": (0,), "tunnel_classes": (7,)}, "one of the number 7 (tunnel)"),
        ({"kind": "uint8"}, {"mouse_classes": (0,), "pixel_values": "unit"}, "whole numbers"),
        ({"kind": "uint8"}, {"mouse_classes": (0,), "mean": (1.0,) * 3}, "whole numbers"),
    ],
)
def test_settings_that_do_not_fit_the_network_are_refused(tmp_path, how, settings, words):
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo", **how)
    with pytest.raises(InputError, match=re.escape(words)):
        load(path, Onnx(layout="yolo", **settings))


def test_a_network_for_another_task_is_refused(tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo", names="{0: 'mouse'}")
    model = onnx.load(path)
    next(entry for entry in model.metadata_props if entry.key == "task").value = "pose"
    onnx.save(model, path)
    with pytest.raises(InputError, match=r"a network for another task .'pose'"):
        load(path, NAMED["yolo"])


def test_a_network_that_does_not_run_on_a_frame_is_told(tmp_path):
    # It adds a picture of one size to whatever it takes.
    constant = numpy_helper.from_array(np.zeros((1, 3, 10, 10), np.float32), "c")
    nodes = [helper.make_node("Add", ["a", "c"], ["b"]),
             helper.make_node("ReduceMean", ["b"], ["d"], axes=[2], keepdims=0)]  # fmt: skip
    path = write_graph(
        tmp_path / "n.onnx", nodes, [value("a", ["n", 3, "h", "w"])],
        [value("d", ["n", "k", 6])], [constant],
    )  # fmt: skip
    with pytest.raises(InputError, match=r"does not run on an input of \[3, 3, 64, 64\]") as told:
        predict(load(path, NAMED["yolo_end_to_end"]), frames())
    assert "onnx.input_width" in str(told.value)


def keeping_elsewhere(path, location, in_node=False):
    """Write a network of which a tensor is kept in another file."""
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1, 84, 9])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=str(location))
    nodes = [helper.make_node("Identity", ["w"], ["output0"])]
    if in_node:
        nodes.insert(0, helper.make_node("Constant", [], ["w"], value=tensor))
    return write_graph(
        path, nodes, [value("a", [1, 3, 48, 64])], [value("output0", [1, 84, 9])],
        [] if in_node else [tensor],
    )  # fmt: skip


@pytest.mark.parametrize("in_node", [False, True])
@pytest.mark.parametrize("where", ["beside", "above", "absolute", "linked"])
def test_nothing_but_the_file_itself_is_loaded(tmp_path, monkeypatch, where, in_node):
    folder = tmp_path / "folder"
    folder.mkdir()
    data = np.ones((1, 84, 9), np.float32).tobytes()
    for place in (tmp_path, folder):
        (place / "data.bin").write_bytes(data)
    (folder / "link.bin").symlink_to(tmp_path / "data.bin")
    location = {"beside": "data.bin", "above": "../data.bin", "linked": "link.bin",
                "absolute": tmp_path / "data.bin"}[where]  # fmt: skip
    monkeypatch.chdir(folder)  # in which onnxruntime would look
    path = keeping_elsewhere(folder / "n.onnx", location, in_node)
    with pytest.raises(InputError, match=f"{path}: found ") as told:
        load(path, NAMED["yolo"])
    if not in_node:
        assert "tensors that are kept in other files" in str(told.value)


def test_operators_of_others_are_refused(tmp_path):
    node = helper.make_node("Evil", ["a"], ["output0"], domain="my.own")
    path = write_graph(
        tmp_path / "n.onnx", [node], [value("a", [1, 3, 48, 64])],
        [value("output0", [1, 84, 9])], domains=(("", 17), ("my.own", 1)),
    )  # fmt: skip
    with pytest.raises(InputError, match=r"what onnxruntime does not load .*my\.own"):
        load(path)


@pytest.mark.parametrize("content", [b"", b"nonsense" * 50, b"\x08\x09", "half", None])
def test_what_is_no_network_is_refused(tmp_path, content):
    path = tmp_path / "n.onnx"
    if content == "half":
        whole = onnx_networks.write(path, "yolo", rest=20).read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
    elif content is not None:
        path.write_bytes(content)
    for refuse in (load, lambda path: given_detector.check(path, SECOND)):
        with pytest.raises(InputError, match=re.escape(f"{path}: found ")):
            refuse(path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "n.onnx")
    with pytest.raises(InputError, match="a named pipe"):
        load(tmp_path / "n.onnx")


def test_without_onnxruntime_it_is_said_what_to_install(tmp_path, monkeypatch):
    path = onnx_networks.write(tmp_path / "n.onnx", "yolo")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert not given_detector.runs_onnx()
    with pytest.raises(InputError, match=r"pip install 'murid\[onnx\]'"):
        load(path)
    given_detector.check(path, Onnx())  # all that can be told
    path.unlink()
    with pytest.raises(InputError, match="no file"):
        given_detector.check(path, Onnx())


CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


@pytest.mark.parametrize(
    ("choice", "there", "cuda", "expected"),
    [
        ("auto", [CUDA, CPU], True, [CUDA, CPU]),
        ("auto", [CUDA, CPU], False, [CPU]),
        ("auto", [CPU], False, [CPU]),
        ("auto", ["AzureExecutionProvider", CPU], True, [CPU]),
        ("cpu", [CUDA, CPU], True, [CPU]),
        ("cuda", [CUDA, CPU], True, [CUDA, CPU]),
    ],
)
def test_a_network_runs_where_it_can(choice, there, cuda, expected, caplog):
    assert session.providers_of(choice, there, cuda) == expected
    told = "onnxruntime has no CUDA" in caplog.text
    assert told == (choice == "auto" and cuda and CUDA not in there)


@pytest.mark.parametrize(
    ("there", "cuda", "words"),
    [([CPU], True, "an onnxruntime without CUDA"), ([CUDA, CPU], False, "no CUDA device")],
)
def test_cuda_that_is_asked_for_and_is_not_there_is_refused(there, cuda, words):
    with pytest.raises(InputError, match=f"device: found {words}"):
        session.providers_of("cuda", there, cuda)


def test_cuda_that_does_not_start_is_refused_if_asked_for_and_told_else(caplog):
    with pytest.raises(InputError, match="finds no CUDA or cuDNN"):
        session.refuse_fallback("cuda", [CPU], [CUDA, CPU])
    session.refuse_fallback("auto", [CPU], [CUDA, CPU])
    assert "runs on the CPU" in caplog.text
    caplog.clear()
    session.refuse_fallback("cuda", [CUDA, CPU], [CUDA, CPU])
    session.refuse_fallback("cpu", [CPU], [CPU])
    assert not caplog.text


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_network_is_not_run_on_a_cpu_where_cuda_is_asked_for(tmp_path):
    path = onnx_networks.write(tmp_path / "n.onnx", "torchvision")
    with pytest.raises(InputError, match="no CUDA device"):
        load(path, device="cuda")


def test_the_log_says_what_a_network_was_taken_for(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    load(onnx_networks.write(tmp_path / "n.onnx", "torchvision", batch=1, alone=True))
    assert "layout torchvision, told by the outputs boxes [1, 4] float; labels [1]" in caplog.text
    assert "classes mouse [1]; tunnel []; on CPUExecutionProvider" in caplog.text


def test_planning_a_run_does_not_load_onnxruntime():
    program = (
        "import sys; from murid.run import preflight; from murid.detect import given_detector; "
        "given_detector.runs_onnx(); print({'onnxruntime', 'torch', 'numpy'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr
