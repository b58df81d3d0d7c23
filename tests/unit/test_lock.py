"""One run at a time over a folder of results."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from murid.errors import InputError
from murid.run import lock

CLAIM = (
    "import sys; from murid.run import lock; lock.acquire(sys.argv[1]); print('mine', flush=True)"
)


def test_a_second_run_is_told_who_is_at_work(tmp_path: Path) -> None:
    held = lock.acquire(tmp_path / "results")
    try:
        done = subprocess.run(
            [sys.executable, "-c", CLAIM, tmp_path / "results"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert f"another run is at work there (process {os.getpid()} on " in done.stderr
        assert not done.stdout
    finally:
        os.close(held)


def test_a_killed_run_leaves_the_folder_free(tmp_path: Path) -> None:
    waiting = subprocess.Popen(
        [sys.executable, "-c", f"{CLAIM}; sys.stdin.read()", tmp_path],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == "mine\n"
    with pytest.raises(InputError, match=f"process {waiting.pid}"):
        lock.acquire(tmp_path)
    waiting.kill()
    waiting.wait()
    waiting.stdout.close()
    waiting.stdin.close()
    os.close(lock.acquire(tmp_path))


def test_a_folder_that_cannot_be_made_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(InputError, match=r"cannot be written \(Not a directory\).*results=PATH"):
        lock.acquire(tmp_path / "file" / "results")


@pytest.mark.parametrize(
    ("code", "message"),
    [("EROFS", "cannot be written (Read-only file system)"), ("EACCES", "(Permission denied)")],
)
def test_a_read_only_folder_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    def refuse(*arguments: object) -> int:
        number = getattr(errno, code)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError) as caught:
        lock.acquire(tmp_path)
    assert message in str(caught.value)


def test_a_full_disk_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(InputError, match=r"No space left on device.*Free some space"):
        lock.acquire(tmp_path)
