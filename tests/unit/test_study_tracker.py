"""The study of the tracker's settings: one segment end to end, sums over segments, the page."""

import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from murid import schemas, tables
from murid.cli import cli
from murid.errors import InputError
from murid.evaluate.stage import Evaluate as EvaluateStage
from murid.fitting import fit_weights as fit
from murid.fitting import samples
from murid.grid import Grid
from murid.identify.stage import Identify
from murid.models import fitted_weights
from murid.settings import Evaluate, FitWeights, Image, StudyTracker, Track
from murid.study import sweep, tracker
from murid.study.stage import Sweep, Tracker
from murid.tracking.stage import Track as TrackStage

GRID = Grid()
ANIMALS = ("G", "R")
FRAMES, FPS = 240, 10.0
SMALL = StudyTracker(ious=(0.3, 0.8), min_lengths=(1, 4), margin=1.0)
EVALUATE = Evaluate(snippets=((0, 5), (12, 20)), interval=1.0)


def model() -> fitted_weights.Affinity:
    """Weights fitted to boxes that lie around their antennas."""
    random = np.random.default_rng(1)
    antennas = random.integers(1, GRID.size + 1, (300, 2))
    table = pd.DataFrame({"antenna": antennas.ravel()})
    table[samples.CONTEXT] = GRID.context(antennas).reshape(-1, 9)
    shown = random.choice(["clear", "truncated", "hidden"], len(table), p=[0.6, 0.3, 0.1])
    boxes = np.column_stack([place(table["antenna"]), np.tile([150.0, 90.0], (len(table), 1))])
    table["visibility"] = shown
    table[samples.GEOMETRY] = boxes + random.normal(0, 15, boxes.shape)
    table.loc[shown == "hidden", samples.GEOMETRY] = np.nan
    return fit.fit(table, 2, GRID, Image(), FitWeights(trees=5))


