"""Files are read only if they are plain, and told of if they are not."""

import os
import socket
from pathlib import Path

import pytest

from murid import files
from murid.errors import InputError


def no_plain_files(folder: Path) -> dict[str, Path]:
    """Make what is no plain file; return it by what it should be called."""
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    (folder / "link").symlink_to(folder / "pipe")
    (folder / "circle").symlink_to(folder / "circle")
    (folder / "empty").touch()
    return {
        "a named pipe": folder / "pipe",
        "a named pipe; expected a plain file": folder / "link",
        "a folder": folder / "folder",
        "a socket": folder / "socket",
        "a device": Path("/dev/zero"),
        "an empty file": folder / "empty",
        "no file": folder / "missing",
        "no file; expected": folder / "empty" / "within",
        "File name too long": folder / ("x" * 300),
        "Too many levels of symbolic links": folder / "circle",
        "null byte": folder / "a\0b",
    }


def test_only_plain_files_are_read(tmp_path: Path) -> None:
    for found, path in no_plain_files(tmp_path).items():
        for reader in (files.regular, files.read_bytes, files.read_text, files.read_json):
            with pytest.raises(InputError, match=found):
                reader(path, "something to read")


def test_what_the_system_makes_up_is_no_plain_file() -> None:
    if not Path("/proc/kmsg").exists():
        pytest.skip("no /proc here")
    for path in ("/proc/kmsg", "/proc/version", "/proc/self/status"):
        with pytest.raises(InputError, match="that the system makes up"):
            files.regular(path, "text")


def test_files_that_others_may_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a")
    # The superuser may read everything.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InputError, match=r"permission denied.*permissions"):
        files.regular(path, "text")


def test_sizes_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        file.truncate(2**40)
    assert files.regular(path, "anything") == path
    with pytest.raises(InputError, match="1,048,576 MiB; expected text, 256 MiB at most"):
        files.read_text(path, "text")


def test_text_is_utf8_with_or_without_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\xc3\xa4")
    assert files.read_text(path, "text") == "aä"
    path.write_bytes(b"a\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        files.read_text(path, "text")
    path.write_bytes(b"")
    assert files.read_text(path, "text", empty=True) == ""


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, '{"a": "\\ud800"}', '{"\\uDBff": 1}', "1" * 5000]
)
def test_json_that_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match="malformed JSON"):
        files.read_json(path, "something in JSON")


def test_json_with_a_key_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1, "b": {"frame": 1, "c": 2, "frame": 1}}]')
    with pytest.raises(InputError, match="the key 'frame' twice in one object"):
        files.read_json(path, "something in JSON")


def test_json_with_letters_of_two_halves(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"\\ud83d\\udc01": [1e400, NaN]}')
    assert list(files.read_json(path, "JSON")) == ["\N{MOUSE}"]


def test_messages_can_be_written_whatever_they_name(tmp_path: Path) -> None:
    error = InputError(os.fsdecode(b"v\xff.mp4"), "'\ud800'", "text")
    assert str(error).encode() == b"v\\udcff.mp4: found '\\ud800'; expected text."
