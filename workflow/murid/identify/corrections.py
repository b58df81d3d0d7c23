"""What people answered of a segment's boxes: found among its tracklets, and obeyed by their paths.

An answer is certain. The piece of a tracklet that holds the box is the animal that was answered,
and no other piece at the same time is; where two answers cannot be of the same pieces, these are
cut between them. All that nobody was asked follows from the joint solution. What cannot be obeyed,
since it contradicts another answer or is of what is not there, is told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import boxes, schemas
from murid.corrections import reason
from murid.identify import pieces
from murid.identify.paths import NOBODY, PathProblem
from murid.tables import Verdict

LEAST_IOU = 0.5
"""Overlap from which a box is the one that was answered: detectors and trackers change."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Answered:
    """What is known for certain of rows of a table ``tracklets``.

    Attributes
    ----------
    rows
        (K,) int64, rows of the table, by frame; several may be the same if they say the same.
    animals
        (K,) int64, index of the animal that each is, -1 = nobody.
    places
        (K,) int64, places in the table ``corrections``.
    refused
        What cannot be obeyed, and why, by the place in the table ``corrections``.
    """

    rows: Ints
    animals: Ints
    places: Ints
    refused: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of answers, K."""
        return len(self.rows)

    def verdict(self, corrections: pd.DataFrame) -> Verdict:
        """Say what of a table ``corrections`` is not obeyed, and why."""
        if not self.refused:
            return Verdict()
        named = names_of(corrections)
        told = [f"{named[at]}: {why}" for at, why in self.refused.items()]
        counts = f"{len(told):,} of {len(corrections):,} corrections are not obeyed"
        return Verdict("repaired", f"{counts}: {reason(told)}")


def find(
    corrections: pd.DataFrame,
    mice: pd.DataFrame,
    tracklets: pd.DataFrame,
    animals: Sequence[str],
    frames: int,
) -> Answered:
    """Find what corrections are about among a segment's boxes.

    Parameters
    ----------
    corrections
        The table.
    mice, tracklets
        Rows of the table ``detections`` that are mice, and the table ``tracklets``.
    animals
        Names.
    frames
        Number of frames of the segment.
    """
    place = {
        key: row
        for row, key in enumerate(zip(tracklets["frame"], tracklets["detection"], strict=True))
    }
    numbered = {
        key: row
        for row, key in enumerate(zip(tracklets["frame"], tracklets["tracklet"], strict=True))
    }
    nearest, overlaps = _nearest(corrections, mice)
    refused: dict[int, str] = {}
    found: dict[int, tuple[int, int]] = {}
    for at, given in enumerate(corrections.to_dict("records")):
        animal = _animal(given["animal"], animals)
        if animal is None:
            listed = ", ".join(animals) or "none"
            refused[at] = f"the animal {given['animal']!r} is not there, only {listed}"
            continue
        if given["frame"] >= frames:
            refused[at] = f"frame {given['frame']} is beyond the end, frame {frames - 1}"
            continue
        if np.isnan(given["x"]):
            row, why = numbered.get((given["frame"], given["tracklet"])), ""
            if row is None:
                why = (
                    f"tracklet {given['tracklet']} has no box at frame {given['frame']} any longer"
                )
        else:
            why = _lost(given["frame"], overlaps[at])
            row = place.get((given["frame"], nearest[at]))
            if not why and row is None and animal != NOBODY:
                why = f"its box at frame {given['frame']} is in no tracklet"
        if why:
            refused[at] = why
        elif row is not None:
            found[at] = (row, animal)
    refused |= _contradictions(found, corrections, tracklets["frame"].to_numpy(), animals)
    kept = [(row, animal, at) for at, (row, animal) in found.items() if at not in refused]
    rows, named, places = np.array(kept, dtype=np.int64).reshape(-1, 3).T
    order = np.lexsort((places, tracklets["frame"].to_numpy(dtype=np.int64)[rows]))
    return Answered(rows[order], named[order], places[order], dict(sorted(refused.items())))


def names_of(corrections: pd.DataFrame) -> list[str]:
    """Say of each of a segment's corrections where it stands, and what it says.

    Lines move as rows of others come and go, which makes no segment stale: what a row says tells it
    all the same.
    """
    columns = (corrections[name] for name in ("line", "file", "animal", "frame"))
    return [
        f"line {line} of {file} ({animal} at frame {frame})"
        for line, file, animal, frame in zip(*columns, strict=True)
    ]


def _animal(name: str, animals: Sequence[str]) -> int | None:
    """Return the index of an animal, -1 for nobody, None if it is not there."""
    if name == schemas.NOBODY:
        return NOBODY
    if name in animals:
        return list(animals).index(name)
    # As spreadsheets and people write it, unless two differ by capitals only.
    near = [at for at, other in enumerate(animals) if other.lower() == name.lower()]
    return near[0] if len(near) == 1 else None


def _nearest(corrections: pd.DataFrame, mice: pd.DataFrame) -> tuple[Ints, Floats]:
    """Return the detection that overlaps the box of each correction most, and by what IoU.

    Where nothing overlaps a box, or there is none, the IoU is 0.
    """
    asked = corrections[["frame", *schemas.BOX]].assign(at=np.arange(len(corrections)))
    columns = ["frame", "detection", *schemas.BOX]
    pairs = asked[asked["x"].notna()].merge(mice[columns], on="frame", suffixes=("", "_there"))
    there = [f"{name}_there" for name in schemas.BOX]
    overlap = boxes.paired_iou(pairs[there], pairs[schemas.BOX])
    # Of equals the first detection; stable sorting keeps it before the others.
    order = np.argsort(-overlap, kind="stable")
    at, first = np.unique(pairs["at"].to_numpy()[order], return_index=True)
    detections, overlaps = np.full(len(asked), -1), np.zeros(len(asked))
    detections[at] = pairs["detection"].to_numpy()[order][first]
    overlaps[at] = overlap[order][first]
    return detections, overlaps


def _lost(frame: int, overlap: float) -> str:
    """Say that a box is not there, if no box of its frame overlaps it enough; else ""."""
    if overlap >= LEAST_IOU:
        return ""
    near = f"the nearest overlaps it by an IoU of {overlap:.2f}" if overlap else "none overlaps it"
    return f"its box at frame {frame} is not there any longer: {near}"


def _contradictions(
    found: dict[int, tuple[int, int]],
    corrections: pd.DataFrame,
    frames: Ints,
    animals: Sequence[str],
) -> dict[int, str]:
    """Tell the corrections that contradict another: of one box, or of one animal at one time."""
    by_box: dict[int, list[int]] = {}
    by_animal: dict[tuple[int, int], list[int]] = {}
    for at, (row, animal) in found.items():
        by_box.setdefault(row, []).append(at)
        if animal != NOBODY:
            by_animal.setdefault((int(frames[row]), animal), []).append(at)

    def name(at: int) -> str:
        animal = found[at][1]
        return schemas.NOBODY if animal == NOBODY else animals[animal]

    named = names_of(corrections)
    refused: dict[int, str] = {}
    for same, column in ((by_box, 1), (by_animal, 0)):
        for group in same.values():
            first = group[0]
            differs = next((at for at in group if found[at][column] != found[first][column]), None)
            if differs is None:
                continue
            for at in group:
                other = differs if found[at][column] == found[first][column] else first
                what = f"that the box is {name(other)}, not {name(at)}"
                if column == 0:
                    what = f"that {name(at)} is another box of frame {frames[found[at][0]]}"
                refused.setdefault(at, f"{named[other]} says {what}; neither is obeyed")
    return refused


def cut(table: pd.DataFrame, numbers: Ints, gains: Floats, answered: Answered) -> Ints:
    """Cut pieces of tracklets until every answer can be obeyed.

    A piece of which two answers differ is cut between them, and so are two that are answered to be
    one animal and overlap in time, where it must pass from one to the other: where the antennas
    agree best, and of moments as good, where boxes are nearest. Where one is cut, those that are
    alive at the time are, too, as in :func:`.pieces.cut`.

    Parameters
    ----------
    table
        Rows with ``frame, tracklet`` and a box.
    numbers
        (n,) piece of each row; those of a tracklet follow each other.
    gains
        (n, J), what each row says for each animal, natural logarithm.
    answered
        What is known of its rows.

    Returns
    -------
    (n,) piece of each row, numbered from 0 by tracklet and frame.
    """
    frames = table["frame"].to_numpy(dtype=np.int64)
    order = np.lexsort((frames, numbers))
    by_piece = frames[order]
    begins = np.diff(numbers[order], prepend=-1) != 0
    made = np.empty(len(order), dtype=np.int64)
    distances: Floats | None = None
    while True:
        made[order] = np.cumsum(begins) - 1
        edges = np.append(np.flatnonzero(begins), len(order))
        moments = set()
        for one, other in _clashes(frames, made, answered):
            distances = pieces.nearest(table) if distances is None else distances
            start, end = (int(frames[answered.rows[at]]) for at in (one, other))
            sides = []
            for at in (one, other):
                row, animal = int(answered.rows[at]), int(answered.animals[at])
                own = slice(*edges[made[row] : made[row] + 2])
                low, high = np.searchsorted(by_piece[own], (start, end), side="right")
                sides.append((order[own][low:high], animal))
            moments.add(_moment(start, end, sides, frames, gains, distances))
        if not moments:
            return made
        begins |= pieces.first_from(by_piece, begins, np.array(sorted(moments)))


def _clashes(frames: Ints, made: Ints, answered: Answered) -> Iterator[tuple[int, int]]:
    """Yield pairs of answers, the earlier one first, that pieces are too long to obey.

    To look at answers that follow each other is enough: pieces are of frames on end.
    """
    first = np.full(int(made.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    last = np.full(len(first), -1)
    np.minimum.at(first, made, frames)
    np.maximum.at(last, made, frames)
    of_piece: dict[int, int] = {}
    of_animal: dict[int, int] = {}
    for at, (row, animal) in enumerate(zip(answered.rows, answered.animals, strict=True)):
        piece = int(made[row])
        before = of_piece.get(piece)
        if before is not None and answered.animals[before] != animal:
            yield before, at
        of_piece[piece] = at
        if animal == NOBODY:
            continue
        before = of_animal.get(int(animal))
        if before is not None:
            earlier = int(made[answered.rows[before]])
            if earlier != piece and last[earlier] >= first[piece]:
                yield before, at
        of_animal[int(animal)] = at


def _moment(
    start: int,
    end: int,
    sides: Sequence[tuple[Ints, int]],
    frames: Ints,
    gains: Floats,
    distances: Floats,
) -> int:
    """Return the frame, after one answer and not after the other, from which the other holds.

    Parameters
    ----------
    start, end
        Frames of the two answers.
    sides
        Of each answer, the rows of its piece after the first and up to the last of these frames,
        and the animal.
    frames, gains, distances
        Of all rows, as :func:`cut` has them.
    """
    worth = np.zeros((2, end - start))
    near = np.full(end - start, np.inf)
    for side, (own, animal) in enumerate(sides):
        if animal != NOBODY:
            worth[side, frames[own] - start - 1] = gains[own, animal]
        np.minimum.at(near, frames[own] - start - 1, distances[own])
    # Frames before the moment are the earlier answer's, all others the later one's.
    before = np.concatenate([[0.0], worth[0].cumsum()[:-1]])
    total = before + worth[1][::-1].cumsum()[::-1]
    best = int(total.argmax())
    good = np.flatnonzero(total >= total[best] - pieces.SLACK)
    good = good[near[good] <= near[good].min()]
    return start + 1 + int(good[np.abs(good - best).argmin()])


def constrain(problem: PathProblem, rank: Ints, answered: Answered) -> PathProblem:
    """Let a problem be about what answers leave open.

    Parameters
    ----------
    problem
        Of pieces that :func:`cut` made.
    rank
        (n,) the piece of each row that answers are about.
    answered
        The answers.
    """
    gains, named = problem.gains.copy(), np.zeros(problem.tracklets, dtype=np.bool_)
    held = {*zip(rank[answered.rows].tolist(), answered.animals.tolist(), strict=True)}
    for piece, animal in held:
        gains[piece] = -np.inf
        if animal != NOBODY:
            # Else a search that keeps the best might keep nothing that can be.
            begins, ends = problem.first[piece], problem.last[piece]
            gains[(problem.first <= ends) & (problem.last >= begins), animal] = -np.inf
    for piece, animal in held:
        if animal != NOBODY:
            gains[piece, animal] = problem.gains[piece, animal]
            named[piece] = True
    return replace(problem, gains=gains, named=named)
