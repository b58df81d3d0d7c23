"""The scene that paths are sought in, from a segment's tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from murid import tables
from murid.identify import continuity, evidence, paths
from murid.models import fitted_path
from path_scenes import MOTION, SURE, by_frames, made_tables
from small_rig import FPS, IDENTITY, boxes_at, positions, simple_model


def gathered(rows, trace=((1, 3),) * 8, detections=None, settings=SURE):
    """The segment of rows of (frame, detection, centre x, tracklet)."""
    linked = boxes_at(rows, "tracklets") if rows else tables.empty("tracklets")
    found = boxes_at(detections or [row[:3] for row in rows])
    model = simple_model()
    return continuity.gather(
        found, linked, evidence.read_trace(positions(trace), model), model, IDENTITY, FPS,
        settings, cut=False,
    )  # fmt: skip


def test_gather_takes_the_ends_of_tracklets_whatever_the_order_of_rows():
    rows = [(5, 0, 90, 4), (2, 0, 100, 4), (3, 0, 110, 4), (2, 1, 310, 2)]
    segment = gathered(rows)
    assert segment.tracklets.rank.tolist() == [1, 1, 1, 0]
    assert (segment.tracklets.first.tolist(), segment.tracklets.last.tolist()) == ([2, 2], [2, 5])
    assert segment.opening[:, 0].tolist() == [310, 100]
    assert segment.closing[:, 0].tolist() == [310, 90]
    assert_allclose(segment.opening[0, 1:], [50, np.log(60), np.log(40)], rtol=1e-6)
    assert_allclose(segment.scores, 0.9)


def test_gains_weigh_antennas_and_scores_by_their_factors():
    segment = gathered([(0, 0, 100, 0), (1, 0, 100, 0), (0, 1, 300, 1)])
    score = fitted_path.Score(2.0, -1.0)
    antennas = segment.task.gains()
    weighed = continuity.gains(segment, score, by_frames(0.1, score_weight=0.5))
    assert_allclose(weighed, 0.1 * antennas + 0.5 * np.array([[1.6], [0.8]]))
    assert antennas[0, 0] > 0 > antennas[0, 1]


def filmed(rate):
    """A scene of eight seconds whose tracklets are seen halfway between the antennas' places."""
    made = made_tables(np.random.default_rng(3), 200)
    made["tracklets"]["x"] += 0.5 * (200 - made["tracklets"]["x"])
    wide = made["positions"].pivot(index="frame", columns="animal", values="antenna").to_numpy()
    at = np.arange(round(200 * rate / FPS)) * FPS / rate
    rows = [
        made["tracklets"][made["tracklets"]["frame"] == int(old)].assign(frame=new)
        for new, old in enumerate(at)
    ]
    linked = tables.conform(pd.concat(rows), "tracklets")
    found = tables.conform(linked.assign(label="mouse", score=0.9), "detections")
    trace = positions(np.asarray(wide[at.astype(int)], dtype=int))
    return found, linked, trace


def stated(rate, reference, settings=by_frames(0.01)):  # noqa: B008
    """Return gains, and how probable the scene's tracklets are what they are named, on average."""
    found, linked, trace = filmed(rate)
    model, score = simple_model(), fitted_path.Score(1.0, -0.5)
    readings = evidence.read_trace(trace, model)
    segment = continuity.gather(
        found, linked, readings, model, IDENTITY, rate, settings, reference_fps=reference
    )
    motion = replace(continuity.STILL, fresh=0.0)
    weights = continuity.gains(segment, score, settings)
    task = continuity.build(segment, motion, weights)
    answer = paths.solve(task, motion.reach_frames(rate), 400, 50.0)
    return weights, answer.probabilities.max(axis=1).mean()


def test_a_scene_is_as_sure_at_any_frame_rate():
    own, sure = stated(FPS, FPS)
    # At the rate of the fit nothing changes.
    assert_array_equal(own, stated(FPS, None)[0])
    assert 0.4 < sure < 0.9
    # Each frame twice is the same scene, exactly; every other frame is, but for noise.
    twice, as_sure = stated(2 * FPS, FPS)
    assert_allclose(twice, own, rtol=1e-12)
    assert as_sure == pytest.approx(sure, abs=1e-9)
    assert stated(FPS / 2, FPS)[1] == pytest.approx(sure, abs=0.02)
    # Counted by frames it would be much surer at twice the rate.
    assert stated(2 * FPS, None)[1] > sure + 0.05


def test_tracklets_are_cut_alike_at_any_frame_rate():
    # One tracklet of a second, of two animals in turn.
    def pieces_at(rate, reference, weight):
        frames = round(rate)
        rows = [(f, 0, 100 if f < frames / 2 else 300, 0) for f in range(frames)]
        found, linked = boxes_at([row[:3] for row in rows]), boxes_at(rows, "tracklets")
        model = simple_model()
        trace = evidence.read_trace(positions([(1, 3)] * frames), model)
        settings = by_frames(weight)
        return len(
            continuity.gather(found, linked, trace, model, IDENTITY, rate, settings, reference)
        )

    rates = (FPS / 5, FPS, 8 * FPS)
    assert [pieces_at(rate, FPS, 0.05) for rate in rates] == [2, 2, 2]
    assert [pieces_at(rate, FPS, 0.01) for rate in rates] == [1, 1, 1]
    # Counted by frames, it would be a matter of the rate.
    assert [pieces_at(rate, None, 0.05) for rate in rates] == [1, 2, 2]
    assert [pieces_at(rate, None, 0.01) for rate in rates] == [1, 1, 2]


def test_without_transitions_only_antennas_and_scores_count():
    rows = [(0, 0, 300, 0), (2, 0, 305, 1), (4, 0, 300, 2)]
    segment = gathered(rows, ((3, 1),) * 2 + ((1, 3),) * 2 + ((3, 1),) * 4)
    model = fitted_path.PathModel(replace(MOTION, gaps=np.array([4.0, 4.0])))
    with_memory = continuity.solve(segment, model, SURE)
    without = continuity.solve(segment, model, replace_settings(SURE, transitions=False))
    assert with_memory.named.tolist() == [0, 0, 0]
    assert without.named.tolist() == [0, 1, 0]


def replace_settings(settings, **changes):
    return settings.model_copy(update=changes)
