"""Tables of a segment, its antennas and its clock: what was recorded, and who is where."""

from dataclasses import replace

from murid.schemas.columns import (
    ANIMAL,
    BOX_OR_NONE,
    BOXES,
    FRAME,
    LATENESS,
    SEGMENT,
    SOURCES,
    STRETCH,
)
from murid.schemas.contract import (
    DOUBLE,
    FLOAT,
    INT8,
    INT16,
    INT32,
    INT64,
    MOMENT,
    REPEATED,
    TEXT,
    TEXTS,
    TRUTH,
    Column,
    Contract,
    contract,
)
from murid.schemas.words import ANNOTATION_TYPES, HEALTH, LABELS, VISIBILITIES

SEGMENTS: dict[str, Contract] = {
    "detections": contract(
        ("frame", "detection"),
        FRAME,
        Column("detection", INT8, "rank by score within the frame", least=0),
        Column("label", TEXT, choices=LABELS),
        *BOXES,
        Column("score", FLOAT, "0 to 1", share=True),
        *SOURCES,
    ),
    "positions": contract(
        ("frame", "animal"),
        FRAME,
        ANIMAL,
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
    "lateness": contract(("cage", "segment"), *LATENESS),
    "clocks": contract(
        ("cage", "segment"),
        *LATENESS,
        Column("used", DOUBLE, "seconds by which they are taken to run late", nullable=True),
        Column(
            "source",
            TEXT,
            "line through segments of the day and of some days before, the segment's own figure, "
            "which is surely off that, or nothing known",
            choices=("line", "own", "none"),
        ),
        Column("drift", DOUBLE, "parts per million by which that grows"),
        Column("line_segments", INT64, "segments that the line stands on; 0 = there is none"),
        Column("line_spread", DOUBLE, "seconds, standard error of the line", nullable=True),
        Column("drift_spread", DOUBLE, "parts per million, standard error", nullable=True),
        Column("line_of", INT64, "segments of the day and of the days before that it is made from"),
        Column("line_from", MOMENT, "middle of the first segment that it stands on", nullable=True),
        Column("line_to", MOMENT, "of the last", nullable=True),
        Column(
            "jump",
            DOUBLE,
            "seconds by which times were later at once, that day before the segment, as the clock "
            "was set or jumped; null = they were not",
            nullable=True,
        ),
        Column("jump_after", MOMENT, "middle of the last segment before that", nullable=True),
        Column("jump_before", MOMENT, "of the first after it", nullable=True),
        Column("doubt", DOUBLE, "seconds by which what tells of the segment's clock differs"),
        Column(
            "other_drift",
            DOUBLE,
            "parts per million of a drift that would explain the jumps; 0 = it would not",
        ),
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
            "stretches; s by which a clock is ahead of the camera's, below 0 behind, without the "
            "antennas' own delay where readings.lag tells it, of clock_offset; parts per million "
            "of clock_drift; share of the frames of unread; null = not known",
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
        FRAME,
        Column("object", INT16, "number within the frame"),
        Column(
            "type",
            TEXT,
            "single, huddle, tentative; empty = nothing is visible",
            choices=ANNOTATION_TYPES,
        ),
        Column("identities", TEXTS, "animals, or 'tunnel'; [] if empty"),
        *BOX_OR_NONE,
        Column("visibility", TEXT, choices=VISIBILITIES),
        Column("difficult", TRUTH, "hard to make out even for a human"),
        boxless=("type", "empty"),
    ),
    "tracklets": contract(
        ("frame", "detection"),
        FRAME,
        Column("detection", INT8, "as in detections", least=0),
        Column("tracklet", INT32, "number within the segment", least=0),
        *BOXES,
        *SOURCES,
    ),
    "corrections": contract(
        ("number",),
        *SEGMENT,
        Column("number", INT32, "among those of the segment, from 1", least=1),
        FRAME,
        *BOX_OR_NONE,
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
        FRAME,
        ANIMAL,
        Column("tracklet", INT32, "as in tracklets; null = hidden, or named by itself", True),
        Column("detection", INT8, "as in detections; null = hidden", nullable=True),
        *BOX_OR_NONE,
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
        ANIMAL,
        Column("probability", FLOAT, "that it is the animal; the rest is nobody's", share=True),
    ),
    "draws": contract(
        ("draw", "tracklet", "first_frame"),
        Column("draw", INT16, "number of the assignment that was drawn, from 0", least=0),
        Column("tracklet", INT64, "as in tracklets", least=0),
        *STRETCH,
        replace(ANIMAL, unit="name; null = nobody", nullable=True),
    ),
    "places": contract(
        ("frame", "animal"),
        FRAME,
        ANIMAL,
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
}
