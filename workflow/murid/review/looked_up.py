"""Corrections of a segment looked up in the results of a run, and what obeying them changes.

The segment is named twice by the code of today, with what is obeyed now and with the file at hand,
so that what else has changed since the results were made is not taken for the file's doing.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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

LOOKED_UP = ("positions", "detections", "tracklets")
"""Tables of a segment that tell what its rows are about, and by which it is named."""
MODELS = {
    "weights": "weights.json",
    "path_model": "path_model.json",
    "transforms": "transforms.parquet",
}
"""What names rest on, in the folder of models."""
READ = ("positions", "detections", "tracklets", "video")
"""Files of the sheet that those tables are made of."""


@dataclass(frozen=True)
class Found:
    """What results tell of the rows of a segment.

    Attributes
    ----------
    said, refused
        What a row names, or why it is not obeyed, by its line.
    remarks
        What else is to be said of the segment.
    looked_up
        Whether there is anything to look it up in.
    """

    said: dict[int, str] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    looked_up: bool = True


class Results:
    """The results of a run, in which a file of corrections is looked up.

    Parameters
    ----------
    made
        The plan of the run.
    file
        The file.

    Raises
    ------
    InputError
        If the folder of results lacks the models, or the tables of every segment of the file.
    """

    def __init__(self, made: Plan, file: File) -> None:
        self.plan, self.file = made, file
        self.method = next(iter(obeying()))
        self._jobs = Jobs(made, Fingerprints(Path(".snakemake", "fingerprints.json")), False)
        models = Path(made.settings.results, "models")
        self._models = {name: models / base for name, base in MODELS.items()}
        sheet = {made.source(key, "corrections") for key in made.segments} - {""}
        self._of_sheet = any(_same(path, file.path) for path in sheet)
        lacking = [path for path in self._models.values() if not path.is_file()]
        keys = [key for key in file.segments() if key in made.segments]
        by_segment = [self._lacking(key) for key in keys]
        if keys and all(by_segment):
            lacking += [paths[0] for paths in by_segment]
        if lacking:
            raise InputError(
                made.settings.results, f"no {lacking[0].relative_to(made.settings.results)}",
                "the results of a run of these settings", where="the folder of results",
                remedy="Name the folder as for snakemake (results=PATH), or run first.",
            )  # fmt: skip

    def files(self, key: Key) -> tuple[list[str], list[str]]:
        """Return the files that a segment obeys without this one, and with it, this one first.

        It takes the place of the settings' file, unless the sheet names it.
        """
        own, obeyed_now = str(self.file.path), self._obeyed(key)
        others = [path for path in obeyed_now if not _same(path, own)]
        if self._of_sheet or len(others) < len(obeyed_now):
            return others, [own, *others]
        return others, [own, *(path for path in others if path != self.plan.settings.corrections)]

    def _obeyed(self, key: Key) -> list[str]:
        """Return the files that the settings and the sheet name for a segment."""
        named = (self.plan.settings.corrections, self.plan.source(key, "corrections"))
        return [path for path in named if path]

    def unheard(self, key: Key) -> str:
        """Say why nothing of this file is heard of a segment; "" if it is."""
        if not self._of_sheet or any(_same(path, self.file.path) for path in self._obeyed(key)):
            return ""
        return "the sheet names the file for other segments, and not for this one"

    def taken_back(self) -> list[str]:
        """Say which answers of the settings' file are not in this one, which replaces it."""
        answers = self.plan.answers
        if answers is None or self._of_sheet or _same(answers.path, self.file.path):
            return []
        told = []
        for key in answers.segments():
            here = {_asked(self.file, row) for row in self.file.of(key)}
            lost = [row.line for row in answers.of(key) if _asked(answers, row) not in here]
            if lost and key in self.plan.segments:
                told.append(
                    f"{' '.join(key)}: {len(lost):,} answers of {answers.path} (the first in line "
                    f"{lost[0]}) are not in {self.file.path.name}, and are no longer obeyed"
                )
        return told

    def look_up(self, key: Key, rows: Sequence[Row]) -> Found:
        """Look rows of a segment up, all of which make sense, and see what obeying them changes."""
        name = " ".join(key)
        if lacking := self._lacking(key):
            reason = f"{name}: its boxes are not looked up, since {lacking[0]} is not there yet"
            return Found(remarks=[reason], looked_up=False)
        there = self._tables(key)
        verdict = tables.read_verdict(*(there[table] for table in LOOKED_UP))
        if verdict.discarded:
            return Found(refused={row.line: f"discarded: {verdict.reason}" for row in rows})
        before, after = self.files(key)
        with tempfile.TemporaryDirectory() as folder:
            now, _ = self._named(key, before, Path(folder, "before.parquet"))
            then, table = self._named(key, after, Path(folder, "after.parquet"))
        read = {table: tables.read(there[table], table) for table in LOOKED_UP}
        animals = sorted(read["positions"]["animal"].unique())
        frames = int(read["positions"]["frame"].max()) + 1
        linked = read["tracklets"]
        answered = obeyed.find(table, tables.mice(read["detections"]), linked, animals, frames)
        # Those of this file come first.
        lines = {at: row.line for at, row in enumerate(rows)}
        boxes = linked[["frame", "detection", "tracklet"]].iloc[answered.rows]
        places, named = answered.places.tolist(), _by_box(now)
        said = {}
        for (frame, detection, tracklet), animal, at in zip(
            boxes.to_numpy(dtype=int).tolist(), answered.animals, places, strict=True
        ):
            if at in lines:
                answer = [*animals, schemas.NOBODY][animal]
                current = named.get((frame, detection), schemas.NOBODY)
                same = "as it is named" if current == answer else f"and named {current}"
                said[lines[at]] = f"tracklet {tracklet} at frame {frame} is {answer}, {same}"
        refused = {lines[at]: why for at, why in answered.refused.items() if at in lines}
        _, wrong = corrections.of_segment(after[1:], key)
        remarks = [*wrong, _change(_differing(now, then)), *self._older(key, there, now, then)]
        return Found(said, refused, [f"{name}: {remark}" for remark in remarks])

    def _lacking(self, key: Key) -> list[Path]:
        """Return the tables that a segment would need to be looked up, and that are not there."""
        there = self._tables(key)
        return [there[table] for table in LOOKED_UP if not there[table].is_file()]

    def _tables(self, key: Key) -> dict[str, Path]:
        folder = Path(self.plan.settings.results, "segments", *key)
        return {
            "positions": folder / f"{self._jobs.positions_of(key)}.parquet",
            "detections": folder / f"{self._jobs.detections_of(key)}.parquet",
            "tracklets": folder / f"{self._jobs.tracklets_of(key)}.parquet",
            "identities": folder / "identities" / f"{self.method}.parquet",
        }

    def _named(
        self, key: Key, paths: Sequence[str], output: Path
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Name a segment as files of corrections say; return the names and the corrections."""
        rows, _ = corrections.of_segment(paths, key)
        said = tables.empty("corrections")
        if rows:
            said = tables.conform(pd.DataFrame(rows), "corrections")
        given = output.with_suffix(".corrections.parquet")
        tables.write(said, given, "corrections")
        there, row, settings = self._tables(key), self.plan.segments[key], self.plan.settings
        Identify(
            **{table: there[table] for table in LOOKED_UP},
            **self._models,
            corrections=given,
            rig=row.rig,
            fps=row.fps,
            outputs=((self.method, output),),
            grid=settings.grid,
            image=settings.image,
            paths=settings.identify,
        ).run()
        return tables.read(output, "identities"), said

    def _older(
        self, key: Key, there: Mapping[str, Path], now: pd.DataFrame, then: pd.DataFrame
    ) -> list[str]:
        """Say by what results are older than what they are made of."""
        told = []
        if there["identities"].is_file():
            kept = tables.read(there["identities"], "identities")
            # Where this file is to be obeyed already, results may be from before or after.
            obeyed_now = any(_same(path, self.file.path) for path in self._obeyed(key))
            changed = [len(_differing(kept, names)) for names in (now, then)[: 1 + obeyed_now]]
            if all(changed):
                told.append(
                    f"{there['identities']} is older than answers, settings, models or code: "
                    f"{changed[0]:,} boxes have other names there than they would get now without "
                    f"{self.file.path.name}, which is not counted. Run again"
                )
        made = min(there[table].stat().st_mtime_ns for table in LOOKED_UP)
        for part in READ:
            path = self.plan.source(key, part)
            if path and os.path.isfile(path) and os.stat(path).st_mtime_ns > made:
                told.append(
                    f"{path} is newer than the tables in {there['positions'].parent}: if it holds "
                    "something else by now, run again first"
                )
        for model in ("weights", "path_model"):
            path = getattr(self.plan.settings, model)
            if path and Path(path).read_bytes() != self._models[model].read_bytes():
                told.append(
                    f"{self._models[model]} is another than the settings name ({path}): run again "
                    "first"
                )
        return told


def _same(path: str | Path, other: str | Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _asked(file: File, row: Row) -> tuple[object, ...]:
    """Return what tells the box that a row is about; of one that makes no sense, all its cells."""
    try:
        said = corrections.parsed(file.path, row)
    except InputError:
        return tuple(row.cells.items())
    return tuple(said[name] for name in ("frame", *schemas.BOX, "tracklet"))


def _by_box(names: pd.DataFrame) -> dict[tuple[int, int], str]:
    """Return the animal of each box of a table of identities, by frame and detection."""
    boxes = names[names["detection"].notna()]
    keys = zip(boxes["frame"].tolist(), boxes["detection"].astype(int).tolist(), strict=True)
    return dict(zip(keys, boxes["animal"], strict=True))


def _differing(now: pd.DataFrame, then: pd.DataFrame) -> pd.DataFrame:
    """Return the boxes of which two tables of identities have other names: ``now, then``."""
    one, other = (
        table.loc[table["detection"].notna(), ["frame", "detection", "animal"]]
        for table in (now, then)
    )
    both = one.merge(other, "outer", ["frame", "detection"], suffixes=("_now", "_then"))
    both = both.fillna({"animal_now": schemas.NOBODY, "animal_then": schemas.NOBODY})
    both = both.rename(columns={"animal_now": "now", "animal_then": "then"})
    return both.loc[both["now"] != both["then"], ["now", "then"]]


def _change(differing: pd.DataFrame) -> str:
    """Say which names change."""
    if differing.empty:
        return "no name changes"
    pairs = Counter(differing.itertuples(index=False, name=None))
    listed = ", ".join(f"{old} to {new} {count:,}" for (old, new), count in pairs.most_common())
    return f"the names of {len(differing):,} boxes change ({listed})"
