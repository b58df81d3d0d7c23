"""Annotations of other tools, by writers that know nothing of murid, are read as they were made."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.archive import annotations
from writers import Track, coco, cvat, label_studio, via
from written_tracks import FRAMES, SIZE, annotated, drawn_tracks, few, same, shown, tracks

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
@given(made=tracks())
def test_what_cvat_gives_to_download_is_read_as_its_xml(tmp_path, made):
    cvat.write_zip(tmp_path / "a.zip", made)
    found, _ = annotated(tmp_path / "a.zip")
    same(found, shown(made))


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
