"""Rows of ``health`` of the logs that serve a cage: the same for all cages that they serve."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from murid import tables
from murid.animals import Worn
from murid.health.rows import Look, Row
from murid.health.visits import OfLog, day_of, moment
from murid.readings import strays
from murid.readings.segment import CLOCK, FILE, served

MOST_TAGS = 20
"""Unknown tags of a log and day that are told."""
MOST_GHOSTS = 0.01
"""Share of the reads of a log that may be misread before it is out of the ordinary."""


def names(logs: Sequence[Path]) -> dict[Path, str]:
    """Return what logs are called: by their files, where no two have the same name."""
    told = {path: tables.read_about(path).get(FILE, path.stem) for path in logs}
    times = Counter(told.values())
    return {path: name if times[name] == 1 else path.stem for path, name in told.items()}


def rows(
    look: Look,
    logs: Sequence[Path],
    spans: Mapping[Path, tuple[datetime, datetime]],
    worn: Sequence[Worn],
    share: float,
) -> Iterator[Row]:
    """Yield what is left out of each log, and its tags of nobody and of other cages, by day.

    Parameters
    ----------
    look
        The cage.
    logs
        Tables ``readings`` of all logs that serve it.
    spans
        From when to when those have reads that have some.
    worn
        Who wears which tag, of all cages, if there is a table of that.
    share
        As :func:`murid.readings.strays.find` has it.
    """
    called = names(logs)
    for path, name in called.items():
        verdict = tables.read_verdict(path)
        if verdict.status != "usable":
            yield look.row(
                "log", name, log=name, finding=verdict.discarded, remark=verdict.reason,
                day=day_of(spans[path][0], look.zone) if path in spans else "",
            )  # fmt: skip
        if told := tables.read_about(path).get(CLOCK):
            yield look.row("failed_clock", name, log=name, remark=f"log {name}: {told}")
    for day in look.days:
        for path, of_log in day.logs.items():
            yield from _of_tags(look, day.name, called[path], of_log)
            when = moment(day.begins), moment(day.ends - 1)
            found = strays.find(of_log.counts, worn, served(path), when, share)
            for stray in found[:MOST_TAGS]:
                yield look.row(
                    "foreign_tag", stray.tag, log=called[path], day=day.name, value=stray.reads,
                    out_of=of_log.reads, remark=f"log {called[path]}: {stray.words}, and by the "
                    "sheet it serves another cage: see to the table of animals, or to the sheet",
                )  # fmt: skip


def _of_tags(look: Look, day: str, log: str, of_log: OfLog) -> Iterator[Row]:
    strangers, ghosts = of_log.tags.strangers, of_log.tags.ghosts
    often = sorted(strangers.items(), key=lambda item: (-item[1], item[0]))
    for tag, count in often[:MOST_TAGS]:
        remark = f"{count:,} reads of a tag that no animal wears: add it to the table of animals"
        yield look.row(
            "unknown_tag", tag, log=log, day=day, value=count, out_of=of_log.reads, remark=remark
        )
    if ghosts:
        misread = sum(ghosts.values())
        share = misread / of_log.reads
        remark = (
            f"{misread:,} of {of_log.reads:,} reads of log {log} ({share:.2%}) are of "
            f"{len(ghosts):,} misread tags"
        )
        yield look.row(
            "ghost_reads", log, log=log, day=day, value=misread, out_of=of_log.reads,
            finding=share > MOST_GHOSTS, remark=remark,
        )  # fmt: skip
