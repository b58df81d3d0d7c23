"""Reasons, told in short: whole parts of them, and what many share once."""

from hypothesis import given
from hypothesis import strategies as st

from murid.reasons import gist, grouped, kind

LONG = (
    "275 of 300 readings (91.67%) are missing in the antenna logs, more than readings.max_unread "
    "allows (90%) (frames of R: 7-99; G: 11-99); last readings: R at 02:00, G at 02:00; the log "
    "goes on until 21:02"
)
WORDS = st.text(st.sampled_from("ab (;.,1"), max_size=400)


def test_a_reason_is_told_to_the_end_of_a_part_of_it():
    assert gist(LONG, 160) == LONG[: LONG.index("; last")]
    assert gist(LONG, 190) == LONG[: LONG.index("; the log")]
    assert gist(LONG, 1000) == LONG


def test_what_was_expected_belongs_to_what_was_found():
    text = "a.mp4: found no frames; expected a video. Mend it. " + "More; " * 99
    assert gist(text, 52) == "a.mp4: found no frames; expected a video. Mend it."


def test_a_part_that_is_too_long_loses_its_details_first():
    details = f"3 readings are missing (frames {', '.join(map(str, range(99)))}); see to it"
    assert gist(details) == "3 readings are missing"


@given(WORDS, st.integers(20, 300))
def test_no_reason_is_longer_than_it_may_be(reason, most):
    assert len(gist(reason, most)) <= most
    assert gist(reason, max(most, len(reason))) == reason


def test_reasons_that_differ_in_numbers_and_names_of_files_are_of_one_kind():
    reasons = [
        "a/1.mp4: found no frames; expected a video",
        "the clock is 1.6 s early (-41 +/- 5 ppm)",
        "b/2.mp4: found no frames; expected a video",
        "the clock is 22.1 s early (told by 4 of 8); other things",
        "c d/3.mp4: found no frames; expected a video",
    ]
    assert grouped(reasons) == [(reasons[0], [0, 2, 4]), (reasons[1], [1, 3])]


@given(st.lists(WORDS))
def test_every_reason_is_in_one_group(reasons):
    groups = grouped(reasons)
    assert sorted(place for _, places in groups for place in places) == list(range(len(reasons)))
    for first, places in groups:
        assert first == reasons[places[0]]
        assert {kind(reasons[place]) for place in places} == {kind(first)}
