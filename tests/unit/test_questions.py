"""What a human is asked: what puts most boxes right, once each."""

import numpy as np
from numpy.testing import assert_allclose

from murid.proofread.questions import choose

RNG = np.random.default_rng(0)
DRAWS = 2000


def asked(drawn, sizes, most=10, least=0.5, answerable=None):
    """Choose among pieces that are named as in most draws."""
    drawn = np.asarray(drawn, dtype=np.int8)
    named = np.array([np.bincount(names + 1).argmax() - 1 for names in drawn.T])
    answerable = np.ones(len(named), bool) if answerable is None else np.asarray(answerable)
    pieces, gains = choose(drawn, named, np.asarray(sizes), answerable, most, least)
    return pieces.tolist(), gains


def flips(share, draws=DRAWS):
    """Whether something is as in few draws."""
    return RNG.random(draws) < share


def test_an_answer_that_names_others_too_comes_before_the_least_certain():
    swapped, alone = flips(0.3), flips(0.5)
    # Six pieces that are exchanged together, and one that is nearly as likely as not by itself.
    drawn = np.column_stack([np.where(swapped, 1, 0)] * 6 + [np.where(alone, 1, 0)])
    pieces, gains = asked(drawn, [20] * 7)
    assert pieces[0] < 6
    assert pieces[1:] == [6], "five more pieces are named by the first answer"
    # Named 0 and being 1 with probability .3, all six boxes times 20 are put right.
    assert_allclose(gains[0], 0.3 * 120, rtol=0.1)
    assert_allclose(gains[1], 0.5 * 20, rtol=0.1)


def test_pieces_that_tell_nothing_of_each_other_are_each_asked():
    drawn = np.column_stack([np.where(flips(0.3), 1, 0) for _ in range(3)])
    pieces, gains = asked(drawn, [10, 30, 20])
    assert pieces == [1, 2, 0]
    assert_allclose(gains, [9, 6, 3], rtol=0.2)


def test_what_is_certain_is_not_asked():
    assert asked(np.zeros((DRAWS, 4)), [1000] * 4)[0] == []


def test_few_questions_are_those_worth_most():
    drawn = np.column_stack([np.where(flips(0.3), 1, 0) for _ in range(5)])
    assert asked(drawn, [10, 50, 30, 40, 20], most=2)[0] == [1, 3]
    assert asked(drawn, [10, 50, 30, 40, 20], least=10)[0] == [1, 3]


def test_what_nobody_can_tell_is_asked_by_another_piece():
    swapped = flips(0.4)
    drawn = np.column_stack([np.where(swapped, 1, 0)] * 2)
    pieces, gains = asked(drawn, [100, 5], answerable=[False, True])
    assert pieces == [1]
    assert_allclose(gains, [0.4 * 105], rtol=0.1)


def test_nobody_is_an_answer_too():
    nobody = flips(0.4)
    pieces, gains = asked(np.where(nobody, -1, 0)[:, None], [50])
    assert pieces == [0]
    assert_allclose(gains, [20], rtol=0.1)


def test_chance_in_few_draws_is_worth_nothing():
    # One draw in which everything is otherwise: no answer is expected to put unrelated boxes right.
    drawn = np.where(RNG.random((DRAWS, 50)) < 0.02, 1, 0)
    _, gains = asked(drawn, [100] * 50, least=0.0, most=50)
    assert gains.max() < 100 * 0.05
