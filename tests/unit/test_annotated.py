"""Annotations that are not of the segment, or not in its pixels, are told before they are used."""

import logging

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from murid import rigs, schemas, tables
from murid.archive import check
from murid.archive.annotated import tide as readers
from murid.archive.annotations import judge_boxes
from murid.cli import cli
from murid.detect import annotated
from murid.detect import pairs as paired
from murid.errors import InputError
from murid.fitting.stage import FitWeights
from murid.grid import Grid
from murid.settings import Check, Image
from murid.tables import Verdict
from murid.truth import shown_animals
from murid.video.footage import Footage

IMAGE = Image(width=1280, height=720)
IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])
ANIMALS = ("R", "G", "B")
FRAMES = 60


def walk(seed=0, noise=4.0, missed=0.1, made_up=0.1, frames=FRAMES):
    """Three animals that go about: annotations, and what a detector makes of them."""
    random = np.random.default_rng(seed)
    centres = random.uniform((120, 100), (1160, 620), (frames, 3, 2))
    sizes = np.array([150.0, 90.0]) * random.uniform(0.8, 1.3, (frames, 3, 1))
    boxed = np.concatenate([centres - sizes / 2, sizes], axis=2)
    found = boxed + random.normal(0, noise, boxed.shape)
    found[..., 2:] = np.maximum(found[..., 2:], 10)
    rows = [
        (frame, rank, "mouse", *box, 0.9)
        for frame in range(frames)
        for rank, box in enumerate(found[frame])
        if random.random() > missed
    ]
    rows += [
        (frame, 3, "mouse", *random.uniform((0, 0, 60, 60), (1000, 600, 200, 200)), 0.5)
        for frame in range(frames)
        if random.random() < made_up
    ]
    columns = schemas.CONTRACTS["detections"].schema.names
    detections = tables.conform(pd.DataFrame(rows, columns=columns), "detections")
    return annotations_of(boxed), detections


def annotations_of(boxed):
    """The table of annotations of boxes, (frames, animals, 4)."""
    rows = [
        (frame, number, "single", [ANIMALS[number]], *box, "clear", False)
        for frame, several in enumerate(boxed)
        for number, box in enumerate(several)
    ]
    columns = schemas.CONTRACTS["annotations"].schema.names
    return tables.conform(pd.DataFrame(rows, columns=columns), "annotations")


def rewritten(annotations, how):
    boxed = annotations[schemas.BOX].to_numpy(dtype=np.float64)
    table = annotations.copy()
    table[schemas.BOX] = how(boxed)
    return tables.conform(table, "annotations")


def columns_of(b):
    return b[:, 0], b[:, 1], b[:, 2], b[:, 3]


def stacked(*columns):
    return np.column_stack(columns)


