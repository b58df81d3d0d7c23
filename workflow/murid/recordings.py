"""The list of a rig's recordings of its checkerboard, a CSV of ``rig, recording``.

Read by every cluster job before it starts, so standard library only.
"""

import csv
from pathlib import Path

from murid.errors import InputError
from murid.files import read_text

COLUMNS = ("rig", "recording")
_SURPLUS = "\n"
"""Under which cells beyond the header are kept; no column of a CSV read by lines has this name."""


def listed(path: str | Path) -> list[tuple[str, Path]]:
    """Return rig and path of every recording; none if the file holds points instead.

    Paths in the file are relative to its folder. A line may lack one of the two, which is then ""
    or the folder: that is the fault of the rig, not of the file.

    Raises
    ------
    InputError
        If the file is no CSV that can be read, or a line has more cells than the header.
    """
    path = Path(path)
    if path.suffix.lower() != ".csv" or not path.is_file():
        return []
    text = read_text(path, "calibration points or recordings", empty=True)
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True, restkey=_SURPLUS)
    try:
        reader.fieldnames = [name.strip() for name in reader.fieldnames or []]
        if not set(COLUMNS) <= set(reader.fieldnames):
            return []
        rows = []
        for cells in reader:
            if _SURPLUS in cells:
                count = len(reader.fieldnames)
                raise InputError(
                    path, f"{count + len(cells[_SURPLUS])} cells", f"{count}, as the header",
                    where=f"line {reader.line_num}",
                    remedy='Remove what is too much; quote a name that has a comma: "clip,1.mp4".',
                )  # fmt: skip
            rows.append([(cells[name] or "").strip() for name in COLUMNS])
    except csv.Error as error:
        raise InputError(path, f"malformed CSV ({error})", "rig and recording") from error
    return [(rig, path.parent / recording) for rig, recording in rows]
