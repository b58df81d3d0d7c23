"""Annotations in COCO JSON."""

import json

import pytest

from murid import schemas
from murid.archive import annotations
from murid.errors import InputError

CATEGORIES = [{"id": 1, "name": "R"}, {"id": 2, "name": "mouse"}, {"id": 3, "name": "tunnel"}]
IMAGES = [
    {"id": 4, "file_name": "cam2_000100.jpg", "width": 64, "height": 48},
    {"id": 9, "file_name": "x.jpg", "frame": 7},
    {"id": 11, "file_name": "f_8.jpg"},
]


def box(image=4, category=1, bbox=(10, 20, 30, 40), **more):
    return {"id": 0, "image_id": image, "category_id": category, "bbox": list(bbox)} | more


def read(folder, entries, images=IMAGES, categories=CATEGORIES):
    path = folder / "coco.json"
    content = {"images": images, "annotations": entries, "categories": categories}
    path.write_text(json.dumps(content))
    return annotations.read(path).table


def test_categories_and_attributes_tell_who_is_boxed(tmp_path):
    table = read(
        tmp_path,
        [
            box(attributes={"visibility": "truncated", "occluded": False, "difficult": True}),
            box(category=2, attributes={"identity": "G,B", "type": "huddle"}),
            box(category=3),
            box(image=9, category=2, bbox=(-5, 0, 20, 4), identity=["G"], iscrowd=1),
        ],
    )
    assert table["frame"].tolist() == [7, 8, 100, 100, 100]
    assert table["type"].tolist() == ["single", "empty", "single", "huddle", "single"]
    assert [list(names) for names in table["identities"]] == [
        ["G"], [], ["R"], ["G", "B"], ["tunnel"],
    ]  # fmt: skip
    assert table["visibility"].tolist() == ["marginal", "marginal", "truncated", *["marginal"] * 2]
    assert table["difficult"].tolist() == [True, False, True, False, False]
    assert table.loc[0, schemas.BOX].tolist() == [0, 0, 15, 4]


def test_boxes_are_clear_where_no_box_of_a_file_has_a_visibility(tmp_path):
    table = read(
        tmp_path, [box(), box(image=9, category=2, attributes={"identity": "G", "visibility": " "})]
    )
    assert table.loc[table["type"] == "single", "visibility"].tolist() == ["clear", "clear"]


def test_keys_that_are_nearly_known_are_told_and_peoples_own_are_not(tmp_path):
    images = [{"id": 4, "file_name": "f_4.jpg", "frame": 4, "frame_number": "4", "frame_idx": 4}]
    read(tmp_path, [box(area=6.0, visibility="clear", truncated=1, attributes={"occluded": True}),
                    box(visibility="clear", score=0.5, attributes={"rotation": 0, "hard": True})],
         images)  # fmt: skip
    _, verdict = annotations.read(tmp_path / "coco.json")
    assert verdict.reason == (
        "coco.json: frame_idx (frame_id?) of images not known, and passed over (what counts is "
        "frame, frame_number and frame_id)"
    )


def test_images_of_another_size_than_the_video_are_told(tmp_path):
    read(tmp_path, [box()])
    sizes = annotations.read(tmp_path / "coco.json").table.attrs["sizes"]
    assert sizes == [(64, 48)]
    assert annotations.compare_sizes(sizes, (64, 48)).status == "usable"
    reason = annotations.compare_sizes(sizes, (128, 48)).reason
    assert "said to be of 64 x 48 pixels, the video's frames are of 128 x 48" in reason


@pytest.mark.parametrize(
    ("entries", "images", "categories", "told"),
    [
        ([box(category=2)], IMAGES, CATEGORIES, "annotation 0: found no identity"),
        ([box(), box(image=5)], IMAGES, CATEGORIES, "annotation 1: found image_id 5"),
        ([box(category=[1])], IMAGES, CATEGORIES, r"annotation 0: found category_id \[1\]"),
        ([box(bbox=(1, 2, 3))], IMAGES, CATEGORIES, r"annotation 0: found the rectangle \[1, 2, 3"),
        ([box(bbox=(1, 2, 0, 3))], IMAGES, CATEGORIES, "one with an area"),
        ([box(bbox=(10**400, 2, 3, 4))], IMAGES, CATEGORIES, "numbers x, y, width, height"),
        ([box() | {"bbox": None}], IMAGES, CATEGORIES, "numbers x, y, width, height"),
        ([3], IMAGES, CATEGORIES, "annotation 0: found 3"),
        ([], [IMAGES[0], IMAGES[0]], CATEGORIES, "image 1: found the id 4 a second time"),
        ([], [{"id": 1, "frame": float("nan")}], CATEGORIES, "the frame nan"),
        ([], [{"id": 1, "file_name": "f_1 (2).jpg"}], CATEGORIES, "does not plainly tell"),
        ([], [{"id": 1, "file_name": "50_v2.jpg"}], CATEGORIES, "'50_v2.jpg', which does not"),
        ([], [{"id": 1, "frame": 1, "Frame": 2}], CATEGORIES, "'frame' and 'Frame'"),
        ([], [{"id": 1, "frame": 5, "frame_number": 6}], CATEGORIES, "frame 5 and frame_number 6"),
        ([box(attributes={"rotation": 45.0})], IMAGES, CATEGORIES, "turned by 45.0 degrees"),
        ([box(attributes={"type": "single", "Type": "huddle"})], IMAGES, CATEGORIES, "'Type'"),
        ([], IMAGES, [{"id": 1}], "category 0: found a category without id and name"),
    ],
)
def test_what_makes_no_sense_is_named(tmp_path, entries, images, categories, told):
    with pytest.raises(InputError, match=told):
        read(tmp_path, entries, images, categories)
