"""Zip archives of unknown origin: damage is told, and a fault of the reader stays one."""

import contextlib
import errno
import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import zipped
from murid.errors import InputError

EXPECTED = "labels"
PACKED = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2)


def packed(*, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        numbers = "".join(f"{number * 7919 % 10007}\n" for number in range(500))
        archive.writestr("labels/a.txt", numbers)
        archive.writestr("labels/b.txt", "1 0.5 0.5 0.1 0.1\n")
    return stream.getvalue()


def texts(path):
    with zipped.opened(path, EXPECTED) as archive:
        return [zipped.text(path, archive, each, 10_000, EXPECTED) for each in archive.infolist()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("zipped")


@given(
    st.sampled_from(PACKED),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4),
    st.floats(0, 1),
)  # fmt: skip
def test_whatever_is_damaged_is_read_or_told(folder, compression, changes, kept):
    data = bytearray(packed(compression=compression))
    for place, value in changes:
        data[int(place * len(data))] = value
    path = folder / "labels.zip"
    path.write_bytes(data[: max(1, round(kept * len(data)))])
    with contextlib.suppress(InputError):
        texts(path)


@pytest.mark.parametrize("fault", [ValueError, OSError, RuntimeError, EOFError])
def test_a_fault_of_whoever_reads_is_no_damage(tmp_path, fault):
    path = tmp_path / "labels.zip"
    path.write_bytes(packed())
    with pytest.raises(fault), zipped.opened(path, EXPECTED):
        raise fault("a mistake of the reader")


@pytest.mark.parametrize("at", ["ZipFile", "ZipFile.open"])
def test_an_error_of_the_machine_is_no_damage(tmp_path, monkeypatch, at):
    path = tmp_path / "labels.zip"
    path.write_bytes(packed())

    def fails(*_args, **_options):
        raise OSError(errno.ESTALE, "Stale file handle")

    monkeypatch.setattr(f"zipfile.{at}", fails)
    with pytest.raises(OSError, match="Stale"):
        texts(path)


def test_a_file_with_a_password_is_told(tmp_path):
    data = bytearray(packed())
    for start in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        data[start] |= 1
    path = tmp_path / "labels.zip"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"labels/a\.txt.*password.*pack it again without"):
        texts(path)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_an_archive_that_is_cut_short_says_what_to_do(tmp_path, kept):
    path = tmp_path / "labels.zip"
    whole = packed()
    path.write_bytes(whole[: round(kept * len(whole))])
    with pytest.raises(InputError, match="Pack it anew"):
        texts(path)
