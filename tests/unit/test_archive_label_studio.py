"""Annotations of Label Studio, in the form of its JSON export."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import made_videos
from murid import schemas, tables
from murid.archive import annotations, keyframes
from murid.archive.keyframes import Keyframe
from murid.cli import cli
from murid.errors import InputError


def rectangle(key, sides, *labels, **more):
    value = dict(zip(("x", "y", "width", "height"), sides, strict=True))
    value |= {"rotation": 0, "rectanglelabels": list(labels)}
    return {
        "id": key, "type": "rectanglelabels", "from_name": "label", "to_name": "image",
        "original_width": 1000, "original_height": 500, "image_rotation": 0, "value": value,
        "origin": "manual", **more,
    }  # fmt: skip


def says(key, name, **value):
    (kind,) = value
    types = {"choices": "choices", "text": "textarea", "labels": "labels"}
    return {"id": key, "type": types[kind], "from_name": name, "to_name": "image", "value": value}


def task(name, *results, **about):
    data = {"image": f"/data/upload/1/1a2b3c4d-{name}"} if isinstance(name, str) else name
    done = {"id": 5, "completed_by": 1, "was_cancelled": False, "ground_truth": False}
    return {
        "id": 1, "data": data, "predictions": [],
        "annotations": [{**done, "result": list(results), **about}],
    }  # fmt: skip


def moving(key, *keys, labels=("R",), count=100, rate=25, **more):
    sequence = [
        {"frame": frame, "enabled": lasts, "rotation": 0, "x": x, "y": 20, "width": 10,
         "height": 20, "time": 0.04}
        for frame, x, lasts in keys
    ]  # fmt: skip
    value = {"framesCount": count, "duration": count / rate, "sequence": sequence}
    return {
        "id": key, "type": "videorectangle", "from_name": "box", "to_name": "video",
        "origin": "manual", "value": value | {"labels": list(labels)}, **more,
    }  # fmt: skip


def write(path, *tasks):
    path.write_text(json.dumps(tasks))
    return path


def test_rectangles_are_hundredths_of_the_picture(tmp_path):
    path = write(
        tmp_path / "a.json",
        task(
            "frame_000012.jpg",
            rectangle("a", (1, 2, 30, 40), "R"),
            rectangle("b", (50, 50, 10, 10), "Mouse"),
            says("b", "identity", text=["G"]),
            says("b", "visibility", choices=["truncated"]),
            says("b", "difficult", choices=["difficult"]),
            rectangle("c", (50, 10, 10, 10), "G", "B"),
            says("c", "type", choices=["huddle"]),
            says("c", "visibility", choices=["clear"]),
            says("c", "remark", text="they sleep"),
        ),
        task("frame_000013.jpg"),
        {"id": 3, "data": {"image": "frame_000014.jpg"}, "annotations": []},
        {**task("frame_000015.jpg", was_cancelled=True)},
    )
    table = annotations.read(path).table
    assert table["frame"].tolist() == [12, 12, 12, 13]
    assert table.loc[0, ["x", "y", "w", "h"]].tolist() == [10, 10, 300, 200]
    assert [list(names) for names in table["identities"]] == [["R"], ["G"], ["G", "B"], []]
    assert table["type"].tolist() == ["single", "single", "huddle", "empty"]
    assert table["visibility"].tolist() == ["marginal", "truncated", "clear", "marginal"]
    assert table["difficult"].tolist() == [False, True, False, False]
    assert table.attrs["sizes"] == [(1000, 500)]


def test_boxes_of_a_video_go_straight_from_keyframe_to_keyframe(tmp_path):
    path = write(
        tmp_path / "a.json",
        task(
            {"video": "/data/upload/1/a.mp4"},
            moving("a", (1, 10, True), (5, 30, True), (7, 30, False)),
            moving("b", (3, 50, True), labels=()),
            says("b", "label", labels=["G"]),
        ),
    )
    table = annotations.read(path, size=(200, 100)).table
    red = table[[list(names) == ["R"] for names in table["identities"]]]
    assert red["frame"].tolist() == [0, 1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(red["x"], [20, 30, 40, 50, 60, 60, 60])
    assert red[["y", "w", "h"]].iloc[0].tolist() == [20, 20, 20]
    # Green is there to the end of what was looked at, not to the end of the video.
    green = table[[list(names) == ["G"] for names in table["identities"]]]
    assert green["frame"].tolist() == [2, 3, 4, 5, 6]
    assert set(green["x"]) == {100}


@pytest.mark.parametrize("rate", [10, 23.976, 24, 29.97, 30, 50])
def test_frames_that_count_at_another_rate_are_put_right_by_time(tmp_path, rate):
    """A rate was given to the labelling interface that is not the video's, or none."""
    seconds, count = (0, 2, 4, 599), round(600 * rate)
    keys = [(1 + round(second * rate), 10 + second / 100, True) for second in seconds]
    path = write(
        tmp_path / "a.json", task({"video": "a.mp4"}, moving("a", *keys, count=count, rate=rate))
    )
    table, verdict = annotations.read(path, fps=25, size=(100, 100))
    assert verdict.status == "repaired"
    for text in (f"count {rate:g} (task 0) a second", "the video 25", "frameRate"):
        assert text in verdict.reason
    near = np.interp([second * 25 for second in seconds], table["frame"], table["x"])
    np.testing.assert_allclose(near, [10 + second / 100 for second in seconds], atol=0.02)
    assert table["frame"].is_unique
    assert abs(table["frame"].max() - 599 * 25) <= 1 + 25 / rate


