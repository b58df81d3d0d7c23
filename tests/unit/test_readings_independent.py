"""Logs made by writers that know nothing of the readers are given back, read for read.

The writers (``tests/log_writers``) were made from what is public of each system, so that what a
reader believes of a form is not tested by its own belief. Clocks change in most of these logs.
"""

import functools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from log_writers import eeehive, hca, intellicage, live_mouse_tracker, pymousetracks, uid
from log_writers.wall import local
from murid import settings
from murid.errors import InputError
from murid.grid import Grid
from murid.readings import frame_times, logs, places
from murid.readings.how import How
from murid.tables import Verdict

CHANGES = (
    ("Europe/Berlin", datetime(2024, 10, 27, 1)),
    ("Europe/Berlin", datetime(2024, 3, 31, 1)),
    ("America/New_York", datetime(2024, 11, 3, 6)),
    ("Australia/Sydney", datetime(2024, 4, 6, 16)),
    ("Australia/Sydney", datetime(2024, 10, 5, 16)),
    ("Australia/Lord_Howe", datetime(2025, 4, 5, 15)),
    ("America/Santiago", datetime(2025, 4, 6, 3)),
    ("America/Santiago", datetime(2025, 9, 7, 4)),
    ("Asia/Kolkata", datetime(2024, 7, 1, 19)),
    ("Etc/GMT-1", datetime(2024, 10, 27, 1)),
    ("UTC", datetime(2024, 12, 31, 23, 59)),
)
"""Zones, and when their clocks change, UTC; some never do."""
TAGS = ("989001025046418", "001040953473", "989001025046495")
"""The middle one is as Live Mouse Tracker has them, with noughts in front."""


@dataclass(frozen=True)
class Form:
    """A form of logs: who writes it, how many antennas there are, and what a log calls each."""

    write: Callable[..., list[Path]]
    resolution: int
    antennas: int
    called: Callable[[int], str] = str
    told: Callable[[pd.DataFrame], pd.DataFrame] = lambda reads: reads


def _pixels(antenna: int) -> str:
    row, column = divmod(antenna - 1, 4)
    return f"{live_mouse_tracker.XS[column]}_{live_mouse_tracker.YS[row]}"


def _visited(**kind: bool) -> Form:
    return Form(functools.partial(intellicage.write, **kind), intellicage.RESOLUTION, 4)


def _lmt(time: str) -> Form:
    write = functools.partial(live_mouse_tracker.write, time=time)
    told = live_mouse_tracker.in_frames
    return Form(write, live_mouse_tracker.RESOLUTION, 16, _pixels, told)


def _changed(reads: pd.DataFrame) -> pd.DataFrame:
    """Return reads of a tag at another antenna than before: HCA repeats them ever again."""
    before = reads.groupby("tag", observed=True)["antenna"].shift()
    return reads[reads["antenna"] != before]


LOCAL = {
    "intellicage": _visited(),
    "intellicage, version 3.1": _visited(offsets=False, comma=True),
    "intellicage, legacy": _visited(legacy=True, comma=True),
    "intellicage, a folder": _visited(zipped=False),
    "intellicage, without folders": _visited(flat=True),
    "uid": Form(functools.partial(uid.write, parts=1), uid.RESOLUTION, 8),
    "eeehive": Form(eeehive.write, eeehive.RESOLUTION, 96),
    "eeehive, whole seconds": Form(
        functools.partial(eeehive.write, fraction=False, ending=".log"), 1000, 96
    ),
    "eeehive, one log": Form(eeehive.write_one, eeehive.RESOLUTION, 96),
}
"""Forms with times of the clock on the wall."""
SINCE_1970 = {
    "hca": Form(hca.write, hca.RESOLUTION, 18, told=_changed),
    "hca, short files": Form(
        functools.partial(hca.write, length=20_000), hca.RESOLUTION, 18, told=_changed
    ),
    "lmt, frames": _lmt("frames"),
    "lmt, milliseconds": _lmt("milliseconds"),
    "pymousetracks": Form(
        pymousetracks.write, pymousetracks.RESOLUTION, 6, lambda antenna: str(antenna - 1)
    ),
}
"""Forms with times that no zone touches."""


