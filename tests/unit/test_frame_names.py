"""Which frame an image is."""

import re
from datetime import datetime

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from murid.frame_names import LAST, as_number, frames_of, in_name

HASH = "3f2a9c0d1e4b5a6978c0ffee12345678"


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("f_000010.jpg", 10),
        ("C:\\videos\\A_1\\000012.png", 12),
        ("./images/00011384.jpg", 11384),
        ("000010", 10),
        ("frame.000010", 10),
        ("video.000010.png", 10),
        ("000010.jp2", 10),
        ("clip_000010.mp4", 10),
        ("clip_000010.mp4.jpg", 10),
        ("clip.mp4_000010.jpg", 10),
        ("0000000000000010.jpg", 10),
        ("frame0.jpg", 0),
        ("mäuse bei nacht-00010.png", 10),
        ("nachts img-10.png", 10),
        ("frame_no_12.jpg", 12),
        ("IMG_0012.jpg", 12),
        ("clip_123456.png", 123456),
        (f"frame_{LAST}.jpg", LAST),
        ("09.08_09.08.2023-01-Left_frame_001764.png", 1764),
        ("550e8400-e29b-41d4-a716-446655440000_frame_12.jpg", 12),
        ("2023-05-01_12-30-10_cam2frame10.jpg", 10),
        ("cam2_000010.jpg", 10),
        ("marker_000010.jpg", 10),
        ("decoded_000010.jpg", 10),
        ("a/v2_000012.jpg", 12),
        ("frame_000010_cam2.jpg", 10),
        ("000010_640x480.jpg", 10),
        ("000010_1080p.jpg", 10),
        ("25fps_000010.jpg", 10),
        (f"000010_jpg.rf.{HASH}.jpg", 10),
        (f"frame_000010_png.rf.{HASH}.jpg", 10),
        ("a1b2c3d4-10.jpg", 10),
        ("e1234567-000010.jpg", 10),
    ],
)
def test_the_number_that_plainly_is_the_frame(name, frame):
    assert in_name(name) == frame


@pytest.mark.parametrize(
    "name",
    [
        # Counters, cameras and codes
        "f_000010 (1).jpg", "f_000010 copy 2.jpg", "f_000010~1.jpg", "mouse (10).jpg",
        "000050_crop_0.png", "000050_crop_00001.png", "mouse000050_v2.png", "50_v2.png",
        "cam2.jpg", "cam_2.jpg", "trial-3.jpg", "mouse50.png", "f000010_crop_000001_cam2.jpg",
        "img3_trial_0012.jpg", "f50_000001.png", "10_1080.jpg", "frame1_frame2.jpg",
        f"{HASH}.jpg", "3f9c2e81.jpg", "1e5.jpg", "frame_25_fps_000010.jpg", "frame_rate_25.jpg",
        "mouse_12.jpg", "video_3.jpg", "copy_of_12.jpg", "C01_000012.jpg", "index_00012.jpg",
        "keyframe_010.jpg", "iframe_00003.jpg", "vlcsnap-00012.png", "out_00001.png",
        "of_00012.png", "position_12.jpg", "offset_00012.jpg", "mäuse bei nacht-10.png",
        # Dates and times
        "rec_0930.jpg", "pm_0930.jpg", "msecs_01200.jpg", "us_012000.jpg", "nanoseconds_00001.jpg",
        "2023-05-01.jpg", "20230501.jpg", "01052023.jpg", "20230501_000010.jpg", "May_01.jpg",
        "20230501_123010_000123.jpg", "vlcsnap-2023-05-01-12h30m10s123.png", "00_00_10.png",
        "1:30.png", "12-30.png", "1683000000.jpg", "t_12.jpg", "ms_000040.jpg",
        # Fractions, signs and escapes
        "frame_12.5.jpg", "t_12.5.jpg", "12.48.jpg", "frame_-5.jpg", "-5.jpg", "f_-10.jpg",
        "f_+10.jpg", "mouse%20000010.jpg", "frame%20000010.jpg", "videos%2F000010.jpg",
        # Other
        "frame_000010.v2.png", f"frame_{LAST + 1}.jpg", "9" * 5000 + ".jpg", "a_" * 9000 + "5",
        "frame.mp4", "frame.jp2", "",
    ],
)  # fmt: skip
def test_a_name_that_leaves_doubt_is_refused(name):
    with pytest.raises(ValueError, match=r"name|digits") as error:
        in_name(name)
    assert len(str(error.value)) < 200


def test_an_error_names_the_image():
    with pytest.raises(ValueError, match=r"the name 'a/50_v2.png', which does not plainly tell"):
        in_name("a/50_v2.png")


@pytest.mark.parametrize("told", [12, 12.0, "12", "0012", " 12 ", "12.0", "12."])
def test_a_frame_that_is_given_counts(told):
    assert frames_of([(told, "f_000099.jpg")]) == [12]


@pytest.mark.parametrize("told", [None, "", " ", "\t"])
def test_a_frame_that_is_not_given_is_in_the_name(told):
    assert frames_of([(told, "f_000099.jpg")]) == [99]


