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


@pytest.mark.parametrize("later", [-12, -3.5, -1, 0.25, 1, 2, 5.75, 10, 14])
def test_a_log_written_twice_by_clocks_of_two_zones_is_refused(
    tmp_path: Path, later: float
) -> None:
    reads = wandering(1)
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", reads, later)]
    with pytest.raises(InputError) as refused:
        contradictions.refuse(logs, filmed(0.25))
    text = str(refused.value)
    assert "a.csv, b.csv" in text
    assert f"in the second {later:+g} h from the first" in text
    assert "column readings" in text
    with pytest.raises(InputError, match="from the first"):
        contradictions.refuse(logs[::-1], filmed(0.25))


@pytest.mark.parametrize("later", [-4000, -612, -7, 2, 5, 37, 450, 1810])
def test_a_log_written_twice_by_clocks_some_seconds_apart_is_refused(
    tmp_path: Path, later: int
) -> None:
    reads = wandering(2)
    second = reads.assign(time=reads["time"] + timedelta(seconds=later))
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", second)]
    for order, by in ((logs, later), (logs[::-1], -later)):
        with pytest.raises(InputError) as refused:
            contradictions.refuse(order, filmed(1))
        text = str(refused.value)
        told = float(text.partition("in the second ")[2].partition(" s ")[0])
        by = by if text.index(order[0].stem) < text.index(order[1].stem) else -by
        assert abs(told - by) <= 1
        assert "another machine" in text


@pytest.mark.parametrize("later", [0, 0.4, 1])
def test_a_copy_that_is_rounded_otherwise_passes(tmp_path: Path, later: float) -> None:
    reads = wandering(1)
    second = reads.assign(time=reads["time"].dt.floor("s") + timedelta(seconds=later))
    contradictions.refuse(
        [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", second)], filmed(0.25)
    )


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


def resting(reads: pd.DataFrame, before: float = 0.5, after: float = 0.5) -> pd.DataFrame:
    """Return reads of which all within some hours of 15:00 are of antenna 1: animals at rest."""
    hours = (reads["time"] - NOON).dt.total_seconds() / 3600 - 3
    return reads.assign(antenna=reads["antenna"].mask(hours.between(-before, after), "1"))


def apart(reads: pd.DataFrame, since: float, until: float) -> pd.DataFrame:
    """Return reads of which those from so many hours after noon until others are 5.5 h later."""
    hours = (reads["time"] - NOON).dt.total_seconds() / 3600
    wrong = hours.between(since, until)
    return reads.assign(time=reads["time"].mask(wrong, reads["time"] + timedelta(hours=5.5)))


@pytest.mark.parametrize("rest", [(2, 2), (0.5, 3), (3, 0.5)], ids=["both", "before", "after"])
@pytest.mark.parametrize("later", [-1, 1, 5.5])
def test_mice_at_rest_in_a_short_segment_are_told_by_moves_beside_it(
    tmp_path: Path, later: float, rest: tuple[float, float]
) -> None:
    reads = resting(wandering(6, step=30), *rest)
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", reads, later)]
    for order in (logs, logs[::-1]):
        with pytest.raises(InputError, match="from the first"):
            contradictions.refuse(order, filmed(3, minutes=0.2))


@pytest.mark.parametrize(
    ("since", "until", "refused"), [(1.5, 6, True), (4.5, 6, False)], ids=["before", "after"]
)
def test_of_logs_that_part_at_some_hour_the_moves_of_the_segment_tell(
    tmp_path: Path, since: float, until: float, refused: bool
) -> None:
    reads = wandering(6, step=4)
    logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", apart(reads, since, until))]
    if refused:
        with pytest.raises(InputError, match=r"\+5\.5 h"):
            contradictions.refuse(logs, filmed(3))
    else:
        contradictions.refuse(logs, filmed(3))


def test_logs_of_other_hours_that_contradict_each_other_are_no_matter(tmp_path: Path) -> None:
    reads = wandering(0.5)
    logs = [log(tmp_path, name, reads, later) for name, later in (("a.csv", 0), ("b.csv", 1))]
    logs.append(log(tmp_path, "c.csv", wandering(1, seed=2), 2))
    contradictions.refuse(logs, filmed(2.25, minutes=0.2))
    with pytest.raises(InputError, match=r"b\.csv, a\.csv"):
        contradictions.refuse(logs, filmed(1.25, minutes=0.2))


@pytest.mark.parametrize("minutes", [0.2, 10])
def test_mice_at_rest_in_logs_that_agree_or_are_of_others_pass(
    tmp_path: Path, minutes: float
) -> None:
    reads, of_others = (resting(wandering(6, seed, step=30)) for seed in (1, 2))
    for second in (reads, of_others, reads[reads["tag"] == "AA"]):
        logs = [log(tmp_path, "a.csv", reads), log(tmp_path, "b.csv", second)]
        contradictions.refuse(logs, filmed(3, minutes=minutes))


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
@given(
    stay=st.sampled_from([1, 2, 5, 20, 333, 450, 500, 900, 1800, 3600]),
    step=st.sampled_from([1.0, 2.0]),
)
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
