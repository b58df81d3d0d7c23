"""Odd videos: what decodes of them, where it lies on the time line, and what is said of them."""

import os
import struct

import av
import cv2
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from made_videos import SIZE, claiming, damage, make, picture, scenes, seen, sound_only, turn
from murid import tables, video
from murid.cli import cli
from murid.errors import InputError

# File, positions in frames, frames a second -> decoded, claimed, verdict, and what it says.
ODD = [
    ("made_empty_0_bytes.mp4", 10, 25, None, None, "discarded", "an empty file"),
    ("made_gray_hevc.mp4", 91, 30, 91, 91, "usable", ""),
    ("made_raw_stream.h264", 243, 30, 243, None, "repaired", "no timestamps"),
    ("made_truncated_moov_ok.mp4", 150, 30, 150, 243, "repaired", "150 of the 243 frames decode"),
    ("made_truncated_moov_ok.mp4", 243, 30, 150, 243, "discarded", "lengths in frames differ"),
    ("made_truncated_no_moov.mp4", 243, 30, None, None, "discarded", "cannot be decoded"),
    ("made_vfr.mp4", 239, 30, 97, 97, "repaired", "142 of 239 frames of the video are missing"),
    ("made_vfr.mp4", 239, 30, 97, 97, "repaired", "frame rate varies"),
    ("made_zero_frames.mp4", 10, 25, None, None, "discarded", "no video stream"),
    ("real_decord_corrupted.mp4", 50, 10, 28, 50, "repaired", "22 of 50 frames"),
    ("real_decord_corrupted.mp4", 50, 10, 28, 50, "repaired", "frames 28-49"),
    ("real_decord_corrupted.mp4", 28, 10, 28, 50, "repaired", "28 of the 50 frames decode"),
    ("real_decord_video_90.mov", 3, 30, 3, 3, "usable", ""),
]


def check(path, frames, fps, folder):
    """Run ``murid check`` on a video beside a trace of so many frames; return the verdict."""
    trace = pd.DataFrame({"frame": range(frames), "R": 5})
    trace.to_csv(folder / "trace.csv", index=False)
    outputs = [folder / "positions.parquet", folder / "annotations.parquet"]
    arguments = ["check", "--cage", "c", "--segment", "s", "--positions", folder / "trace.csv"]
    arguments += ["--video", path, "--fps", fps]
    arguments += ["--output-positions", outputs[0], "--output-annotations", outputs[1]]
    result = CliRunner().invoke(cli, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return tables.read_verdict(outputs[0])


@pytest.mark.parametrize(("name", "frames", "fps", "decoded", "claimed", "status", "reason"), ODD)
def test_odd_videos(shared, tmp_path, name, frames, fps, decoded, claimed, status, reason):
    path = shared / "video_odd" / name
    verdict = check(path, frames, fps, tmp_path)
    assert verdict.status == status
    assert reason in verdict.reason
    if decoded is None:
        with pytest.raises(InputError, match=name):
            video.inspect(path)
    else:
        found = video.inspect(path, fps)
        assert (found.decoded, found.claimed) == (decoded, claimed)


def test_the_av1_video_decodes_wholly_or_is_refused(shared, tmp_path):
    """Whether FFmpeg was built with a decoder of AV1 differs; half a result must not come out."""
    path = shared / "video_odd" / "real_torchcodec_av1_video.mkv"
    verdict = check(path, 125, 25, tmp_path)
    if "libdav1d" in av.codecs_available or "libaom-av1" in av.codecs_available:
        found = video.inspect(path)
        assert (found.decoded, found.claimed, verdict.status) == (125, 125, "usable")
    else:
        assert verdict.discarded


def test_the_rotated_video_is_upright(shared):
    frame = next(
        frame for _, frame in video.Reel(shared / "video_odd" / "real_decord_video_90.mov")
    )
    assert frame.shape == (568, 320)


# Videos made here


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "avi", "mov", "ts"])
def test_a_sound_video_is_usable_in_any_container(tmp_path, suffix):
    path = make(tmp_path / f"v.{suffix}", bf="2")
    shown, found = seen(path)
    assert shown == {n: n for n in range(50)}
    assert video.judge(found, 50, 25, 2) == tables.Verdict()


