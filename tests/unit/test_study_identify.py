"""The study of every method on cages left out: sums over cages, what was learnt, and the page."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from murid import schemas, tables
from murid.cli import cli
from murid.errors import InputError
from murid.evaluate.counts import bin_of
from murid.fitting import fit_weights as fit
from murid.fitting import samples
from murid.grid import Grid
from murid.models import fitted_path, fitted_weights
from murid.models.made_for import MadeFor
from murid.settings import FitWeights, Image, Paths, StudyIdentify
from murid.study import drawing, fold, identify
from murid.study.fold import CONSTANT, UNSCORED
from murid.study.stage import Fold, Identify, Source

SMALL = StudyIdentify(antenna_weights=(0.02, 0.04), dwell_exponents=(0.5,))
CURRENT = Paths()
RIGHT = {
    "static_c": (40, 60), "static_p": (50, 70), "ilp": (70, 80), "ilp_lag": (70, 80),
    "ilp_tempered": (75, 75), "path": (95, 90), UNSCORED: (90, 90),
    CONSTANT: (85, 80),
    "path_0.02_0.5": (80, 90), "path_0.04_0.5": (95, 90), "oracle": (97, 97),
}  # fmt: skip
"""Boxes rightly named, of a hundred, in each of two cages; as many animals rightly placed."""
MOTION = fitted_path.Motion(
    seconds=np.array([0.04, 0.08]),
    near=np.array([0.9, 0.5]),
    spread=np.array([[10.0, 8.0, 0.05, 0.1], [12.0, 9.0, 0.06, 0.2]]),
    anywhere=np.array([300.0, 60.0, 0.5, 0.5]),
    gaps=np.array([1.0, -2.0]),
    fresh=-5.0,
)
MODEL = fitted_path.PathModel(
    MOTION,
    fitted_path.Score(slope=10.0, intercept=-6.0),
    made_for=MadeFor((3, 6), (1280, 720), animals=(2, 2), fps=(25.0, 25.0)),
)
CURVE = {
    "lags": [0.0, 0.2, 0.4, 0.6], "log_likelihood": [-21.5, -21.3, -21.2, -21.4],
    "behind": [4.0, 1.5, 0.0, 2.5], "possible": [False, True, True, False], "boxes": 400,
    "stretches": 12, "chosen": 0.2,
}  # fmt: skip


def made_counts(right=RIGHT, cages="AB"):
    """Counts of cages, every other one alike: what is not right has another's name."""
    rows = []
    for method, values in right.items():
        for number, cage in enumerate(cages):
            value = values[number % 2]
            unit = (cage, "1", "Train", 0, method)
            rows.append((*unit, "A_O", value, 100))
            if method != "oracle":
                rows += [(*unit, "A_GD", value, 100), (*unit, "MisID_GD", 100 - value, 80)]
                rows += [(*unit, "FNR_GD", 0, 80), (*unit, "FPR_GD", 0, 20)]
    frame = pd.DataFrame(rows, columns=schemas.CONTRACTS["counts"].schema.names)
    return tables.conform(frame, "counts")


def made_reliability():
    """Two snippets alike: ten boxes of 0.9, eight right, and ten hidden of 0.6, seven right."""
    rows = [
        (cage, "1", "Train", 0, method, kind, bin_of(pd.Series([sure]))[0], 10, right, 10 * sure)
        for cage in "AB"
        for method, wrong in (("path", 0), (UNSCORED, 5))
        for kind, sure, right in (("box", 0.9, 8 - wrong), ("hidden", 0.6, 7 - wrong))
    ]
    frame = pd.DataFrame(rows, columns=schemas.CONTRACTS["reliability"].schema.names)
    return tables.conform(frame, "reliability")


