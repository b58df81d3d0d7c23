"""Which frames count, and what they show."""

import numpy as np
import pytest

from judged_frames import BOX, ELSEWHERE, EVERY_FRAME, annotations, marked
from murid.archive.annotated.tide import from_release, read_release
from murid.archive.tide import read_splits
from murid.errors import InputError
from murid.settings import Evaluate, parse
from murid.truth import evaluated_frames, ground_truth, unambiguous_frames


def test_without_snippets_every_unambiguous_frame_is_in_snippet_0():
    chosen = evaluated_frames(marked([300, 7]), 25, EVERY_FRAME)
    assert chosen["frame"].tolist() == [7, 300]
    assert chosen["snippet"].tolist() == [0, 0]


def test_both_ends_of_a_snippet_belong_to_it_and_the_frames_around_do_not():
    chosen = evaluated_frames(marked([99, 100, 200, 201]), 25, Evaluate(snippets=[(4, 8)]))
    assert chosen["frame"].tolist() == [100, 200]


def test_ends_of_a_snippet_survive_rounding():
    fps = 29.97
    frames = [round(fps * second) for second in (0, 10)]
    exact = Evaluate(snippets=[(frames[0] / fps, frames[1] / fps)], interval=10)
    assert evaluated_frames(marked(frames), fps, exact)["frame"].tolist() == frames


@pytest.mark.parametrize(("annotated", "counts"), [(22, False), (23, True)])
def test_a_snippet_counts_from_half_of_its_46_times_on(annotated, counts):
    marks = marked(range(0, annotated * 100, 100))
    chosen = evaluated_frames(marks, 25, Evaluate(snippets=[(0, 180)]))
    assert (len(chosen) > 0) == counts


def test_frames_annotated_densely_in_one_place_do_not_make_up_for_the_rest():
    chosen = evaluated_frames(marked(range(100)), 25, Evaluate(snippets=[(0, 180)]))
    assert chosen.empty


def test_a_frame_at_the_border_of_two_snippets_counts_once():
    chosen = evaluated_frames(
        marked([0, 100, 200]), 25, Evaluate(snippets=[(0, 4), (4, 8)], min_annotated=0)
    )
    assert chosen.to_numpy().tolist() == [[0, 0], [100, 0], [200, 1]]


def test_frames_with_an_uncertain_identity_are_left_out_entirely():
    marks = annotations(
        [
            (0, "single", ["R"], BOX, False),
            (0, "huddle", ["G", "B"], ELSEWHERE, False),
            (1, "tentative", ["R", "G"], BOX, False),
            (2, "single", ["R", "G"], BOX, False),
            (3, "single", [], BOX, False),
            (4, "single", ["tunnel"], BOX, False),
            (5, "empty", [], None, False),
            (6, "single", ["R"], BOX, True),
        ]
    )
    assert unambiguous_frames(marks).tolist() == [4, 5, 6]


@pytest.mark.parametrize("snippets", [[(0, 10), (5, 20)], [(10, 5)], [(-1, 5)]])
def test_snippets_that_overlap_or_run_backwards_are_refused(snippets):
    with pytest.raises(InputError, match="snippets"):
        parse(Evaluate, {"snippets": snippets})


def test_an_animal_that_the_positions_do_not_know_is_an_error():
    with pytest.raises(InputError, match=r"frame 7.*'R'.*one of B, G"):
        ground_truth(marked([7]), [7], ["B", "G"])


def test_a_frame_that_shows_an_animal_twice_is_left_out_but_two_tunnels_do_no_harm():
    marks = annotations(
        [
            (7, "single", ["R"], BOX, False),
            (7, "single", ["R"], ELSEWHERE, False),
            (8, "single", ["tunnel"], BOX, False),
            (8, "single", ["tunnel"], ELSEWHERE, False),
        ]
    )
    assert unambiguous_frames(marks).tolist() == [8]


def test_the_normalisers_of_train_and_validate_are_the_papers(shared):
    path = shared / "tide" / "Annotations.df"
    release = read_release(path)
    splits, _ = read_splits(shared / "tide" / "Datasplits.df")
    snippets = Evaluate(snippets=[(0, 180), (812, 988), (1620, 1796)])
    sizes = {"Train": np.zeros(2, dtype=int), "Validate": np.zeros(2, dtype=int)}
    for key, rows in release.items():
        marks = from_release(rows, path)
        frames = evaluated_frames(marks, 25.0, snippets)
        visible = ground_truth(marks, frames["frame"], ["R", "G", "B"])
        sizes[splits[key]] += (len(frames), len(visible))
    train, validate = sizes["Train"], sizes["Validate"]
    assert (train[0], validate[0]) == (498, 398)
    frames, visible = train + validate
    assert (frames, 3 * frames, visible, 3 * frames - visible) == (896, 2688, 2541, 147)
