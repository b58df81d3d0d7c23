"""Parts of a video: their frames are those of the whole, wherever decoding begins."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from made_videos import damage, make, sound_only
from murid import tables, video
from murid.errors import InputError
from murid.video import WHOLE, Part
from murid.video import survey as surveys
from murid.video.cutting import survey_cut
from murid.video.seek import opened_at
from murid.video.survey_table import read, write

FPS = 25.0


@pytest.fixture(autouse=True, scope="module")
def everywhere():
    """Let decoding begin at any key frame: videos of tests are short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surveys, "EVERY", 0.01)
        yield


REORDERED = {"bf": "3"}
OPEN = REORDERED | {"x264-params": "open-gop=1"}
OPEN_HEVC = {"x265-params": "keyint=10:bframes=3:open-gop=1:log-level=none"}
REFRESHED = {"x264-params": "intra-refresh=1"}
CONTAINERS = (".mp4", ".mkv", ".ts", ".mov", ".avi", ".flv", ".mpg", ".h264")


def decoded(path, part=WHOLE):
    """Return place -> grey levels as bytes, and what was found."""
    reel = video.Reel(path, FPS, part)
    return {number: grey.tobytes() for number, grey in reel}, reel.footage


def sliced(shown, part):
    """Return those of a whole video's frames that are of a part, at their places in it."""
    return {number - part.first: frame for number, frame in shown.items() if part.holds(number)}


@pytest.mark.parametrize("suffix", CONTAINERS)
@pytest.mark.parametrize("how", [{}, REORDERED, OPEN, REFRESHED, {"g": "250"}], ids=str)
def test_frames_of_a_part_are_those_of_the_whole_in_any_container(tmp_path, suffix, how):
    path = make(tmp_path / f"v{suffix}", range(60), **how)
    shown, _ = decoded(path)
    for first in range(0, 58, 4):
        for last in (first, first + 12, None):
            part = Part(first, last)
            assert decoded(path, part)[0] == sliced(shown, part)


@pytest.mark.parametrize(
    ("suffix", "codec", "pixels", "how"),
    [
        (".avi", "mjpeg", "yuvj420p", {}),
        (".avi", "ffv1", "yuv420p", {}),
        (".avi", "mpeg4", "yuv420p", {}),
        (".avi", "mpeg4", "yuv420p", {"bf": "2"}),
        (".mkv", "mjpeg", "yuvj420p", {}),
        (".mkv", "libvpx-vp9", "yuv420p", {}),
        (".ts", "mpeg2video", "yuv420p", {"bf": "2"}),
        (".mpg", "mpeg2video", "yuv420p", {"bf": "2"}),
        (".mp4", "libx265", "yuv420p", OPEN_HEVC),
        (".ts", "libx265", "yuv420p", OPEN_HEVC),
    ],
)
def test_frames_of_a_part_are_those_of_the_whole_in_any_codec(tmp_path, suffix, codec, pixels, how):
    path = make(tmp_path / f"v{suffix}", range(60), codec, pixels, **how)
    shown, _ = decoded(path)
    assert len(shown) > 55
    for first in range(0, 58, 3):
        part = Part(first, first + 7)
        assert decoded(path, part)[0] == sliced(shown, part)


@st.composite
def recordings(draw):
    """Return what a video is made with, which of its packets are damaged, and where it is cut."""
    numbers = sorted(draw(st.sets(st.integers(0, 60), min_size=12)))
    how = {"g": str(draw(st.integers(2, 40))), "bf": str(draw(st.integers(0, 4)))}
    if draw(st.booleans()):
        how["x264-params"] = "open-gop=1"
    stamps = None
    if draw(st.booleans()):
        spacings = draw(st.lists(st.integers(20, 120), min_size=61, max_size=61))
        stamps = np.cumsum(spacings)[numbers].tolist()
    first = draw(st.none() | st.integers(1, len(numbers) - 1))
    harmed = None if first is None else (first, first + draw(st.integers(0, 3)))
    cuts = sorted(draw(st.sets(st.integers(1, 70), max_size=4)))
    return draw(st.sampled_from([".mp4", ".mkv", ".ts"])), numbers, how, stamps, harmed, cuts


