"""Alerts in words, for somebody who looks after cages: what was found, and what to see to."""

from collections.abc import Sequence

from murid.clocks.words import of_logs, rate, side

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
    "missing_frames": "{lacking:,} frames are missing in {count} of {segments} segments of cage "
    "{cage} {on}, up to {value:.1%} of the frames of one (in {subject}: {most}); see to the camera "
    "and its disk",
    "contradicted": "annotations contradict the names in cage {cage} {on}: of {boxes:,} boxes that "
    "people named, {alike:,} have the same name, where {expected:,} were expected ({subject}); see "
    "whether tags or columns of animals are exchanged, or names in the annotations",
    "low_coverage": "animals of cage {cage} are named in {value:.1%} of their time {on}, below "
    "{limit:.1%}{cause}",
    "falling_coverage": "animals of cage {cage} are named in {value:.1%} of their time {on}, where "
    "{usual:.1%} are usual{cause}",
    "low_confidence": "names in cage {cage} are right with a probability of {value:.1%} {on}, "
    "below {limit:.1%}{cause}",
    "falling_confidence": "names in cage {cage} are right with a probability of {value:.1%} {on}, "
    "where {usual:.1%} is usual{cause}",
    "fewer_boxes": "{value:.2f} mice a frame are detected in cage {cage} {on}, where {usual:.2f} "
    "are usual{cause}",
    "fewer_reads": "animals of cage {cage} are read {value:,.0f} times an hour {on}, where "
    "{usual:,.0f} times are usual{cause}",
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
_TO_DO = {
    "low_coverage": "see whether mice are detected, and how sure their names are",
    "falling_coverage": "see to camera, light and antennas",
    "low_confidence": "see to its antennas, and review its names",
    "falling_confidence": "see to camera, light and antennas",
    "fewer_boxes": "see to camera, light and lens",
    "fewer_reads": "see to its antennas and its reader",
}
"""What to look for where no cause is known."""


def sentence(what: str, on: str, cause: str = "", **told: object) -> str:
    """Return the sentence of an alert.

    Parameters
    ----------
    what
        Kind of alert.
    on
        On which days, as :func:`days` says it.
    cause
        What it probably comes from; "" if nothing is known of that.
    told
        What else its words tell.

    Examples
    --------
    >>> on = days("2026-03-01", "2026-03-01")
    >>> sentence("unread", on, cage="A", subject="R", value=0.955)
    'R in cage A is without a reading in 95.5% of its frames on 2026-03-01: see to its tag'
    >>> sentence("low_coverage", on, "antenna 8 is silent", cage="A", value=0.1, limit=0.3)[-61:]
    'on 2026-03-01, below 30.0%. Likely cause: antenna 8 is silent'
    """
    follows = f". Likely cause: {cause}" if cause else f": {_TO_DO.get(what, '')}"
    return " ".join(SENTENCES[what].format(on=on, cause=follows, **told).split())


def days(first: str, last: str, worst: str = "") -> str:
    """Say on which days something is so, and on which of them it is worst, if not on all alike.

    Examples
    --------
    >>> days("2026-03-01", "2026-03-01"), days("", "")
    ('on 2026-03-01', 'on a day that is not known')
    >>> days("2026-03-01", "2026-03-04", "2026-03-02")
    'from 2026-03-01 to 2026-03-04 (worst on 2026-03-02)'
    """
    if not first:
        return "on a day that is not known"
    if first == last:
        return f"on {first}"
    return f"from {first} to {last}" + f" (worst on {worst})" * bool(worst)


def of_clock(remark: str, cage: str) -> str:
    """Say whose clock it is that a remark of ``health`` tells of, before its first colon.

    Examples
    --------
    >>> of_clock("the antennas' clock (log 3.csv): it is 9.1 s ahead", "3")
    "the antennas' clock (log 3.csv) of cage 3: it is 9.1 s ahead"
    """
    return remark.replace(": ", f" of cage {cage}: ", 1)


def whose_clock(log: str, cage: str, subject: str) -> str:
    """Name a clock: that of some logs, or that of a segment whose logs disagree with others."""
    if log:
        return f"{of_logs(log)} of cage {cage}"
    return f"the antennas' clock of cage {cage}, in segment {subject}"


def late(off: Sequence[tuple[str, float]]) -> str:
    """Say how far a clock is ahead or behind, by days and seconds: first, last and worst day.

    Examples
    --------
    >>> late([("2026-03-03", 25.84), ("2026-03-04", 32.0), ("2026-03-05", -3.0)])
    '25.8 s ahead on 2026-03-03, 32.0 s ahead on 2026-03-04, 3.0 s behind on 2026-03-05'
    """
    worst = max(off, key=lambda each: abs(each[1]))
    shown = [each for each in off if each in (off[0], worst, off[-1])]
    return ", ".join(f"{side(seconds)} {days(day, day)}" for day, seconds in dict.fromkeys(shown))


def gains(seconds: float) -> str:
    """Say how fast or slow a clock goes, as what follows a sentence.

    Examples
    --------
    >>> gains(11.04), gains(-2)
    ('; it goes fast by 11 s a day', '; it goes slow by 2.0 s a day')
    """
    return f"; it {rate(seconds)}"


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
