"""What is told of animals by the minute and the hour, against what simulated mice really did.

Three cages of Train and two of Validate fit the models; what is reported is of cages of Test. What
the constants of :mod:`murid.summaries` rest on was looked up in cages of Train and Validate, and in
others of other names, alone.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.typing import NDArray

from lived_cages import ANIMALS, FPS, SIZE, Lived, write_archive
from murid import tables
from murid.settings import Summaries
from murid.summaries import figures, kinematics, measures
from murid.summaries import periods as period
from murid.summaries.courses import Course
from murid.summaries.known import Known, Usual
from murid.summaries.measures import How
from pipeline import Workflow, copy_sources

SECONDS = 600.0
"""That cages of Train and Validate are filmed for."""
TESTED_SECONDS = 3600.0
"""That cages of Test are filmed for."""
SPLITS = {"T0": "Train", "T1": "Train", "T2": "Train", "V0": "Validate", "V1": "Validate"}
TESTED = [f"P{number:02d}" for number in range(7)]
ZONES = {
    "left": ((0.0, 0.0), (110.0, 0.0), (110.0, 180.0), (0.0, 180.0)),
    "front": ((0.0, 110.0), (320.0, 110.0), (320.0, 180.0), (0.0, 180.0)),
    "hopper": ((174.1, 6.0), (250.0, 6.5), (243.3, 116.4), (172.5, 115.9)),
}
SETTINGS = {
    "image": {"width": SIZE[0], "height": SIZE[1]},
    "evaluate": {"snippets": None},
    "summaries": {
        "pitch": [6.0, 6.0],
        "zones": {name: [*map(list, z)] for name, z in ZONES.items()},
    },
}
FIGURES = {
    "animal_figures": ("distance", "resting", "huddled", "rearing"),
    "zone_figures": ("inside",),
    "pair_figures": ("apart", "contact"),
}
COLUMNS = ("figure", "rows", "true mean", "told mean", "mean error", "error of sum, %",
           "within", "in 90 % interval, %", "width of interval")  # fmt: skip
WITHIN = {"distance": (0.05, True), "inside": (0.03, False), "contact": (0.1, True)}
"""How near a figure should come, and whether that is a share of the true one."""


@pytest.mark.bench
def test_figures_of_animals_against_what_they_did(
    root: Path, tmp_path: Path, print_table: Callable[..., None]
) -> None:
    archive = tmp_path / "archive"
    splits = {**SPLITS, **dict.fromkeys(TESTED, "Test")}
    write_archive(archive, splits, SECONDS, longer={"Test": TESTED_SECONDS})
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(SETTINGS))
    workflow = Workflow(copy_sources(root, tmp_path / "sources"), tmp_path, forked=False)
    workflow.run(
        "summaries", "--configfile", "my.yaml", "--config", f"archive={archive}", "results=results"
    )
    told = compared(archive, tmp_path / "results", TESTED)
    for kind in ("hour", "minute"):
        print_table(f"of every animal and {kind}", COLUMNS, summed_up(told[told["period"] == kind]))


def compared(archive: Path, results: Path, cages: list[str]) -> pd.DataFrame:
    """Return a row for each figure of each period: ``told``, ``low``, ``high`` and ``true``."""
    parts = []
    for cage in cages:
        true = truth(Lived.load(archive / f"{cage}.truth.npz"))
        for name, wanted in FIGURES.items():
            table = tables.read(results / "segments" / cage / "1" / f"{name}.parquet", name)
            keys = ["period", "start", "animal", *({"zone", "other"} & {*table.columns})]
            both = table.merge(true[name], on=keys, suffixes=("", "_true"))
            assert len(both) == len(table)
            for figure in wanted:
                parts.append(
                    pd.DataFrame(
                        {
                            "cage": cage, "period": both["period"], "figure": figure,
                            "what": both.get("zone", ""),
                            "seconds": both["seconds"], "told": both[figure],
                            "low": both[f"{figure}_low"], "high": both[f"{figure}_high"],
                            "true": both[f"{figure}_true"],
                        }
                    )
                )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def truth(lived: Lived) -> dict[str, pd.DataFrame]:
    """Return the tables of figures of what animals did: of all of their bodies, seen or not."""
    given = Summaries()
    frames = len(lived.whole)
    nothing = np.full((*lived.whole.shape[:2], 2), np.nan)
    known = Known(
        [*ANIMALS], FPS, lived.whole, np.zeros(nothing.shape[:2], dtype=bool), nothing,
        np.zeros((*nothing.shape, 2)), np.zeros(nothing.shape[:2], dtype=np.int64),
    )  # fmt: skip
    length = float(np.median(np.sqrt(lived.whole[..., 2] * lived.whole[..., 3])))
    how = How(
        FPS, given.smoothing, given.reach * length, Usual.of(lived.whole), given.rearing,
        given.rest, 0.0, ZONES,
    )  # fmt: skip
    course = Course(lived.whole, lived.whole[..., :2] + lived.whole[..., 2:] / 2)
    # Nothing cuts whole bodies, as it may cut boxes that detectors tell.
    centres = kinematics.smooth(course.centres, FPS, how.smoothing)
    ways = [kinematics.way(centres[:, number].copy(), how.reach) for number in range(len(ANIMALS))]
    way = measures.Way(np.stack(ways, axis=1), np.full(nothing.shape[:2], np.nan), course.known)
    measured = measures.measure(course, way, how)
    rears: NDArray[np.bool_] = lived.raised > 0.8
    measured = measures.Measured(**{**vars(measured), "rearing": rears})
    made: dict[str, list[pd.DataFrame]] = {name: [] for name in FIGURES}
    for kind in ("minute", "hour"):
        periods = period.of(kind, frames, FPS, None)
        values = figures.totals(measured, way, known, periods)
        found = figures.Figures(values, values, values)
        for name, table in figures.tables_of(known, course, found, kind, periods, ZONES):
            made[name].append(table)
    return {name: pd.concat(parts) for name, parts in made.items()}


def summed_up(told: pd.DataFrame) -> list[tuple[object, ...]]:
    """Return a row for each figure, as ``COLUMNS`` has them."""
    rows: list[tuple[object, ...]] = []
    for (figure, what), own in told.dropna().groupby(["figure", "what"], sort=False):
        off = own["told"] - own["true"]
        held = (own["low"] <= own["true"] + 1e-9) & (own["true"] <= own["high"] + 1e-9)
        width = (own["high"] - own["low"]).mean()
        within = ""
        if figure in WITHIN:
            most, relative = WITHIN[figure]
            near = off.abs() <= most * (own["true"] if relative else 1)
            within = f"{near.sum()} of {len(own)}"
        rows.append(
            (
                f"{figure} {what}".strip(), len(own), own["true"].mean(), own["told"].mean(),
                off.abs().mean(), 100 * off.sum() / own["true"].sum(), within, 100 * held.mean(),
                width,
            )
        )  # fmt: skip
    return rows
