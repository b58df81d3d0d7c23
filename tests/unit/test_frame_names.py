"""Which frame an image is."""

import re

import pytest

from murid.frame_names import LAST, as_number, frames_of, in_name


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("f_000010.jpg", 10),
        ("cam2_000010.jpg", 10),
        ("a/v2_000012.jpg", 12),
        ("C:\\videos\\A_1\\000012.png", 12),
        ("000010", 10),
        ("frame.000010", 10),
        ("video.000010.png", 10),
        ("000010.jp2", 10),
        ("clip_000010.mp4", 10),
        ("clip_000010.mp4.jpg", 10),
        ("clip.mp4_000010.jpg", 10),
        ("clip7.h264.png", 7),
        ("2023-05-01_f000010.jpg", 10),
        ("20230501T123010_cam2_000075.jpg", 75),
        ("000010_2023-05-01.jpg", 10),
        ("000010_01.05.2023.jpg", 10),
        ("550e8400-e29b-41d4-a716-446655440000_12.jpg", 12),
        ("frame_000010_cam2.jpg", 10),
        ("cam2frame10.jpg", 10),
        ("mouse (10).jpg", 10),
        ("f_000010 - Copy.jpg", 10),
        ("0000000000000010.jpg", 10),
        ("frame0.jpg", 0),
        (f"f_{LAST}.jpg", LAST),
    ],
)
def test_the_number_that_belongs_to_the_frame(name, frame):
    assert in_name(name) == frame


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("f_000010 (1).jpg", "may count copies"),
        ("f_000010(1).jpg", "may count copies"),
        ("f_000010 copy 2.jpg", "may count copies"),
        ("f_000010~1.jpg", "may count copies"),
        ("2023-05-01.jpg", "no frame number but in a date"),
        ("20230501_123010.jpg", "no frame number but in a date"),
        ("clip_2023-05-01_12-30-10.jpg", "no frame number but in a date"),
        ("12h30m10s.jpg", "no frame number but in a date"),
        ("01-05-2023.jpg", "no frame number but in a date"),
        ("550e8400-e29b-41d4-a716-446655440000.jpg", "no frame number but in"),
        ("9f86d081884c7d659a2feaa0c55ad015.jpg", "in the place of a frame number"),
        ("3f9c2e81.jpg", "'3f9c2e81' in the place"),
        ("1e5.jpg", "'1e5' in the place"),
        ("000010_1080p.jpg", "'1080p' in the place"),
        ("000010_cam2.jpg", "'cam2' after another number"),
        ("mouse000050_v2.png", "'v2' after another number"),
        ("000050_crop_0.png", "the number '0' after another one"),
        ("mouse000050_0.png", "the number '0' after another one"),
        ("10_1080.jpg", "the number '1080' after another one"),
        ("frame1_frame2.jpg", "the number '2' after another one"),
        ("f_-10.jpg", "a negative number"),
        ("-10.jpg", "a negative number"),
        ("t_12.5.jpg", "a number with a fraction"),
        ("12.48.jpg", "a number with a fraction"),
        ("9" * 5000 + ".jpg", "a number of 5000 digits"),
        (f"f_{LAST + 1}.jpg", "a number of 10 digits"),
        ("frame.mp4", "no frame number"),
        ("frame.jp2", "no frame number"),
        ("", "no frame number"),
    ],
)
def test_what_may_not_be_the_frame_is_refused(name, told):
    with pytest.raises(ValueError, match=told) as error:
        in_name(name)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("given", [12, 12.0, "12", "0012", " 12 "])
def test_a_frame_that_is_given_counts(given):
    assert frames_of([(given, "f_000099.jpg")]) == [12]


@pytest.mark.parametrize("given", [None, ""])
def test_a_frame_that_is_not_given_is_in_the_name(given):
    assert frames_of([(given, "f_000099.jpg")]) == [99]


@pytest.mark.parametrize(
    "given",
    [
        -1, 1.5, True, float("nan"), float("inf"), 10**400, 2**31, "1e3", "-1", "", "9" * 5000,
        [1], {"frame": 1}, "\ud800", "x" * 9000,
    ],
)  # fmt: skip
def test_what_is_given_and_no_frame_is_refused(given):
    with pytest.raises(ValueError, match=r"frame|digits") as error:
        as_number(given)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("names", "frames"),
    [
        (["mouse000050_v2.png", "mouse000075_v2.png"], [50, 75]),
        (["000050_crop_0.png", "000075_crop_0.png", "x_8.png"], [50, 75, 8]),
        (["000050_1080p.png", "000060_1080p.png"], [50, 60]),
        (["clip1_9.png", "clip1_10.png", "clip1_0.png"], [9, 10, 0]),
        (["9_100.png", "10_100.png", "100_100.png"], [9, 10, 100]),
        (["2023-05-01_1_2.png", "2023-05-02_1_3.png"], [2, 3]),
        (["cam1_000010.png", "cam2_000020.png"], [10, 20]),
        (["cam1_000010.png", "cam2_000010.png"], [10, 10]),
        ([f"{'0' * 5000}7_v1", f"{'0' * 5000}8_v1"], [7, 8]),
    ],
)
def test_of_several_numbers_the_only_one_that_differs_is_the_frame(names, frames):
    assert frames_of([(None, name) for name in names]) == frames


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["mouse000050_v2.png"], "the numbers 000050, 2, .* none of them differs"),
        (["000050_crop_0.png", "000075_crop_1.png"], "2 of them differ from image to image"),
        (["000050_cam1.png", "000050_cam2.png"], "only '.' differs, a part of a word"),
        (["000050_v1.png", "000050_v2.png"], "only '.' differs, a part of a word"),
        (["000050_crop_0.png", "000075_cut_0.png"], "none of them differs"),
        (["f_000010 (1).jpg", "f_000010 (2).jpg"], "may count copies"),
        (["1e5.jpg", "2e5.jpg"], "in the place of a frame number"),
        ([f"{'9' * 5000}_v1", f"{'8' * 5000}_v1"], "a number of 5000 digits"),
    ],
)
def test_where_not_one_number_alone_differs_none_is_taken(names, told):
    for found in frames_of([(None, name) for name in names]):
        assert isinstance(found, ValueError)
        assert re.search(told, str(found))
        assert len(str(found)) < 200
