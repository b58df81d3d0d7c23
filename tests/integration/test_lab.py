"""The demo archive as a lab would have it: the same names, by logs whose clock is off.

Boxes are the true ones, made unsteady, so that no detector needs to learn.
"""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import settings, tables
from murid.sheet import read_sheet, write_sheet
from murid.simulate import demo, lab
from pipeline import Workflow, copy_sources

LAG = 2.25
"""Seconds by which the simulated plate tells late: 1.5 from a scan to its line, half the time from
a scan to the next, and as long as it sticks to an antenna."""


def boxes(truth: Path, random: np.random.Generator) -> pd.DataFrame:
    """Return nine in ten of the true boxes, unsteady by a pixel."""
    seen = tables.read(truth, "identities").dropna(subset=["x"])
    seen = seen[random.random(len(seen)) < 0.9]
    for side in ("x", "y", "w", "h"):
        seen[side] = (seen[side] + random.normal(0, 1, len(seen))).clip(lower=4 * (side in "wh"))
    return seen.assign(score=random.uniform(0.5, 1, len(seen)).round(3))


def with_boxes(archive: Path, sheet: str, made: dict[tuple[str, str], pd.DataFrame]) -> None:
    """Give the segments of a sheet detections in place of their videos."""
    rows = []
    for key, row in read_sheet(archive / sheet).items():
        path = archive / "detections" / f"{'_'.join(key)}.csv"
        path.parent.mkdir(exist_ok=True)
        made[key][["frame", "x", "y", "w", "h", "score"]].to_csv(path, index=False)
        name = str(path.relative_to(archive))
        rows.append(dataclasses.replace(row, video="", detections=name))
    write_sheet(archive / sheet, rows)


@pytest.mark.long
def test_a_lab_s_logs_give_the_names_of_the_plain_archive(root: Path, tmp_path: Path) -> None:
    demo.make(tmp_path / "plain", settings.Simulate())
    lab.make(tmp_path / "plain", tmp_path / "lab")
    random = np.random.default_rng(3)
    keys = read_sheet(tmp_path / "plain/segments.tsv")
    made = {key: boxes(tmp_path / f"plain/truth/{'_'.join(key)}.parquet", random) for key in keys}
    workflow = Workflow(copy_sources(root, tmp_path / "sources"), tmp_path)
    with_boxes(tmp_path / "plain", "segments.tsv", made)
    for sheet in ("segments.tsv", "segments_hca.tsv"):
        with_boxes(tmp_path / "lab", sheet, made)
    logs = (
        f"animals: lab/animals.tsv\nreadings: {{zone: {lab.ZONE}, lag: {LAG}, one_clock: true}}\n"
    )
    own = {
        "plain": "archive: plain\npoints: plain/points.csv\n",
        "csv": f"archive: lab\npoints: lab/points.csv\n{logs}",
        "hca": f"archive: lab\npoints: lab/points.csv\nsegments: lab/segments_hca.tsv\n{logs}",
    }
    for form, settings_of_form in own.items():
        text = f"results: results/{form}\n{settings_of_form}"
        (tmp_path / f"{form}.yaml").write_text(text)
        simulated = str(root / "config" / "simulated.yaml")
        workflow.run("identities", "--configfile", simulated, f"{form}.yaml")
    for form in ("csv", "hca"):
        same = [
            identical(*(tmp_path / f"results/{each}/segments/{cage}/1" for each in ("plain", form)))
            for cage, segment in keys
            if segment == "1"  # others are damaged on purpose
        ]
        alike = pd.concat(same).mean()
        (clock,) = (tmp_path / f"results/{form}/clocks").glob("*.parquet")
        clocks = tables.read(clock, "clocks")
        clocks = clocks[clocks["source"] == "line"]
        since = (clocks["begins"] - pd.Timestamp(lab.DAYS[0])).dt.total_seconds()
        since += clocks["seconds"] / 2
        off = clocks["used"] - LAG + lab.OFFSET + lab.DRIFT * since
        drift = clocks["drift"] + 1e6 * lab.DRIFT
        print(
            f"{form}: {alike:.5f} of rows alike; clock {off.mean():+.3f} s off, its drift "
            f"{drift.abs().max():.2f} parts per million at most"
        )
        assert alike >= 0.995, form
        assert abs(off.mean()) < 0.2, form
        assert drift.abs().max() < 10, form


def identical(plain: Path, logged: Path) -> pd.Series:
    """Tell of each frame and animal of a segment whether both name the same box, or none."""
    first, second = (
        tables.read(folder / "identities/path.parquet", "identities") for folder in (plain, logged)
    )
    both = first.merge(second, on=["frame", "animal"], how="outer", suffixes=("", "_logged"))
    return both["detection"].fillna(-1) == both["detection_logged"].fillna(-1)
