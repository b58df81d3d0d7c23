"""A mouse that crosses a picture, annotated, and a detector that is trained on it for a moment."""

import cv2
import numpy as np
import pandas as pd

from murid import schemas, tables, video
from murid.detect import stage
from murid.settings import Detect, Image, Onnx, Proposals, TrainDetector

SIZE = (64, 48)
CPU = Proposals(device="cpu")
QUICK = TrainDetector(
    backbone="slim",
    width=64,
    iterations=6,
    batch_size=4,
    optimiser="adamw",
    learning_rate=3e-3,
    checkpoint_every=3,
    device="cpu",
)


def scene(n):
    """A dark mouse on a light ground, further right in each frame, and its box."""
    frame = np.full(SIZE[::-1], 180, np.uint8)
    x = 16 + n % 32
    cv2.ellipse(frame, (x, 28), (10, 6), 0, 0, 360, 60, -1)
    return frame, (x - 10.0, 22.0, 21.0, 13.0)


def row(frame, number, box, who="R", kind="single", difficult=False):
    """A row of annotations, of one animal."""
    return (frame, number, kind, [who], *box, "clear", difficult)


def annotate(rows, path=None, verdict=None):
    """Return rows as the table of annotations, and write it where there is a path."""
    table = pd.DataFrame(rows, columns=schemas.CONTRACTS["annotations"].schema.names)
    table = tables.conform(table, "annotations")
    if path:
        tables.write(table, path, "annotations", verdict)
    return table


def make_segment(folder):
    """Write a video of 40 frames, ten of them annotated, and the other tables of its segment."""
    video.write(folder / "video.mp4", (scene(n)[0] for n in range(40)), 25.0)
    annotate([row(n, 0, scene(n)[1]) for n in range(0, 40, 4)], folder / "annotations.parquet")
    positions = pd.DataFrame({"frame": range(40), "animal": "R", "antenna": 3, "filled": False})
    tables.write(positions, folder / "positions.parquet", "positions")
    transforms = pd.DataFrame(
        {"rig": ["north"], "prototype": True, "fit_residual": 0.0, "validation_residual": 0.0}
    ).assign(m00=1.0, m01=0.0, m02=0.0, m10=0.0, m11=1.0, m12=0.0)
    tables.write(transforms, folder / "transforms.parquet", "transforms")
    return folder


def train_on(segment, output, settings=QUICK, validation=True):
    """Train on the annotated frames of a segment, and validate on the same."""
    pair = (segment / "video.mp4", segment / "annotations.parquet")
    stage.TrainDetector(
        train=[pair], validating=[pair] if validation else [], output=output,
        train_detector=settings,
    ).run()  # fmt: skip
    return output


def detect(segment, detector, output, image=None, onnx=None, **options):
    """Run a detector over a segment's video; return the detections."""
    settings = Detect(**{"score": 0.0, "max_mice": 5, "device": "cpu"} | options)
    stage.Detect(
        video=segment / "video.mp4",
        detector=detector,
        positions=segment / "positions.parquet",
        transforms=segment / "transforms.parquet",
        rig="north",
        fps=25.0,
        output=output,
        detect=settings,
        image=image or Image(width=64, height=48),
        onnx=onnx or Onnx(),
    ).run()
    return tables.read(output, "detections")


def measure(segments, detector, output, proposals=CPU, onnx=None):
    """Compare the boxes of a detector with annotations, into a table at ``output``."""
    stage.ValidateDetector(
        segments=segments,
        detector=detector,
        output=output,
        proposals=proposals,
        onnx=onnx or Onnx(),
    ).run()
