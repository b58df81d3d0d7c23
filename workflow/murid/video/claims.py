"""Headers that claim more than their file can hold, told before memory is taken for it.

The index of an MP4 or QuickTime file may say in twelve bytes that there are so many samples of one
size; FFmpeg makes an entry for each. All other indices take bytes of the file for every entry.
"""

import os
from io import FileIO
from pathlib import Path

from murid.errors import InputError

_MOST_INDEX = 2**28
"""Bytes of an index, at most: that of days of video has some megabytes."""


def check_claims(path: Path, file: FileIO) -> None:
    """Refuse a file whose index claims more bytes than it has.

    ``file`` has no buffer, and is left at its start.

    Raises
    ------
    InputError
        Naming how many samples are claimed.
    """
    length = os.fstat(file.fileno()).st_size
    at = 0
    while at + 8 <= length:
        file.seek(at)
        head = file.read(16)
        size, kind = int.from_bytes(head[:4], "big"), head[4:8]
        if not (kind.isascii() and kind.isalnum()):
            break
        size = int.from_bytes(head[8:16], "big") if size == 1 else size or length - at
        if kind == b"moov":
            file.seek(at)
            _check_index(path, file.read(min(size, _MOST_INDEX)), length)
        at += max(size, 8)
    file.seek(0)


def _check_index(path: Path, index: bytes, length: int) -> None:
    at = index.find(b"stsz")
    while at >= 0:
        each, count = (int.from_bytes(index[at + 8 + i : at + 12 + i], "big") for i in (0, 4))
        if each * count > length:
            raise InputError(
                path,
                f"an index of {count:,} samples of {each:,} bytes in a file of {length:,} bytes",
                "a video",
            )
        at = index.find(b"stsz", at + 4)
