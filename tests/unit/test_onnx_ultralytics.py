"""A YOLO network as Ultralytics exports it finds what it finds when Ultralytics runs it."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from murid.detect import loaded
from murid.detect.predict import predict
from murid.settings import Onnx

pytestmark = pytest.mark.skipif(
    find_spec("ultralytics") is None,
    reason="ultralytics is not installed (pip install --no-deps -r envs/recipes.txt)",
)

PROGRAM = """
import json, numpy, torch
from ultralytics import YOLO

torch.manual_seed(0)
model = YOLO("yolo11n.yaml")  # random weights, of which only the finest boxes are believed
heads = model.model.model[-1].cv3
for head in heads:
    head[-1].bias.data[:] = -20
heads[0][-1].bias.data[0] = 2
model.save("mice.pt")
frames = [numpy.repeat(frame[:, :, None], 3, axis=2) for frame in numpy.load("frames.npy")]
reported = {}
for name, how in {"raw": {}, "final": {"nms": True}}.items():
    path = YOLO("mice.pt").export(format="onnx", imgsz=128, simplify=False, **how)
    results = YOLO(path).predict(frames, imgsz=128, conf=0.3, iou=1.0)
    reported[name] = [result.boxes.data.tolist() for result in results]
    with open(path, "rb") as file, open(f"{name}.onnx", "wb") as copy:
        copy.write(file.read())
json.dump(reported, open("reported.json", "w"))
"""


def test_boxes_are_those_that_ultralytics_finds(tmp_path: Path) -> None:
    frames = np.random.default_rng(1).integers(0, 256, (2, 90, 160), dtype=np.uint8)
    np.save(tmp_path / "frames.npy", frames)
    offline = {"YOLO_CONFIG_DIR": str(tmp_path / "home"), "YOLO_OFFLINE": "true"}
    environment = offline | {"YOLO_AUTOINSTALL": "false", "OMP_NUM_THREADS": "1", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reported = json.loads((tmp_path / "reported.json").read_text())
    for name, layout in {"raw": "yolo", "final": "yolo_end_to_end"}.items():
        detector = loaded.load(tmp_path / f"{name}.onnx", "cpu", Onnx(mouse_classes=(0,)))
        assert detector.told.layout.name == layout
        # As they come: Ultralytics suppresses boxes before they are cut at the frame.
        detector.score_thresh, detector.nms_thresh, detector.detections_per_img = 0.3, 1.0, 300
        for found, wanted in zip(predict(detector, list(frames)), reported[name], strict=True):
            assert len(found.scores) == len(wanted) > 5
            ends = found.boxes[:, :2] + found.boxes[:, 2:]
            rows = np.column_stack([found.boxes[:, :2], ends, 100 * found.scores])
            expected = np.array(wanted)[:, :5] * [1, 1, 1, 1, 100]
            off = np.abs(rows[:, None] - expected).max(axis=2)
            assert max(off.min(axis=0).max(), off.min(axis=1).max()) < 0.1