@pytest.mark.parametrize("suffix", ["mp4", "mkv"])
def test_dropped_frames_leave_gaps_and_are_named(tmp_path, suffix):
    kept = [n for n in range(60) if not 20 <= n < 32 and n != 40]
    shown, found = seen(make(tmp_path / f"v.{suffix}", kept))
    assert shown == {n: n for n in kept}
    assert found.missing == ((20, 31), (40, 40))
    verdict = video.judge(found, 60, 25, 2)
    assert verdict.status == "repaired"
    assert "13 of 60 frames" in verdict.reason
    assert "20-31, 40" in verdict.reason


def test_undecodable_frames_leave_a_gap_up_to_the_next_key_frame(tmp_path):
    path = make(tmp_path / "v.mp4")
    damage(path, 13, 14)
    shown, found = seen(path)
    assert shown == {n: n for n in range(50) if not 13 <= n < 20}
    assert (found.decoded, found.claimed, found.missing) == (43, 50, ((13, 19),))


def test_an_undecodable_start_and_end_are_gaps_too(tmp_path):
    path = make(tmp_path / "v.mp4")
    damage(path, 0, 0)
    damage(path, 40, 49)
    shown, found = seen(path)
    assert shown == {n: n for n in range(10, 40)}
    assert (found.length, found.reach, found.missing) == (40, 50, ((0, 9), (40, 49)))
    assert video.judge(found, 50, 25, 2).status == "repaired"
    assert video.judge(found, 40, 25, 2).status == "repaired"
    assert video.judge(found, 60, 25, 2).discarded
    assert video.judge(found, 50, 25, 2, max_missing=0.3).discarded


def test_a_video_of_which_nothing_decodes_is_discarded(tmp_path):
    path = make(tmp_path / "v.mp4")
    damage(path, 0, 49)
    verdict = check(path, 50, 25, tmp_path)
    assert verdict.discarded
    assert "50 packets (h264) of which no frame decodes" in verdict.reason


def test_a_codec_that_nothing_decodes_is_discarded(tmp_path):
    path = make(tmp_path / "v.mp4")
    path.write_bytes(path.read_bytes().replace(b"avc1", b"zzzz").replace(b"avcC", b"zzzC"))
    verdict = check(path, 50, 25, tmp_path)
    assert verdict.discarded
    assert "decode" in verdict.reason