@st.composite
def logged(draw: st.DrawFn, form: Form, before: timedelta, step: float) -> tuple[str, pd.DataFrame]:
    """Reads from some time before a change of clocks to the same after it, and the zone.

    ``step`` is how many seconds pass between two reads, at most.
    """
    zone, change = draw(st.sampled_from(CHANGES))
    most = round(step * 1000) // form.resolution
    count = round(2 * before.total_seconds() / step) * 2
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steps = random.integers(0, most, count, endpoint=True) * form.resolution
    begins = (change - before).replace(tzinfo=UTC)
    reads = pd.DataFrame(
        {
            "time": pd.Timestamp(begins).as_unit("ns") + pd.to_timedelta(steps.cumsum(), "ms"),
            "tag": random.choice(TAGS, count),
            "antenna": random.integers(1, form.antennas, count, endpoint=True),
        }
    )
    lasts = random.integers(form.resolution, 20 * 60_000, count) // 40 * 40
    reads["end"] = reads["time"] + pd.to_timedelta(lasts, "ms")
    return zone, reads.drop_duplicates(["time", "tag"]).reset_index(drop=True)


def _logs(written: list[Path]) -> Iterator[Path]:
    """Yield what a user would name in the sheet."""
    for path in written:
        if path.is_dir():
            yield path / "IntelliCage" / "Visits.txt"
        elif path.name != "timestamps.csv" and path.stat().st_size:
            yield path


def _read(form: Form, zone: str, reads: pd.DataFrame) -> tuple[pd.DataFrame, Verdict]:
    """Write reads, and return what is read of it, of all files by time; the system is not told."""
    how = How(**settings.Logs(zone=zone).model_dump())
    with tempfile.TemporaryDirectory() as folder:
        found = [logs.read(path, how) for path in _logs(form.write(Path(folder), reads, zone))]
    table = pd.concat([each.table.astype({"tag": str, "antenna": str}) for each in found])
    verdict = Verdict()
    for each in found:
        verdict |= each.verdict
    return _in_order(form.told(table.sort_values("time", kind="stable"))), verdict


def _expected(form: Form, reads: pd.DataFrame) -> pd.DataFrame:
    called = form.told(reads).assign(antenna=lambda rows: rows["antenna"].map(form.called))
    return _in_order(called.assign(duration=(reads["end"] - reads["time"]).dt.total_seconds()))


def _in_order(reads: pd.DataFrame) -> pd.DataFrame:
    times = reads["time"].dt.as_unit("us")
    columns = ["time", "tag", "antenna"]
    return reads.assign(time=times).sort_values(columns, ignore_index=True)


def _rows(reads: pd.DataFrame) -> list[tuple]:
    return [*reads[["time", "tag", "antenna"]].itertuples(index=False, name=None)]


def _apart(found: pd.DataFrame, expected: pd.DataFrame) -> list[tuple]:
    """Return the first of what only one of two has."""
    both = Counter(_rows(found)), Counter(_rows(expected))
    return [*(both[0] - both[1]), *(both[1] - both[0])][:6]


@pytest.mark.parametrize("name", SINCE_1970)
@given(data=st.data())
@effort(max_examples=3, deadline=None)
def test_reads_by_a_clock_without_a_zone_come_back_as_they_were(name, data):
    form = SINCE_1970[name]
    zone, reads = data.draw(logged(form, timedelta(seconds=30), 2.0))
    found, verdict = _read(form if "lmt" not in name else _read_as(form), zone, reads)
    assert _apart(found, _expected(form, reads)) == []
    assert verdict.status == "usable", verdict.reason


def _read_as(form: Form) -> Form:
    """Return a form whose log tells its reads themselves."""
    return Form(form.write, form.resolution, form.antennas, form.called)


