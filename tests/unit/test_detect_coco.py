"""COCO files of annotated images, as folders of images or frames of a video."""

import json

import cv2
import numpy as np
import pytest

from murid import video
from murid.detect import coco, data
from murid.errors import InputError

CATEGORIES = [{"id": 3, "name": "Mouse"}, {"id": 7, "name": "tunnel"}]


def image(n, **more):
    return {"id": f"i{n}", "file_name": f"cage/frame_{n:03d}.png", "width": 64, "height": 48} | more


def box(n, category=3, bbox=(1, 2, 10, 8), **more):
    return {"id": 0, "image_id": f"i{n}", "category_id": category, "bbox": list(bbox)} | more


def write(folder, images, annotations, categories=CATEGORIES):
    path = folder / "coco.json"
    content = {"images": images, "annotations": annotations, "categories": categories}
    path.write_text(json.dumps(content))
    return path


def picture(n):
    return np.full((48, 64), 10 * n, np.uint8)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "images" / "cage").mkdir(parents=True)
    for n in range(6):
        cv2.imwrite(str(tmp_path / "images" / "cage" / f"frame_{n:03d}.png"), picture(n))
    return tmp_path


def test_images_of_a_folder_are_samples(folder):
    path = write(folder, [image(4), image(2)], [box(4), box(4, 7, (0, 0, 5, 5)), box(2)])
    four, two = data.load([(folder / "images", path)])
    np.testing.assert_array_equal(four.grey, picture(4))
    assert four.wanted.boxes.tolist() == [[1, 2, 10, 8], [0, 0, 5, 5]]
    assert four.wanted.labels.tolist() == [1, 2]
    np.testing.assert_array_equal(two.grey, picture(2))
    assert len(two.wanted.boxes) == 1


def test_images_that_show_nothing_are_samples_too(folder):
    (sample,) = data.load([(folder / "images", write(folder, [image(1)], []))])
    assert sample.wanted.boxes.shape == (0, 4)


@pytest.mark.parametrize(
    ("images", "annotations"),
    [
        ([image(1, hard=True)], [box(1)]),
        ([image(1, hard=1)], []),
        ([image(1, attributes={"hard": "true"})], [box(1)]),
        ([image(1)], [box(1), box(1, attributes={"hard": True})]),
        ([image(1)], [box(1, iscrowd=1)]),
    ],
)
def test_hard_images_can_be_left_out(folder, images, annotations):
    path = write(folder, [*images, image(2, hard=False, cage="A", hopper=[1, 2])], annotations)
    pair = [(folder / "images", path)]
    hard, easy = data.load(pair)
    assert not easy.wanted.difficult.any()
    assert hard.wanted.difficult.any() == bool(annotations)
    (left,) = data.load(pair, skip_difficult=True)
    np.testing.assert_array_equal(left.grey, easy.grey)


def test_cages_are_told(folder, caplog):
    caplog.set_level("INFO")
    coco.read(write(folder, [image(1, cage="B"), image(2, cage="A", hard=True)], []))
    assert "2 images of the cages A, B, 1 of them hard" in caplog.text


def test_frames_of_a_video_are_samples(folder):
    video.write(folder / "v.mp4", (picture(n) for n in range(6)), 25.0)
    path = write(folder, [image(4), image(9, frame=2)], [box(4), box(9, 7)])
    two, four = data.load([(folder / "v.mp4", path)])
    assert (two.wanted.labels.tolist(), four.wanted.labels.tolist()) == ([2], [1])
    assert abs(int(two.grey.mean()) - 20) <= 2
    assert abs(int(four.grey.mean()) - 40) <= 2


@pytest.mark.parametrize(
    ("images", "found"),
    [
        ([image(1), image(2, frame=1)], "a frame a second time"),
        ([{"id": 1, "file_name": "a.png"}], "no frame number"),
    ],
)
def test_images_that_are_no_frames_of_a_video_are_refused(folder, images, found):
    with pytest.raises(InputError, match=found):
        data.load([(folder / "v.mp4", write(folder, images, []))])


@pytest.mark.parametrize(
    ("images", "annotations", "categories", "found"),
    [
        ([image(1)], [box(2)], CATEGORIES, "annotation 0.*image_id 'i2'"),
        ([image(1)], [box(1), box(1, 9)], CATEGORIES, "annotation 1.*category_id 9"),
        ([image(1)], [box(1, bbox=(1, 2, 0, 8))], CATEGORIES, r"bbox \[1, 2, 0, 8\]"),
        ([image(1)], [box(1, bbox=(1, 2, 8))], CATEGORIES, "annotation 0.*bbox"),
        ([image(1)], [box(1)], [{"id": 3, "name": "rat"}], "category 0.*rat.*mouse, tunnel"),
        ([{"id": 1}], [], CATEGORIES, "image 0"),
        ([1], [], CATEGORIES, "image 0: found an image without an id"),
        ([image(1), image(1)], [], CATEGORIES, "image 1: found the id 'i1' a second time"),
        ([image(77)], [], CATEGORIES, "no file; expected a picture"),
        ([image(1, file_name="../x1.png")], [], CATEGORIES, "within the folder"),
        ([image(1, file_name="/x1.png")], [], CATEGORIES, "within the folder"),
    ],
)
def test_what_makes_no_sense_is_named(folder, images, annotations, categories, found):
    path = write(folder, images, annotations, categories)
    with pytest.raises(InputError, match=found):
        data.load([(folder / "images", path)])


@pytest.mark.parametrize("content", [None, "{", "[]", '{"images": []}'])
def test_what_is_no_coco_file_is_refused(folder, content):
    path = folder / "c.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError):
        data.load([(folder / "images", path)])
