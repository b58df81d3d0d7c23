"""Formats are found by their modules, told by suffix and content, and documented from there."""

import json

import pytest

from murid.archive import annotated, annotations, detected, detections, formats_text
from murid.errors import InputError

KINDS = {"annotated": annotated.formats(), "detected": detected.formats()}


def test_the_modules_of_a_package_are_its_formats():
    assert set(KINDS["annotated"]) >= {"coco", "cvat", "label_studio", "table", "tide", "via"}
    assert set(KINDS["detected"]) >= {"coco", "deeplabcut", "jabs", "mot", "sleap", "table"}


def test_documentation_has_all_formats(root):
    text = (root / "config" / "README.md").read_text(encoding="utf-8")
    assert formats_text.documented(text) == text, "make settings"
    for kind in KINDS:
        assert f"<!-- formats: {kind} -->" in text


@pytest.mark.parametrize(
    ("read", "known"), [(annotations.read, ".parquet"), (detections.read, ".txt")]
)
def test_a_suffix_of_no_format_is_told_with_those_that_are(tmp_path, read, known):
    path = tmp_path / "boxes.xlsx"
    path.write_text("x")
    with pytest.raises(InputError, match=r"the suffix '\.xlsx'.*rename the file") as error:
        read(path)
    assert known in error.value.expected


def test_json_is_told_by_what_it_holds(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"images": [{"id": 1, "frame": 3}], "annotations": []}))
    assert annotations.read(path).table["frame"].tolist() == [3]
    image = {"filename": "f_4.jpg", "regions": [], "file_attributes": {}}
    path.write_text(json.dumps({"f": image}))
    assert annotations.read(path).table["frame"].tolist() == [4]
    path.write_text("{")
    with pytest.raises(
        InputError, match=r"COCO JSON, or JSON of Label Studio, .*, or annotations of VIA 2"
    ):
        annotations.read(path)