@pytest.mark.parametrize("name", LOCAL)
@given(data=st.data())
@effort(max_examples=3, deadline=None)
def test_reads_by_the_clock_on_the_wall_come_back_as_they_were_while_it_changes(name, data):
    form = LOCAL[name]
    zone, reads = data.draw(logged(form, timedelta(hours=2), 120.0))
    found, verdict = _read(form, zone, reads)
    expected = _expected(form, reads)
    assert _apart(found, expected) == []
    assert verdict.status == "usable", verdict.reason
    if "intellicage" in name:
        assert found["duration"].to_numpy() == pytest.approx(expected["duration"], abs=1e-3)


@pytest.mark.parametrize("name", LOCAL)
@given(data=st.data(), parts=st.integers(1, 3))
@effort(max_examples=4, deadline=None)
def test_where_few_reads_do_not_tell_when_the_clock_fell_back_it_is_said(name, data, parts):
    form = LOCAL[name]
    if name == "uid":
        form = Form(functools.partial(uid.write, parts=parts), form.resolution, form.antennas)
    zone, reads = data.draw(logged(form, timedelta(hours=2), 3000.0))
    found, verdict = _read(form, zone, reads)
    expected = _expected(form, reads)
    if verdict.status == "usable":
        assert _apart(found, expected) == []
    else:
        assert f"in the hour that comes twice in {zone}" in verdict.reason or (
            "in an hour that comes twice" in verdict.reason
        )
        assert {*_walls(found, zone)} <= {*_walls(expected, zone)}


def _walls(reads: pd.DataFrame, zone: str) -> Iterator[tuple]:
    return zip(local(reads["time"], zone), reads["tag"], reads["antenna"], strict=True)


def test_zones_of_a_matrix_and_antennas_of_plates_are_where_their_systems_have_them():
    zones = places.numbered(logs.formats()["uid"].numbering, Grid(2, 4))
    assert zones == {str(zone): 2 * x + y + 1 for zone, (x, y) in uid.PLACES.items()}
    antennas = places.numbered(logs.formats()["eeehive"].numbering, Grid(8, 12))
    places_of = {str(antenna): eeehive.place(antenna) for antenna in range(1, 97)}
    assert antennas == {name: 8 * column - row + 1 for name, (column, row) in places_of.items()}


def test_tags_that_an_eee_hive_sees_at_once_are_read_of_one_line(tmp_path):
    time = pd.Timestamp("2024-06-01 12:00:00.250", tz="UTC").as_unit("ns")
    reads = pd.DataFrame({"time": [time] * 3, "tag": TAGS, "antenna": [30, 30, 31]})
    _, board, *_ = eeehive.write(tmp_path, reads, "Asia/Tokyo")
    assert board.read_text().count("\n") == 2
    found = logs.read(board, How(zone="Asia/Tokyo")).table
    assert {*_rows(found)} == {*zip([time] * 3, TAGS, ["30", "30", "31"], strict=True)}


def test_a_database_of_the_tracker_as_published_is_said_to_have_no_reads(tmp_path):
    time = pd.Timestamp("2024-06-01 12:00", tz="UTC").as_unit("ns")
    reads = pd.DataFrame({"time": [time], "tag": TAGS[:1], "antenna": [5]})
    [path] = live_mouse_tracker.write(tmp_path, reads, "UTC", time="none")
    with pytest.raises(InputError, match=r"RFIDEVENT without a row.*a build of it that fills"):
        logs.read(path, How())


def test_frames_of_pymousetracks_are_by_the_clock_of_its_reads(tmp_path):
    time = pd.Timestamp("2024-10-27 00:30:00.120", tz="UTC").as_unit("ns")
    reads = pd.DataFrame({"time": [time], "tag": ["801010270"], "antenna": [1]})
    _, frames = pymousetracks.write(tmp_path, reads, "Europe/Berlin")
    taken = frame_times.read(frames, "Europe/Berlin")
    assert taken[:3].tolist() == [time.value // 1000 + 25_000 * frame for frame in range(3)]