@given(recordings())
@settings(max_examples=60)
@example((".mp4", [*range(60)], OPEN | {"g": "10"}, None, (22, 24), [20, 25, 40]))
@example((".ts", [n for n in range(60) if n % 7], REORDERED, None, None, [35]))
def test_the_parts_of_a_video_give_its_frames_once_each(recording):
    suffix, numbers, how, stamps, harmed, cuts = recording
    with TemporaryDirectory() as folder:
        path = make(Path(folder, f"v{suffix}"), numbers, stamps=stamps, **how)
        if harmed:
            damage(path, *harmed)
        try:
            shown, whole = decoded(path)
        except InputError:
            return
        write(path, Path(folder, "keys.parquet"))
        survey = Path(folder, "keys.parquet")
        ends = [0, *cuts, None]
        lost = {n for low, high in whole.missing for n in range(low, high + 1) if n < whole.length}
        together, counts = {}, np.zeros(3, int)
        for first, end in pairwise(ends):
            part = Part(first, None if end is None else end - 1, survey)
            if not sliced(shown, part):
                with pytest.raises(InputError, match="no frame that decodes"):
                    decoded(path, part)
                continue
            frames, found = decoded(path, part)
            assert frames == sliced(shown, part)
            together |= {number + first: frame for number, frame in frames.items()}
            counts += found.decoded, found.placeless, found.resized
            missing = {first + n for low, high in found.missing for n in range(low, high + 1)}
            assert {n for n in missing if n < whole.length} == {n for n in lost if part.holds(n)}
            assert found.length == max(frames) + 1
            assert part.length is None or found.reach <= part.length
            assert (found.rate, found.even, found.bounds) == (whole.rate, whole.even, whole.bounds)
            assert found.size == whole.size
        assert together == shown
        assert counts.tolist() <= [whole.decoded, whole.placeless, whole.resized]


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts", ".mov", ".flv"])
def test_decoding_begins_close_to_the_part(tmp_path, suffix):
    path = make(
        tmp_path / f"v{suffix}",
        [n % 60 for n in range(1500)],
        stamps=[40 * n for n in range(1500)],
        **OPEN,
    )
    survey = survey_cut(path)
    for place in (400, 1000, 1499):
        with opened_at(path, survey, survey.pace, place) as opened:
            assert place - 100 <= opened.begin <= place - 10


def test_what_is_behind_a_part_is_not_read(tmp_path):
    path = make(tmp_path / "v.mkv", range(60))
    write(path, tmp_path / "keys.parquet")
    whole, _ = decoded(path)
    part = Part(20, 29, tmp_path / "keys.parquet")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    shown, found = decoded(path, part)
    assert shown == sliced(whole, part)
    assert (found.decoded, found.length, found.reach, found.missing) == (10, 10, 10, ())


def test_what_is_missing_is_told_by_its_place_in_the_part(tmp_path):
    path = make(tmp_path / "v.mp4", [n for n in range(60) if not 24 <= n <= 33])
    footages = [decoded(path, part)[1] for part in (Part(20, 29), Part(30, 39), Part(0, 23))]
    assert [each.missing for each in footages] == [((4, 9),), ((0, 3),), ()]
    assert [each.reach for each in footages] == [10, 10, 24]
    verdict = video.judge(footages[0], 10, FPS, 2)
    assert verdict.status == "repaired"
    assert "6 of 10 frames of the video are missing or do not decode (frames 4-9)" in verdict.reason


def test_what_a_header_claims_is_of_the_part_where_it_would_be(shared):
    """The video has 150 of the 243 frames that its header claims."""
    path = shared / "video_odd" / "made_truncated_moov_ok.mp4"
    claims = {
        part: video.inspect(path, 30, part).claimed
        for part in (Part(0, 99), Part(100, 199), Part(100), Part(0, 299))
    }
    assert [*claims.values()] == [100, 100, 143, 243]
    found = video.inspect(path, 30, Part(100, 199))
    assert (found.decoded, found.length) == (50, 50)
    verdict = video.judge(found, 100, 30, 2)
    assert verdict.discarded
    assert "positions: 100, video (decoded): 53" in verdict.reason
    assert "50 of the 100 frames decode that the video's header claims" in verdict.reason
    assert video.judge(video.inspect(path, 30, Part(0, 99)), 100, 30, 2).status == "usable"


def test_a_part_beyond_the_end_is_refused_by_name(tmp_path):
    path = make(tmp_path / "v.mp4")
    with pytest.raises(InputError, match=r"no frame .* frames 70 to 99; .* frames 0 to 49.*sheet"):
        decoded(path, Part(70, 99))


def test_timestamps_beyond_all_time_are_of_the_last_part_alone(tmp_path):
    path = make(tmp_path / "v.mkv", stamps=[*range(0, 1960, 40), 10**15])
    write(path, tmp_path / "keys.parquet")
    first, second, last = (
        decoded(path, Part(*ends, tmp_path / "keys.parquet"))[1]
        for ends in ((0, 19), (20, 39), (40, None))
    )
    assert [first.missing, second.missing] == [(), ()]
    assert (first.length, second.length) == (20, 20)
    verdict = video.judge(last, 10, FPS, 2)
    assert verdict.discarded
    assert "lengths in frames differ" in verdict.reason


