"""Rows of ``health`` that tell how much of a cage was checked: what is sound is told, too."""

from collections.abc import Iterator, Sequence

import numpy as np

from murid.health.rows import Look, Row, roaming
from murid.health.silences import FEWEST_BINS
from murid.health.visits import BIN, HOUR, Day, joined


def rows(look: Look, known: Sequence[str]) -> Iterator[Row]:
    """Yield how many antennas and tags of a cage are read, how often, and whether that suffices.

    Parameters
    ----------
    look
        The cage.
    known
        Antennas that there should be; none if that is not known.
    """
    visits = joined(look.days)
    read = {*visits["antenna"]}
    there = len(read & {*known}) if known else len(read)
    yield _part(look, "antennas_read", there, len(known) or np.nan, "antennas are read")
    wearing = {name for day in look.days for name in day.tags.animals}
    yield _part(look, "tags_read", visits["animal"].nunique(), len(wearing), "tags are read")
    for day, count, hours in [*map(_read, look.days)] or [("", 0, 0.0)]:
        yield look.row(
            "reads", day=day, value=count, out_of=hours, finding=False,
            remark=f"{count:,} reads in {hours:.2f} hours in which there are any",
        )  # fmt: skip
    stretches = roaming(visits)["bin"].nunique() if len(visits) else 0
    yield look.row(
        "stretches", value=stretches, out_of=FEWEST_BINS, finding=False,
        remark=f"{stretches} stretches of ten minutes in which an animal goes about: silences of "
        f"antennas and tags can be told from {FEWEST_BINS}",
    )  # fmt: skip


def _part(look: Look, kind: str, value: float, of: float, what: str) -> Row:
    remark = f"{value} {what}" if np.isnan(of) else f"{value} of {of} {what}"
    return look.row(kind, value=value, out_of=of, finding=False, remark=remark)


def _read(day: Day) -> tuple[str, int, float]:
    """Return the name of a day, how many reads it has, and in how many hours.

    These are from its first read to its last, without its pauses.
    """
    if day.visits.empty:
        return day.name, 0, 0.0
    pauses = np.diff(day.pauses, axis=1)
    whole = day.visits["last"].max() - day.visits["first"].min()
    hours = float(whole - pauses[pauses >= BIN].sum()) / HOUR
    return day.name, int(day.visits["reads"].sum()), hours
