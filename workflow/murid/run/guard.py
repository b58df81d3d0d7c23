"""The promise: whatever goes wrong in a stage of one segment ends as a verdict of that segment.

A stage that raises, runs out of memory or is killed leaves empty, valid tables that carry the
verdict ``failed`` and its reason, so that everything else goes on and the report is made. A fit
that has nothing to learn from leaves the reason in place of its model, and the segments that need
it end with that. Beside them, under ``RESULTS/failed``, is a record of what failed: the next run
tries it again.

Three things are no verdict. What the user stops ends, and leaves nothing. A disk that is full, or a
folder that may not be written to, is no segment's fault, and ends the job with a message. And what
may go better when it is tried again, which is to be killed and to run out of memory, ends the job
as long as it has tries left. A job that is killed cannot say so itself: it leaves a mark when it
begins, and the one that is started in its place counts.

Standard library only: it is read before every stage, and stays small.
"""

import contextlib
import json
import os
import platform
import shlex
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from murid.errors import InputError, NotFittedError, PartialError, UnwritableError, is_of_machine
from murid.files import write_text

TRIES = "MURID_TRIES"
"""Environment variable: how often a job may be killed before its segment has failed."""
LEAST_TRIES = 2
"""Being killed may be chance: another job took the memory."""
FOLDER = "failed"
"""Folder of results that holds the records of failed jobs."""
MODEL = "model"
"""Stands for a fitted model among the names of tables."""
EXPORT = "export {}"
"""Stands for a file of an export, of which the format is told, too."""
PAGE = "page"
"""Stands for a page of HTML."""
UNDER_WAY = ".under_way"
"""Folder of results that holds the marks of jobs that have begun and not ended."""


class Named(NamedTuple):
    """What options tell of a segment, without a look into its tables."""

    cage: str
    segment: str
    split: str
    fps: float


@dataclass(frozen=True)
class Job:
    """A stage of one segment, of the segments of a cage, or a fit to those of all, as it is run.

    Parameters
    ----------
    record
        Where its record goes if it fails, without a suffix: ``RESULTS/failed/RULE/NAME/NAME``.
    attempt
        How many times it was started in this run of the workflow, from 1.
    outputs
        Name among the contracts, and path, of each table that it writes; a model is
        :data:`MODEL`, a file of an export :data:`EXPORT` with its format, and a page :data:`PAGE`.
    segments
        Its segments, as far as its options tell.
    """

    record: Path
    attempt: int
    outputs: Sequence[tuple[str, Path]]
    segments: Sequence[Named] = ()

    @property
    def rule(self) -> str:
        """Name of the rule, for messages."""
        return self.record.parts[-3]


def run(job: Job, work: Callable[[], object]) -> None:
    """Do ``work``; where that fails for good, write the job's tables with the verdict ``failed``.

    Raises
    ------
    KeyboardInterrupt
        If the user stopped it.
    MemoryError
        If there is not enough memory, and tries are left.
    UnwritableError
        If nothing can be written.
    InputError
        If :data:`TRIES` is no number.
    """
    tries = _tries()
    killed = _killed_before(job)
    if killed >= tries:
        _fail(job, _killed(job, killed), "")
        return
    _mark(job, killed=killed, under_way=True)
    try:
        work()
    except KeyboardInterrupt:
        _unmark(job)
        raise
    except NotFittedError as error:
        # What failed is the fit, whose record is kept; this is done again when there is a model.
        _write(job, error.reason)
        _unmark(job)
        _forget(job)
        return
    except PartialError as error:
        _record(job, str(error), "")
        _unmark(job)
        return
    except Exception as error:
        if _is_environment(error):
            _mark(job, killed=killed, under_way=False)
            if isinstance(error, OSError):
                raise UnwritableError(job.record, error) from error
            raise
        if _is_memory(error) and killed + 1 < tries:
            raise  # the mark stays: it counts as killed
        _fail(job, _reason(job, error, killed + 1), traceback.format_exc())
        return
    _unmark(job)
    _forget(job)


