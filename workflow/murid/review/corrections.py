"""What a file of corrections would change: its rows judged, and looked up in results."""

from dataclasses import dataclass
from pathlib import Path

from murid import corrections
from murid.corrections import File, Row
from murid.errors import InputError
from murid.review.looked_up import Results
from murid.run.plan import Plan


@dataclass(frozen=True)
class Checked:
    """What is to be said of a file, a line each, and how many of its rows cannot be obeyed."""

    lines: list[str]
    wrong: int


def check(path: Path, made: Plan | None) -> Checked:
    """Check every row of a file of corrections.

    Parameters
    ----------
    path
        The file.
    made
        The plan of the run in whose results boxes are looked up; None: rows are judged by
        themselves.

    Raises
    ------
    InputError
        If the file cannot be read, or does not tell which segments it is of; or if results lack
        what boxes are looked up in.
    """
    file = corrections.read(path, ("cage", "segment"))
    results = Results(made, file) if made else None
    said: dict[int, str] = {}
    wrong: set[int] = set()
    remarks: list[str] = []
    unseen = 0
    for key in file.segments():
        rows = file.of(key)
        refused = _refused(file, rows)
        if results and (why := _not_heard(results, key)):
            refused |= {row.line: why for row in rows}
        sound = [row for row in rows if row.line not in refused]
        said |= {row.line: _itself(file, row) for row in sound}
        if results and sound:
            found = results.look_up(key, sound)
            said |= found.said
            refused |= found.refused
            remarks += found.remarks
            unseen += len(sound) * (not found.looked_up)
        wrong |= refused.keys()
        said |= {line: f"not obeyed: {why}" for line, why in refused.items()}
    names = {row.line: " ".join(file.key(row)) for row in file.rows}
    lines = [f"line {line}: {names[line]}: {said[line]}" for line in sorted(said)]
    lines += [f"columns {file.remark}"] * bool(file.remark) + remarks
    lines += results.taken_back() if results else []
    total = len(file.rows)
    not_seen = f", {unseen:,} of them not looked up" if unseen else ""
    lines.append(f"{total - len(wrong):,} of {total:,} corrections are sound{not_seen}")
    return Checked(lines, len(wrong))


def _not_heard(results: Results, key: corrections.Key) -> str:
    """Say why what a file says of a segment is not heard; "" if it is."""
    if key not in results.plan.segments:
        return "the segment is not in the sheet"
    return results.unheard(key)


def _refused(file: File, rows: list[Row]) -> dict[int, str]:
    """Return why rows make no sense by themselves, by their lines."""
    refused = {}
    for row in rows:
        try:
            corrections.parsed(file.path, row)
        except InputError as error:
            refused[row.line] = corrections.told(error)
    return refused


def _itself(file: File, row: Row) -> str:
    """Return what a row says, of which nothing else is known."""
    said = corrections.parsed(file.path, row)
    what = "a box" if said["x"] is not None else f"tracklet {said['tracklet']}"
    return f"{what} at frame {said['frame']} is {said['animal']}"
