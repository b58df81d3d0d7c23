"""The path model's dynamic programme against its integer programme and against trying everything.

Ties, tight reach, tracklets that touch, weights far apart: whatever hypothesis comes up with.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import path_ilp
from murid.identify import beam, corrections, paths
from murid.identify.paths import NOBODY, PathProblem

ALL = 10**9
"""States and weight that leave nothing out."""
EVERYTHING = {"most_states": 30_000, "worst": float(ALL)}


def pose(first, last, gains, reach, weigh, fresh):
    """A problem whose transitions ``weigh`` (n of them) tells the worth of."""
    first, last = np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)
    pointers, previous, _ = paths.predecessors(first, last, reach)
    moves = np.array(weigh(len(previous)), dtype=float)
    return PathProblem(first, last, np.array(gains, dtype=float), pointers, previous, moves, fresh)


@st.composite
def problems(draw, most_animals=3, most_tracklets=6, size=30.0, within=14):
    """A problem and its reach; the weights are ``size`` at most."""
    animals = draw(st.integers(1, most_animals))
    spans = draw(
        st.lists(st.tuples(st.integers(0, within), st.integers(0, 6)), max_size=most_tracklets)
    )
    first = [start for start, _ in spans]
    last = [start + length for start, length in spans]
    weight = st.floats(-size, size).map(lambda value: round(value, 2))

    def weights(count):
        return draw(st.lists(weight, min_size=count, max_size=count))

    gains = np.array(weights(len(spans) * animals)).reshape(-1, animals)
    reach = draw(st.integers(0, 8))
    return pose(first, last, gains, reach, weights, draw(weight)), reach


def everything(problem):
    """Yield every assignment that gives no animal two tracklets at once, and its total weight."""
    order = np.lexsort((problem.last, problem.first)).tolist()
    moves = {
        (int(problem.previous[at]), later): float(problem.moves[at])
        for later in range(problem.tracklets)
        for at in range(problem.pointers[later], problem.pointers[later + 1])
    }

    def go_on(step, named, latest, total):
        if step == len(order):
            yield tuple(named[tracklet] for tracklet in range(len(order))), total
            return
        tracklet = order[step]
        yield from go_on(step + 1, {**named, tracklet: NOBODY}, latest, total)
        for animal, before in enumerate(latest):
            if before is not None and problem.last[before] >= problem.first[tracklet]:
                continue
            worth = moves.get((before, tracklet), problem.fresh) + problem.gains[tracklet, animal]
            now = (*latest[:animal], tracklet, *latest[animal + 1 :])
            yield from go_on(step + 1, {**named, tracklet: animal}, now, total + worth)

    return go_on(0, {}, (None,) * problem.animals, 0.0)


def enumerate_all(problem):
    """The best total weight, and the probability of each tracklet being each animal."""
    named, totals = zip(*everything(problem), strict=True)
    totals = np.array(totals)
    shares = np.exp(totals - totals.max())
    shares /= shares.sum()
    names = np.array(named, dtype=np.int64).reshape(len(totals), problem.tracklets)
    marginals = [shares @ (names == animal) for animal in range(problem.animals)]
    return totals.max(), np.array(marginals).T.reshape(problem.tracklets, problem.animals)


def are_probabilities(values):
    return bool((values >= 0).all() and (values <= 1 + 1e-9).all()) and bool(
        (values.sum(axis=1) <= 1 + 1e-6).all()
    )


# The optimum and the posterior


@given(problems())
def test_programmes_and_trying_everything_agree(case):
    problem, reach = case
    best, marginals = enumerate_all(problem)
    found = paths.solve(problem, reach, **EVERYTHING)
    # ``objective`` raises where an animal has two tracklets at once.
    assert_allclose(problem.objective(found.named), best, rtol=0, atol=1e-6)
    assert_allclose(problem.objective(path_ilp.solve(problem)), best, rtol=0, atol=1e-6)
    assert_allclose(found.probabilities, marginals, rtol=0, atol=1e-5)
    assert are_probabilities(found.probabilities)
    assert found.cut == 0


@given(problems(size=4_000.0))
def test_weights_however_far_apart_leave_the_posterior_right(case):
    problem, reach = case
    best, marginals = enumerate_all(problem)
    found = paths.solve(problem, reach, **EVERYTHING)
    assert_allclose(problem.objective(found.named), best, rtol=0, atol=1e-6)
    assert_allclose(found.probabilities, marginals, rtol=0, atol=1e-5)


def test_a_long_segment_that_tells_nothing_leaves_every_name_as_probable():
    first = np.arange(0, 4_000, 2)
    problem = pose(first, first, np.zeros((len(first), 3)), 0, np.zeros, 0.0)
    found = paths.solve(problem, 0, 400, 25.0)
    assert_allclose(found.probabilities, 0.25, rtol=0, atol=1e-5)


@settings(max_examples=40)
@given(problems(most_animals=7, most_tracklets=14, within=40))
def test_programmes_agree_on_larger_instances(case):
    problem, reach = case
    found = paths.solve(problem, reach, **EVERYTHING)
    best = problem.objective(path_ilp.solve(problem))
    assert_allclose(problem.objective(found.named), best, rtol=0, atol=1e-6)
    assert are_probabilities(found.probabilities)


@given(problems(), st.integers(1, 3), st.floats(0.01, 5.0))
def test_pruning_leaves_a_valid_assignment(case, most_states, worst):
    problem, reach = case
    found = paths.solve(problem, reach, most_states, worst)
    assert problem.objective(found.named) <= enumerate_all(problem)[0] + 1e-6
    assert are_probabilities(found.probabilities)
    assert found.most_states <= most_states
    assert 0 <= found.cut <= problem.tracklets


def test_cuts_are_counted_where_more_states_are_worth_keeping():
    def nothing(count):
        return np.zeros(count)

    problem = pose([0, 0, 0, 9], [3, 3, 3, 9], np.zeros((4, 2)), 2, nothing, 0.0)
    # After one, two and three of the tracklets alike there are 3, 7 and 13 states.
    assert paths.solve(problem, 2, 12, 25.0).cut == 1
    assert paths.solve(problem, 2, 6, 25.0).cut == 2
    assert paths.solve(problem, 2, 13, 25.0).cut == 0
    assert paths.solve(problem, 2, 13, 25.0).most_states == 13
    # All states weigh the same, and one of thirteen is let go.
    assert paths.solve(problem, 2, 12, 25.0).lost == pytest.approx(1 / 13)
    assert paths.solve(problem, 2, 13, 25.0).lost == 0


@given(problems(most_tracklets=5), st.integers(1, 12))
def test_with_nothing_let_go_probabilities_are_exact(case, most_states):
    problem, reach = case
    found = paths.solve(problem, reach, most_states, float(ALL))
    exact = paths.solve(problem, reach, **EVERYTHING)
    if not found.lost:
        assert_allclose(found.probabilities, exact.probabilities, rtol=0, atol=1e-9)
    assert 0 <= found.lost <= 1
    assert (found.lost > 0) <= (found.cut > 0)


@given(problems())
def test_the_same_problem_has_the_same_answer(case):
    problem, reach = case
    one, other = (paths.solve(problem, reach, 5, 10.0) for _ in range(2))
    assert_array_equal(one.named, other.named)
    assert one.probabilities.tobytes() == other.probabilities.tobytes()


@settings(max_examples=30)
@given(problems(size=3.0))
def test_whole_assignments_are_drawn_as_often_as_they_are_probable(case):
    problem, reach = case
    names, totals = zip(*everything(problem), strict=True)
    shares = np.exp(np.array(totals) - max(totals))
    probable = dict(zip(names, shares / shares.sum(), strict=True))
    count = 4000
    drawn = paths.draw(problem, reach, count=count, seed=1, **EVERYTHING)
    assert drawn.shape == (count, problem.tracklets)
    often = Counter(map(tuple, drawn.tolist()))
    assert often.keys() <= probable.keys()
    for name, share in probable.items():
        # Five standard deviations, and a little for what is never to be expected.
        assert abs(often[name] / count - share) <= 5 * np.sqrt(share / count) + 2 / count


@settings(max_examples=100)
@given(problems(), st.floats(0.05, 4))
def test_tempered_each_assignment_is_as_probable_as_a_power_of_what_it_was(case, exponent):
    problem, reach = case
    names, totals = zip(*everything(problem), strict=True)
    shares = np.exp(exponent * (np.array(totals) - max(totals)))
    shares /= shares.sum()
    named = np.array(names, dtype=np.int64).reshape(len(totals), problem.tracklets)
    found = paths.solve(problem.tempered(exponent), reach, **EVERYTHING)
    for animal in range(problem.animals):
        expected = shares @ (named == animal)
        assert_allclose(found.probabilities[:, animal], expected, rtol=0, atol=1e-5)
    assert_allclose(problem.objective(found.named), max(totals), rtol=0, atol=1e-6)


# What people answered


@st.composite
def answered(draw, **how):
    """A problem, its reach, and what is known of some of its tracklets."""
    problem, reach = draw(problems(**how))
    known: dict[int, int] = {}
    every = range(problem.tracklets)
    for piece in draw(st.lists(st.sampled_from(every), unique=True) if every else st.just([])):
        animal = draw(st.integers(NOBODY, problem.animals - 1))
        meeting = [
            other
            for other, name in known.items()
            if name == animal
            and problem.first[other] <= problem.last[piece]
            and problem.last[other] >= problem.first[piece]
        ]
        if animal == NOBODY or not meeting:
            known[piece] = animal
    return problem, reach, known


def told(problem, known):
    """The problem that the answers leave."""
    rows, animals = np.array([*known.items()], dtype=np.int64).reshape(-1, 2).T
    answers = corrections.Answered(rows, animals, np.arange(len(rows)))
    return corrections.constrain(problem, np.arange(problem.tracklets), answers)


@settings(max_examples=300)
@given(answered(size=400.0))
def test_with_answers_programmes_find_the_best_of_all_that_obey_them(case):
    problem, reach, known = case
    obeying = [
        (total, named)
        for named, total in everything(problem)
        if all(named[piece] == animal for piece, animal in known.items())
    ]
    totals = np.array([total for total, _ in obeying])
    shares = np.exp(totals - totals.max())
    shares /= shares.sum()
    names = np.array([named for _, named in obeying]).reshape(len(obeying), problem.tracklets)
    left = told(problem, known)
    found = paths.solve(left, reach, **EVERYTHING)
    for named in (found.named, path_ilp.solve(left)):
        assert_allclose(left.objective(named), totals.max(), rtol=0, atol=1e-6)
        assert_allclose(problem.objective(named), totals.max(), rtol=0, atol=1e-6)
    for animal in range(problem.animals):
        assert_allclose(
            found.probabilities[:, animal], shares @ (names == animal), rtol=0, atol=1e-5
        )
    for piece, animal in known.items():
        assert found.named[piece] == animal
        assert found.probabilities[piece].tolist() == [
            float(other == animal) for other in range(problem.animals)
        ]


@settings(max_examples=200)
@given(answered(most_animals=5, most_tracklets=14, within=40, size=300.0))
def test_with_answers_programmes_agree_on_larger_instances(case):
    problem, reach, known = case
    left = told(problem, known)
    found = paths.solve(left, reach, **EVERYTHING)
    best = left.objective(path_ilp.solve(left))
    assert np.isfinite(best)
    assert_allclose(left.objective(found.named), best, rtol=0, atol=1e-6)


@given(answered(size=4_000.0), st.integers(1, 3), st.floats(0.01, 5.0))
def test_answers_are_obeyed_however_little_is_searched(case, most_states, worst):
    problem, reach, known = case
    left = told(problem, known)
    found = paths.solve(left, reach, most_states, worst)
    assert np.isfinite(left.objective(found.named))
    assert all(found.named[piece] == animal for piece, animal in known.items())


def test_a_tracklet_that_must_be_named_and_is_not_is_worth_nothing():
    problem = pose([0, 3], [3, 5], np.ones((2, 2)), 4, np.ones, 0.0)
    left = told(problem, {1: 0})
    assert left.objective(np.array([NOBODY, 0])) == 1.0
    # The first is alive with it, so that it cannot be the same animal either.
    for named in ([NOBODY, NOBODY], [NOBODY, 1]):
        assert left.objective(np.array(named)) == -np.inf


# What is little or nothing


@pytest.mark.parametrize("solve", [path_ilp.solve, lambda p: paths.solve(p, 3, 400, 25.0).named])
@pytest.mark.parametrize(("tracklets", "animals"), [(0, 3), (3, 0), (0, 0)])
def test_without_tracklets_or_animals_there_is_nothing_to_name(solve, tracklets, animals):
    first = np.arange(tracklets)
    problem = pose(first, first, np.zeros((tracklets, animals)), 3, np.ones, 0.0)
    assert solve(problem).tolist() == [NOBODY] * tracklets


def test_one_animal_takes_the_better_of_two_at_once_and_follows_up():
    # The first and second are alive together; the third begins two frames after both.
    problem = pose([0, 1, 7], [5, 5, 8], [[3.0], [4.0], [-1.0]], 2, lambda n: [1.5, 0.0], -2.0)
    assert problem.previous.tolist() == [0, 1]
    found = paths.solve(problem, 2, **EVERYTHING)
    # 3 - 2, then -1 + 1.5, against 4 - 2 and nothing after it.
    assert found.named.tolist() == [NOBODY, 0, NOBODY]
    worth = {
        (NOBODY, NOBODY, NOBODY): 0, (0, NOBODY, NOBODY): 1, (0, NOBODY, 0): 1.5,
        (NOBODY, 0, NOBODY): 2, (NOBODY, 0, 0): 1, (NOBODY, NOBODY, 0): -3,
    }  # fmt: skip
    total = sum(np.exp(value) for value in worth.values())
    expected = [
        sum(np.exp(value) for names, value in worth.items() if names[k] == 0) / total
        for k in range(3)
    ]
    assert_allclose(found.probabilities[:, 0], expected, atol=1e-6)


def test_an_animal_gone_for_longer_than_reach_is_fresh():
    for gap, worth in ((3, 5.0), (4, -1.0)):
        problem = pose([0, gap], [0, gap], [[9.0], [9.0]], 3, lambda n: np.full(n, 5.0), -1.0)
        named = paths.solve(problem, 3, **EVERYTHING).named
        assert named.tolist() == [0, 0]
        assert problem.objective(named) == 9 - 1 + 9 + worth


def test_seven_animals_keep_their_own_tracklets():
    random = np.random.default_rng(4)
    animals, rounds = 7, 4
    first = np.repeat(np.arange(rounds) * 10, animals)
    last = first + 6
    truth = np.concatenate([random.permutation(animals) for _ in range(rounds)])
    gains = random.normal(0, 0.1, (len(first), animals))
    gains[:animals][np.arange(animals), truth[:animals]] += 4.0

    def weigh(count):
        _, previous, later = paths.predecessors(first, last, 5)
        return np.where(truth[previous] == truth[later], 4.0, -4.0)

    problem = pose(first, last, gains, 5, weigh, -1.0)
    found = paths.solve(problem, 5, 400, 25.0)
    # Only the first round tells who is who; the rest follows from it.
    assert_array_equal(found.named, truth)
    own = found.probabilities[np.arange(len(truth)), truth]
    assert own.min() > 0.5
    assert are_probabilities(found.probabilities)


# The problem itself


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=12), st.integers(0, 12))
def test_predecessors_are_all_that_end_within_reach(spans, reach):
    first = np.array([start for start, _ in spans], dtype=np.int64)
    last = first + np.array([length for _, length in spans], dtype=np.int64)
    pointers, previous, later = paths.predecessors(first, last, reach)
    expected = {
        (earlier, tracklet)
        for tracklet in range(len(spans))
        for earlier in range(len(spans))
        if 1 <= first[tracklet] - last[earlier] <= reach
    }
    pairs = list(zip(previous.tolist(), later.tolist(), strict=True))
    assert set(pairs) == expected
    assert len(pairs) == len(expected)
    assert len(pointers) == len(spans) + 1
    for tracklet in range(len(spans)):
        assert (later[pointers[tracklet] : pointers[tracklet + 1]] == tracklet).all()


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ([0, 0], "animal 0 has two tracklets at once"),
        ([0, 2], "one animal, or nobody"),
        ([-2, 0], "one animal, or nobody"),
        ([0], "one animal, or nobody"),
    ],
)
def test_objective_refuses_what_cannot_be(named, message):
    problem = pose([0, 3], [3, 5], np.ones((2, 2)), 4, np.ones, 0.0)
    with pytest.raises(ValueError, match=message):
        problem.objective(np.array(named))
    assert problem.objective(np.array([0, 1])) == 2.0


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=40), st.data())
def test_the_best_states_that_are_not_kept_yet_are_kept_and_of_equals_the_first(states, data):
    scores = np.array([-np.inf if score == -3 else score for score, _ in states], dtype=float)
    kept = np.array([before for _, before in states], dtype=bool)
    count = data.draw(st.integers(0, int((~kept).sum())))
    left = np.flatnonzero(~kept)
    best = left[np.argsort(-scores[left], kind="stable")[:count]]
    expected = kept.copy()
    expected[best] = True
    beam._mark(scores, count, kept)
    assert_array_equal(kept, expected)
