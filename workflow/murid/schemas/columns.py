"""Columns that several tables have."""

from murid.schemas.contract import (
    DOUBLE,
    FLOAT,
    INT16,
    INT32,
    INT64,
    MOMENT,
    TEXT,
    TEXTS,
    TRUTH,
    Column,
)
from murid.schemas.words import BOX, LABELS, METRICS, MOMENTS, PERIODS

BOXES, BOX_OR_NONE = (
    tuple(Column(name, FLOAT, "pixels of the raw frame", nullable) for name in BOX)
    for nullable in (False, True)
)
SOURCES = (
    Column("source_track", TEXT, "name of its track in another tool's file; null = none", True,
           optional=True),
    Column("source_row", INT32, "where it stands there, as its format counts", optional=True),
)  # fmt: skip
FRAME = Column("frame", INT32, "frames from the segment's start", least=0)
STRETCH = (
    Column("first_frame", INT32, "frames from the segment's start", least=0),
    Column("last_frame", INT32, "the same, included", least=0),
)
ANIMAL = Column("animal", TEXT, "name")
METHOD = Column("method", TEXT, "identifier")
SEGMENT = (Column("cage", TEXT, "name"), Column("segment", TEXT, "name"))
SEGMENT_OF_SPLIT = (*SEGMENT, Column("split", TEXT, "Train, Validate, Test or empty"))
SNIPPET = (
    *SEGMENT_OF_SPLIT,
    Column("snippet", INT16, "number of the evaluated stretch within the segment"),
)
STRETCH_SHOWN = (
    Column("kind", TEXT, choices=MOMENTS),
    *SEGMENT,
    *STRETCH,
    Column("score", DOUBLE, "mean confidence of the least certain animal; for disagreement the "
           "share of animals whose boxes differ"),
    Column("shown", DOUBLE, "share of animals that have a box"),
    Column("motion", DOUBLE, "pixels a frame"),
    Column("answered", DOUBLE, "share of frames of which every method says something"),
)  # fmt: skip
RESIDUALS = (
    Column("fit_residual", DOUBLE, "pixels, root mean square over odd points", nullable=True),
    Column("validation_residual", DOUBLE, "pixels, root mean square, even points", nullable=True),
)
LATENESS = (
    *SEGMENT,
    Column(
        "begins",
        MOMENT,
        "when its first frame was taken, by the clock of the video; null = not "
        "known, of a segment that is discarded",
        nullable=True,
    ),
    Column("seconds", DOUBLE, "length; null = not known", nullable=True),
    Column("late", DOUBLE, "seconds by which readings run late, by its boxes", nullable=True),
    Column("spread", DOUBLE, "seconds, standard error", nullable=True),
    Column("certain", TRUTH, "whether that is beyond chance"),
    Column("logs", TEXTS, "names of the logs that serve it"),
    Column("lag", DOUBLE, "seconds that are the system's; null = not known", nullable=True),
)
PERIOD = (
    *SEGMENT,
    Column("period", TEXT, choices=PERIODS),
    Column("start", INT32, "seconds from the segment's start at which it begins", least=0),
    Column("time", MOMENT, "the same as UTC; null = not known", nullable=True),
    Column("local", TEXT, "the same by the clock of readings.zone; empty = not known"),
    Column("seconds", DOUBLE, "how much of the period the segment holds"),
    ANIMAL,
)
STATES = (
    Column("seen", DOUBLE, "share of the time in which a box shows it", share=True),
    Column("inferred", DOUBLE, "share in which its place is inferred", share=True),
    Column("unknown", DOUBLE, "share in which nothing is known", share=True),
)


def figure(name: str, unit: str) -> tuple[Column, ...]:
    """Return the columns of a figure, and of the ends of its 90 % interval."""
    ends = ((f"{name}_low", "5 % quantile"), (f"{name}_high", "95 % quantile"))
    return (
        Column(name, DOUBLE, f"{unit}; null = not known", nullable=True),
        *(Column(end, DOUBLE, f"{what}, {unit}", nullable=True) for end, what in ends),
    )


ASSESSED = (Column("split", TEXT, "Train, Validate, Test"), Column("label", TEXT, choices=LABELS))
METRIC = (
    Column("metric", TEXT, "name as in metrics.csv", choices=METRICS),
    Column("count", DOUBLE, "count, or sum of IoU"),
    Column("normaliser", INT64, "count"),
)
