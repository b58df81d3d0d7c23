"""Whole assignments of a segment's tracklets, each drawn as often as it is probable.

What is summed over a segment, as the way that an animal went, rests on all of its names at once,
and one exchange of two animals is in many of them. In a draw everybody is somebody throughout: no
animal is in two places, and what people answered is so.

They are drawn with the doubt that the table ``posteriors`` tells (:mod:`.power`).

Only the path model tells how probable other assignments than its own are. Of what ``ilp`` or the
static methods name, nothing is drawn.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.draws import power
from murid.identify.problem import NOBODY
from murid.tables import Verdict

if TYPE_CHECKING:
    from murid.identify.scene import Scene
    from murid.settings import Draws

log = logging.getLogger(__name__)

Ints = NDArray[np.int64]
Names = NDArray[np.int8]

LOST = 0.05
"""Share of the weight of all paths that may be let go without a word: one draw in twenty."""


@dataclass(frozen=True)
class Drawn:
    """Whole assignments of a segment.

    Attributes
    ----------
    table
        The table ``draws``.
    verdict
        What there is to say of how they were drawn.
    about
        The same in figures, for the table's metadata.
    """

    table: pd.DataFrame
    verdict: Verdict
    about: dict[str, str]


def draw(scene: "Scene", settings: "Draws", place: tuple[str, str]) -> Drawn:
    """Draw whole assignments of a scene.

    Parameters
    ----------
    scene
        The segment and its models.
    settings
        How many, and the seed.
    place
        Cage and segment: segments are drawn independently of each other.
    """
    doubted = power.doubted(scene)
    random = np.random.default_rng([settings.seed, *"/".join(place).encode()])
    named = doubted.draw(settings.count, random)
    free = np.arange(doubted.problem.animals)
    if scene.answered is not None:
        free = np.setdiff1d(free, scene.answered.animals)
    named = exchanged(named, free, 1 - scene.fit.trust, random)
    about = {
        "seed": str(settings.seed),
        "exponent": f"{doubted.exponent:.3g}",
        "weight_let_go": f"{doubted.lost:.2g}",
    }
    log.info("draws: %s", ", ".join(f"{name} {value}" for name, value in about.items()))
    pieces = scene.pieces.tracklets
    numbers = scene.segment.tracklets["tracklet"].to_numpy(dtype=np.int64)[pieces.opening]
    table = stretches(numbers, pieces.first, pieces.last, scene.trace.animals, named)
    return Drawn(table, _cut_short(doubted.lost, scene.stage.paths.most_states), about)


def exchanged(named: Names, free: Ints, share: float, random: np.random.Generator) -> Names:
    """Exchange the names of animals throughout, in a share of the draws.

    Where the antenna trace may be another segment's (:mod:`murid.identify.fit_check`), who is
    followed may be told, but not who that is.

    Parameters
    ----------
    named
        (D, I) animal of each piece in each draw, -1 = nobody.
    free
        Animals whose names may be exchanged: those that nobody answered for.
    share
        How probable it is that a draw's are.
    random
        Makes random numbers.

    Returns
    -------
    (D, I); an animal's pieces still are one animal's.
    """
    most = max(int(named.max(initial=-1)), int(free.max(initial=-1))) + 1
    made = named.copy()
    for row in np.flatnonzero(random.random(len(named)) < share):
        names = np.append(np.arange(most), NOBODY)
        names[free] = random.permutation(free)
        made[row] = names[named[row]]
    return made


def stretches(
    whole: Ints, first: Ints, last: Ints, animals: Sequence[str], named: Names
) -> pd.DataFrame:
    """Return the table ``draws`` of drawn assignments.

    Pieces of one tracklet that follow each other without a frame between them, and are of one
    animal, are one stretch.

    Parameters
    ----------
    whole
        (I,) number of the tracklet that each piece is of; pieces by tracklet and frame.
    first, last
        (I,) first and last frame of each.
    animals
        Names.
    named
        (D, I) animal of each piece in each draw, -1 = nobody.
    """
    begins = np.ones(named.shape, dtype=np.bool_)
    follows = (whole[1:] == whole[:-1]) & (first[1:] == last[:-1] + 1)
    begins[:, 1:] = ~follows | (named[:, 1:] != named[:, :-1])
    draws, opening = np.nonzero(begins)
    # A stretch ends before the next begins, and none goes on from one draw to the next.
    closing = (np.append(np.flatnonzero(begins)[1:], begins.size) - 1) % max(len(whole), 1)
    names = np.array([*animals, None], dtype=object)
    return pd.DataFrame(
        {
            "draw": draws,
            "tracklet": whole[opening],
            "first_frame": first[opening],
            "last_frame": last[closing[: len(opening)]],
            "animal": names[named[draws, opening]],
        }
    )


def _cut_short(lost: float, most_states: int) -> Verdict:
    """Say so if what the search let go could show in the draws."""
    if lost <= LOST:
        return Verdict()
    reason = (
        f"draws let go of {lost:.2g} of the weight of all that is possible, where at most {LOST:g} "
        f"is negligible: more than identify.most_states {most_states} states were worth keeping; "
        "raise it"
    )
    log.warning("%s", reason)
    return Verdict("repaired", reason)