@pytest.mark.parametrize(("rate", "fps"), [(25, 25), (24, 24), (25, None), (24.9, 25)])
def test_frames_that_count_at_the_videos_rate_or_one_not_known_are_taken_as_they_are(
    tmp_path, rate, fps
):
    box = moving("a", (1, 10, True), (97, 30, False), count=100, rate=rate)
    path = write(tmp_path / "a.json", task({"video": "a.mp4"}, box))
    table, verdict = annotations.read(path, fps=fps, size=(100, 100))
    assert table["frame"].tolist() == [*range(97)]
    assert verdict.reason == ""


def test_boxes_drawn_in_frames_that_are_one_in_the_video_are_one(tmp_path):
    keys = [(1, 10, True), (2, 12, True), (3, 14, True), (4, 16, False)]
    path = write(tmp_path / "a.json", task({"video": "a.mp4"}, moving("a", *keys, rate=50)))
    table = annotations.read(path, fps=25, size=(100, 100)).table
    assert table[["frame", "x"]].to_numpy().tolist() == [[0, 12], [1, 16]]


@pytest.mark.parametrize(
    ("boxes", "told"),
    [
        ([moving("a", (1, 1, True), rate=24), moving("b", (1, 1, True), rate=30)], "24 and 30"),
        ([moving("a", (1, 1, True), rate=1e9)], "the length of a video"),
        ([moving("a", (3, 1, True), (3, 2, True), rate=24)], "two keyframes of one box"),
    ],
)
def test_rates_that_make_no_sense_are_refused(tmp_path, boxes, told):
    path = write(tmp_path / "a.json", task({"video": "a.mp4"}, *boxes))
    with pytest.raises(InputError, match=told):
        annotations.read(path, fps=25, size=(100, 100))


def test_the_rate_is_that_of_the_video_not_of_the_sheet(tmp_path):
    """At 25 a second, as the video is: what the sheet says of it is wrong."""
    video = tmp_path / "a.mp4"
    made_videos.make(video, range(50), size=(96, 160))
    box = moving("a", (1, 10, True), (40, 30, False), count=50)
    path = write(tmp_path / "a.json", task({"video": "a.mp4"}, box))
    positions = tmp_path / "positions.csv"
    positions.write_text("frame,R\n" + "".join(f"{frame},{frame % 6 + 1}\n" for frame in range(50)))
    made = tmp_path / "a.parquet"
    command = ["check", "--cage=A", "--segment=1", f"--positions={positions}", f"--video={video}",
               f"--annotations={path}", "--fps=30", f"--output-positions={tmp_path / 'p.parquet'}",
               f"--output-annotations={made}"]  # fmt: skip
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, (done.output, done.exception)
    assert tables.read(made, "annotations")["frame"].tolist() == [*range(40)]


def test_the_size_of_the_video_may_stand_beside_its_boxes(tmp_path):
    given = moving("a", (1, 10, True), original_width=400, original_height=100)
    path = write(tmp_path / "a.json", task({"video": "a.mp4"}, given))
    assert annotations.read(path).table["x"].tolist() == [40]
    path = write(tmp_path / "b.json", task({"video": "a.mp4"}, moving("a", (1, 10, True))))
    with pytest.raises(InputError, match="Name the segment's video"):
        annotations.read(path)


