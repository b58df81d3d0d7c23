"""Boxes of Live Mouse Tracker, Ultralytics and movement, in the form in which each writes them."""

import csv
import json
import sqlite3
import zipfile
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import schemas
from murid.archive import detections
from murid.archive.detected import live_mouse_tracker, ultralytics_text
from murid.errors import InputError

BOX = schemas.BOX

# --- Live Mouse Tracker

SCHEMA = """
CREATE TABLE ANIMAL (ID INTEGER PRIMARY KEY AUTOINCREMENT, RFID TEXT, GENOTYPE TEXT, NAME TEXT);
CREATE TABLE FRAME (FRAMENUMBER INTEGER PRIMARY KEY, TIMESTAMP INTEGER, NUMPARTICLE INTEGER,
    PAUSED INTEGER);
CREATE TABLE DETECTION (ID INTEGER PRIMARY KEY AUTOINCREMENT, FRAMENUMBER INTEGER,
    ANIMALID INTEGER, MASS_X REAL, MASS_Y REAL, MASS_Z REAL, FRONT_X REAL, FRONT_Y REAL,
    FRONT_Z REAL, BACK_X REAL, BACK_Y REAL, BACK_Z REAL, REARING INTEGER, LOOK_UP INTEGER,
    LOOK_DOWN INTEGER, DATA TEXT);
"""


def mask(x, y, w, h):
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<root><DATA back_x="1"/><ROI>'
        "<classname>plugins.fab.livemousetracker.ROI2DAreaX</classname><name>seg ok</name>"
        f"<boundsX>{x}</boundsX><boundsY>{y}</boundsY><boundsW>{w}</boundsW>"
        f"<boundsH>{h}</boundsH><boolMaskData>78:5e:63:64:4:0:0:5:0:3</boolMaskData></ROI></root>"
    )


def row(frame, data=None, mass=(100, 100), front=(120, 110), back=(80, 90), animal=1):
    points = [value for point in (mass, front, back) for value in (*point, 50)]
    return [frame, animal, *points, 0, 0, 0, data]


def write_base(path, *rows, frames=range(1, 101), schema=SCHEMA):
    with closing(sqlite3.connect(path)) as base:
        base.executescript(schema)
        base.executemany("INSERT INTO FRAME VALUES (?, ?, 2, 0)", [(n, 40 * n) for n in frames])
        marks = ", ".join(["?"] * 15)
        names = [line.split()[0] for line in schema.split("DETECTION (")[1].split(",")][1:]
        columns = ", ".join(names)
        base.executemany(f"INSERT INTO DETECTION ({columns}) VALUES ({marks})", rows)
        base.commit()
    return path


def test_boxes_of_live_mouse_tracker_are_those_of_its_masks(tmp_path):
    path = write_base(
        tmp_path / "a.sqlite",
        row(1, mask(113, 324, 31, 37)),
        row(1, mask(400, 20, 30, 20), animal=None),
        row(3, mask(-2, 5, 30, 20)),
    )
    table, verdict = detections.read(path)
    assert verdict.status == "usable"
    assert table["frame"].tolist() == [0, 0, 2]
    expected = [[113, 324, 31, 37], [400, 20, 30, 20], [-2, 5, 30, 20]]
    assert table[BOX].to_numpy().tolist() == expected
    assert table["score"].isna().all()
    assert "tracklet" not in table


def test_without_a_mask_the_box_is_around_head_centre_and_tail(tmp_path):
    path = write_base(
        tmp_path / "a.db",
        row(1, "<root><DATA/></root>"),
        row(2, mask(1, 2, 30, 40)),
        row(3),
        row(4, front=(-1, -1), back=(-1, -1)),
    )
    table, verdict = detections.read(path)
    assert table["frame"].tolist() == [0, 1, 2]
    np.testing.assert_allclose(table[BOX].iloc[[0, 2]], [[74, 84, 52, 32]] * 2)
    assert table[BOX].iloc[1].tolist() == [1, 2, 30, 40]
    assert "1 of 3 animals have no box" in verdict.reason


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([row(1), row("x")], "ID 2, column FRAMENUMBER: found 'x'"),
        ([row(1), row(None)], "ID 2, column FRAMENUMBER: found nothing"),
        ([row(0)], "ID 1, column FRAMENUMBER: found"),
        ([row(2**40)], "ID 1, column FRAMENUMBER: found"),
        ([row(1, mass=("here", 1))], "ID 1, column MASS_X: found 'here'"),
        ([row(1, mass=(b"\x00\xff", 1))], "column MASS_X: found cells"),
    ],
)
def test_what_is_wrong_in_a_base_is_told_by_its_id(tmp_path, rows, told):
    path = write_base(tmp_path / "a.sqlite", *rows)
    with pytest.raises(InputError) as error:
        detections.read(path)
    assert told in str(error.value)
    assert "a.sqlite" in str(error.value)


