"""Intervals of rates and differences: how often they cover a truth that is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import intervals
from simulated_cages import Situation, covered, draw

REPEATS = 2_000
SIX = Situation(cages=6, snippets=9, rate=0.85, between=0.7, within=0.5)


def coverage(situation, seed=1):
    right, rows = draw(situation, REPEATS, np.random.default_rng(seed))
    low, high = intervals.of_rates(right.sum(axis=1), rows.sum(axis=1))
    judged = ~np.isnan(low)
    assert judged.mean() > 0.8
    low, high = low[judged], high[judged]
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()
    return covered(low, high, situation.rate)


# Coverage


@pytest.mark.parametrize("rate", [0.5, 0.85, 0.97, 0.99])
@pytest.mark.parametrize(("between", "within"), [(0.0, 0.0), (0.2, 0.4), (0.7, 0.5), (1.3, 0.8)])
@pytest.mark.parametrize("unequal", [False, True])
def test_six_cages_of_nine_snippets_cover_the_truth(rate, between, within, unequal):
    situation = replace(SIX, rate=rate, between=between, within=within, unequal=unequal)
    assert 0.9 <= coverage(situation) <= 0.98


@pytest.mark.parametrize(("rate", "alike"), [(0.7, 0.02), (0.7, 0.1), (0.93, 0.02), (0.93, 0.1)])
def test_cages_of_another_distribution_are_covered_as_well(rate, alike):
    """Their rates are of a beta distribution; ``alike`` is the rows' correlation within a cage."""
    random = np.random.default_rng(5)
    share = random.beta(rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1), (6, REPEATS))
    rows = np.full(share.shape, 1_215)
    low, high = intervals.of_rates(random.binomial(rows, share), rows)
    assert 0.9 <= covered(low, high, rate) <= 0.98


@pytest.mark.parametrize(("bad", "few", "least"), [(6, 0, 0.9), (12, 0, 0.8), (90, 1, 0.3)])
def test_errors_of_a_single_cage_are_no_reason_to_know_nothing(bad, few, least):
    rows = np.full((6, 1), 900)
    count = rows - np.array([[bad], *[[few]] * 5])
    low, high = intervals.of_rates(count, rows)
    assert least < low[0] < count.sum() / 5_400 - bad / 5_400
    assert high[0] < 1 or few == 0


def test_an_interval_reaches_further_to_the_side_of_the_tail():
    rows = np.full((6, 2), 1_000)
    # The same mean and spread of log odds: one cage far worse, or one far better.
    odds = np.array([[2.0, 2.0, 2.0, 2.0, 2.0, 0.0], [4 / 3, *[4 / 3] * 4, 10 / 3]]).T
    count = 1_000 / (1 + np.exp(-odds))
    low, high = (np.log(end / (1 - end)) for end in intervals.of_rates(count, rows))
    middle = np.log(count.sum(axis=0) / (1_000 * 6 - count.sum(axis=0)))
    assert middle[0] - low[0] > 1.5 * (high[0] - middle[0])
    assert high[1] - middle[1] > 1.2 * (middle[1] - low[1])


@pytest.mark.parametrize("situation", [
    replace(SIX, unequal=True), replace(SIX, cages=3), replace(SIX, cages=4, unequal=True),
    replace(SIX, cages=10), replace(SIX, cages=20), replace(SIX, snippets=1),
    replace(SIX, snippets=3, unequal=True), replace(SIX, rows=3),
    replace(SIX, cages=20, snippets=1, rows=3), replace(SIX, between=1.3, within=0.8),
])  # fmt: skip
def test_other_numbers_of_cages_and_snippets_cover_it_as_well(situation):
    assert 0.9 <= coverage(situation) <= 0.98


def test_redrawing_snippets_would_not():
    # What was done before, and why it is not: the same cages, their snippets taken as independent.
    random = np.random.default_rng(1)
    right, rows = (part.reshape(54, 300) for part in draw(SIX, 300, random))
    times = random.multinomial(54, np.full(54, 1 / 54), size=400)
    low, high = np.quantile((times @ right) / (times @ rows), [0.025, 0.975], axis=0)
    assert covered(low, high, SIX.rate) < 0.7


