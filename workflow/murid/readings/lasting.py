"""How long reads last: from start to end, both in UTC, where a log tells ends as clock times."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from murid.errors import InputError
from murid.readings import local_time
from murid.readings.tally import Tally
from murid.tables import Verdict

LONGEST_VISIT = 3_600.0
"""Seconds that a read may last: what lasts longer is an antenna that did not hear the end."""
WITHOUT_END = "taken without an end"
_REVERSED = "whose end is before the start: are the columns exchanged?"
_SKIPPED = "whose end is in an hour that the clock skips"
_LONG = f"lasting more than {LONGEST_VISIT / 60:.0f} minutes"
_CUT = f"taken to last {LONGEST_VISIT / 60:.0f} minutes"


def until(
    ends: NDArray[np.datetime64],
    begun: NDArray[np.datetime64],
    zone: str | None,
    lines: NDArray[np.uint32],
    tally: Tally,
) -> NDArray[np.float32]:
    """Return how long reads lasted, in seconds; NaN where that is not known.

    Parameters
    ----------
    ends
        (reads,) datetime64[us], as the clock showed them; NaT where there is none.
    begun
        (reads,) datetime64[us], when they began, in UTC.
    zone
        IANA name of the clock's zone; None: ends are in UTC.
    lines
        (reads,) their rows, from 1.
    tally
        Counts those whose end is none.

    Raises
    ------
    InputError
        If all that have an end have it before their start, or where no time is.
    """
    known = ~np.isnat(ends)
    if not known.any():
        return np.full(len(ends), np.nan, dtype=np.float32)
    in_utc = ends.copy()
    if zone is not None:
        in_utc[known] = local_time.ends_in_utc(ends[known], begun[known], zone)
    skipped = known & np.isnat(in_utc)
    seconds = ((in_utc - begun) / np.timedelta64(1, "s")).astype(np.float32)
    negative = seconds < 0
    tally.add(_SKIPPED, lines[skipped])
    tally.add(_REVERSED, lines[negative])
    wrong = skipped | negative
    if wrong[known].all():
        raise InputError(
            tally.file, f"not one end that is after its start (the first is {tally.unit} "
            f"{lines[wrong].min()})", "reads that end after they start",
            remedy="Are the columns of both exchanged?",
        )  # fmt: skip
    seconds[negative] = np.nan
    return seconds


def judge_long(
    seconds: NDArray[np.float32], lines: NDArray[np.uint32], path: Path, unit: str
) -> Verdict:
    """Tell of reads that last longer than any is taken to last: ``repaired`` if there are some."""
    tally = Tally(path.name, unit, _CUT)
    tally.add(_LONG, lines[seconds > LONGEST_VISIT])
    return tally.verdict()
