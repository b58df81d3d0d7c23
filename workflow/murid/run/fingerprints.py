"""What files of an archive hold, told apart by short texts, so that a date need not be believed.

A file may be replaced by another and keep its date (``cp -p``, ``rsync -a``), be touched and stay
as it is, or carry a date of next year. Only what it holds says whether its segment is stale. To
read every file at every plan would take long, so that fingerprints are kept, each for as long as
the file's size, its dates (that of the last change of its entry too, which no tool can set) and its
place on the disk are the same. Standard library only: planning imports it.
"""

import hashlib
import json
import os
from pathlib import Path

from murid import files
from murid.errors import InputError

FORMAT = "murid fingerprints 1"
WHOLE = 16 * 2**20
"""Bytes up to which a file is read whole; of larger ones, of videos, so many blocks are."""
BLOCK, BLOCKS = 2**16, 64
ABSENT, NO_FILE, UNREADABLE = "absent", "no file", "unreadable"


def fingerprint(path: str, size: int) -> str:
    """Return 32 hexadecimal digits that change with what a plain file holds.

    Of files above :data:`WHOLE` bytes the size counts, and :data:`BLOCKS` blocks spread evenly from
    the first to the last.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    digest = hashlib.blake2b(str(size).encode(), digest_size=16)
    with open(path, "rb") as file:
        if size <= WHOLE:
            hashlib.file_digest(file, lambda: digest)
        else:
            for place in range(BLOCKS):
                file.seek((size - BLOCK) * place // (BLOCKS - 1))
                digest.update(file.read(BLOCK))
    return digest.hexdigest()


class Fingerprints:
    """Fingerprints by path, kept in a file between runs.

    Parameters
    ----------
    kept
        Where they are kept. What cannot be read there is made anew, what cannot be written is left.
    """

    def __init__(self, kept: str | Path) -> None:
        self._kept = Path(kept)
        self._entries: dict[str, list[object]] = {}
        self._new = False
        try:
            content = json.loads(self._kept.read_bytes())
            if content.get("format") == FORMAT:
                self._entries = dict(content["files"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            pass  # made anew

    def of(self, path: str) -> str:
        """Return a file's fingerprint, or a word if it is absent, no plain file, or unreadable."""
        try:
            status = os.stat(path)
        except FileNotFoundError:
            return ABSENT
        except (OSError, ValueError):
            return UNREADABLE
        if files.not_plain(status):
            return NO_FILE
        state = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
        entry = self._entries.get(path)
        if isinstance(entry, list) and entry[:-1] == state:
            return str(entry[-1])
        try:
            made = fingerprint(path, status.st_size)
        except OSError:
            return UNREADABLE
        self._entries[path] = [*state, made]
        self._new = True
        return made

    def of_kept(self, path: str) -> str:
        """Return a file's fingerprint if it was made or kept, else, or if it is empty, ""."""
        entry = self._entries.get(path)
        return str(entry[-1]) if isinstance(entry, list) and entry and entry[0] else ""

    def keep(self) -> None:
        """Write those that are new, if there is a folder to write them to."""
        if not self._new or not self._kept.parent.is_dir():
            return
        try:
            files.write_text(self._kept, json.dumps({"format": FORMAT, "files": self._entries}))
            self._new = False
        except InputError:
            pass  # They are made anew in the next run, which takes time and changes nothing.
