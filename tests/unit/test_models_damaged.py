"""Fitted models of which one number was changed: refused, or of use."""

import copy
import functools
import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from murid.errors import InputError
from murid.models import fitted_path, fitted_weights
from small_rig import MODEL, simple_model

VALUES = (float("nan"), float("inf"), 1e308, -1, 0, 10**400, "x", True, [], None)


def leaves(content, path=()):
    """Yield where every number of a JSON content is."""
    if isinstance(content, dict | list):
        items = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in items:
            yield from leaves(value, (*path, key))
    elif isinstance(content, int | float):
        yield path


def changed(content, path, value):
    """Return a copy of a JSON content with another value in one place."""
    content = copy.deepcopy(content)
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return content


def check_each(path, read, use):
    """Put every value in the place of every number, and return how often that was refused."""
    content = json.loads(path.read_text())
    places = [place for place in leaves(content) if place[0] != "provenance"]
    refused = 0
    for place in places:
        for value in VALUES:
            path.write_text(json.dumps(changed(content, place, value)))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    results = list(use(read(path)))
                except InputError:
                    refused += 1
                    continue
            assert not any(np.isnan(result).any() for result in results), (place, value)
    return refused / (len(places) * len(VALUES))


def test_weights_with_any_other_number_are_refused_or_of_use(tmp_path):
    path = tmp_path / "weights.json"
    model = simple_model(animals=2)
    few = np.flatnonzero(model.contexts[:, 1:].sum(axis=1) == 0)
    # Enough of the table to know what a number in it does.
    small = fitted_weights.Affinity(
        **vars(model) | {"contexts": model.contexts[few], "visibility": model.visibility[few]}
    )
    fitted_weights.write(fitted_weights.Weights(small, small), path)

    def use(weights):
        antennas = np.array([0, 1, 2, 3, 4])
        boxes = np.array([[100.0, 50, 60, 40]] * 5)
        nobody = np.zeros((5, 9), dtype=int)
        for part in (weights.paper, weights.lagged):
            yield part.log_box(boxes, antennas, nobody)
            yield part.log_hidden(antennas, nobody)
            yield part.log_outlier(boxes)
            yield np.array([part.lag_frames("rig", 25.0)])

    assert 0.5 < check_each(path, fitted_weights.read, use) < 1


def test_path_models_with_any_other_number_are_refused_or_of_use(tmp_path):
    path = tmp_path / "path_model.json"
    fitted_path.write(MODEL, path)
    change = np.array([[0.0, 0, 0, 0], [1e4, 1e4, 3, 3]])

    def use(model):
        for fps in (12.5, 25.0, 50.0):
            for gap in range(1, min(model.motion.reach_frames(fps), 10) + 1):
                yield model.motion.moves(change, np.full(2, gap), fps)
        sure = np.array([0.0, 0.5, 1.0])
        yield model.score.log_odds(sure)
        yield model.boxed(sure)
        yield model.hidden(np.array([0.0, 0.04, 1.0, 1e6]))

    assert 0.5 < check_each(path, fitted_path.read, use) < 1


