"""Whatever goes wrong in a stage of one segment ends as a verdict of that segment."""

import errno
import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from guarded_jobs import NAMES, job_of
from murid import tables
from murid.cli.commands import command_of
from murid.cli.guard import outputs_of, segments_of
from murid.errors import InputError, NotFittedError, PartialError, UnwritableError
from murid.models import stored as models
from murid.run import failed, guard

FAULT = "track failed: a fault of murid, please report it"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> guard.Job:
    monkeypatch.delenv(guard.TRIES, raising=False)
    return job_of(tmp_path)


def raising(error: BaseException):
    def work() -> None:
        raise error

    return work


def left(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def record(folder: Path) -> dict[str, object]:
    (found,) = guard.failures(folder)
    return found


def test_what_goes_well_leaves_no_record(job: guard.Job, tmp_path: Path) -> None:
    guard.run(job, lambda: None)
    assert left(tmp_path) == []
    assert guard.failures(tmp_path) == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("an empty\n range"), f"{FAULT}: ValueError: an empty range. "),
        (RecursionError("too deep"), f"{FAULT}: RecursionError: too deep. "),
        (InputError("a.csv", "NaN", "5"), "track failed: a.csv: found NaN; expected 5."),
        (FileNotFoundError(errno.ENOENT, "gone"), "FileNotFoundError"),
        (PermissionError(errno.EACCES, "not yours"), "PermissionError"),
    ],
)  # fmt: skip
def test_what_raises_is_a_verdict_that_says_where_its_traceback_is(
    job: guard.Job, tmp_path: Path, error: Exception, said: str
) -> None:
    guard.run(job, raising(error))
    for name, path in job.outputs:
        verdict = tables.read_verdict(path)
        assert verdict.status == "failed"
        assert said in verdict.reason
        assert len(tables.read(path, name)) == (name == "summaries")
    (summary,) = tables.read(job.outputs[1][1], "summaries").to_dict("records")
    assert tuple(summary[name] for name in ("cage", "segment", "split", "fps")) == NAMES
    assert (summary["status"], summary["reason"]) == ("failed", verdict.reason)
    kept = (tmp_path / "failed" / "track" / "A" / "1.log").read_text()
    assert verdict.reason in kept
    assert type(error).__name__ in kept
    assert "raise error" in kept
    assert record(tmp_path)["outputs"] == [str(path) for _, path in job.outputs]


def test_a_job_that_goes_well_at_last_has_no_record(job: guard.Job, tmp_path: Path) -> None:
    guard.run(job, raising(ValueError()))
    assert len(guard.failures(tmp_path)) == 1
    guard.run(job, lambda: None)
    assert guard.failures(tmp_path) == []
    assert left(tmp_path / "failed") == []


def test_what_failed_in_part_is_recorded_and_stays(job: guard.Job, tmp_path: Path) -> None:
    def work() -> None:
        (tmp_path / "tracklets.parquet").write_text("mine")
        raise PartialError("the review of A 1")

    guard.run(job, work)
    assert (tmp_path / "tracklets.parquet").read_text() == "mine"
    assert record(tmp_path)["reason"] == "the review of A 1"


@pytest.mark.parametrize("error", [MemoryError(), type("OutOfMemoryError", (RuntimeError,), {})()])
def test_running_out_of_memory_is_tried_again(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(type(error)):
        guard.run(job_of(tmp_path), raising(error))
    assert not (tmp_path / "tracklets.parquet").exists()
    guard.run(job_of(tmp_path, attempt=2), raising(error))
    reason = tables.read_verdict(tmp_path / "tracklets.parquet").reason
    assert "out of memory, at try 2" in reason
    assert "fault of murid" not in reason


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UnwritableError("x", OSError(errno.EACCES, "Permission denied")), "Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left"),
        (OSError(errno.EMFILE, "Too many open files"), "Too many open files"),
    ],
)
def test_a_disk_that_is_full_is_no_verdict(tmp_path: Path, error: Exception, said: str) -> None:
    for attempt in range(1, 6):
        with pytest.raises(UnwritableError, match=said):
            guard.run(job_of(tmp_path, attempt), raising(error))
    assert not (tmp_path / "tracklets.parquet").exists()
    assert guard.failures(tmp_path) == []


