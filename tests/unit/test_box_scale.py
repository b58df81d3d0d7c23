"""Boxes in the pixels of a picture of another size: told by where they lie, not by how large."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from murid.fitting.visibility import contexts
from murid.grid import Grid
from murid.identify import box_scale, fit_check
from murid.models.norm import DEFAULT
from murid.segment import Segment
from small_rig import IDENTITY, positions, simple_model
from wandering_animals import FPS, FRAMES, wandering

GRID = Grid(2, 6)


@pytest.fixture(scope="module")
def rig():
    """2 x 6 antennas, 100 pixels apart, and mice of 60 x 40."""
    few, around = simple_model(), contexts(GRID, 3)
    return replace(
        few,
        grid=GRID,
        contexts=around,
        sizes=np.repeat(few.sizes, 2, axis=0),
        covariances=np.repeat(few.covariances, 2, axis=0),
        offsets=np.zeros((GRID.size, 4)),
        visibility=np.tile(few.visibility[0], (len(around), 1)),
        outlier_mean=np.array([350.0, 100, 60, 40]),
    )


def judge(rig, trace, read, scale=1.0, size=1.0):
    """Judge boxes over the antennas of one trace (F, J) against another, as read."""
    frames, animals = np.indices(trace.shape)
    centres = rig.centroids(trace.ravel()) + np.random.default_rng(5).normal(0, 15, (trace.size, 2))
    table = pd.DataFrame({"frame": frames.ravel(), "detection": animals.ravel()})
    table[["w", "h"]] = np.array([60.0, 40]) * size
    table[["x", "y"]] = centres - table[["w", "h"]] / 2
    table[["x", "y", "w", "h"]] *= scale
    loaded = {"mice": table, "positions": positions(read), "matrix": IDENTITY}
    segment = Segment({}, "", FPS, loaded)
    fit = fit_check.judge(*fit_check.weigh_fit(segment, rig, FPS), DEFAULT)
    return box_scale.judge(segment, rig, FPS, fit, DEFAULT)


@pytest.mark.parametrize(
    ("scale", "told"),
    [(0.5, "0.5"), (0.72, "0.75"), (0.8, "0.8"), (1.25, "1.25"), (1.5, "1.5"), (2.0, "2")],
)
def test_boxes_of_another_size_of_picture_discard_and_the_size_is_named(rig, scale, told):
    trace = wandering(3)
    fit = judge(rig, trace, trace, scale)
    assert fit.verdict.status == "discarded"
    assert f"drawn on frames of {told} times the size" in fit.verdict.reason


@pytest.mark.parametrize("size", [0.75, 1.0, 1.25])
def test_small_and_large_mice_are_no_fault(rig, size):
    trace = wandering(4)
    assert judge(rig, trace, trace, size=size).verdict.status == "usable"


@pytest.mark.parametrize("narrow", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("tail", [0.0, 0.3])
def test_an_outlier_that_is_like_no_other_box_does_not_move_sound_boxes(rig, tail, narrow):
    """Where boxes are of one size, a box of another is hardly thinkable of nobody."""
    strict = replace(rig, tail=tail, outlier_covariance=rig.outlier_covariance * narrow)
    trace = wandering(6)
    sound = judge(strict, trace, trace)
    assert not sound.verdict.discarded, sound.verdict.reason
    assert judge(strict, trace, trace, 0.5).verdict.status == "discarded"


@pytest.mark.parametrize("tail", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("spread", [2.0, 5.0, 20.0])
def test_boxes_that_are_all_of_one_size_are_no_fault(rig, tail, spread):
    trace = wandering(4)
    rig = replace(
        rig, tail=tail, outlier_covariance=np.diag([4e4, 4e4, spread**2, spread**2]),
        covariances=np.broadcast_to(
            np.diag([900.0, 900, spread**2, spread**2]), rig.covariances.shape
        ).copy(),
    )  # fmt: skip
    assert judge(rig, trace, trace).verdict.status == "usable"
    assert "frames of 0.5 times" in judge(rig, trace, trace, 0.5).verdict.reason


@pytest.mark.parametrize("seed", range(31, 35))
def test_the_trace_of_another_segment_is_not_taken_for_another_size(rig, seed):
    fit = judge(rig, wandering(3), wandering(seed))
    assert fit.verdict.status == "discarded"
    assert "another segment" in fit.verdict.reason


def test_too_short_a_segment_is_not_judged(rig):
    trace = wandering(3)
    read = np.zeros_like(trace)
    read[: FRAMES // 100] = trace[: FRAMES // 100]
    assert judge(rig, trace, read, 0.8).verdict.status == "usable"
