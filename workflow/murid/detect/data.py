"""Training data: annotated frames, what is to be found in them, and how they are varied."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables, video
from murid.detect import coco
from murid.detect.assess import is_tunnel
from murid.detect.model import CLASSES
from murid.detect.sample import Sample, Wanted
from murid.errors import InputError, LeftOut
from murid.truth import contradictory_frames

if TYPE_CHECKING:
    from murid.detect.stage import OfPart

log = logging.getLogger(__name__)

MIN_SIDE = 2.0
"""Pixels; boxes that shrink below this at the edge of a varied frame are forgotten."""


def wanted(annotations: pd.DataFrame, skip_difficult: bool = False) -> dict[int, Wanted]:
    """Return what is to be found, by frame.

    Identities do not matter here, so that every box counts, also those of tentative identity; the
    box of a huddle is a mouse, as it is in the paper, where the detector saw all annotated frames
    (Appendix C.1). A frame that shows nothing is there to learn what is no mouse. Frames that
    cannot be right as they are (:func:`murid.truth.contradictory_frames`) are left out.

    Parameters
    ----------
    annotations
        The table ``annotations``.
    skip_difficult
        Whether to leave out frames with a difficult annotation.
    """
    annotations = annotations[~annotations["frame"].isin(contradictory_frames(annotations))]
    shown = annotations[annotations["type"] != "empty"]
    labels = np.where(is_tunnel(shown), CLASSES.index("tunnel"), CLASSES.index("mouse"))
    shown = shown.assign(number=labels)
    by_frame = dict(list(shown.groupby("frame")))
    frames: dict[int, Wanted] = {}
    for frame in sorted(annotations["frame"].unique()):
        rows = by_frame.get(frame, shown.iloc[:0])
        difficult = rows["difficult"].to_numpy(bool)
        if not (skip_difficult and difficult.any()):
            boxes = rows[schemas.BOX].to_numpy(np.float32)
            frames[int(frame)] = Wanted(boxes, rows["number"].to_numpy(np.int64), difficult)
    return frames


def load(
    pairs: Iterable[tuple[Path, Path]],
    skip_difficult: bool = False,
    fps: Mapping[Path, float] = MappingProxyType({}),
    others: LeftOut | None = None,
    parts: Mapping[Path, video.Part] = MappingProxyType({}),
) -> list[Sample]:
    """Read the annotated frames of several segments.

    Parameters
    ----------
    pairs
        Of each segment the video and the table of annotations; or, of images that were annotated
        for a detector, a folder or video and a COCO file (:mod:`murid.detect.coco`). Tables of
        discarded segments are empty; then the video is not opened.
    skip_difficult
        Whether to leave out frames with a difficult annotation, or that are marked hard.
    fps
        Frames per second of those segments of which it is known.
    others
        Keeps those that cannot be used; without it, they are errors.
    parts
        Of which part of its video a table of annotations is, by its path, if not of all.

    Raises
    ------
    InputError
        If annotations or images cannot be read, or a video cannot be decoded up to its last
        annotated frame.
    """
    samples: list[Sample] = []
    for path, annotations in pairs:
        with others.if_faulty(path) if others else nullcontext():
            part = parts.get(annotations, video.WHOLE)
            samples += _load_segment(path, annotations, skip_difficult, fps.get(path), part)
    return samples


def _load_segment(
    path: Path, annotations: Path, skip_difficult: bool, fps: float | None, part: video.Part
) -> list[Sample]:
    if annotations.suffix.lower() != ".json":
        frames = wanted(tables.read(annotations, "annotations"), skip_difficult)
    else:
        images = [image for image in coco.read(annotations) if not (skip_difficult and image.hard)]
        if path.is_dir():
            pictures = coco.pictures(path, images, annotations)
            return [Sample(grey, image.wanted) for image, grey in pictures]
        frames = _by_frame(images, annotations)
    shown = video.read_frames(path, frames, fps, part)
    samples = [Sample(grey, frames[n]) for n, grey in shown]
    if len(samples) < len(frames):
        missing = len(frames) - len(samples)
        log.warning("%s: %d annotated frames lie beyond its end, left out", path, missing)
    return samples


def parts_of(rows: Iterable["OfPart"]) -> dict[Path, video.Part]:
    """Return of which parts of their videos tables of annotations are, by their paths."""
    return {path: video.Part(first, last, survey) for path, first, last, survey in rows}


def _by_frame(images: list[coco.Image], annotations: Path) -> dict[int, Wanted]:
    frames: dict[int, Wanted] = {}
    for image in images:
        if image.frame is None or image.frame in frames:
            wrong = "no frame number" if image.frame is None else "a frame a second time"
            raise InputError(
                annotations, f"{wrong} ({image.name})", "each image a frame of the video",
                remedy="Give the folder of the images in place of the video.",
            )  # fmt: skip
        frames[image.frame] = image.wanted
    return frames


def vary(sample: Sample, random: np.random.Generator) -> Sample:
    """Vary a frame as cages, cameras and lamps do: mirrored, scaled and shifted a little, in other
    light, out of focus, with noise.

    The boxes follow; the frame keeps its shape.
    """
    height, width = sample.grey.shape
    scale = random.uniform(0.93, 1.07)
    x, y = random.uniform(-0.03, 0.03, 2) + (1 - scale) / 2
    matrix = np.array([[scale, 0, x * width], [0, scale, y * height]])
    if random.random() < 0.5:
        matrix[0] = [-scale, 0, width - matrix[0, 2]]
    grey = cv2.warpAffine(
        sample.grey.astype(np.float32), matrix, (width, height), borderMode=cv2.BORDER_REFLECT_101
    )
    mean = grey.mean()
    grey = (grey - mean) * random.uniform(0.75, 1.33) + mean * random.uniform(0.75, 1.33)
    if random.random() < 0.3:
        grey = cv2.GaussianBlur(grey, (0, 0), random.uniform(0.3, 1.2) * width / 320)
    if random.random() < 0.3:
        grey = grey + random.normal(0, random.uniform(0, 6), grey.shape)
    grey = np.clip(np.rint(grey), 0, 255).astype(np.uint8)
    return Sample(grey, _moved(sample.wanted, matrix, width, height))


def _moved(old: Wanted, matrix: NDArray[np.float64], width: int, height: int) -> Wanted:
    """Move boxes along with their frame, cut at its edges."""
    ends = np.stack([old.boxes[:, :2], old.boxes[:, :2] + old.boxes[:, 2:]])
    # OpenCV's matrix maps pixel centres, half a pixel from the corners that boxes are measured at.
    ends = (ends - 0.5) * matrix[[0, 1], [0, 1]] + matrix[:, 2] + 0.5
    low = np.clip(ends.min(axis=0), 0, [width, height])
    high = np.clip(ends.max(axis=0), 0, [width, height])
    kept = (high - low >= MIN_SIDE).all(axis=1)
    boxes = np.concatenate([low, high - low], axis=1).astype(np.float32)[kept]
    return Wanted(boxes, old.labels[kept], old.difficult[kept])


def batches(
    samples: list[Sample], size: int, seed: int, steps: Iterable[int], varied: bool = True
) -> Iterator[list[Sample]]:
    """Yield the batch of each step: every sample once in an epoch, in an order drawn anew for each.

    A batch depends on nothing but seed and step, so that training may stop and go on anywhere.
    """
    orders: Mapping[int, NDArray[np.int64]] = {}
    for step in steps:
        random = np.random.default_rng([seed, 1, step])
        batch = []
        for place in range(step * size, (step + 1) * size):
            epoch, within = divmod(place, len(samples))
            if epoch not in orders:
                orders = {epoch: np.random.default_rng([seed, 0, epoch]).permutation(len(samples))}
            sample = samples[orders[epoch][within]]
            batch.append(vary(sample, random) if varied else sample)
        yield batch
