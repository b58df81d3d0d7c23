"""The stage ``fit-path``: a path model from segments, sound and odd."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from murid import tables
from murid.choice import spread_over
from murid.errors import InputError
from murid.fitting import fit_path
from murid.fitting.stage import FitPath as FitStage
from murid.models import fitted_path, fitted_weights
from murid.segment import Segment
from murid.settings import FitPath, Overlap, Paths
from path_scenes import SURE, made_tables
from small_rig import FPS, annotation, positions, simple_model


@pytest.fixture
def archive(tmp_path):
    """A folder with weights and transforms, and what writes a segment's tables to it."""
    model = simple_model(animals=2)
    fitted_weights.write(fitted_weights.Weights(model, model), tmp_path / "weights.json")
    still = {f"m{row}{column}": [float(row == column)] for row in range(2) for column in range(3)}
    residuals = {"fit_residual": [np.nan], "validation_residual": [np.nan]}
    transform = pd.DataFrame({"rig": ["rig"], "prototype": [True], **still, **residuals})
    tables.write(transform, tmp_path / "transforms.parquet", "transforms")

    def write(name, split, seed=0, frames=240, verdict=None, **changes):
        made = made_tables(np.random.default_rng(seed), frames) | changes
        for kind, table in made.items():
            table = tables.empty(kind) if verdict else table
            tables.write(table, tmp_path / f"{name}_{kind}.parquet", kind, verdict)
        return (split, FPS, *(tmp_path / f"{name}_{kind}.parquet" for kind in made), "rig")

    return tmp_path, write


def run(archive, segments, settings=SURE, how=FitPath(reach=0.2), **options):  # noqa: B008
    folder, _ = archive
    output = folder / "model.json"
    FitStage(
        segments=segments,
        weights=folder / "weights.json",
        transforms=folder / "transforms.parquet",
        output=output,
        paths=settings,
        fit_path=how,
        **options,
    ).run()
    return fitted_path.read(output)


def test_a_path_model_keeps_which_weights_it_belongs_to(archive):
    folder, write = archive
    segments = [write("a", "Validate")]
    own = fitted_weights.read(folder / "weights.json")
    other = replace(own, lagged=replace(own.lagged, hidden_share=0.3))
    fitted_weights.write(other, folder / "all.json")
    assert run(archive, segments).made_for.weights == (own.digest,)
    for path, digests in (("all", (own.digest, other.digest)), ("weights", (own.digest,))):
        model = run(archive, segments, naming_weights=folder / f"{path}.json")
        assert model.made_for.weights == digests


def test_motion_comes_from_train_and_confidence_from_the_others(archive):
    folder, write = archive
    segments = [write("a", "Train"), write("b", "Train", 1), write("c", "Validate", 2)]
    model = run(archive, segments)
    told = model.provenance
    assert (told["segments"], told["validating_segments"]) == (2, 1)
    # Every other frame that is annotated of 240, and both animals in each.
    assert told["named_rows"] + told["absent_rows"] == 2 * 40
    assert told["scores"] == {"animals": 2 * 2 * 40, "false_boxes": 0}
    assert model.score == fitted_path.Score()
    assert_allclose(model.motion.spread[2, 0], 3 * np.sqrt(2), rtol=0.4)
    before = (folder / "model.json").read_bytes()
    run(archive, segments)
    assert (folder / "model.json").read_bytes() == before


def test_a_model_keeps_the_frame_rate_of_most_segments(archive):
    folder, write = archive
    names = [("a", "Train"), ("b", "Train"), ("c", "Validate")]
    segments = [write(*name, seed) for seed, name in enumerate(names)]
    slower = [(split, FPS / 2, *rest) for split, _, *rest in segments[:1]]
    model = run(archive, [*slower, *segments[1:]])
    assert model.made_for.fps == (FPS / 2, FPS)
    assert model.made_for.evidence_fps == model.made_for.reference_fps == FPS
    assert fitted_path.read(folder / "model.json").made_for == model.made_for


@pytest.mark.parametrize(
    ("splits", "training", "validating"),
    [(["Train"], 1, 0), (["Validate"], 1, 1), (["Test", "Validate"], 2, 2)],
)
def test_it_makes_do_with_either_split(archive, splits, training, validating):
    segments = [archive[1](f"s{k}", split, k) for k, split in enumerate(splits)]
    model = run(archive, segments)
    told = model.provenance
    assert (told["segments"], told["validating_segments"]) == (training, validating)
    # So few rows, all of them right, tell no more than that few are wrong; those of Train, too.
    assert model.boxed.intercept == 0
    assert 0 < model.boxed.slope < 1


def test_discarded_segments_are_left_out(archive):
    _, write = archive
    discarded = write("a", "Train", verdict=tables.Verdict("discarded", "no trace"))
    model = run(archive, [discarded, write("b", "Train"), write("c", "Validate", 1)])
    assert model.provenance["segments"] == 1
    # Without any training segment left, all comes from the others.
    model = run(archive, [discarded, write("c", "Validate", 1)])
    assert (model.provenance["segments"], model.provenance["validating_segments"]) == (1, 1)