CONVENTIONS = {
    "half": (lambda b: b / 2, "a picture of half the size: give pixels of the raw frame"),
    "two thirds": (lambda b: b / 1.5, "two thirds the size: give pixels of the raw frame"),
    "double": (lambda b: b * 2, "a picture of twice the size"),
    "four fifths": (lambda b: b * 0.8, "a picture of about 0.80 the width and 0.80 the height: "),
    "square": (lambda b: b * [0.5, 0.889, 0.5, 0.889], "about 0.50 the width and 0.89 the height"),
    "centre": (lambda b: stacked(b[:, :2] + b[:, 2:] / 2, b[:, 2:]), "the centre for x, y: give"),
    "last corner": (lambda b: stacked(b[:, :2] + b[:, 2:], b[:, 2:]), "the bottom-right corner"),
    "both corners": (lambda b: stacked(b[:, :2], b[:, :2] + b[:, 2:]), "w = x2 - x and h = y2 - y"),
    "h, w": (lambda b: b[:, [0, 1, 3, 2]], "h before w: give w, then h"),
    "y, x": (lambda b: b[:, [1, 0, 2, 3]], "y before x: give x, then y"),
    "y, x, h, w": (lambda b: b[:, [1, 0, 3, 2]], "y, x, h, w: give x, y, w, h"),
    "mirrored": (lambda b: stacked(1280 - b[:, 0] - b[:, 2], b[:, 1:]), "mirrored, left for right"),
    "upside down": (
        lambda b: stacked(b[:, 0], 720 - b[:, 1] - b[:, 3], b[:, 2:]),
        "upside down: give y from the upper edge",
    ),
    "turned": (
        lambda b: stacked([1280, 720] - b[:, :2] - b[:, 2:], b[:, 2:]),
        "turned by 180 degrees",
    ),
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_another_convention_is_named_with_its_remedy(name):
    annotations, detections = walk()
    how, told = CONVENTIONS[name]
    kept, verdict = annotated.judge(rewritten(annotations, how), detections, IDENTITY, IMAGE)
    assert kept.empty
    assert verdict.status == "repaired"
    assert "do not fit the detections, and count as none" in verdict.reason
    assert told in verdict.reason


@pytest.mark.parametrize("name", CONVENTIONS)
def test_another_convention_is_told_of_real_boxes(release, name):
    for key, (annotations, detections) in list(release.items())[::4]:
        how, told = CONVENTIONS[name]
        given = rewritten(annotations, how)
        assert told in annotated.misfit(given, detections, IDENTITY, IMAGE), key


def test_annotations_of_another_cage_are_told(release):
    keys = list(release)
    for key, other in zip(keys, keys[1:] + keys[:1], strict=True):
        annotations, detections = release[other][0], release[key][1]
        assert "give the annotations of this segment" in annotated.misfit(
            annotations, detections, IDENTITY, IMAGE
        )


def tight(boxed, by=0.6):
    """The body of an animal that was annotated with its tail."""
    return stacked(boxed[:, :2] + boxed[:, 2:] * (1 - by) / 2, boxed[:, 2:] * by)


def test_boxes_at_the_same_place_are_kept_whatever_their_size(release):
    keys = list(release)
    for key, other in list(zip(keys, keys[1:] + keys[:1], strict=True))[::4]:
        annotations, detections = release[key]
        detections = detections.copy()
        detections[schemas.BOX] = tight(detections[schemas.BOX].to_numpy(dtype=np.float64))
        detections = tables.conform(detections, "detections")
        kept, verdict = annotated.judge(annotations, detections, IDENTITY, IMAGE)
        assert kept is annotations, key
        assert verdict.status == "repaired"
        assert "at the same places: in the median a detected box has" in verdict.reason
        assert "if not, the detector is at fault" in verdict.reason
        assert "give the annotations of this segment" in annotated.misfit(
            release[other][0], detections, IDENTITY, IMAGE
        )


@pytest.mark.parametrize("name", ["half", "double", "centre", "last corner", "y, x", "mirrored"])
def test_frames_of_another_convention_are_left_out(name):
    how, told = CONVENTIONS[name]
    annotations, detections = walk(noise=2)
    boxed = annotations[schemas.BOX].to_numpy(dtype=np.float64, copy=True)
    others = (annotations["frame"] % 3 == 0).to_numpy()
    boxed[others] = how(boxed[others])
    given = rewritten(annotations, lambda _: boxed)
    kept, verdict = annotated.judge(given, detections, IDENTITY, IMAGE)
    assert set(kept["frame"]) == set(annotations["frame"][~others])
    assert verdict.status == "repaired"
    assert told.split(":")[0] in verdict.reason
    assert "20 of 60 frames that can be compared do not fit" in verdict.reason


def test_height_before_width_is_told_of_boxes_that_are_nearly_square():
    annotations, detections = walk(noise=2)
    square = detections.assign(w=detections["h"] * 1.3)
    given = annotations.assign(w=annotations["h"] * 1.3)
    given = rewritten(given, lambda b: b[:, [0, 1, 3, 2]])
    square = tables.conform(square, "detections")
    assert "h before w: give w, then h" in annotated.misfit(given, square, IDENTITY, IMAGE)


def test_real_annotations_go_without_a_word(release):
    for key, (annotations, detections) in release.items():
        kept, verdict = annotated.judge(annotations, detections, IDENTITY, IMAGE)
        assert verdict == Verdict(), key
        assert kept is annotations


@pytest.fixture(scope="module", params=["tide", "tide_hard"])
def release(shared, request):
    """Annotations and the detections of their frames, of every segment of an archive."""
    root = shared / request.param
    if not root.is_dir():
        pytest.skip(f"no {root}")
    from murid.archive import detections as boxes

    found = {}
    for (cage, segment), rows in readers.read_release(root / "Annotations.df").items():
        path = root / "Segments" / f"{cage}_{segment}" / "Detections.df"
        if path.exists():
            annotations = readers.from_release(rows, path)
            every = boxes.read(path).table
            near = every[every["frame"].isin(annotations["frame"]) & (every["score"] > 0.4)]
            found[cage, segment] = annotations, boxes.as_table(near)
    return found


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    noise=st.floats(0, 12),
    missed=st.floats(0, 0.8),
    made_up=st.floats(0, 0.5),
    frames=st.integers(1, 40),
)
def test_annotations_of_what_is_detected_are_never_accused(seed, noise, missed, made_up, frames):
    annotations, detections = walk(seed, noise, missed, made_up, frames)
    assert annotated.judge(annotations, detections, IDENTITY, IMAGE)[1] == Verdict()