@pytest.mark.parametrize(
    ("make_it", "reason"),
    [
        (lambda path: path.write_bytes(b""), "an empty file"),
        (lambda path: path.write_text("cage,segment\n1,2\n" * 50), "cannot be decoded"),
        (lambda path: path.write_bytes(bytes(5000)), "cannot be decoded"),
        (lambda path: path.write_text("#EXTM3U\n#EXTINF:1,\nhttp://nowhere.invalid/a.ts\n"), ""),
        (lambda path: path.write_text("ffconcat version 1.0\nfile /etc/passwd\n"), ""),
        (lambda path: path.mkdir(), "a folder"),
        (os.mkfifo, "a named pipe"),
        (lambda path: path.symlink_to("/dev/zero"), "a device"),
        (lambda path: path.symlink_to("/proc/self/status"), "a file that the system makes up"),
        (lambda path: path.symlink_to("nowhere.mp4"), "no file"),
        (sound_only, "no video stream (only: audio)"),
    ],
)
def test_what_is_no_video_is_discarded(tmp_path, make_it, reason):
    make_it(tmp_path / "v.mp4")
    verdict = check(tmp_path / "v.mp4", 10, 25, tmp_path)
    assert verdict.discarded
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.ffconcat", "ffconcat version 1.0\nfile other.mp4\n"),
        ("v.mp4", "ffconcat version 1.0\nfile other.mp4\nduration 2\n"),
        ("v.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nother.mp4\n#EXT-X-ENDLIST\n"),
        ("v.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\npipe\n#EXT-X-ENDLIST\n"),
        ("v.ffconcat", "ffconcat version 1.0\nfile pipe\n"),
        ("v.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n"),
        ("v.ans", "\x1b[31mcage,segment\n" * 200),
        ("v.txt", "cage,segment\n" * 200),
        ("img_%03d.png", "cage,segment\n" * 200),
        ("v_*.png", "cage,segment\n" * 200),
        ("v.mpd", '<?xml version="1.0"?><MPD><Period><BaseURL>other.mp4</BaseURL></Period></MPD>'),
    ],
)
def test_no_other_file_is_opened_and_no_text_drawn(tmp_path, name, content):
    make(tmp_path / "other.mp4")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "img_001.png").write_bytes(picture())
    (tmp_path / "v_1.png").write_bytes(picture())
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match="cannot be decoded"):
        video.inspect(tmp_path / name)
    with pytest.raises(InputError, match="cannot be decoded"):
        video.size(tmp_path / name)


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".bmp", ".tif", ".pgm", ".webp"])
def test_a_picture_is_a_video_of_one_frame_whatever_its_name(tmp_path, suffix):
    data = cv2.imencode(suffix, np.full(SIZE, 99, np.uint8))[1].tobytes()
    path = tmp_path / f"img_%03d{suffix}"
    path.write_bytes(data)
    frames = [frame for _, frame in video.Reel(path)]
    assert [frame.shape for frame in frames] == [SIZE]
    assert abs(int(np.median(frames[0])) - 99) <= 2


@pytest.mark.parametrize(
    ("width", "height"), [(2000, 2), (2, 2000), (1, 1), (8, 8), (16_000, 16_000), (8200, 64)]
)
def test_a_size_that_no_camera_gives_is_a_reason(tmp_path, width, height):
    path = claiming(tmp_path / "v.mkv", width, height)
    verdict = check(path, 1, 25, tmp_path)
    assert verdict.discarded
    told = f"frames of {width} x {height} pixels"
    assert (told if width * height < 2**24 else "more than 16.8 million pixels") in verdict.reason


def test_cut_off_at_any_point_it_is_a_verdict_and_no_crash(tmp_path):
    data = make(tmp_path / "whole.mkv").read_bytes()
    for share in (0.02, 0.1, 0.5, 0.9):
        (tmp_path / "v.mkv").write_bytes(data[: int(len(data) * share)])
        verdict = check(tmp_path / "v.mkv", 50, 25, tmp_path)
        assert verdict.status != "usable"


def test_a_change_of_size_is_left_out_and_told(tmp_path):
    large, small = tmp_path / "l.ts", tmp_path / "s.ts"
    make(large, range(30))
    make(small, range(30, 40), size=(32, 32))
    (tmp_path / "v.ts").write_bytes(large.read_bytes() + small.read_bytes())
    reel = video.Reel(tmp_path / "v.ts", 25)
    assert {grey.shape for _, grey in reel} == {SIZE}
    assert reel.footage.resized > 0
    verdict = video.judge(reel.footage, 40, 25, 2)
    assert verdict.status == "repaired"
    assert "another size" in verdict.reason


@pytest.mark.parametrize(
    ("degrees", "corner"), [(0, (0, 0)), (90, (0, -1)), (180, (-1, -1)), (270, (-1, 0))]
)
def test_rotation_tags_are_honoured(tmp_path, degrees, corner):
    """The upper left corner of what is stored is white."""
    grey = np.zeros((48, 64), np.uint8)
    grey[:16, :16] = 255
    path = tmp_path / "v.mp4"
    video.write(path, [grey] * 3, 25.0)
    turn(path, degrees)
    upright = next(frame for _, frame in video.Reel(path))
    assert upright.shape == (SIZE if degrees % 180 == 0 else SIZE[::-1])
    rows, columns = (slice(0, 12) if end == 0 else slice(-12, None) for end in corner)
    assert upright[rows, columns].mean() > 200
    assert upright.mean() < 60


