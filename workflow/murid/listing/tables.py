"""Tables of a folder that settings name, known by their headers alone."""

from collections.abc import Collection, Iterable
from pathlib import Path

from murid import sheet, small_tables
from murid.errors import InputError

TABLES = {
    "animals": ({"cage", "animal", "tag"}, "who wears which tag"),
    "points": ({"rig", "antenna", "x", "y"}, "where antennas are in the picture"),
    "antennas": ({"antenna", "row", "column"}, "what logs call each antenna"),
}
"""The tables that settings name, by the columns that tell each, and what they say."""
SHEETS = "segments"
"""The setting that names a sheet."""
LOOKED_AT = 50
"""Tables of a folder of which the header is read, those nearest to its top first."""
LARGEST = 2**20
"""Bytes of one, at most: logs and traces are larger."""


def among(archive: Path, paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the tables among files, by the setting that names them.

    Parameters
    ----------
    archive
        The folder that paths are relative to.
    paths
        Of the files.
    """
    tables = sorted(
        (path for path in paths if Path(path).suffix.lower() in small_tables.SEPARATORS),
        key=lambda path: (path.count("/"), path),
    )
    found: dict[str, list[str]] = {}
    for path in tables[:LOOKED_AT]:
        names = {*_columns(archive / path)}
        settings = [setting for setting, (columns, _) in TABLES.items() if columns <= names]
        if {*sheet.REQUIRED} <= names <= {*sheet.COLUMNS}:
            settings.append(SHEETS)
        for setting in settings:
            found.setdefault(setting, []).append(path)
    return found


def is_bare(path: Path) -> bool:
    """Tell whether a file is a small table of which there is nothing but the header."""
    try:
        small = path.suffix.lower() in small_tables.SEPARATORS and path.stat().st_size <= LARGEST
        return small and not small_tables.has_rows(path, "settings")
    except (InputError, OSError):
        return False


def _columns(path: Path) -> Collection[str]:
    try:
        return small_tables.columns(path, "settings") if path.stat().st_size <= LARGEST else ()
    except (InputError, OSError):
        return ()
