"""The files of a folder and of all folders in it, found in one walk."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from murid.errors import InputError
from murid.listing.findings import Findings

OTHERS = frozenset(
    {"@eaDir", "#recycle", "#snapshot", "$RECYCLE.BIN", "System Volume Information", "lost+found",
     "__MACOSX", "Thumbs.db", "desktop.ini"}
)  # fmt: skip
"""Files and folders that storage and systems keep for themselves."""
PARTIAL = ".partial"
"""Part of the names of files that are being written."""
PASSED = "files and folders passed over: hidden, of the storage itself or half written (.partial)"
BROKEN = "entries passed over: no plain files, or links that lead nowhere"
CLOSED = "folders that may not be looked into"
AGAIN = "links not followed, since they lead to folders that were looked into already"


@dataclass
class _Walk:
    """What is known in the middle of a walk."""

    findings: Findings
    files: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    """Folders that links lead to: path of the link, and what it is called below the archive."""
    seen: set[tuple[int, int]] = field(default_factory=set)
    """Device and inode of folders."""


def files_below(archive: Path, findings: Findings) -> list[str]:
    """Return the paths of all plain files below a folder, relative to it and sorted.

    Links are followed, those to folders after all else, and only to those that the walk did not
    come to already: no folder is looked into twice. What is passed over is added to ``findings``.

    Raises
    ------
    InputError
        If the folder itself may not be looked into.
    """
    if not archive.is_dir():
        raise InputError(archive, "no folder", "the folder of an archive")
    if not os.access(archive, os.R_OK | os.X_OK):
        raise InputError(archive, "that it may not be looked into", "a folder that may")
    walk = _Walk(findings)
    folders = [(str(archive), "")]
    while folders or walk.links:
        if not folders:
            # Links last, and in their order, so that the folder itself comes first, where both are.
            walk.links.sort(key=lambda link: link[1], reverse=True)
            folders = [walk.links.pop()]
        folder, within = folders.pop()
        folders += _look(walk, folder, within)
    return sorted(walk.files)


def _look(walk: _Walk, folder: str, within: str) -> list[tuple[str, str]]:
    """Look into one folder; return those in it."""
    try:
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in walk.seen:
            walk.findings.add(AGAIN, within)
            return []
        walk.seen.add((status.st_dev, status.st_ino))
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError as error:
        walk.findings.add(CLOSED, within, error.strerror or str(error))
        return []
    folders = []
    for entry in found:
        path = within + entry.name
        if entry.name.startswith(".") or entry.name in OTHERS or PARTIAL in entry.name:
            walk.findings.add(PASSED, path)
        elif entry.is_dir(follow_symlinks=False):
            folders.append((entry.path, path + "/"))
        elif entry.is_symlink() and os.path.isdir(entry.path):
            walk.links.append((entry.path, path + "/"))
        elif os.path.isfile(entry.path) if entry.is_symlink() else entry.is_file():
            walk.files.append(path)
        else:
            walk.findings.add(BROKEN, path)
    return folders
