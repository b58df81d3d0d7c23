"""The model of a box given an antenna: samples, forest, Gaussians, and the artefact."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from murid import tables
from murid.errors import InputError
from murid.fitting import fit_weights as fit
from murid.fitting import gaussians, samples, visibility
from murid.grid import Grid
from murid.models import fitted_weights
from murid.models.fitted_weights import Weights
from murid.settings import FitWeights, Image

GRID = Grid()
IDENTITY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
TRUE_HOMOGRAPHY = np.array([[150.0, -60, 250], [4.0, 20, 400], [0.002, -0.05, 1]])


@pytest.fixture(scope="module")
def made():
    """Samples drawn from a known model: 3,000 boxes of three animals."""
    random = np.random.default_rng(5)
    antennas = random.integers(1, GRID.size + 1, (1000, 3))
    contexts = GRID.context(antennas).reshape(-1, 9)
    antennas = antennas.ravel()
    crowded = contexts.sum(axis=1) > 0
    chance = np.where(crowded[:, None], [0.3, 0.5, 0.2], [0.8, 0.15, 0.05])
    shown = (random.random(len(antennas))[:, None] > chance.cumsum(axis=1)).sum(axis=1)
    centroids = fitted_weights.project(TRUE_HOMOGRAPHY, GRID.coordinates(antennas))
    size = np.where(shown[:, None] == 0, [200.0, 120.0], [120.0, 80.0])
    noise = random.multivariate_normal(
        np.zeros(4),
        [[900, 100, 0, 0], [100, 400, 0, 0], [0, 0, 225, 50], [0, 0, 50, 100]],
        len(size),
    )
    table = pd.DataFrame({"frame": np.arange(len(size)) // 3, "antenna": antennas})
    table[samples.CONTEXT] = contexts
    table["visibility"] = np.array(["clear", "truncated", "hidden"])[shown]
    table[samples.GEOMETRY] = np.column_stack([centroids, size]) + noise
    table.loc[table["visibility"] == "hidden", samples.GEOMETRY] = np.nan
    return table


def test_fit_recovers_the_model_that_made_the_data(made):
    model = fit.fit(made, 3, GRID, Image(), FitWeights(covariance="pooled"))
    expected = fitted_weights.project(TRUE_HOMOGRAPHY, GRID.coordinates(GRID.antennas))
    assert np.abs(model.centroids(GRID.antennas) - expected).max() < 12
    assert_allclose(model.sizes[:, 0], np.tile([200.0, 120.0], (3, 1)), atol=5)
    assert_allclose(model.sizes[:, 1], np.tile([120.0, 80.0], (3, 1)), atol=5)
    assert_allclose(np.sqrt(np.diagonal(model.covariances[0, 0])), [30, 20, 15, 10], rtol=0.1)
    alone = model.visibility_of([8], np.zeros((1, 9)))[0]
    crowd = model.visibility_of([8], np.eye(9)[[5]])[0]
    assert alone[0] > crowd[0]


def test_homography_shrugs_off_wild_boxes(made):
    shown = made[made["visibility"] != "hidden"]
    centroids = shown[["x", "y"]].to_numpy().copy()
    centroids[::20] = [1200.0, 30.0]
    fitted = gaussians.fit_homography(shown["antenna"].to_numpy(), centroids, GRID)
    expected = fitted_weights.project(TRUE_HOMOGRAPHY, GRID.coordinates(GRID.antennas))
    error = fitted_weights.project(fitted, GRID.coordinates(GRID.antennas)) - expected
    assert np.linalg.norm(error, axis=1).mean() < 25


@pytest.mark.parametrize("visited", [[], [1, 2, 3], [1, 4, 7, 10, 13], [5, 6]])
def test_homography_needs_antennas_in_rows_and_columns(visited):
    antennas = np.array(visited * 5, dtype=np.int64)
    with pytest.raises(InputError, match="several rows and columns"):
        gaussians.fit_homography(antennas, np.zeros((len(antennas), 2)), GRID)


def test_covariance_settings_differ_as_they_say(made):
    shown = made[made["visibility"] != "hidden"]
    difference = np.random.default_rng(0).normal(0, 1, (len(shown), 4))
    difference[(shown["visibility"] == "clear").to_numpy()] *= 3
    by_kind = {
        kind: gaussians.covariances(difference, shown, GRID, kind)
        for kind in ("spherical", "pooled", "per_visibility", "per_row")
    }
    assert np.ptp(by_kind["pooled"], axis=(0, 1)).max() == 0
    assert_allclose(by_kind["spherical"][0, 0], np.eye(4) * np.mean(difference**2))
    per_visibility = by_kind["per_visibility"]
    assert_allclose(
        np.diagonal(per_visibility[0, 0]) / np.diagonal(per_visibility[0, 1]), 9, rtol=0.3
    )
    assert np.ptp(per_visibility, axis=0).max() == 0
    assert np.ptp(by_kind["per_row"], axis=1).max() == 0


def test_a_row_that_is_hardly_visited_takes_the_pooled_estimates(made):
    rare = made[(GRID.row(made["antenna"]) != 2) | (made.index < 12)]
    shown = rare[rare["visibility"] != "hidden"]
    sizes = gaussians.mean_sizes(shown, GRID)
    clear = shown.loc[shown["visibility"] == "clear", ["w", "h"]]
    assert_allclose(sizes[2, 0], clear.mean())


def test_contexts_are_all_and_only_those_that_can_occur():
    rows = visibility.contexts(Grid(2, 2), 3)
    # Each antenna of a 2 x 2 grid has four cells on the grid; two others go to four cells or
    # nowhere: C(4 + 2, 2) = 15 ways.
    assert len(rows) == 4 * 15
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert (rows[:, 1:].sum(axis=1) <= 2).all()


@given(st.lists(st.integers(1, 18), min_size=3, max_size=3))
def test_every_context_that_animals_make_is_tabulated(antennas):
    known = {tuple(row) for row in visibility.contexts(GRID, 3)}
    for antenna, context in zip(antennas, GRID.context([antennas])[0], strict=True):
        assert (antenna, *context) in known


def test_density_is_the_mixture_of_the_paper(made):
    model = fit.fit(made, 3, GRID, Image(), FitWeights(trees=5))
    box, context = np.array([[600.0, 450.0, 150.0, 90.0]]), np.eye(9)[[4]]
    chances = model.visibility_of([11], context)[0]
    mean = model.centroids([11])[0]
    row = int(GRID.row(11))
    expected = sum(
        chances[v]
        * multivariate_normal.pdf(box[0], [*mean, *model.sizes[row, v]], model.covariances[row, v])
        for v in range(2)
    )
    assert_allclose(model.log_box(box, [11], context), np.log(expected))
    assert_allclose(model.log_hidden([11], context), np.log(chances[2]))


@pytest.mark.parametrize("tail", [0.0, 0.2])
def test_a_box_alone_is_weighed_at_every_antenna_as_at_each(made, tail):
    model = replace(fit.fit(made, 3, GRID, Image(), FitWeights(trees=5)), tail=tail)
    boxes = made.loc[made["visibility"] != "hidden", samples.GEOMETRY].to_numpy()[:50]
    nobody = np.zeros((len(boxes), 9))
    each = [model.log_box(boxes, np.full(len(boxes), at), nobody) for at in GRID.antennas]
    np.testing.assert_array_equal(model.log_box_alone(boxes), np.column_stack(each))
    assert model.log_box_alone(boxes[:0]).shape == (0, GRID.size)


def test_visibility_is_a_distribution_without_zeros(made):
    model = fit.fit(made, 3, GRID, Image(), FitWeights(trees=5))
    assert_allclose(model.visibility.sum(axis=1), 1)
    assert model.visibility.min() > 0


def test_artefact_returns_as_it_was_and_is_the_same_each_time(made, tmp_path):
    model = fit.fit(made, 3, GRID, Image(), FitWeights(trees=5))
    late = replace(model, lags={"": 7, "low": 3})
    fitted_weights.write(Weights(model, late), tmp_path / "a.json")
    read = fitted_weights.read(tmp_path / "a.json")
    assert (read.paper.lag("low"), read.lagged.lag("low"), read.lagged.lag("new")) == (0, 3, 7)
    again = read.lagged
    for name in ("homography", "sizes", "covariances", "offsets", "contexts", "visibility"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    model = fit.fit(made, 3, GRID, Image(), FitWeights(trees=5))
    fitted_weights.write(Weights(model, replace(model, lags=late.lags)), tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-20], "malformed JSON"),
        (lambda text: text.replace("murid weights 4", "murid weights 3"), "weights 3'; expected"),
        (lambda text: text.replace('"hidden_share": 0.', '"hidden_share": 7.'), "hidden_share"),
        (lambda text: text.replace('"grid": [3', '"grid": [2'), "sizes"),
        (lambda text: text.replace('"lags": {"": 0.0}', '"lags": {"": -1}'), "lags"),
        (
            lambda text: text.replace('"lags": {"": 0.0}', '"lags": [0]'),
            r"lags: found \[0\]",
        ),
        (
            lambda text: re.sub(r'(y": \[\[)[^]]*', r"\g<1>0, 0.5, 0.5", text),
            r"visibility.0.0: found 0",
        ),
        (lambda text: "[]", "another format"),
    ],
)
def test_a_damaged_artefact_is_refused(made, tmp_path, change, message):
    path = tmp_path / "weights.json"
    model = fit.fit(made, 3, GRID, Image(), FitWeights(trees=2))
    fitted_weights.write(Weights(model, model), path)
    path.write_text(change(path.read_text()))
    with pytest.raises(InputError, match=message):
        fitted_weights.read(path)


def test_samples_leave_doubtful_frames_out_and_count_the_missing_as_hidden():
    frames = np.arange(4)
    trace = tables.conform(
        pd.DataFrame(
            {
                "frame": np.repeat(frames, 2),
                "animal": ["A", "B"] * 4,
                "antenna": [1, 2] * 3 + [1, None],
                "filled": False,
            }
        ),
        "positions",
    )
    nothing = {"x": np.nan, "y": np.nan, "w": np.nan, "h": np.nan}
    box = {"x": 10, "y": 20, "w": 30, "h": 40}
    rows = [
        {"frame": 0, "type": "single", "identities": ("A",), **box},
        {"frame": 1, "type": "tentative", "identities": ("A", "B"), **box},
        {"frame": 2, "type": "empty", "identities": (), **nothing},
        {"frame": 3, "type": "single", "identities": ("B",), **box},
    ]
    truth = pd.DataFrame(rows).assign(object=0, visibility="clear", difficult=False)
    found = samples.collect(trace, tables.conform(truth, "annotations"), IDENTITY, GRID)
    seen = {(row.frame, row.animal): row.visibility for row in found.itertuples()}
    assert seen == {
        (0, "A"): "clear", (0, "B"): "hidden", (2, "A"): "hidden", (2, "B"): "hidden",
        (3, "A"): "hidden",
    }  # fmt: skip
    first = found.iloc[0]
    assert first[samples.GEOMETRY].tolist() == [25, 40, 30, 40]
    assert first["cell5"] + first["cell7"] == 1


def test_nothing_to_fit_to_says_what_to_do(made):
    with pytest.raises(InputError, match="annotate more frames"):
        fit.fit(made[made["visibility"] == "hidden"], 3, GRID, Image(), FitWeights())


# What annotations may lack


def seen_as(made, *visibilities):
    """Samples of some visibilities only."""
    return made[made["visibility"].isin(visibilities)].reset_index(drop=True)


@pytest.mark.parametrize("covariance", ["per_visibility", "per_row"])
@pytest.mark.parametrize(
    ("visibilities", "remarks"),
    [
        (("clear", "truncated", "hidden"), []),
        (("clear", "hidden"), ["no annotated box is truncated"]),
        (("truncated",), ["no annotated box is clear", "no annotated animal is hidden"]),
        (("clear",), ["no annotated box is truncated", "no annotated animal is hidden"]),
    ],
)
def test_one_visibility_suffices_and_what_is_missing_is_said(
    made, tmp_path, visibilities, remarks, covariance
):
    rows = seen_as(made, *visibilities)
    model = fit.fit(rows, 3, GRID, Image(), FitWeights(trees=5, covariance=covariance))
    fitted_weights.write(Weights(model, model), tmp_path / "weights.json")
    model = fitted_weights.read(tmp_path / "weights.json").paper
    told = model.provenance["remarks"]
    assert [text.partition(":")[0] for text in told] == remarks
    shown = rows[rows["visibility"] != "hidden"]
    boxes, antennas = shown[samples.GEOMETRY].to_numpy(), shown["antenna"].to_numpy()
    context = np.zeros((len(shown), 9))
    own, elsewhere = (
        model.log_box(boxes, where, context) for where in (antennas, GRID.size + 1 - antennas)
    )
    assert (own > elsewhere).mean() > 0.9
    if "hidden" not in visibilities:
        assert np.exp(model.log_hidden(antennas, context)).max() < 0.01


def test_boxes_of_one_size_make_a_model_no_surer_than_a_pixel(made, tmp_path):
    alike = made.copy()
    shown = alike["visibility"] != "hidden"
    alike.loc[shown, ["w", "h"]] = [150.0, 90.0]
    for covariance in ("spherical", "pooled", "per_visibility", "per_row"):
        model = fit.fit(alike, 3, GRID, Image(), FitWeights(trees=2, covariance=covariance))
        fitted_weights.write(Weights(model, model), tmp_path / "weights.json")
        model = fitted_weights.read(tmp_path / "weights.json").paper
        least = np.linalg.eigvalsh(model.covariances).min()
        assert least >= 1 / 12 - 1e-9
        assert np.linalg.eigvalsh(model.outlier_covariance).min() >= 1 / 12 - 1e-9
        box = np.array([[*model.centroids([8])[0], 150.0, 90.0]])
        off = box + np.array([[0, 0, 3.0, 0]])
        fits, off = (model.log_box(boxes, [8], np.zeros((1, 9)))[0] for boxes in (box, off))
        assert np.isfinite([fits, off]).all()
        assert fits > off


def test_covariances_wide_enough_are_left_as_they_are(made):
    shown = made[made["visibility"] != "hidden"]
    difference = np.random.default_rng(0).normal(0, 1, (len(shown), 4))
    found = gaussians.covariances(difference, shown, GRID, "pooled")
    np.testing.assert_array_equal(found[0, 0], difference.T @ difference / len(shown))


def test_a_row_without_a_box_takes_what_all_boxes_say(made):
    rows = made[GRID.row(made["antenna"]) != 1]
    model = fit.fit(rows, 3, GRID, Image(), FitWeights(trees=2))
    clear = rows.loc[rows["visibility"] == "clear", ["w", "h"]]
    assert_allclose(model.sizes[1, 0], clear.mean())
    assert np.isfinite(model.log_box([[600, 450, 150, 90]], [8], np.zeros((1, 9)))).all()


def test_boxes_at_one_antenna_are_too_few_places(made):
    with pytest.raises(InputError, match="boxes at the antennas 5 only"):
        fit.fit(made[made["antenna"] == 5], 3, GRID, Image(), FitWeights())


def test_no_sample_at_all_says_what_to_do(made):
    with pytest.raises(InputError, match="annotate more frames"):
        fit.fit(made.head(0), 3, GRID, Image(), FitWeights())
