"""Folders of labs of which `murid sheet` makes a sheet, and what it says of them."""

import pytest
from click.testing import CliRunner

from murid.cli import cli
from murid.errors import InputError
from murid.sheet import read_sheet

VIDEO = "{date:%Y-%m-%d}/{cage}_{start:%H%M%S}.mp4"
LOG = "rfid/{cage}/{date:%Y%m%d}.txt"
USUAL = ("--video", VIDEO, "--log", LOG, "--zone", "Europe/London")
"""Options for such a folder."""


def make(archive, *paths, data=b"x"):
    """Make files, of one byte each."""
    for path in paths:
        (archive / path).parent.mkdir(parents=True, exist_ok=True)
        (archive / path).write_bytes(data)


def run(archive, *options):
    """Run the command; return all that it said."""
    done = CliRunner().invoke(
        cli, ["sheet", str(archive), *map(str, options)], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.output


def refused(archive, *options):
    """Return what the command is refused with."""
    with pytest.raises(InputError) as caught:
        run(archive, *options)
    return str(caught.value)


def rows(archive):
    """Return the segments of the sheet."""
    return read_sheet(archive / "segments.tsv")


def told(output, beginning):
    """Return the one line of a kind."""
    (line,) = (line for line in output.splitlines() if line.startswith(f"murid: {beginning}"))
    return line


def make_lab(root):
    """Make a folder: two cages, an evening of half hours around midnight, and daily logs."""
    for cage in ("C2", "C1"):
        make(root, *(f"2026-03-27/{cage}_{hour}{minute}00.mp4" for hour in (22, 23)
                     for minute in ("00", "30")))  # fmt: skip
        make(root, f"2026-03-28/{cage}_000000.mp4", f"2026-03-28/{cage}_003000.mp4")
        make(root, *(f"rfid/{cage}/202603{day}.txt" for day in range(24, 31)))
    return root
