"""Weights learnt without annotations: who is where in a frame, the grid's place, and the model."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from murid import settings, tables
from murid.errors import InputError
from murid.fitting import hiding, unannotated
from murid.fitting.association import associate
from murid.fitting.stage import LearnWeights, Watched
from murid.fitting.watched import look, readings
from murid.grid import Grid
from murid.models import fitted_weights
from murid.segment import Segment
from murid.settings import FitPath, FitWeights, Image, Paths

GRID = Grid()
FPS = 10.0
IDENTITY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
TRUE_HOMOGRAPHY = np.array([[170.0, -30, 220], [4.0, 60, 300], [0.0, -0.05, 1]])
QUICK = FitWeights(lag=0)
SIZE = (150.0, 90.0)
SIDES = ["cx", "cy", "w", "h"]


def filmed(
    seed, seconds=500, animals=3, late=0.0, missed=0.08, false=0.15, homography=None,
    second=0.0, away=(0.0, 0.0, 0.0),
):  # fmt: skip
    """A segment of animals that go to another antenna every few seconds: readings and boxes.

    ``second`` is the share of boxes beside which there is another one of nobody's, and ``away``, by
    antenna row, the share of stays at which an animal is hidden all the while. Tracklets are those
    of animals, a new one wherever a box is missing for two frames.
    """
    random = np.random.default_rng(seed)
    frames = round(seconds * FPS)
    view = TRUE_HOMOGRAPHY if homography is None else homography
    at = np.empty((frames, animals), dtype=np.int64)
    rows = []
    for animal in range(animals):
        lengths = random.integers(20, 150, frames // 20)
        at[:, animal] = np.repeat(random.integers(1, GRID.size + 1, len(lengths)), lengths)[:frames]
        places = fitted_weights.project(view, GRID.coordinates(at[:, animal]))
        stay = np.cumsum(np.diff(at[:, animal], prepend=0) != 0)
        aside = random.normal(0, 15, (stay.max() + 1, 4))[stay]
        boxes = np.column_stack([places, np.tile(SIZE, (frames, 1))]) + aside
        boxes += random.normal(0, [8, 5, 6, 4], boxes.shape)
        gone = random.random(stay.max() + 1)[stay] < np.array(away)[GRID.row(at[:, animal])]
        seen = np.flatnonzero((random.random(frames) >= missed) & ~gone)
        shown = pd.DataFrame(boxes[seen], columns=SIDES).assign(frame=seen, owner=animal)
        beside = shown[random.random(len(shown)) < second].assign(owner=-1)
        beside[SIDES] += random.normal(0, [25, 12, 10, 6], (len(beside), 4))
        rows += [shown, beside]
    wrong = np.flatnonzero(random.random(frames) < false)
    anywhere = random.uniform([0, 0, 60, 40], [1280, 720, 240, 160], (len(wrong), 4))
    rows.append(pd.DataFrame(anywhere, columns=SIDES).assign(frame=wrong, owner=-1))
    table = pd.concat(rows).sample(frac=1, random_state=seed).sort_values("frame", kind="stable")
    table = table.assign(
        x=table["cx"] - table["w"] / 2, y=table["cy"] - table["h"] / 2, label="mouse", score=0.9,
        detection=table.groupby("frame").cumcount(),
    )  # fmt: skip
    own = table[table["owner"] >= 0].sort_values(["owner", "frame"])
    begins = (own["owner"].diff() != 0) | (own["frame"].diff() > 2)
    linked = own.assign(tracklet=begins.cumsum() - 1).sort_values(["frame", "detection"])
    read = at[np.maximum(np.arange(frames) - round(late * FPS), 0)]
    trace = pd.DataFrame(
        {
            "frame": np.repeat(np.arange(frames), animals),
            "animal": np.tile(list("ABC"[:animals]), frames),
            "antenna": read.ravel(),
            "filled": False,
        }
    )
    loaded = {
        "positions": tables.conform(trace, "positions"),
        "detections": tables.conform(table.reset_index(drop=True), "detections"),
        "tracklets": tables.conform(linked.reset_index(drop=True), "tracklets"),
        "matrix": IDENTITY,
    }
    return Segment({}, "rig", FPS, loaded)


@pytest.fixture(scope="module")
def segments():
    return [filmed(seed) for seed in range(3)]


@pytest.fixture(scope="module")
def learnt(segments):
    return unannotated.learn(segments, 3, GRID, Image(), QUICK)


def error_of(model, homography=TRUE_HOMOGRAPHY):
    """By how many pixels antennas are seen elsewhere than they are, in the mean."""
    true = fitted_weights.project(homography, GRID.coordinates(GRID.antennas))
    return np.linalg.norm(model.means(GRID.antennas)[:, 0, :2] - true, axis=1).mean()


# Who is where in a frame


def exactly(odds):
    """Probability of each pair, and the log of the sum over all ways to pair: (B, J)."""
    boxes, animals = odds.shape
    pairs, total = np.zeros_like(odds), 0.0
    for way in itertools.product(range(-1, boxes), repeat=animals):
        named = [box for box in way if box >= 0]
        if len(set(named)) < len(named):
            continue
        taken = [(box, animal) for animal, box in enumerate(way) if box >= 0]
        weight = np.exp(sum(odds[pair] for pair in taken))
        total += weight
        for pair in taken:
            pairs[pair] += weight
    return pairs / total, np.log(total)


def test_pairs_are_nearly_as_probable_as_if_all_ways_were_tried():
    odds = np.random.default_rng(0).normal(0, 3, (200, 4, 3))
    found = associate(odds)
    exact = [exactly(frame) for frame in odds]
    off = np.abs(found.pairs - np.array([pairs for pairs, _ in exact]))
    assert off.mean() < 0.01
    assert off.max() < 0.3
    assert np.abs(found.evidence - np.array([evidence for _, evidence in exact])).mean() < 0.1


def test_one_box_is_exactly_as_probable_each_animals_as_by_all_ways():
    odds = np.random.default_rng(1).normal(0, 4, (50, 1, 3))
    found = associate(odds)
    for frame in range(len(odds)):
        pairs, evidence = exactly(odds[frame])
        assert_allclose(found.pairs[frame], pairs, atol=1e-6)
        assert_allclose(found.evidence[frame], evidence, atol=1e-6)


def test_what_is_not_there_is_paired_with_nobody():
    odds = np.full((2, 3, 2), -np.inf)
    odds[0, 0] = 2.0
    found = associate(odds)
    assert found.pairs[0, 1:].sum() == 0
    assert found.pairs[1].sum() == 0
    assert_allclose(found.evidence[1], 0, atol=1e-12)


# The grid's place


def test_the_grid_is_found_by_the_sums_of_places_whatever_its_orientation(segments):
    for view in (
        TRUE_HOMOGRAPHY,
        TRUE_HOMOGRAPHY @ np.array([[-1.0, 0, 5], [0, -1, 2], [0, 0, 1]]),
    ):
        several = [filmed(seed, homography=view) for seed in range(2)]
        seen = look(several)
        antennas = readings(several, seen, GRID, 0.0)
        found = unannotated.find_grid(seen, antennas, GRID)
        true = fitted_weights.project(view, GRID.coordinates(GRID.antennas))
        off = fitted_weights.project(found, GRID.coordinates(GRID.antennas)) - true
        assert np.linalg.norm(off, axis=1).mean() < 60


def test_calibration_points_are_where_it_begins(segments):
    seen = look(segments)
    antennas = readings(segments, seen, GRID, 0.0)
    places = fitted_weights.project(TRUE_HOMOGRAPHY, GRID.coordinates(GRID.antennas))
    points = np.column_stack([GRID.antennas, places])
    assert error_of(unannotated.start(seen, antennas, GRID, points, Image()).model) < 2


@pytest.mark.parametrize("marked", [[1, 2, 3], [1, 4, 7, 10, 13], [5, 5, 6], [1, 5, 9, 99]])
def test_calibration_points_that_do_not_tell_where_the_grid_is_leave_it_to_the_boxes(
    segments, marked, caplog
):
    points = np.column_stack([marked, np.zeros((len(marked), 2))])
    seen = look(segments)
    antennas = readings(segments, seen, GRID, 0.0)
    found = unannotated.start(seen, antennas, GRID, points, Image()).model.homography
    assert_allclose(found, unannotated.find_grid(seen, antennas, GRID))
    assert "calibration points are at the antennas" in caplog.text


# The model


def test_what_is_learnt_is_what_made_the_boxes(learnt):
    for model in (learnt.paper, learnt.lagged):
        assert error_of(model) < 12
        assert_allclose(model.sizes[:, 0], np.tile(SIZE, (3, 1)), atol=8)
        assert 0.04 < model.hidden_share < 0.16
    assert not learnt.paper.offsets.any()


def test_boxes_are_nearly_always_likeliest_where_they_are(learnt):
    model = learnt.lagged
    alone = np.zeros((GRID.size, 9))
    places = fitted_weights.project(TRUE_HOMOGRAPHY, GRID.coordinates(GRID.antennas))
    boxes = np.column_stack([places, np.tile(SIZE, (GRID.size, 1))])
    odds = [model.log_box(np.tile(box, (GRID.size, 1)), GRID.antennas, alone) for box in boxes]
    assert (np.argmax(odds, axis=1) == np.arange(GRID.size)).mean() > 0.9


def test_calibration_points_and_detections_lead_to_the_same_model(segments, learnt):
    places = fitted_weights.project(TRUE_HOMOGRAPHY, GRID.coordinates(GRID.antennas))
    points = np.column_stack([GRID.antennas, places + np.array([10.0, -25.0])])
    by_points = unannotated.learn(segments, 3, GRID, Image(), QUICK, points).lagged
    off = by_points.means(GRID.antennas) - learnt.lagged.means(GRID.antennas)
    assert np.abs(off).mean() < 6


def test_readings_that_run_late_are_told_without_annotations():
    late = [filmed(seed, late=1.0) for seed in range(3)]
    how = FitWeights(max_lag=2, lag_step=0.5)
    weights = unannotated.learn(late, 3, GRID, Image(), how)
    assert weights.lagged.lag("any") == 1.0
    assert weights.paper.lag("any") == 0.0


def test_it_is_the_same_each_time_and_kept_as_it_is(segments, tmp_path):
    for name in ("a", "b"):
        weights = unannotated.learn(segments[:1], 3, GRID, Image(), QUICK)
        fitted_weights.write(weights, tmp_path / f"{name}.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    kept = fitted_weights.read(tmp_path / "a.json").lagged
    assert_array_equal(kept.offsets, weights.lagged.offsets)
    assert unannotated.UNCHECKED in kept.provenance["remarks"]


def test_an_animal_that_sleeps_teaches_no_more_than_one_that_passes():
    segment = filmed(0)
    seen = look([segment])
    antennas = readings([segment], seen, GRID, 0.0)
    still = antennas.copy()
    still[:, 0] = 5
    guess = unannotated.start(seen, antennas, GRID, None, Image())
    random = np.random.default_rng(0)
    found = unannotated.pair(seen, still, guess)
    drawn = unannotated.draw(seen, still, found, GRID, random)
    assert (drawn["animal"] == 0).sum() == unannotated.A_STAY
    assert (drawn["animal"] == 1).sum() > 20


def test_groups_of_different_size_are_learnt_from_together():
    mixed = [filmed(0), filmed(1, animals=2), filmed(2, animals=1)]
    assert error_of(unannotated.learn(mixed, 3, GRID, Image(), QUICK).lagged) < 15


def test_frames_that_nobody_looked_at_hide_nobody(segments):
    strided = []
    for segment in segments:
        found = segment.detections
        kept = found[found["frame"] % 3 == 1].reset_index(drop=True)
        strided.append(replace(segment, loaded={**segment.loaded, "detections": kept}))
    strided = [
        replace(each, loaded={k: v for k, v in each.loaded.items() if k != "mice"})
        for each in strided
    ]
    model = unannotated.learn(strided, 3, GRID, Image(), QUICK).lagged
    assert model.hidden_share < 0.16
    assert error_of(model) < 12


# How often animals are hidden


def test_rows_in_which_animals_are_hidden_are_told_by_the_names_of_tracklets():
    several = [filmed(seed, away=(0.35, 0.1, 0.0), second=0.2) for seed in range(3)]
    learnt = unannotated.learn(several, 3, GRID, Image(), QUICK)
    told = hiding.tell_rows(learnt, several, Paths(), FitPath())
    back, middle, front = np.array(told.lagged.provenance["hidden_by_row"])
    assert 0.2 < back < 0.45
    assert 0.05 < middle < 0.18
    assert front < 0.05
    alone = np.zeros((3, 9))
    for model in (told.paper, told.lagged):
        assert_allclose(
            model.visibility_of([1, 5, 9], alone)[:, 2], [back, middle, front], atol=1e-4
        )
        assert_allclose(model.visibility.sum(axis=1), 1)
    fitted_weights.check(told)


def test_only_frames_with_boxes_and_absences_beyond_the_reach_of_motion_count_as_hidden():
    segment = filmed(0, seconds=10)
    kept = segment.detections.query("frame < 40").reset_index(drop=True)
    segment = replace(segment, loaded={**segment.loaded, "detections": kept})
    antennas = np.repeat([[1, 3, 0]], 100, axis=0)
    lengths = np.zeros((100, 3))
    lengths[:20, 0] = 20
    lengths[20:28, 1] = 8
    there, hidden = hiding.count(antennas, lengths, segment, 1.0, GRID)
    looked = len(np.unique(kept["frame"]))
    assert_allclose(there, np.array([looked, 0, looked]) / FPS)
    assert_allclose(hidden, np.array([(np.unique(kept["frame"]) < 20).sum(), 0, 0]) / FPS)


def test_without_tracklets_all_rows_are_alike_and_the_log_says_so(segments, learnt, caplog):
    bare = [changed(each, tracklets=each.tracklets.iloc[:0]) for each in segments]
    assert hiding.tell_rows(learnt, bare, Paths(), FitPath()) is learnt
    assert "no segment has a tracklet" in caplog.text


# What does not suffice


def changed(segment, **parts):
    return replace(segment, loaded={**segment.loaded, **parts})


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda segment: filmed(0, seconds=60), "frames that show as many mice"),
        (
            lambda segment: changed(
                segment,
                positions=segment.positions.assign(
                    antenna=segment.positions["antenna"].where(lambda a: a == 0, 4)
                ),
            ),
            "a single row or column",
        ),
    ],
)
def test_too_little_says_what_to_do(spoil, message):
    with pytest.raises(InputError, match=message) as error:
        unannotated.learn([spoil(filmed(0))], 3, GRID, Image(), QUICK)
    assert "calibration points" in str(error.value)


def test_boxes_of_one_size_are_learnt_from_like_others(segments):
    alike = []
    for segment in segments:
        boxes = segment.detections.assign(w=np.float32(SIZE[0]), h=np.float32(SIZE[1]))
        kept = {name: part for name, part in segment.loaded.items() if name != "mice"}
        alike.append(replace(segment, loaded={**kept, "detections": boxes}))
    model = unannotated.learn(alike, 3, GRID, Image(), QUICK).lagged
    assert_allclose(model.sizes[:, 0], np.tile(SIZE, (3, 1)), atol=1e-3)
    assert error_of(model) < 20


def test_too_few_antennas_are_told_without_a_word_of_annotations_to_mend(segments):
    places = fitted_weights.project(TRUE_HOMOGRAPHY, GRID.coordinates(GRID.antennas))
    points = np.column_stack([GRID.antennas, places])
    still = [
        changed(each, positions=each.positions.assign(antenna=each.positions["antenna"] * 0 + 4))
        for each in segments
    ]
    with pytest.raises(InputError, match=r"^segments: found boxes at the antennas 4 only"):
        unannotated.learn(still, 3, GRID, Image(), QUICK, points)


def test_the_stage_leaves_out_what_cannot_be_used_and_says_so(tmp_path, caplog):
    still = {f"m{row}{column}": [float(row == column)] for row in range(2) for column in range(3)}
    residuals = {"fit_residual": [np.nan], "validation_residual": [np.nan]}
    transform = pd.DataFrame({"rig": ["rig"], "prototype": [True], **still, **residuals})
    tables.write(transform, tmp_path / "transforms.parquet", "transforms")
    listed = []
    for number in range(3):
        segment = filmed(number)
        names = ("detections", "tracklets", "positions")
        paths = [tmp_path / f"{number}_{name}.parquet" for name in names]
        for name, path in zip(names, paths, strict=True):
            tables.write(getattr(segment, name), path, name)
        listed.append(Watched(FPS, *paths, "rig"))
    listed[2].positions.write_bytes(b"PAR1 was here")
    LearnWeights(
        segments=listed, transforms=tmp_path / "transforms.parquet", animals=2,
        output=tmp_path / "weights.json", fit_weights=QUICK,
        grid=settings.Grid(rows=GRID.rows, columns=GRID.columns),
    ).run()  # fmt: skip
    weights = fitted_weights.read(tmp_path / "weights.json")
    assert weights.made_for.animals == (1, 3)
    assert error_of(weights.lagged) < 15
    (told,) = [text for text in caplog.messages if "is left out: " in text]
    assert "2_positions.parquet" in told
