"""What to ask a human about a segment: what puts most boxes right, not what is least certain.

An answer is taken for certain, and names other tracklets as well. What it is worth is told by whole
assignments that are drawn from the path model, each as often as it is probable: those that agree
with an answer tell what every other tracklet would be named then, and how surely.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables
from murid.identify import continuity

if TYPE_CHECKING:
    from murid.identify.scene import Scene
    from murid.settings import Proofread

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DRAWS = 1000
"""Assignments that are drawn of a segment."""
CANDIDATES, AFFECTED = 300, 1500
"""Pieces of tracklets that are weighed as questions, and by what they change, at most."""
_BEFORE = np.float32(10)
"""Draws for which a piece's own probabilities count where few agree with an answer."""
_CERTAIN = 0.999
"""Share of the draws from which a piece's name is beyond doubt."""
_ANSWERED = 0.5
"""Share of a question's uncertainty that another answer must leave for it to be asked, too."""


def ask(scene: "Scene", settings: "Proofread") -> pd.DataFrame:
    """Choose the questions of a segment, the best first.

    Parameters
    ----------
    scene
        The segment and its models.
    settings
        How many questions, and what each must be worth.

    Returns
    -------
    Columns of the table ``questions`` but ``cage`` and ``segment``, a row a question and animal.
    """
    pieces, model, paths = scene.pieces, scene.needed_path_model, scene.stage.paths
    answer = continuity.solve(pieces, model, paths)
    drawn = continuity.draw(pieces, model, paths, DRAWS)
    sizes = pieces.tracklets.sizes
    chosen, gains = choose(drawn, answer.named, sizes, settings.per_segment, settings.least)
    probabilities = scene.fit.temper(continuity.posteriors(answer, model), len(scene.trace.animals))
    rows = pieces.tracklets.order[pieces.tracklets.sizes.cumsum() - sizes + sizes // 2]
    table = scene.segment.tracklets
    parts = [
        pd.DataFrame(
            {
                "question": number,
                **table[["frame", "tracklet", *schemas.BOX]].iloc[rows[piece]].to_dict(),
                "first_frame": pieces.tracklets.first[piece],
                "last_frame": pieces.tracklets.last[piece],
                "gain": gains[number],
                "animal": scene.trace.animals,
                "probability": probabilities[piece],
            }
        )
        for number, piece in enumerate(chosen.tolist())
    ]
    return pd.concat(parts) if parts else tables.empty("questions")


def choose(
    drawn: NDArray[np.int8], named: Ints, sizes: Ints, most: int, least: float
) -> tuple[Ints, Floats]:
    """Choose the pieces to ask about, the best first.

    Parameters
    ----------
    drawn
        (D, I) animal of each piece in each drawn assignment, -1 = nobody.
    named
        (I,), what the pieces are named now.
    sizes
        (I,), their boxes.
    most, least
        How many are chosen at most, and how many boxes an answer must be expected to put right.

    Returns
    -------
    (Q,) ranks of pieces, and (Q,) boxes that an answer is expected to put right: not counting those
    that the answers before it put right already, since a question that these leave little doubt
    about is not asked.
    """
    options = int(max(drawn.max(initial=-1), named.max(initial=-1))) + 2
    seen = drawn[:, :, None] == np.arange(-1, options - 1)
    shares = seen.mean(axis=0, dtype=np.float32)
    now = np.take_along_axis(shares, named[:, None] + 1, axis=1)[:, 0]
    doubtful = np.flatnonzero(now < _CERTAIN)
    doubtful = doubtful[np.argsort(-(1 - now[doubtful]) * sizes[doubtful], kind="stable")][
        :AFFECTED
    ]
    asked = doubtful[:CANDIDATES]
    if not len(asked):
        return asked, np.empty(0)
    # (asked, options, doubtful, options): how often answer and name occur together.
    answers = seen[:, asked].reshape(len(drawn), -1).astype(np.float32)
    names = seen[:, doubtful].reshape(len(drawn), -1).astype(np.float32)
    together = (answers.T @ names).reshape(len(asked), options, len(doubtful), options)
    often = answers.sum(axis=0).reshape(len(asked), options, 1, 1)
    after = (together + _BEFORE * shares[doubtful]) / (often + _BEFORE)
    best = after.max(axis=3)
    kept = np.take_along_axis(after, named[doubtful][None, None, :, None] + 1, axis=3)[..., 0]
    worth = ((best - kept) * sizes[doubtful]).sum(axis=2)
    gains = (worth * shares[asked]).sum(axis=1)
    # How uncertain each question is once another is answered: (asked, asked).
    left = ((1 - best[:, :, : len(asked)]) * shares[asked][:, :, None]).sum(axis=1)
    open_ = 1 - shares[asked].max(axis=1)
    chosen: list[int] = []
    for place in np.argsort(-gains, kind="stable").tolist():
        if len(chosen) == most or gains[place] < least:
            break
        if all(left[other, place] > _ANSWERED * open_[place] for other in chosen):
            chosen.append(place)
    return asked[chosen], gains[chosen]
