"""How late readings run: by the boxes of a segment, and by lines over days."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from clocked_cage import FPS, GRID, film, hear, wander
from murid.clocks import lateness, line, search
from murid.clocks.day import of_day
from murid.clocks.days import DAYS_BEFORE
from murid.clocks.lateness import Trace
from murid.clocks.line import Course
from murid.grid import Placed
from placed_cage import CORNERS, ODD
from placed_cage import film as cage

TIMES = np.arange(6_400) / FPS
TUNNEL = ((300.0, 420.0), (980.0, 430.0))


@pytest.mark.parametrize(("late", "animals"), [(0.0, 3), (1.3, 3), (-42.7, 2), (95.0, 4), (5.0, 1)])
def test_how_late_readings_run_is_found_by_boxes_alone(late: float, animals: int) -> None:
    random = np.random.default_rng(animals)
    places = wander(900, animals, random)
    sight = lateness.look(film(places, 640, 130, 0.85, random), TIMES)
    found = lateness.find(sight, hear(places, 130, late), GRID)
    assert found is not None
    assert found.certain
    assert found.shift == pytest.approx(late, abs=0.25)
    assert found.spread < 0.3


@pytest.mark.parametrize("places", [ODD, CORNERS, TUNNEL], ids=["odd", "corners", "tunnel"])
@pytest.mark.parametrize("late", [0.0, 3.4, -25.0])
def test_so_it_is_among_antennas_in_no_grid(
    places: tuple[tuple[float, float], ...], late: float
) -> None:
    filmed = cage(places, 640, 3, held=False)
    sight = lateness.look(filmed.detections, TIMES)
    found = lateness.find(sight, Trace(filmed.read, late), Placed(places))
    assert found is not None
    assert found.certain
    assert found.shift == pytest.approx(late, abs=3 * found.spread)


def test_what_is_hours_off_is_found_around_these_hours() -> None:
    random = np.random.default_rng(5)
    places = wander(900, 3, random)
    sight = lateness.look(film(places, 640, 130, 0.85, random), TIMES)
    trace = hear(places, 130, 3600 + 2.0)
    far = lateness.find(sight, trace, GRID)
    assert far is None or not far.certain
    found = lateness.find(sight, trace, GRID, around=3600)
    assert found is not None
    assert found.certain
    assert found.shift == pytest.approx(3602, abs=0.25)


def test_the_readings_of_others_tell_nothing_for_certain() -> None:
    for seed in range(6):
        random = np.random.default_rng(seed)
        sight = lateness.look(film(wander(900, 3, random), 640, 130, 0.85, random), TIMES)
        found = lateness.find(sight, hear(wander(900, 3, random), 130, 0.0), GRID)
        assert found is None or not found.certain


def test_too_little_tells_nothing() -> None:
    random = np.random.default_rng(2)
    places = wander(300, 3, random)
    trace = hear(places, 130, 1.0)
    short = lateness.look(film(places, 15, 130, 1.0, random), TIMES)
    assert lateness.find(short, trace, GRID) is None
    seldom = lateness.look(film(places, 100, 130, 0.2, random), TIMES)
    assert lateness.find(seldom, trace, GRID) is None
    still = Trace(np.full_like(trace.antennas, 5), trace.begins)
    assert (
        lateness.find(lateness.look(film(places, 100, 130, 1.0, random), TIMES), still, GRID)
        is None
    )
    nobody = pd.DataFrame(columns=["frame", "x", "y", "w", "h"], dtype=np.float64)
    assert lateness.find(lateness.look(nobody, TIMES), trace, GRID) is None


HOURS = np.arange(0, 24, 3.0) * 3600


def through(late: NDArray[np.float64], certain: bool = False, spread: float = 0.1) -> Course | None:
    count = len(late)
    return line.through(
        HOURS[:count], late, np.full(count, spread), np.full(count, certain, dtype=bool)
    )


@given(
    st.floats(-100, 100),
    st.floats(-300, 300),
    st.dictionaries(st.integers(0, 7), st.sampled_from([23.0, -41.0, 87.0]), max_size=2),
    st.integers(0, 10**6),
)
def test_a_line_is_that_of_most_segments(
    offset: float, drift: float, wrong: dict[int, float], seed: int
) -> None:
    noise = np.random.default_rng(seed).uniform(-0.15, 0.15, len(HOURS))
    late = offset + 1e-6 * drift * HOURS + noise
    for place, by in wrong.items():
        late[place] += by
    found = through(late)
    assert found is not None
    middle = np.array([12 * 3600.0])
    assert found.at(middle)[0] == pytest.approx(offset + 1e-6 * drift * middle[0], abs=0.4)
    assert 1e6 * found.drift == pytest.approx(drift, abs=25)
    off = line.off(found, HOURS, late, np.full(len(HOURS), 0.1))
    assert np.flatnonzero(off).tolist() == sorted(wrong)


def test_without_three_that_agree_or_one_that_is_certain_there_is_no_line() -> None:
    assert through(np.array([])) is None
    assert through(np.array([1.0])) is None
    assert through(np.array([1.0, 1.1])) is None
    assert through(np.array([1.0, 50.0, -70.0])) is None
    assert through(np.array([1.0]), certain=True) is not None
    few = through(np.array([1.0, 1.1, 1.0]))
    assert few is not None
    assert few.drift == 0


def test_a_drift_that_chance_may_make_is_none() -> None:
    found = through(2.0 + np.array([0.1, -0.1, 0.05, -0.05, 0.1, -0.1, 0.0, 0.05]))
    assert found is not None
    assert found.drift == 0
    assert found.at(HOURS) == pytest.approx(2.0, abs=0.1)


def test_what_two_segments_tell_is_a_drift_or_a_jump_and_both_are_kept() -> None:
    found = line.through(
        np.array([10.0, 22.0]) * 3600, np.array([9.1, 14.6]), np.full(2, 0.2), np.full(2, True)
    )
    assert found is not None
    assert found.other is not None
    assert found.drift == 0
    assert 1e6 * found.other.drift == pytest.approx(127, abs=1)
    between = np.array([10.0, 16.0, 22.0]) * 3600
    assert found.open(between)[1] >= 2.7, "a drift has half of it there, a jump all or nothing"
    assert found.open(between)[[0, 2]] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("drift", [15.0, 40.0, -70.0])
def test_a_drift_over_a_day_is_no_staircase_of_jumps(drift: float) -> None:
    moments = np.arange(1, 24, 4.0) * 3600
    noise = np.array([0.05, -0.1, 0.1, -0.05, 0.0, 0.1])
    late = 2.0 + 1e-6 * drift * moments + noise
    found = line.through(moments, late, np.full(6, 0.1), np.full(6, True))
    assert found is not None
    assert len(found.lines) == 1
    assert found.other is None
    assert 1e6 * found.drift == pytest.approx(drift, abs=8)


@pytest.mark.parametrize("count", [200, 400])
def test_many_segments_make_no_jumps_that_do_no_harm(count: int) -> None:
    random = np.random.default_rng(count)
    moments = np.sort(random.uniform(0, 96, count)) * 3600
    late = 3 + 100e-6 * moments + random.normal(0, 0.2, count)
    found = line.through(moments, late, np.full(count, 0.2), np.full(count, True))
    assert found is not None
    assert len(found.lines) == 1
    assert 1e6 * found.drift == pytest.approx(100, abs=1)


@pytest.mark.parametrize("sure", [True, False])
def test_where_lines_are_tried_through_fewer_segments_no_short_one_is_missed(
    monkeypatch: pytest.MonkeyPatch, sure: bool
) -> None:
    """Of a clock that is set for a while, between segments some of which tell nothing."""
    random = np.random.default_rng(7)
    moments = np.arange(160) * 1800.0
    late = 3 + 40e-6 * moments + random.normal(0, 0.2, 160)
    late[73:80] += 20.0
    told = np.full(160, sure)
    told[::4] = False
    late[::4] = random.uniform(-120, 120, 40)
    every = line.through(moments, late, np.full(160, 0.2), told)
    monkeypatch.setattr(search, "MOST_STRETCHES", 16)
    fewer = line.through(moments, late, np.full(160, 0.2), told)
    assert every is not None
    assert fewer is not None
    assert len(every.lines) == len(fewer.lines) == 3
    assert fewer.at(moments) == pytest.approx(every.at(moments), abs=0.2)


@pytest.mark.parametrize("drift", [490.0, 501.0, -506.0, 520.0])
@pytest.mark.parametrize("certain", [0.0, 0.5, 1.0])
def test_a_drift_that_may_be_too_fast_for_a_clock_is_not_taken_for_a_level_line(
    drift: float, certain: float
) -> None:
    random = np.random.default_rng(3)
    moments = np.arange(16) * 6 * 3600.0
    true = 2.0 + 1e-6 * drift * moments
    late, sure = true + random.normal(0, 0.1, 16), random.random(16) < certain
    found = line.through(moments, late, np.full(16, 0.1), sure)
    if found is not None:
        stands = sure | (np.abs(drift) < 500)
        assert found.at(moments)[stands] == pytest.approx(true[stands], abs=1.0)
    else:
        assert not sure.any()


def test_a_clock_that_is_set_every_night_drifts_in_between() -> None:
    moments = (np.repeat(np.arange(4) * 24.0, 3) + np.tile([4.0, 12.0, 20.0], 4)) * 3600
    late = 130e-6 * (moments % 86_400)
    found = line.through(moments, late, np.full(12, 0.1), np.full(12, True))
    assert found is not None
    assert len(found.lines) == 4
    assert 1e6 * found.drift == pytest.approx(130, abs=3)
    assert found.at(moments) == pytest.approx(late, abs=0.1)
    # The next night it is set as well, perhaps before anything tells so.
    assert (found.open(moments) == 0).all()
    assert found.open(moments[-1:] + 8 * 3600) == pytest.approx([11.2], abs=0.3)


def test_what_contradicts_a_clock_after_its_line_leaves_it_open_for_those_that_tell_nothing() -> (
    None
):
    hours = np.array([0.0, 24, 48, 72, 75, 78])
    rows = pd.DataFrame(
        {
            "cage": "A", "segment": [*"abcdef"],
            "begins": pd.to_datetime(hours * 3600, unit="s", utc=True), "seconds": 0.0,
            "late": [50.0, 50, 50, 0, 0.1, np.nan], "spread": 0.2,
            "certain": hours < 72, "lag": np.nan, "logs": [["a.csv"]] * 6,
        }
    )  # fmt: skip
    assert of_day(rows, hours >= 72)["doubt"].tolist() == pytest.approx([50, 50, 50])
    assert of_day(rows, hours < 72)["doubt"].tolist() == [0, 0, 0]


def test_segments_of_one_time_are_of_one_setting_of_the_clock() -> None:
    """Of three cages at the last hour one is off: the clock was not set for it alone."""
    moments = np.array([0.0, 1, 2, 6 * 3600, 6 * 3600 + 1, 6 * 3600 + 2])
    late = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 40.0])
    found = line.through(moments, late, np.full(6, 0.1), np.full(6, True))
    assert found is not None
    assert len(found.lines) == 1
    assert line.off(found, moments, late, np.full(6, 0.1)).tolist() == [False] * 5 + [True]


class Log:
    """What segments tell of the clock of a log that drifts, over days, by lot.

    One of them finds its best shift by chance; some are not certain.
    """

    def __init__(self, seed: int, a_day: int, jump: float = 0.0, days: int = 6) -> None:
        random = np.random.default_rng(seed)
        hours = [24 * day + np.sort(random.choice(24, a_day, replace=False)) for day in range(days)]
        self.moments = np.concatenate(hours) * 3600.0 + 1_000
        count = len(self.moments)
        self.day = (self.moments // 86_400).astype(int)
        noise = random.uniform(0.1, 0.5)
        self.set_at = int(random.integers(2 * a_day, count - 1))
        self.true = random.uniform(-30, 30) + 1e-6 * random.uniform(-200, 200) * self.moments
        self.true += jump * (np.arange(count) >= self.set_at)
        self.late = self.true + (noise * random.standard_normal(count)).clip(-0.9, 0.9)
        self.spread = np.full(count, noise)
        self.certain = random.random(count) < 0.9
        self.wrong = int(random.integers(count))
        self.late[self.wrong] += random.uniform(-100, 100)
        self.certain[self.wrong] = False

    def told(self) -> pd.DataFrame:
        """Return the rows of ``clocks`` of all days, each made by itself."""
        rows = pd.DataFrame(
            {
                "cage": "A", "segment": np.arange(len(self.day)).astype(str),
                "begins": pd.to_datetime(self.moments, unit="s", utc=True), "seconds": 0.0,
                "late": self.late, "spread": self.spread, "certain": self.certain, "lag": np.nan,
                "logs": [["a.csv"]] * len(self.day),
            }
        )  # fmt: skip
        made = []
        for day in np.unique(self.day):
            known = (self.day <= day) & (self.day >= day - DAYS_BEFORE)
            made.append(of_day(rows[known].reset_index(drop=True), self.day[known] == day))
        return pd.concat(made, ignore_index=True)


@pytest.mark.parametrize(("a_day", "most"), [(1, 0.2), (2, 0.02), (4, 0.005)])
def test_a_clock_that_drifts_is_right_from_the_second_day_on_or_said_not_to_be_sure(
    a_day: int, most: float
) -> None:
    off, silent, count = 0, 0, 0
    for seed in range(30):
        log = Log(seed, a_day)
        rows = log.told()
        wrong = (np.abs(rows["used"] - log.true) > 1.0)[log.day > 0]
        told = (rows["doubt"] >= line.search.LEAST_JUMP)[log.day > 0]
        off, silent, count = off + wrong.sum(), silent + (wrong & ~told).sum(), count + len(wrong)
    assert off / count <= most
    assert silent / count <= 0.01


@pytest.mark.parametrize("a_day", [2, 4])
@pytest.mark.parametrize("jump", [5.0, -12.0, 60.0])
def test_a_jump_is_found_and_not_bent_into_a_drift(a_day: int, jump: float) -> None:
    found, wrong, count = 0, 0, 0
    for seed in range(10):
        log = Log(seed, a_day, jump)
        rows = log.told()
        off = np.abs(rows["used"] - log.true) > 1.0
        wrong += (off & (rows["doubt"] < line.search.LEAST_JUMP))[log.day > 0].sum()
        count += (log.day > 0).sum()
        of_day = rows[(log.day == log.day[log.set_at]) & rows["jump"].notna()]
        found += bool((np.abs(of_day["jump"] - jump) < 2.5).any())
        if log.certain[log.set_at] and log.wrong != log.set_at:
            own = rows.loc[log.set_at]
            assert abs(own["used"] - log.true[log.set_at]) < 1.5 or own["doubt"] > 1
    assert found >= 8
    assert wrong / count <= 0.01
