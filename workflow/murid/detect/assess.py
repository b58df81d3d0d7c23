"""How good detections are: precision, recall and average precision against annotations.

As the COCO protocol has it: in a frame the best-scoring box chooses first, and takes the annotation
that it overlaps most, if by the threshold at least; a difficult annotation is not asked for, and a
box that matches nothing but a difficult one is not counted at all.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import boxes, schemas, tables
from murid.truth import unambiguous_frames

USUAL = 0.5
"""IoU of a match, as detectors are usually measured."""
_RECALLS = np.linspace(0, 1, 101)


class Scene(NamedTuple):
    """One label in one frame: what was detected, and what is annotated."""

    scores: NDArray[np.float64]
    """Shape (n,), of the boxes detected."""
    overlaps: NDArray[np.float64]
    """Shape (n, m), IoU of each box detected with each annotation."""
    difficult: NDArray[np.bool_]
    """Shape (m,), which annotations are not asked for."""


@dataclass(frozen=True)
class Assessment:
    """What counts at one threshold."""

    wanted: int
    """Annotations that are asked for."""
    scores: NDArray[np.float64]
    """Shape (n,), of the boxes that count."""
    matched: NDArray[np.bool_]
    """Shape (n,), which of them match an annotation."""

    @property
    def precision(self) -> float:
        """Share of the boxes that match; NaN without boxes."""
        return float(self.matched.mean()) if len(self.matched) else float("nan")

    @property
    def recall(self) -> float:
        """Share of the annotations that are matched; NaN without annotations."""
        return float(self.matched.sum() / self.wanted) if self.wanted else float("nan")

    @property
    def average_precision(self) -> float:
        """Area under precision against recall, over COCO's 101 points; NaN without annotations.

        Precision at a recall is the best that is reached at that recall or above.
        """
        if not self.wanted:
            return float("nan")
        hits = np.cumsum(self.matched[np.argsort(-self.scores, kind="stable")])
        precision = hits / np.arange(1, len(hits) + 1)
        envelope = np.maximum.accumulate(precision[::-1])[::-1]
        reached = np.searchsorted(hits / self.wanted, _RECALLS, side="left")
        return float(np.append(envelope, 0.0)[np.minimum(reached, len(hits))].mean())


def scene(detected: ArrayLike, scores: ArrayLike, wanted: ArrayLike, difficult: ArrayLike) -> Scene:
    """Compare the boxes of a frame: (n, 4) detected, (n,) scores, (m, 4) wanted, (m,) difficult."""
    overlaps = boxes.iou(detected, wanted)
    return Scene(np.asarray(scores, np.float64), overlaps, np.asarray(difficult, np.bool_))


def assess(scenes: Iterable[Scene], threshold: float) -> Assessment:
    """Match boxes to annotations, frame by frame, and count.

    Parameters
    ----------
    scenes
        One a frame.
    threshold
        IoU that a match needs at least.

    Examples
    --------
    >>> two = scene([[0, 0, 9, 9], [20, 0, 9, 9]], [0.9, 0.8], [[0, 0, 9, 9]], [False])
    >>> result = assess([two], 0.5)
    >>> result.precision, result.recall, result.average_precision
    (0.5, 1.0, 1.0)
    """
    wanted = 0
    scores: list[float] = []
    matched: list[bool] = []
    for one in scenes:
        wanted += int((~one.difficult).sum())
        free = np.ones(len(one.difficult), dtype=bool)
        for box in np.argsort(-one.scores, kind="stable"):
            near = free & (one.overlaps[box] >= threshold)
            # Difficult ones only where nothing else is left.
            choice = near & ~one.difficult if (near & ~one.difficult).any() else near
            if choice.any():
                taken = int(np.argmax(np.where(choice, one.overlaps[box], -1.0)))
                free[taken] = False
                if one.difficult[taken]:
                    continue
            scores.append(float(one.scores[box]))
            matched.append(bool(choice.any()))
    return Assessment(wanted, np.array(scores), np.array(matched, dtype=bool))


def is_tunnel(annotations: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which annotations show the tunnel; the others that have a box show mice."""
    return np.array(
        [list(who) == [schemas.TUNNEL] for who in annotations["identities"]], dtype=bool
    )


def scenes_of(detections: pd.DataFrame, annotations: pd.DataFrame, label: str) -> Iterator[Scene]:
    """Yield the scenes of a segment, one for each annotated frame that is beyond doubt."""
    frames = unambiguous_frames(annotations)
    shown = annotations[annotations["type"] != "empty"]
    shown = shown[is_tunnel(shown) == (label == "tunnel")]
    wanted = dict(list(shown.groupby("frame")))
    detected = dict(list(detections[detections["label"] == label].groupby("frame")))
    for frame in frames:
        a = wanted.get(frame, shown.iloc[:0])
        d = detected.get(frame, detections.iloc[:0])
        yield scene(d[schemas.BOX], d["score"], a[schemas.BOX], a["difficult"])


def assess_segments(segments: Iterable[tuple[str, Path, Path]], linked: float) -> pd.DataFrame:
    """Assess the detections of several segments.

    Parameters
    ----------
    segments
        Split, table of detections and table of annotations of each. Discarded ones are left out.
    linked
        IoU at which the tracker links boxes.

    Returns
    -------
    The table ``detector_metrics``: one row a split, label and threshold: :data:`USUAL` and
    ``linked``.

    Raises
    ------
    InputError
        If a table cannot be read.
    """
    scenes: defaultdict[tuple[str, str], list[Scene]] = defaultdict(list)
    for split, detections_path, annotations_path in segments:
        if tables.read_verdict(detections_path, annotations_path).discarded:
            continue
        detections = tables.read(detections_path, "detections")
        annotations = tables.read(annotations_path, "annotations")
        for label in schemas.LABELS:
            scenes[split, label] += scenes_of(detections, annotations, label)
    rows = []
    for (split, label), several in sorted(scenes.items()):
        for threshold in sorted({USUAL, linked}):
            result = assess(several, threshold)
            rows.append(
                {
                    "split": split,
                    "label": label,
                    "iou": threshold,
                    "images": len(several),
                    "annotations": result.wanted,
                    "detections": len(result.matched),
                    "matched": int(result.matched.sum()),
                    "precision": result.precision,
                    "recall": result.recall,
                    "average_precision": result.average_precision,
                }
            )
    columns = schemas.CONTRACTS["detector_metrics"].schema.names
    return pd.DataFrame(rows, columns=columns)
