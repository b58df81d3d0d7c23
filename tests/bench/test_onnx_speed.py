"""How many frames a second murid's detector goes through as an ONNX file, and by torch."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
import torch

from murid.detect import loaded, model
from murid.detect.onnx import export
from murid.detect.predict import Detector, predict
from murid.settings import Image, Onnx

CASES = (("slim", 320, 180, 8), ("resnet18", 640, 360, 2))
"""Backbone, width, height, and frames a batch."""
ROUNDS, PATIENCE = 3, 4.0
"""Times that each is measured, in turn, and seconds at least that each takes."""
COLUMNS = ("network", "batch", "torch", "onnxruntime", "onnxruntime / torch")


@pytest.mark.bench
def test_frames_a_second_by_onnxruntime_and_by_torch(
    tmp_path: Path, print_table: Callable[..., None]
) -> None:
    rows = []
    for backbone, width, height, batch in CASES:
        torch.manual_seed(1)
        about = {"backbone": backbone, "width": width, "classes": list(model.CLASSES)}
        path = tmp_path / f"{backbone}.safetensors"
        model.save(path, model.build(backbone, width).state_dict(), about)
        export.export(path, path.with_suffix(".onnx"), Image(width=width, height=height))
        detectors = [loaded.load(each, "cpu", Onnx()) for each in (path, path.with_suffix(".onnx"))]
        frames = np.random.default_rng(1).integers(0, 256, (batch, height, width), dtype=np.uint8)
        rates: list[list[float]] = [[], []]
        for _ in range(ROUNDS):
            for each, measured in zip(detectors, rates, strict=True):
                measured.append(_rate(each, [*frames]))
        own, other = (max(measured) for measured in rates)
        rows.append([f"{backbone} {width}x{height}", batch, own, other, other / own])
    title = f"Detection on a CPU, frames a second, {torch.get_num_threads()} threads"
    print_table(title, COLUMNS, rows)


def _rate(detector: Detector, frames: list[np.ndarray]) -> float:
    detector.score_thresh = 0.4
    predict(detector, frames)  # what is done once only
    done, begin = 0, perf_counter()
    while perf_counter() - begin < PATIENCE:
        done += len(predict(detector, frames))
    return done / (perf_counter() - begin)
