"""From reads to a trace: how long a read holds, and what cannot have been."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.grid import Grid
from murid.readings import trace
from murid.readings.trace import SECOND, Reads

GRID = Grid(12, 12)


def reads(*pairs: tuple[float, int]) -> Reads:
    times, antennas = zip(*pairs, strict=True) if pairs else ((), ())
    return Reads((np.array(times) * SECOND).astype(np.int64), np.array(antennas, dtype=np.int64))


@given(
    st.dictionaries(st.integers(0, 60_000), st.integers(1, 18), max_size=30),
    st.floats(0.1, 30),
    st.lists(st.integers(0, 60_000), min_size=1, max_size=40),
)
def test_each_frame_has_the_last_read_that_holds(
    antennas: dict[int, int], hold: float, frames: list[int]
) -> None:
    pairs, frames = sorted(antennas.items()), sorted(frames)
    given_ = Reads(
        np.array([time for time, _ in pairs], dtype=np.int64) * 1000,
        np.array([antenna for _, antenna in pairs], dtype=np.int64),
    )
    found = trace.at(np.array(frames, dtype=np.int64) * 1000, given_, hold)
    for frame, antenna in zip(frames, found, strict=True):
        before = [pair for pair in pairs if pair[0] <= frame and frame - pair[0] <= hold * 1000]
        assert antenna == (before[-1][1] if before else 0)


def far(antenna: int, rows: int = 0, columns: int = 0) -> int:
    return antenna + rows + columns * GRID.rows


@pytest.mark.parametrize(
    ("track", "wrong"),
    [
        ([(0, 1), (0.5, far(1, columns=6)), (1, 1)], [1]),
        ([(0, 1), (0.4, far(1, 5)), (0.5, far(1, 5)), (1, 2)], [1, 2]),
        ([(0, 1), (0.5, far(1, columns=3)), (1, 1)], []),  # a fast mouse
        ([(0, 1), (2.0, far(1, columns=6)), (2.5, 1)], []),  # time enough to get there
        ([(0, 1), (0.5, far(1, columns=6)), (2.0, 1)], []),
        ([(0, 1), (0.5, far(1, columns=6)), (1, far(1, columns=11))], []),  # which one is wrong?
        ([(0, 1), (0.5, far(1, columns=6))], []),
        ([(0, 1)], []),
        ([], []),
    ],
)
def test_there_and_back_within_a_moment_is_impossible(
    track: list[tuple[float, int]], wrong: list[int]
) -> None:
    found = trace.impossible(reads(*track), GRID)
    assert np.flatnonzero(found).tolist() == wrong


def test_a_visit_holds_to_its_end_and_until_the_next_read_at_most() -> None:
    lasting = (np.array([4.0, 0.0, 5.0, 0.2]) * SECOND).astype(np.int64)
    own = reads((1, 2), (8, 3), (11, 4), (13, 2))._replace(lasting=lasting)
    frames = np.arange(16) * SECOND
    at = trace.at(frames, own, hold=1.0).tolist()
    assert at == [0, 2, 2, 2, 2, 2, 0, 0, 3, 3, 0, 4, 4, 2, 2, 0]
    alone = trace.at(frames, own.only(own.antennas == 4), hold=1.0).tolist()
    assert alone == [0] * 11 + [4] * 5, "nothing follows it"
