"""Annotations of the VGG Image Annotator."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from murid import schemas, tables
from murid.archive import annotations
from murid.errors import InputError
from via_projects import write_project


def rect(x=10, y=20, width=30, height=40):
    return {"name": "rect", "x": x, "y": y, "width": width, "height": height}


def region(shape=None, **attributes):
    return {"shape_attributes": shape or rect(), "region_attributes": attributes}


def image(name="frame_000100.jpg", *regions, **attributes):
    return {"filename": name, "size": 5, "regions": list(regions), "file_attributes": attributes}


def write_json(path, *images, project=True):
    data = {f"{entry['filename']}{number}": entry for number, entry in enumerate(images)}
    path.write_text(json.dumps({"_via_img_metadata": data} if project else data))
    return path


def write_csv(path, *images):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            [
                "filename",
                "file_size",
                "file_attributes",
                "region_count",
                "region_id",
                "region_shape_attributes",
                "region_attributes",
            ]
        )
        for entry in images:
            regions = entry["regions"] or [{"shape_attributes": {}, "region_attributes": {}}]
            for number, part in enumerate(regions):
                cells = [part["shape_attributes"], part["region_attributes"]]
                writer.writerow(
                    [entry["filename"], 5, json.dumps(entry["file_attributes"]),
                     len(entry["regions"]), number, *map(json.dumps, cells)]
                )  # fmt: skip
    return path


IMAGES = (
    image(
        "cage_2_frame_000100.jpg",
        region(identity="R", type="single", visibility="clear", difficult={"difficult": True}),
        region(identity={"G": True, "B": True}, type="huddle", visibility="truncated"),
        region(identity="R, G"),
        region(identity="tunnel", visibility="NA", difficult="false"),
    ),
    image("whatever.jpg", region(rect(x=-5, width=20), identity="B"), frame="7"),
    image("frame_000200.mp4"),
)


@pytest.mark.parametrize("kind", ["project", "annotations", "csv", "text", "via1"])
def test_every_form_of_a_file_gives_the_same_table(tmp_path, kind):
    images = IMAGES
    if kind == "csv":
        path = write_csv(tmp_path / "annotations.csv", *images)
    elif kind == "via1":
        images = [
            entry | {"regions": {str(n): part for n, part in enumerate(entry["regions"])}}
            for entry in images
        ]
        path = write_json(tmp_path / "annotations.json", *images, project=False)
    else:
        name = "annotations.json.txt" if kind == "text" else "annotations.json"
        path = write_json(tmp_path / name, *images, project=kind == "project")
    table = annotations.read(path).table
    assert table["frame"].tolist() == [7, 100, 100, 100, 100, 200]
    assert table["object"].tolist() == [0, 0, 1, 2, 3, 0]
    assert table["type"].tolist() == ["single", "single", "huddle", "tentative", "single", "empty"]
    assert [list(names) for names in table["identities"]] == [
        ["B"], ["R"], ["G", "B"], ["R", "G"], ["tunnel"], [],
    ]  # fmt: skip
    assert table["visibility"].tolist() == [
        "marginal", "clear", "truncated", "marginal", "marginal", "marginal",
    ]  # fmt: skip
    assert table["difficult"].tolist() == [False, True, False, False, False, False]
    assert table.loc[1, schemas.BOX].tolist() == [10, 20, 30, 40]


@pytest.mark.parametrize("empty", [{}, "", None, {"clear": False}])
def test_a_visibility_that_nobody_ticked_is_none(tmp_path, empty):
    parts = [region(identity="R", visibility=empty), region(identity="G", visibility="truncated")]
    table = annotations.read(write_json(tmp_path / "a.json", image("f_1.jpg", *parts))).table
    assert table["visibility"].tolist() == ["marginal", "truncated"]
    ticked = region(identity="R", visibility={"clear": True, "truncated": False})
    table = annotations.read(write_json(tmp_path / "a.json", image("f_1.jpg", ticked))).table
    assert table["visibility"].tolist() == ["clear"]


def clear(*identities, **more):
    return [region(identity=name, visibility="clear", **more) for name in identities]


@pytest.mark.parametrize(
    ("images", "told"),
    [
        (
            [image("f_1.jpg", *clear("R", visiblity="truncated", light="on"))],
            "a.json: visiblity (visibility?) of regions not known, and passed "
            "over (what counts is identity, type, visibility and difficult)",
        ),
        (
            [image("f_1.jpg", *clear("R"), fram="3", caption="", public_domain="no")],
            "a.json: fram (frame?) of images not known, and passed over (what counts is "
            "frame, frame_number and frame_id)",
        ),
        ([image("f_1.jpg", *clear("R", occluded=False, rotation=0.0, note={}), frame="1")], ""),
        (
            [image("f_1.jpg", *clear("G", "B"), region(identity="R", visibility="truncated")),
             image("f_2.jpg", *[region(identity="R")] * 2, region(identity="tunnel"))],
            "a.json: 2 of 5 boxes of animals have no visibility and count as marginal, since "
            "others have one (clear, truncated): mark those that are plainly seen as clear",
        ),
        ([image("f_1.jpg", *clear("R", "G", "B", "R"), region(identity="G"))], ""),
        ([image("f_1.jpg", region(identity="R"), region(identity="G"))], ""),
        (
            [image("f_1.jpg", *clear("R"), frame="25"), image("x.jpg", frame="3")],
            "a.json: 1 of 2 images tell another frame than their names do (the first: f_1.jpg is "
            "frame 25), and are what they tell",
        ),
    ],
)  # fmt: skip
def test_what_is_passed_over_or_looks_odd_is_told(tmp_path, images, told):
    _, verdict = annotations.read(write_json(tmp_path / "a.json", *images))
    assert verdict == (tables.Verdict("repaired", told) if told else tables.Verdict())


def test_images_of_csv_that_are_called_as_their_video_are_told_apart_by_their_frames(tmp_path):
    images = [image("v.mp4", *clear("R", "G"), frame=str(frame)) for frame in (5, 10)]
    table = annotations.read(write_csv(tmp_path / "a.csv", *images)).table
    assert table[["frame", "object"]].to_numpy().tolist() == [[5, 0], [5, 1], [10, 0], [10, 1]]


@pytest.mark.parametrize("write", [write_json, write_csv])
def test_capitals_in_the_names_of_attributes_do_not_count(tmp_path, write):
    part = region(Identity="R,G", TYPE="huddle", Visibility="clear", **{"Difficult ": "yes"})
    path = write(tmp_path / f"a.{write.__name__[6:]}", image("a_1.jpg", part, Frame="7"))
    (row,) = annotations.read(path).table.to_dict("records")
    assert (row["frame"], row["type"], row["visibility"]) == (7, "huddle", "clear")
    assert (list(row["identities"]), row["difficult"]) == (["R", "G"], True)


def test_a_box_is_cut_at_the_upper_left_edges_of_the_image(tmp_path):
    shape = rect(x=-5, y=-1, width=20, height=4)
    table = annotations.read(
        write_json(tmp_path / "a.json", image("f_1.jpg", region(shape, identity="R")))
    ).table
    assert table.loc[0, schemas.BOX].tolist() == [0, 0, 15, 3]


@pytest.mark.parametrize(
    ("part", "named"),
    [
        (region({"name": "circle", "cx": 1, "cy": 1, "r": 3}, identity="R"), "shape circle"),
        (region({"name": "polygon"}, identity="R"), "shape polygon"),
        (region({"name": "rect", "x": 1}, identity="R"), "numbers x, y, width, height"),
        (region(rect(x="1"), identity="R"), "numbers"),
        (region(rect(width=0), identity="R"), "area"),
        (region(rect(height=-3), identity="R"), "area"),
        (region(rect(x=-50), identity="R"), "area"),
        (region(rect(x=float("nan")), identity="R"), "numbers"),
        (region(rect(x=10**400), identity="R"), "numbers"),
        (region(rect(x=True), identity="R"), "numbers"),
        (region(identity="R" * 9000), "RRR ..."),
        (region(identity="R", type=["single"]), "the type"),
        (region(), "no identity"),
        (region(identity="  , "), "no identity"),
        (region(track=3), "attributes: track"),
        (region(identity="R", type="pile"), "type 'pile'"),
        (region(identity="R", type="empty"), "type 'empty'"),
        (region(identity="R,G", type="single"), "of a single animal"),
        (region(identity="R,tunnel"), "tunnel alone"),
        (region(identity="R", visibility="so-so"), "visibility 'so-so'"),
        (region(identity="R", visibility={"clear": True, "marginal": True}), "'clear,marginal'"),
        (region(identity="R", rotation=45.0), "turned by 45.0 degrees (rotation)"),
        (region(identity="R", rotation="left"), "turned by 'left' degrees (rotation)"),
        (region(identity="R", difficult="maybe"), "difficult: 'maybe'"),
        (region(identity="R", Identity="G"), "'identity' and 'Identity'"),
        ({"shape_attributes": rect()}, "without attributes"),
        (5, "without attributes"),
    ],
)
def test_a_wrong_region_is_named_with_its_image(tmp_path, part, named):
    path = write_json(tmp_path / "a.json", image("f_1.jpg", region(identity="R"), part))
    with pytest.raises(InputError) as caught:
        annotations.read(path)
    assert named in str(caught.value)
    assert caught.value.where == "image f_1.jpg, region 1"


@pytest.mark.parametrize(
    ("images", "named"),
    [
        ((image("f_1.jpg"), image("img_01.jpg")), "frame 1 a second time (also f_1.jpg)"),
        ((image("000050_cam1.png"), image("000050_cam2.png")), "frame 50 a second time"),
        ((image("none.mp4"),), "no frame number"),
        ((image("a_1.jpg", frame="-3"),), "frame '-3'"),
        ((image("a_1.jpg", frame=2.5),), "frame 2.5"),
        ((image("a_1.jpg", frame=9_999_999_999),), "9999999999"),
        ((image("f_000010 (1).jpg"),), "'f_000010 (1).jpg', which does not plainly"),
        ((image("a_50_v2.jpg"),), "'a_50_v2.jpg', which does not plainly tell a frame"),
        ((image("a_1.jpg", frame="1", Frame="2"),), "the attributes 'frame' and 'Frame'"),
        ((image("9" * 5000),), "does not plainly tell a frame"),
        ((image("a_1.jpg", frame=10**400),), "more than 40 digits"),
        ((image("a_1.jpg", frame=[1]),), "the frame [1]"),
    ],
)
def test_a_wrong_frame_is_named(tmp_path, images, named):
    with pytest.raises(InputError) as caught:
        annotations.read(write_json(tmp_path / "a.json", *images))
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{", "malformed JSON"),
        ("[" * 100_000, "malformed JSON"),
        ("[]", "without images"),
        ('{"a": 1}', "without images"),
        ('{"_via_img_metadata": {"a": {"filename": 3, "regions": []}}}', "without images"),
        ("", "an empty file"),
    ],
)
def test_a_file_that_is_not_of_via_is_told(tmp_path, text, named):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match=named):
        annotations.read(path)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "an empty file"),
        ("a,b\n1,2\n", "column filename"),
        (
            "filename,file_attributes,region_shape_attributes,region_attributes\n"
            '"f_1.jpg","{}","{""name"":","{}"\n',
            "line 2, column region_shape_attributes",
        ),
        (
            'filename,file_attributes,region_shape_attributes,region_attributes\n"f_1.jpg","{}"\n',
            "line 2: found 2 cells; expected 4, as the header. A row must have all its cells",
        ),
        (
            "filename,file_attributes,region_shape_attributes,region_attributes\n"
            'f_1.jpg,"{},{},{}\nf_2.jpg,{},{},{}\nf_3.jpg,{},{},{}\n',
            "line 2: found a quote that is not closed before line 4; expected cells of one line",
        ),
        (
            "filename,file_attributes,region_shape_attributes,region_attributes\n"
            '"f_1.jpg","{}","{}","{""identity"": ""\\ud800""}"\n',
            "line 2, column region_attributes: found malformed JSON",
        ),
    ],
)
def test_a_csv_that_is_not_of_via_is_told(tmp_path, text, named):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=named):
        annotations.read(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(InputError, match="no file"):
        annotations.read(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("via1.csv", "no frame number"),
        ("via1.json", "no frame number"),
        ("via2_face_tracks.csv", "attributes: track"),
        ("via2_face_tracks.json", "attributes: track"),
        ("via2_project_crabs.json", "attributes: animal"),
        ("via2_tracks.csv", "attributes: track"),
    ],
)
def test_files_of_other_people_say_what_is_missing(shared, name, named):
    with pytest.raises(InputError, match=named):
        annotations.read(shared / "via" / name)


def test_files_of_other_people_load_once_their_attribute_is_called_identity(shared, tmp_path):
    text = (shared / "via" / "via2_project_crabs.json").read_text()
    path = tmp_path / "crabs.json"
    path.write_text(text.replace('"animal": "crab"', '"identity": "crab"'))
    table = annotations.read(path).table
    assert len(table) == 4440
    assert table["frame"].nunique() == 50


sides = st.floats(0.5, 5000, width=32)
boxed = st.fixed_dictionaries(
    {
        "identities": st.lists(st.sampled_from(["R", "G", "m-1.x"]), min_size=1, unique=True),
        "x": st.floats(0, 5000, width=32),
        "y": st.floats(0, 5000, width=32),
        "w": sides,
        "h": sides,
        "visibility": st.sampled_from(schemas.VISIBILITIES),
        "difficult": st.booleans(),
        "huddle": st.booleans(),
    }
)


@st.composite
def annotation_tables(draw):
    rows = []
    for frame in draw(st.lists(st.integers(0, 10**6), unique=True, max_size=4)):
        objects = draw(st.lists(boxed, max_size=3))
        for number, entry in enumerate(objects):
            kind = "huddle" if entry.pop("huddle") else "single"
            if kind == "single" and len(entry["identities"]) > 1:
                kind = "tentative"
            rows.append({"frame": frame, "object": number, "type": kind, **entry})
        if not objects:
            rows.append(
                {"frame": frame, "object": 0, "type": "empty", "identities": [],
                 **dict.fromkeys(schemas.BOX, np.nan), "visibility": "marginal",
                 "difficult": False}
            )  # fmt: skip
    columns = schemas.CONTRACTS["annotations"].schema.names
    frame = pd.DataFrame(sorted(rows, key=lambda row: row["frame"]), columns=columns)
    return tables.conform(frame, "annotations")


@given(annotation_tables())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_written_project_reads_as_the_same_table(tmp_path, table):
    path = tmp_path / "project.json"
    write_project(table, path)
    pd.testing.assert_frame_equal(annotations.read(path).table, table)
    first = path.read_bytes()
    write_project(table, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("kept", ["no", {"no": True}, " No", "false"])
@pytest.mark.parametrize("write", [write_json, write_csv])
def test_an_image_that_waits_to_be_annotated_is_no_frame_that_shows_nothing(tmp_path, write, kept):
    suffix = {write_json: ".json", write_csv: ".csv"}[write]
    path = write(
        tmp_path / f"picked{suffix}",
        image("frame_000001.png", annotated=kept),
        image("frame_000002.png", region(identity="R"), annotated=kept),
        image("frame_000003.png", annotated="yes"),
        image("frame_000004.png", annotated=kept),
        image("frame_000005.png"),
    )
    table, verdict = annotations.read(path)
    assert dict(zip(table["frame"], table["type"], strict=True)) == {
        2: "single", 3: "empty", 5: "empty",
    }  # fmt: skip
    assert verdict.status == "repaired"
    assert f"{path.name}: 2 of 5 images are not annotated yet" in verdict.reason


def test_a_project_of_which_nothing_is_annotated_yet_holds_no_frame(tmp_path):
    path = write_json(tmp_path / "picked.json", image(annotated="no"))
    table, verdict = annotations.read(path)
    assert table.empty
    assert "1 of 1 images are not annotated yet" in verdict.reason
