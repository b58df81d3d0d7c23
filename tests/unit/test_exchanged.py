"""Segments of which names are exchanged are told by the others, and left out of the fit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from murid import schemas, tables
from murid.archive import positions as position_readers
from murid.archive.annotated import tide as annotation_readers
from murid.errors import InputError
from murid.fitting import exchanged, fit_path
from murid.fitting import fit_weights as fit
from murid.grid import Grid
from murid.segment import Segment
from murid.settings import FitWeights, Image

GRID = Grid()
FPS = 20.0
LATE = 20
QUICK = FitWeights(trees=2, max_lag=2, lag_step=1)
IDENTITY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
NAMES = ("R", "G", "B")
PAIR = {"R": "G", "G": "R"}
CYCLE = {"R": "G", "G": "B", "B": "R"}


def make_part(seed, seconds=270, resting=False):
    """A segment of three animals that are read a second late; or of three that hardly move."""
    random = np.random.default_rng(seed)
    frames = round(seconds * FPS)
    stay = (2000, 4000) if resting else (20, 60)
    truth, readings = [], []
    for name in NAMES:
        stays = random.integers(*stay, frames // 20)
        antenna = np.repeat(random.integers(1, GRID.size + 1, len(stays)), stays)[:frames]
        places = GRID.coordinates(antenna) * [180.0, 140.0] + [150.0, 250.0]
        for frame in range(0, frames, 40):
            shown = ("clear", "truncated")[random.integers(2)]
            x, y, w, h = np.array([*places[frame], 150, 90]) + random.normal(0, 12, 4)
            truth.append((frame, [name], x - w / 2, y - h / 2, w, h, shown))
        read = antenna[np.maximum(np.arange(frames) - LATE, 0)]
        readings.append(pd.DataFrame({"frame": range(frames), "animal": name, "antenna": read}))
    truth = pd.DataFrame(truth, columns=["frame", "identities", *schemas.BOX, "visibility"])
    truth = truth.assign(object=truth.groupby("frame").cumcount(), type="single", difficult=False)
    trace = tables.conform(pd.concat(readings).assign(filled=False), "positions")
    return segment_of(f"segment {seed}", trace, tables.conform(truth, "annotations"))


def segment_of(name, trace, annotations):
    loaded = {"positions": trace, "annotations": annotations, "matrix": IDENTITY}
    return Segment({"annotations": name}, "rig", FPS, loaded)


def renamed(part, names):
    """The segment, its annotations with other names."""
    identities = [[names.get(name, name) for name in each] for each in part.annotations.identities]
    annotations = part.annotations.assign(identities=identities)
    return replace(part, loaded={**part.loaded, "annotations": annotations})


@pytest.fixture(scope="module")
def sound():
    return [make_part(seed) for seed in range(4)]


@pytest.fixture(scope="module")
def learnt(sound):
    """What is learnt of all segments but the third."""
    return fit.fit_both([*sound[:2], sound[3]], 3, GRID, Image(), QUICK)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (PAIR, "those named G are R, R are G"),
        (CYCLE, "those named B are G, G are R, R are B"),
    ],
)
def test_a_segment_of_exchanged_names_is_left_out_and_told(sound, learnt, names, told, caplog):
    weights = fit.fit_both(
        [*sound[:2], renamed(sound[2], names), sound[3]], 3, GRID, Image(), QUICK
    )
    (remark, *others) = weights.lagged.provenance["remarks"]
    assert remark.startswith("segment 2 is left out: its boxes fit the antenna trace better by ")
    assert told in remark
    assert "exchange the names in its annotations" in remark
    assert not any("left out" in text for text in others)
    assert remark in caplog.messages
    # What is learnt is what is learnt without that segment.
    assert weights.lagged.lag("rig") == learnt.lagged.lag("rig") == LATE / FPS
    assert weights.digest == learnt.digest


def test_right_names_go_without_a_word(sound):
    resting = [make_part(seed, resting=True) for seed in range(10, 14)]
    for parts in (sound, sound[:2], [*sound, *resting]):
        assert exchanged.leave_out(parts, GRID, Image(), QUICK) == (parts, [])


def test_where_there_is_too_little_nothing_is_claimed(sound):
    alone = [renamed(sound[0], PAIR)]
    assert exchanged.leave_out(alone, GRID, Image(), QUICK) == (alone, [])
    seconds = (exchanged.FEWEST - 2) * exchanged.WINDOW
    short = [*sound, renamed(make_part(7, seconds), PAIR)]
    assert exchanged.leave_out(short, GRID, Image(), QUICK) == (short, [])
    empty = replace(
        sound[1], loaded={**sound[1].loaded, "annotations": tables.empty("annotations")}
    )
    parts = [sound[0], empty]
    assert exchanged.leave_out(parts, GRID, Image(), QUICK) == (parts, [])


def test_where_most_are_exchanged_nobody_knows_who_is_who(sound):
    parts = [renamed(sound[0], PAIR), renamed(sound[1], PAIR), sound[2]]
    with pytest.raises(InputError, match=r"names that are exchanged in 2 of 3 segments: segment 0"):
        exchanged.leave_out(parts, GRID, Image(), QUICK)


def test_how_sure_names_are_is_not_learnt_from_exchanged_ones(sound, learnt):
    fit_path.refuse_exchanged(sound[2], learnt.lagged)
    with pytest.raises(
        InputError, match=r"segment 2: found boxes .* if those named G are R, R are G"
    ):
        fit_path.refuse_exchanged(renamed(sound[2], PAIR), learnt.lagged)


@pytest.fixture(scope="module")
def release(shared):
    """Annotated segments of the released archive."""
    root = shared / "tide"
    if not root.is_dir():
        pytest.skip(f"no {root}")
    found = []
    for (cage, segment), rows in annotation_readers.read_release(root / "Annotations.df").items():
        folder = root / "Segments" / f"{cage}_{segment}"
        if (folder / "Positions.df").exists():
            positions = position_readers.as_table(
                position_readers.read(folder / "Positions.df").table
            )
            annotations = annotation_readers.from_release(rows, folder / "Detections.df")
            found.append(segment_of(f"{cage} {segment}", positions, annotations))
    return found


def test_real_segments_are_told_only_if_their_names_are_exchanged(release):
    several = [exchanged.boxes_of(part, GRID, 0.0) for part in release]
    assert exchanged.judge(several, GRID, Image(), QUICK) == {}
    wrong = (0, 5)
    for place in wrong:
        several[place] = exchanged.boxes_of(renamed(release[place], PAIR), GRID, 0.0)
    judged = exchanged.judge(several, GRID, Image(), QUICK)
    assert tuple(judged) == wrong
    for names, gain in judged.values():
        assert names == PAIR
        assert gain > 2 * exchanged.CLEARLY
