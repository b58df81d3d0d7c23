"""Tracks of other tools, by writers that know nothing of murid, are read as they were made."""

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from writers import Track, coco, deeplabcut, jabs, live_mouse_tracker, sleap, ultralytics, via
from written_tracks import (
    BAND,
    FRAMES,
    NAMES,
    by_band,
    detected,
    few,
    parts,
    pieces,
    same,
    same_but_margin,
    shown,
    tracks,
    whole,
)

# --- VIA


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
    unconfirmed=st.frozensets(st.integers(0, FRAMES), max_size=3)
    | st.just(frozenset(range(FRAMES + 1))),
    folder=st.sampled_from(["", "labels/"]),
)
def test_labels_of_ultralytics_are_boxes_in_pixels(tmp_path, made, confidence, unconfirmed, folder):
    # Of scores that are all 1, in lines without a number, nobody can tell which of both they are.
    assume(any(track.confidence < 1 for track in made))
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
@given(made=tracks(), filled=st.sampled_from([0.0, 0.9]))
@pytest.mark.parametrize("version", [3, 4, 5, 6, 8])
def test_poses_of_jabs_are_boxes_and_stretches_tracklets(tmp_path, version, made, filled):
    path = tmp_path / f"cage_pose_est_v{version}.h5"
    jabs.write(path, made, version, filled=filled)
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
@pytest.mark.parametrize("preset", ["slp", "sleap", "matlab", "standard"])
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
@given(made=tracks(), corners=st.booleans())
@pytest.mark.parametrize("kind", ["csv", "df_with_missing", "tracks", "fixed"])
def test_individuals_of_deeplabcut_are_boxes_around_parts(tmp_path, kind, made, corners):
    path = tmp_path / f"a.{'csv' if kind == 'csv' else 'h5'}"
    if kind == "csv":
        deeplabcut.write(path, made, corners=corners)
    elif kind == "fixed":
        deeplabcut.write_fixed(path, made)
    else:
        deeplabcut.write_hdf5(path, made, key=kind, corners=corners)
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
    used = "".join(
        path.read_text(encoding="utf-8")
        for path in Path(__file__).parent.glob("test_archive_independent*.py")
    )
    names = {path.stem for path in folder.glob("[!_]*.py")}
    assert {name for name in names if f"{name}.write" not in used} == set()
