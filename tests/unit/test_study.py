"""The studies behind the weights: context, predictors, covariances, box sizes, and their page."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.stats import ttest_ind
from sklearn.dummy import DummyClassifier
from sklearn.neural_network import MLPClassifier

from murid import schemas, tables
from murid.archive import positions, tide
from murid.archive.annotated import tide as release
from murid.cli import cli
from murid.errors import InputError
from murid.fitting import samples
from murid.grid import Grid, Placed
from murid.models import fitted_weights
from murid.models.hidden import OUTCOMES
from murid.settings import FitWeights, StudyWeights
from murid.study import context, geometry, predictors, weights
from murid.study.stage import Sampled, Weights

GRID = Grid()
HOMOGRAPHY = np.array([[150.0, -60, 250], [4.0, 20, 400], [0.002, -0.05, 1]])
COUNTS = arrays(np.int64, st.tuples(st.integers(1, 30), st.just(9)), elements=st.integers(0, 2))


@pytest.fixture(scope="module")
def made() -> pd.DataFrame:
    """1,200 samples of five cages: whoever has another in front is truncated, and then smaller."""
    random = np.random.default_rng(3)
    antennas = random.integers(1, GRID.size + 1, (400, 3))
    contexts = GRID.context(antennas).reshape(-1, 9)
    antennas = antennas.ravel()
    hit = random.random(len(antennas)) < np.where(contexts[:, 6:].sum(axis=1) > 0, 0.95, 0.1)
    shown = np.where(random.random(len(antennas)) < 0.1, 2, hit.astype(int))
    size = np.where(shown[:, None] == 0, [200.0, 120.0], [150.0, 80.0])
    noise = random.multivariate_normal(
        np.zeros(4),
        [[900, 100, 0, 0], [100, 400, 0, 0], [0, 0, 225, 50], [0, 0, 50, 100]],
        len(size),
    )
    table = pd.DataFrame({"frame": np.arange(len(size)) // 3, "antenna": antennas})
    table[samples.CONTEXT] = contexts
    table["visibility"] = np.array(OUTCOMES)[shown]
    centroids = fitted_weights.project(HOMOGRAPHY, GRID.coordinates(antennas))
    table[samples.GEOMETRY] = np.column_stack([centroids, size]) + noise
    table.loc[shown == 2, samples.GEOMETRY] = np.nan
    table["cage"] = np.array(list("ABCDE"))[table["frame"] % 5]
    table["split"] = np.where(table["cage"].isin(["A", "B", "C"]), "Train", "Validate")
    return table


def quick(candidates):
    """Let networks learn next to nothing."""
    model = MLPClassifier(max_iter=1, random_state=1)

    def quicker(*arguments):
        return [
            replace(candidate, model=model)
            if candidate.predictor == "neural_network"
            else candidate
            for candidate in candidates(*arguments)
        ]

    return quicker


# What is around an animal


@given(COUNTS)
def test_mirror_images_are_summed_up_alike(counts):
    mirrored = counts.reshape(-1, 3, 3)[:, :, ::-1].reshape(-1, 9)
    alike = context.SUMMARIES["mirror_alike"][1]
    assert np.array_equal(alike(counts), alike(mirrored))
    same = (alike(counts) == counts).all(axis=1) | (alike(counts) == mirrored).all(axis=1)
    assert same.all()


def test_summaries_of_one_arrangement():
    counts = np.array([[1, 0, 0, 0, 1, 2, 0, 1, 0]])
    found = {name: make(counts)[0].tolist() for name, (_, make) in context.SUMMARIES.items()}
    assert found == {
        "nine_counts": counts[0].tolist(),
        "nine_presences": [1, 0, 0, 0, 1, 1, 0, 1, 0],
        "mirror_alike": [0, 0, 1, 2, 1, 0, 0, 1, 0],
        "sides_corners": [1, 3, 1],
        "rows": [1, 3, 1],
        "columns": [1, 2, 2],
        "same_row": [3],
        "same_column": [2],
        "same_cell": [1],
        "total": [5],
        "anyone": [1],
    }


def test_information_of_a_copy_is_the_entropy_and_of_the_unrelated_is_none():
    number = np.repeat([0, 1, 2, 3], 8)
    assert context.mutual_information(number, number) == pytest.approx(2)
    assert context.mutual_information(number, np.tile(np.arange(8), 4)) == pytest.approx(0)


@settings(max_examples=40)
@given(COUNTS, st.randoms(use_true_random=False))
def test_no_summary_tells_more_than_what_it_sums_up(counts, random):
    shown = np.array([random.randrange(3) for _ in counts])
    whole = context.mutual_information(context.states(counts), shown)
    for _, make in context.SUMMARIES.values():
        part = context.mutual_information(context.states(make(counts)), shown)
        assert -1e-9 <= part <= whole + 1e-9


def test_the_summary_that_matters_is_found(made):
    found = context.compare(made, 20, 1).set_index("summary")
    assert found["gain"].idxmax() in ("rows", "nine_counts", "nine_presences")
    assert found.loc["rows", "gain"] > 3 * found.loc["columns", "gain"]
    assert found.loc["rows", "states"] == 10  # ways to put at most two into three rows


def test_visibility_at_random_leaves_nothing_beyond_chance(made):
    random = np.random.default_rng(1)
    mixed = made.assign(visibility=random.permutation(made["visibility"].to_numpy()))
    found = context.compare(mixed, 50, 1)
    assert found["gain"].abs().max() < 0.03
    assert found["gain_given_antenna"].abs().max() < 0.05
    assert found["information"].max() > 0.03


def test_marginal_samples_do_not_count(made):
    more = pd.concat([made, made.head(50).assign(visibility="marginal")], ignore_index=True)
    pd.testing.assert_frame_equal(context.compare(more, 3, 1), context.compare(made, 3, 1))
    pd.testing.assert_frame_equal(
        geometry.compare_sizes(more, GRID, 0.01), geometry.compare_sizes(made, GRID, 0.01)
    )


# Predictors


def test_folds_of_cages_share_none(made):
    folds = predictors.split(made, 5, 1)
    cages = made["cage"].to_numpy()
    for fitted, judged in folds[predictors.BY_CAGE]:
        assert set(cages[fitted]).isdisjoint(cages[judged])
    for pairs in folds.values():
        assert sorted(np.concatenate([judged for _, judged in pairs])) == list(range(len(made)))


def test_few_cages_are_not_left_out(made):
    two = made[made["cage"].isin(["A", "B"])]
    assert set(predictors.split(two, 5, 1)) == {predictors.MIXED}
    three = made[made["cage"].isin(["A", "B", "C"])]
    assert len(predictors.split(three, 5, 1)[predictors.BY_CAGE]) == 3


def test_too_few_samples_are_the_users_to_mend(made):
    with pytest.raises(InputError, match=r"found 3 animals.*expected at least 5"):
        predictors.split(made.head(3), 5, 1)


def test_log_likelihood_is_that_of_the_annotated_outcome():
    shares = predictors.Candidate("shares", "any", DummyClassifier(strategy="prior"))
    shown = np.array([0, 0, 0, 1, 0, 1])
    fitted, judged = np.arange(4), np.arange(4, 6)
    found, sizes = predictors.log_likelihood(shares, np.zeros((6, 1)), shown, [(fitted, judged)])
    # The outcome that is not in the fold's samples is given the floor.
    total = 1 + predictors.FLOOR
    expected = (np.log(0.75 / total) + np.log(0.25 / total)) / 2
    assert_allclose(found, [expected])
    assert sizes.tolist() == [2]


@pytest.fixture(scope="module")
def compared(made):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(predictors, "candidates", quick(predictors.candidates))
        return predictors.compare(made.head(400), GRID, FitWeights(trees=10), 3)


def test_animals_that_are_all_clear_are_predicted_by_all_alike(made):
    table = predictors.compare(made.assign(visibility="clear"), GRID, FitWeights(trees=2), 2)
    assert table["predictor"].nunique() == 7
    np.testing.assert_allclose(table["log_likelihood"], -np.log1p(2 * predictors.FLOOR))


def test_every_kind_of_predictor_is_judged_on_every_sample(made, compared):
    usable = (made.head(400)["visibility"] != "marginal").sum()
    judged = compared[compared["chosen"]].groupby(["folds", "predictor"])["samples"].sum()
    assert set(judged.index.get_level_values("predictor")) == set(weights.PREDICTORS)
    assert (judged == usable).all()


def test_predictors_that_see_the_context_beat_shares(compared):
    rows = {row["predictor"]: row for row in weights.predictor_rows(compared, FitWeights(trees=10))}
    for name in ("random_forest", "logistic_regression", "naive_bayes"):
        assert rows[name]["by_cage"]["value"] > rows["shares"]["by_cage"]["value"] + 0.05


def test_networks_learn_from_the_context(made):
    few = made.head(600)
    encoded = predictors.encode(few, GRID)
    shown = few["visibility"].map(OUTCOMES.index).to_numpy()
    halves = [(np.arange(300), np.arange(300, 600))]
    listed = {own.predictor: own for own in predictors.candidates(FitWeights(), encoded)}
    small = {"hidden_layer_sizes": (4, 4), "alpha": 3.0}
    network = replace(listed["neural_network"], parameters=small)
    values = {
        own.predictor: predictors.log_likelihood(own, encoded[own.encoding], shown, halves)[0]
        for own in (listed["shares"], network)
    }
    assert values["neural_network"] > values["shares"] + 0.02


def test_the_forest_in_use_has_its_own_row_and_is_never_called_best(compared):
    rows = weights.predictor_rows(compared, FitWeights(trees=10))
    (used,) = [row for row in rows if row["in_use"]]
    assert "min_samples_leaf=2" in used["mixed"]["parameters"]
    for kind in ("by_cage", "mixed"):
        (best,) = [row for row in rows if row[kind]["best"]]
        assert best[kind]["value"] == max(row[kind]["value"] for row in rows)
        assert weights.best_predictors(rows)[kind][0] == best["label"]


# Boxes


def test_in_one_dimension_hotelling_is_the_t_test():
    random = np.random.default_rng(2)
    first, second = random.normal(0, 1, 12), random.normal(1, 1, 9)
    known = ttest_ind(first, second)
    squared, ratio, degrees, chance = geometry.hotelling(first[:, None], second[:, None])
    assert_allclose(
        [squared, ratio, degrees, chance], [known.statistic**2] * 2 + [19, known.pvalue]
    )


@given(st.integers(0, 1000))
def test_hotelling_does_not_depend_on_the_units(seed):
    random = np.random.default_rng(seed)
    first, second = random.normal(size=(8, 2)), random.normal(size=(6, 2)) + 0.5
    mix = random.normal(size=(2, 2)) + 3 * np.eye(2)
    assert_allclose(
        geometry.hotelling(first @ mix + 7, second @ mix + 7), geometry.hotelling(first, second)
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.zeros((0, 2)), np.random.default_rng(1).normal(size=(9, 2))),
        (np.ones((1, 2)), np.random.default_rng(1).normal(size=(9, 2))),
        (np.ones((9, 2)), np.zeros((9, 2))),
    ],
)
def test_there_is_no_test_of_too_few_boxes_or_boxes_that_are_all_alike(first, second):
    squared, ratio, _, chance = geometry.hotelling(first, second)
    assert np.isnan([squared, ratio, chance]).all()


def test_sizes_differ_where_they_do(made):
    found = geometry.compare_sizes(made, GRID, 0.01)
    assert found["antenna"].tolist() == GRID.antennas.tolist()
    assert found.loc[found["p_value"].notna(), "significant"].eq(True).all()
    assert found["p_value"].notna().sum() >= 15
    assert_allclose(found["clear_w"] - found["truncated_w"], 50, atol=25)
    alike = made.assign(visibility=np.where(made.index % 2, "clear", "truncated"))
    alike[["w", "h"]] = np.random.default_rng(1).normal(100, 5, (len(made), 2))
    assert geometry.compare_sizes(alike, GRID, 0.01)["significant"].eq(True).sum() <= 2


def test_an_antenna_without_boxes_is_not_judged(made):
    found = geometry.compare_sizes(made[made["antenna"] != 7], GRID, 0.01).set_index("antenna")
    assert found.loc[7, "significant"] is None
    assert found.loc[7, "clear"] == 0


def test_freer_covariances_fit_their_own_samples_better(made):
    found = geometry.compare_covariances(made, GRID)
    own = found[(found["fitted_to"] == "Train") & (found["judged_on"] == "Train")]
    own = own.set_index("covariance")["log_likelihood"]
    assert own["spherical"] < own["pooled"] <= min(own["per_visibility"], own["per_row"])
    left = found[found["fitted_to"] == geometry.LEFT_OUT]
    assert set(left["judged_on"]) == set("ABCDE")
    assert left.groupby("covariance")["boxes"].sum().eq(len(geometry.visible(made))).all()


def test_without_validation_cages_or_a_second_cage_there_is_less_to_compare(made):
    one = made[made["cage"] == "A"]
    found = geometry.compare_covariances(one, GRID)
    assert set(zip(found["fitted_to"], found["judged_on"], strict=True)) == {("Train", "Train")}
    (best,) = [
        row["label"] for row in weights.covariance_rows(found, FitWeights()) if row["in_use"]
    ]
    assert best == "Per row"


def test_the_covariances_of_the_released_cages_are_as_known(shared):
    archive = shared / "tide"
    splits, _ = tide.read_splits(archive / "Datasplits.df")
    truth = release.read_release(archive / "Annotations.df")
    identity = np.eye(3)[:2]
    parts = []
    for key in sorted(set(truth) & set(splits)):
        path = archive / "Segments" / "_".join(key) / "Positions.df"
        if path.is_file() and splits[key] in ("Train", "Validate"):
            own = samples.collect(
                positions.read(path).table, release.from_release(truth[key], path), identity, GRID
            )
            parts.append(own.assign(cage=key[0], split=splits[key]))
    rows = weights.covariance_rows(
        geometry.compare_covariances(pd.concat(parts, ignore_index=True), GRID), FitWeights()
    )
    found = [[row["Train"], row["Validate"]] for row in rows]
    known = [[-22.16, -22.06], [-21.66, -21.61], [-21.62, -21.66], [-21.55, -21.62]]
    assert_allclose(found, known, atol=0.03)


# The page


@pytest.fixture(scope="module")
def written(made, tmp_path_factory):
    """The study run as a command, on two segments of each of three cages."""
    folder = tmp_path_factory.mktemp("study")
    options = ["--output-dir", folder / "out", "--transforms", folder / "transforms.parquet"]
    tables.write(
        pd.DataFrame(
            [("rig", True, 1, 0, 0, 0, 1, 0, None, None)],
            columns=schemas.CONTRACTS["transforms"].schema.names,
        ).astype({"fit_residual": float, "validation_residual": float}),
        folder / "transforms.parquet",
        "transforms",
    )
    for cage, own in made[made["cage"] < "D"].groupby("cage"):
        own = own.assign(animal=np.tile(list("BGR"), len(own) // 3), filled=False)
        paths = [folder / f"{cage}_{name}.parquet" for name in ("positions", "annotations")]
        tables.write(own, paths[0], "positions")
        boxed = own[own["x"].notna()]
        boxed = boxed.assign(
            object=boxed["animal"].map({"B": 0, "G": 1, "R": 2}),
            type="single",
            identities=[(name,) for name in boxed["animal"]],
            difficult=False,
            x=boxed["x"] - boxed["w"] / 2,
            y=boxed["y"] - boxed["h"] / 2,
        )
        tables.write(boxed, paths[1], "annotations")
        split = "Validate" if cage == "C" else "Train"
        options += ["--segment", cage, split, *paths, "rig"]
    arguments = ["study", "weights", *options, "--folds", "3", "--permutations", "5"]
    arguments += ["--trees", "3", "--note", "Made <up>"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(predictors, "candidates", quick(predictors.candidates))
        result = CliRunner().invoke(cli, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return folder / "out"


def test_the_page_needs_nothing_else_and_says_what_was_found(written):
    text = (written / "weights.html").read_text()
    assert not re.search(r"<(script|link|img)|(src|href)=\"(?!#)", text)
    assert "Made &lt;up&gt;" in text
    assert "3 cages" in text
    for label in weights.PREDICTORS.values():
        assert label in text
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL)


def test_the_csv_files_have_what_the_page_shows(written):
    names = {path.stem for path in written.glob("*.csv")}
    assert names == {
        f"weights_{name}" for name in ("context", "predictors", "covariances", "sizes")
    }
    for name in names:
        assert len(pd.read_csv(written / f"{name}.csv")), name
    sizes = pd.read_csv(written / "weights_sizes.csv")
    assert sizes["antenna"].tolist() == GRID.antennas.tolist()


def test_samples_without_a_single_reading_are_the_users_to_mend(tmp_path, written):
    folder = written.parent
    tables.write(tables.empty("positions"), tmp_path / "positions.parquet", "positions")
    segment = Sampled(
        "A",
        "Train",
        tmp_path / "positions.parquet",
        folder / "A_annotations.parquet",
        "rig",
    )
    with pytest.raises(InputError, match="no annotated animal that has a reading"):
        weights.gather([segment], folder / "transforms.parquet", GRID)


PLACED = Placed(tuple(map(tuple, (GRID.coordinates(GRID.antennas) * 100.0).tolist())))


@pytest.mark.parametrize("antennas", [GRID, PLACED], ids=["grid", "placed"])
def test_with_two_cages_the_page_does_not_speak_of_cages_not_seen(made, monkeypatch, antennas):
    monkeypatch.setattr(predictors, "candidates", quick(predictors.candidates))
    few = made[made["cage"].isin(["A", "B"])]
    stage = Weights.model_construct(
        fit_weights=FitWeights(trees=5), study_weights=StudyWeights(permutations=3, folds=2)
    )
    found = weights.page(few, antennas, stage)
    text = found.render(None)
    assert "too few cages to leave whole ones out" in text
    assert "cages not seen" not in text
    assert f"of {found.tables['weights_sizes']['p_value'].notna().sum()} antennas" in text
