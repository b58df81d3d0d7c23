"""What comes after the sheet: settings that the folder tells, and the commands to go on with."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from murid import marks
from murid.detect import cost
from murid.errors import InputError
from murid.listing.tables import TABLES, is_bare
from murid.sheet import DEFAULT_RIG, Segment

if TYPE_CHECKING:
    from murid.listing.stage import ListSegments

SETTINGS = "my.yaml"
CLONE = Path(__file__).parents[3]
"""Where murid's Snakefile lies, unless the package is installed without it."""


def words(
    stage: "ListSegments",
    output: Path,
    segments: Sequence[Segment],
    found: Mapping[str, Sequence[Path]],
) -> Iterator[str]:
    """Yield lines: what is to be set for this folder, as far as it tells, and what to run.

    Parameters
    ----------
    stage
        What the command was told.
    output
        The sheet.
    segments
        All of its rows.
    found
        Tables that settings may name, by the setting.
    """
    bare = {setting: [*filter(is_bare, paths)] for setting, paths in found.items()}
    found = {
        setting: [path for path in paths if path not in bare[setting]]
        for setting, paths in found.items()
    }
    yield from _rigs(segments, found.get("points", []))
    yield f"Next, write into {SETTINGS} what differs from the defaults, as far as the folder tells:"
    for line in _settings(stage, output, segments, found, bare):
        yield f"  {line}"
    yield from _commands(segments)


def _commands(segments: Sequence[Segment]) -> Iterator[str]:
    """Yield the lines that look whether all fits, and that run, as they work in this folder."""
    snakefile = CLONE / "Snakefile"
    cloned = snakefile.is_file()
    option, where = "", "" if cloned else ", from the folder of murid's Snakefile"
    if cloned and snakefile.parent.resolve() != Path.cwd().resolve():
        option = f" -s {_shortest(snakefile)}"
    files = SETTINGS
    if not cost.has_gpu() and any(map(_detected, segments)):
        small = Path("config", "cpu.yaml")
        files = f"{_shortest(CLONE / small) if cloned else small} {SETTINGS}"
    yield f"Look whether all fits, then run{where}:"
    yield f"  murid preflight {files}"
    yield f"  snakemake --cores all{option} --configfile {files}"


def _detected(segment: Segment) -> bool:
    """Tell whether boxes of a segment come from its video."""
    return bool(segment.video) and not (segment.detections or segment.tracklets)


def _shortest(path: Path) -> str:
    """Return a path from here or from the root, whichever is shorter, as a shell takes it."""
    return shlex.quote(min(os.path.relpath(path), str(path.absolute()), key=len))


def _rigs(segments: Sequence[Segment], points: Sequence[Path]) -> Iterator[str]:
    """Yield a line if several cages have one rig because no option told any."""
    cages = {segment.cage for segment in segments}
    if len(cages) < 2 or {segment.rig for segment in segments} != {DEFAULT_RIG}:
        return
    told = ""
    for path in points[:1]:
        try:
            rigs = sorted(filter(None, marks.read(path).rigs))
        except InputError:
            continue
        told = f"; {path.name} tells of {', '.join(rigs)}" if rigs else ""
    yield (
        f"All {len(cages):,} cages have one rig, called {DEFAULT_RIG}: where cameras differ in how "
        f"they see the antennas, tell rigs, as by --rig left=C01,C02{told}"
    )


def _settings(
    stage: "ListSegments",
    output: Path,
    segments: Sequence[Segment],
    found: Mapping[str, Sequence[Path]],
    bare: Mapping[str, Sequence[Path]],
) -> Iterator[str]:
    """Yield lines of YAML; what is needed and not known, or has no rows, is a comment."""
    yield f"archive: {_text(stage.archive)}"
    yield "results: results  # or another folder, for all that is made"
    if output.absolute() != (stage.archive / "segments.tsv").absolute():
        yield f"segments: {_text(output)}"
    if video := next((segment.video for segment in segments if segment.video), ""):
        yield _image(stage.archive / video)
    logged = any(segment.readings for segment in segments)
    for setting, (columns, what) in TABLES.items():
        paths = found.get(setting, [])
        several = len({segment.rig for segment in segments}) > 1
        needed = several if setting == "points" else setting == "animals" and logged
        # With one rig there is nothing to bring together, and its name need not be in the table.
        unused = "" if several or setting != "points" else "# with several rigs only: "
        for path in paths[:1]:
            more = f"  # or {', '.join(map(str, paths[1:3]))}" if paths[1:] else ""
            yield f"{unused}{setting}: {_text(path)}{more}"
        if not paths and (empty := bare.get(setting)):
            yield f"# {setting}: {_text(empty[0])} has no rows: write them below its header"
        elif needed and not paths:
            yield f"# {setting}: a table of {what} ({', '.join(sorted(columns))}); none was found"
    if logged:
        zone = "" if stage.zone else "  # unless --zone tells another"
        yield f"readings: {{zone: {stage.zone or 'UTC'}}}{zone}"


def _image(video: Path) -> str:
    """Return the setting of the size of a video."""
    # It takes a while to import.
    from murid.video import container

    try:
        width, height = container.size(video)
    except InputError:
        return "# image: {width: WIDTH, height: HEIGHT}, which the first video does not tell"
    return f"image: {{width: {width}, height: {height}}}"


def _text(path: Path) -> str:
    """Return a path as YAML takes it."""
    text = str(path)
    # Without a slash it might be a number, a day, or a word that YAML knows.
    plain = "/" in text and all(letter.isalnum() or letter in "/._-" for letter in text)
    return text if plain else "'" + text.replace("'", "''") + "'"
