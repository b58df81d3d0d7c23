"""Turning a single file of any known format into a table."""

from pathlib import Path

from murid import tables
from murid.archive import annotations, detections, positions


def run(
    name: str, file: Path, output: Path, cage: str | None = None, segment: str | None = None
) -> None:
    """Read ``file`` as table ``name`` and write it to ``output``.

    Parameters
    ----------
    name
        ``positions``, ``detections`` or ``annotations``.
    file, output
        The file, its format told by its suffix; and the Parquet table.
    cage, segment
        Which segment's annotations to take from a file that holds those of several.

    Raises
    ------
    InputError
        If the file is missing, damaged, of another kind, or has values that make no sense.
    """
    if name == "positions":
        table = positions.as_table(positions.read(file), file)
    elif name == "detections":
        table = detections.as_table(detections.read(file), file)
    else:
        table = annotations.read(file, cage, segment)
    verdict = tables.read_verdict(file) if file.suffix == ".parquet" else None
    tables.write(table, output, name, verdict)