def test_a_poor_detector_is_no_fault_of_the_annotations():
    annotations, detections = walk(noise=30)
    shown, found = shown_animals(annotations), detections
    pairs = paired.ious(paired.by_frame(shown), paired.by_frame(found))
    assert (pairs >= annotated.NEAR).mean() < annotated.HALF + 0.2
    assert annotated.misfit(annotations, detections, IDENTITY, IMAGE) == ""


@pytest.mark.parametrize("without", ["detections", "frames"])
def test_what_cannot_be_compared_is_kept(without):
    annotations, detections = walk()
    wrong = rewritten(annotations, CONVENTIONS["half"][0])
    if without == "detections":
        detections = detections.iloc[:0]
    else:
        detections = detections[detections["frame"] < annotated.FEWEST_FRAMES - 1]
    kept, verdict = annotated.judge(wrong, detections, IDENTITY, IMAGE)
    assert len(kept) == len(wrong)
    assert verdict == Verdict()


def test_frames_of_boxes_outside_the_picture_are_left_out():
    annotations, detections = walk()
    wrong = annotations.copy()
    wrong.loc[[4, 31], "x"] = 4000.0
    kept, verdict = annotated.judge(wrong, detections, IDENTITY, IMAGE)
    assert set(annotations["frame"]) - set(kept["frame"]) == {1, 10}
    assert verdict.status == "repaired"
    assert "2 of 180 annotated boxes are outside the picture of 1280 x 720" in verdict.reason
    assert "(the first at frame 1): their 2 frames are left out" in verdict.reason


# --- what a file tells by itself


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (lambda b: b / [1280, 720, 1280, 720], "shares of the picture (0 to 1)"),
        (lambda b: stacked(b[:, :2], b[:, :2] + b[:, 2:]), "x2, y2 of the other corner"),
        (lambda b: b * 3, "or outside the picture of 1280 x 720"),
    ],
)
def test_boxes_of_another_unit_or_picture_count_as_none(how, told):
    annotations, _ = walk()
    kept, verdict = judge_boxes(rewritten(annotations, how), (1280, 720))
    assert kept.empty
    assert verdict.status == "repaired"
    assert told in verdict.reason
    assert "count as none" in verdict.reason


def test_sound_boxes_go_without_a_word():
    annotations, _ = walk()
    for size in (None, (1280, 720)):
        kept, verdict = judge_boxes(annotations, size)
        assert verdict == Verdict()
        assert kept is annotations
    nothing = tables.empty("annotations")
    assert judge_boxes(nothing)[1] == Verdict()