def place(antennas):
    """Return where an animal's centre is: (n, 2), pixels."""
    return GRID.coordinates(antennas) * [180.0, 140.0] + [150.0, 250.0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables of a segment: two animals that move every two seconds, boxes that shake and fail."""
    folder = tmp_path_factory.mktemp("segment")
    random = np.random.default_rng(4)
    steps = np.array([random.choice(GRID.antennas, 2, replace=False) for _ in range(FRAMES // 20)])
    antennas = np.repeat(steps, 20, axis=0)
    frames = np.repeat(np.arange(FRAMES), 2)
    names = np.tile(ANIMALS, FRAMES)
    truth = np.column_stack(
        [place(antennas.ravel()) - [75, 45], np.tile([150.0, 90.0], (FRAMES * 2, 1))]
    )
    rows = pd.DataFrame({"frame": frames, "animal": names, "antenna": antennas.ravel()})
    tables.write(rows.assign(filled=False), folder / "positions.parquet", "positions")
    boxed = rows.assign(object=np.tile([0, 1], FRAMES), type="single", visibility="clear")
    boxed[schemas.BOX] = truth
    boxed["identities"] = [(name,) for name in names]
    boxed = boxed[boxed["frame"] % 10 == 0].assign(difficult=False)
    tables.write(boxed, folder / "annotations.parquet", "annotations")
    found = rows.assign(detection=np.tile([0, 1], FRAMES), label="mouse", score=0.9)
    found[schemas.BOX] = truth + random.normal(0, 4, truth.shape)
    found = found[random.random(len(found)) < 0.9]
    tables.write(found, folder / "detections.parquet", "detections")
    fitted_weights.write(fitted_weights.Weights(model(), model()), folder / "weights.json")
    transform = pd.DataFrame(
        [("rig", True, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, np.nan, np.nan)],
        columns=schemas.CONTRACTS["transforms"].schema.names,
    )
    tables.write(transform, folder / "transforms.parquet", "transforms")
    return folder


def counts_of(folder, settings=SMALL):
    names = ("detections", "positions", "annotations")
    Sweep(
        cage="A", segment="1", split="Train", fps=FPS,
        **{name: folder / f"{name}.parquet" for name in names},
        weights=folder / "weights.json", transforms=folder / "transforms.parquet", rig="rig",
        output=folder / "counts.parquet", evaluate=EVALUATE, study_tracker=settings,
    ).run()  # fmt: skip
    return tables.read(folder / "counts.parquet", "counts")


@given(st.lists(st.integers(0, 60)), st.lists(st.integers(0, 60)), st.integers(0, 9))
def test_frames_near_a_wanted_one(frames, wanted, margin):
    expected = [any(abs(frame - other) <= margin for other in wanted) for frame in frames]
    assert sweep.near(frames, wanted, margin).tolist() == expected


@pytest.mark.parametrize(("iou", "length"), [(0.3, 1), (0.8, 4)])
def test_a_pair_of_settings_counts_what_the_stages_count(folder, tmp_path, iou, length):
    counts = counts_of(folder, SMALL.model_copy(update={"margin": 100.0}))
    paths = {
        name: folder / f"{name}.parquet" for name in ("detections", "positions", "annotations")
    }
    TrackStage(
        detections=paths["detections"], output=tmp_path / "tracklets.parquet",
        track=Track(iou=iou, min_length=length, loosen=False),
    ).run()  # fmt: skip
    named = [(name, tmp_path / f"{name}.parquet") for name in ("ilp", "oracle")]
    Identify(
        **paths, tracklets=tmp_path / "tracklets.parquet", weights=folder / "weights.json",
        transforms=folder / "transforms.parquet", rig="rig", fps=FPS, outputs=named,
        overlap=EVALUATE,
    ).run()  # fmt: skip
    outputs = [tmp_path / f"{name}.parquet" for name in ("animals", "detections", "summary")]
    EvaluateStage(
        cage="A", segment="1", split="Train", fps=FPS, **paths,
        tracklets=tmp_path / "tracklets.parquet", identities=named, default="ilp",
        output_animals=outputs[0], output_detections=outputs[1], output_summary=outputs[2],
        evaluate=EVALUATE,
    ).run()  # fmt: skip
    expected = sweep.count_metrics(
        tables.read(outputs[0], "animal_outcomes"), tables.read(outputs[1], "detection_outcomes")
    )
    columns = ["snippet", "metric", "count", "normaliser"]
    for method, own in (("ilp", sweep.cell(iou, length)), ("oracle", "oracle")):
        pd.testing.assert_frame_equal(
            counts.loc[counts["method"] == own, columns].reset_index(drop=True),
            expected.loc[expected["method"] == method, columns].reset_index(drop=True),
        )


def test_detections_far_from_evaluated_frames_do_not_matter(folder, tmp_path):
    near = counts_of(folder)
    found = tables.read(folder / "detections.parquet", "detections")
    kept = ~found["frame"].between(
        62, 108
    )  # 1.2 s after the first snippet to 1.2 s before the next
    for name in ("positions", "annotations", "transforms"):
        (tmp_path / f"{name}.parquet").symlink_to(folder / f"{name}.parquet")
    (tmp_path / "weights.json").symlink_to(folder / "weights.json")
    tables.write(found[kept], tmp_path / "detections.parquet", "detections")
    pd.testing.assert_frame_equal(counts_of(tmp_path), near)


def test_a_discarded_segment_counts_nothing(folder, tmp_path):
    verdict = tables.Verdict("discarded", "broken")
    for name in ("detections", "positions", "annotations"):
        tables.write(tables.empty(name), tmp_path / f"{name}.parquet", name, verdict)
    assert counts_of(tmp_path).empty
    assert tables.read_verdict(tmp_path / "counts.parquet") == verdict


def test_a_segment_without_evaluated_frames_or_without_detections_is_no_error(folder, tmp_path):
    for name in ("positions", "annotations", "transforms"):
        (tmp_path / f"{name}.parquet").symlink_to(folder / f"{name}.parquet")
    (tmp_path / "weights.json").symlink_to(folder / "weights.json")
    tables.write(tables.empty("detections"), tmp_path / "detections.parquet", "detections")
    counts = counts_of(tmp_path)
    assert counts.loc[counts["metric"] == "A_O", "count"].eq(0).all()
    (tmp_path / "annotations.parquet").unlink()
    tables.write(tables.empty("annotations"), tmp_path / "annotations.parquet", "annotations")
    assert counts_of(tmp_path).empty


# All segments


def made_counts(right, cages=6, size=100):
    """Counts of six cages, in which each pair of settings has its rate for A_GD and A_O."""
    rows = [
        ("ABCDEFGH"[cage], "1", "Train", 0, method, metric, round(rate * size) + cage % 2, size)
        for cage in range(cages)
        for method, rate in right.items()
        for metric in schemas.METRICS
        if method != "oracle" or metric in schemas.OVERALL_METRICS
    ]
    frame = pd.DataFrame(rows, columns=schemas.CONTRACTS["counts"].schema.names)
    return tables.conform(frame, "counts")


RATES = {"iou=0.3,min_length=1": 0.8, "iou=0.3,min_length=4": 0.8,
         "iou=0.8,min_length=1": 0.7, "iou=0.8,min_length=4": 0.6, "oracle": 0.9}  # fmt: skip


def compared(counts):
    return tracker.compare_pairs(counts, tracker.settings_of(SMALL, Track()))


def test_counts_are_summed_and_compared_with_the_best():
    found = compared(made_counts(RATES))
    assert len(found) == 4 * len(schemas.METRICS)
    own = found[found["metric"] == "A_GD"].set_index(["iou", "min_length"])
    assert own.loc[(0.3, 1), "count"] == 483
    assert own.loc[(0.3, 1), "normaliser"] == 600
    assert own["behind"].round(9).tolist() == [0, 0, 0.1, 0.2]
    assert own["as_good"].tolist() == [True, True, False, False]
    assert (own["low"] <= own["behind"] + 1e-9).all()
    assert (own["high"] >= own["behind"] - 1e-9).all()
    assert found.loc[found["metric"] == "U_O", "behind"].isna().all()


def test_what_chance_may_do_is_as_good():
    random = np.random.default_rng(1)
    counts = made_counts(RATES, cages=8)
    worse = counts["method"] == "iou=0.8,min_length=1"
    luck = random.integers(-30, 45, worse.sum())
    counts.loc[worse, "count"] = (80 + luck).clip(max=100)
    own = compared(counts).query("metric == 'A_O'").set_index(["iou", "min_length"])
    assert own.loc[(0.8, 1), "as_good"]
    assert not own.loc[(0.8, 4), "as_good"]


def test_too_few_cages_say_nothing_of_chance():
    found = compared(made_counts(RATES, cages=2))
    assert found["low"].isna().all()
    assert found.loc[found["metric"] == "A_O", "as_good"].isna().all()


@pytest.fixture
def write(tmp_path):
    def run(counts, settings=SMALL, current=Track(iou=0.8, min_length=1), note=None):  # noqa: B008
        tables.write(counts, tmp_path / "counts.parquet", "counts")
        Tracker(
            counts=[tmp_path / "counts.parquet"], output_dir=tmp_path, track=current,
            study_tracker=settings, note=note,
        ).run()  # fmt: skip
        return (tmp_path / "tracker.html").read_text()

    return run


def test_the_page_names_the_best_and_what_is_in_use(write, tmp_path):
    text = write(made_counts(RATES), note="Made up")
    words = re.sub(r"\s+", " ", re.sub(r"<svg.*?</svg>|<[^>]+>", "", text, flags=re.DOTALL))
    assert "AGD is highest (0.805) with IoU 0.3 and minimum length 1" in words
    assert "IoU 0.8 and minimum length 1, give 0.705" in words
    assert "The settings in use are 0.100 behind the best in AO" in words
    assert "at the edge of what was tried (IoU 0.3)" in words
    assert "at most 0.905" in words
    assert "Note: Made up" in words
    assert "nan" not in words
    assert not re.search(r'<(script|link|img)|(src|href)="(?!#)', text)
    assert len(pd.read_csv(tmp_path / "tracker.csv")) == 4 * len(schemas.METRICS)


def test_of_settings_that_are_equally_good_those_in_use_are_best(write):
    text = write(made_counts(RATES), current=Track(iou=0.3, min_length=4))
    assert "is highest (0.805) with IoU 0.3 and minimum length 4; the settings in use" in text


def test_settings_that_were_not_tried_are_not_pointed_out(write):
    text = write(made_counts(RATES, cages=1), current=Track(iou=0.5))
    assert "in use" not in text
    assert "not surely worse" not in text


def test_nothing_evaluated_is_the_users_to_mend(write):
    with pytest.raises(InputError, match="could be evaluated"):
        write(tables.empty("counts"))


def test_counts_of_other_settings_are_refused(write):
    with pytest.raises(InputError, match=r"nothing on iou=0\.5,min_length=1"):
        write(made_counts(RATES), StudyTracker(ious=(0.3, 0.5), min_lengths=(1,)))


def test_the_edge_is_where_something_lies_beyond():
    grid = tracker.settings_of(StudyTracker(ious=(0.5, 0.6, 0.7), min_lengths=(1, 2, 3)), Track())
    single = tracker.settings_of(StudyTracker(ious=(0.6,), min_lengths=(3,)), Track())
    best = [{"iou": 0.6, "min_length": 1}, {"iou": 0.7, "min_length": 3}]
    assert tracker.edges(best, grid) == ["IoU 0.7", "minimum length 3"]
    assert tracker.edges(best, single) == []


def test_both_commands_follow_each_other(folder, tmp_path):
    tables_of = [
        part for name in ("detections", "positions", "annotations", "transforms")
        for part in (f"--{name}", str(folder / f"{name}.parquet"))
    ]  # fmt: skip
    tried = ["--ious", "[0.3, 0.8]", "--min-lengths", "[1]"]
    first = [
        "study", "sweep", "--cage=A", "--segment=1", "--split=Train", f"--fps={FPS}", "--rig=rig",
        *tables_of, "--weights", str(folder / "weights.json"), *tried,
        "--output", str(tmp_path / "counts.parquet"),
    ]  # fmt: skip
    second = ["study", "tracker", "--counts", str(tmp_path / "counts.parquet"), *tried,
              "--output-dir", str(tmp_path / "out")]  # fmt: skip
    for arguments in (first, second):
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "tracker.html").is_file()
