"""Tracks that writers of other tools' files are given in tests, and what readers should find."""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from murid import schemas
from murid.archive import annotations, detections
from writers import HEIGHT, WIDTH, Track, stretches

SIZE = WIDTH, HEIGHT
NAMES = ("R", "mouse 2", "Ünal")
BAND = WIDTH // len(NAMES)
"""Each track stays in its part of the picture, so that boxes tell whose they are."""
FRAMES = 9

few = settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


# --- what is written


@st.composite
def boxes(draw, number):
    left = draw(st.integers(BAND * number + 20, BAND * number + 90))
    return tuple(
        map(float, (left, *draw(st.tuples(st.integers(30, 300), *[st.integers(12, 90)] * 2))))
    )


@st.composite
def tracks(draw, most=3):
    """Draw tracks with gaps, of boxes in whole pixels that jump as they like."""
    found = []
    for number in range(draw(st.integers(1, most))):
        frames = draw(st.sets(st.integers(0, FRAMES), min_size=1))
        of_track = {frame: draw(boxes(number)) for frame in frames}
        found.append(Track(NAMES[number], of_track, draw(st.sampled_from([0.75, 0.9, 1.0]))))
    return found


@st.composite
def drawn_tracks(draw):
    """Draw tracks that go straight between keyframes, and which frames these are."""
    found, by_hand = [], []
    for number in range(draw(st.integers(1, len(NAMES)))):
        marks = sorted(draw(st.sets(st.integers(0, 3 * FRAMES), min_size=1, max_size=5)))
        of_track = {}
        last = None
        for mark in marks:
            box = np.array(draw(boxes(number)))
            # A mark whose forerunner goes on has a box in each frame between.
            if last is not None and draw(st.booleans()):
                for frame in range(last + 1, mark):
                    share = (frame - last) / (mark - last)
                    before = np.array(of_track[last])
                    of_track[frame] = tuple((before + share * (box - before)).tolist())
            of_track[mark] = tuple(box.tolist())
            last = mark
        found.append(Track(NAMES[number], of_track))
        by_hand.append(set(marks))
    return found, by_hand


def shown(made, frames=None):
    """Give what a reader should find: box by frame and name."""
    return {
        (frame, track.name): box
        for track in made
        for frame, box in track.boxes.items()
        if frames is None or frame in frames
    }


# --- what is read


def annotated(path, **told):
    table, verdict = annotations.read(path, size=SIZE, **told)
    assert verdict.status == "usable", verdict
    drawn = table[table["type"] != "empty"]
    assert drawn["type"].isin(["single"]).all()
    found = {
        (row["frame"], *row["identities"]): tuple(row[side] for side in schemas.BOX)
        for row in drawn.to_dict("records")
    }
    assert len(found) == len(drawn)
    return found, set(table["frame"])


def detected(path):
    return detections.read(path, size=SIZE).table


def by_band(table):
    """Give the boxes by frame and the track that their place belongs to."""
    bands = ((table["x"] + table["w"] / 2) // BAND).astype(int)
    found = {
        (frame, NAMES[band]): tuple(box)
        for frame, band, box in zip(
            table["frame"], bands, table[schemas.BOX].to_numpy(), strict=True
        )
    }
    assert len(found) == len(table)
    return found


def same(found, expected, within=1e-3):
    assert found.keys() == expected.keys()
    for key, box in expected.items():
        np.testing.assert_allclose(found[key], box, atol=within, err_msg=str(key))


def same_but_margin(found, expected):
    """Check boxes around body parts: the same margin is on each side of all of them."""
    assert found.keys() == expected.keys()
    keys = list(expected)
    wider = np.array([found[key] for key in keys]) - np.array([expected[key] for key in keys])
    margin = wider[0, 2] / 2
    assert margin > 0
    np.testing.assert_allclose(wider, [[-margin, -margin, 2 * margin, 2 * margin]] * len(keys))


def parts(table):
    """Give the sets of (frame, name) that have a tracklet in common."""
    named = [
        (frame, NAMES[band])
        for frame, band in zip(
            table["frame"], ((table["x"] + table["w"] / 2) // BAND).astype(int), strict=True
        )
    ]
    groups: dict = {}
    for key, tracklet in zip(named, table["tracklet"], strict=True):
        groups.setdefault(tracklet, set()).add(key)
    return {frozenset(group) for group in groups.values()}


def whole(made):
    return {frozenset((frame, track.name) for frame in track.boxes) for track in made}


def pieces(made):
    return {
        frozenset((frame, track.name) for frame in part)
        for track in made
        for part in stretches(sorted(track.boxes))
    }