@pytest.mark.parametrize(
    ("codec", "pixels", "suffix"),
    [
        ("libx264", "yuv420p", "mp4"),
        ("libx264", "yuvj420p", "mp4"),
        ("libx264", "yuv444p", "mp4"),
        ("libx264", "yuv420p10le", "mp4"),
        ("libx264", "gray", "mp4"),
        ("libx264", "nv12", "mp4"),
        ("libx264rgb", "rgb24", "mkv"),
        ("mjpeg", "yuvj422p", "avi"),
        ("ffv1", "gray16le", "mkv"),
        ("ffv1", "gray", "mkv"),
        ("ffv1", "yuv422p10le", "mkv"),
        ("png", "rgb24", "mov"),
        ("rawvideo", "yuv420p", "avi"),
        ("mpeg4", "yuv420p", "avi"),
        ("mpeg2video", "yuv420p", "ts"),
        ("libvpx-vp9", "yuv420p", "webm"),
    ],
)
def test_grey_levels_do_not_depend_on_how_they_are_stored(tmp_path, codec, pixels, suffix):
    if codec not in av.codecs_available:
        pytest.skip(f"no encoder {codec}")
    ramp = np.tile(np.linspace(0, 255, 64), (48, 1)).astype(np.uint8)
    path = tmp_path / f"v.{suffix}"
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25)
        stream.height, stream.width = ramp.shape
        stream.pix_fmt = "rgb24" if pixels == "rgb24" else pixels
        stream.options = {"crf": "5", "qscale": "1"}
        full = pixels.startswith(("yuvj", "gray", "rgb"))
        stream.codec_context.color_range = 2 if full else 1
        for number in range(5):
            frame = av.VideoFrame.from_ndarray(ramp, "gray").reformat(
                format=pixels, dst_color_range=2 if full else 1
            )
            frame.pts = number
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    frames = [frame for _, frame in video.Reel(path)]
    assert len(frames) == 5
    assert np.abs(frames[0].astype(int) - ramp).mean() < 4
    # What is trained on is what is detected in.
    assert dict(video.read_frames(path, [0, 3])).keys() == {0, 3}
    np.testing.assert_array_equal(dict(video.read_frames(path, [3]))[3], frames[3])


@pytest.mark.parametrize("size", [(49, 65), (33, 34), (16, 16), (50, 35)])
def test_odd_sizes(tmp_path, size):
    shown, _ = seen(make(tmp_path / "v.mkv", codec="ffv1", pixels="yuv444p", size=size))
    assert shown == {n: n for n in range(50)}


def test_interlaced_frames_count_once(tmp_path):
    path = make(tmp_path / "v.mkv", **{"x264-params": "interlaced=1"})
    shown, found = seen(path)
    assert sorted(shown) == list(range(50))
    assert found.lost == 0


def test_a_colon_in_the_name_is_no_protocol(tmp_path):
    path = make(tmp_path / "v.mp4").rename(tmp_path / "cage:1.mp4")
    assert video.inspect(path).decoded == 50


def film(path, pictures):
    """Write pictures at 25 a second and return what was found."""
    video.write(path, pictures, 25.0)
    return video.inspect(path, 25.0)


@pytest.mark.parametrize(("level", "noise"), [(0, 0.0), (255, 0.0), (128, 0.0), (12, 1.5)])
def test_a_video_that_shows_nothing_is_discarded(tmp_path, level, noise):
    """Black, white, one grey, and the noise of a sensor in the dark."""
    random = np.random.default_rng(4)
    dark = np.clip(level + random.normal(0, noise, (60, 96, 128)), 0, 255).astype(np.uint8)
    found = film(tmp_path / "v.mp4", dark)
    verdict = video.judge(found, 60, 25, 2, max_missing=0.75)
    assert verdict.discarded
    assert "100% of the video's frames show nothing" in verdict.reason


