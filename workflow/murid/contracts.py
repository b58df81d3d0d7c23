"""The contracts between the stages: what each table must be, and the words that it may hold.

Frames are 0-based from the segment's start (seconds = frame / fps); boxes are ``x, y, w, h`` with
the top-left corner first, in pixels of the raw frame; antennas are numbered from 1 as on the rig.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

BOX = ["x", "y", "w", "h"]
LABELS = ("mouse", "tunnel")
ANNOTATION_TYPES = ("single", "huddle", "tentative", "empty")
VISIBILITIES = ("clear", "truncated", "marginal")
TUNNEL = "tunnel"
"""The identity that stands for the tunnel in ``annotations``."""
KINDS = ("box", "hidden")
"""What a row of ``identities`` says of an animal."""
MOMENTS = ("most_confident", "least_confident", "disagreement")
"""What a stretch of a segment may be shown as in a clip."""
STATUSES = ("usable", "repaired", "discarded", "failed")
"""What a segment may be fit for, from best to worst. ``discarded`` is the fault of the data,
``failed`` says that a stage could not do its work."""
UNUSABLE = ("discarded", "failed")
"""Those of which the tables are empty."""
NOBODY = "nobody"
"""The name, in ``stretches``, of what is no animal."""
CONFIDENCE_EDGES = np.unique(
    np.concatenate(
        [np.linspace(0, 0.9, 19), *(1 - np.linspace(0.1, 0.01, 10) / 10**n for n in range(3)), [1]]
    ).round(6)
).astype(np.float32)
"""Borders of the bins of ``reliability``, ``edge[bin] <= confidence < edge[bin + 1]`` (the last bin
holds 1 as well): finer and finer towards 1, where most rows are, and all tenths are among them."""
OVERALL_METRICS = ("A_O", "IoU_O", "U_O", "FNR_O", "FPR_O")
DETECTION_METRICS = ("A_GD", "MisID_GD", "FNR_GD", "FPR_GD")
METRICS = OVERALL_METRICS + DETECTION_METRICS
"""The metrics of Section 5.3, overall and given detections, in the paper's order."""


