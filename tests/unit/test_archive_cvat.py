"""Annotations of CVAT, in the form of its XML 1.1 for videos and for images."""

import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import files
from murid.archive import annotations
from murid.errors import InputError

META = """<version>1.1</version><meta><task><id>3</id><name>A 1</name><size>9000</size>
<mode>interpolation</mode><start_frame>0</start_frame><stop_frame>8999</stop_frame>
<original_size><width>1280</width><height>720</height></original_size></task></meta>"""


def box(frame, corners=(10, 20, 40.5, 60), outside=0, occluded=0, keyframe=1, more="", **about):
    sides = " ".join(
        f'{name}="{value}"'
        for name, value in zip(("xtl", "ytl", "xbr", "ybr"), corners, strict=True)
    )
    inner = "".join(f'<attribute name="{name}">{text}</attribute>' for name, text in about.items())
    return (
        f'<box frame="{frame}" keyframe="{keyframe}" outside="{outside}" occluded="{occluded}" '
        f'{sides} z_order="0"{more}>{inner}</box>'
    )


def track(number, label, *boxes, more=""):
    return f'<track id="{number}" label="{label}" source="manual"{more}>{"".join(boxes)}</track>'


def write(path, *parts, meta=META):
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    path.write_text(f"{head}<annotations>{meta}{''.join(parts)}</annotations>")
    return path


def read(path):
    return annotations.read(path).table


def test_tracks_name_animals_by_label_or_attribute(tmp_path):
    path = write(
        tmp_path / "annotations.xml",
        track(0, "R", box(7), box(8, keyframe=0, occluded=1), box(9, outside=1)),
        track(1, "mouse", box(7, (100, 50, 160, 90), identity="G", visibility="marginal")),
        track(2, "tunnel", box(7, (500, 0, 700, 100), difficult="true")),
        track(3, "mouse", box(8, identity="G,B", type="huddle", visibility="__undefined__")),
    )
    judged = annotations.read(path)
    table = judged.table
    assert judged.verdict.status == "usable"
    assert table["frame"].tolist() == [7, 7, 7, 8, 8]
    names = [list(names) for names in table["identities"]]
    assert names == [["R"], ["G"], ["tunnel"], ["R"], ["G", "B"]]
    assert table["type"].tolist() == ["single", "single", "single", "single", "huddle"]
    seen = ["clear", "marginal", "clear", "truncated", "clear"]
    assert table["visibility"].tolist() == seen
    assert table["difficult"].tolist() == [False, False, True, False, False]
    assert table.loc[0, ["x", "y", "w", "h"]].tolist() == [10, 20, 30.5, 40]
    assert table.attrs["sizes"] == [(1280, 720)]


def test_images_without_boxes_show_nothing(tmp_path):
    shape = box(0, identity="R").replace('frame="0" ', 'label="mouse" ')
    path = write(
        tmp_path / "a.xml",
        f'<image id="0" name="frame_000012.png" width="640" height="360">{shape}</image>',
        '<image id="1" name="frame_000013.png" width="640" height="360"></image>',
    )
    table = read(path)
    assert table["frame"].tolist() == [12, 13]
    assert table["type"].tolist() == ["single", "empty"]
    assert table.attrs["sizes"] == [(640, 360)]


BOMB = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>
<annotations>&c;</annotations>"""
FILE = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>
<annotations><track label="&b;"/></annotations>"""


@pytest.mark.parametrize("text", [BOMB, FILE], ids=["entities", "file"])
def test_a_document_type_is_refused_before_anything_is_expanded(tmp_path, text):
    path = tmp_path / "a.xml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"a\.xml: found XML that declares a document type"):
        read(path)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (track(0, "R", box("7", (10, 20, "nan", 60))), "track 0, frame 7: found the rectangle"),
        (track(0, "R", box("7", (10, 20, "wide", 60))), "track 0, frame 7: found the rectangle"),
        (track(0, "R", box("7", (10, 20, 5, 60))), "expected one with an area"),
        (track(0, "R", box("1e3")), "image frame_1e3: found the frame '1e3'"),
        (track(0, "R", box("9" * 5000)), "a number of 5000 digits"),
        (track(0, "R", box("")), "track 0, frame : found a box without a frame"),
        (track(0, "R", box(7, more=' rotation="30"')), "turned by '30' degrees"),
        (track(0, "R", '<polygon frame="7" outside="0" points="1,2;3,4"/>'), "the shape polygon"),
        (track(0, "mouse", box(7)), "no identity"),
        (track(0, "R", box(7), more=' task_id="1"') + track(0, "G", box(9), more=' task_id="2"'),
         "annotations of 2 tasks"),
        ("", "without tracks and images"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_track_and_frame(tmp_path, part, told):
    path = write(tmp_path / "a.xml", part)
    with pytest.raises(InputError) as error:
        read(path)
    assert told in str(error.value)
    assert "a.xml" in str(error.value)


def test_a_file_cut_short_is_told(tmp_path):
    path = write(tmp_path / "a.xml", track(0, "R", *(box(frame) for frame in range(50))))
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match="malformed XML"):
        read(path)


@given(text=st.text(max_size=60))
def test_any_text_is_annotations_or_an_error_that_names_the_file(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("cvat") / "a.xml"
    path.write_bytes(f"<annotations>{text}</annotations>".encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError, match=r"a\.xml"):
        read(path)


def packed(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("_", "."), text)
    return path


def test_an_archive_without_annotations_of_cvat_is_refused(tmp_path):
    for path in (packed(tmp_path / "a.zip", instances_json="{}"), packed(tmp_path / "b.zip")):
        with pytest.raises(InputError, match=r"zip archive of .*annotations\.xml"):
            annotations.read(path)


def test_an_archive_of_cvat_that_unfolds_or_is_damaged_is_told(tmp_path, monkeypatch):
    path = packed(tmp_path / "a.zip", annotations_xml="<annotations>" + "x" * 5000)
    with pytest.raises(InputError, match="malformed XML"):
        annotations.read(path)
    whole = path.read_bytes()
    monkeypatch.setattr(files, "LARGEST", 1000)
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        annotations.read(path)
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"a\.zip"):
            annotations.read(path)


def test_annotations_of_cvat_in_another_code_are_told(tmp_path):
    path = packed(tmp_path / "a.zip", annotations_xml="<annotations/>".encode("utf-16"))
    with pytest.raises(InputError, match="not UTF-8"):
        annotations.read(path)
