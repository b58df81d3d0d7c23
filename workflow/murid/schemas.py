"""The contracts between the stages: what each table must be, and the words that it may hold.

Frames are 0-based from the segment's start (seconds = frame / fps); boxes are ``x, y, w, h`` with
the top-left corner first, in pixels of the raw frame; antennas are numbered from 1 as on the rig.
"""

import functools
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

BOX = ["x", "y", "w", "h"]
SOURCE = ("source_track", "source_row")
"""Where in the file of another tool a box comes from."""
LABELS = ("mouse", "tunnel")
ANNOTATION_TYPES = ("single", "huddle", "tentative", "empty")
VISIBILITIES = ("clear", "truncated", "marginal")
TUNNEL = "tunnel"
"""The identity that stands for the tunnel in ``annotations``."""
KINDS = ("box", "hidden")
"""What a row of ``identities`` says of an animal."""
MOMENTS = ("most_confident", "least_confident", "disagreement")
"""What a stretch of a segment may be shown as in a clip."""
MISSED = ("animal", "box")
"""What may go without a name: an animal that is seen in a frame, and a box."""
CAUSES = ("kept", "detector", "tracker", "nobody", "another")
"""What becomes of them."""
STATUSES = ("usable", "repaired", "discarded", "failed")
"""What a segment may be fit for, from best to worst. ``discarded`` is the fault of the data,
``failed`` says that a stage could not do its work."""
UNUSABLE = ("discarded", "failed")
"""Those of which the tables are empty."""
NOBODY = "nobody"
"""The name, in ``stretches`` and ``corrections``, of what is no animal."""
HEALTH = (
    "log", "failed_clock", "dead_antenna", "silent_tag", "missing_hours", "silent_antenna",
    "unknown_tag", "foreign_tag", "frames_missing", "clock_offset", "clock_drift", "unread",
    "ghost_reads", "antennas_read", "tags_read", "reads", "stretches",
)  # fmt: skip
"""What is told of the antennas, tags, logs and clocks of a cage, the worst first; the last four
tell how much of it was checked, and of them ``reads`` day by day."""
ALERTS = (
    "failed", "discarded", "failed_page", "log", "silent_antenna", "silent_tag", "missing_hours",
    "missing_frames", "low_coverage", "falling_coverage", "low_confidence", "falling_confidence",
    "fewer_boxes", "fewer_reads", "unread", "clock_offset", "clock_drift", "unknown_tag",
    "ghost_reads",
)  # fmt: skip
"""What may be worse than its limit, the worst first; all but ``failed_page`` and ``log`` are limits
of the settings."""
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
class Column:
    """What a column of a table must be.

    Attributes
    ----------
    name, type
        As in the schema.
    unit
        Unit and meaning, kept as metadata of the field; by default the values that it may take.
    nullable
        Whether a value may be missing.
    choices
        All values that it may take, of a column of text.
    least, most
        Its smallest and largest value, of a column of whole numbers; the latter is by default the
        largest that there is room for.
    share
        Whether values are from 0 to 1.
    optional
        Whether a table may do without it.
    """

    name: str
    type: pa.DataType
    unit: str = ""
    nullable: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    share: bool = False
    optional: bool = False

    @property
    def field(self) -> pa.Field:
        """The field of the schema."""
        unit = self.unit or ", ".join(self.choices)
        return pa.field(self.name, self.type, self.nullable, {"unit": unit})

    @property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest value, if there are limits."""
        if self.least is not None:
            return self.least, self.most or 2 ** (self.type.bit_width - 1) - 1
        return (0.0, 1.0) if self.share else None


@dataclass(frozen=True)
class Contract:
    """What a table must be: its columns, and those of them that tell its rows apart."""

    key: tuple[str, ...]
    columns: tuple[Column, ...]
    boxless: tuple[str, str] | None = None
    """Column and value of the rows that have no box, where all others must have one."""

    @functools.cached_property
    def schema(self) -> pa.Schema:
        """Names, types and units of the columns that every such table has."""
        return self.schema_of(())

    def schema_of(self, names: Collection[str]) -> pa.Schema:
        """Return the schema of a table with columns of these names, further ones left out."""
        return pa.schema(
            [each.field for each in self.columns if not each.optional or each.name in names]
        )

    @property
    def boxes(self) -> bool:
        """Whether rows have boxes."""
        return set(BOX) <= set(self.schema.names)

    @property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """All values that columns of text may take, by column."""
        return {column.name: column.choices for column in self.columns if column.choices}

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The smallest and the largest value, by column."""
        return {column.name: limits for column in self.columns if (limits := column.range)}


