"""The words that tables may hold, and borders of their bins."""

import numpy as np

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
    "missing_frames", "contradicted", "low_coverage", "falling_coverage", "low_confidence",
    "falling_confidence", "fewer_boxes", "fewer_reads", "unread", "clock_offset", "clock_drift",
    "unknown_tag", "ghost_reads",
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
PERIODS = ("minute", "hour")
"""Of the clock, or from the segment's start where the time of day is not known."""