def endless(path):
    """Make DETECTION a view that never ends."""
    with closing(sqlite3.connect(path)) as base:
        base.execute(
            "CREATE VIEW DETECTION AS WITH RECURSIVE r(ID) AS (SELECT 1 UNION ALL SELECT ID FROM r)"
            " SELECT ID FROM r"
        )


def no_table(path):
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE OTHER (ID)")


def cut(path):
    write_base(path, *[row(1, mask(1, 2, 3, 4)) for _ in range(300)])
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def no_base(path):
    path.write_text("CREATE TABLE DETECTION")


def long_cell(path):
    write_base(path, row(1, "x" * 2**21))


@pytest.mark.parametrize("make", [endless, no_table, cut, no_base, long_cell])
def test_a_base_of_another_kind_or_damaged_is_told(tmp_path, make):
    make(tmp_path / "a.sqlite")
    with pytest.raises(InputError, match=r"a\.sqlite"):
        detections.read(tmp_path / "a.sqlite")


def test_a_base_of_too_many_detections_is_told_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(live_mouse_tracker, "MOST", 2)
    path = write_base(tmp_path / "a.sqlite", row(1), row(2), row(3))
    with pytest.raises(InputError, match="3 detections"):
        detections.read(path)


def test_nothing_is_written_beside_a_base(tmp_path):
    path = write_base(tmp_path / "a.sqlite", row(1))
    before = path.read_bytes()
    detections.read(path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.sqlite"]
    assert path.read_bytes() == before


# --- Ultralytics


def summary(x1, y1, x2, y2, confidence=0.9, name="mouse", number=0, **more):
    box = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return {"name": name, "class": number, "confidence": confidence, "box": box, **more}


def write_json(path, data):
    path.write_text(json.dumps(data))
    return path


def test_summaries_of_ultralytics_are_frames_in_their_order(tmp_path):
    path = write_json(
        tmp_path / "a.json",
        [
            [summary(10, 20, 40, 60, track_id=3), summary(1, 2, 3, 5, 0.5)],
            [],
            [summary(10, 20, 41, 60, track_id=3), summary(5, 5, 9, 9, name="tunnel", number=1)],
        ],
    )
    table, verdict = detections.read(path)
    assert verdict.status == "usable"
    assert table["frame"].tolist() == [0, 0, 2, 2]
    assert table[BOX].iloc[0].tolist() == [10, 20, 30, 40]
    assert table["tracklet"].fillna(-1).tolist() == [3, -1, 3, -1]
    assert table["label"].tolist() == ["mouse", "mouse", "mouse", "tunnel"]


def test_classes_of_ultralytics_that_are_no_labels_are_one_or_refused(tmp_path):
    path = write_json(tmp_path / "a.json", [[summary(1, 2, 3, 4, name="item")]])
    assert detections.read(path).table["label"].tolist() == ["mouse"]
    boxes = [summary(1, 2, 3, 4, name="rat"), summary(1, 2, 3, 4, name="cup")]
    with pytest.raises(InputError, match="no column label, but class with rat, cup"):
        detections.read(write_json(tmp_path / "a.json", [boxes]))


@pytest.mark.parametrize(
    ("box", "told"),
    [
        (summary(1, 2, 3, "4"), "frame 1, box 0: found the box"),
        (summary(1, 2, 3, float("nan")), "frame 1, box 0: found the box"),
        (summary(1, 2, 3, 10**400), "frame 1, box 0: found the box"),
        (summary(1, 2, 3, 4, None), "frame 1, box 0: found the confidence None"),
        (summary(1, 2, 3, 4, 7), "column score: found the score 7"),
        (summary(1, 2, 3, 4, track_id=1.5), "frame 1, box 0: found the track_id 1.5"),
        (summary(1, 2, 3, 4, track_id=10**30), "frame 1, box 0: found the track_id"),
        ({"name": "mouse", "class": 0, "confidence": 0.9}, "frame 1, box 0: found the box None"),
        (7, "frame 1, box 0: found the box None"),
    ],
)
def test_what_is_wrong_in_summaries_is_told_by_frame_and_box(tmp_path, box, told):
    path = write_json(tmp_path / "a.json", [[summary(1, 2, 3, 4)], [box]])
    with pytest.raises(InputError) as error:
        detections.read(path)
    assert told in str(error.value)
    assert "a.json" in str(error.value)


def write_labels(path, **texts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("labels")
        for name, text in texts.items():
            archive.writestr(f"labels/{name}.txt", text)
    return path


@pytest.mark.parametrize(
    ("line", "score", "tracklet"),
    [
        ("0 0.5 0.25 0.1 0.2", np.nan, None),
        ("0 0.5 0.25 0.1 0.2 0.875", 0.875, None),
        ("0 0.5 0.25 0.1 0.2 4", np.nan, 4),
        ("0 0.5 0.25 0.1 0.2 0.875 4", 0.875, 4),
    ],
)
def test_labels_of_ultralytics_are_shares_of_the_picture(tmp_path, line, score, tracklet):
    path = write_labels(tmp_path / "labels.zip", a_1=f"{line}\n", a_12=f"{line}\n")
    table = detections.read(path, size=(200, 100)).table
    assert table["frame"].tolist() == [0, 11]
    np.testing.assert_allclose(table[BOX], [[90, 15, 20, 20]] * 2)
    np.testing.assert_equal(table["score"].tolist(), [score] * 2)
    assert ("tracklet" in table) == (tracklet is not None)
    if tracklet is not None:
        assert table["tracklet"].tolist() == [tracklet] * 2


def test_a_box_without_a_number_beside_numbered_ones_has_a_score(tmp_path):
    path = write_labels(tmp_path / "a.zip", a_1="0 .5 .5 .1 .1 1\n0 .2 .2 .1 .1 0.5 2\n")
    table = detections.read(path, size=(100, 100)).table
    assert table["score"].tolist() == [1, 0.5]
    assert table["tracklet"].fillna(-1).tolist() == [-1, 2]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ({"a_1": "0 0.5 0.5 0.1\n"}, "labels/a_1.txt, line 1: found"),
        ({"a_1": "0 0.5 0.5 0.1 x\n"}, "labels/a_1.txt, line 1: found"),
        ({"a_1": "0 0.5 0.5 0.1 nan\n"}, "labels/a_1.txt, line 1: found"),
        ({"a_1": "0 1 1 1 1 1 1 1 1\n"}, "labels/a_1.txt, line 1: found"),
        ({"a_0": ""}, "the file 'labels/a_0.txt'"),
        ({"img1": ""}, "the file 'labels/img1.txt'"),
        ({"a_1": "", "b_1": ""}, "labels of 2 videos"),
        ({}, "0 files"),
    ],
)
def test_what_is_wrong_in_labels_is_told_by_file_and_line(tmp_path, texts, told):
    with pytest.raises(InputError) as error:
        detections.read(write_labels(tmp_path / "a.zip", **texts), size=(100, 100))
    assert told in str(error.value)
    assert "a.zip" in str(error.value)


