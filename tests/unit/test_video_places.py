"""Frames on the time line: each is where its timestamp says, and no error adds up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_videos import make, seen
from murid import video
from murid.video.timing import Pace, find_pace, place


def test_a_late_start_is_told_and_taken_for_the_start(tmp_path):
    path = make(tmp_path / "v.mkv", stamps=[3000 + 40 * n for n in range(50)])
    shown, found = seen(path)
    assert shown == {n: n for n in range(50)}
    verdict = video.judge(found, 50, 25, 2)
    assert verdict.status == "repaired"
    assert "start at 3 s" in verdict.reason


def test_a_varying_frame_rate_is_placed_by_the_segments_rate(tmp_path):
    random = np.random.default_rng(3)
    stamps = np.cumsum(random.integers(20, 200, 60)).tolist()
    stamps = [stamp - stamps[0] for stamp in stamps]
    path = make(tmp_path / "v.mkv", range(60), stamps=stamps)
    reel = video.Reel(path, 25)
    placed = [number for number, _ in reel]
    nearest = {round(stamp / 40) for stamp in stamps}
    assert set(placed) <= nearest | {number + 1 for number in nearest}
    assert len(placed) + reel.footage.placeless == 60
    reason = video.judge(reel.footage, max(placed) + 1, 25, 2).reason
    assert "frame rate varies" in reason
    assert "missing" in reason


def spaced(*stretches):
    """Return timestamps in ms of so many frames at so many a second, one stretch after another."""
    spacings = np.concatenate([np.full(count, 1000 / rate) for count, rate in stretches])
    return np.rint(np.concatenate([[0.0], np.cumsum(spacings)[:-1]])).astype(int).tolist()


def placed_at(path, fps=25.0):
    """Return timestamp (ms) -> place, and what was found."""
    reel = video.Reel(path, fps)
    places = {frame.pts: number for number, frame in reel.decode()}
    return places, reel.footage


@pytest.mark.parametrize("percent", [2, 3, 4, 5, 6, 7, 8, 9])
def test_a_rate_that_wanders_is_placed_by_the_segments_clock(tmp_path, percent):
    """The first half is faster, the second slower: errors must not add up."""
    stamps = spaced((375, 25 * (1 + percent / 100)), (375, 25 * (1 - percent / 100)))
    path = make(tmp_path / "v.mkv", [0] * 750, stamps=stamps, size=(32, 32))
    places, found = placed_at(path)
    assert all(abs(number - stamp / 40) <= 1 for stamp, number in places.items())
    assert percent != 9 or places[stamps[327]] == 300
    assert found.placeless == 750 - len(places)
    verdict = video.judge(found, found.length, 25, 2)
    assert verdict.status == "repaired"
    slow, fast = (25 * (1 + sign * percent / 100) for sign in (-1, 1))
    assert found.bounds == pytest.approx((slow, fast), rel=0.01)
    assert "25 to the second" in verdict.reason
    assert f"{found.placeless} frames of the video left out" in verdict.reason


@pytest.mark.parametrize("rate", [24, 23, 22, 15, 14])
def test_a_rate_that_falls_leaves_gaps_and_is_of_the_segments_length(tmp_path, rate):
    stamps = spaced((375, 25), (15 * rate, rate))
    path = make(tmp_path / "v.mkv", [0] * len(stamps), stamps=stamps, size=(32, 32))
    places, found = placed_at(path)
    assert all(abs(number - stamp / 40) <= 0.51 for stamp, number in places.items())
    assert len(places) == len(stamps)
    verdict = video.judge(found, 750, 25, 2)
    assert verdict.status == "repaired"
    assert f"{found.lost} of {found.reach} frames of the video are missing" in verdict.reason
    assert f"({rate} to 25 frames/s)" in verdict.reason


@given(
    st.lists(st.tuples(st.integers(20, 400), st.floats(12, 38)), min_size=1, max_size=6),
    st.floats(0, 0.4),
)
def test_no_error_adds_up_whatever_the_rates(stretches, jitter):
    """Places are those of one clock: the segment's, or the video's own if it keeps one."""
    random = np.random.default_rng(2)
    stamps = np.asarray(spaced(*stretches)) * 10
    noise = random.uniform(-200 * jitter, 200 * jitter, len(stamps)).astype(int)
    stamps = np.sort(stamps + noise).tolist()
    pace = find_pace(stamps, 1e-4, 25.0)
    assert pace.even or pace.step == pytest.approx(400)
    items = zip(stamps, stamps, strict=True)
    for number, stamp in place(items, pace):
        assert number is None or abs(number - (stamp - pace.start) / pace.step) <= 1.01


def test_jitter_of_timestamps_loses_no_frame(tmp_path):
    random = np.random.default_rng(3)
    stamps = [40 * n + int(random.integers(-12, 13)) for n in range(50)]
    shown, found = seen(make(tmp_path / "v.mkv", stamps=[s - min(stamps) for s in stamps]))
    assert shown == {n: n for n in range(50)}
    assert found.lost == 0


def test_another_rate_than_the_segments_is_told_and_changes_no_number(tmp_path):
    shown, found = seen(make(tmp_path / "v.mp4"), fps=30)
    assert shown == {n: n for n in range(50)}
    reason = video.judge(found, 50, 30, 2).reason
    assert "timestamps say 25 frames/s, the sheet 30: nothing was changed" in reason


# Timestamps alone

EVEN = Pace(0.0, 40.0, even=True)


def numbers(stamps, pace=EVEN):
    return [number for number, _ in place(((stamp, None) for stamp in stamps), pace)]


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ([0, 40, 80, 200, 240], [0, 1, 2, 5, 6]),
        ([0, 40, 40, 120], [0, 1, 2, 3]),  # a timestamp repeats, and there is room
        ([0, 40, 40, 80], [0, 1, None, 2]),  # and there is none
        ([0, 40, 0, 120, 160], [0, 1, 2, 3, 4]),  # one goes back
        ([0, 40, 9_000_000, 120], [0, 1, 2, 3]),  # one jumps ahead
        ([0, 40, 80, 0, 40, 80], [0, 1, 2, 3, 4, 5]),  # two recordings joined
        ([None, None, None], [0, 1, 2]),
        ([0, None, 80], [0, 1, 2]),
        ([80, 120], [2, 3]),
    ],
)
def test_places(stamps, expected):
    assert numbers(stamps) == expected


def test_a_pace_known_to_a_few_digits_adds_up_to_no_error():
    stamps = [round(1000 * n / 29.97) for n in range(200_000) if not 900 <= n < 1000]
    pace = find_pace(stamps, 1e-3, 25.0)
    assert pace.even
    assert numbers(stamps, pace)[-1] == 199_999


def test_equal_timestamps_are_none():
    assert find_pace([7] * 50, 1e-3, 25.0).step is None
    assert find_pace([], 1e-3, 25.0).step is None


@given(st.lists(st.none() | st.integers(-(10**6), 10**9), max_size=40), st.booleans())
def test_places_rise_whatever_the_timestamps(stamps, even):
    found = numbers(stamps, Pace(0.0, 40.0, even))
    placed = [number for number in found if number is not None]
    assert len(found) == len(stamps)
    assert placed == sorted(set(placed))
    assert all(number >= 0 for number in placed)


@given(st.sets(st.integers(0, 300), min_size=1), st.floats(-0.3, 0.3))
def test_frames_that_are_there_are_where_they_belong(there, jitter):
    random = np.random.default_rng(1)
    stamps = [40 * n + 40 * jitter * random.random() for n in sorted(there)]
    assert numbers(stamps) == sorted(there)
