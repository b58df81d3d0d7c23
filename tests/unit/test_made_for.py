"""What models say that they were made for, and what is told where it is not what they are for."""

import json
from dataclasses import replace

import pytest

from murid.models import fitted_path, fitted_weights, made_for
from murid.models.made_for import MadeFor
from murid.settings import Grid, Image
from small_rig import MODEL, simple_model

GRID, IMAGE = Grid(rows=1, columns=4), Image()
FACTORS = {"antenna_weight": 0.05, "transitions": True}
MADE = replace(MODEL.made_for, weighing=FACTORS, lags={"": 0.4}, weights=("0af3", "1b"))
WEIGHTS = MadeFor((1, 4), (1280, 720), animals=(1, 3), fps=(25.0, 25.0))
MODELS = {"weights": ("w.json", WEIGHTS), "path_model": ("p.json", MADE)}
"""Weights for up to three animals, and a path model for one or two."""


def test_models_say_what_they_were_made_for_however_they_are_written(tmp_path):
    model = simple_model(animals=3)
    paths = [tmp_path / "weights.json", tmp_path / "path_model.json"]
    fitted_weights.write(fitted_weights.Weights(model, model), paths[0])
    fitted_path.write(replace(MODEL, made_for=MADE), paths[1])
    digest = fitted_weights.read(paths[0]).digest
    for indent, separators in ((None, None), (None, (",", ":")), (1, None)):
        for path in paths:
            path.write_text(
                json.dumps(json.loads(path.read_text()), indent=indent, separators=separators)
            )
        assert fitted_weights.read(paths[0]).made_for == WEIGHTS
        assert fitted_weights.read(paths[0]).digest == digest
        assert fitted_path.read(paths[1]).made_for == MADE


def test_weights_that_differ_in_a_number_are_told_apart():
    model = simple_model(animals=3)
    weights = fitted_weights.Weights(model, model)
    others = [
        replace(model, hidden_share=model.hidden_share / 2),
        replace(model, lags={"": 0.2}),
        replace(model, sizes=model.sizes * 1.01),
        replace(model, offsets=model.offsets + 1),
        replace(model, tail=0.1),
    ]
    digests = [fitted_weights.Weights(model, other).digest for other in others]
    assert len({weights.digest, *digests}) == 6


def test_a_path_model_of_another_run_is_told_and_one_that_does_not_say_is_not():
    def told(made, weights):
        found = made_for.problems(
            MODELS | {"path_model": ("p.json", made)}, GRID, IMAGE, FACTORS, [(2, 25.0)], weights
        )
        assert not found[0]
        return found[1]

    for weights in ("", "0af3", "1b"):
        assert told(MADE, weights) == []
    (remark,) = told(MADE, "2c")
    assert remark.startswith(
        "p.json: confidence was learnt under other conditions: other weights than those of its own "
        "run (give both of one run, or set path_model: to null)"
    )
    # Models of before have the digest of a file, or none.
    for older in ({"weights": "0af3"}, {}):
        content = {name: value for name, value in MADE.written().items() if name != "weights"}
        assert told(made_for.parse(content | older), "2c") == []


def test_a_path_model_of_before_counts_evidence_at_the_highest_rate_of_its_fit():
    content = replace(MADE, fps=(12.5, 50.0), evidence_fps=12.5).written()
    assert made_for.parse(content).reference_fps == 12.5
    del content["evidence_fps"]
    assert made_for.parse(content).reference_fps == 50


def test_a_path_model_that_says_nothing_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="made for"):
        fitted_path.write(replace(MODEL, made_for=None), tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_models_that_fit_have_no_problems():
    assert made_for.problems(MODELS, GRID, IMAGE, FACTORS, [(2, 25.0), (1, 25.0)]) == ([], [])
    assert made_for.problems({}, Grid(), Image(width=7), FACTORS, [(9, 1.0)]) == ([], [])


@pytest.mark.parametrize(
    ("grid", "image", "animals", "found"),
    [
        (
            Grid(rows=4, columns=1),
            IMAGE,
            2,
            "1 x 4 antennas (rows x columns); expected one for 4 x 1",
        ),
        (GRID, Image(width=900, height=900), 2, "1280 x 720 pixels; expected one for 900 x 900"),
    ],
)
def test_a_model_for_another_rig_is_a_problem_before_anything_runs(grid, image, animals, found):
    wrong, remarks = made_for.problems(MODELS, grid, image, FACTORS, [(animals, 25.0)])
    assert len(wrong) == 2
    for (name, (path, _)), text in zip(MODELS.items(), wrong, strict=True):
        assert text.startswith(path)
        assert found in text
        assert f"Set {name}: to null" in text
    assert not remarks


def test_more_animals_than_the_weights_know_are_a_problem_and_other_conditions_a_remark():
    groups = [(2, 25.0), (8, 25.0), (0, 60.0)]
    factors = {"antenna_weight": 1.0, "transitions": True}
    (problem,), (remark,) = made_for.problems(MODELS, GRID, IMAGE, factors, groups)
    assert "made for up to 3 animals; expected one for 8, as a cage holds" in problem
    assert remark.startswith("p.json")
    told = remark.partition("conditions: ")[2].split("; ")
    assert sorted(told) == [
        "60 frames a second, not 25", "8 animals, not 1 to 2",
        "identify.antenna_weight of 1, not 0.05",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("grid", [0, 6]), ("grid", [3]), ("grid", [2.5, 6]), ("image", ["1280", 720]),
        ("image", [float("nan"), 720]), ("animals", [3, 1]), ("animals", [1, 10**400]),
        ("fps", [0, 25]), ("fps", [25, float("inf")]), ("fps", None), ("weighing", []),
        ("weighing", {"antenna_weight": "0.05"}), ("lags", {"": -1}), ("lags", 3),
    ],
)  # fmt: skip
def test_values_that_cannot_be_are_refused(key, value):
    content = json.loads(json.dumps(MADE.written()))
    assert made_for.parse(content) == MADE
    with pytest.raises(ValueError, match="made_for"):
        made_for.parse(content | {key: value})


def test_a_model_of_before_dwells_counted_says_so():
    used = {
        "antenna_weight": 0.05, "dwell_exponent": 0.5, "presence_weight": 0.02,
        "reading_life": 0.0, "transitions": True,
    }  # fmt: skip
    assert sorted(made_for.differences(MADE, 2, 25.0, used)) == [
        "identify.dwell_exponent of 0.5, not 0",
        "identify.presence_weight of 0.02, not 0.05",
    ]
    constant = used | {"dwell_exponent": 0.0, "presence_weight": 0.05}
    assert made_for.differences(MADE, 2, 25.0, constant) == []


def test_a_lag_far_from_that_of_the_path_model_is_told():
    def told(lag):
        return made_for.differences(MADE, 2, 25.0, FACTORS, ("rig", lag))

    assert told(1.2) == []
    assert told(3.0) == ["readings put right by 3 s, not 0.4"]