def _tries() -> int:
    """Tell how often a job may be killed."""
    given = os.environ.get(TRIES, str(LEAST_TRIES))
    # As the number of digits is bounded for Python, too.
    if not (given.isascii() and given.isdigit() and 0 < len(given) < 10 and int(given)):
        raise InputError("environment", repr(given), "a whole number from 1", where=TRIES)
    return int(given)


def failures(results: str | Path) -> list[dict[str, Any]]:
    """Return the records of jobs that failed, sorted by their path.

    Each holds ``rule``, ``reason`` and ``outputs``. One that cannot be read is passed over.
    """
    records = []
    for path in sorted(Path(results, FOLDER).glob("*/*/*.json")):
        with contextlib.suppress(OSError, ValueError):
            records.append(json.loads(path.read_text(encoding="utf-8")))
    return records


def _reason(job: Job, error: Exception, tries: int) -> str:
    text = " ".join(str(error).split())
    log = f"The traceback is in {_beside(job, '.log')}."
    if isinstance(error, InputError):
        return f"{job.rule} failed: {text}"
    if _is_memory(error):
        detail = f" ({text})" if text else ""
        return f"{job.rule} failed: out of memory{detail}, at try {tries}. {log}"
    kind = type(error).__name__
    return f"{job.rule} failed: a fault of murid, please report it: {kind}: {text}. {log}"


def _killed(job: Job, times: int) -> str:
    where = _read_mark(job).get("host", "a machine unknown")
    return (
        f"{job.rule} failed: killed {times} times, the last time on {where}: out of memory or of "
        "time, or a library crashed. Give it more of both, or mend the segment's files."
    )


def _is_memory(error: BaseException) -> bool:
    # Libraries have their own, which need not be kinds of Python's.
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"MemoryError", "OutOfMemoryError"})


def _is_environment(error: BaseException) -> bool:
    if isinstance(error, UnwritableError):
        return True
    return is_of_machine(error)


def _fail(job: Job, reason: str, trace: str) -> None:
    """Write the record, then the tables: if this is killed in between, the job is tried again."""
    _record(job, reason, trace)
    _write(job, reason)
    _unmark(job)


def _write(job: Job, reason: str) -> None:
    # What is heavy is imported only where something failed.
    from murid.run import failed

    failed.write(job.outputs, job.segments, reason)


def _record(job: Job, reason: str, trace: str) -> None:
    sys.stderr.write(f"{trace}murid: {reason}\n")
    write_text(_beside(job, ".log"), _report(reason, trace))
    record = {
        "rule": job.rule,
        "reason": reason,
        "outputs": [str(path) for _, path in job.outputs],
    }
    write_text(_beside(job, ".json"), json.dumps(record, indent=1) + "\n")


def _report(reason: str, trace: str) -> str:
    """Return what a report of a fault needs."""
    command = shlex.join(sys.argv)
    place = f"{socket.gethostname()}, {platform.platform()}, Python {platform.python_version()}"
    return f"{reason}\n\n{command}\nin {os.getcwd()} on {place}\n\n{trace}"


def _beside(job: Job, suffix: str) -> Path:
    return job.record.with_name(job.record.name + suffix)


def _forget(job: Job) -> None:
    """Remove the record of an earlier failure, now that the job is done."""
    for suffix in (".json", ".log"):
        _beside(job, suffix).unlink(missing_ok=True)


def _killed_before(job: Job) -> int:
    """Tell how often this job was killed in this run of the workflow."""
    if job.attempt == 1:
        return 0  # what an earlier run left does not count
    mark = _read_mark(job)
    return int(mark.get("killed", 0)) + bool(mark.get("under_way"))


def _read_mark(job: Job) -> dict[str, Any]:
    try:
        return dict(json.loads(_mark_of(job).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _mark(job: Job, **state: Any) -> None:
    path = _mark_of(job)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(state | {"host": socket.gethostname()}), encoding="utf-8")
    except OSError as error:
        raise UnwritableError(path, error) from error


def _unmark(job: Job) -> None:
    _mark_of(job).unlink(missing_ok=True)


def _mark_of(job: Job) -> Path:
    # Not among the records, which every run looks through.
    return job.record.parents[3].joinpath(UNDER_WAY, *job.record.parts[-3:])
