"""murid's own detector as an ONNX file, which other programs can use, and murid too."""

import numpy as np
import onnx
import pytest
import torch

from murid import schemas, tables
from murid.detect import loaded, model
from murid.detect.onnx import export
from murid.detect.predict import predict
from murid.detect.stage import ExportDetector
from murid.errors import InputError
from murid.run.provenance import closure
from murid.settings import Image, Onnx
from one_mouse import detect


@pytest.fixture(scope="module")
def exported(detector, tmp_path_factory):
    """The detector of the tests, for pictures of 64 x 48."""
    path = tmp_path_factory.mktemp("exported") / "d.onnx"
    ExportDetector(checkpoint=detector, output=path, image=Image(width=64, height=48)).run()
    return path


def test_the_exported_detector_finds_the_same_boxes(segment, detector, exported, tmp_path):
    # Without a setting: layout and classes are told by the file.
    own = detect(segment, detector, tmp_path / "own.parquet", score=0.01)
    others = detect(segment, exported, tmp_path / "others.parquet", score=0.01)
    assert len(own) > 40
    assert len(own) == len(others)
    # Which is first of two that score alike is chance.
    values = [*schemas.BOX, "score"]
    for row in own.itertuples():
        there = others[(others["frame"] == row.frame) & (others["label"] == row.label)]
        near = np.abs(there[values] - [getattr(row, name) for name in values]) < [0.01] * 4 + [1e-4]
        assert near.all(axis=1).any()
    verdicts = [tables.read_verdict(tmp_path / f"{name}.parquet") for name in ("own", "others")]
    assert verdicts[0] == verdicts[1]


def test_pictures_of_another_size_are_scaled_as_the_detector_scales_them(tmp_path):
    torch.manual_seed(2)
    network = model.build("slim", 64).eval()
    about = {"backbone": "slim", "width": 64, "classes": list(model.CLASSES)}
    model.save(tmp_path / "d.safetensors", network.state_dict(), about)
    export.export(tmp_path / "d.safetensors", tmp_path / "d.onnx", Image(width=100, height=70))
    frames = [*np.random.default_rng(1).integers(0, 256, (3, 70, 100), dtype=np.uint8)]
    detectors = [
        loaded.load(tmp_path / f"d.{kind}", "cpu", Onnx()) for kind in ("safetensors", "onnx")
    ]
    for each in detectors:
        each.score_thresh, each.nms_thresh = 0.0, 1.0  # as they come
        each.detections_per_img = 1000
    for own, other in zip(*(predict(each, frames) for each in detectors), strict=True):
        assert len(own.scores) > 5
        assert own.boxes[:, 2].max() > 8
        np.testing.assert_allclose(other.scores, own.scores, atol=1e-5)
        # Which is first of two that score alike is chance.
        for box in own.boxes:
            assert np.abs(other.boxes - box).max(axis=1).min() < 0.01


def test_other_programs_are_told_what_it_takes_and_gives(exported):
    file = onnx.load(exported)
    onnx.checker.check_model(file)
    inputs, outputs = (
        {port.name: [side.dim_value or side.dim_param for side in port.type.tensor_type.shape.dim]
         for port in ports} for ports in (file.graph.input, file.graph.output)
    )  # fmt: skip
    assert inputs == {"images": ["batch", 3, 48, 64]}
    assert {name: len(shape) for name, shape in outputs.items()} == {
        "boxes": 3, "scores": 2, "labels": 2,
    }  # fmt: skip
    told = {entry.key: entry.value for entry in file.metadata_props}
    assert told["names"] == '{"1": "mouse", "2": "tunnel"}'
    assert "keep the best" in told["suppression"]
    # It is one file.
    assert [path.name for path in exported.parent.iterdir()] == ["d.onnx"]


def test_what_is_no_detector_is_not_exported(tmp_path):
    (tmp_path / "d.safetensors").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="make no sense"):
        export.export(tmp_path / "d.safetensors", tmp_path / "d.onnx", Image())
    assert not (tmp_path / "d.onnx").exists()


def test_without_what_exports_it_is_said_what_to_install(detector, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "find_spec", {}.get)
    with pytest.raises(InputError, match="pip install onnxscript"):
        export.export(detector, tmp_path / "d.onnx", Image())


def test_what_runs_networks_of_others_is_none_of_what_trains():
    # Whoever changes it would train anew.
    parts = {command: closure(command) for command in ("train-detector", "detect")}
    onnx_parts = [name for name in parts["detect"] if name.startswith("murid.detect.onnx.")]
    assert "murid.detect.onnx.network" in onnx_parts
    assert not {*onnx_parts} & {*parts["train-detector"]}
