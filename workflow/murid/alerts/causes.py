"""What else was found of a cage on the days on which its names got worse: the likely cause."""

from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from murid.alerts.faults import Fault
from murid.numbers import counted, lasting

MOST = 2
"""Causes that are named."""
_OF_READINGS = ("silent_tag", "silent_antenna", "missing_hours", "unread")
CAUSES = {
    "low_coverage": (*_OF_READINGS, "missing_frames"),
    "falling_coverage": (*_OF_READINGS, "missing_frames"),
    "low_confidence": _OF_READINGS,
    "falling_confidence": _OF_READINGS,
    "fewer_reads": ("silent_tag", "silent_antenna", "missing_hours"),
}
"""Faults that may be the cause of others, the likeliest first."""
REPAIRED = ("low_coverage", "falling_coverage", "low_confidence", "falling_confidence")
"""Those of which the reason why segments were repaired may be the cause."""
_WORDS: dict[str, Callable[[Fault], str]] = {
    "silent_tag": lambda fault: f"the tag of {fault.subject} is silent",
    "silent_antenna": lambda fault: f"antenna {fault.subject} is silent",
    "missing_hours": lambda fault: f"no tag is read for {lasting(fault.value)}",
    "unread": lambda fault: (
        f"{fault.subject} is without a reading in {fault.value:.1%} of its frames"
    ),
    "missing_frames": lambda fault: f"{counted(fault.told['lacking'], 'frame')} are missing",
}


class Known:
    """What may be the cause of faults, by cage.

    Parameters
    ----------
    faults
        All that is beyond its limits.
    segments
        As :func:`murid.alerts.days.dated` gives them.
    """

    def __init__(self, faults: Sequence[Fault], segments: pd.DataFrame) -> None:
        self._faults: dict[str, list[Fault]] = {}
        for fault in faults:
            for cage in fault.cage.split(", ") if fault.what in _WORDS else ():
                self._faults.setdefault(cage, []).append(fault)
        repaired = segments[segments["status"] == "repaired"]
        self._repaired = {str(cage): rows for cage, rows in repaired.groupby("cage")}

    def of(self, fault: Fault, reason: Callable[[Sequence[str]], str]) -> str:
        """Return the likely causes of a fault, in words; "" if none is known.

        Parameters
        ----------
        fault
            Of any kind.
        reason
            Puts several reasons into one.
        """
        causes = [
            _WORDS[what](other)
            for what in CAUSES.get(fault.what, ())
            for other in self._faults.get(fault.cage, ())
            if other.what == what and other.touches(fault)
        ]
        return ", and ".join([*causes, *self._of_repairs(fault, reason)][:MOST])

    def _of_repairs(self, fault: Fault, reason: Callable[[Sequence[str]], str]) -> Iterator[str]:
        if fault.what in REPAIRED and fault.cage in self._repaired:
            rows = self._repaired[fault.cage]
            reasons = [*rows.loc[rows["day"].between(fault.day, fault.until), "reason"]]
            if reasons:
                yield f"in {counted(len(reasons), 'segment')}, {reason(reasons)}"
