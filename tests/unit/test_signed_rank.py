"""Whether differences are above 0 beyond chance."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from murid import signed_rank


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_of_few_differences_every_sign_is_counted_ties_and_zeros_too(differences):
    values = np.array([value for value in differences if value])
    ranks = rankdata(np.abs(values))
    found = ranks[values > 0].sum()
    ways = [ranks[np.array(signs, dtype=bool)].sum() for signs in
            itertools.product([0, 1], repeat=len(values))]  # fmt: skip
    expected = np.mean(np.array(ways) >= found - 1e-9)
    assert signed_rank.greater(differences) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("count", [1, 4, 13, 14, 20, 50, 51, 60, 500])
@pytest.mark.parametrize("mean", [-0.5, 0.0, 0.3, 2.0])
@pytest.mark.parametrize("digits", [0, 1, 15])
def test_it_is_the_test_that_statisticians_know(count, mean, digits):
    values = np.random.default_rng(count).normal(mean, 1, count).round(digits)
    expected = wilcoxon(values, alternative="greater").pvalue if values.any() else 1.0
    assert signed_rank.greater(values) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("nothing", [[], [0.0], np.zeros(80)])
def test_where_nothing_differs_nothing_is_beyond_chance(nothing):
    assert signed_rank.greater(nothing) == 1