def test_labels_need_the_size_of_the_picture(tmp_path):
    path = write_labels(tmp_path / "a.zip", a_1="0 0.5 0.5 0.1 0.1\n")
    with pytest.raises(InputError, match="whose size is not told"):
        detections.read(path)


def test_a_zip_archive_that_unfolds_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(ultralytics_text, "MOST_BYTES", 1000)
    path = write_labels(tmp_path / "a.zip", a_1="0 0.5 0.5 0.1 0.1\n" * 1000)
    with pytest.raises(InputError, match="files of more than 1,000 bytes"):
        detections.read(path, size=(100, 100))


def test_a_damaged_zip_archive_is_told(tmp_path):
    path = write_labels(tmp_path / "a.zip", a_1="0 0.5 0.5 0.1 0.1\n" * 100)
    whole = path.read_bytes()
    for place in range(30, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        told = "a.zip"
        try:
            detections.read(path, size=(100, 100))
        except InputError as error:
            told = str(error)
        assert "a.zip" in told
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="no readable zip archive"):
        detections.read(path, size=(100, 100))


# --- movement


def write_tracks(path, rows, named="frame_{:06d}.png"):
    """Write boxes as movement's ``save_bboxes.to_via_tracks_file`` does: a row a box."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["filename", "file_size", "file_attributes", "region_count", "region_id",
             "region_shape_attributes", "region_attributes"]
        )  # fmt: skip
        for frame, x, y, w, h, about in rows:
            shape = {"name": "rect", "x": x, "y": y, "width": w, "height": h}
            writer.writerow(
                [named.format(frame), 0, "{}", 0, 0, json.dumps(shape), json.dumps(about)]
            )
    return path


@given(
    boxes=st.lists(
        st.tuples(
            st.integers(0, 300), st.integers(0, 20),
            *[st.floats(0.25, 4000, width=32)] * 4, st.floats(0, 1),
        ),
        min_size=1, max_size=20, unique_by=lambda box: box[:2],
    ),
    as_text=st.booleans(),
)  # fmt: skip
def test_tracks_of_movement_come_as_they_were_written(tmp_path_factory, boxes, as_text):
    rows = [
        (frame, *sides, {"track": f"{track}.0" if as_text else track, "confidence": score})
        for frame, track, *sides, score in boxes
    ]
    path = write_tracks(tmp_path_factory.mktemp("via") / "a.csv", rows)
    table = detections.read(path).table.sort_values(["frame", "tracklet"])
    names = ["frame", "tracklet", *BOX, "score"]
    np.testing.assert_array_equal(table[names].to_numpy(dtype=float), sorted(boxes))


def test_real_tracks_are_read_alike_from_csv_and_json(shared):
    found = [
        detections.read(shared / "via" / f"via2_face_tracks.{kind}").table
        for kind in ("csv", "json")
    ]
    pd.testing.assert_frame_equal(*found)
    assert len(found[0]) == 427
    assert found[0]["frame"].iloc[0] == 11384
    assert found[0]["tracklet"].iloc[0] == 320
    few = detections.read(shared / "via" / "via2_tracks.csv").table
    assert few[["frame", "tracklet"]].to_numpy().tolist() == [[11, 2], [11, 1], [21, 2]]


@pytest.mark.parametrize(
    ("sides", "about", "told"),
    [
        ((1, 2, 3, 4), {}, "region 0: found the track None"),
        ((1, 2, 3, 4), {"track": "a"}, "region 0: found the track 'a'"),
        ((1, 2, 3, 4), {"track": 1.5}, "region 0: found the track 1.5"),
        ((1, 2, 3, 4), {"track": 10**400}, "region 0: found the track"),
        ((1, 2, 3, 4), {"track": 1, "confidence": 2}, "region 0: found the confidence 2"),
        ((1, 2, 3, 4), {"track": 1, "confidence": "high"}, "region 0: found the confidence"),
        ((1, 2, "3", 4), {"track": 1}, "region 0: found the rectangle"),
        ((1, 2, 1e300, 4), {"track": 1}, "region 0: found the rectangle"),
    ],
)
def test_what_is_wrong_in_tracks_is_told_by_image_and_region(tmp_path, sides, about, told):
    path = write_tracks(tmp_path / "a.csv", [(7, *sides, about)])
    with pytest.raises(InputError) as error:
        detections.read(path)
    assert f"a.csv, image frame_000007.png, {told}" in str(error.value)


def test_the_frame_of_a_track_must_be_plain(tmp_path):
    path = write_tracks(tmp_path / "a.csv", [(7, 1, 2, 3, 4, {"track": 1})], named="cam_{}.png")
    with pytest.raises(InputError, match="does not plainly tell a frame"):
        detections.read(path)


def test_other_tables_are_still_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("frame,x,y,w,h,score\n0,10,20,30,40,0.9\n")
    assert detections.read(path).table["x"].tolist() == [10]
