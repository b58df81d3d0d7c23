"""Runs that are stopped or killed in the middle: the next call resumes, to the same results."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from murid.run import guard
from pipeline import Workflow

MADE = ("segments", "cages", "batches", "report", "calibration")
"""Folders of results that must be the same, byte for byte; logs and timings need not."""


def stage_of(process: Path, folder: Path) -> str | None:
    """Return the stage that a process in ``/proc`` runs in a folder, if it runs one."""
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
        if words[1:3] != [b"-m", b"murid"] or (process / "cwd").resolve() != folder.resolve():
            return None
    except OSError:
        return None
    # A guard comes before the stage: --record PATH --attempt NUMBER.
    return words[8 if words[3] == b"guard" else 3].decode()


@contextmanager
def killer(folder: Path, stages: list[str]) -> Iterator[list[str]]:
    """Kill the first process of each stage; give those that were killed so far."""
    killed: list[str] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            for process in Path("/proc").glob("[0-9]*"):
                stage = stage_of(process, folder)
                if stage in stages and stage not in killed:
                    killed.append(stage)
                    with suppress(ProcessLookupError):
                        os.kill(int(process.name), signal.SIGKILL)
            time.sleep(0.05)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def contents(results: Path) -> dict[str, bytes]:
    files = [path for part in MADE for path in (results / part).rglob("*") if path.is_file()]
    files += [path for path in results.iterdir() if path.suffix in (".json", ".parquet")]
    return {str(path.relative_to(results)): path.read_bytes() for path in files}


@pytest.mark.long
def test_whatever_is_stopped_or_killed_a_plain_call_resumes(finished: Workflow, root: Path) -> None:
    # Processes of their own, which can be told from each other; what others make is compared.
    through, finished = finished, replace(finished, forked=False)
    where = ("--config", "archive=archive", "results=killed")
    results = finished.folder / "killed"
    with started(finished, "check", *where) as controller:
        controller.terminate()
        assert controller.wait(timeout=60) != 0
    # The jobs that were under way have ended; no other one was begun after them.
    assert not [path for path in (results / guard.UNDER_WAY).rglob("*") if path.is_file()]
    done = {path.stem for path in (results / "segments").rglob("*.parquet")}
    assert "positions" in done
    assert "tracklets" not in done

    # What does not need the killed job goes on; nearly everything needs this one, which may have
    # been under way above.
    (results / "transforms.parquet").unlink(missing_ok=True)
    with killer(finished.folder, ["calibrate"]) as killed:
        said = finished.run("--keep-going", *where, check=False)
    assert killed == ["calibrate"]
    assert "Error in rule calibrate" in said

    with started(finished, "fit-weights", *where) as controller:
        # The controller and its jobs at once, as when a machine goes down.
        os.killpg(controller.pid, signal.SIGKILL)
        controller.wait()

    left = ["track", "fit-weights", "fit-path", "identify", "evaluate", "aggregate", "review",
            "join", "report"]  # fmt: skip
    with killer(finished.folder, left) as killed:
        finished.run("--retries", "1", *where)
    # Tracking may have been through before.
    assert set(killed) | {"track"} == set(left)
    assert contents(results) == contents(through.folder / "results")
    profile = ("--profile", str(root / "profiles" / "local"))
    assert "Nothing to be done" in finished.run(*profile, *where)


@contextmanager
def started(workflow: Workflow, stage: str, *arguments: str) -> Iterator[subprocess.Popen]:
    """Start a plain run in a session of its own, and wait until a stage is under way."""
    controller = subprocess.Popen(
        workflow.command(*arguments), cwd=workflow.folder,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        while not running(workflow.folder, stage):
            assert controller.poll() is None, "it was through before it could be stopped"
            time.sleep(0.05)
        yield controller
    finally:
        if controller.poll() is None:
            os.killpg(controller.pid, signal.SIGKILL)
            controller.wait()


def running(folder: Path, stage: str) -> bool:
    return any(stage_of(process, folder) == stage for process in Path("/proc").glob("[0-9]*"))
