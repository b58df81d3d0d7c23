"""Files of other tools, by writers that know nothing of murid, give what was written."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from murid import schemas
from murid.archive import annotations, detections
from writers import (
    HEIGHT,
    WIDTH,
    Track,
    coco,
    cvat,
    deeplabcut,
    jabs,
    label_studio,
    live_mouse_tracker,
    sleap,
    stretches,
    ultralytics,
    via,
)

SIZE = WIDTH, HEIGHT
NAMES = ("R", "mouse 2", "Ünal")
BAND = WIDTH // len(NAMES)
"""Each track stays in its part of the picture, so that boxes tell whose they are."""
FRAMES = 9

few = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


# --- what is written


@st.composite
def boxes(draw, number):
    left = draw(st.integers(BAND * number + 20, BAND * number + 90))
    return tuple(
        map(float, (left, *draw(st.tuples(st.integers(30, 300), *[st.integers(12, 90)] * 2))))
    )


@st.composite
def tracks(draw, most=3):
    """Draw tracks with gaps, of boxes in whole pixels that jump as they like."""
    found = []
    for number in range(draw(st.integers(1, most))):
        frames = draw(st.sets(st.integers(0, FRAMES), min_size=1))
        of_track = {frame: draw(boxes(number)) for frame in frames}
        found.append(Track(NAMES[number], of_track, draw(st.sampled_from([0.75, 0.9, 1.0]))))
    return found


@st.composite
def drawn_tracks(draw):
    """Draw tracks that go straight between keyframes, and which frames these are."""
    found, by_hand = [], []
    for number in range(draw(st.integers(1, len(NAMES)))):
        marks = sorted(draw(st.sets(st.integers(0, 3 * FRAMES), min_size=1, max_size=5)))
        of_track = {}
        last = None
        for mark in marks:
            box = np.array(draw(boxes(number)))
            # A mark whose forerunner goes on has a box in each frame between.
            if last is not None and draw(st.booleans()):
                for frame in range(last + 1, mark):
                    share = (frame - last) / (mark - last)
                    before = np.array(of_track[last])
                    of_track[frame] = tuple((before + share * (box - before)).tolist())
            of_track[mark] = tuple(box.tolist())
            last = mark
        found.append(Track(NAMES[number], of_track))
        by_hand.append(set(marks))
    return found, by_hand


def shown(made, frames=None):
    """Give what a reader should find: box by frame and name."""
    return {
        (frame, track.name): box
        for track in made
        for frame, box in track.boxes.items()
        if frames is None or frame in frames
    }


# --- what is read


def annotated(path, **told):
    table, verdict = annotations.read(path, size=SIZE, **told)
    assert verdict.status == "usable", verdict
    drawn = table[table["type"] != "empty"]
    assert drawn["type"].isin(["single"]).all()
    found = {
        (row["frame"], *row["identities"]): tuple(row[side] for side in schemas.BOX)
        for row in drawn.to_dict("records")
    }
    assert len(found) == len(drawn)
    return found, set(table["frame"])


def detected(path):
    return detections.read(path, size=SIZE).table


def by_band(table):
    """Give the boxes by frame and the track that their place belongs to."""
    bands = ((table["x"] + table["w"] / 2) // BAND).astype(int)
    found = {
        (frame, NAMES[band]): tuple(box)
        for frame, band, box in zip(
            table["frame"], bands, table[schemas.BOX].to_numpy(), strict=True
        )
    }
    assert len(found) == len(table)
    return found


def same(found, expected, within=1e-3):
    assert found.keys() == expected.keys()
    for key, box in expected.items():
        np.testing.assert_allclose(found[key], box, atol=within, err_msg=str(key))


def same_but_margin(found, expected):
    """Check boxes around body parts: the same margin is on each side of all of them."""
    assert found.keys() == expected.keys()
    keys = list(expected)
    wider = np.array([found[key] for key in keys]) - np.array([expected[key] for key in keys])
    margin = wider[0, 2] / 2
    assert margin > 0
    np.testing.assert_allclose(wider, [[-margin, -margin, 2 * margin, 2 * margin]] * len(keys))


def parts(table):
    """Give the sets of (frame, name) that have a tracklet in common."""
    named = [
        (frame, NAMES[band])
        for frame, band in zip(
            table["frame"], ((table["x"] + table["w"] / 2) // BAND).astype(int), strict=True
        )
    ]
    groups: dict = {}
    for key, tracklet in zip(named, table["tracklet"], strict=True):
        groups.setdefault(tracklet, set()).add(key)
    return {frozenset(group) for group in groups.values()}


def whole(made):
    return {frozenset((frame, track.name) for frame in track.boxes) for track in made}


def pieces(made):
    return {
        frozenset((frame, track.name) for frame in part)
        for track in made
        for part in stretches(sorted(track.boxes))
    }


# --- CVAT


@few
@given(made=tracks(), step=st.sampled_from([1, 3]), more=st.integers(1, 5))
def test_tracks_of_cvat_are_their_boxes_but_not_where_they_are_outside(tmp_path, made, step, more):
    made = [
        Track(track.name, {step * frame: box for frame, box in track.boxes.items()})
        for track in made
    ]
    cvat.write(tmp_path / "a.xml", made, step=step, frames=step * (FRAMES + more))
    found, frames = annotated(tmp_path / "a.xml")
    same(found, shown(made))
    assert frames == {frame for frame, _ in shown(made)}


@few
@given(drawn=drawn_tracks())
def test_frames_that_cvat_filled_in_between_keyframes_count_as_those_do(tmp_path, drawn):
    made, by_hand = drawn
    cvat.write_keyframes(tmp_path / "a.xml", made, by_hand)
    found, _ = annotated(tmp_path / "a.xml")
    same(found, shown(made), within=0.011)  # corners have two decimals


@few
@given(made=tracks(), others=st.sets(st.integers(20, 99)))
def test_pictures_of_cvat_are_frames_and_may_show_nothing(tmp_path, made, others):
    frames = sorted({frame for frame, _ in shown(made)} | others)
    cvat.write_images(tmp_path / "a.xml", made, frames)
    found, looked_at = annotated(tmp_path / "a.xml")
    same(found, shown(made))
    assert looked_at == set(frames)


# --- Label Studio


@few
@given(drawn=drawn_tracks())
def test_tracks_of_label_studio_go_straight_between_keyframes_that_last(tmp_path, drawn):
    made, by_hand = drawn
    label_studio.write(tmp_path / "a.json", made, drawn=by_hand, rate=25)
    found, _ = annotated(tmp_path / "a.json", fps=25.0)
    same(found, shown(made))


def test_a_track_of_label_studio_that_does_not_end_goes_on_as_far_as_others_were_drawn(tmp_path):
    """Its own page shows it to the end of the video; where nobody drew, nobody need have looked."""
    track = Track("R", {3: (10.0, 20.0, 30.0, 40.0), 5: (14.0, 20.0, 30.0, 40.0)})
    label_studio.write_open_ended(tmp_path / "a.json", track, frames=50, rate=25)
    found, _ = annotated(tmp_path / "a.json", fps=25.0)
    between = (12.0, 20.0, 30.0, 40.0)
    same(found, {(3, "R"): track.boxes[3], (4, "R"): between, (5, "R"): track.boxes[5]})


@few
@given(
    gaps=st.lists(st.integers(6, 400), min_size=2, max_size=5),
    rate=st.sampled_from([24.0, 25.0]),
    fps=st.sampled_from([15.0, 29.97, 30.0, 50.0]),
)
@pytest.mark.parametrize("length", ["told", "0", "not told"])
def test_frames_of_label_studio_at_another_rate_are_those_shown_then(
    tmp_path, length, gaps, rate, fps
):
    """Frame `n`, from 0, is shown from `n / rate` to `(n + 1) / rate` seconds."""
    counted = np.cumsum(gaps).tolist()
    path = tmp_path / "a.json"
    track = Track("R", dict.fromkeys(counted, (10.0, 20.0, 30.0, 40.0)))
    label_studio.write(path, [track], rate=rate, frames=2400)
    if length != "told":
        _without_length(path, length == "0")
    table, verdict = annotations.read(path, size=SIZE, fps=fps)
    assert f"{rate:g} (task 0) a second" in verdict.reason
    for number, frame in zip(counted, sorted(table["frame"]), strict=True):
        assert frame / fps < (number + 1) / rate
        assert (frame + 1) / fps > number / rate


def _without_length(path, zero):
    """Take away how long the video is, which the page does not know before it was loaded."""
    tasks = json.loads(path.read_text(encoding="utf-8"))
    for region in tasks[0]["annotations"][0]["result"]:
        del region["value"]["duration"], region["value"]["framesCount"]
        if zero:
            region["value"] |= {"framesCount": 0, "duration": 0}
    path.write_text(json.dumps(tasks), encoding="utf-8")


@few
@given(
    made=tracks(),
    others=st.sets(st.integers(20, 99)),
    prefix=st.text(st.sampled_from("0123456789"), min_size=8, max_size=8)
    | st.text(st.sampled_from("0123456789abcdef"), min_size=8, max_size=8),
    name=st.sampled_from(["frame_{:06d}.png", "{:06d}.png", "cage1_{:06d}.jpg"]),
)
def test_pictures_of_label_studio_are_frames_whatever_it_puts_before_their_names(
    tmp_path, made, others, prefix, name
):
    frames = sorted({frame for frame, _ in shown(made)} | others)
    label_studio.write_images(tmp_path / "a.json", made, frames, prefix=prefix, name=name)
    found, looked_at = annotated(tmp_path / "a.json")
    same(found, shown(made))
    assert looked_at == set(frames)


# --- VIA


@few
@given(made=tracks(), others=st.sets(st.integers(20, 99)))
@pytest.mark.parametrize("kind", ["project", "json 1", "json 2", "csv 1", "csv 2", "via 3"])
def test_pictures_of_via_are_frames_and_may_show_nothing(tmp_path, kind, made, others):
    frames = sorted({frame for frame, _ in shown(made)} | others)
    path = tmp_path / f"a.{'csv' if kind.startswith('csv') else 'json'}"
    if kind == "project":
        via.write(path, made, frames)
    elif kind == "via 3":
        via.write_pictures(path, made, frames)
    else:
        how, version = kind.split()
        {"json": via.write_json, "csv": via.write_csv}[how](path, made, frames, int(version))
    found, looked_at = annotated(path)
    same(found, shown(made))
    assert looked_at == set(frames)


@few
@given(
    made=tracks(), rate=st.sampled_from([12.5, 25.0, 29.97, 30.0, 59.94]), late=st.floats(0, 0.8)
)
def test_times_of_via_3_are_the_frames_shown_then(tmp_path, made, rate, late):
    via.write_video(tmp_path / "a.json", made, rate=rate, late=late)
    found, _ = annotated(tmp_path / "a.json", fps=rate)
    same(found, shown(made))


@few
@given(made=tracks())
def test_tracks_of_via_are_tracklets(tmp_path, made):
    via.write_tracks(tmp_path / "a.csv", made)
    table = detected(tmp_path / "a.csv")
    same(by_band(table), shown(made))
    assert parts(table) == whole(made)
    assert set(table["score"]) <= {track.confidence for track in made}


# --- COCO


@few
@given(made=tracks(), others=st.sets(st.integers(20, 99)))
def test_pictures_of_coco_are_frames_and_may_show_nothing(tmp_path, made, others):
    frames = sorted({frame for frame, _ in shown(made)} | others)
    coco.write(tmp_path / "a.json", made, frames)
    found, looked_at = annotated(tmp_path / "a.json")
    same(found, shown(made))
    assert looked_at == set(frames)


@few
@given(made=tracks())
def test_boxes_that_sleap_writes_as_coco_are_annotations(tmp_path, made):
    coco.write_by_sleap(tmp_path / "a.json", made)
    found, _ = annotated(tmp_path / "a.json")
    same(found, shown(made))


@few
@given(made=tracks(), numbered=st.booleans())
def test_results_of_coco_are_boxes_and_perhaps_tracklets(tmp_path, made, numbered):
    coco.write_results(tmp_path / "a.json", made, numbered=numbered)
    table = detected(tmp_path / "a.json")
    same(by_band(table), shown(made))
    assert ("tracklet" in table) == numbered
    if numbered:
        assert parts(table) == whole(made)


@few
@given(made=tracks())
def test_annotations_of_coco_with_scores_are_boxes_in_the_frames_that_images_tell(tmp_path, made):
    frames = sorted({frame for frame, _ in shown(made)})
    coco.write_scored(tmp_path / "a.json", made, frames)
    table = detected(tmp_path / "a.json")
    same(by_band(table), shown(made))
    assert set(table["score"]) <= {track.confidence for track in made}


# --- Ultralytics


@few
@given(
    made=tracks(),
    confidence=st.booleans(),
    unconfirmed=st.frozensets(st.integers(0, FRAMES), max_size=3),
    folder=st.sampled_from(["", "labels/"]),
)
def test_labels_of_ultralytics_are_boxes_in_pixels(tmp_path, made, confidence, unconfirmed, folder):
    path = tmp_path / "a.zip"
    ultralytics.write(path, made, confidence=confidence, unconfirmed=unconfirmed, folder=folder)
    table = detected(path)
    same(by_band(table), shown(made), within=0.01)  # shares have six digits
    _check_confirmed(table, made, unconfirmed)


@few
@given(made=tracks(), unconfirmed=st.frozensets(st.integers(0, FRAMES), max_size=3))
def test_summaries_of_ultralytics_are_boxes_by_frames_from_0(tmp_path, made, unconfirmed):
    ultralytics.write_summaries(tmp_path / "a.json", made, unconfirmed=unconfirmed)
    table = detected(tmp_path / "a.json")
    same(by_band(table), shown(made))
    assert set(table["score"]) <= {track.confidence for track in made}
    _check_confirmed(table, made, unconfirmed)


def _check_confirmed(table, made, unconfirmed):
    """Check that boxes without a number are in no tracklet, others in that of their track."""
    confirmed = [
        Track(track.name, {f: box for f, box in track.boxes.items() if f not in unconfirmed})
        for track in made
    ]
    confirmed = [track for track in confirmed if track.boxes]
    assert ("tracklet" in table) == bool(confirmed)
    if confirmed:
        assert table["tracklet"].isna().sum() == len(shown(made)) - len(shown(confirmed))
        assert parts(table[table["tracklet"].notna()]) == whole(confirmed)


# --- poses


@few
@given(made=tracks())
@pytest.mark.parametrize("version", [3, 4, 5, 6, 8])
def test_poses_of_jabs_are_boxes_and_stretches_tracklets(tmp_path, version, made):
    path = tmp_path / f"cage_pose_est_v{version}.h5"
    jabs.write(path, made, version)
    table = detected(path)
    same_but_margin(by_band(table), shown(made))
    assert parts(table) == pieces(made)


@few
@given(made=tracks())
@pytest.mark.parametrize("version", [3, 4, 5])
def test_poses_that_sleap_writes_for_jabs_are_boxes_and_tracklets(tmp_path, version, made):
    path = tmp_path / f"cage_pose_est_v{version}.h5"
    jabs.write_by_sleap(path, made, version)
    table = detected(path)
    same_but_margin(by_band(table), shown(made))
    assert parts(table) == pieces(made)


@pytest.mark.parametrize("confidence", [0.0, 0.25])
def test_parts_that_jabs_does_not_count_as_found_widen_no_box(tmp_path, confidence):
    """JABS itself takes 0.3 and less for not found, wherever the point is."""
    box = (20.0, 30.0, 44.0, 66.0)
    jabs.write(tmp_path / "a_pose_est_v4.h5", [Track("R", {0: box, 1: box})], 4)
    sound = by_band(detected(tmp_path / "a_pose_est_v4.h5"))
    jabs.write(
        tmp_path / "b_pose_est_v4.h5", [Track("R", {0: box, 1: box})], 4,
        astray={1: [4]}, astray_confidence=confidence,
    )  # fmt: skip
    same(by_band(detected(tmp_path / "b_pose_est_v4.h5")), sound)


@few
@given(made=tracks())
@pytest.mark.parametrize("preset", ["slp", "matlab", "standard"])
def test_tracks_of_sleap_are_tracklets_of_boxes_around_parts(tmp_path, preset, made):
    if preset == "slp":
        path = tmp_path / "a.slp"
        sleap.write(path, made)
    else:
        path = tmp_path / "a.analysis.h5"
        sleap.write_analysis(path, made, preset)
    table = detected(path)
    same_but_margin(by_band(table), shown(made))
    assert parts(table) == whole(made)
    assert all(
        name == NAMES[int(x // BAND)]
        for name, x in zip(table["source_track"], table["x"] + table["w"] / 2, strict=True)
    )


@few
@given(made=tracks(), corner=st.booleans())
@pytest.mark.parametrize("kind", ["csv", "df_with_missing", "tracks", "fixed"])
def test_individuals_of_deeplabcut_are_boxes_around_parts(tmp_path, kind, made, corner):
    path = tmp_path / f"a.{'csv' if kind == 'csv' else 'h5'}"
    if kind == "csv":
        deeplabcut.write(path, made, corner=corner)
    elif kind == "fixed":
        deeplabcut.write_fixed(path, made)
    else:
        deeplabcut.write_hdf5(path, made, key=kind, corner=corner)
    table = detected(path)
    same_but_margin(by_band(table), shown(made))
    assert "tracklet" not in table
    assert all(
        name == NAMES[int(x // BAND)]
        for name, x in zip(table["source_track"], table["x"] + table["w"] / 2, strict=True)
    )


@few
@given(made=tracks(most=1))
@pytest.mark.parametrize("kind", ["csv", "h5"])
def test_the_animal_of_deeplabcut_is_a_box_around_its_parts(tmp_path, kind, made):
    path = tmp_path / f"a.{kind}"
    if kind == "csv":
        deeplabcut.write_single(path, made[0])
    else:
        deeplabcut.write_hdf5(path, made, several=False)
    same_but_margin(by_band(detected(path)), shown(made))


# --- Live Mouse Tracker


@few
@given(
    made=tracks(),
    first=st.sampled_from([0, 1, 54321]),
    anonymous=st.frozensets(st.integers(0, FRAMES), max_size=3),
)
def test_masks_of_live_mouse_tracker_are_boxes_of_frames_from_its_first(
    made, first, anonymous, tmp_path
):
    path = tmp_path / "a.sqlite"
    path.unlink(missing_ok=True)
    live_mouse_tracker.write(path, made, first=first, frames=20, anonymous=anonymous)
    table = detected(path)
    same(by_band(table), shown(made))
    assert "tracklet" not in table
    named = table["source_track"].notna()
    assert (named == ~table["frame"].isin(anonymous)).all()


@few
@given(made=tracks())
def test_animals_of_live_mouse_tracker_without_masks_are_boxes_around_their_points(tmp_path, made):
    path = tmp_path / "a.sqlite"
    path.unlink(missing_ok=True)
    live_mouse_tracker.write(path, made, unmasked=frozenset(range(FRAMES + 1)))
    same_but_margin(by_band(detected(path)), shown(made))


def test_every_writer_is_read_here():
    """A writer that no test uses would say nothing."""
    folder = Path(__file__).parent.parent / "writers"
    used = Path(__file__).read_text(encoding="utf-8")
    names = {path.stem for path in folder.glob("[!_]*.py")}
    assert {name for name in names if f"{name}.write" not in used} == set()
