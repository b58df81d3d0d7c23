"""Tracklets are tested, too: where the antennas speak for another animal, they are cut."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from murid import schemas
from murid.identify import continuity, pieces
from murid.tracklets import Tracklets


def table(rows):
    """Rows of (frame, tracklet, x)."""
    found = pd.DataFrame(rows, columns=["frame", "tracklet", "x"])
    return found.assign(y=0.0, w=40.0, h=40.0)[["frame", "tracklet", *schemas.BOX]]


def beginnings(lengths):
    begins = np.zeros(sum(lengths), dtype=bool)
    begins[np.cumsum([0, *lengths[:-1]])] = True
    return begins


weights = st.integers(-8, 8).map(float)


@st.composite
def evidences(draw):
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=2))
    animals = draw(st.integers(1, 3))
    count = sum(lengths) * animals
    gains = draw(st.lists(weights, min_size=count, max_size=count))
    return np.array(gains).reshape(-1, animals), beginnings(lengths), draw(st.integers(1, 12))


def worth(names, gains, begins, penalty):
    changes = (np.diff(names) != 0) & ~begins[1:]
    return gains[np.arange(len(names)), names].sum() - penalty * changes.sum()


@given(evidences())
def test_no_other_names_explain_better_at_the_price(case):
    gains, begins, penalty = case
    found = pieces.switches(gains, begins, penalty)
    every = product(range(gains.shape[1]), repeat=len(gains))
    best = max(worth(np.array(names), gains, begins, penalty) for names in every)
    assert worth(found, gains, begins, penalty) == pytest.approx(best)


def two(frames=60, met=None):
    """Two animals in two places; from ``met`` on, the antennas find each in the other's."""
    rows = [(frame, k, 200.0 * k) for frame in range(frames) for k in range(2)]
    gains = np.full((len(rows), 2), -0.5)
    for at, (frame, tracklet, _) in enumerate(rows):
        own = tracklet if met is None or frame < met else 1 - tracklet
        gains[at, own] = 0.5
    return table(rows), gains


def test_tracklets_that_the_antennas_agree_with_stay_whole():
    rows, gains = two()
    assert_array_equal(pieces.cut(rows, gains, 5.0), rows["tracklet"])


def test_a_tracklet_is_cut_where_another_animal_explains_the_rest_better():
    rows, gains = two(met=30)
    found = pieces.cut(rows, gains, 5.0)
    assert_array_equal(found, 2 * rows["tracklet"] + (rows["frame"] >= 30))


@pytest.mark.parametrize(("frames", "cut"), [(33, False), (40, True)])
def test_few_frames_of_another_animal_are_the_antennas_error(frames, cut):
    rows, gains = two(frames, met=30)
    assert (len(np.unique(pieces.cut(rows, gains, 5.0))) > 2) == cut


def test_of_moments_as_good_the_one_at_which_they_are_nearest_is_taken():
    rows, gains = two(met=30)
    # For some frames around the change the antennas say nothing; at frame 26 the boxes touch.
    gains[rows["frame"].between(24, 33).to_numpy()] = 0.0
    rows.loc[(rows["frame"] == 26) & (rows["tracklet"] == 1), "x"] = 30.0
    found = pieces.cut(rows, gains, 5.0)
    assert_array_equal(found, 2 * rows["tracklet"] + (rows["frame"] >= 26))


def test_whoever_is_alive_is_cut_with_the_one_that_changes():
    rows, gains = two(met=30)
    gains[(rows["tracklet"] == 1).to_numpy()] = 0.0
    found = pieces.cut(rows, gains, 5.0)
    assert_array_equal(found, 2 * rows["tracklet"] + (rows["frame"] >= 30))


def test_without_rows_or_with_one_animal_nothing_is_cut():
    assert pieces.cut(table([]).astype(float), np.zeros((0, 2)), 5.0).tolist() == []
    rows, gains = two(met=30)
    assert_array_equal(pieces.cut(rows, gains[:, :1], 5.0), rows["tracklet"])


# What becomes of the pieces


def segment(whole, which):
    """Pieces, one after the other, of which only what they are cut from matters."""
    return continuity.Weighed(
        Tracklets(np.arange(len(which)), which), *np.zeros((2, len(whole), 4)),
        None, np.zeros(len(which)), 25.0, np.array(whole),
    )  # fmt: skip


def test_pieces_of_one_tracklet_are_linked_by_the_weight_set():
    cut = segment([0, 0, 1], [0, 1, 2])
    pairs = np.array([[0, 1], [1, 2], [0, 2]]).T
    assert cut.linked(*pairs).tolist() == [True, False, False]
    assert cut.cuts == 1


def test_a_tracklet_of_two_animals_is_neither_for_certain():
    cut = segment([0, 0, 1], [0, 0, 0, 1, 2])
    probabilities = np.array([[0.9, 0.1], [0.1, 0.9], [1.0, 0.0]])
    assert_allclose(continuity.of_tracklets(cut, probabilities), [[0.7, 0.3], [1.0, 0.0]])
