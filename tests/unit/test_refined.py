"""The model of a box beyond the paper: antennas off the projection, and boxes unlike the rest."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal, multivariate_t

from murid.fitting import gaussians, offsets, refined, samples, tails
from murid.grid import Grid
from murid.models import fitted_weights
from murid.models.densities import log_student

GRID = Grid()
HOMOGRAPHY = np.array([[150.0, 0, 250], [0, 60, 400], [0, 0, 1]])
BOX = np.array([30.0, 20, 15, 10])
"""Standard deviations of a box within a stay."""


def visits(stays, boxes, seed=0, off=None, of_stay=20.0, noise="gauss"):
    """Samples of so many stays at antennas drawn at random, each of so many boxes."""
    random = np.random.default_rng(seed)
    off = np.zeros((GRID.size, 4)) if off is None else off
    antenna = random.integers(1, GRID.size + 1, stays)
    places = fitted_weights.project(HOMOGRAPHY, GRID.coordinates(antenna))
    mean = np.column_stack([places, np.tile([200.0, 120.0], (stays, 1))]) + off[antenna - 1]
    mean += random.normal(0, of_stay, mean.shape)
    odd = random.normal if noise == "gauss" else lambda low, one, size: random.standard_t(3, size)
    seen = np.repeat(mean, boxes, axis=0) + odd(0, 1, (stays * boxes, 4)) * BOX
    table = pd.DataFrame(seen, columns=samples.GEOMETRY)
    return table.assign(
        antenna=np.repeat(antenna, boxes),
        visibility="clear",
        stay=np.repeat(np.arange(stays), boxes),
    )


def estimated(table):
    projected = fitted_weights.project(HOMOGRAPHY, GRID.coordinates(table["antenna"]))
    difference = table[samples.GEOMETRY].to_numpy() - np.column_stack(
        [projected, np.tile([200.0, 120.0], (len(table), 1))]
    )
    return offsets.fit(difference, table["antenna"].to_numpy(), table["stay"].to_numpy(), GRID)


def error_of(offset, off):
    return np.sqrt(((offset - off) ** 2).mean())


# Offsets


def test_offsets_of_antennas_are_found():
    off = np.random.default_rng(1).normal(0, [60, 20, 20, 10], (GRID.size, 4))
    assert error_of(estimated(visits(900, 3, off=off)), off) < 6


def test_offsets_are_nearer_the_truth_than_means_and_than_none():
    errors = []
    for seed in range(6):
        off = np.random.default_rng(seed).normal(0, 25, (GRID.size, 4))
        table = visits(70, 8, seed, off, of_stay=40)
        means = np.zeros((GRID.size, 4))
        for antenna, part in table.groupby("antenna"):
            projected = fitted_weights.project(HOMOGRAPHY, GRID.coordinates([antenna]))[0]
            means[antenna - 1] = part[samples.GEOMETRY].mean() - [*projected, 200, 120]
        errors.append([error_of(each, off) for each in (estimated(table), means, 0 * off)])
    shrunk, unshrunk, none = np.mean(errors, axis=0)
    assert shrunk < 0.95 * unshrunk
    assert shrunk < 0.95 * none


def test_a_grid_that_is_where_it_should_be_has_hardly_an_offset():
    assert np.abs(estimated(visits(300, 4))).max() < 6


def test_a_long_stay_says_no_more_than_a_short_one():
    off = np.zeros((GRID.size, 4))
    off[6] = 80
    few = visits(200, 2, off=off)
    stay = few.loc[few["antenna"] == 12, "stay"].iloc[0]
    here = few["stay"] == stay
    strange = few.copy()
    strange.loc[here, ["x", "y"]] += 150.0
    asleep = pd.concat([strange, *[strange[here]] * 500], ignore_index=True)
    short, long = (estimated(table)[11, :2] for table in (strange, asleep))
    count = few.loc[few["antenna"] == 12, "stay"].nunique()
    assert (np.abs(long) < 1.5 * 150 / count + 15).all()
    assert (np.abs(long - short) < 15).all()


def test_an_antenna_without_a_box_has_no_offset():
    off = np.full((GRID.size, 4), 30.0)
    table = visits(300, 3, off=off)
    offset = estimated(table[table["antenna"] != 5])
    assert_array_equal(offset[4], 0)
    assert (np.abs(offset[5]) > 10).all()


@pytest.mark.parametrize("boxes", [0, 1, 5])
def test_boxes_of_a_single_antenna_have_no_offsets(boxes):
    table = visits(300, 1)
    here = table[table["antenna"] == table["antenna"].iloc[0]].head(boxes)
    assert_array_equal(estimated(here), np.zeros((GRID.size, 4)))


def test_boxes_that_are_all_alike_have_finite_offsets():
    table = visits(40, 3)
    table[samples.GEOMETRY] = [600.0, 450, 150, 90]
    assert np.isfinite(estimated(table)).all()


def test_a_stay_ends_with_its_antenna_its_animal_its_segment_and_in_time():
    rows = [
        (0, "A", 1, 0.0), (0, "A", 1, 4.0), (0, "B", 1, 4.0), (0, "A", 2, 8.0), (0, "A", 1, 12.0),
        (0, "A", 1, 30.0), (1, "A", 1, 34.0),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["segment", "animal", "antenna", "time"])
    shuffled = table.sample(frac=1, random_state=2)
    for given in (table, shuffled):
        stay = pd.Series(offsets.stays(given), given.index).sort_index().to_numpy()
        assert stay[0] == stay[1]
        assert len(set(stay)) == 6


# Tails


def test_the_density_is_students():
    scale = np.diag([900.0, 400, 225, 100]) + 50
    difference = np.random.default_rng(0).normal(0, 60, (50, 4))
    which = np.zeros(50, dtype=np.int64)
    assert_allclose(
        log_student(difference, scale[None], which, 0.2),
        multivariate_t.logpdf(difference, shape=scale, df=5),
    )
    for tail in (0.0, 1e-7):
        assert_allclose(
            log_student(difference, scale[None], which, tail),
            multivariate_normal.logpdf(difference, cov=scale),
        )


def test_tails_are_as_long_as_those_of_the_boxes():
    for noise, low, high in (("gauss", 0.0, 0.03), ("t", 0.12, 0.5)):
        table = visits(2_000, 1, noise=noise, of_stay=0.0)
        difference = (
            table[samples.GEOMETRY].to_numpy()
            - table.groupby("antenna")[samples.GEOMETRY].transform("mean").to_numpy()
        )
        _, tail = tails.fit(difference, table, GRID, "per_row")
        assert low <= tail <= high


@pytest.mark.parametrize("covariance", ["spherical", "pooled", "per_visibility", "per_row"])
def test_one_animal_that_rears_hardly_changes_what_the_others_are_like(covariance):
    table = visits(400, 1, noise="t", of_stay=0.0)
    table["visibility"] = np.where(np.arange(len(table)) % 2, "clear", "truncated")
    difference = np.random.default_rng(3).standard_t(4, (len(table), 4)) * BOX
    before, _ = tails.fit(difference, table, GRID, covariance)
    odd = difference.copy()
    odd[:4, 3] = 600.0
    after, _ = tails.fit(odd, table, GRID, covariance)
    plain = gaussians.covariances(odd, table, GRID, covariance)
    widened, robust = (
        (
            np.sqrt(np.diagonal(each, axis1=2, axis2=3))
            / np.sqrt(np.diagonal(before, axis1=2, axis2=3))
        ).max()
        for each in (plain, after)
    )
    assert robust < 1.3
    assert widened > 1.5


# Both


def test_boxes_of_another_recording_are_likelier_than_by_the_papers_model():
    off = np.random.default_rng(1).normal(0, [60, 20, 20, 10], (GRID.size, 4))
    table, others = (visits(300, 4, seed, off, noise="t") for seed in (5, 6))
    house, paper = refined.fit(table, GRID, "per_row"), gaussians.fit(table, GRID, "per_row")
    gain = gaussians.log_densities(others, house) - gaussians.log_densities(others, paper)
    assert gain.mean() > 0.5


def test_a_box_is_weighed_where_its_antenna_is_seen():
    off = np.zeros((GRID.size, 4))
    off[4] = [120, 40, 60, 40]
    house = refined.fit(visits(900, 2, off=off), GRID, "per_row")
    at, elsewhere = house.means([5])[0, 0], house.means([8])[0, 0]
    assert_allclose(at - [*house.centroids([5])[0], *house.sizes[1, 0]], off[4], atol=25)
    assert_allclose(elsewhere[:2], house.centroids([8])[0], atol=25)
