"""Which frame rate is believed where the sheet's stands against another."""

from dataclasses import replace

import numpy as np
import pytest

from murid.identify import fit_check, rates
from murid.models.made_for import MadeFor
from wandering_animals import FPS, boxes_of, wandering

LAG = 2.0
TRUTH = wandering(1)
LATE = np.roll(TRUTH, round(LAG * FPS), axis=0)
BOXES = boxes_of(TRUTH)
VIDEO = "the video's timestamps say"


def weighed(trace):
    """Give what the same frames say at other rates."""

    def at(fps):
        window = float(np.clip(len(trace) / fps / 20, *fit_check.WINDOW))
        return replace(BOXES, fps=fps, window=window), trace, LAG

    return at


@pytest.mark.parametrize("sheet", [1.0, 5.0, 20.0, 40.0])
def test_a_wrong_rate_in_the_sheet_is_told_and_no_shift_is_made_of_it(usual, sheet):
    alone, _ = rates.judge(weighed(LATE), usual, sheet, [])
    assert alone == sheet
    fps, fit = rates.judge(weighed(LATE), usual, sheet, [(FPS, VIDEO)])
    assert fps == FPS
    assert (fit.shift, fit.drift) == (0.0, 0.0)
    assert fit.verdict.status == "repaired"
    assert fit.verdict.reason == (
        "the antenna trace fits the boxes at 10 frames/s, as the video's timestamps say, better "
        f"than at the sheet's {sheet:g}: names rest on the former. Mend fps in the sheet"
    )


@pytest.mark.parametrize("video", [1.0, 5.0, 20.0, 40.0])
def test_a_video_whose_timestamps_are_wrong_is_not_believed(usual, video):
    fps, fit = rates.judge(weighed(LATE), usual, FPS, [(video, VIDEO)])
    assert (fps, fit.verdict.reason) == (FPS, "")


def test_a_clock_that_is_off_is_no_matter_of_rates(usual):
    late = np.roll(LATE, round(14 * FPS), axis=0)
    fps, fit = rates.judge(weighed(late), usual, FPS, [(20.0, VIDEO)])
    assert fps == FPS
    assert fit.shift == pytest.approx(14, abs=0.3)


@pytest.mark.parametrize(
    ("sheet", "filmed", "made", "expected"),
    [
        (25.0, 25.0, (10.0, 10.0), []),
        (25.0, 29.97, (10.0, 10.0), []),
        (25.0, 12.5, (25.0, 25.0), [12.5]),
        (1.0, None, (12.5, 12.5), [12.5]),
        (1.0, None, (12.5, 50.0), [12.5, 50.0]),
        (25.0, None, (12.5, 50.0), []),
        (30.0, None, (25.0, 25.0), []),
        (1.0, None, None, []),
    ],
)
def test_other_rates_are_the_videos_or_else_those_of_the_path_model(sheet, filmed, made, expected):
    known = MadeFor((3, 6), (1280, 720), (3, 3), made) if made else None
    assert [rate for rate, _ in rates.others(sheet, filmed, known)] == expected