def made_missed():
    """Of each cage's ten visible animals two go without a box, and of eight boxes one."""
    rows = [
        (cage, "1", kind, cause, count)
        for cage in "AB"
        for kind, cause, count in (
            ("animal", "kept", 8), ("animal", "detector", 1), ("animal", "another", 1),
            ("box", "kept", 7), ("box", "tracker", 1),
        )
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=schemas.CONTRACTS["missed"].schema.names)
    return tables.conform(frame, "missed")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Weights and path model, as files; readings run 0.2 s late."""
    folder = tmp_path_factory.mktemp("models")
    grid = Grid()
    random = np.random.default_rng(1)
    antennas = random.integers(1, grid.size + 1, (200, 2))
    table = pd.DataFrame({"antenna": antennas.ravel()})
    table["visibility"] = np.resize(["clear", "truncated"], len(table))
    table[samples.CONTEXT] = grid.context(antennas).reshape(-1, 9)
    places = grid.coordinates(table["antenna"]) * [180.0, 140.0] + [150.0, 250.0]
    boxes = np.column_stack([places, np.tile([150.0, 90.0], (len(table), 1))])
    table[samples.GEOMETRY] = boxes + random.normal(0, 15, boxes.shape)
    paper = fit.fit(table, 2, grid, Image(), FitWeights(trees=2))
    lagged = replace(paper, lags={"": 0.2}, provenance={"lag": {"": CURVE, "rig": CURVE}})
    fitted_weights.write(fitted_weights.Weights(paper, lagged), folder / "weights.json")
    curves = {"": CURVE, "left": CURVE, "right": CURVE | {"chosen": 0.4}}
    remarks = {"lag": curves, "lag_remarks": ["rig middle: too few"]}
    several = replace(lagged, lags={"": 0.2, "left": 0.2, "right": 0.4}, provenance=remarks)
    fitted_weights.write(fitted_weights.Weights(paper, several), folder / "rigs.json")
    fitted_path.write(MODEL, folder / "path_model.json")
    return folder


def write(models, folder, counts, settings=SMALL, current=CURRENT, weights="weights"):
    """Write the page to a folder, and return what it says."""
    tables.write(counts, folder / "counts.parquet", "counts")
    tables.write(made_reliability(), folder / "reliability.parquet", "reliability")
    tables.write(made_missed(), folder / "missed.parquet", "missed")
    Identify(
        counts=[folder / "counts.parquet"], reliability=[folder / "reliability.parquet"],
        missed=[folder / "missed.parquet"],
        weights=models / f"{weights}.json", path_model=models / "path_model.json",
        output_dir=folder, paths=current, study_identify=settings, note="Made up",
    ).run()  # fmt: skip
    return words_of((folder / "identify.html").read_text())


@pytest.fixture(scope="module")
def written(models, tmp_path_factory):
    """The folder of a page, and what it says."""
    folder = tmp_path_factory.mktemp("page")
    return folder, write(models, folder, made_counts())


def words_of(text):
    """Return what a page says, without figures and tags."""
    assert not re.search(r'<(script|link|img)|(src|href)="(?!#)', text)
    return re.sub(r"\s+", " ", re.sub(r"<svg.*?</svg>|<[^>]+>", "", text, flags=re.DOTALL))


# Sums


def test_methods_are_summed_with_intervals_over_cages():
    table = identify.compare_methods(made_counts(cages="ABCDEF")).set_index("method")
    assert list(table.index) == list(identify.STEPS)
    ilp = table.loc["ilp"]
    # Three cages of 0.7 and three of 0.8: 2.57 standard errors of 0.022.
    assert (ilp["A_GD"], ilp["A_GD_cages"]) == (0.75, 6)
    assert [ilp["A_GD_low"], ilp["A_GD_high"]] == pytest.approx([0.69, 0.80], abs=0.006)
    assert (ilp["A_GD_count"], ilp["A_GD_normaliser"]) == (450, 600)
    assert ilp["MisID_GD"] == 50 / 160
    assert table.loc["oracle", "A_O"] == 0.97
    assert table.loc["oracle", ["A_GD", "A_GD_low"]].isna().all()


def test_steps_are_compared_on_the_same_cages():
    table = identify.compare_methods(made_counts(cages="ABCDEF")).set_index("method")
    columns = ["A_GD_change", "A_GD_change_low", "A_GD_change_high"]
    half = 2.5706 * 0.05 / np.sqrt(5)  # of cages that differ by 0.05 to either side
    expected = {
        "static_c": [np.nan] * 3,
        "static_p": [0.1, 0.1, 0.1],  # by the same in all, though all vary
        "ilp": [0.15, 0.15 - half, 0.15 + half],
        "ilp_lag": [0, 0, 0],
        "ilp_tempered": [0, -half, half],
        "path": [0.175, 0.175 - half / 2, 0.175 + half / 2],
        UNSCORED: [-0.025, -0.025 - half / 2, -0.025 + half / 2],  # to the path model
        "oracle": [np.nan] * 3,
    }
    for method, values in expected.items():
        np.testing.assert_allclose(table.loc[method, columns].astype(float), values, atol=1e-4)


@pytest.mark.parametrize("cages", ["A", "AB"])
def test_too_few_cages_have_no_interval(cages):
    table = identify.compare_methods(made_counts(cages=cages)).set_index("method")
    assert table.loc["static_c", "A_GD_cages"] == len(cages)
    assert table["A_O"].notna().all()
    assert table.filter(regex="_(low|high)$").isna().all(axis=None)


def test_factors_are_compared_with_the_best_of_each_metric():
    table = identify.compare_weights(
        made_counts(cages="ABCDEF"), identify.settings_of(SMALL, CURRENT)
    )
    assert table["metric"].unique().tolist() == ["A_GD", "MisID_GD", "A_O"]
    own = table.set_index(["metric", "antenna_weight"])
    assert own["in_use"].tolist() == [False, True] * 3
    assert own.loc[("A_GD", 0.02), ["value", "behind"]].tolist() == pytest.approx([0.85, 0.075])
    assert own.loc[("A_GD", 0.02), ["low", "high"]].tolist() == pytest.approx(
        [0.075 - 0.0862, 0.075 + 0.0862], abs=1e-4
    )  # 2.57 standard errors of 0.075 over the root of 5
    assert own.loc[("A_GD", 0.02), "as_good"]
    # Fewer wrong names are better: 30 of 160 against 15.
    assert own.loc[("MisID_GD", 0.02), "behind"] == pytest.approx(15 / 160)
    assert own.loc[("MisID_GD", 0.04), "behind"] == 0


# What was learnt


def test_the_lag_is_laid_out_with_rigs_only_if_there_are_several():
    other = CURVE | {"chosen": 0.4}
    one = identify.lag_table({"": CURVE, "rig": CURVE})
    assert one["rig"].unique().tolist() == ["all"]
    assert one.loc[one["chosen"], "lag"].tolist() == [0.2]
    two = identify.lag_table({"": CURVE, "left": CURVE, "right": other})
    assert two["rig"].unique().tolist() == ["all", "left", "right"]
    assert two.loc[two["chosen"], "lag"].tolist() == [0.2, 0.2, 0.4]
    assert identify.lag_table({}).empty


def test_motion_has_a_row_a_gap_and_one_for_longer_absences():
    table = identify.motion_table(MOTION)
    assert table["gap"].tolist()[:2] == [0.04, 0.08]
    assert table["spread_y"].tolist()[:2] == [8, 9]
    assert table["log_ratio"].tolist() == [1, -2, -5]
    assert table.loc[2, ["gap", "near", "spread_x"]].isna().all()


@pytest.mark.parametrize("curve", ["spread_curve", "near_curve", "begin_curve"])
def test_what_was_learnt_of_motion_is_drawn_to_the_longest_gap(curve):
    drawn = getattr(drawing, curve)(replace(MOTION, seconds=np.array([0.04, 3.0])))
    assert "<!-- 3.0 -->" in drawn


# The page


def test_the_page_says_what_was_found(written):
    folder, words = written
    assert "the path model gives 92.5% of the boxes the right name" in words
    # Of 160 boxes that are an animal, 15 against 50 have another one's name.
    assert "9.4% are given another one's name, where the ILP has 31.2%: 3.3 times as many" in words
    assert "with these detections 97.0% would be the most" in words
    assert "2 annotated stretches of 2 segments of 2 cages (A, B; Train)" in words
    assert "leaves its answer as it is" in words
    assert (
        "AGD is best (0.925) with 0.04 for the antennas and an exponent of 0.5, those in" in words
    )
    assert "The best for AGD, MisIDGD and AO lies at the edge of what was tried" in words
    assert "taken to run 0.2 s late. The best lag is 0.4 s; up to" in words
    assert "by 0.20 (mean over 400 boxes of 12 stretches)" in words
    assert "A detection that scores 0.60 speaks as much for an animal as for a false box." in words
    assert "Each 0.1 more makes an animal 2.7 times likelier" in words
    assert "Note: Made up" in words
    assert "nan" not in words
    names = ("methods", "weights", "lag", "motion", "reliability")
    rows = [len(pd.read_csv(folder / f"identify_{name}.csv")) for name in names]
    assert rows[:4] == [9, 6, 4, 3]


def test_what_has_no_name_is_told_by_cage_with_where_it_is_lost(written):
    folder, words = written
    table = pd.read_csv(folder / "identify_missed.csv").set_index(["kind", "cage"])
    assert table.loc[("animal", "all")].tolist() == [20, 16, 2, 0, 0, 2]
    assert table.loc[("box", "B")].tolist() == [8, 7, 0, 1, 0, 0]
    # Cells follow each other without a space: 20, 20.0%, 2, 0, 0, 2, and 16, 12.5%, -, 2, 0, -.
    assert "all2020.0%2002" in words
    assert "all1612.5%–20–" in words


def test_confidence_is_judged_by_hand_made_bins(written):
    folder, words = written
    # |8 - 9| + |7 - 6| of 20; of the 16 surest, 8 of ten and 7 of ten of the next six.
    assert "Of all rows (40), what it states and what is right differ by 10.0 points" in words
    assert (
        "of the 80% that it is surest of, 76.2% (too few cages to tell the interval) are right"
        in words
    )
    table = pd.read_csv(folder / "identify_reliability.csv").set_index(["measure", "kind"])
    error = table.loc["expected_calibration_error"]
    np.testing.assert_allclose(error["value"], 0.1)
    assert error[["low", "high"]].isna().all(axis=None)
    bins = table.loc[("share_right", "all")]
    assert bins["at"].tolist() == pytest.approx([0.6, 0.9])
    assert bins["value"].tolist() == pytest.approx([0.7, 0.8])


def test_settings_that_were_not_tried_are_not_pointed_out_and_rigs_are_told_apart(models, tmp_path):
    current = Paths(antenna_weight=0.7)
    words = write(models, tmp_path, made_counts(), current=current, weights="rigs")
    _, _, section = words.partition("How much the evidence counts")
    assert "in use" not in section.partition("How late readings run")[0]
    assert "left 0.2 s (best 0.4 s, up to 0.4 s; 400 boxes of 12 stretches); right 0.4 s" in words
    assert "Rig middle: too few." in words


def test_a_lag_that_was_set_has_no_curve(models, tmp_path):
    known = fitted_weights.read(models / "weights.json")
    bare = replace(known.lagged, lags={"": 0.3}, provenance={})
    fitted_weights.write(replace(known, lagged=bare), models / "set.json")
    assert "The lag was not estimated: it is set to 0.3 s." in write(
        models, tmp_path, made_counts(), weights="set"
    )


def test_nothing_evaluated_is_the_users_to_mend(models, tmp_path):
    with pytest.raises(InputError, match="could be evaluated"):
        write(models, tmp_path, tables.empty("counts"))


def test_counts_of_other_settings_are_refused(models, tmp_path):
    tried = SMALL.model_copy(update={"dwell_exponents": (0.9,)})
    with pytest.raises(InputError, match=r"nothing on path_0\.02_0\.9"):
        write(models, tmp_path, made_counts(), settings=tried)


def test_a_fold_needs_its_cage_and_another(tmp_path):
    table = tmp_path / "x.parquet"
    only = [Source("A", "1", "Train", 25.0, table, table, table, table, "rig")]
    for cage in "AB":
        stage = Fold(
            cage=cage, segments=only, transforms=table, animals=2,
            output_counts=tmp_path / "counts.parquet", output_reliability=table,
            output_missed=table,
        )  # fmt: skip
        with pytest.raises(InputError, match=f"segments of the cages A; expected some of {cage}"):
            stage.run()
    assert not (tmp_path / "counts.parquet").exists()


@pytest.mark.parametrize(("told", "split"), [("none", ""), ("Train", "Train"), ("Trane", None)])
def test_a_segment_of_a_fold_may_be_of_no_split(monkeypatch, told, split):
    seen = []
    monkeypatch.setattr(fold, "evaluate_cage", seen.append)
    result = CliRunner().invoke(
        cli,
        [
            "study", "fold", "--cage=A", "--segment", "A", "1", told, "25", *"dtpa", "rig",
            "--transforms=x", "--animals=2", "--output-counts=c", "--output-reliability=r",
            "--output-missed=m",
        ],
    )  # fmt: skip
    if split is None:
        assert str(result.exception).startswith("options, --segment number 1, split: found 'Trane'")
    else:
        assert [(row.split, row.fps) for row in seen[0].segments] == [(split, 25.0)]


def test_the_command_writes_the_page(models, written, tmp_path):
    folder, _ = written
    result = CliRunner().invoke(
        cli,
        [
            "study", "identify", "--counts", str(folder / "counts.parquet"),
            "--reliability", str(folder / "reliability.parquet"),
            "--missed", str(folder / "missed.parquet"),
            "--weights", str(models / "weights.json"),
            "--path-model", str(models / "path_model.json"), "--antenna-weights", "[0.04]",
            "--dwell-exponents", "[0.5]", "--output-dir", str(tmp_path / "out"),
        ],
        catch_exceptions=False,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "taken to run 0.2 s late" in words_of((tmp_path / "out" / "identify.html").read_text())