@dataclass(frozen=True)
class Contract:
    """What a table must be: its schema, its key, and the values that columns may take."""

    schema: pa.Schema
    key: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    boxes: bool = False
    boxless: tuple[str, str] | None = None
    """Column and value of the rows that have no box, where all others must have one."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def _schema(*fields: tuple[str, pa.DataType, bool, str]) -> pa.Schema:
    """Build a schema from ``(name, type, nullable, unit)``; the unit is kept as field metadata."""
    return pa.schema(
        [pa.field(name, kind, nullable, {"unit": unit}) for name, kind, nullable, unit in fields]
    )


def _box_fields(nullable: bool) -> list[tuple[str, pa.DataType, bool, str]]:
    return [(name, pa.float32(), nullable, "pixels of the raw frame") for name in BOX]


_FRAME = ("frame", pa.int32(), False, "frames from the segment's start")
_SEGMENT = (("cage", pa.string(), False, "name"), ("segment", pa.string(), False, "name"))
_FRAMES = {"frame": (0, 2**31 - 1)}

_MOMENT = (
    ("kind", pa.string(), False, "most_confident, least_confident, disagreement"),
    *_SEGMENT,
    ("first_frame", pa.int32(), False, "frames from the segment's start"),
    ("last_frame", pa.int32(), False, "the same, included"),
    ("score", pa.float64(), False, "mean confidence of the least certain animal; for "
     "disagreement the share of animals whose boxes differ"),
    ("shown", pa.float64(), False, "share of animals that have a box"),
    ("motion", pa.float64(), False, "pixels a frame"),
    ("answered", pa.float64(), False, "share of frames of which every method says something"),
)  # fmt: skip

CONTRACTS: dict[str, Contract] = {
    "detections": Contract(
        _schema(
            _FRAME,
            ("detection", pa.int8(), False, "rank by score within the frame"),
            ("label", pa.string(), False, "mouse, tunnel"),
            *_box_fields(False),
            ("score", pa.float32(), False, "0 to 1"),
        ),
        key=("frame", "detection"),
        choices={"label": LABELS},
        boxes=True,
        ranges={**_FRAMES, "detection": (0, 127), "score": (0.0, 1.0)},
    ),
    "positions": Contract(
        _schema(
            _FRAME,
            ("animal", pa.string(), False, "name"),
            ("antenna", pa.int16(), True, "1-based number on the rig; null = no reading"),
            ("filled", pa.bool_(), False, "whether the reading was missing and filled in"),
        ),
        key=("frame", "animal"),
        ranges={**_FRAMES, "antenna": (1, 2**15 - 1)},
    ),
    "annotations": Contract(
        _schema(
            _FRAME,
            ("object", pa.int16(), False, "number within the frame"),
            ("type", pa.string(), False, "single, huddle, tentative; empty = nothing is visible"),
            ("identities", pa.list_(pa.string()), False, "animals, or 'tunnel'; [] if empty"),
            *_box_fields(True),
            ("visibility", pa.string(), False, "clear, truncated, marginal"),
            ("difficult", pa.bool_(), False, "hard to make out even for a human"),
        ),
        key=("frame", "object"),
        choices={"type": ANNOTATION_TYPES, "visibility": VISIBILITIES},
        boxes=True,
        boxless=("type", "empty"),
        ranges=_FRAMES,
    ),
    "tracklets": Contract(
        _schema(
            _FRAME,
            ("detection", pa.int8(), False, "as in detections"),
            ("tracklet", pa.int32(), False, "number within the segment"),
            *_box_fields(False),
        ),
        key=("frame", "detection"),
        boxes=True,
        ranges={**_FRAMES, "detection": (0, 127), "tracklet": (0, 2**31 - 1)},
    ),
    "identities": Contract(
        _schema(
            _FRAME,
            ("animal", pa.string(), False, "name"),
            ("tracklet", pa.int32(), True, "as in tracklets; null = hidden, or named by itself"),
            ("detection", pa.int8(), True, "as in detections; null = hidden"),
            *_box_fields(True),
            ("confidence", pa.float32(), True, "posterior probability; null = not estimated"),
        ),
        key=("frame", "animal"),
        boxes=True,
        ranges={**_FRAMES, "confidence": (0.0, 1.0)},
    ),
    "posteriors": Contract(
        _schema(
            ("tracklet", pa.int32(), False, "as in tracklets"),
            ("animal", pa.string(), False, "name"),
            ("probability", pa.float32(), False, "that it is the animal; the rest is nobody's"),
        ),
        key=("tracklet", "animal"),
        ranges={"tracklet": (0, 2**31 - 1), "probability": (0.0, 1.0)},
    ),
    "stretches": Contract(
        _schema(
            *_SEGMENT,
            ("first_frame", pa.int32(), False, "frames from the segment's start"),
            ("last_frame", pa.int32(), False, "the same, included"),
            ("seconds", pa.float64(), False, "length"),
            ("candidate", pa.string(), False, "likeliest animal, or 'nobody'"),
            ("probability", pa.float32(), False, "mean over the boxes of its tracklets"),
            ("other", pa.string(), False, "next likeliest animal, or 'nobody'"),
            ("other_probability", pa.float32(), False, "mean over the boxes of its tracklets"),
            ("tracklets", pa.int32(), False, "count"),
        ),
        key=("cage", "segment", "first_frame", "candidate", "other"),
        ranges={
            "first_frame": (0, 2**31 - 1),
            "last_frame": (0, 2**31 - 1),
            "probability": (0.0, 1.0),
            "other_probability": (0.0, 1.0),
        },
    ),
    "moments": Contract(
        _schema(*_MOMENT), key=("kind", "cage", "segment"), choices={"kind": MOMENTS}
    ),
    "clips": Contract(
        _schema(
            *_MOMENT,
            ("speed", pa.float64(), False, "of playing; 1 = as recorded"),
            ("methods", pa.list_(pa.string()), False, "shown, row by row"),
            ("skipped", pa.int32(), False, "segments that no clip could be made of"),
        ),
        key=("kind",),
        choices={"kind": MOMENTS},
    ),
    "transforms": Contract(
        _schema(
            ("rig", pa.string(), False, "name of the rig set-up"),
            ("prototype", pa.bool_(), False, "whether it is the frame of reference"),
            *[
                (f"m{row}{column}", pa.float64(), False, "raw pixels to reference pixels")
                for row in range(2)
                for column in range(3)
            ],
            ("fit_residual", pa.float64(), True, "pixels, root mean square over odd points"),
            ("validation_residual", pa.float64(), True, "pixels, root mean square, even points"),
        ),
        key=("rig",),
    ),
    "calibration_points": Contract(
        _schema(
            ("rig", pa.string(), False, "name of the rig set-up"),
            ("antenna", pa.int16(), False, "1-based number of the point"),
            ("x", pa.float64(), False, "pixels of the raw frame"),
            ("y", pa.float64(), False, "pixels of the raw frame"),
            ("reference_x", pa.float64(), False, "pixels of the frame of reference"),
            ("reference_y", pa.float64(), False, "pixels of the frame of reference"),
        ),
        key=("rig", "antenna"),
        ranges={"antenna": (1, 2**15 - 1)},
    ),
    "calibration_residuals": Contract(
        _schema(
            ("rig", pa.string(), False, "name of the rig set-up, mapped to the prototype"),
            ("transform", pa.string(), False, "translation, similarity, affine, homography"),
            ("used", pa.bool_(), False, "whether it is the kind that boxes are mapped by"),
            ("fit_residual", pa.float64(), True, "pixels, root mean square over odd points"),
            ("validation_residual", pa.float64(), True, "pixels, root mean square, even points"),
        ),
        key=("rig", "transform"),
        choices={"transform": ("translation", "similarity", "affine", "homography")},
    ),
    "animal_outcomes": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("snippet", pa.int16(), False, "number of the evaluated stretch within the segment"),
            _FRAME,
            ("animal", pa.string(), False, "name"),
            ("method", pa.string(), False, "identifier"),
            ("visible", pa.bool_(), False, "whether the annotation shows it"),
            ("assigned", pa.bool_(), False, "whether the method gave it a box"),
            ("iou", pa.float32(), False, "0 to 1; 0 if either box is missing"),
            ("correct", pa.bool_(), False, "covered above the threshold, or rightly hidden"),
            ("uncovered", pa.bool_(), False, "visible, but its box covers it below the threshold"),
            ("difficult", pa.bool_(), False, "as annotated"),
            ("confidence", pa.float32(), True, "as in identities"),
        ),
        key=("cage", "segment", "frame", "animal", "method"),
        ranges={**_FRAMES, "iou": (0.0, 1.0)},
    ),
    "detection_outcomes": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("snippet", pa.int16(), False, "number of the evaluated stretch within the segment"),
            _FRAME,
            ("detection", pa.int8(), False, "as in detections"),
            ("method", pa.string(), False, "identifier"),
            ("identity", pa.string(), True, "animal named by the method; null = none"),
            ("oracle", pa.string(), True, "animal that the oracle names; null = none"),
        ),
        key=("cage", "segment", "frame", "detection", "method"),
        ranges=_FRAMES,
    ),
    "summaries": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("status", pa.string(), False, "usable, repaired, discarded, failed"),
            ("reason", pa.string(), False, "why, if not usable"),
            ("animals", pa.list_(pa.string()), False, "names, sorted"),
            (
                "frames",
                pa.int32(),
                False,
                "frames with positions, or that were found of a discarded segment",
            ),
            ("fps", pa.float64(), False, "frames per second"),
            ("detections", pa.int32(), False, "count of mouse detections"),
            ("tracklets", pa.int32(), False, "count"),
            ("method", pa.string(), False, "identifier whose table is the answer"),
            ("identified", pa.float64(), True, "its share of frame-animals that have a box"),
            ("annotated_frames", pa.int32(), False, "count"),
            ("evaluated_frames", pa.int32(), False, "count"),
        ),
        key=("cage", "segment"),
        choices={"status": STATUSES},
    ),
    "counts": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("snippet", pa.int16(), False, "number of the evaluated stretch within the segment"),
            ("method", pa.string(), False, "identifier"),
            ("metric", pa.string(), False, "name as in metrics.csv"),
            ("count", pa.float64(), False, "count, or sum of IoU"),
            ("normaliser", pa.int64(), False, "count"),
        ),
        key=("cage", "segment", "snippet", "method", "metric"),
        choices={"metric": METRICS},
    ),
    "reliability": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("snippet", pa.int16(), False, "number of the evaluated stretch within the segment"),
            ("method", pa.string(), False, "identifier"),
            ("kind", pa.string(), False, "box, hidden: what the rows say of the animal"),
            ("bin", pa.int16(), False, "number of the confidence's bin, from 0"),
            ("rows", pa.int64(), False, "count of animals times frames"),
            ("right", pa.int64(), False, "count of those that are correct"),
            ("confidence", pa.float64(), False, "sum over the rows"),
        ),
        key=("cage", "segment", "snippet", "method", "kind", "bin"),
        choices={"kind": KINDS},
        ranges={"bin": (0, len(CONFIDENCE_EDGES) - 2)},
    ),
    "metrics": Contract(
        _schema(
            ("split", pa.string(), False, "Train, Validate, Test, or Tune = Train + Validate"),
            ("method", pa.string(), False, "identifier"),
            ("group", pa.string(), False, "'all' or a cage"),
            ("metric", pa.string(), False, "name, Section 5.3"),
            ("count", pa.float64(), False, "count, or sum of IoU"),
            ("normaliser", pa.int64(), False, "count"),
            ("value", pa.float64(), True, "count / normaliser; null where nothing counts"),
        ),
        key=("split", "method", "group", "metric"),
        choices={"metric": METRICS},
    ),
    "detector_validation": Contract(
        _schema(
            ("split", pa.string(), False, "Train, Validate, Test"),
            ("label", pa.string(), False, "mouse, tunnel"),
            ("images", pa.int32(), False, "annotated frames"),
            ("annotations", pa.int32(), False, "boxes to find"),
            ("AP", pa.float64(), False, "average precision, mean over IoU 0.5 to 0.95 (COCO)"),
            ("AP50", pa.float64(), False, "average precision at IoU 0.5"),
            ("AP75", pa.float64(), False, "average precision at IoU 0.75"),
            ("recall", pa.float64(), False, "share of the boxes to find that are found, IoU 0.5"),
            ("precision80", pa.float64(), False, "share of the well-scored boxes right at IoU 0.8"),
        ),
        key=("split", "label"),
        choices={"label": LABELS},
    ),
    "detector_metrics": Contract(
        _schema(
            ("split", pa.string(), False, "Train, Validate, Test"),
            ("label", pa.string(), False, "mouse, tunnel"),
            ("iou", pa.float64(), False, "threshold of a match"),
            ("images", pa.int32(), False, "annotated frames"),
            ("annotations", pa.int32(), False, "boxes to find"),
            ("detections", pa.int32(), False, "boxes found"),
            ("matched", pa.int32(), False, "boxes found that match"),
            ("precision", pa.float64(), True, "matched / detections"),
            ("recall", pa.float64(), True, "matched / annotations"),
            ("average_precision", pa.float64(), True, "area under precision against recall"),
        ),
        key=("split", "label", "iou"),
        choices={"label": LABELS},
    ),
}
"""Every table of murid by name."""
