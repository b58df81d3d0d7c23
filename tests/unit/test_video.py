"""Video: what is decoded, in which grey levels, and what is said of files that do not decode."""

import threading

import numpy as np
import pytest

from murid import video
from murid.errors import InputError


@pytest.fixture(scope="module")
def ramp(tmp_path_factory):
    """Thirty frames whose grey level says which one it is: frame n is 20 + 7 n."""
    path = tmp_path_factory.mktemp("video") / "ramp.mp4"
    frames = (np.full((48, 64), 20 + 7 * n, np.uint8) for n in range(30))
    assert video.write(path, frames, 25.0, crf=10) == 30
    return path


def levels(frames):
    return [int(np.median(frame)) for frame in frames]


def test_frames_come_back_in_order_at_their_grey_levels(ramp):
    found = [frame for _, frame in video.Reel(ramp)]
    assert all(frame.shape == (48, 64) and frame.dtype == np.uint8 for frame in found)
    np.testing.assert_allclose(levels(found), 20 + 7 * np.arange(30), atol=2)


def test_the_full_range_of_grey_is_kept(tmp_path):
    halves = np.zeros((48, 64), np.uint8)
    halves[:, 32:] = 255
    video.write(tmp_path / "v.mp4", [halves] * 3, 25.0, crf=1)
    frame = next(frame for _, frame in video.Reel(tmp_path / "v.mp4"))
    assert frame[:, :24].max() <= 2
    assert frame[:, 40:].min() >= 253


def test_grey_levels_are_those_of_ffmpeg(ramp, shared):
    import av

    for path in (ramp, shared / "video_odd" / "made_gray_hevc.mp4"):
        with av.open(str(path)) as container:
            reference = next(container.decode(video=0)).to_ndarray(format="gray")
        np.testing.assert_array_equal(next(frame for _, frame in video.Reel(path)), reference)


def test_some_frames_are_given_with_their_numbers(ramp):
    chosen = dict(video.read_frames(ramp, [17, 3, 3, 99]))
    assert list(chosen) == [3, 17]
    assert levels(chosen.values()) == pytest.approx([20 + 7 * 3, 20 + 7 * 17], abs=2)


def test_no_frames_wanted_means_that_the_video_is_not_opened(tmp_path):
    assert list(video.read_frames(tmp_path / "absent.mp4", [])) == []


def test_what_is_found_is_known_only_at_the_end(ramp):
    reel = video.Reel(ramp)
    frames = iter(reel)
    assert next(frames)[0] == 0
    with pytest.raises(RuntimeError, match="not been decoded"):
        _ = reel.footage
    assert [number for number, _ in frames] == list(range(1, 30))
    assert reel.footage == video.inspect(ramp)
    assert reel.footage.decoded == 30


@pytest.mark.parametrize(
    ("content", "found"),
    [(None, "no file"), (b"", "an empty file"), (b"no video at all" * 99, "cannot be decoded")],
)
def test_what_is_no_video_is_refused(tmp_path, content, found):
    path = tmp_path / "v.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=found):
        [frame for _, frame in video.Reel(path)]


def test_ahead_gives_all_in_order():
    assert list(video.ahead(range(500), depth=3)) == list(range(500))


def test_ahead_raises_in_its_place_what_the_making_raises():
    def failing():
        yield from range(5)
        raise InputError("v.mp4", "damage", "none")

    seen = []
    with pytest.raises(InputError, match="damage"):
        seen.extend(video.ahead(failing()))
    assert seen == [0, 1, 2, 3, 4]


def test_ahead_is_never_further_ahead_than_its_depth():
    made = []

    def counting():
        for number in range(1000):
            made.append(number)
            yield number

    items = video.ahead(counting(), depth=4)
    for item in items:
        # Besides those in the queue: one in the maker's hand and one being made.
        assert len(made) <= item + 1 + 4 + 2
        if item == 50:
            break
    items.close()


def test_closing_ahead_ends_its_thread():
    def endless():
        while True:
            yield 0

    before = threading.active_count()
    items = video.ahead(endless(), depth=2)
    next(items)
    assert threading.active_count() == before + 1
    items.close()
    assert threading.active_count() == before