@pytest.mark.parametrize("degrees", [0, 90])
def test_the_size_is_that_of_the_video_as_it_is_shown(tmp_path, degrees):
    video = tmp_path / "a.mp4"
    made_videos.make(video, range(20), size=(96, 160))
    if degrees:
        made_videos.turn(video, degrees)
    path = write(tmp_path / "a.json", task({"video": "a.mp4"}, moving("a", (1, 10, True))))
    positions = tmp_path / "positions.csv"
    positions.write_text("frame,R\n" + "".join(f"{frame},{frame % 6 + 1}\n" for frame in range(20)))
    expected = [9.6, 32, 9.6, 32] if degrees else [16, 19.2, 16, 19.2]
    made = tmp_path / "a.parquet"
    for command in (
        ["import", "annotations", str(path), str(made), f"--video={video}"],
        ["check", "--cage=A", "--segment=1", f"--positions={positions}", f"--annotations={path}",
         f"--video={video}", f"--output-positions={tmp_path / 'p.parquet'}",
         f"--output-annotations={made}"],
    ):  # fmt: skip
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0, (done.output, done.exception)
        table = tables.read(made, "annotations")
        np.testing.assert_allclose(table[schemas.BOX], [expected], rtol=1e-6)
        made.unlink()


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([rectangle("a", (1, 2, "3", 4), "R")], "region 0: found the rectangle"),
        ([rectangle("a", (1, 2, 1e300, 4), "R")], "region 0: found the rectangle"),
        ([rectangle("a", (1, 2, 0, 4), "R")], "an area within the image"),
        ([rectangle("a", (1, 2, 3, 4), "R", original_width=0)], "whose size is not told"),
        ([rectangle("a", (1, 2, 3, 4), "R", image_rotation=90)], "turned by 90 degrees"),
        ([rectangle("a", (1, 2, 3, 4), "mouse")], "no identity"),
        ([{**rectangle("a", (1, 2, 3, 4), "R"), "type": "polygonlabels"}], "shape polygonlabels"),
        ([moving("a", (0, 1, True))], "found the keyframe"),
        ([moving("a", (1.5, 1, True))], "found the keyframe"),
        ([moving("a", ("1", 1, True))], "found the keyframe"),
        ([moving("a", (3, 1, True), (3, 2, True))], "two keyframes of one box"),
        ([moving("a", (1, 1, True), (10**9, 2, True))], "1,000,000,001 boxes between keyframes"),
        ([moving("a", (10**12, 1, True))], "a keyframe in frame"),
        ([{"id": "a", "type": "videorectangle", "value": {"sequence": None}}], "not told"),
        ([moving("a", (1, 1, True)), {"id": "b", "type": "brushlabels", "value": {}}], "in a vid"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path, results, told):
    size = None if "not told" in told else (100, 100)
    path = write(tmp_path / "a.json", task("frame_1.jpg", *results))
    with pytest.raises(InputError) as error:
        annotations.read(path, size=size)
    assert told in str(error.value)
    assert "a.json" in str(error.value)


def test_which_of_two_annotators_counts_has_to_be_told(tmp_path):
    one, two = (task("frame_000012.jpg", rectangle("a", (1, 2, 3, 4), name)) for name in "RG")
    one["annotations"] += two["annotations"]
    with pytest.raises(InputError, match="task 0: found 2 annotations of one task"):
        annotations.read(write(tmp_path / "a.json", one))
    one["annotations"][1]["ground_truth"] = True
    table = annotations.read(write(tmp_path / "a.json", one)).table
    assert [list(names) for names in table["identities"]] == [["G"]]


def test_the_short_form_is_told_from_the_full_one(tmp_path):
    short = {"image": "frame_1.jpg", "id": 1, "label": [], "annotation_id": 3, "annotator": 1}
    with pytest.raises(InputError, match="not as JSON-MIN"):
        annotations.read(write(tmp_path / "a.json", short))


@given(
    keys=st.lists(
        st.tuples(st.integers(0, 300), st.floats(-1e3, 1e3), st.booleans()),
        min_size=1, max_size=8, unique_by=lambda key: key[0],
    )
)  # fmt: skip
def test_keyframes_are_where_they_were_drawn_and_each_frame_comes_once(keys, tmp_path_factory):
    track = [Keyframe(frame, (x,), lasts) for frame, x, lasts in keys]
    made = list(keyframes.between([track], tmp_path_factory.getbasetemp()))
    frames = [frame for _, frame, _ in made]
    assert frames == sorted(set(frames))
    sides = {frame: x for _, frame, (x,) in made}
    for frame, x, lasts in keys:
        assert sides[frame] == pytest.approx(x, abs=1e-6)
        later = [other for other, *_ in keys if other > frame]
        if lasts and later:
            assert set(range(frame, min(later))) <= set(frames)
        elif later:
            assert not set(range(frame + 1, min(later))) & set(frames)


@given(
    content=st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["annotations", "result", "value", "type", "data", "id", "sequence", "text"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_an_error_that_names_the_file(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("tasks") / "a.json"
    path.write_text(json.dumps([{"annotations": content, "data": content}]))
    try:
        annotations.read(path, size=(100, 100))
    except InputError as error:
        told = str(error)
    else:
        told = "a.json"
    assert "a.json" in told
