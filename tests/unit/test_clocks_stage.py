"""The stages that put clocks right, on the files that they are given."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from clocked_cage import FPS, GRID, film, wander
from murid import settings, tables
from murid.archive.stage import Check
from murid.clocks.lateness import TICK
from murid.clocks.stage import Align, SetClock, WatchClock
from murid.readings.stage import ReadLog
from murid.tables import Verdict

DAY = datetime(2026, 3, 1, tzinfo=UTC)
SECONDS, MARGIN = 400.0, 130.0
NAMES = ("R", "G", "B")
SCAN = 0.5
LAG = 1.0
"""Seconds by which the system tells late where an animal is."""


class Cage:
    """Segments of a cage, on the hours of a day, with one log."""

    def __init__(self, folder: Path, behind: dict[int, float]) -> None:
        self.folder = folder
        self.places = {
            hour: wander(SECONDS + 2 * MARGIN, 3, np.random.default_rng(hour)) for hour in behind
        }
        reads = pd.concat([self._reads(hour, late) for hour, late in behind.items()])
        reads.sort_values("time").to_csv(folder / "log.csv", index=False)
        ReadLog(file=folder / "log.csv", output=folder / "log.parquet").run()
        for hour in behind:
            self._check(hour)

    def _reads(self, hour: int, behind: float) -> pd.DataFrame:
        """Return a read of each animal twice a second, by a clock that is behind."""
        seconds = np.arange(-MARGIN, SECONDS + MARGIN - 1, SCAN)
        column, row = np.rint(
            self.places[hour][np.round((seconds + MARGIN) / TICK).astype(int)]
        ).astype(int).transpose(2, 0, 1)  # fmt: skip
        told = pd.Timestamp(DAY) + pd.to_timedelta(hour * 3600 + seconds + LAG - behind, unit="s")
        antennas = column * GRID.rows + row + 1
        return pd.concat(
            pd.DataFrame({"time": told.astype(str), "tag": name, "antenna": antennas[:, place]})
            for place, name in enumerate(NAMES)
        )

    def given(self, hour: int) -> dict[str, object]:
        """Return what every stage of a segment is told."""
        return {
            "cage": "A", "segment": str(hour), "fps": FPS,
            "start": (DAY + timedelta(hours=hour)).isoformat(),
            "readings": (self.folder / "log.parquet",),
        }  # fmt: skip

    def path(self, hour: int, name: str) -> Path:
        return self.folder / f"{hour}.{name}.parquet"

    def _check(self, hour: int) -> None:
        boxes = film(self.places[hour], SECONDS, MARGIN, 0.9, np.random.default_rng(hour))
        detections = self.folder / f"{hour}.csv"
        boxes.assign(score=0.9).to_csv(detections, index=False)
        Check(
            **self.given(hour), detections=detections,
            output_positions=self.path(hour, "positions"),
            output_annotations=self.path(hour, "annotations"),
            output_detections=self.path(hour, "detections"),
        ).run()  # fmt: skip

    def align(self, lag: float | None = LAG) -> None:
        """Run what puts the clock right."""
        of_logs = settings.Readings(lag=lag)
        for hour in self.places:
            WatchClock(
                **self.given(hour), of_logs=of_logs, positions=self.path(hour, "positions"),
                detections=self.path(hour, "detections"), output=self.path(hour, "lateness"),
            ).run()  # fmt: skip
        parts = tuple(self.path(hour, "lateness") for hour in self.places)
        SetClock(segments=parts, output=self.folder / "clocks.parquet").run()
        for hour in self.places:
            Align(
                **self.given(hour), of_logs=of_logs, positions=self.path(hour, "positions"),
                clocks=self.folder / "clocks.parquet", output=self.path(hour, "aligned"),
            ).run()  # fmt: skip

    def right(self, hour: int, late: float) -> float:
        """Return the share of readings that are those of so many seconds before."""
        positions = tables.read(self.path(hour, "aligned"), "positions")
        wide = positions.pivot(index="frame", columns="animal", values="antenna")[list(NAMES)]
        seconds = wide.index.to_numpy() / FPS
        at = np.round((seconds - late + MARGIN) / TICK).astype(int)
        column, row = np.rint(self.places[hour][at]).astype(int).transpose(2, 0, 1)
        return float((wide.to_numpy(dtype=float) == column * GRID.rows + row + 1).mean())


def test_an_offset_and_a_drift_are_put_right_and_told(tmp_path: Path) -> None:
    drift = 200e-6
    hours = [0, 6, 12, 18]
    cage = Cage(tmp_path, {hour: 3.7 + drift * 3600 * hour for hour in hours})
    cage.align()
    clocks = tables.read(tmp_path / "clocks.parquet", "clocks").set_index("segment")
    for hour in hours:
        row = clocks.loc[str(hour)]
        assert row["source"] == "line"
        off = row["used"] - LAG
        # What is scanned twice a second is a quarter of a second old in the mean.
        assert off == pytest.approx(-3.7 - drift * (3600 * hour + SECONDS / 2) + SCAN / 2, abs=0.25)
        assert row["drift"] == pytest.approx(-1e6 * drift, abs=10)
        verdict = tables.read_verdict(cage.path(hour, "aligned"))
        assert verdict.status == "repaired"
        assert (
            f"its antennas' clock is {-off:.1f} s behind the camera's, the antennas' own delay left"
            in verdict.reason
        )
        # What it stamps is earlier and earlier.
        assert "it goes slow by 17 s a day" in verdict.reason
        assert "told by 4 of 4 segments" in verdict.reason
        assert cage.right(hour, LAG + SCAN / 2) > 0.9


def test_a_clock_that_jumps_is_told_from_the_others_of_its_day(tmp_path: Path) -> None:
    cage = Cage(tmp_path, {0: 0.0, 6: 0.0, 12: -61.0, 18: 0.0})
    cage.align()
    clocks = tables.read(tmp_path / "clocks.parquet", "clocks").set_index("segment")
    assert clocks["source"].to_dict() == {"0": "line", "6": "line", "12": "own", "18": "line"}
    reason = tables.read_verdict(cage.path(12, "aligned")).reason
    assert "its antennas' clock is 61." in reason
    assert (
        "s ahead of the camera's, the antennas' own delay left out, unlike the 3 segments around "
        "it that agree" in reason
    )
    assert "it was off in this segment alone, or its own figure is wrong: check" in reason
    assert tables.read_verdict(cage.path(6, "aligned")) == Verdict()
    assert min(cage.right(hour, LAG + SCAN / 2) for hour in (0, 12)) > 0.9


def test_without_a_lag_that_is_known_it_is_put_right_with_the_clock(tmp_path: Path) -> None:
    cage = Cage(tmp_path, {0: 0.0, 6: 0.0, 12: 0.0})
    cage.align(lag=None)
    assert tables.read_verdict(cage.path(0, "aligned")) == Verdict()
    assert cage.right(0, 0.0) > 0.9


def test_a_segment_that_is_discarded_stays_so_and_others_go_on(tmp_path: Path) -> None:
    cage = Cage(tmp_path, {0: 3.0, 6: 3.0})
    gone = Verdict("discarded", "no trace")
    tables.write(tables.empty("positions"), cage.path(0, "positions"), "positions", gone)
    cage.align()
    assert tables.read_verdict(cage.path(0, "aligned")) == gone
    assert tables.read(cage.path(0, "aligned"), "positions").empty
    clocks = tables.read(tmp_path / "clocks.parquet", "clocks")
    unknown = clocks[clocks["segment"] == "0"]
    assert unknown[["begins", "seconds", "late", "used"]].isna().all(axis=None), "no time is known"
    assert unknown["source"].tolist() == ["none"]
    assert clocks["begins"].dropna().dt.year.tolist() == [pd.Timestamp(DAY).year]
    assert cage.right(6, LAG + SCAN / 2) > 0.9


def test_where_nothing_tells_of_the_clock_the_log_is_taken_as_it_is(tmp_path: Path) -> None:
    cage = Cage(tmp_path, {0: 0.0})
    nobody = tables.empty("detections")
    tables.write(nobody, cage.path(0, "detections"), "detections")
    cage.align()
    verdict = tables.read_verdict(cage.path(0, "aligned"))
    assert "nothing tells whether the clock of its antenna log is off" in verdict.reason
    before, after = (
        tables.read(cage.path(0, name), "positions") for name in ("positions", "aligned")
    )
    pd.testing.assert_frame_equal(before, after)


def tell(path: Path, moments: dict[str, pd.Timestamp | None], late: dict[str, float]) -> Path:
    """Write what segments tell of a clock, each for certain; where no time is known, nothing."""
    rows = [
        {"cage": "A", "segment": name, "begins": begins or pd.NaT, "seconds": 150.0,
         "late": late[name] if begins else np.nan, "spread": 0.1 if begins else np.nan,
         "certain": begins is not None, "lag": np.nan, "logs": ["a.csv"]}
        for name, begins in moments.items()
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    table["begins"] = pd.to_datetime(table["begins"], utc=True).astype("datetime64[us, UTC]")
    tables.write(table, path, "lateness")
    return path


def test_days_before_tell_of_a_clock_and_have_their_rows_elsewhere(tmp_path: Path) -> None:
    day = pd.Timedelta(days=1)
    late = {"0": 9.1, "1": 20.3, "2": 31.5}
    before = [
        tell(tmp_path / f"{name}.parquet", {name: pd.Timestamp(DAY) + int(name) * day}, late)
        for name in "01"
    ]
    own = tell(tmp_path / "2.parquet", {"2": pd.Timestamp(DAY) + 2 * day, "gone": None}, late)
    SetClock(segments=(own,), before=tuple(before), output=tmp_path / "clocks.parquet").run()
    clocks = tables.read(tmp_path / "clocks.parquet", "clocks").set_index("segment")
    assert clocks.index.tolist() == ["2", "gone"]
    assert clocks["source"].tolist() == ["line", "none"]
    assert clocks.loc["2", "drift"] == pytest.approx(11.2 / 0.0864, abs=1)
    assert clocks.loc["2", ["line_segments", "line_of"]].tolist() == [3, 4]
    assert clocks.loc["2", "jump_after"] is pd.NaT, "a drift is no jump"


def test_where_the_sheet_tells_no_days_each_is_told_by_the_days_before_it(tmp_path: Path) -> None:
    """The clock is set on the twentieth day: that of before says nothing of the last days."""
    moments: dict[str, pd.Timestamp | None] = {
        str(number): pd.Timestamp(DAY) + pd.Timedelta(hours=12 * number) for number in range(60)
    }
    late = {name: 5.0 + 70.0 * (int(name) >= 40) for name in moments}
    path = tell(tmp_path / "all.parquet", moments, late)
    SetClock(segments=(path,), output=tmp_path / "clocks.parquet").run()
    clocks = tables.read(tmp_path / "clocks.parquet", "clocks").set_index("segment")
    assert (clocks["used"] - pd.Series(late)).abs().max() < 0.01
    assert clocks["line_segments"].max() <= 2 * 4
    assert clocks.index[clocks["jump"].notna()].astype(int).tolist() == [40, 41]


def test_segments_that_contradict_each_other_are_said_not_to_be_sure(tmp_path: Path) -> None:
    cage = Cage(tmp_path, {0: 0.0})
    cage.align()
    row = tables.read(cage.path(0, "lateness"), "lateness")
    other = row.assign(
        segment="6", late=88.1, spread=1.3, certain=False, begins=row["begins"] + pd.Timedelta("6h")
    )
    tables.write(other, cage.path(6, "lateness"), "lateness")
    parts = (cage.path(0, "lateness"), cage.path(6, "lateness"))
    SetClock(segments=parts, output=tmp_path / "clocks.parquet").run()
    clocks = tables.read(tmp_path / "clocks.parquet", "clocks").set_index("segment")
    assert clocks.loc["6", "used"] == pytest.approx(clocks.loc["0", "used"])
    assert clocks.loc["6", "doubt"] == pytest.approx(88.1 - clocks.loc["0", "used"])
    Align(
        **cage.given(0) | {"segment": "6"}, of_logs=settings.Readings(lag=LAG),
        positions=cage.path(0, "positions"), clocks=tmp_path / "clocks.parquet",
        output=cage.path(6, "aligned"),
    ).run()  # fmt: skip
    reason = tables.read_verdict(cage.path(6, "aligned")).reason
    assert "not sure: what tells of it differs by 86." in reason
    assert "told by 1 of 2 segments" in reason