def test_a_segment_without_annotations_still_tells_of_motion(archive):
    _, write = archive
    segment = write("a", "Train", annotations=tables.empty("annotations"))
    model = run(archive, [segment, write("b", "Validate", annotations=annotation([]))])
    assert model.provenance["transitions"] > 30
    assert model.provenance["named_rows"] == model.provenance["absent_rows"] == 0
    assert model.boxed == fitted_path.Calibration()


def test_annotations_that_count_as_none_are_told(archive, caplog):
    _, write = archive
    segment = write("a", "Train")
    said = tables.Verdict("repaired", "the annotations do not fit")
    tables.write(tables.empty("annotations"), segment[5], "annotations", said)
    run(archive, [segment, write("b", "Validate", 1)])
    (told,) = [text for text in caplog.messages if "do not fit" in text]
    assert told.startswith(f"{segment[5]}: motion alone is learnt from it")


def test_rows_judged_are_of_one_kind_with_and_without_annotations(archive):
    """Else those of several segments are objects together, of which there is no logarithm."""
    folder, write = archive
    segments = [write("a", "Train"), write("b", "Train", annotations=tables.empty("annotations"))]
    model = run(archive, segments)
    weights = fitted_weights.read(folder / "weights.json")
    kinds = []
    for _, fps, *paths_of, rig in segments:
        names = ("detections", "tracklets", "positions", "annotations", "transforms")
        files = dict(zip(names, [*paths_of, folder / "transforms.parquet"], strict=True))
        recording = fit_path.load(Segment(files, rig, fps), weights, Paths())
        kinds.append(fit_path.judge(recording, model, Paths(), Overlap()).dtypes.to_dict())
    assert kinds[0] == kinds[1]


def test_nothing_to_learn_from_says_what_to_do(archive):
    _, write = archive
    discarded = write("a", "Train", verdict=tables.Verdict("discarded", "no trace"))
    nothing = write("b", "Train", tracklets=tables.empty("tracklets"))
    for segments in ([], [discarded], [nothing], [discarded, nothing]):
        with pytest.raises(InputError, match=r"no tracklets.*Set path_model"):
            run(archive, segments)


def test_of_many_segments_some_are_used_spread_over_all(archive):
    _, write = archive
    segments = [write(f"s{k}", "Train", k, frames=60) for k in range(5)]
    model = run(archive, segments, how=FitPath(reach=0.2, max_segments=2, rounds=1))
    assert model.provenance["segments"] == 2
    assert spread_over(range(9), 3) == [0, 4, 8]
    assert spread_over(range(2), 3) == [0, 1]
    assert spread_over(range(5), 1) == [0]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("positions", lambda t: t.assign(antenna=t["antenna"] + 2), "antenna 5; expected 1 to 4"),
        ("tracklets", lambda t: t.assign(frame=t["frame"] + 9), "a box at frame 248"),
        ("tracklets", lambda t: t.assign(detection=t["detection"] + 1), "found detection 2"),
        ("tracklets", lambda t: t.assign(tracklet=3), "(frame 2): found the tracklet 3 twice"),
    ],
)
def test_a_table_that_does_not_fit_is_named_by_its_path(archive, kind, change, message):
    folder, write = archive
    made = made_tables(np.random.default_rng(0), 240)
    segment = write("odd", "Train", **{kind: change(made[kind])})
    with pytest.raises(InputError) as error:
        run(archive, [segment])
    assert message in str(error.value)
    assert error.value.file == str(folder / f"odd_{kind}.parquet")


def test_segments_that_cannot_be_used_are_left_out_and_told(archive, caplog):
    folder, write = archive
    good = [write("good", "Train"), write("held", "Validate", 1)]
    run(archive, good)
    alone = (folder / "model.json").read_text()
    trace = positions(np.full((240, 4), 2))
    bad = [
        write("discarded", "Train", verdict=tables.Verdict("discarded", "broken")),
        write("crowded", "Validate", positions=trace),
        (*write("turned", "Train")[:-1], "refused"),
        write("unreadable", "Validate"),
    ]
    bad[-1][3].write_bytes(b"PAR1 was here")
    run(archive, [*bad, *good])
    assert (folder / "model.json").read_text() == alone
    told = [text for text in caplog.messages if "is left out: " in text]
    assert len(told) == 3
    for words in ("transforms of rig; expected also one of the rig set-up 'refused'",
                  "unreadable_tracklets.parquet", "more than 2 animals"):  # fmt: skip
        assert sum(words in text for text in told) == 1


def test_more_animals_than_the_weights_know_names_the_weights(archive):
    folder, write = archive
    trace = positions(np.full((240, 4), 2))
    with pytest.raises(InputError, match="more than 2 animals") as error:
        run(archive, [write("many", "Train", positions=trace)])
    assert error.value.file == str(folder / "weights.json")
