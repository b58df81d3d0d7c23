"""What to ask a human about a segment: what puts most boxes right, not what is least certain.

An answer is taken for certain, and names other tracklets as well. What it is worth is told by whole
assignments, each drawn as often as it is probable (:mod:`murid.draws.power`): those that agree with
an answer tell what every other tracklet would be named then, and how surely.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables
from murid.draws import power
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
    pieces, model = scene.pieces, scene.needed_path_model
    doubted = power.doubted(scene)
    answer, drawn = doubted.answer, doubted.draw(DRAWS, np.random.default_rng(0))
    sizes = pieces.tracklets.sizes
    seen = (pieces.tracklets.last - pieces.tracklets.first + 1) / pieces.fps
    chosen, gains = choose(
        drawn, answer.named, sizes, seen >= settings.shortest, settings.per_segment, settings.least
    )
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
    drawn: NDArray[np.int8],
    named: Ints,
    sizes: Ints,
    answerable: NDArray[np.bool_],
    most: int,
    least: float,
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
    answerable
        (I,), whether a human can tell who it is.
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
    doubt = 1 - np.take_along_axis(shares, named[:, None] + 1, axis=1)[:, 0]
    doubtful = np.argsort(-doubt * sizes, kind="stable")
    doubtful = doubtful[doubt[doubtful] > 1 - _CERTAIN][:AFFECTED]
    places = np.flatnonzero(answerable[doubtful])[:CANDIDATES]
    asked = doubtful[places]
    if not len(asked):
        return asked, np.empty(0)
    after = _after(seen[:, asked], seen[:, doubtful], shares[doubtful])
    best = after.max(axis=3)
    kept = np.take_along_axis(after, named[doubtful][None, None, :, None] + 1, axis=3)[..., 0]
    worth = ((best - kept) * sizes[doubtful]).sum(axis=2)
    gains = (worth * shares[asked]).sum(axis=1)
    # How uncertain a question is by itself, (Q,), and once another is answered, (Q, Q).
    alone = 1 - shares[asked].max(axis=1)
    left = ((1 - best[:, :, places]) * shares[asked][:, :, None]).sum(axis=1)
    chosen: list[int] = []
    for place in np.argsort(-gains, kind="stable").tolist():
        if len(chosen) == most or gains[place] < least:
            break
        if all(left[other, place] > _ANSWERED * alone[place] for other in chosen):
            chosen.append(place)
    return asked[chosen], gains[chosen].astype(np.float64)


def _after(
    asked: NDArray[np.bool_], others: NDArray[np.bool_], shares: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Tell how probable names are after an answer.

    Parameters
    ----------
    asked, others
        (D, Q, K) and (D, N, K), whether pieces are each of K animals in each drawn assignment.
    shares
        (N, K), how probable it is of the others before.

    Returns
    -------
    (Q, K, N, K), of the others by each answer to each question.
    """
    answers, names = (each.reshape(len(each), -1).astype(np.float32) for each in (asked, others))
    often = answers.sum(axis=0).reshape(*asked.shape[1:], 1, 1)
    together = (answers.T @ names).reshape(*asked.shape[1:], *others.shape[1:])
    return np.asarray((together + _BEFORE * shares) / (often + _BEFORE), dtype=np.float32)
