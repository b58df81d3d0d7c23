"""Readings that run late: shifting them, and finding out by how much."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from murid import rigs, schemas, settings, tables, timeline
from murid.errors import InputError
from murid.fitting import fit_weights as fit
from murid.fitting import lag
from murid.fitting.stage import Annotated
from murid.fitting.stage import FitWeights as FitStage
from murid.grid import Grid
from murid.models import fitted_weights
from murid.segment import Segment
from murid.settings import FitWeights, Image

GRID = Grid()
FPS = 20.0
LAGS = (0.0, 1.0, 2.0, 3.0)
QUICK = FitWeights(trees=2, max_lag=3, lag_step=1)
IDENTITY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
NAMES = ("A", "B")


def make_part(late, rig="rig", seed=0, frames=1500, fps=FPS):
    """A segment of two animals, each read ``late`` seconds after it has moved to an antenna."""
    random = np.random.default_rng(seed)
    wanted, rows = [], []
    for animal in NAMES:
        stays = random.integers(20, 60, frames // 20)
        antenna = np.repeat(random.integers(1, GRID.size + 1, len(stays)), stays)[:frames]
        wanted.append(antenna)
        places = GRID.coordinates(antenna) * [180.0, 140.0] + [150.0, 250.0]
        for frame in range(0, frames, 10):
            shown = ("clear", "truncated")[random.integers(2)]
            x, y, w, h = np.array([*places[frame], 150, 90]) + random.normal(0, 12, 4)
            rows.append((frame, (animal,), x - w / 2, y - h / 2, w, h, shown))
    truth = pd.DataFrame(rows, columns=["frame", "identities", *schemas.BOX, "visibility"])
    truth = truth.sort_values("frame", kind="stable", ignore_index=True)
    truth = truth.assign(object=truth.groupby("frame").cumcount(), type="single", difficult=False)
    read = np.stack(wanted)[:, np.maximum(np.arange(frames) - round(late * fps), 0)]
    trace = pd.DataFrame(
        {
            "frame": np.tile(np.arange(frames), len(NAMES)),
            "animal": np.repeat(NAMES, frames),
            "antenna": read.ravel(),
            "filled": False,
        }
    )
    loaded = {
        "positions": tables.conform(trace, "positions"),
        "annotations": tables.conform(truth, "annotations"),
        "matrix": IDENTITY,
    }
    return Segment({}, rig, fps, loaded)


def changed(segment, **tables):
    return replace(segment, loaded={**segment.loaded, **tables})


def parts(late, rig="rig", count=3, seed=0):
    return [make_part(late, rig, seed + number) for number in range(count)]


# Shifting


@given(st.lists(st.integers(0, 18), max_size=12), st.integers(0, 20))
def test_each_frame_has_the_reading_of_so_much_later(readings, late):
    trace = np.array(readings, dtype=np.int64)
    shifted = timeline.advance(trace, late)
    last = len(readings) - 1
    assert shifted.tolist() == [readings[min(at + late, last)] for at in range(len(readings))]
    assert_array_equal(timeline.advance(np.stack([trace, trace], axis=1), late)[:, 1], shifted)


def test_a_trace_has_every_frame_and_no_reading_is_0():
    table = pd.DataFrame({"frame": [3, 1, 3], "animal": ["B", "A", "A"], "filled": False})
    table["antenna"] = pd.array([2, None, 18], dtype="Int16")
    trace = timeline.trace(tables.conform(table, "positions"), GRID)
    assert list(trace.columns) == ["A", "B"]
    assert trace.to_numpy().tolist() == [[0, 0], [0, 0], [0, 0], [18, 2]]
    with pytest.raises(InputError, match=r"frame 3, animal A: found antenna 18; expected 1 to 8"):
        timeline.trace(tables.conform(table, "positions"), Grid(2, 4))
    assert timeline.trace(tables.empty("positions"), GRID).shape == (0, 0)


# Finding out


@pytest.mark.parametrize("late", LAGS)
def test_the_curve_is_highest_at_the_lag_and_that_is_chosen(late):
    found = lag.curves(parts(late), GRID, "pooled", LAGS)
    curve = found[""]
    assert found["rig"].chosen == late
    assert_allclose(found["rig"].behind, curve.behind)
    assert LAGS[curve.likelihood.argmax()] == late
    assert curve.chosen == late
    assert curve.behind.min() == 0


def test_rigs_have_lags_of_their_own_if_their_stretches_suffice():
    every = [*parts(1, "early"), *parts(2, "late", seed=9), make_part(0, "rare", 20)]
    found = lag.curves(every, GRID, "pooled", LAGS)
    assert sorted(found) == ["", "early", "late"]
    assert [found[rig].stretches for rig in found] == [7, 3, 3]
    lags = lag.choose(found)
    assert (lags["early"], lags["late"]) == (1, 2)
    (remark,) = lag.warn(found, ["early", "late", "rare"])
    assert "rig set-up 'rare': boxes of fewer than 3 stretches" in remark


@pytest.mark.parametrize("fewest", [1, lag.FEWEST])
def test_a_rig_that_cannot_judge_takes_the_lag_of_all(fewest, monkeypatch):
    monkeypatch.setattr(lag, "FEWEST", fewest)
    every = [make_part(1, "north"), make_part(1, "south", seed=50)]
    found = lag.curves(every, GRID, "pooled", LAGS)
    assert {curve.best for curve in found.values()} == {1}
    lags = lag.choose(found)
    assert [lags.get(rig, lags[""]) for rig in ("", "north", "south")] == [1, 1, 1]


def test_a_rig_takes_the_lag_of_all_unless_its_boxes_speak_against_it():
    def curve(best, stretches, error):
        behind = np.abs(np.arange(0, 50, 10) - best) / error
        return lag.Curve(np.arange(0, 50, 10), -behind, behind, 1_000, stretches)

    found = {"": curve(20, 30, 1), "sure": curve(40, 10, 5), "weak": curve(40, 3, 10)}
    assert found["weak"].possible.tolist() == [False, False, True, True, True]
    assert found["sure"].possible.tolist() == [False, False, False, False, True]
    assert lag.choose(found) == {"": 20, "sure": 40, "weak": 20}


def test_segments_of_other_frame_rates_share_a_lag_in_seconds():
    every = [make_part(1, seed=seed, fps=fps) for fps in (12.5, 50.0) for seed in range(3)]
    weights = fit.fit_both(every, 2, GRID, Image(), QUICK)
    assert weights.lagged.lags == {"": 1, "rig": 1}
    assert [weights.lagged.lag_frames("rig", fps) for fps in (12.5, 50.0)] == [12, 50]
    assert weights.made_for.fps == (12.5, 50)


def test_a_stretch_is_as_long_at_every_frame_rate():
    slow = make_part(1, frames=3000, fps=10.0)
    assert lag.curves([slow], GRID, "pooled", LAGS)[""].stretches == 2
    assert lag.curves([replace(slow, fps=20.0)], GRID, "pooled", LAGS)[""].stretches == 1


def test_boxes_of_one_stretch_cannot_tell_lags_apart():
    # One observation has no standard error: readings are left as they are, and that is said.
    found = lag.curves([make_part(1)], GRID, "pooled", LAGS)
    assert found[""].best == 1
    assert (found[""].behind == 0).all()
    assert lag.choose(found) == {"": 0}
    assert any("1 stretch of 180 s: too few" in text for text in lag.warn(found, []))


@pytest.mark.parametrize("stretches", [2, 3, 5, 20])
def test_a_needless_lag_is_taken_no_more_often_than_the_level(stretches):
    # Readings are in time, and the boxes fit a lag just as well but for chance.
    random = np.random.default_rng(stretches)
    observation = np.repeat(np.arange(stretches), 12)
    needless = 0
    for _ in range(2_000):
        by_stretch = random.normal(0, 1, stretches)[observation]
        gain = by_stretch + random.normal(0, 1, len(observation))
        densities = np.stack([np.zeros_like(gain), gain])
        needless += lag.curve_of(np.array([0, 5]), densities, observation).chosen > 0
    assert 0.035 < needless / 2_000 <= 0.065


def test_a_lag_at_the_bound_of_the_search_is_said_aloud(caplog):
    lags, shown = fit.estimate_lags(parts(4, count=3), GRID, QUICK)
    assert lags == {"": 3, "rig": 3}
    remarks = shown["lag_remarks"]
    (remark,) = remarks
    assert remark.startswith("readings fit best at the largest lag that was tried, 3 s")
    assert [record.getMessage() for record in caplog.records] == remarks


def test_the_largest_lag_is_tried_whatever_the_step():
    every = parts(1)
    settings = FitWeights(trees=2, max_lag=1, lag_step=0.75)
    lags, shown = fit.estimate_lags(every, GRID, settings)
    assert shown["lag"][""]["lags"] == [0, 0.75, 1]
    assert lags == {"": 1, "rig": 1}
    # A step beyond the largest still tries the largest.
    lags, _ = fit.estimate_lags(every, GRID, FitWeights(trees=2, max_lag=1, lag_step=1.5))
    assert lags[""] == 1


def test_only_boxes_with_a_reading_at_every_lag_count():
    part = make_part(1)
    silent = part.positions.assign(
        antenna=part.positions["antenna"].mask(part.positions["frame"].between(1000, 1100))
    )
    own = lag.curves([part, changed(part, positions=silent)], GRID, "pooled", LAGS)[""]
    # Frames 940 to 1100 in tens look into the silence, for both animals.
    assert own.boxes == 2 * 300 - 2 * 17


def test_too_few_boxes_say_so():
    part = make_part(0)
    nothing = changed(part, annotations=tables.empty("annotations"))
    for own in (nothing, changed(part, annotations=part.annotations.head(3))):
        with pytest.raises(InputError, match="boxes at four antennas"):
            lag.curves([own], GRID, "pooled", LAGS)


# Fitting


def test_without_a_box_that_was_read_all_the_while_readings_are_taken_as_they_are(caplog):
    brief = []
    for segment in parts(0, count=3):
        trace = segment.positions
        read = trace["frame"] % (2 * round(FPS)) < 0.5 * FPS
        brief.append(changed(segment, positions=trace.assign(antenna=trace["antenna"].where(read))))
    weights = fit.fit_both(brief, 2, GRID, Image(), QUICK)
    assert weights.lagged.lags == {"": 0.0}
    assert weights.lagged.provenance["lag"] == {}
    assert "nothing tells how late readings run" in caplog.text


def test_a_given_lag_is_used_and_nothing_is_estimated():
    given_lag = FitWeights(trees=2, lag=1)
    weights = fit.fit_both(parts(1), 2, GRID, Image(), given_lag)
    assert (weights.paper.lag("rig"), weights.lagged.lag("rig")) == (0, 1)
    assert weights.lagged.provenance["lag"] == {}
    likelihood = [model.provenance["log_likelihood"] for model in (weights.paper, weights.lagged)]
    assert likelihood[1] > likelihood[0] + 1
    # The same as the paper's model of readings that are in time but for the last frames.
    punctual = fit.fit_both(parts(0), 2, GRID, Image(), FitWeights(trees=2, lag=0))
    places = [m.centroids(GRID.antennas) for m in (weights.lagged, punctual.paper)]
    assert_allclose(places[0], places[1], atol=3)


def test_without_a_lag_both_models_are_of_the_same_readings():
    weights = fit.fit_both(parts(1, count=1), 2, GRID, Image(), FitWeights(trees=2, lag=0))
    for name in ("homography", "sizes", "visibility", "outlier_mean"):
        assert_array_equal(weights.paper.arrays[name], weights.lagged.arrays[name])
    assert weights.paper.lags == weights.lagged.lags == {"": 0}


def test_the_papers_model_stays_the_papers():
    paper = fit.fit_both(parts(1), 2, GRID, Image(), FitWeights(trees=2, lag=1)).paper
    assert not paper.offsets.any()
    assert paper.tail == 0


def test_an_estimated_lag_is_kept_with_its_curve(tmp_path, caplog):
    every = [*parts(1, "early"), *parts(2, "late", seed=9)]
    fitted_weights.write(fit.fit_both(every, 2, GRID, Image(), QUICK), tmp_path / "weights.json")
    lagged = fitted_weights.read(tmp_path / "weights.json").lagged
    assert (lagged.lag("early"), lagged.lag("late")) == (1, 2)
    assert lagged.lag("unknown") == lagged.lags[""]
    curve = lagged.provenance["lag"]["late"]
    assert curve["lags"] == list(LAGS)
    assert curve["chosen"] == 2
    assert curve["lags"][int(np.argmax(curve["log_likelihood"]))] == 2
    assert curve["stretches"] == 3
    assert lagged.provenance["lag_remarks"] == []
    assert [record.getMessage() for record in caplog.records] == lagged.provenance["remarks"]


# The stage


@pytest.fixture
def stage(tmp_path):
    """A function that fits weights to segments, as files in ``tmp_path``."""
    still = {f"m{row}{column}": [float(row == column)] for row in range(2) for column in range(3)}
    residuals = {"fit_residual": [np.nan], "validation_residual": [np.nan]}
    transform = pd.DataFrame({"rig": ["rig"], "prototype": [True], **still, **residuals})
    about = {f"{rigs.REFUSED}refused": "Its points are mirrored."}
    tables.write(transform, tmp_path / "transforms.parquet", "transforms", about=about)

    def run(*segments, animals=2, damage=None):
        listed = []
        for number, part in enumerate(segments):
            paths = [tmp_path / f"{number}_{name}.parquet" for name in ("trace", "truth")]
            tables.write(part.positions, paths[0], "positions")
            tables.write(part.annotations, paths[1], "annotations")
            listed.append(Annotated(part.fps, *paths, part.rig))
        if damage:
            damage.write_bytes(b"PAR1 was here")
        FitStage(
            segments=listed, transforms=tmp_path / "transforms.parquet", animals=animals,
            output=tmp_path / "weights.json", fit_weights=QUICK,
            grid=settings.Grid(rows=GRID.rows, columns=GRID.columns),
        ).run()  # fmt: skip
        return fitted_weights.read(tmp_path / "weights.json")

    return run


def test_weights_are_for_the_largest_group_that_any_segment_shows(stage):
    assert stage(*parts(1, count=2), animals=1).paper.animals == 2


def test_a_segment_that_cannot_be_used_is_left_out_and_told(stage, tmp_path, caplog):
    part = make_part(0)
    odd = part.positions.assign(antenna=part.positions["antenna"].mask(lambda a: a == 7, 19))
    outside = changed(part, positions=odd)
    assert stage(part, outside, replace(part, rig="refused")).paper.provenance["samples"] == 300
    told = [text for text in caplog.messages if "is left out: " in text]
    assert f"{tmp_path / '1_trace.parquet'} is left out: " in told[0]
    assert "found antenna 19; expected 1 to 18" in told[0]
    assert "rig set-up 'refused'. Its points are mirrored" in told[1]
    with pytest.raises(InputError, match="found antenna 19; expected 1 to 18") as error:
        stage(outside)
    assert error.value.file == str(tmp_path / "0_trace.parquet")


@pytest.mark.parametrize("damaged", ["trace", "truth"])
def test_a_table_that_cannot_be_read_is_left_out_and_told(stage, tmp_path, caplog, damaged):
    path = tmp_path / f"1_{damaged}.parquet"
    part = make_part(0)
    assert stage(part, part, damage=path).paper.provenance["samples"] == 300
    (told,) = [text for text in caplog.messages if "is left out: " in text]
    assert str(path) in told


def test_segments_without_readings_or_annotations_are_left_out(stage):
    part = make_part(0)
    without = (
        changed(part, positions=tables.empty("positions")),
        changed(part, annotations=tables.empty("annotations")),
    )
    assert stage(part, *without).paper.provenance["samples"] == 300
    with pytest.raises(InputError, match="no usable segment with annotations"):
        stage(*without)


def test_annotations_without_truncated_boxes_still_tell_the_lag(caplog):
    every = [
        changed(part, annotations=part.annotations.assign(visibility="clear")) for part in parts(1)
    ]
    weights = fit.fit_both(every, 2, GRID, Image(), QUICK)
    assert weights.lagged.lag("rig") == 1
    assert [record.getMessage() for record in caplog.records] == weights.paper.provenance["remarks"]
    assert len(caplog.records) == 2
