"""The detector on videos of every kind: pixels, sizes, damage."""

import av
import cv2
import numpy as np
import pytest

from murid import tables, video
from murid.errors import InputError
from one_mouse import SIZE, detect, scene


def store(path, codec="libx264", pixels="yuv420p", size=SIZE, first=0, count=40, **options):
    """Write scenes in a codec and pixel format."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height = size
        stream.pix_fmt = pixels
        stream.options = {"g": "10", "bf": "0"} | options
        for number in range(first, first + count):
            picture = cv2.resize(scene(number)[0], size)
            frame = av.VideoFrame.from_ndarray(picture, "gray").reformat(format=pixels)
            frame.pts = number
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


@pytest.fixture
def beside(segment, tmp_path):
    """The tables of the segment, without its video."""
    for name in ("positions", "transforms"):
        (tmp_path / f"{name}.parquet").symlink_to(segment / f"{name}.parquet")
    return tmp_path


def found_in(folder, path, detector, **options):
    path.rename(folder / "video.mp4")
    table = detect(folder, detector, folder / "out.parquet", **options)
    return table, tables.read_verdict(folder / "out.parquet")


@pytest.mark.parametrize(
    ("codec", "pixels", "suffix", "options"),
    [
        ("libx264", "yuv420p10le", "mkv", {}),
        ("ffv1", "gray16le", "mkv", {}),
        ("ffv1", "yuva420p", "mkv", {}),
        ("png", "rgba", "mov", {}),
        ("libx264", "yuv420p", "mp4", {"x264-params": "interlaced=1"}),
        ("mjpeg", "yuvj422p", "avi", {}),
    ],
)
def test_pixels_of_any_kind_are_detected_in(beside, detector, codec, pixels, suffix, options):
    """Ten bits, sixteen, alpha, interlaced, the full range."""
    if codec not in av.codecs_available:
        pytest.skip(f"no encoder {codec}")
    path = store(beside / f"v.{suffix}", codec, pixels, **options)
    table, verdict = found_in(beside, path, detector)
    assert set(table["frame"]) == set(range(40))
    assert verdict == tables.Verdict()


def test_a_change_of_size_leaves_the_rest_without_detections(beside, detector):
    path, second = beside / "first.ts", beside / "second.ts"
    store(path, count=30)
    store(second, size=(96, 64), first=30, count=10)
    path.write_bytes(path.read_bytes() + second.read_bytes())
    table, verdict = found_in(beside, path, detector)
    assert set(table["frame"]) == set(range(30))
    assert verdict.status == "repaired"
    assert "of another size than the first" in verdict.reason


@pytest.mark.parametrize("size", [(512, 16), (16, 512)])
def test_the_flattest_frames_that_are_read_are_detected_in(beside, detector, size):
    table, verdict = found_in(beside, store(beside / "v.mkv", size=size), detector)
    assert verdict.status == "repaired"
    assert (table["x"] + table["w"] <= size[0] + 1e-3).all()


@pytest.mark.parametrize("size", [(2000, 2), (8, 8)])
def test_sizes_are_refused_as_the_check_refuses_them(beside, detector, size):
    path = store(beside / "v.mkv", "ffv1", "gray", size)
    with pytest.raises(InputError) as told:
        video.inspect(path)
    table, verdict = found_in(beside, path, detector)
    assert table.empty
    assert verdict.discarded
    assert told.value.found in verdict.reason


def test_frames_of_another_size_than_the_rigs_are_told(beside, detector):
    path = store(beside / "v.mkv", size=(128, 96))
    _, verdict = found_in(beside, path, detector)
    assert verdict.status == "repaired"
    assert "128 x 96 pixels fill 128 x 96 of the frame of reference, which is 64 x 48" in (
        verdict.reason
    )


def test_a_damaged_video_is_a_verdict_and_no_crash(beside, detector):
    whole = store(beside / "v.mkv").read_bytes()
    random = np.random.default_rng(3)
    for _ in range(12):
        data = bytearray(whole[: random.integers(len(whole) // 2, len(whole))])
        for at in random.integers(0, len(data), 5):
            data[at] ^= 1 << random.integers(8)
        (beside / "damaged.mkv").write_bytes(data)
        table, verdict = found_in(beside, beside / "damaged.mkv", detector)
        assert table.empty or not verdict.discarded