def test_a_late_start_is_told_of_the_first_part_alone(tmp_path):
    path = make(tmp_path / "v.mkv", stamps=[3000 + 40 * n for n in range(50)])
    starts = [decoded(path, part)[1].start for part in (Part(0, 24), Part(25))]
    assert starts == [3.0, 0.0]


def test_a_part_of_a_video_that_varies_is_placed_by_the_rate_of_the_segment(tmp_path):
    random = np.random.default_rng(3)
    stamps = np.cumsum(random.integers(20, 200, 60)).tolist()
    path = make(tmp_path / "v.mkv", range(60), stamps=stamps)
    write(path, tmp_path / "keys.parquet")
    for fps in (12.5, 25.0, 50.0):
        whole = {n: frame.tobytes() for n, frame in video.Reel(path, fps)}
        part = Part(max(whole) // 2, None, tmp_path / "keys.parquet")
        shown = {n: frame.tobytes() for n, frame in video.Reel(path, fps, part)}
        assert shown == sliced(whole, part)


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "avi", "ts", "mov"])
def test_damage_is_told_or_leaves_frames_of_the_part_and_no_crash(tmp_path, suffix):
    random = np.random.default_rng(17)
    whole = make(tmp_path / f"whole.{suffix}", range(60), bf="2").read_bytes()
    path, part, outcomes = tmp_path / f"v.{suffix}", Part(25, 44), set()
    for _ in range(30):
        data = bytearray(whole)
        for at in random.integers(0, len(data), random.choice([1, 20])):
            data[at] ^= 1 << random.integers(8)
        path.write_bytes(data)
        try:
            shown, found = decoded(path, part)
        except InputError:
            outcomes.add("refused")
        else:
            assert set(shown) <= set(range(20))
            assert max(shown) < found.length <= found.reach <= 20
            outcomes.add(video.judge(found, 20, FPS, 2).status)
    assert len(outcomes) > 1


def test_timestamps_that_go_back_change_no_place(tmp_path):
    """Recordings that were joined: the second begins anew, and is longer."""
    for suffix in (".mkv", ".ts"):
        parts = [make(tmp_path / f"{n}{suffix}", range(n)) for n in (30, 60)]
        path = tmp_path / f"joined{suffix}"
        path.write_bytes(b"".join(part.read_bytes() for part in parts))
        shown, _ = decoded(path)
        for first in range(0, max(shown), 6):
            part = Part(first, first + 5)
            assert decoded(path, part)[0] == sliced(shown, part)


def test_some_frames_of_a_part_are_given_with_their_numbers(tmp_path):
    path = make(tmp_path / "v.mp4", range(60))
    chosen = dict(video.read_frames(path, [3, 17, 99], FPS, Part(20, 49)))
    assert {n: round((np.median(grey) - 10) / 4) for n, grey in chosen.items()} == {3: 23, 17: 37}


# The table of key frames


def test_a_survey_comes_back_as_it_was(tmp_path):
    for suffix in (".mp4", ".avi", ".h264"):
        path = make(tmp_path / f"v{suffix}", range(60))
        verdict = write(path, tmp_path / "keys.parquet")
        assert verdict.status == "usable"
        surveyed, kept = survey_cut(path), read(tmp_path / "keys.parquet", path)
        assert kept == surveyed
        np.testing.assert_array_equal(kept.keys, surveyed.keys)


@pytest.mark.parametrize("make_it", [lambda path: path.write_bytes(b""), sound_only])
def test_a_video_that_cannot_be_read_is_a_verdict_of_its_survey_and_its_parts(tmp_path, make_it):
    path, keys = tmp_path / "v.mp4", tmp_path / "keys.parquet"
    make_it(path)
    verdict = write(path, keys)
    assert verdict.discarded
    assert tables.read_verdict(keys) == verdict
    with pytest.raises(InputError, match=r"v\.mp4: found what could not be surveyed"):
        decoded(path, Part(0, 9, keys))


def test_another_table_is_no_survey(tmp_path):
    path, keys = make(tmp_path / "v.mp4"), tmp_path / "keys.parquet"
    tables.write(tables.empty("key_frames"), keys, "key_frames")
    with pytest.raises(InputError, match="no survey of a video"):
        decoded(path, Part(0, 9, keys))


def test_a_video_that_was_replaced_since_gives_no_wrong_frame(tmp_path):
    """What is sought is checked: a key frame that is not where the survey says is none."""
    path, keys = make(tmp_path / "v.mp4", range(60)), tmp_path / "keys.parquet"
    write(path, keys)
    make(path, range(60), g="7")
    shown, _ = decoded(path)
    part = Part(30, 39)
    assert decoded(path, replace(part, survey=keys))[0] == sliced(shown, part)
