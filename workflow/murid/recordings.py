"""The list of a rig's recordings of its checkerboard, a CSV of ``rig, recording``.

Read by every cluster job before it starts, so standard library only.
"""

import csv
from pathlib import Path

from murid.errors import InputError
from murid.files import read_text

COLUMNS = ("rig", "recording")


def listed(path: str | Path) -> list[tuple[str, Path]]:
    """Return rig and path of every recording; none if the file holds points instead.

    Paths in the file are relative to its folder.

    Raises
    ------
    InputError
        Naming the line, if a rig or a path is missing.
    """
    path = Path(path)
    if path.suffix.lower() != ".csv" or not path.is_file():
        return []
    text = read_text(path, "calibration points or recordings", empty=True)
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    try:
        reader.fieldnames = [name.strip() for name in reader.fieldnames or []]
        if not set(COLUMNS) <= set(reader.fieldnames):
            return []
        rows = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise InputError(path, f"malformed CSV ({error})", "rig and recording") from error
    found = []
    for line, cells in rows:
        rig, recording = ((cells[name] or "").strip() for name in COLUMNS)
        if not rig or not recording:
            raise InputError(
                path, f"rig {rig!r}, recording {recording!r}", "the rig and its video or image",
                where=f"line {line}",
            )  # fmt: skip
        found.append((rig, path.parent / recording))
    return found
