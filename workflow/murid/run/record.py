"""What a run leaves in its results, so that they can be looked at without its settings."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from murid import files
from murid.errors import InputError

NAME = "run.json"
"""File below the results."""
_EXPECTED = "the record of a run"


@dataclass(frozen=True)
class Record:
    """Where a run found what it worked on.

    Attributes
    ----------
    archive
        Folder that the sheet's paths start at.
    sheet
        The sample sheet.
    method
        The method whose names are the run's.
    """

    archive: str
    sheet: str
    method: str


def write(results: str | Path, archive: str | Path, sheet: str | Path, method: str) -> None:
    """Write the record of a run, with whole paths, unless it is there as it should be."""
    path = Path(results, NAME)
    made = Record(str(Path(archive).absolute()), str(Path(sheet).absolute()), method)
    text = json.dumps(asdict(made), indent=1) + "\n"
    if not path.is_file() or path.read_text(errors="replace") != text:
        files.write_text(path, text)


def read(results: Path) -> Record:
    """Return the record of a run.

    Raises
    ------
    InputError
        If there is none, or it is damaged.
    """
    path = results / NAME
    if not path.exists():
        raise InputError(
            results, f"no {NAME}", "the folder of results of a run",
            remedy="An earlier version of murid wrote none: run snakemake again.",
        )  # fmt: skip
    told = files.read_json(path, _EXPECTED)
    names = Record.__dataclass_fields__.keys()
    whole = isinstance(told, dict) and told.keys() == names
    if not whole or not all(isinstance(value, str) for value in told.values()):
        raise InputError(
            path, "other keys or values", f"{', '.join(names)}, each a text",
            remedy="Remove it, and run snakemake again.",
        )  # fmt: skip
    return Record(**told)
