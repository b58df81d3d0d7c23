"""Annotations that are late or early are told by the detections around their frames."""

import numpy as np
import pandas as pd
import pytest

from murid import schemas, tables
from murid.detect import annotated, shifted
from murid.settings import Image
from murid.tables import Verdict

IMAGE = Image(width=1280, height=720)
IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])
ANIMALS = ("R", "G", "B")
FPS = 10.0
FRAMES = 600
EVERY = 10


def stroll(seed=0, speed=60.0, noise=4.0, missed=0.1):
    """True boxes, (frames, animals, 4), of animals that go from place to place, and detections.

    ``speed``: pixels a second.
    """
    random = np.random.default_rng(seed)
    shape = FRAMES + 60, len(ANIMALS), 2
    turns = random.normal(0, 1, shape)
    heading = np.cumsum(turns, axis=0) * 0.2
    steps = speed / FPS * np.stack([np.cos(heading[..., 0]), np.sin(heading[..., 0])], axis=-1)
    spans = np.array([1000.0, 500.0])
    # Walls reflect.
    places = random.uniform(0, spans, (1, len(ANIMALS), 2)) + np.cumsum(steps, axis=0)
    places = spans - np.abs(places % (2 * spans) - spans)
    boxed = np.concatenate([places, np.broadcast_to([150.0, 90.0], shape)], axis=2)[:FRAMES]
    found = boxed + random.normal(0, noise, boxed.shape)
    rows = [
        (frame, rank, "mouse", *box, 0.9)
        for frame in range(FRAMES)
        for rank, box in enumerate(found[frame])
        if random.random() > missed
    ]
    columns = schemas.CONTRACTS["detections"].schema.names
    return boxed, tables.conform(pd.DataFrame(rows, columns=columns), "detections")


def annotate(boxed, late=0, every=EVERY, start=0):
    """Annotate a frame in so many, giving from ``start`` on the number of one ``late`` later."""
    rows = []
    for frame in range(30, FRAMES - 30, every):
        number = frame + late * (frame >= start)
        rows += [
            (number, place, "single", [ANIMALS[place]], *box, "clear", False)
            for place, box in enumerate(boxed[frame])
        ]
    columns = schemas.CONTRACTS["annotations"].schema.names
    return tables.conform(pd.DataFrame(rows, columns=columns), "annotations")


def judge(annotations, detections):
    return annotated.judge(annotations, detections, IDENTITY, IMAGE, FPS)


@pytest.mark.parametrize(("late", "told"), [(10, "1.0 s earlier"), (-20, "2.0 s later")])
def test_annotations_of_another_time_are_left_out_and_the_shift_is_named(late, told):
    boxed, detections = stroll()
    kept, verdict = judge(annotate(boxed, late), detections)
    assert kept.empty
    assert verdict.status == "repaired"
    assert f"of frames {30 + late} to {560 + late} are of another time" in verdict.reason
    assert f"they overlap what is detected {told} by 0." in verdict.reason
    assert "give frames as the video counts them, from 0" in verdict.reason


def test_of_a_file_that_is_late_from_some_frame_on_the_rest_is_kept():
    boxed, detections = stroll()
    given = annotate(boxed, late=10, start=300)
    kept, verdict = judge(given, detections)
    assert "1.0 s earlier" in verdict.reason
    assert set(range(30, 290, EVERY)) <= set(kept["frame"]) <= set(range(30, 320, EVERY))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("speed", [0.0, 3.0, 60.0])
def test_annotations_in_time_go_without_a_word(seed, speed):
    boxed, detections = stroll(seed, speed)
    for late in (0, 2) if speed < 60 else (0,):
        given = annotate(boxed, late)
        kept, verdict = judge(given, detections)
        assert verdict == Verdict()
        assert kept is given


def test_animals_that_rest_look_alike_at_any_time():
    boxed, detections = stroll(speed=0.0)
    assert judge(annotate(boxed, late=20), detections)[1] == Verdict()


def test_a_moment_says_nothing_however_many_frames_it_has():
    boxed, detections = stroll()
    given = annotate(boxed, late=10, every=1)
    given = given[given["frame"] < 40 + FPS * (shifted.FEWEST - 2)]
    verdict = judge(given, detections)[1]
    assert "another time" not in verdict.reason
    assert judge(annotate(boxed, late=10, every=1), detections)[0].empty