@pytest.mark.parametrize(
    "told",
    [
        -1, 1.5, True, float("nan"), float("inf"), 10**400, 2**31, "1e3", "-1", "12.5", "", ".0",
        "9" * 5000, [1], {"frame": 1}, "\ud800", "x" * 9000,
    ],
)  # fmt: skip
def test_what_is_given_and_no_frame_is_refused(told):
    with pytest.raises(ValueError, match=r"frame|digits") as error:
        as_number(told)
    assert len(str(error.value)) < 200


def test_six_digits_that_are_times_or_dates_in_all_names_of_a_file_are_no_frames():
    for names in (["093010.jpg"], ["rec_093010.png", "cam2_083000.png"], ["rec_251231.png"]):
        for found in frames_of([(None, name) for name in [*names, "frame_7.png"]])[:-1]:
            assert re.search("may be a time or date", str(found))
    names = ["012345.png", "012377.png", "frame_7.png"]
    assert frames_of([(None, name) for name in names]) == [12345, 12377, 7]
    assert frames_of([(None, "000010.png"), (None, "000050.png")]) == [10, 50]
    assert frames_of([(None, "012345.png"), ("9", "012346.png")])[1] == 9


NUMBERS = st.integers(0, 99_999).flatmap(
    lambda frame: st.tuples(
        st.just(frame),
        st.sampled_from(["{:06d}", "{:05d}", "{:04d}", "{:d}", "{:08d}"]).map(
            lambda form: form.format(frame)
        ),
    )
)
TWO = st.integers(0, 59).map("{:02d}".format)
DATES = st.datetimes(datetime(1970, 1, 1), datetime(2099, 12, 31)).flatmap(
    lambda when: st.sampled_from(
        [
            "%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%d-%m-%y", "%Y-%m-%d_%H-%M-%S", "%Y%m%d_%H%M%S",
            "%Y%m%dT%H%M%S", "%H-%M-%S", "%H_%M_%S", "%H-%M-%S_%f", "%Hh%Mm%Ss%f", "%H.%M.%S",
            "%Y%m%d_%H%M%S_%f", "%d%m%Y", "%b_%d",
        ]
    ).map(when.strftime)
)  # fmt: skip
SMALL = st.integers(0, 60).map(str)
NOISE = st.one_of(
    DATES,
    st.sampled_from(
        [
            "640x480", "1280x720", "1080p", "25fps", "fps25", "fps_25", "frame_rate_25",
            "1683000000", "1683000000123", "25_fps", "a1b2c3d4", HASH,
            "550e8400-e29b-41d4-a716-446655440000",
            "12.5", "0.25", "(1)", "(12)", "copy 2", "~1", "mouse%20a1", "run%2F7", "1e5",
            "+5", "-5",
        ]
    ),
    st.tuples(
        st.sampled_from(["cam", "camera", "mouse", "cage", "v", "trial", "day", "crop", "run"]),
        st.sampled_from(["", "_", "-"]), SMALL,
    ).map("".join).filter(lambda part: not re.match("(mouse|cage)[_-]", part)),
)  # fmt: skip
PLAIN = st.sampled_from(["", "clip_", "mouse_", "f", "f_", "img", "img_", "frame", "frame_"])
SEPARATORS = st.sampled_from(["_", "-", ".", " ", "__", "_-", "%20", "/"])
SUFFIXES = st.sampled_from(["", ".png", ".jpg", ".mp4.jpg", f"_jpg.rf.{HASH}.jpg"])


def joined(parts, draw):
    name = parts[0]
    for part in parts[1:]:
        name += draw(SEPARATORS) + part
    return name


@st.composite
def planted(draw):
    """A frame, and a name made of it and of what has numbers, too."""
    frame, digits = draw(NUMBERS)
    parts = [*draw(st.lists(NOISE, max_size=3)), draw(PLAIN) + digits]
    return frame, joined(draw(st.permutations(parts)), draw) + draw(SUFFIXES)


@st.composite
def without_a_frame(draw):
    """A name made of numbers that are no frames, or of a frame that is no whole number from 0."""
    parts = draw(st.lists(NOISE, min_size=1, max_size=3))
    spoilt = st.tuples(PLAIN, st.sampled_from(["_-5", "12.5", "0,5", "_+7", "%2010", "1e5", "5~1"]))
    parts = [*parts[1:], draw(st.one_of(spoilt.map("".join), st.just(parts[0])))]
    return draw(st.permutations(parts)), draw(SUFFIXES)


@settings(max_examples=250, deadline=None)
@example((10, "frame_25_fps_000010.jpg"))
@example((50, "000050_crop_0.png"))
@given(planted())
def test_a_name_tells_its_frame_or_none(made):
    frame, name = made
    (found,) = frames_of([(None, name)])
    assert isinstance(found, ValueError) or found == frame


@settings(max_examples=150, deadline=None)
@example((["vlcsnap", "2023-05-01-12h30m10s123"], ".png"))
@given(without_a_frame())
def test_numbers_that_are_no_frames_are_not_taken_for_one(made):
    parts, suffix = made
    (found,) = frames_of([(None, "_".join(parts) + suffix)])
    assert isinstance(found, ValueError)