def test_the_frame_of_a_single_bad_box_is_left_out():
    annotations, _ = walk()
    wrong = annotations.copy()
    wrong.loc[7, ["w", "h"]] = 0.2
    kept, verdict = judge_boxes(wrong)
    assert set(annotations["frame"]) - set(kept["frame"]) == {2}
    assert "1 of 180 annotated boxes are no wider or higher than a pixel" in verdict.reason


@pytest.mark.parametrize("filmed", [False, True])
def test_the_check_names_the_boxes_and_leaves_the_segment_usable(filmed):
    annotations, _ = walk()
    readings = pd.DataFrame(
        [(frame, animal, 1, False) for frame in range(FRAMES) for animal in ANIMALS],
        columns=schemas.CONTRACTS["positions"].schema.names,
    )
    parts = {"positions": readings, "annotations": annotations}
    if filmed:
        parts["video"] = Footage(FRAMES, FRAMES, FRAMES, FRAMES, rate=25.0, size=(200, 100))
    else:
        parts["annotations"] = rewritten(annotations, lambda b: b / 1280)
    made, verdict = check.judge(parts, Grid(), Check())
    assert made["annotations"].empty
    assert len(made["positions"]) == 3 * FRAMES
    assert verdict.status == "repaired"
    told = "outside the picture of 200 x 100" if filmed else "shares of the picture (0 to 1)"
    assert told in verdict.reason


# --- what follows


@pytest.fixture
def segment(tmp_path):
    """A segment's tables, its annotations in pixels of a picture of half the size."""
    annotations, detections = walk()
    wrong = rewritten(annotations, CONVENTIONS["half"][0])
    positions = pd.DataFrame(
        [(frame, animal, 1 + number, False) for frame in range(FRAMES)
         for number, animal in enumerate(ANIMALS)],
        columns=schemas.CONTRACTS["positions"].schema.names,
    )  # fmt: skip
    transforms = pd.DataFrame(
        [("rig", False, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)],
        columns=schemas.CONTRACTS["transforms"].schema.names,
    )
    paths = {}
    for name, table in [
        ("annotations", wrong), ("detections", detections), ("positions", positions),
        ("transforms", transforms),
    ]:  # fmt: skip
        paths[name] = tmp_path / f"{name}.parquet"
        tables.write(table, paths[name], name)
    return paths


def compare(paths, output):
    words = [word for name, path in paths.items() for word in (f"--{name}", str(path))]
    command = ["compare-annotations", *words, "--rig", "rig", "--fps", "25"]
    command += ["--output", str(output)]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, (done.output, done.exception)
    return tables.read(output, "annotations"), tables.read_verdict(output)


def test_where_nothing_is_left_to_fit_to_the_reason_is_named(segment, tmp_path, caplog):
    kept, verdict = compare(segment, tmp_path / "compared.parquet")
    assert kept.empty
    assert verdict.status == "repaired"
    one = (25.0, segment["positions"], tmp_path / "compared.parquet", "rig")
    with caplog.at_level(logging.WARNING), pytest.raises(InputError) as error:
        FitWeights(
            segments=[one], transforms=segment["transforms"], animals=3,
            output=tmp_path / "weights.json", image=IMAGE,
        ).run()  # fmt: skip
    assert "a picture of half the size: give pixels of the raw frame" in str(error.value)
    assert "is left out" in caplog.text


@pytest.mark.parametrize("fault", ["detections", "rig"])
def test_a_segment_discarded_otherwise_is_not_compared(segment, tmp_path, fault):
    if fault == "detections":
        verdict = Verdict("discarded", "no boxes")
        tables.write(tables.empty("detections"), segment["detections"], "detections", verdict)
    else:
        nothing = tables.empty("transforms")
        about = {f"{rigs.REFUSED}rig": "too few points"}
        tables.write(nothing, segment["transforms"], "transforms", about=about)
    kept, verdict = compare(segment, tmp_path / "compared.parquet")
    assert len(kept) == 3 * FRAMES
    assert verdict == Verdict()
