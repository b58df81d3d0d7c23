"""Detections and tracklets made by other tools."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from murid import schemas, tables
from murid.archive import detections
from murid.archive.stage import ImportTracklets
from murid.cli import cli
from murid.errors import InputError
from murid.tracking import adopt

TRACKER = """\
1,7,10,20,30,40,0.9,-1,-1,-1
1,8,100,20,30,40,1,-1,-1,-1
3,7,12.5,20,30,40,0.8,-1,-1,-1
"""
DETECTOR = "1,-1,10,20,30,40,0.9,-1,-1,-1\n2,-1,10,20,30,40,-1\n"
IMAGES = {
    "images": [
        {"id": 5, "file_name": "a/v2_000010.jpg"},
        {"id": 6, "file_name": "a/v2_000012.jpg"},
    ],
    "categories": [{"id": 3, "name": "mouse"}, {"id": 9, "name": "tunnel"}],
}
ENTRY = {"image_id": 6, "category_id": 3, "bbox": [1, 2, 30.5, 4], "score": 0.25}


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_mot_text_counts_frames_from_one(tmp_path):
    found = detections.read(write(tmp_path / "t.txt", TRACKER)).table
    assert found["frame"].tolist() == [0, 0, 2]
    assert found["tracklet"].tolist() == [7, 8, 7]
    assert found["x"].tolist() == [10, 100, 12.5]
    assert found["score"].tolist() == [0.9, 1, 0.8]


def test_mot_text_of_a_detector_has_no_tracklets(tmp_path):
    path = write(tmp_path / "det.txt", DETECTOR)
    found = detections.read(path).table
    assert "tracklet" not in found
    assert found["score"].to_numpy() == pytest.approx([0.9, np.nan], nan_ok=True)
    with pytest.raises(InputError, match="boxes without tracklets"):
        ImportTracklets(file=path, output_tracklets=tmp_path / "t.parquet").run()


def test_a_box_without_id_belongs_to_no_tracklet(tmp_path):
    path = write(tmp_path / "t.txt", TRACKER + "3,-1,50,20,30,40,0.95\n")
    ImportTracklets(
        file=path, output_tracklets=tmp_path / "t.parquet", output_detections=tmp_path / "d.parquet"
    ).run()
    found = tables.read(tmp_path / "d.parquet", "detections")
    linked = tables.read(tmp_path / "t.parquet", "tracklets")
    assert len(found) == 4
    assert linked[["frame", "detection", "tracklet"]].to_numpy().tolist() == [
        [0, 0, 8], [0, 1, 7], [2, 1, 7],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("0,7,1,2,3,4,1", ["line 4, column frame", "found '0'", "from 1"]),
        ("x,7,1,2,3,4,1", ["line 4, column frame", "found 'x'", "a number"]),
        ("4,-2,1,2,3,4,1", ["line 4, column tracklet", "found '-2'", "-1 for none"]),
        ("4,7.5,1,2,3,4,1", ["line 4, column tracklet", "found '7.5'", "whole number"]),
        ("4,7,1,2,wide,4,1", ["line 4, column w", "found 'wide'", "a number"]),
        ("4,7,1,2,3,4,34.2", ["line 4, column score", "found the score 34.2", "0 to 1"]),
        ("4,7,1,2,3", ["line 4", "found 5 values", "frame, id, x, y, w, h, score"]),
        ("3,7,1,2,3,4,1", ["line 4, column tracklet", "tracklet 7 in frame 2", "one box"]),
    ],
)
def test_bad_lines_of_mot_text_are_named(tmp_path, line, told):
    path = write(tmp_path / "t.txt", TRACKER + line + "\n")
    with pytest.raises(InputError) as error:
        detections.read(path)
    for part in [str(path), *told]:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("ends", "classes"),
    [
        (["1,1", "2,0.5"], "2 classes (1, 2)"),
        (["1", "3"], "2 classes (1, 3)"),
        (["0,-1,-1", "2,-1,-1"], "2 classes (0, 2)"),
        (["mouse", "tunnel"], "2 classes (mouse, tunnel)"),
        (["1", "1.0"], None),
        (["", "-1"], None),
        (["2,1", "2,0.5"], None),
        (["-1,-1,-1", "-1,-1,-1"], None),
        (["4.5,5,0", "4,5,0"], None),
    ],
)
def test_boxes_of_several_classes_are_refused_in_mot_text(tmp_path, ends, classes):
    lines = [f"{frame + 1},7,10,20,30,40,0.9,{end}" for frame, end in enumerate(ends)]
    path = write(tmp_path / "t.txt", "\n".join(lines))
    if classes is None:
        assert len(detections.read(path).table) == 2
        return
    with pytest.raises(InputError) as error:
        detections.read(path)
    for part in [str(path), classes, "the eighth value", "Keep the lines of mice"]:
        assert part in str(error.value)


@pytest.mark.parametrize("name", ["t.txt", "t.json"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", None])
def test_damaged_files_are_named(tmp_path, name, content):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=name):
        detections.read(path)


def test_tracklets_of_the_mot_challenge_are_read_whole(shared):
    for path in sorted((shared / "mot").glob("*/sort_reference.txt")):
        given = np.loadtxt(path, delimiter=",")
        found = detections.read(path).table
        assert np.array_equal(found["frame"], given[:, 0] - 1)
        assert np.array_equal(found["tracklet"], given[:, 1])
        assert np.array_equal(found[schemas.BOX], given[:, 2:6])
        assert len(detections.as_tracklets(found)) == len(given)


def test_coco_images_tell_frames_and_categories(tmp_path):
    images = write(tmp_path / "images.json", IMAGES)
    tunnel = {"image_id": 5, "category_id": 9, "bbox": [0, 0, 5, 5], "score": 1}
    found = detections.read(write(tmp_path / "results.json", [ENTRY, tunnel]), images).table
    assert found["frame"].tolist() == [12, 10]
    assert found["label"].tolist() == ["mouse", "tunnel"]
    assert found.loc[0, schemas.BOX].tolist() == [1, 2, 30.5, 4]


def test_coco_results_may_tell_their_images_themselves(tmp_path):
    whole = IMAGES | {"annotations": [ENTRY | {"track_id": 4}, ENTRY | {"image_id": 5}]}
    found = detections.read(write(tmp_path / "whole.json", whole)).table
    assert found["frame"].tolist() == [12, 10]
    assert found["tracklet"].tolist() == [4, pd.NA]


def test_without_images_the_image_is_the_frame(tmp_path):
    found = detections.read(write(tmp_path / "r.json", [ENTRY | {"category_id": 1}])).table
    assert found[["frame", "label"]].to_numpy().tolist() == [[6, "mouse"]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"image_id": 7}, ["entry 1, image_id", "found 7", "the id of one of the images"]),
        ({"category_id": 1}, ["entry 1, category_id", "found 1", "3 (mouse), 9 (tunnel)"]),
        ({"bbox": [1, 2, 3]}, ["entry 1, bbox", "[1, 2, 3]", "four numbers"]),
        ({"bbox": None}, ["entry 1, bbox", "found None", "four numbers"]),
        ({"score": "high"}, ["entry 1, score", "'high'", "0 to 1"]),
        ({"score": 1.5}, ["entry 1, column score", "1.5", "0 to 1"]),
        ({"track_id": "a"}, ["entry 1, track_id", "'a'", "a whole number"]),
        ({"image_id": [6]}, ["entry 1, image_id", "[6]"]),
        ({"image_id": 10**400}, ["entry 1, image_id", "more than 40 digits"]),
        ({"category_id": [3]}, ["entry 1, category_id", "[3]"]),
        ({"category_id": "\ud800"}, ["malformed JSON"]),
        ({"bbox": [10**400, 2, 3, 4]}, ["entry 1, bbox", "four numbers"]),
        ({"bbox": [float("nan"), 2, 3, 4]}, ["entry 1, bbox", "nan", "four numbers"]),
        ({"bbox": [True, 2, 3, 4]}, ["entry 1, bbox", "True", "four numbers"]),
        ({"score": 10**400}, ["entry 1, score", "more than 40 digits"]),
        ({"track_id": float("inf")}, ["entry 1, track_id", "inf"]),
    ],
)
def test_bad_entries_of_coco_results_are_named(tmp_path, change, told):
    images = write(tmp_path / "images.json", IMAGES)
    path = write(tmp_path / "results.json", [ENTRY, ENTRY | change])
    with pytest.raises(InputError) as error:
        detections.read(path, images)
    for part in [str(path), *told]:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("images", "told"),
    [
        ([{"id": 1, "file_name": "a.jpg"}], "holds no frame number"),
        ([{"id": 1, "frame": -3}], "found the frame -3"),
        ([{"file_name": "1.jpg"}], "an image without an id"),
        ([{"id": 1, "frame": 3}, {"id": 2, "file_name": "3.jpg"}], "frame 3 a second time"),
        ("none", "an image without an id"),
        ([{"id": 1, "frame": float("nan")}], "the frame nan"),
        ([{"id": 1, "frame": float("inf")}], "the frame inf"),
        ([{"id": 1, "frame": 10**400}], "more than 40 digits"),
        ([{"id": 1, "frame": True}], "the frame True"),
        ([{"id": 1, "file_name": "9" * 5000}], "does not plainly tell a frame"),
        ([{"id": 1, "file_name": "f_10 (1).jpg"}], "does not plainly tell a frame"),
        ([{"id": [1], "frame": 1}], "an image without an id"),
        ([{"id": 1, "frame": 3}, {"id": 1, "frame": 4}], "the id 1 a second time"),
    ],
)
def test_bad_coco_images_are_named(tmp_path, images, told):
    path = write(tmp_path / "images.json", {"images": images})
    with pytest.raises(InputError, match=told) as error:
        detections.read(write(tmp_path / "results.json", [ENTRY]), path)
    assert str(path) in str(error.value)


def test_bad_coco_categories_are_named(tmp_path):
    for categories, told in (
        ([{"id": [3], "name": "mouse"}], "a category without id and name"),
        ([{"id": 3, "name": 5}], "a category without id and name"),
        ([{"id": 3, "name": "mouse"}] * 2, "the id 3 a second time"),
    ):
        path = write(tmp_path / "images.json", IMAGES | {"categories": categories})
        with pytest.raises(InputError, match=told):
            detections.read(write(tmp_path / "results.json", [ENTRY]), path)


def test_json_nested_deeply_is_damage(tmp_path):
    for text in ("[" * 100_000, "[" * 100_000 + "]" * 100_000):
        with pytest.raises(InputError, match="malformed JSON"):
            detections.read(write(tmp_path / "results.json", text))


CSV = "frame,x,y,w,h,score,tracklet\n0,1,2,30,40,{},1\n1,1,2,30,40,{},1\n2,1,2,30,40,{},1\n"
FORMS = {
    "t.csv": CSV,
    "t.txt": "1,1,1,2,30,40,{}\n2,1,1,2,30,40,{}\n3,1,1,2,30,40,{}\n",
    "t.json": json.dumps([ENTRY | {"image_id": n, "category_id": 1, "track_id": 1, "score": "{}"}
                          for n in range(3)]).replace('"{}"', "{}"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("known", [0, 1])
def test_an_empty_score_was_not_estimated_and_counts_as_one(tmp_path, name, known):
    nothing = {"t.csv": "", "t.txt": "-1", "t.json": "null"}[name]
    text = FORMS[name]
    for score in ["0.9"] * known + [nothing] * (3 - known):
        text = text.replace("{}", score, 1)
    kept, verdict = adopted(tmp_path, "--tracklets", write(tmp_path / name, text))
    assert kept["tracklet"].tolist() == [1, 1, 1]
    assert tables.read(tmp_path / "d.parquet", "detections")["score"].iloc[-1] == 1
    told = "2 of 3 scores are empty (the first at frame 1), and count as 1"
    assert verdict == (tables.Verdict("repaired", told) if known else tables.Verdict())


def test_images_go_with_coco_results_only(tmp_path):
    with pytest.raises(InputError, match="COCO results"):
        detections.read(write(tmp_path / "t.txt", TRACKER), tmp_path / "images.json")


def boxes(*rows):
    return pd.DataFrame(rows, columns=["frame", "key", *schemas.BOX])


def test_tracklets_are_adopted_by_their_boxes_whatever_the_rank():
    tracklets = boxes((0, 3, 0, 0, 10, 10), (0, 4, 50, 0, 10, 10), (1, 3, 0.2, 0, 10, 10))
    found = boxes((0, 1, 0, 0, 10, 10), (0, 0, 50, 0, 10, 10), (1, 0, 0, 0, 10, 10))
    found = found.rename(columns={"key": "detection"}).assign(label="mouse", score=1.0)
    kept = adopt.adopt(tracklets.rename(columns={"key": "tracklet"}), found)
    assert kept[["frame", "detection", "tracklet"]].to_numpy().tolist() == [
        [0, 0, 4], [0, 1, 3], [1, 0, 3],
    ]  # fmt: skip
    assert kept.loc[2, "x"] == 0  # the detection's box, not the one that another tool rounded


def test_boxes_that_are_no_kept_detection_are_left_out():
    tracklets = boxes((0, 3, 0, 0, 10, 10), (0, 4, 3, 0, 10, 10), (0, 5, 90, 0, 10, 10))
    found = boxes((0, 0, 0, 0, 10, 10), (0, 1, 90, 0, 10, 10))
    found = found.rename(columns={"key": "detection"}).assign(label=["mouse", "tunnel"], score=1.0)
    kept = adopt.adopt(tracklets.rename(columns={"key": "tracklet"}), found)
    assert kept["tracklet"].tolist() == [3]


def test_two_tracklets_do_not_share_a_detection():
    tracklets = boxes((0, 3, 0, 0, 100, 100), (0, 4, 1, 0, 100, 100))
    found = boxes((0, 0, 1, 0, 100, 100))
    found = found.rename(columns={"key": "detection"}).assign(label="mouse", score=1.0)
    kept = adopt.adopt(tracklets.rename(columns={"key": "tracklet"}), found)
    assert kept["tracklet"].tolist() == [4]


def run(*arguments):
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert done.exit_code == 0, (done.output, done.exception)


def adopted(tmp_path, *sources):
    """Run what the pipeline runs for a segment with tracklets of another tool."""
    write(tmp_path / "positions.csv", "frame,R,G\n0,1,2\n1,1,2\n2,1,2\n")
    run(
        "check", "--cage", "A", "--segment", "1", "--positions", tmp_path / "positions.csv",
        *sources, "--output-positions", tmp_path / "p.parquet",
        "--output-annotations", tmp_path / "a.parquet",
        "--output-detections", tmp_path / "d0.parquet",
        "--output-tracklets", tmp_path / "t0.parquet",
    )  # fmt: skip
    run("calibrate", "--rig", "rig", "--output", tmp_path / "x.parquet")
    run(
        "adopt-detections", "--detections", tmp_path / "d0.parquet",
        "--positions", tmp_path / "p.parquet", "--transforms", tmp_path / "x.parquet",
        "--rig", "rig", "--output", tmp_path / "d.parquet", "--score", "0.85",
    )  # fmt: skip
    run(
        "adopt-tracklets", "--tracklets", tmp_path / "t0.parquet",
        "--detections", tmp_path / "d.parquet", "--output", tmp_path / "t.parquet",
    )  # fmt: skip
    verdict = tables.read_verdict(tmp_path / "t.parquet")
    return tables.read(tmp_path / "t.parquet", "tracklets"), verdict


def test_a_trackers_boxes_are_detections_as_well(tmp_path):
    path = write(tmp_path / "tracks.txt", TRACKER)
    kept, verdict = adopted(tmp_path, "--tracklets", path)
    assert verdict.status == "repaired"
    assert verdict.reason == (
        "1 of 3 boxes of tracklets (33%) are no detection that is kept, and left out"
    )
    assert kept["tracklet"].tolist() == [8, 7]  # that of score 0.8 is filtered out
    assert len(tables.read(tmp_path / "d.parquet", "detections")) == 2


def test_tracklets_beside_detections_are_found_among_them(tmp_path):
    tracks = write(tmp_path / "tracks.txt", TRACKER)
    more = "frame,x,y,w,h,score\n0,10,20,30,40,0.9\n0,100,20,30,40,0.95\n1,1,1,9,9,0.9\n"
    found = write(tmp_path / "found.csv", more)
    kept, verdict = adopted(tmp_path, "--tracklets", tracks, "--detections", found)
    assert "1 of 3 boxes (33%) are in no tracklet: only the static methods" in verdict.reason
    assert kept["tracklet"].tolist() == [8, 7]
    assert len(tables.read(tmp_path / "d.parquet", "detections")) == 3


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("det.txt", DETECTOR),
        ("t.csv", "frame,x,y,w,h,tracklet\n0,10,20,30,40,-1\n1,10,20,30,40,\n"),
        ("t.json", [ENTRY | {"category_id": 1, "track_id": -1}]),
    ],
)
def test_tracklets_without_any_number_discard_the_segment(tmp_path, name, content):
    kept, verdict = adopted(tmp_path, "--tracklets", write(tmp_path / name, content))
    assert kept.empty
    assert verdict.discarded
    assert "boxes without tracklets" in verdict.reason
    assert "go into the column detections" in verdict.reason


def test_an_empty_table_of_tracklets_beside_detections_discards_the_segment(tmp_path):
    tracks = write(tmp_path / "tracks.csv", "frame,x,y,w,h,tracklet\n")
    found = write(tmp_path / "found.csv", "frame,x,y,w,h,score\n0,300,20,30,40,0.9\n")
    _, verdict = adopted(tmp_path, "--tracklets", tracks, "--detections", found)
    assert verdict.discarded
    assert "no box of the tracklets (0) is one of the 1 detections kept" in verdict.reason


def test_what_goes_together_goes_without_a_word():
    rows = boxes(*[(frame, 1, 0, 0, 10, 10) for frame in range(10)])
    given = rows.rename(columns={"key": "tracklet"})
    found = rows.rename(columns={"key": "detection"}).assign(label="mouse")
    assert adopt.judge(given, found, given) == tables.Verdict()
    assert adopt.judge(given, found, given.iloc[1:]) == tables.Verdict()
    assert "4 of 10 boxes (40%) are in no" in adopt.judge(given[:6], found, given[:6]).reason


def test_tracklets_of_another_video_discard_the_segment(tmp_path):
    tracks = write(tmp_path / "tracks.txt", TRACKER)
    found = write(tmp_path / "found.csv", "frame,x,y,w,h,score\n0,300,20,30,40,0.9\n")
    kept, verdict = adopted(tmp_path, "--tracklets", tracks, "--detections", found)
    assert kept.empty
    assert verdict.discarded
    assert "no box of the tracklets" in verdict.reason


def test_a_bad_line_discards_the_segment_and_is_told(tmp_path):
    tracks = write(tmp_path / "tracks.txt", TRACKER + "2,9,5,5,oops,5,1\n")
    kept, verdict = adopted(tmp_path, "--tracklets", tracks)
    assert kept.empty
    assert verdict.discarded
    assert "tracks.txt, line 4, column w: found 'oops'" in verdict.reason
