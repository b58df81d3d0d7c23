"""Boxes around the body parts that other tools track.

A box is the smallest one around the parts of an animal that are seen, and a margin on each side,
since parts lie within the outline: :data:`MARGIN` of what is the longer side of such a box in the
median of the file. So it is the same for all boxes of a file, whatever the size of its pictures.
Of an animal of which fewer than :data:`FEWEST` parts are seen there is no box: one point says
neither how large it is nor where its middle is. Its score is the mean of those of the parts seen.

What is seen of an animal changes from frame to frame, and its box with it: a tracker has to join
boxes that overlap less than a detector's do.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import schemas
from murid.archive.columns import Columns
from murid.errors import InputError
from murid.tables import Verdict

MARGIN = 0.15
"""Of the median longer side: half the width of a mouse is a sixth of the length of its body."""
FEWEST = 2
"""Parts that must be seen of an animal."""
MOST_SCORE, FEW = 1.5, 0.01
"""What no score is above, but for a few of many: networks that estimate a part's place by a peak of
height 1 reach a little more, which counts as 1. Percent are above it almost all."""
MOST_PARTS = 1000
"""Parts of an animal, at most."""

Floats = NDArray[np.float64]


def boxes(
    path: Path,
    frames: NDArray[np.int64] | Floats,
    points: Floats,
    scores: Floats | None,
    *,
    above: float = -np.inf,
    tracklets: Floats | None = None,
    origin: Mapping[str, ArrayLike] | None = None,
    unit: str = "animal",
) -> Columns:
    """Return boxes of animals in the columns of detections.

    Parameters
    ----------
    path
        The file, for messages.
    frames
        Frame of each animal, from 0; shape (animals,).
    points
        Its parts, pixels, x then y; NaN where one is not there. Shape (animals, parts, 2).
    scores
        Of its parts, 0 to 1; NaN where one was set by hand. Shape (animals, parts). None: all were.
    above
        Parts with a score that is not higher are not seen.
    tracklets
        Of each animal, NaN or below 0 = none; None: the file has none.
    origin
        What leads back to each animal in the file, by columns of :data:`murid.schemas.SOURCE`.
    unit
        What a row is called in messages; they count from 0 as the animals do.

    Returns
    -------
    Columns ``frame``, ``x, y, w, h``, ``score``, perhaps ``tracklet``, and those of ``origin``;
    with what was left out as its verdict.

    Raises
    ------
    InputError
        If boxes have no size, or scores are of another unit.
    """
    if scores is not None:
        _refuse_other_unit(path, scores)
    given = np.full(points.shape[:2], np.nan) if scores is None else scores
    seen = np.isfinite(points).all(axis=2) & ~(given <= above)
    count = seen.sum(axis=1)
    kept = count >= FEWEST
    shown = np.where(seen[..., None], points, np.nan)[kept]
    table = pd.DataFrame({"frame": np.asarray(frames)[kept]}, index=np.flatnonzero(kept))
    if len(shown):
        low, high = np.nanmin(shown, axis=1), np.nanmax(shown, axis=1)
        margin = MARGIN * float(np.median((high - low).max(axis=1)))
        if not margin > 0:
            raise InputError(
                path, "body parts of an animal at one place", "several, which lie apart",
                remedy="Boxes need an extent: give boxes, or track more body parts.",
            )  # fmt: skip
        low, high = low - margin, high + margin
        table[schemas.BOX] = np.column_stack([low, high - low])
        table["score"] = _mean(np.where(seen, given, np.nan)[kept])
    else:
        table[[*schemas.BOX, "score"]] = np.nan
    if tracklets is not None:
        table["tracklet"] = np.where(tracklets < 0, np.nan, tracklets)[kept]
    for name, values in (origin or {}).items():
        table[name] = np.asarray(values)[kept]
    return Columns(path, table, unit=unit, verdict=_left_out(path, count))


def _refuse_other_unit(path: Path, scores: Floats) -> None:
    told = scores[np.isfinite(scores)]
    above = told > MOST_SCORE
    if above.sum() > FEW * len(told):
        raise InputError(
            path, f"{above.sum():,} of {len(told):,} scores of body parts above 1, up to "
            f"{told.max():g}", "likelihoods, 0 to 1",
            remedy="If they are percent, divide them by 100.",
        )  # fmt: skip


def named(tracks: ArrayLike, names: Sequence[str]) -> NDArray[np.object_]:
    """Return the name of each track by its number, or the number where it has none, "" below 0.

    Examples
    --------
    >>> named([1, 0, -1, 2], ["left", ""]).tolist()
    ['0', 'left', '', '2']
    """
    numbers = np.asarray(tracks, dtype=np.float64)
    different, place = np.unique(np.where(numbers >= 0, numbers, -1), return_inverse=True)
    called = [
        (names[int(each)] if 0 <= each < len(names) else "") or ("" if each < 0 else f"{each:.0f}")
        for each in different.tolist()
    ]
    return np.array(called, dtype=object)[place]


def _mean(scores: Floats) -> Floats:
    """Return the mean of those scores of each animal that were estimated, from 0 to 1."""
    told = ~np.isnan(scores)
    total = np.where(told, np.clip(scores, 0, 1), 0).sum(axis=1)
    count = told.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _left_out(path: Path, count: NDArray[np.int64]) -> Verdict:
    few, all_ = int(((count > 0) & (count < FEWEST)).sum()), int((count > 0).sum())
    if not few:
        return Verdict()
    return Verdict(
        "repaired",
        f"{path.name}: {few:,} of {all_:,} animals have no box, since only one body part is seen",
    )