def test_a_record_that_cannot_be_written_is_no_verdict(tmp_path: Path) -> None:
    (tmp_path / guard.UNDER_WAY).write_text("in the way")
    with pytest.raises(UnwritableError, match=f"{guard.UNDER_WAY}/track"):
        guard.run(job_of(tmp_path), lambda: None)


def test_what_the_user_stops_leaves_nothing(job: guard.Job, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        guard.run(job, raising(KeyboardInterrupt()))
    assert left(tmp_path) == []


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from guarded_jobs import guard, job_of
for attempt in map(int, sys.argv[3:]):
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    else:
        job = job_of(Path(sys.argv[1]), attempt)
        guard.run(job, lambda: os.kill(os.getpid(), signal.SIGKILL))
        os._exit(0)
"""


def killed(folder: Path, *attempts: int, tries: str = "2") -> list[int]:
    """Return how processes end of which each makes an attempt, and kills itself if it can."""
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, folder, tests, *map(str, attempts)],
        env=os.environ | {guard.TRIES: tries}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [int(line) for line in done.stdout.split()]


def test_being_killed_is_a_verdict_after_the_tries_are_used_up(tmp_path: Path) -> None:
    assert killed(tmp_path, 1, 2) == [-signal.SIGKILL] * 2
    assert not (tmp_path / "tracklets.parquet").exists()
    assert killed(tmp_path, 3) == [0]
    verdict = tables.read_verdict(tmp_path / "tracklets.parquet")
    assert verdict.status == "failed"
    assert "killed 2 times" in verdict.reason
    assert len(guard.failures(tmp_path)) == 1


def test_as_many_tries_are_given_as_are_asked_for(tmp_path: Path) -> None:
    assert killed(tmp_path, 1, 2, 3, 4, tries="3") == [*[-signal.SIGKILL] * 3, 0]


def test_what_was_killed_with_its_whole_run_does_not_count(tmp_path: Path) -> None:
    assert killed(tmp_path, 1, 1, 1) == [-signal.SIGKILL] * 3
    guard.run(job_of(tmp_path, attempt=2), lambda: None)
    assert left(tmp_path) == []


def test_who_was_not_killed_is_not_blamed_for_its_group(tmp_path: Path) -> None:
    # Of a group of jobs one was killed twice, and all are started a third time.
    guard.run(job_of(tmp_path, attempt=1), lambda: None)
    done = []
    guard.run(job_of(tmp_path, attempt=3), lambda: done.append(True))
    assert done


def test_a_damaged_mark_or_record_stops_nothing(tmp_path: Path) -> None:
    guard.run(job_of(tmp_path), raising(ValueError()))
    folder = tmp_path / "failed" / "track" / "A"
    (folder / "2.json").write_text("{")
    assert len(guard.failures(tmp_path)) == 1
    mark = tmp_path / guard.UNDER_WAY / "track" / "A" / "1"
    mark.write_bytes(b"\xff")
    guard.run(job_of(tmp_path, attempt=9), lambda: None)


# --- commands


WRITES = {
    "check": "positions annotations detections tracklets",
    "detect": "detections",
    "adopt-detections": "detections",
    "compare-annotations": "annotations",
    "track": "tracklets",
    "adopt-tracklets": "tracklets",
    "track-visually": "identities",
    "identify": "identities identities posteriors",
    "evaluate": "animal_outcomes detection_outcomes summaries",
    "moments": "moments",
    "aggregate": "counts reliability summaries",
    "review": "stretches",
    "tell-health": "reads health",
}


@pytest.mark.parametrize("name", WRITES)
def test_every_stage_of_a_segment_declares_what_it_writes(name: str) -> None:
    command = command_of(name)
    words = []
    for parameter in command.params:
        if parameter.opts[0].startswith("--output"):
            several = ["ilp", "a"], ["path", "b"]
            values = several if parameter.multiple else [["x"]]
            words += [word for value in values for word in (parameter.opts[0], *value)]
    given = command.make_context(name, words, resilient_parsing=True).params
    assert [table for table, _ in outputs_of(command.stage, given)] == WRITES[name].split()


def test_segments_are_named_by_options_of_their_own_or_in_a_list() -> None:
    own = {"cage": "A", "segment": "1", "split": "Test", "fps": 12.5}
    assert list(segments_of(own)) == [NAMES]
    assert list(segments_of({"members": [(*NAMES, "a", "b", "c")]})) == [NAMES]
    assert list(segments_of({"positions": "p"})) == []


def murid(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "murid", *map(str, words)],
        env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_guarded_command_ends_well_with_tables_that_say_failed(tmp_path: Path) -> None:
    (tmp_path / "detections.parquet").write_bytes(b"PAR1")
    done = murid(
        "guard", "--record", tmp_path / "failed/track/A/1", "track",
        "--detections", tmp_path / "detections.parquet", "--output", tmp_path / "t.parquet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "detections.parquet" in done.stderr
    verdict = tables.read_verdict(tmp_path / "t.parquet")
    assert verdict.status == "failed"
    assert str(tmp_path / "detections.parquet") in verdict.reason
    assert json.loads((tmp_path / "failed/track/A/1.json").read_text())["rule"] == "track"


@pytest.mark.parametrize(
    ("fps", "reason"), [(["--fps", "x"], "fps: found 'x'; expected"), ([], "--fps: found nothing")]
)
def test_options_that_are_refused_are_a_verdict_too(
    tmp_path: Path, fps: list[str], reason: str
) -> None:
    done = murid(
        "guard", "--record", tmp_path / "failed/evaluate/A/1", "evaluate", *fps,
        "--cage", "A", "--segment", "1", "--detections", "d", "--tracklets", "t",
        "--positions", "p", "--annotations", "a", "--identities", "path", "i", "--default", "path",
        "--output-summary", tmp_path / "s.parquet", "--output-animals", tmp_path / "a.parquet",
        "--output-detections", tmp_path / "d.parquet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert tables.read(tmp_path / "s.parquet", "summaries")["status"].tolist() == ["failed"]
    assert reason in tables.read_verdict(tmp_path / "d.parquet").reason


def test_options_that_nobody_knows_are_no_fault_of_murid(tmp_path: Path) -> None:
    guarded = ("guard", "--record", tmp_path / "failed/track/A/1", "track")
    done = murid(*guarded, "--output", tmp_path / "t.parquet", "--zzz", "1")
    assert done.returncode == 0, done.stderr
    reason = tables.read_verdict(tmp_path / "t.parquet").reason
    assert "No such option '--zzz'; expected what murid track --help tells" in reason
    assert "fault of murid" not in reason


def test_help_is_no_verdict(tmp_path: Path) -> None:
    guarded = ("guard", "--record", tmp_path / "failed/track/A/1", "track")
    done = murid(*guarded, "--output", tmp_path / "t.parquet", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Link detections" in done.stdout
    assert left(tmp_path) == []


@pytest.mark.parametrize("record", ["x", "a/b/c", "/a/b/c"])
def test_a_record_that_names_no_rule_is_refused(record: str) -> None:
    done = murid("guard", "--record", record, "track", "--detections", "d", "--output", "t")
    assert done.returncode == 2
    told = f"murid: options, --record: found '{record}'; expected RESULTS/failed/RULE/NAME/NAME.\n"
    assert done.stderr == told
    assert murid("guard", "--record", record).returncode == 2


@pytest.mark.parametrize("tries", ["abc", "", "0", "-1", "1.5", "\u00b2", "9" * 5000])
def test_tries_that_are_no_number_are_refused(
    job: guard.Job, monkeypatch: pytest.MonkeyPatch, tries: str
) -> None:
    monkeypatch.setenv(guard.TRIES, tries)
    with pytest.raises(InputError, match=r"MURID_TRIES: found .* a whole number from 1"):
        guard.run(job, lambda: None)


def test_an_output_without_a_name_is_a_record_alone(tmp_path: Path) -> None:
    guarded = ("guard", "--record", tmp_path / "failed/track/A/1", "track")
    done = murid(*guarded, "--detections", "d", "--output", "")
    assert done.returncode == 0
    assert "Traceback" in done.stderr  # that of the log, with the reason below it
    assert "--output: found ''; expected a path that is not empty" in record(tmp_path)["reason"]


def test_a_command_by_hand_ends_as_it_did(tmp_path: Path) -> None:
    done = murid("track", "--detections", tmp_path / "none", "--output", tmp_path / "t.parquet")
    assert done.returncode == 2
    assert left(tmp_path) == []


def test_a_stage_that_is_told_to_end_leaves_nothing_half_done(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from murid import cli, files\n"
        "from murid.cli.commands import command_of\n"
        "def work(*_, **__):\n"
        "    with files.replacing(Path(sys.argv[-1])) as temporary:\n"
        "        temporary.write_text('half'); os.kill(os.getpid(), signal.SIGTERM)\n"
        "        import time; time.sleep(60)\n"
        "command_of('track').callback = work; cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "track", "--detections", "d", "--output", tmp_path / "t"],
        timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGTERM
    assert left(tmp_path) == []


def test_a_fit_that_fails_leaves_its_reason_in_place_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    fit = guard.Job(tmp_path / "failed" / "fit_weights" / "all" / "fit_weights", 1,
                    [(guard.MODEL, path)])  # fmt: skip
    guard.run(fit, raising(InputError("annotations", "none", "some")))
    reason = "fit_weights failed: annotations: found none; expected some."
    assert record(tmp_path)["reason"] == reason
    with pytest.raises(NotFittedError, match="found no model, since fit_weights"):
        models.read_model(path, "weights", "murid weights", dict)


def test_a_page_that_cannot_be_made_holds_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "A.html"
    job = guard.Job(tmp_path / "failed" / "report_cage" / "A" / "cage", 1, [(guard.PAGE, path)])
    guard.run(job, raising(InputError("zones", "<none>", "some")))
    assert "report_cage failed: zones: found &lt;none&gt;; expected some." in path.read_text()
    assert failed.of_page(path) == "report_cage failed: zones: found <none>; expected some."
    path.write_text("<!DOCTYPE html><title>A</title><p>murid.failed</p>")
    assert failed.of_page(path) == ""


def test_what_lacks_a_model_says_why_and_is_no_failure_of_its_own(
    job: guard.Job, tmp_path: Path
) -> None:
    guard.run(job, raising(ValueError("earlier")))
    guard.run(job, raising(NotFittedError("weights.json", "fit_weights failed: none")))
    assert guard.failures(tmp_path) == []
    verdict = tables.read_verdict(tmp_path / "tracklets.parquet")
    assert verdict == tables.Verdict("failed", "fit_weights failed: none")


@pytest.mark.parametrize(
    "read",
    ["murid.models.fitted_weights:read", "murid.models.fitted_path:read",
     "murid.detect.stored:check", "murid.detect.model:read_tensors"],
)  # fmt: skip
def test_whoever_reads_a_model_is_told_why_there_is_none(tmp_path: Path, read: str) -> None:
    path = tmp_path / "model.safetensors"
    models.write_unfitted(path, 'a "reason"')
    module, name = read.split(":")
    with pytest.raises(NotFittedError) as told:
        getattr(importlib.import_module(module), name)(path)
    assert told.value.reason == 'a "reason"'
