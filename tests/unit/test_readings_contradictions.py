"""Two logs of a segment that say the same of different hours are refused; others are not."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from murid import settings as of_murid
from murid import tables
from murid.animals import Worn
from murid.errors import InputError
from murid.grid import Grid
from murid.readings import contradictions, frame_times
from murid.readings.segment import Wanted

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TAGS = ("AA", "BB", "CC")


def wandering(hours: float, seed: int = 1, step: float = 2.0) -> pd.DataFrame:
    """Return reads of three animals that go about, from noon on, every ``step`` seconds each."""
    random = np.random.default_rng(seed)
    count = int(hours * 3600 / step)
    parts = []
    for tag in TAGS:
        times = [NOON + timedelta(seconds=step * n + random.uniform(0, 0.5)) for n in range(count)]
        antennas = random.integers(1, 19, count).astype(str)
        parts.append(pd.DataFrame({"time": times, "tag": tag, "antenna": antennas}))
    return pd.concat(parts, ignore_index=True)


def log(folder: Path, name: str, reads: pd.DataFrame, later: float = 0) -> Path:
    """Write the table of a log whose clock is so many hours fast."""
    made = reads.assign(time=reads["time"] + timedelta(hours=later), duration=np.float32("nan"))
    made = made.sort_values("time", ignore_index=True)
    made["time"] = made["time"].astype("datetime64[us, UTC]")
    about = {"file": name, "hold": "5.0", "numbering": "columns"}
    if len(made):
        ends = (made["time"].iloc[place].isoformat() for place in (0, -1))
        about |= dict(zip(("first", "last"), ends, strict=True))
    path = folder / f"{name}.parquet"
    tables.write(made, path, "readings", None, about)
    return path


def filmed(hours: float, minutes: float = 10, **given: float) -> Wanted:
    """Return a segment that begins so many hours after noon."""
    start = (NOON + timedelta(hours=hours)).isoformat()
    frames = frame_times.regular(start, "UTC", 10.0, int(minutes * 600), "the sheet")
    worn = [Worn("A", animal, tag) for animal, tag in zip("RGB", TAGS, strict=True)]
    return Wanted("A", (), frames, worn, None, Grid(), of_murid.Readings(**given))


@pytest.mark.parametrize("later", [-12, -1, 1, 2, 10])
def test_a_log_written_twice_by_clocks_of_two_zones_is_refused(tmp_path: Path, later: int) -> None:
    reads = wandering(1)
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", reads, later)]
    with pytest.raises(InputError) as refused:
        contradictions.refuse(logs, filmed(0.25))
    text = str(refused.value)
    assert "a.csv, b.csv" in text
    assert f"in the second {later:+d} h from the first" in text
    assert "column readings" in text
    with pytest.raises(InputError, match="from the first"):
        contradictions.refuse(logs[::-1], filmed(0.25))


def test_the_hours_of_which_only_the_wrong_log_tells_are_refused_as_well(tmp_path: Path) -> None:
    reads = wandering(1)
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", reads, 3)]
    with pytest.raises(InputError, match=r"b\.csv, a\.csv: .* -3 h"):
        contradictions.refuse(logs, filmed(3.25))


def test_what_the_settings_say_of_the_clock_is_taken_off_first(tmp_path: Path) -> None:
    reads = wandering(1)
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", reads, 1)]
    with pytest.raises(InputError, match="12:15:00"):
        contradictions.refuse(logs, filmed(4.25, offset=4 * 3600.0))


def test_a_copy_rounded_to_seconds_is_still_one(tmp_path: Path) -> None:
    reads = wandering(1)
    rounded = reads.assign(time=reads["time"].dt.round("s"))
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", rounded, 1)]
    with pytest.raises(InputError, match=r"\+1 h"):
        contradictions.refuse(logs, filmed(0.25))


@pytest.mark.parametrize(
    "second",
    [
        lambda reads: reads,
        lambda reads: reads[reads["time"] >= NOON + timedelta(minutes=20)],
        lambda reads: reads[reads["tag"] == "AA"],
        lambda reads: reads[:0],
        lambda _: wandering(3, seed=2),
    ],
    ids=["a copy", "one that goes on", "one of a single tag", "an empty one", "another's"],
)
def test_logs_that_do_not_contradict_each_other_pass(tmp_path: Path, second) -> None:
    reads = wandering(3)
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", second(reads))]
    contradictions.refuse(logs, filmed(0.25))


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(stay=st.sampled_from([1, 2, 5, 20, 3600]), step=st.sampled_from([1.0, 2.0]))
def test_habits_are_no_copies(tmp_path: Path, stay: int, step: float) -> None:
    """An animal that goes to and fro all day does at one hour what it does at the next."""
    places = (np.arange(int(3 * 3600 / step)) // stay % 2 + 1).astype(str)
    times = [NOON + timedelta(seconds=step * n) for n in range(len(places))]
    reads = pd.DataFrame({"time": times, "tag": "AA", "antenna": places})
    middle = NOON + timedelta(hours=1)
    logs = [
        log(tmp_path, "a.csv", reads[reads["time"] < middle]),
        log(tmp_path, "b.csv", reads[reads["time"] >= middle]),
    ]
    contradictions.refuse(logs, filmed(0.25))