def contract(
    key: tuple[str, ...], *columns: Column, boxless: tuple[str, str] | None = None
) -> Contract:
    """Return the contract of a table with these columns."""
    return Contract(key, columns, boxless)


TEXT, TEXTS, TRUTH = pa.string(), pa.list_(pa.string()), pa.bool_()
INT8, INT16, INT32, INT64 = pa.int8(), pa.int16(), pa.int32(), pa.int64()
FLOAT, DOUBLE = pa.float32(), pa.float64()
MOMENT = pa.timestamp("us", "UTC")
REPEATED = pa.dictionary(pa.int32(), TEXT)
"""Text of which there are few values in millions of rows."""

_BOX, _BOX_OR_NONE = (
    tuple(Column(name, FLOAT, "pixels of the raw frame", nullable) for name in BOX)
    for nullable in (False, True)
)
_SOURCE = (
    Column("source_track", TEXT, "name of its track in another tool's file; null = none", True,
           optional=True),
    Column("source_row", INT32, "where it stands there, as its format counts", optional=True),
)  # fmt: skip
_FRAME = Column("frame", INT32, "frames from the segment's start", least=0)
_STRETCH = (
    Column("first_frame", INT32, "frames from the segment's start", least=0),
    Column("last_frame", INT32, "the same, included", least=0),
)
_ANIMAL = Column("animal", TEXT, "name")
_METHOD = Column("method", TEXT, "identifier")
_SEGMENT = (Column("cage", TEXT, "name"), Column("segment", TEXT, "name"))
_SEGMENT_OF_SPLIT = (*_SEGMENT, Column("split", TEXT, "Train, Validate, Test or empty"))
_SNIPPET = (
    *_SEGMENT_OF_SPLIT,
    Column("snippet", INT16, "number of the evaluated stretch within the segment"),
)
_MOMENT = (
    Column("kind", TEXT, choices=MOMENTS),
    *_SEGMENT,
    *_STRETCH,
    Column("score", DOUBLE, "mean confidence of the least certain animal; for disagreement the "
           "share of animals whose boxes differ"),
    Column("shown", DOUBLE, "share of animals that have a box"),
    Column("motion", DOUBLE, "pixels a frame"),
    Column("answered", DOUBLE, "share of frames of which every method says something"),
)  # fmt: skip
_RESIDUALS = (
    Column("fit_residual", DOUBLE, "pixels, root mean square over odd points", nullable=True),
    Column("validation_residual", DOUBLE, "pixels, root mean square, even points", nullable=True),
)
_LATENESS = (
    *_SEGMENT,
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
PERIODS = ("minute", "hour")
"""Of the clock, or from the segment's start where the time of day is not known."""
_PERIOD = (
    *_SEGMENT,
    Column("period", TEXT, choices=PERIODS),
    Column("start", INT32, "seconds from the segment's start at which it begins", least=0),
    Column("time", MOMENT, "the same as UTC; null = not known", nullable=True),
    Column("local", TEXT, "the same by the clock of readings.zone; empty = not known"),
    Column("seconds", DOUBLE, "how much of the period the segment holds"),
    _ANIMAL,
)
_STATES = (
    Column("seen", DOUBLE, "share of the time in which a box shows it", share=True),
    Column("inferred", DOUBLE, "share in which its place is inferred", share=True),
    Column("unknown", DOUBLE, "share in which nothing is known", share=True),
)


def _figure(name: str, unit: str) -> tuple[Column, ...]:
    """Return the columns of a figure, and of the ends of its 90 % interval."""
    ends = ((f"{name}_low", "5 % quantile"), (f"{name}_high", "95 % quantile"))
    return (
        Column(name, DOUBLE, f"{unit}; null = not known", nullable=True),
        *(Column(end, DOUBLE, f"{what}, {unit}", nullable=True) for end, what in ends),
    )


_ASSESSED = (Column("split", TEXT, "Train, Validate, Test"), Column("label", TEXT, choices=LABELS))
_METRIC = (
    Column("metric", TEXT, "name as in metrics.csv", choices=METRICS),
    Column("count", DOUBLE, "count, or sum of IoU"),
    Column("normaliser", INT64, "count"),
)

CONTRACTS: dict[str, Contract] = {
    "detections": contract(
        ("frame", "detection"),
        _FRAME,
        Column("detection", INT8, "rank by score within the frame", least=0),
        Column("label", TEXT, choices=LABELS),
        *_BOX,
        Column("score", FLOAT, "0 to 1", share=True),
        *_SOURCE,
    ),
    "positions": contract(
        ("frame", "animal"),
        _FRAME,
        _ANIMAL,
        Column("antenna", INT16, "1-based number on the rig; null = no reading", True, least=1),
        Column("filled", TRUTH, "whether the reading was missing and filled in"),
    ),
    "readings": contract(
        (),
        Column("time", MOMENT, "when it was read, by the clock of the log, as UTC"),
        Column("tag", REPEATED, "as it was read, in capitals"),
        Column("antenna", REPEATED, "number or name that the system gives it"),
        Column("duration", FLOAT, "seconds; null = not told", nullable=True),
    ),
    "key_frames": contract(
        ("time",),
        Column("time", INT64, "timestamp, ticks of the video"),
        Column("before", INT64, "that of the frame shown before"),
        Column("after", INT64, "that of the frame shown after"),
    ),
    "lateness": contract(("cage", "segment"), *_LATENESS),
    "clocks": contract(
        ("cage", "segment"),
        *_LATENESS,
        Column("used", DOUBLE, "seconds by which they are taken to run late", nullable=True),
        Column(
            "source",
            TEXT,
            "line of the day, the segment's own, or nothing known",
            choices=("line", "own", "none"),
        ),
        Column("drift", DOUBLE, "parts per million by which that grows over the day"),
        Column("line_segments", INT64, "segments that the line stands on; 0 = there is none"),
        Column("line_spread", DOUBLE, "seconds, standard error of the line", nullable=True),
        Column("drift_spread", DOUBLE, "parts per million, standard error", nullable=True),
    ),
    "reads": contract(
        ("cage", "hour", "antenna"),
        Column("cage", TEXT, "name"),
        Column("hour", MOMENT, "when it begins, by the clock of the logs, as UTC"),
        Column("antenna", TEXT, "number or name that the system gives it"),
        Column("count", INT64, "reads of the cage's animals; hours without any have no row"),
    ),
    "health": contract(
        ("cage", "day", "kind", "subject", "log", "since"),
        Column("cage", TEXT, "name"),
        Column("day", TEXT, "date by the zone of the logs; empty = not known, or all of them"),
        Column("kind", TEXT, choices=HEALTH),
        Column("subject", TEXT, "antenna, animal, tag, segment or log; empty = the whole cage"),
        Column("log", TEXT, "log that it is of, whichever cages that serves; empty = of the cage"),
        Column("since", MOMENT, "by the clock of the logs, as UTC; null = the day", nullable=True),
        Column("until", MOMENT, "the same; null = the day, or it goes on", nullable=True),
        Column(
            "value",
            DOUBLE,
            "hours of silences and of missing hours; count of reads, frames, antennas, tags or "
            "stretches; s of clock_offset; parts per million of clock_drift; share of the frames "
            "of unread; null = not known",
            nullable=True,
        ),
        Column(
            "out_of",
            DOUBLE,
            "of how many reads, frames, antennas or tags that is; hours of reads; stretches that "
            "are needed; null = of none, or not known",
            nullable=True,
        ),
        Column("finding", TRUTH, "whether it is out of the ordinary, for somebody to see to"),
        Column("remark", TEXT, "in words"),
    ),
    "annotations": contract(
        ("frame", "object"),
        _FRAME,
        Column("object", INT16, "number within the frame"),
        Column(
            "type",
            TEXT,
            "single, huddle, tentative; empty = nothing is visible",
            choices=ANNOTATION_TYPES,
        ),
        Column("identities", TEXTS, "animals, or 'tunnel'; [] if empty"),
        *_BOX_OR_NONE,
        Column("visibility", TEXT, choices=VISIBILITIES),
        Column("difficult", TRUTH, "hard to make out even for a human"),
        boxless=("type", "empty"),
    ),
    "tracklets": contract(
        ("frame", "detection"),
        _FRAME,
        Column("detection", INT8, "as in detections", least=0),
        Column("tracklet", INT32, "number within the segment", least=0),
        *_BOX,
        *_SOURCE,
    ),
    "corrections": contract(
        ("number",),
        *_SEGMENT,
        Column("number", INT32, "among those of the segment, from 1", least=1),
        _FRAME,
        *_BOX_OR_NONE,
        Column("tracklet", INT32, "as in tracklets; null = the box tells which", True, least=0),
        Column("animal", TEXT, "name, or 'nobody'"),
        Column("who", TEXT, "who says so; empty = not told"),
        Column("when", TEXT, "as it was written; empty = not told"),
        Column("remark", TEXT, "as it was written"),
        Column("file", TEXT, "name of the file that it stands in; its path if two have that name"),
        Column(
            "line", INT32, "in the file, of which the header is line 1, as it was read", least=2
        ),
    ),
    "identities": contract(
        ("frame", "animal"),
        _FRAME,
        _ANIMAL,
        Column("tracklet", INT32, "as in tracklets; null = hidden, or named by itself", True),
        Column("detection", INT8, "as in detections; null = hidden", nullable=True),
        *_BOX_OR_NONE,
        Column(
            "confidence",
            FLOAT,
            "probability that the row is right; null = not estimated",
            nullable=True,
            share=True,
        ),
    ),
    "posteriors": contract(
        ("tracklet", "animal"),
        Column("tracklet", INT32, "as in tracklets", least=0),
        _ANIMAL,
        Column("probability", FLOAT, "that it is the animal; the rest is nobody's", share=True),
    ),
    "draws": contract(
        ("draw", "tracklet", "first_frame"),
        Column("draw", INT16, "number of the assignment that was drawn, from 0", least=0),
        Column("tracklet", INT64, "as in tracklets", least=0),
        *_STRETCH,
        replace(_ANIMAL, unit="name; null = nobody", nullable=True),
    ),
    "places": contract(
        ("frame", "animal"),
        _FRAME,
        _ANIMAL,
        Column("state", TEXT, choices=("seen", "inferred", "unknown")),
        Column("x", FLOAT, "centre, pixels of the raw frame; null = unknown", nullable=True),
        Column("y", FLOAT, "centre, pixels of the raw frame; null = unknown", nullable=True),
        Column(
            "major",
            FLOAT,
            "pixels: half the longer axis of the ellipse that holds it in 90 %"
            " of cases; null = seen or unknown",
            nullable=True,
        ),
        Column("minor", FLOAT, "pixels: the same of the shorter axis", nullable=True),
        Column("angle", FLOAT, "degrees from the x to the longer axis, towards y", nullable=True),
    ),
    "seconds": contract(
        ("second", "animal"),
        Column("second", INT32, "seconds from the segment's start", least=0),
        Column("time", MOMENT, "the same as UTC; null = not known", nullable=True),
        _ANIMAL,
        Column("frames", INT32, "frames of that second", least=1),
        *_STATES,
        Column("x", FLOAT, "mean centre, pixels of the frame of reference", nullable=True),
        Column("y", FLOAT, "the same", nullable=True),
        Column("antenna", INT16, "that reads it most; null = none", nullable=True, least=1),
        Column("distance", FLOAT, "way of its centre in the picture, pixels", nullable=True),
        Column("distance_cm", FLOAT, "the same; null = the rig's scale is not known", True),
        Column("height", FLOAT, "mean height of its boxes, pixels; null = not seen", True),
        Column("zone", TEXT, "where it is longest; empty = in none"),
    ),
    "animal_figures": contract(
        ("cage", "segment", "period", "start", "animal"),
        *_PERIOD,
        *_STATES,
        *_figure("distance", "way of its centre in the picture, pixels"),
        *_figure("distance_cm", "the same in centimetres at the animal's depth"),
        *_figure("speed", "distance a second, pixels"),
        *_figure("rearing", "share of the time in which it is seen"),
        *_figure("resting", "share of the time in which its place is known"),
        *_figure("huddled", "share of that in which it rests in contact with another that rests"),
    ),
    "zone_figures": contract(
        ("cage", "segment", "period", "start", "animal", "zone"),
        *_PERIOD,
        Column("zone", TEXT, "name"),
        Column("known", DOUBLE, "share of the time in which its place is known", share=True),
        *_figure("inside", "share of that in which its centre is in the zone"),
    ),
    "pair_figures": contract(
        ("cage", "segment", "period", "start", "animal", "other"),
        *_PERIOD,
        Column("other", TEXT, "name, after that of the animal"),
        Column("known", DOUBLE, "share of the time in which both places are known", share=True),
        *_figure("apart", "mean distance of their centres in the picture, pixels"),
        *_figure("apart_cm", "the same in centimetres at the first's depth"),
        *_figure("contact", "share of that time in which their boxes touch"),
    ),
    "tracklet_names": contract(
        ("cage", "segment", "tracklet"),
        *_SEGMENT,
        Column("tracklet", INT32, "as in tracklets", least=0),
        *_STRETCH,
        Column("boxes", INT32, "count", least=1),
        Column("animal", TEXT, "likeliest animal, or 'nobody'"),
        Column("probability", FLOAT, "that it is; null = not estimated", True, share=True),
        *_SOURCE,
    ),
    "stretches": contract(
        ("cage", "segment", "first_frame", "candidate", "other"),
        *_SEGMENT,
        *_STRETCH,
        Column("seconds", DOUBLE, "length"),
        Column("candidate", TEXT, "likeliest animal, or 'nobody'"),
        Column("probability", FLOAT, "mean over the boxes of its tracklets", share=True),
        Column("other", TEXT, "next likeliest animal, or 'nobody'"),
        Column("other_probability", FLOAT, "mean over the boxes of its tracklets", share=True),
        Column("tracklets", INT32, "count"),
    ),
    "questions": contract(
        ("cage", "segment", "question", "animal"),
        *_SEGMENT,
        Column("question", INT16, "number within the segment, from 0, the best first", least=0),
        _FRAME,
        Column("tracklet", INT32, "as in tracklets", least=0),
        *_BOX,
        *_STRETCH,
        Column("gain", DOUBLE, "boxes that an answer is expected to put right"),
        _ANIMAL,
        Column("probability", FLOAT, "that it is the animal; the rest is nobody's", share=True),
    ),
    "moments": contract(("kind", "cage", "segment"), *_MOMENT),
    "clips": contract(
        ("kind",),
        *_MOMENT,
        Column("speed", DOUBLE, "of playing; 1 = as recorded"),
        Column("methods", TEXTS, "shown, row by row"),
        Column("skipped", INT32, "segments that no clip could be made of"),
    ),
    "transforms": contract(
        ("rig",),
        Column("rig", TEXT, "name of the rig set-up"),
        Column("prototype", TRUTH, "whether it is the frame of reference"),
        *(
            Column(f"m{row}{column}", DOUBLE, "raw pixels to reference pixels")
            for row in range(2)
            for column in range(3)
        ),
        *_RESIDUALS,
    ),
    "calibration_points": contract(
        ("rig", "antenna"),
        Column("rig", TEXT, "name of the rig set-up"),
        Column("antenna", INT16, "1-based number of the point", least=1),
        Column("x", DOUBLE, "pixels of the raw frame"),
        Column("y", DOUBLE, "pixels of the raw frame"),
        Column("reference_x", DOUBLE, "pixels of the frame of reference"),
        Column("reference_y", DOUBLE, "pixels of the frame of reference"),
    ),
    "calibration_residuals": contract(
        ("rig", "transform"),
        Column("rig", TEXT, "name of the rig set-up, mapped to the prototype"),
        Column("transform", TEXT, choices=("translation", "similarity", "affine", "homography")),
        Column("used", TRUTH, "whether it is the kind that boxes are mapped by"),
        *_RESIDUALS,
    ),
    "animal_outcomes": contract(
        ("cage", "segment", "frame", "animal", "method"),
        *_SNIPPET,
        _FRAME,
        _ANIMAL,
        _METHOD,
        Column("visible", TRUTH, "whether the annotation shows it"),
        Column("assigned", TRUTH, "whether the method gave it a box"),
        Column("iou", FLOAT, "0 to 1; 0 if either box is missing", share=True),
        Column("correct", TRUTH, "covered above the threshold, or rightly hidden"),
        Column("uncovered", TRUTH, "visible, but its box covers it below the threshold"),
        Column("difficult", TRUTH, "as annotated"),
        Column("confidence", FLOAT, "as in identities", nullable=True),
    ),
    "detection_outcomes": contract(
        ("cage", "segment", "frame", "detection", "method"),
        *_SNIPPET,
        _FRAME,
        Column("detection", INT8, "as in detections"),
        _METHOD,
        Column("identity", TEXT, "animal named by the method; null = none", nullable=True),
        Column("oracle", TEXT, "animal that the oracle names; null = none", nullable=True),
    ),
    "summaries": contract(
        ("cage", "segment"),
        *_SEGMENT_OF_SPLIT,
        Column("status", TEXT, choices=STATUSES),
        Column("reason", TEXT, "why, if not usable"),
        Column("animals", TEXTS, "names, sorted"),
        Column("frames", INT32, "frames with positions, or that were found of a discarded segment"),
        Column("fps", DOUBLE, "frames per second"),
        Column("detections", INT32, "count of mouse detections"),
        Column("tracklets", INT32, "count"),
        Column("method", TEXT, "identifier whose table is the answer"),
        Column("identified", DOUBLE, "its share of frame-animals that have a box", True),
        Column("confidence", DOUBLE, "mean over those; null = not estimated", True, share=True),
        Column("median_confidence", DOUBLE, "median over those; the same", True, share=True),
        Column("unread", DOUBLE, "share of frame-animals without a reading", True, share=True),
        Column("missing_frames", INT32, "of its video; null = not known", True, least=0),
        Column("begins", MOMENT, "when its first frame was taken; null = not known", True),
        Column("annotated_frames", INT32, "count"),
        Column("evaluated_frames", INT32, "count"),
    ),
    "cages": contract(
        ("cage", "day"),
        Column("cage", TEXT, "name"),
        Column("day", TEXT, "date by the zone of the archive; empty = not known"),
        Column("segments", INT32, "that begin on it"),
        Column("usable", INT32, "of these, repaired ones included"),
        Column("discarded", INT32, "the same"),
        Column("failed", INT32, "the same"),
        Column("hours", DOUBLE, "of video"),
        Column("coverage", DOUBLE, "share of the animals' time in which they are named", True),
        Column("confidence", DOUBLE, "mean probability of the names of boxes", True),
        Column("median_confidence", DOUBLE, "median of the segments' medians, by boxes", True),
        Column("boxes_per_frame", DOUBLE, "mice that are detected", True),
        Column("missing_frames", DOUBLE, "count, of usable segments; null = not known", True),
        Column("reads_per_hour", DOUBLE, "in hours with reads; null = no log", True),
        Column("unread", DOUBLE, "share of the animals' time without a reading", True),
        Column("dead_antennas", TEXT, "not read any more, with commas"),
        Column("silent_antennas", TEXT, "not read for a while, with commas"),
        Column("silent_tags", TEXT, "animals whose tags are not read, with commas"),
        Column("ghost_reads", DOUBLE, "reads of misread tags in its logs; null = no log", True),
        Column(
            "clock_offset", DOUBLE, "s, of the log that is most off, before it is put right", True
        ),
        Column("clock_drift", DOUBLE, "parts per million, of the log that drifts most", True),
        Column("missing_hours", DOUBLE, "without a read while it was filmed; null = no log", True),
        Column("worst_reason", TEXT, "verdict and reason of the worst segments"),
    ),
    "alerts": contract(
        (),
        Column("cage", TEXT, "name; several, with commas, of a log that serves them"),
        Column("day", TEXT, "on which it began, by the zone of the archive; empty = not known"),
        Column("last_day", TEXT, "on which it was so; the same"),
        Column("time", TEXT, "when it began, by the same zone; empty = not told"),
        Column("what", TEXT, choices=ALERTS),
        Column("subject", TEXT, "segments, antenna, animal, tags or log; empty = the cage"),
        Column("value", DOUBLE, "what was found, as the settings of the limit have it", True),
        Column("limit", DOUBLE, "beyond which it is told", True),
        Column("words", TEXT, "a sentence"),
    ),
    "counts": contract(
        ("cage", "segment", "snippet", "method", "metric"), *_SNIPPET, _METHOD, *_METRIC
    ),
    "reliability": contract(
        ("cage", "segment", "snippet", "method", "kind", "bin"),
        *_SNIPPET,
        _METHOD,
        Column("kind", TEXT, "box, hidden: what the rows say of the animal", choices=KINDS),
        Column(
            "bin",
            INT16,
            "number of the confidence's bin, from 0",
            least=0,
            most=len(CONFIDENCE_EDGES) - 2,
        ),
        Column("rows", INT64, "count of animals times frames"),
        Column("right", INT64, "count of those that are correct"),
        Column("confidence", DOUBLE, "sum over the rows"),
    ),
    "missed": contract(
        ("cage", "segment", "kind", "cause"),
        *_SEGMENT,
        Column("kind", TEXT, choices=MISSED),
        Column("cause", TEXT, choices=CAUSES),
        Column("count", INT64, "count"),
    ),
    "metrics": contract(
        ("split", "method", "group", "metric"),
        Column("split", TEXT, "Train, Validate, Test, or Tune = Train + Validate"),
        _METHOD,
        Column("group", TEXT, "'all' or a cage"),
        replace(_METRIC[0], unit="name, Section 5.3"),
        *_METRIC[1:],
        Column("value", DOUBLE, "count / normaliser; null where nothing counts", nullable=True),
    ),
    "detector_validation": contract(
        ("split", "label"),
        *_ASSESSED,
        Column("images", INT32, "annotated frames"),
        Column("annotations", INT32, "boxes to find"),
        Column("AP", DOUBLE, "average precision, mean over IoU 0.5 to 0.95 (COCO)"),
        Column("AP50", DOUBLE, "average precision at IoU 0.5"),
        Column("AP75", DOUBLE, "average precision at IoU 0.75"),
        Column("recall", DOUBLE, "share of the boxes to find that are found, IoU 0.5"),
        Column("precision80", DOUBLE, "share of the well-scored boxes right at IoU 0.8"),
    ),
    "detector_metrics": contract(
        ("split", "label", "iou"),
        *_ASSESSED,
        Column("iou", DOUBLE, "threshold of a match"),
        Column("images", INT32, "annotated frames"),
        Column("annotations", INT32, "boxes to find"),
        Column("detections", INT32, "boxes found"),
        Column("matched", INT32, "boxes found that match"),
        Column("precision", DOUBLE, "matched / detections", nullable=True),
        Column("recall", DOUBLE, "matched / annotations", nullable=True),
        Column("average_precision", DOUBLE, "area under precision against recall", True),
    ),
}
"""Every table of murid by name."""