@pytest.mark.parametrize(("apart", "cages"), [(0.0, 6), (0.3, 6), (0.3, 3), (0.3, 20)])
def test_differences_of_methods_on_the_same_cages_cover_the_truth(apart, cages):
    # The second method is worse by as much in log odds, and differently so in each cage.
    random = np.random.default_rng(2)

    def both(cages, repeats):
        odds = 1.7 + random.normal(0, 0.7, (cages, repeats))
        change = -0.3 + random.normal(0, apart, (cages, repeats))
        return [random.binomial(1_000, 1 / (1 + np.exp(-at))) for at in (odds, odds + change)]

    truth = np.subtract(*[part.mean() for part in both(1, 400_000)]) / 1_000
    count = np.concatenate(both(cages, REPEATS), axis=1)
    rows = np.full(count.shape, 1_000)
    others = np.arange(count.shape[1]) + REPEATS
    others[REPEATS:] = np.arange(REPEATS)
    low, high = (end[:REPEATS] for end in intervals.of_differences(count, rows, others))
    assert 0.9 <= covered(low, high, truth) <= 0.98


# Where there is none


@pytest.mark.parametrize("sizes", [[90], [90, 90], [90, 0, 90, 0], [9_000, 10, 10, 10, 10]])
def test_too_few_cages_have_no_interval(sizes):
    rows = np.array(sizes)[:, None]
    for ends in (
        intervals.of_rates(rows * 0.8, rows),
        intervals.of_differences(
            np.hstack([rows * 0.8, rows * 0.7]), np.hstack([rows, rows]), [1, 0]
        ),
    ):
        assert np.isnan(ends).all()


def test_nothing_counted_has_no_interval_and_does_not_disturb_others():
    rows = np.array([[90, 0], [80, 0], [70, 0], [0, 0]])
    low, high = intervals.of_rates(rows * 0.8, rows)
    assert 0.7 < low[0] <= 0.8 <= high[0] < 0.9
    assert np.isnan([low[1], high[1]]).all()
    alone = intervals.of_rates(rows[:3, :1] * 0.8, rows[:3, :1])
    np.testing.assert_allclose(alone, [low[:1], high[:1]])


# All or nothing


def test_all_right_is_no_proof_that_all_always_will_be():
    rows = np.full((6, 1), 900)
    low, high = intervals.of_rates(rows, rows)
    assert 0.99 < low[0] < 0.9995
    assert high[0] == 1
    # One row wrong says no less.
    one = intervals.of_rates(rows - np.eye(6, 1), rows)
    assert one[0] == pytest.approx(low)
    none = intervals.of_rates(np.zeros((6, 1)), rows)
    assert none[0][0] == 0
    assert none[1] == pytest.approx(1 - low)


@pytest.mark.parametrize("rate", [0.997, 0.9997])
def test_rates_near_one_are_covered(rate):
    assert coverage(replace(SIX, rate=rate, unequal=True)) >= 0.9


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=8),
)
def test_intervals_stay_within_bounds_and_hold_the_rate(pairs):
    count = np.array([[min(pair)] for pair in pairs])
    rows = np.array([[max(pair)] for pair in pairs])
    low, high = intervals.of_rates(count, rows)
    if not intervals.suffice(rows)[0]:
        assert np.isnan([low, high]).all()
        return
    rate = count.sum() / rows.sum()
    assert 0 <= low[0] <= rate <= high[0] <= 1
    # Turned round, the interval is, too.
    other = intervals.of_rates(rows - count, rows)
    np.testing.assert_allclose([1 - high[0], 1 - low[0]], [end[0] for end in other], atol=1e-6)


def test_the_interval_of_what_is_right_is_that_of_what_is_wrong_turned_round():
    """Of every three cages of up to eight rows, of which up to four are right."""
    rows = np.indices((8, 8, 8)).reshape(3, -1, 1) + 1
    count = np.indices((5, 5, 5)).reshape(3, 1, -1)
    possible = (count <= rows).all(axis=0)
    count, rows = (np.broadcast_to(one, (3, *possible.shape))[:, possible] for one in (count, rows))
    low, high = intervals.of_rates(count, rows)
    turned = intervals.of_rates(rows - count, rows)
    assert intervals.suffice(rows).sum() > 30_000
    np.testing.assert_allclose([1 - high, 1 - low], turned, atol=1e-6)


def test_methods_that_agree_everywhere_do_not_differ():
    rows = np.full((6, 2), 100)
    count = np.repeat(np.arange(80, 86)[:, None], 2, axis=1)
    low, high = intervals.of_differences(count, rows, [1, 0])
    assert low.tolist() == high.tolist() == [0, 0]
