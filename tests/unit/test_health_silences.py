"""What silences are told: those that are no chance, and none of sound days."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.health import pauses, rows, silences, visits
from murid.health.rows import Look
from roaming_cage import DAY, NAMES, START, at, roam, without

KNOWN = [str(number) for number in range(1, 19)]


def look_at(reads: pd.DataFrame, days: int) -> Look:
    """Return what logs with these reads show."""
    several = visits.days([(at(0), at(24 * days - 0.01))], "UTC")
    times = (START.timestamp() * 1e6 + reads["seconds"] * 1e6).to_numpy(dtype=np.int64)
    for number, day in enumerate(several):
        there = (reads["seconds"] // DAY == number).to_numpy()
        antennas = reads.loc[there, "antenna"].astype(str)
        animals = pd.Categorical(reads.loc[there, "tag"], categories=NAMES)
        visits.gather(day, times[there], animals, pd.Categorical(antennas))
    return Look("A", "UTC", several)


def told(look: Look) -> list[tuple[str, str, str]]:
    found = [
        *rows.of_antennas(look, KNOWN),
        *rows.of_tags(look, ()),
        *pauses.rows(look, pauses.Times((), None)),
    ]
    return [(row["kind"], row["subject"], row["remark"]) for row in found]


@pytest.mark.parametrize("passing", [False, True], ids=["polled", "passing"])
def test_of_a_hundred_sound_days_nothing_is_told(passing: bool) -> None:
    for seed in range(40):
        assert told(look_at(roam(1, seed, passing), 1)) == [], seed
    for seed in range(100, 103):
        assert told(look_at(roam(4, seed, passing), 4)) == [], seed


@pytest.mark.parametrize("passing", [False, True], ids=["polled", "passing"])
@pytest.mark.parametrize("antenna", [1, 8])
@pytest.mark.parametrize("hour", [2, 14, 18])
def test_antennas_that_die_are_told_wherever_and_whenever(
    passing: bool, antenna: int, hour: int
) -> None:
    reads = without(
        roam(2, antenna, passing), 24 + hour, 48, lambda reads: reads["antenna"] == antenna
    )
    found = {(kind, subject) for kind, subject, _ in told(look_at(reads, 2))}
    assert found == {("dead_antenna", str(antenna))}


def test_a_cage_that_sleeps_leaves_no_antenna_dead() -> None:
    reads = roam(1, seed=3)
    asleep = without(reads, 15, 24, lambda reads: reads["antenna"] != 1)
    assert told(look_at(asleep, 1)) == []


@given(
    trials=st.lists(st.integers(0, 300), max_size=200).map(sorted),
    share=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_silences_are_stretches_without_a_read(trials: list[int], share: float, seed: int) -> None:
    times = np.array(trials, dtype=np.int64)
    alive = np.unique(times[np.random.default_rng(seed).random(len(times)) < share])
    hits = int(np.isin(times, alive).sum())
    for silence in silences.find(alive, times, hits):
        first = alive[silence.after] if silence.after >= 0 else -1
        last = alive[silence.before] if silence.before is not None else 301
        within = times[(times > first) & (times < last)]
        assert len(within) == silence.trials >= silences.FEWEST_BINS
        assert not np.isin(within, alive).any()


@given(st.lists(st.integers(0, 1000), max_size=30), st.integers(1, 6))
def test_what_stands_apart_is_longer_than_all_else(lengths: list[int], most: int) -> None:
    values = np.array(lengths, dtype=np.int64)
    told = silences.apart(values, most)
    assert told.sum() <= most
    if told.any():
        assert values[told].min() >= silences.APART * values[~told].max()