def test_a_light_that_fails_is_told_with_its_share(tmp_path):
    pictures = [*scenes(40), *np.zeros((20, 96, 128), np.uint8)]
    found = film(tmp_path / "v.mp4", pictures)
    verdict = video.judge(found, 60, 25, 2, max_missing=0.75)
    assert verdict.status == "repaired"
    assert "33% of the video's frames show nothing" in verdict.reason


@pytest.mark.parametrize("crf", [10, 20, 35])
def test_a_camera_that_hangs_is_told_with_its_share(tmp_path, crf):
    pictures = list(scenes(40))
    video.write(tmp_path / "v.mp4", pictures + pictures[-1:] * 60, 25.0, crf=crf)
    verdict = video.judge(video.inspect(tmp_path / "v.mp4", 25.0), 100, 25, 2)
    assert verdict.status == "repaired"
    assert "one and the same picture" in verdict.reason
    share = int(verdict.reason.split("-95 of the video, ")[1].split("%")[0])
    assert 50 <= share <= 61


def test_a_scene_with_a_short_pause_is_usable(tmp_path):
    pictures = list(scenes(100))
    pictures[30:50] = [pictures[30]] * 20
    assert video.judge(film(tmp_path / "v.mp4", pictures), 100, 25, 2) == tables.Verdict()


# Damage, and claims


def damaged(data, random):
    """Cut a file, flip bits of it, or overwrite a number in its header or its index."""
    data = bytearray(data)
    if random.random() < 0.25:
        return data[: random.integers(1, len(data))]
    ends = min(len(data), 1200)
    for _ in range(random.choice([1, 3, 20])):
        where = random.choice(["start", "end", "any"])
        at = int(random.integers(len(data) if where == "any" else ends))
        at = len(data) - 1 - at if where == "end" else at
        if random.random() < 0.3:
            data[at : at + 4] = b"\xff" * len(data[at : at + 4])
        else:
            data[at] ^= 1 << int(random.integers(8))
    return data


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "avi", "ts", "mov"])
def test_damage_is_a_verdict_and_no_crash(tmp_path, suffix):
    random = np.random.default_rng(17)
    whole = make(tmp_path / f"whole.{suffix}").read_bytes()
    path = tmp_path / f"v.{suffix}"
    outcomes = set()
    for _ in range(60):
        path.write_bytes(damaged(whole, random))
        try:
            found = video.inspect(path, 25)
        except InputError:
            outcomes.add("refused")
        else:
            assert found.decoded <= 60
            outcomes.add(video.judge(found, 50, 25, 2).status)
    assert len(outcomes) > 1


def test_a_stream_that_appears_midway_is_passed_over(tmp_path):
    """Damage of a transport stream's table makes one up."""
    path = make(tmp_path / "v.ts")
    other = tmp_path / "o.ts"
    with av.open(str(other), "w", options={"mpegts_start_pid": "500"}) as container:
        stream = container.add_stream("libx264", rate=25)
        stream.height, stream.width, stream.pix_fmt = 48, 64, "yuv420p"
        for packet in [*stream.encode(av.VideoFrame(64, 48, "yuv420p")), *stream.encode()]:
            container.mux(packet)
    path.write_bytes(path.read_bytes() + other.read_bytes())
    assert video.inspect(path, 25).decoded == 50


@pytest.mark.parametrize("count", [10**6, 2**30 - 1])
def test_an_index_that_claims_more_than_the_file_holds_is_refused(tmp_path, count):
    path = make(tmp_path / "v.mp4")
    data = bytearray(path.read_bytes())
    at = data.index(b"stsz")
    data[at + 8 : at + 16] = struct.pack(">2I", 1, count)
    path.write_bytes(data)
    with pytest.raises(InputError, match=f"{count:,} samples of 1 bytes"):
        video.inspect(path)


def test_timestamps_beyond_all_time_are_a_verdict(tmp_path):
    path = make(tmp_path / "v.mkv", stamps=[*range(0, 1960, 40), 10**15])
    found = video.inspect(path, 25)
    assert len(found.missing) <= 2
    verdict = video.judge(found, 50, 25, 2)
    assert verdict.discarded
    assert "lengths in frames differ" in verdict.reason
