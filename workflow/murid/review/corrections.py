"""What a file of corrections would change: its rows looked up in the results of a run."""

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from murid import corrections, schemas, tables
from murid.corrections import File, Key, Row
from murid.errors import InputError
from murid.identify import corrections as obeyed
from murid.identify.registry import obeying
from murid.identify.stage import Identify
from murid.run.fingerprints import Fingerprints
from murid.run.jobs import Jobs
from murid.run.plan import Plan

LOOKED_UP = ("positions", "detections", "tracklets", "identities")
"""Tables of a segment that tell what its rows are about."""


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
        If the file cannot be read, or does not tell which segments it is of.
    """
    file = corrections.read(path, ("cage", "segment"))
    said: dict[int, str] = {}
    wrong: set[int] = set()
    changes: list[str] = []
    for key in file.segments():
        rows = file.of(key)
        refused = _refused(file, rows)
        if made is not None and key not in made.segments:
            refused |= {row.line: "the segment is not in the sheet" for row in rows}
        sound = [row for row in rows if row.line not in refused]
        said |= {row.line: _itself(file, row) for row in sound}
        if made is not None and sound:
            found = _look_up(file, key, sound, made)
            said |= found.said
            refused |= found.refused
            changes += found.changes
        wrong |= refused.keys()
        said |= {line: f"not obeyed: {why}" for line, why in refused.items()}
    names = {row.line: " ".join(file.key(row)) for row in file.rows}
    lines = [f"line {line}: {names[line]}: {said[line]}" for line in sorted(said)]
    lines += [f"columns {file.remark}"] * bool(file.remark) + changes
    total = len(file.rows)
    lines.append(f"{total - len(wrong):,} of {total:,} corrections are sound")
    return Checked(lines, len(wrong))


@dataclass(frozen=True)
class _Found:
    """What results tell of the rows of a segment, by their lines."""

    said: dict[int, str]
    refused: dict[int, str]
    changes: list[str]


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


def _look_up(file: File, key: Key, sound: list[Row], made: Plan) -> _Found:
    """Look rows of a segment up in its results, and see what obeying them changes."""
    method = next(iter(obeying()))
    there = _tables(key, made, method)
    missing = [str(there[name]) for name in LOOKED_UP if not there[name].is_file()]
    if missing:
        reason = (
            f"{' '.join(key)}: its boxes are not looked up, since {missing[0]} is not there yet"
        )
        return _Found({}, {}, [reason])
    read = {name: tables.read(there[name], name) for name in LOOKED_UP}
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "corrections.parquet")
        said_of, _ = corrections.of_segment([file.path], key)
        table = tables.conform(pd.DataFrame(said_of), "corrections")
        tables.write(table, output, "corrections")
        mice = tables.mice(read["detections"])
        animals = sorted(read["positions"]["animal"].unique())
        frames = int(read["positions"]["frame"].max()) + 1 if len(read["positions"]) else 0
        answered = obeyed.find(table, mice, read["tracklets"], animals, frames)
        lines = [row.line for row in sound]
        said = {
            lines[at]: _named(read, int(row), [*animals, schemas.NOBODY][animal])
            for row, animal, at in zip(
                answered.rows, answered.animals, answered.places, strict=True
            )
        }
        refused = {lines[at]: why for at, why in answered.refused.items()}
        changes = [f"{' '.join(key)}: {_change(made, key, there, output, method, read)}"]
    return _Found(said, refused, changes)


def _tables(key: Key, made: Plan, method: str) -> dict[str, Path]:
    """Return where a segment's tables are, and the models that it is named by."""
    jobs = Jobs(made, Fingerprints(Path(".snakemake", "fingerprints.json")), planning=False)
    folder = Path(made.settings.results, "segments", *key)
    models = Path(made.settings.results, "models")
    return {
        "positions": folder / "positions.parquet",
        "detections": folder / f"{jobs.detections_of(key)}.parquet",
        "tracklets": folder / f"{jobs.tracklets_of(key)}.parquet",
        "identities": folder / "identities" / f"{method}.parquet",
        "weights": models / "weights.json",
        "path_model": models / "path_model.json",
        "transforms": models / "transforms.parquet",
    }


def _named(read: Mapping[str, pd.DataFrame], row: int, animal: str) -> str:
    """Say what a row of tracklets is answered to be, and what it is named now."""
    box = read["tracklets"].iloc[row]
    named = read["identities"]
    own = named[(named["frame"] == box["frame"]) & (named["detection"] == box["detection"])]
    now = own["animal"].iloc[0] if len(own) else schemas.NOBODY
    what = f"tracklet {box['tracklet']:.0f} at frame {box['frame']:.0f} is {animal}"
    return what + (", as it is named" if now == animal else f", and named {now}")


def _change(
    made: Plan,
    key: Key,
    there: Mapping[str, Path],
    output: Path,
    method: str,
    read: Mapping[str, pd.DataFrame],
) -> str:
    """Say which names change in a segment if corrections are obeyed."""
    row, settings = made.segments[key], made.settings
    after = output.with_name("identities.parquet")
    Identify(
        **{name: path for name, path in there.items() if name != "identities"},
        corrections=output,
        rig=row.rig,
        fps=row.fps,
        outputs=((method, after),),
        grid=settings.grid,
        image=settings.image,
        paths=settings.identify,
    ).run()
    now, then = (
        table.loc[table["detection"].notna(), ["frame", "detection", "animal"]]
        for table in (read["identities"], tables.read(after, "identities"))
    )
    both = now.merge(then, "outer", ["frame", "detection"], suffixes=("_now", "_then"))
    both = both.fillna({"animal_now": schemas.NOBODY, "animal_then": schemas.NOBODY})
    changed = both[both["animal_now"] != both["animal_then"]]
    if changed.empty:
        return "no name changes"
    pairs = Counter(zip(changed["animal_now"], changed["animal_then"], strict=True))
    listed = ", ".join(f"{old} to {new} {count:,}" for (old, new), count in pairs.most_common())
    return f"the names of {len(changed):,} boxes change ({listed})"
