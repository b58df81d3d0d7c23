"""Where animals are while no box shows them: four hypotheses, one place, one region."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murid import tables
from murid.errors import InputError
from murid.places import fit, hypotheses, infer, model, region
from murid.places.blanked import LENGTHS, hide, joined
from murid.places.hypotheses import (
    AFTER,
    BEFORE,
    ELSEWHERE,
    THROUGHOUT,
    Asked,
    End,
    Gap,
    Habits,
    Mixture,
)
from murid.places.model import Growth, PlacesModel
from murid.places.track import Antennas, Moments, Track
from roaming_animals import always_seen, named, read_of, rig, roam, tracks_of
from small_rig import IDENTITY

UNREAD = np.full((5, 2), np.nan), np.full((5, 2, 2), np.nan)
SHARES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
log_probability = st.floats(-8, -0.01)


def end(place, rested, read, middle=None):
    place, middle, read = (
        np.array(given, dtype=float) for given in (place, place if middle is None else middle, read)
    )
    return End(place, middle, rested, read)


@st.composite
def gaps(draw, steps=6):
    seconds = steps * hypotheses.TICK
    reads = st.lists(st.one_of(log_probability, st.just(np.nan)), min_size=7, max_size=7)
    place = st.tuples(st.floats(-5, 5), st.floats(-5, 5))
    first, last = draw(reads), np.array(draw(reads))
    last[np.isnan(first)] = np.nan
    first = np.where(np.isnan(last), np.nan, first)
    rested = st.floats(0, 100)
    return Gap(seconds, end(draw(place), draw(rested), first), end(draw(place), draw(rested), last))


def weigh(gap, habits=None, shares=SHARES, means=None, covariances=None):
    means = np.full((len(shares), 2), np.nan) if means is None else means
    if covariances is None:
        covariances = np.full((len(shares), 2, 2), np.nan)
    asked = Asked([gap], np.zeros(len(shares), dtype=int), shares, means, covariances)
    return hypotheses.infer(asked, habits or Habits())


def summed(gap, habits):
    """What the paths add up to, one by one: P(before, after, elsewhere, throughout) by step."""
    count = len(gap.before.read) - 1
    step = gap.seconds / count

    def still(rested, after):
        return ((habits.onset + rested) / (habits.onset + rested + after)) ** habits.shape

    chances, where = [], []

    def read(at, place):
        value = {BEFORE: gap.before.read[at], AFTER: gap.after.read[at], ELSEWHERE: habits.astray}
        return 0 if np.isnan(gap.before.read[at]) else habits.weight * step * value[place]

    away = ((gap.after.place - gap.before.place) ** 2).sum()
    for left in range(count):
        for came in range(left + 1, count + 1):
            at = [BEFORE if t <= left else AFTER if t >= came else ELSEWHERE for t in range(count)]
            spread = habits.roamed(np.array((came - left) * step))
            leave = still(gap.before.rested, left * step) - still(
                gap.before.rested, (left + 1) * step
            )
            rest = (count - came) * step
            come = still(gap.after.rested, rest) - still(gap.after.rested, rest + step)
            if came == count:
                come = still(gap.after.rested, 0) - still(gap.after.rested, step)
            chances.append(
                sum(read(t, at[t]) for t in range(1, count)) + np.log(leave) + np.log(come)
                - away / (2 * spread) - np.log(spread)
            )  # fmt: skip
            where.append([*at, AFTER])
    spread = 2 * habits.spread(np.array(gap.seconds))
    chances.append(
        sum(read(t, BEFORE) for t in range(1, count))
        + np.log(still(gap.before.rested, gap.seconds) * still(gap.after.rested, gap.seconds)) / 2
        - away / (2 * spread) - np.log(spread)
    )  # fmt: skip
    where.append([THROUGHOUT] * (count + 1))
    shares = np.exp(np.array(chances) - np.logaddexp.reduce(chances))
    where = np.array(where)
    return np.column_stack([
        [shares[where[:, t] == each].sum() for t in range(count + 1)] for each in range(4)
    ])  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(gaps(), st.floats(0.2, 3), st.floats(0.1, 5))
def test_the_sum_over_all_times_of_leaving_and_coming_is_exact(gap, shape, weight):
    habits = Habits(shape=shape, weight=weight)
    shares = np.linspace(0, 1, 7)
    assert weigh(gap, habits, shares).weights == pytest.approx(summed(gap, habits), abs=1e-6)


@settings(max_examples=200, deadline=None)
@given(gaps(), st.lists(st.floats(-13, 13), min_size=7, max_size=7), st.floats(-50, 0))
def test_weights_are_told_for_whatever_habits_a_fit_may_try(gap, numbers, astray):
    found = weigh(gap, fit._as_habits(np.array([*numbers, astray])))
    assert np.isfinite(found.weights).all()
    assert found.weights.sum(axis=1) == pytest.approx(1)


@settings(max_examples=60, deadline=None)
@given(gaps(), st.floats(-0.5, 0.5), st.floats(0.5, 100))
def test_boxes_off_the_middle_of_their_place_go_back_there(gap, off, seconds):
    gap = gap._replace(
        seconds=seconds,
        before=gap.before._replace(middle=gap.before.place + off),
        after=gap.after._replace(middle=gap.after.place - off),
    )
    ends = weigh(gap, shares=np.array([1e-9, 1 - 1e-9])).means
    assert ends[:, THROUGHOUT] == pytest.approx(
        np.stack([gap.before.place, gap.after.place]), abs=1e-3
    )
    shares = np.array([0.1, 0.5, 0.9])
    found = weigh(gap, shares=shares).means
    left = np.exp(-seconds * shares / hypotheses.SWAY)[:, None]
    assert found[:, BEFORE] == pytest.approx(gap.before.place + off * (1 - left))
    assert found[:, AFTER] == pytest.approx(gap.after.place - off * (1 - left[::-1]))
    middle = (gap.before.middle + gap.after.middle) / 2
    assert np.abs(found[1, THROUGHOUT] - middle).max() <= abs(off)


def test_the_middle_of_a_place_is_told_by_boxes_of_that_place_alone():
    places = np.zeros((200, 2))
    places[:60] = 3.0
    places[60:101] = [1.0, 0.0]
    places[60:100:2] = np.nan
    places[100] = [1.2, 0.0]
    places[101:150] = np.nan
    track = Track(places, np.zeros(200, dtype=int), 25.0)
    gap = track.gap(100, 150, Antennas(np.zeros((1, 2)), np.eye(2)[None], 0.0))
    assert gap.before.middle == pytest.approx([(20 + 1.2) / 21, 0.0])
    assert gap.after.middle == pytest.approx([0.0, 0.0])


@settings(max_examples=60, deadline=None)
@given(gaps())
def test_weights_are_a_distribution_and_time_has_no_direction(gap):
    found = weigh(gap)
    assert (found.weights >= 0).all()
    assert found.weights.sum(axis=1) == pytest.approx(1)
    # What is read while it is where it was, or will be, is turned with the rest.
    turned = Gap(
        gap.seconds,
        gap.after._replace(read=gap.after.read[::-1]),
        gap.before._replace(read=gap.before.read[::-1]),
    )
    back = weigh(turned, shares=1 - SHARES)
    whole = found.weights[:, THROUGHOUT]
    assert back.weights[:, THROUGHOUT] + 1 == pytest.approx(
        whole + 1, abs=1 if _one_sided(gap) else 1e-6
    )
    assert back.means[:, ELSEWHERE] == pytest.approx(found.means[:, ELSEWHERE])


def _one_sided(gap):
    """Whether staying throughout is told by other readings in the one direction."""
    return not np.array_equal(gap.before.read, gap.after.read, equal_nan=True)


def test_who_has_rested_for_long_rests_on():
    quiet = [np.nan] * 101
    weights = [
        weigh(Gap(60.0, end([0, 0], rested, quiet), end([4, 0], 0.0, quiet))).weights[2, BEFORE]
        for rested in (0.0, 10.0, 100.0)
    ]
    assert weights == sorted(weights)
    assert weights[-1] > 1.5 * weights[0]


def test_readings_tell_when_an_animal_went():
    early = np.where(np.arange(101) < 20, -0.1, -6.0)
    late = np.where(np.arange(101) < 20, -6.0, -0.1)
    found = weigh(Gap(20.0, end([0, 0], 9, early), end([4, 0], 9, late)))
    assert found.weights[0, BEFORE] > 0.75
    assert (found.weights[2:, AFTER] > 0.9).all()


@pytest.mark.parametrize("there", [(True, False), (False, True)])
def test_before_its_first_box_and_after_its_last_an_animal_is_about_there(there):
    quiet = [np.nan] * 101
    ends = [end([1, 2], 9, quiet) if is_there else None for is_there in there]
    found = region.summarise(weigh(Gap(60.0, *ends)), np.eye(2))
    assert found.places == pytest.approx(np.tile([1.0, 2.0], (5, 1)))
    sizes = np.linalg.det(found.shapes)
    assert (np.diff(sizes) > 0).all() if there[0] else (np.diff(sizes) < 0).all()


def test_nothing_but_readings_is_where_the_antenna_is():
    means, covariances = np.tile([3.0, 1.0], (5, 1)), np.tile(np.diag([1.0, 0.5]), (5, 1, 1))
    found = weigh(Gap(60.0, None, None), means=means, covariances=covariances)
    assert found.weights[:, ELSEWHERE] == pytest.approx(1)
    assert found.means[:, ELSEWHERE] == pytest.approx(means)
    assert found.covariances[:, ELSEWHERE] == pytest.approx(covariances)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(0.01, 1), min_size=4, max_size=4),
    st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=4, max_size=4),
    st.integers(0, 9),
)
def test_nine_of_ten_true_places_are_in_the_region(weights, means, seed):
    random = np.random.default_rng(seed)
    weights = np.array(weights) / sum(weights)
    spreads = random.uniform(0.05, 1, 4)[:, None, None] * np.eye(2)
    found = region.summarise(
        Mixture(weights[None], np.array(means)[None], spreads[None]), np.eye(2)
    )
    which = random.choice(4, 4_000, p=weights)
    true = np.array(means)[which] + random.normal(size=(4_000, 2)) * np.sqrt(spreads[which, 0, :1])
    many = region.Region(*(np.repeat(part, 4_000, axis=0) for part in found))
    assert (region.oddness(many, true) <= 1).mean() == pytest.approx(0.9, abs=0.05)


def test_an_animal_that_is_here_or_there_is_at_one_of_both():
    halves = Mixture(
        np.array([[0.55, 0.45, 0, 0]]), np.array([[[0.0, 0], [6, 0], [3, 0], [3, 0]]]),
        np.tile(0.01 * np.eye(2), (1, 4, 1, 1)),
    )  # fmt: skip
    found = region.summarise(halves, np.eye(2))
    assert found.places[0] == pytest.approx([0, 0])
    assert region.oddness(found, np.array([[6.0, 0]]))[0] < 1.1


def test_moments_are_what_numpy_says_and_can_be_taken_away():
    random = np.random.default_rng(1)
    places, read = random.normal(size=(300, 2)), random.integers(0, 4, 300)
    places[::7] = np.nan
    both = Moments.of(places, read, 3)
    means, covariances = (both - Moments.of(places[200:], read[200:], 3)).places()
    for antenna in range(3):
        own = places[:200][(read[:200] == antenna + 1) & ~np.isnan(places[:200, 0])]
        assert means[antenna] == pytest.approx(own.mean(axis=0))
        assert covariances[antenna] == pytest.approx(np.cov(own.T, bias=True))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_gaps_are_the_frames_without_a_box_each_once(seen):
    places = np.where(np.array(seen)[:, None], 1.0, np.full((len(seen), 2), np.nan))
    track = Track(places, np.zeros(len(seen), dtype=int), 5.0)
    hidden = [frame for first, last in track.gaps() for frame in range(first + 1, last)]
    assert hidden == [frame for frame, is_seen in enumerate(seen) if not is_seen]


@pytest.fixture(scope="module")
def learnt():
    """What is learnt of animals in one segment, that others are judged by."""
    tracks = always_seen(1_800, 1)
    blanks = list(hide(tracks, 40, np.random.default_rng(1)))
    return fit.fit(blanks, tracks.scale.to_pixels)


def test_inferred_places_are_nearer_than_antennas_and_interpolation_and_say_how_near(learnt):
    assert learnt.provenance["fitted"]
    tracks = always_seen(1_800, 2)
    metric = tracks.scale.to_pixels
    covered = []
    for length in LENGTHS[2:]:
        some = [b for b in hide(tracks, 40, np.random.default_rng(2)) if b.length == length]
        asked, truth, nearest = joined(some)
        found = region.summarise(hypotheses.infer(asked, learnt.habits), metric)
        before, after = (
            np.array([getattr(gap, name).place for gap in asked.gaps])[asked.gap]
            for name in ("before", "after")
        )
        way = asked.shares[:, None]

        def off(places, truth=truth):
            return np.linalg.norm((places - truth) @ metric.T, axis=1).mean()

        inferred = off(found.places)
        assert inferred < off(asked.means)
        assert inferred < off(before * (1 - way) + after * way) + 0.5
        covered.append(region.oddness(found, truth) <= learnt.growth(nearest))
    assert np.concatenate(covered).mean() == pytest.approx(0.9, abs=0.05)


def test_each_frame_and_animal_has_one_row_and_boxes_are_where_they_are(learnt):
    centres = roam(120, 3)
    random = np.random.default_rng(4)
    seen = np.repeat(random.random((len(centres) // 20, 3)) < 0.6, 20, axis=0)
    identities = named(centres, seen)
    tracks = tracks_of(identities, read_of(rig(), centres))
    table = infer.places(tracks, identities, learnt, IDENTITY)
    assert len(table) == seen.size
    assert not table.duplicated(["frame", "animal"]).any()
    is_seen = seen.ravel()
    assert (table["state"][is_seen] == "seen").all()
    assert (table["state"][~is_seen] == "inferred").all()
    assert table[["x", "y"]].to_numpy()[is_seen] == pytest.approx(
        centres.reshape(-1, 2)[is_seen], abs=0.01
    )
    assert table.loc[is_seen, ["major", "minor", "angle"]].isna().all(axis=None)
    hidden = table[~is_seen]
    assert (hidden["major"] >= hidden["minor"]).all()
    assert hidden["angle"].between(0, 180).all()
    off = hidden[["x", "y"]].to_numpy() - centres.reshape(-1, 2)[~is_seen]
    assert np.median(np.linalg.norm(off, axis=1)) < 30


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_places_and_ellipses_are_in_pixels_of_the_raw_frame(learnt, scale):
    """A rig whose raw frames are larger than the frame of reference has larger ellipses there."""
    centres = roam(60, 5)
    seen = np.ones((len(centres), 3), dtype=bool)
    seen[100:200] = False
    read = read_of(rig(), centres)
    plain = named(centres, seen)
    raw = plain.assign(**{side: scale * plain[side] for side in "xywh"})
    small, large = (
        infer.places(tracks_of(table, read, matrix), table, learnt, matrix)
        for table, matrix in ((plain, IDENTITY), (raw, IDENTITY / scale))
    )
    for column in ("x", "y", "major", "minor"):
        assert large[column].dropna().to_numpy() == pytest.approx(
            scale * small[column].dropna().to_numpy(), rel=1e-3
        )


def test_an_animal_without_a_box_and_a_reading_is_unknown(learnt):
    centres = roam(30, 6)
    seen = np.ones((len(centres), 3), dtype=bool)
    seen[:, 1] = False
    read = read_of(rig(), centres)
    read[:50, 1] = 0
    identities = named(centres, seen)
    table = infer.places(tracks_of(identities, read), identities, learnt, IDENTITY)
    states = table[table["animal"] == "B"].set_index("frame")["state"]
    assert (states[:50] == "unknown").all()
    assert (states[50:] == "inferred").all()
    assert table.loc[table["state"] == "unknown", ["x", "y", "major"]].isna().all(axis=None)


def test_unsure_names_say_nothing_of_where_an_animal_is():
    centres = roam(60, 7)
    confidence = np.ones(centres.shape[:2])
    confidence[100:200, 0] = 0.5
    identities = named(centres, confidence > 0, confidence.ravel())
    tracks = tracks_of(identities, read_of(rig(), centres))
    assert np.isnan(tracks.each[0].places[100:200]).all()
    assert not np.isnan(tracks.each[0].places[:100]).any()
    assert not np.isnan(tracks.each[1].places).any()


@pytest.mark.parametrize("change", ["longer", "shorter", "another animal", "an animal less"])
def test_identities_of_another_segment_are_refused(change):
    centres = roam(20, 9)
    identities = named(centres, np.ones(centres.shape[:2], dtype=bool))
    if change == "longer":
        more = identities.tail(3).assign(frame=len(centres))
        identities = pd.concat([identities, more], ignore_index=True)
    elif change == "shorter":
        identities = identities[identities["frame"] < 50]
    elif change == "another animal":
        identities = identities.replace({"animal": {"A": "X"}})
    else:
        identities = identities[identities["animal"] != "A"]
    with pytest.raises(InputError, match="as positions have"):
        tracks_of(identities, read_of(rig(), centres))


def test_a_segment_without_frames_has_no_places(learnt):
    nothing = np.zeros((0, 3), dtype=int)
    identities = named(np.zeros((0, 3, 2)), nothing.astype(bool), [])
    table = infer.places(tracks_of(identities, nothing), identities, learnt, IDENTITY)
    assert table.empty


def test_too_few_known_places_teach_nothing_and_say_so(caplog):
    tracks = always_seen(20, 8)
    blanks = list(hide(tracks, 2, np.random.default_rng(1)))
    found = fit.fit(blanks, np.eye(2))
    assert found.habits == Habits()
    assert not found.provenance["fitted"]
    assert "fewer than 200" in caplog.text


def test_a_model_is_read_as_it_was_written(tmp_path, learnt):
    model.write(learnt, tmp_path / "places.json")
    assert model.read(tmp_path / "places.json") == learnt


@pytest.mark.parametrize(
    "change",
    [
        ('"seconds": [', '"seconds": [1e7, '), ('"shape": ', '"shape": -'), ('"growth"', '"grown"'),
        ("places model 1", "places model 9"), ('"factors": [', '"factors": [0.5, '),
    ],
)  # fmt: skip
def test_a_damaged_model_is_refused(tmp_path, learnt, change):
    path = tmp_path / "places.json"
    model.write(learnt, path)
    path.write_text(path.read_text().replace(*change, 1))
    with pytest.raises(InputError, match=r"places\.json"):
        model.read(path)


def test_regions_grow_with_the_seconds_to_a_box():
    growth = Growth((1.0, 100.0), (1.0, 3.0))
    assert growth(np.array([0.1, 1, 10, 100, 1e4])) == pytest.approx([1, 1, 2, 3, 3])


def test_no_growth_is_of_models_that_learnt_none():
    assert PlacesModel().growth(np.array([0.1, 50])) == pytest.approx([1, 1])
    assert tables.empty("places").empty