@pytest.mark.parametrize(
    ("kind", "place", "value", "message"),
    [
        ("path_model", ("score", "slope"), -18.4, "key score.slope: found -18.4; expected greater"),
        (
            "path_model",
            ("boxed", "slope"),
            True,
            "key boxed.slope: found True; expected a valid nu",
        ),
        (
            "path_model",
            ("motion", "near", 0),
            "0.9",
            "key motion.near.0: found '0.9'; expected a v",
        ),
        (
            "path_model",
            ("motion", "seconds", 4),
            1250.0,
            "key motion.seconds.4: found 1250.0; expe",
        ),
        (
            "path_model",
            ("norm", "level"),
            None,
            "key norm.level: found None; expected keys and val",
        ),
        ("path_model", ("norm",), 7, "key norm: found 7; expected keys and values"),
        (
            "path_model",
            ("made_for", "evidence_fps"),
            1250,
            "made_for, key evidence_fps: found 1250; expected less than or equal to 1000",
        ),
        (
            "path_model",
            ("made_for", "evidence_fps"),
            250,
            "evidence_fps of made_for is 250, not one",
        ),
        (
            "path_model",
            ("made_for", "fps", 1),
            True,
            "made_for, key fps.1: found True; expected a valid number",
        ),
        (
            "path_model",
            ("made_for", "lags"),
            {"": 20.0},
            "made_for, key lags.: found 20.0; expected less",
        ),
        (
            "weights",
            ("lagged", "lags", ""),
            20.0,
            "key lagged.lags.: found 20.0; expected less tha",
        ),
        ("weights", ("lagged",), None, "key lagged: found None; expected keys and values"),
        (
            "weights",
            ("paper", "homography", 0, 0),
            True,
            "key paper.homography.0.0: found True; ex",
        ),
        ("weights", ("paper", "homography", 0, 0), "100.0", "paper.homography.0.0: found '100.0'"),
        (
            "weights",
            ("paper", "homography", 0),
            [600.0, 0, 600],
            "middle of the antennas at 1500, ",
        ),
        (
            "weights",
            ("paper", "contexts", 0, 1),
            0.5,
            "key paper.contexts.0.1: found 0.5; expected",
        ),
    ],
)
def test_a_number_that_no_fit_gives_is_named_with_what_was_expected(
    tmp_path, kind, place, value, message
):
    path = tmp_path / f"{kind}.json"
    if kind == "weights":
        model = simple_model(animals=2)
        fitted_weights.write(fitted_weights.Weights(model, model), path)
        read = fitted_weights.read
    else:
        fitted_path.write(MODEL, path)
        read = fitted_path.read
    read(path)
    path.write_text(json.dumps(changed(json.loads(path.read_text()), place, value)))
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(path)
    assert caught.value.file == str(path)


def test_a_part_that_is_missing_is_named(tmp_path):
    path = tmp_path / "weights.json"
    model = simple_model(animals=2)
    fitted_weights.write(fitted_weights.Weights(model, model), path)
    content = json.loads(path.read_text())
    del content["lagged"]
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="key lagged: found nothing; expected a value"):
        fitted_weights.read(path)


@pytest.mark.parametrize(
    ("homography", "message"),
    [
        (np.zeros((3, 3)), "no view of the antennas"),
        (np.array([[1.0, 0, 0], [1, 0, 0], [0, 0, 1]]), "no view of the antennas"),
        # The horizon lies between the second antenna and the third.
        (np.array([[100.0, 0, 100], [0, 100, 50], [-0.4, 0, 1]]), "no view of the antennas"),
        (np.diag([1e9, 1.0, 1.0]), "far out of the picture"),
    ],
)
def test_a_projection_that_cannot_be_is_refused(tmp_path, homography, message):
    good = simple_model()
    bad = fitted_weights.Affinity(**vars(good) | {"homography": homography})
    fitted_weights.write(fitted_weights.Weights(good, bad), tmp_path / "weights.json")
    with pytest.raises(InputError, match=message):
        fitted_weights.read(tmp_path / "weights.json")


@pytest.mark.parametrize("part", [(), ("paper",), ("lagged",)])
def test_weights_without_one_of_their_keys_are_refused_by_its_name(tmp_path, part):
    path = tmp_path / "weights.json"
    model = simple_model(animals=2)
    fitted_weights.write(fitted_weights.Weights(model, model), path)
    content = json.loads(path.read_text())
    held = functools.reduce(dict.__getitem__, part, content)
    for key in list(held):
        rest = copy.deepcopy(content)
        del functools.reduce(dict.__getitem__, part, rest)[key]
        path.write_text(json.dumps(rest))
        with pytest.raises(InputError) as error:
            fitted_weights.read(path)
        if key != "format":
            assert f"key {'.'.join([*part, key])}: found nothing; expected a value" in str(
                error.value
            )


@pytest.mark.parametrize("value", ["True", "0.05", None, [1]])
def test_settings_that_a_path_model_was_learnt_under_are_no_words(tmp_path, value):
    path = tmp_path / "path_model.json"
    made = replace(MODEL.made_for, weighing={"correct_lag": True, "antenna_weight": 0.05})
    fitted_path.write(replace(MODEL, made_for=made), path)
    assert fitted_path.read(path).made_for == made
    for key in made.weighing:
        content = json.loads(path.read_text())
        content["made_for"]["weighing"][key] = value
        (tmp_path / "changed.json").write_text(json.dumps(content))
        with pytest.raises(InputError, match="weighing"):
            fitted_path.read(tmp_path / "changed.json")
