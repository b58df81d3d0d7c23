"""What files hold is what counts, whatever their dates say."""

import os
import shutil
from pathlib import Path

import pytest

import hostile
from murid.run import fingerprints
from murid.run.fingerprints import Fingerprints


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("frame,R\n0,1\n")
    return path


def test_a_file_replaced_with_its_date_kept_is_another(tmp_path, trace):
    kept = Fingerprints(tmp_path / "kept.json")
    before = kept.of(str(trace))
    other = tmp_path / "other.csv"
    other.write_text("frame,R\n0,2\n")
    shutil.copystat(trace, other)
    dates = os.stat(trace).st_mtime_ns
    shutil.copy2(other, trace)
    assert os.stat(trace).st_mtime_ns == dates
    assert kept.of(str(trace)) != before


@pytest.mark.parametrize("when", [0, 1e9, 4e9])
def test_dates_do_not_count(tmp_path, trace, when):
    kept = Fingerprints(tmp_path / "kept.json")
    before = kept.of(str(trace))
    os.utime(trace, (when, when))
    assert kept.of(str(trace)) == before


def test_what_is_kept_is_not_read_again(tmp_path, trace, monkeypatch):
    first = Fingerprints(tmp_path / "kept.json")
    made = first.of(str(trace))
    first.keep()
    monkeypatch.setattr(fingerprints, "fingerprint", lambda *_: pytest.fail("read again"))
    assert Fingerprints(tmp_path / "kept.json").of(str(trace)) == made


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"format": 1}', b"[" * 100_000, b"\xff", None])
def test_a_damaged_record_is_made_anew(tmp_path, trace, content):
    if content is not None:
        (tmp_path / "kept.json").write_bytes(content)
    kept = Fingerprints(tmp_path / "kept.json")
    assert len(kept.of(str(trace))) == 32
    kept.keep()
    assert Fingerprints(tmp_path / "kept.json").of(str(trace)) == kept.of(str(trace))


@pytest.mark.parametrize("make", [hostile.pipe, hostile.device, hostile.kernel, Path.mkdir])
def test_what_is_no_plain_file_is_not_opened(tmp_path, make):
    """To open a pipe, or the kernel's messages, waits for ever: a plan would never end."""
    make(tmp_path / "it")
    if make is hostile.kernel and not (tmp_path / "it").exists():
        pytest.skip("no /proc here")
    kept = Fingerprints(tmp_path / "nowhere" / "kept.json")
    assert kept.of(str(tmp_path / "it")) == fingerprints.NO_FILE
    assert kept.of(str(tmp_path)) == fingerprints.NO_FILE
    assert kept.of(str(tmp_path / "absent")) == fingerprints.ABSENT
    assert kept.of("x" * 5_000) == fingerprints.UNREADABLE
    kept.keep()
    assert not (tmp_path / "nowhere").exists()


def test_the_ends_and_the_size_of_a_large_file_count(tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprints, "WHOLE", 1_000)
    monkeypatch.setattr(fingerprints, "BLOCK", 16)
    path = tmp_path / "video"
    found = set()
    for content in (b"a" * 5_000, b"a" * 4_999 + b"b", b"b" + b"a" * 4_999, b"a" * 5_001):
        path.write_bytes(content)
        found.add(fingerprints.fingerprint(str(path), len(content)))
    assert len(found) == 4
