"""What is beyond its limit on a day, and what of it goes on from day to day."""

import bisect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Fault:
    """What is beyond its limit: of a day, or from ``day`` to ``last_day``.

    Attributes
    ----------
    what, cage, day, value, limit, subject, time, last_day
        As the table ``alerts`` has them.
    told
        What its words tell beside. Of several days whole numbers are counts and add up, tuples
        are joined, and all else is of the worst day.
    size
        How bad it is beside others of its kind: more is worse.
    same
        Days with the same fault of a cage have it in common; None: it never goes on.
    worst_day
        Of several days, that of ``value``; "" where all have the same.
    """

    what: str
    cage: str
    day: str
    value: float = math.nan
    limit: float = math.nan
    subject: str = ""
    time: str = ""
    last_day: str = ""
    told: Mapping[str, Any] = field(default_factory=dict)
    size: float = 0.0
    same: str | None = None
    worst_day: str = ""

    @property
    def until(self) -> str:
        """The last day on which it is so."""
        return self.last_day or self.day

    def touches(self, other: "Fault") -> bool:
        """Tell whether it is of a cage of another's, on a day of that."""
        if not {*self.cage.split(", ")} & {*other.cage.split(", ")}:
            return False
        return self.day <= other.until and other.day <= self.until


def continued(faults: Iterable[Fault], measured: pd.DataFrame) -> Iterator[Fault]:
    """Yield faults of one kind, those as one that go on from day to day.

    Parameters
    ----------
    faults
        Each of a day.
    measured
        Columns ``cage`` and ``day``: when a fault would have been told. A day without it between
        two that have it ends the first; one that is not here does not.
    """
    days = {cage: sorted({*rows} - {""}) for cage, rows in measured.groupby("cage")["day"]}
    series: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        if fault.same is None or not fault.day:
            yield fault
        else:
            series.setdefault((fault.cage, fault.same), []).append(fault)
    for (cages, _), several in series.items():
        known = sorted({day for cage in cages.split(", ") for day in days.get(cage, ())})
        several.sort(key=lambda fault: fault.day)
        run = several[:1]
        for fault in several[1:]:
            between = bisect.bisect_left(known, fault.day) - bisect.bisect_right(known, run[-1].day)
            if between > 0:
                yield _joined(run)
                run = []
            run.append(fault)
        yield _joined(run)


def _joined(run: Sequence[Fault]) -> Fault:
    """Return days of a fault as one, whose value is that of the worst."""
    worst = max(run, key=lambda fault: fault.size)
    if len(run) == 1:
        return worst
    told = dict(worst.told)
    for name, value in told.items():
        parts = [fault.told[name] for fault in run]
        if isinstance(value, int):
            told[name] = sum(parts)
        elif isinstance(value, tuple):
            told[name] = tuple(item for part in parts for item in part)
    alike = len({fault.value for fault in run}) == 1 or math.isnan(worst.value)
    return replace(
        worst, day=run[0].day, time=run[0].time, last_day=run[-1].until, told=told,
        worst_day="" if alike else worst.day,
    )  # fmt: skip
