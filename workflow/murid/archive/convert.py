"""Turning a single file of any known format into a table."""

from pathlib import Path

from murid import tables
from murid.archive import annotations, detections, positions


def run(
    name: str,
    file: Path,
    output: Path,
    cage: str | None = None,
    segment: str | None = None,
    images: Path | None = None,
    output_detections: Path | None = None,
) -> None:
    """Read ``file`` as table ``name`` and write it to ``output``.

    Parameters
    ----------
    name
        ``positions``, ``detections``, ``tracklets`` or ``annotations``.
    file, output
        The file, its format told by its suffix; and the Parquet table.
    cage, segment
        Which segment's annotations to take from a file that holds those of several.
    images
        The COCO file that tells the images of COCO results.
    output_detections
        Where the table of detections goes that tracklets refer to.

    Raises
    ------
    InputError
        If the file is missing, damaged, of another kind, or has values that make no sense.
    """
    verdict = tables.read_verdict(file) if file.suffix == ".parquet" else tables.Verdict()
    if name == "positions":
        readings, said = positions.read_told(file)
        table, verdict = positions.as_table(readings, file), verdict | said
    elif name in ("detections", "tracklets"):
        found, said = detections.read_told(file, images)
        verdict |= said
        table = detections.as_table(found, file)
        if name == "tracklets":
            linked = detections.as_tracklets(found, file)
            if output_detections:
                tables.write(table, output_detections, "detections", verdict)
            table = linked
    else:
        table, said = annotations.read_told(file, cage, segment)
        verdict |= said
    tables.write(table, output, name, verdict)
