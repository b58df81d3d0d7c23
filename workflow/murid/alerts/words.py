"""Alerts in words, for somebody who looks after cages: what was found, and what to see to."""

from collections.abc import Sequence

SHOWN = 3
"""Segments or tags that a sentence names."""

SENTENCES = {
    "failed": "{count} of {segments} segments of cage {cage} {on} failed ({subject}): {reason}",
    "discarded": "{count} of {segments} segments of cage {cage} {on} cannot be used ({subject}): "
    "{reason}",
    "failed_page": "the page of cage {cage} could not be made, and the next run tries again: "
    "{reason}",
    "log": "a log of cage {cage}, {subject}, cannot be used as it is: {reason}",
    "silent_antenna": "antenna {subject} of cage {cage} {silent}, while animals went about: see to "
    "its cable and its reader",
    "silent_tag": "the tag of {subject} in cage {cage} {silent}, while others went about: see "
    "whether it is lost",
    "missing_hours": "cage {cage} was filmed for {lasting} without a read: {reason}; see to the "
    "reader and its log",
    "missing_frames": "{count} of {segments} segments of cage {cage} {on} lack more than "
    "{limit:.1%} of their frames, {subject} most of all: {value:.1%}; see to the camera and its "
    "disk",
    "low_coverage": "animals of cage {cage} are named in {value:.1%} of their time {on}, below "
    "{limit:.1%}: see whether mice are detected, and how sure their names are",
    "falling_coverage": "animals of cage {cage} are named in {value:.1%} of their time {on}, where "
    "{usual:.1%} are usual: see to camera, light and antennas",
    "low_confidence": "names in cage {cage} are right with a probability of {value:.1%} {on}, "
    "below {limit:.1%}: see to its antennas, and review its names",
    "falling_confidence": "names in cage {cage} are right with a probability of {value:.1%} {on}, "
    "where {usual:.1%} is usual: see to camera, light and antennas",
    "fewer_boxes": "{value:.2f} mice a frame are detected in cage {cage} {on}, where {usual:.2f} "
    "are usual: see to camera, light and lens",
    "fewer_reads": "animals of cage {cage} are read {value:,.0f} times an hour {on}, where "
    "{usual:,.0f} times are usual: see to its antennas and its reader",
    "unread": "{subject} in cage {cage} is without a reading in {value:.1%} of its frames {on}: "
    "see to its tag",
    "clock_offset": "{told}; set the clock",
    "clock_drift": "{told}: readings are put right; see to the clock",
    "unknown_tag": "{value:.1%} of the reads of {subject}, a log of cage {cage}, are of tags that "
    "no animal wears {on} ({tags}): add them to the table of animals",
    "ghost_reads": "{value:.1%} of the reads of {subject}, a log of cage {cage}, are of misread "
    "tags {on}: see to its antennas",
}
"""What is said of each alert."""


def sentence(what: str, day: str, **told: object) -> str:
    """Return the sentence of an alert.

    Examples
    --------
    >>> sentence("unread", "2026-03-01", cage="A", subject="R", value=0.955)
    'R in cage A is without a reading in 95.5% of its frames on 2026-03-01: see to its tag'
    """
    on = f"on {day}" if day else "on a day that is not known"
    return " ".join(SENTENCES[what].format(on=on, **told).split())


def of_clock(remark: str, cage: str) -> str:
    """Say whose clock it is that a remark of ``health`` tells of, before its first colon.

    Examples
    --------
    >>> of_clock("the clock of the log 3.csv: its times are 9.1 s late", "3")
    'the clock of the log 3.csv of cage 3: its times are 9.1 s late'
    """
    return remark.replace(": ", f" of cage {cage}: ", 1)


def silent(since: str, until: str, hours: float) -> str:
    """Say from when to when something is silent; ``until`` is empty where it goes on.

    Examples
    --------
    >>> silent("2026-03-01 14:00", "", 10.0)
    'has been silent since 2026-03-01 14:00, 10.0 h until the last read'
    """
    if until:
        return f"was silent from {since} to {until}, {hours:.1f} h"
    return f"has been silent since {since}, {hours:.1f} h until the last read"


def some(names: Sequence[str]) -> str:
    """Return the first of several names, and how many more there are.

    Examples
    --------
    >>> some(["1", "2", "3", "4", "5"])
    '1, 2, 3 and 2 more'
    """
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
