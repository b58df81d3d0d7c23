"""Which stretches of a segment are worth a clip: where it is clear who is who, and where it is not.

Every stretch of a given length is looked at, one a second. The *most confident* is the one whose
least certain animal is the most certain, on average over its frames, among those that show the
animals in at least half of the frames; the *least confident* the one where it is the least. The
*disagreement* is the one in which the most animals, on average, are given different boxes by
different methods. Among equals (to the percent) the one with more movement comes first, then the
earlier one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import contracts, tables

SHOWN = 0.5
"""Share of frames in which animals must have boxes for a stretch to be shown as confident."""


@dataclass(frozen=True)
class _Answers:
    """What a method says of a segment: whether anything, (F,), boxes, (F, J, 4), and confidence."""

    given: NDArray[np.bool_]
    boxes: NDArray[np.float64]
    confidence: NDArray[np.float64]


def moments(
    identities: Mapping[str, pd.DataFrame], default: str, fps: float, seconds: float
) -> pd.DataFrame:
    """Find the best stretch of each kind in a segment.

    Parameters
    ----------
    identities
        The table ``identities`` of each method to compare, among them ``default``.
    default
        The method whose confidence counts.
    fps
        Frames per second.
    seconds
        Length of a stretch; a shorter segment is one stretch.

    Returns
    -------
    Columns of the table ``moments`` but ``cage`` and ``segment``: a row a kind, but none on
    confidence if ``default`` does not tell its own, and none on disagreement of a single method.
    """
    frames = max((int(table["frame"].max()) + 1 for table in identities.values() if len(table)),
                 default=0)  # fmt: skip
    if not frames:
        return tables.empty("moments").drop(columns=["cage", "segment"])
    animals = sorted(set().union(*(table["animal"].unique() for table in identities.values())))
    answers = {name: _answers(table, animals, frames) for name, table in identities.items()}
    length = min(max(round(seconds * fps), 1), frames)
    firsts = np.arange(0, frames - length + 1, max(round(fps), 1))

    def mean(values: NDArray[np.floating]) -> NDArray[np.float64]:
        sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        return (sums[firsts + length] - sums[firsts]) / length

    own = answers[default]
    found = pd.DataFrame(
        {
            "first_frame": firsts,
            "last_frame": firsts + length - 1,
            "shown": mean(np.isfinite(own.boxes).all(axis=2).mean(axis=1)),
            "motion": mean(_motion(own.boxes)),
            "answered": mean(np.all([one.given for one in answers.values()], axis=0)),
        }
    )
    parts = []
    if np.isfinite(own.confidence).all(axis=1).all():
        sure = found.assign(score=mean(own.confidence.min(axis=1)))
        parts += [sure.assign(kind=kind) for kind in ("most_confident", "least_confident")]
    if len(answers) > 1:
        differ = _differ([one.boxes for one in answers.values()]).mean(axis=1)
        parts.append(found.assign(score=mean(differ), kind="disagreement"))
    if not parts:
        return tables.empty("moments").drop(columns=["cage", "segment"])
    return pd.concat([best(part).head(1) for part in parts], ignore_index=True)


def best(found: pd.DataFrame) -> pd.DataFrame:
    """Sort stretches of one kind, the best first.

    Parameters
    ----------
    found
        Columns of the table ``moments``, perhaps without ``cage`` and ``segment``.
    """
    kind = found["kind"].iloc[0] if len(found) else "disagreement"
    score = found["score"].round(2)
    keys = found.assign(
        _first=~(found["shown"] >= SHOWN) if kind == "most_confident" else -found["answered"],
        _score=score if kind == "least_confident" else -score,
        _motion=-found["motion"],
    )
    places = [name for name in ("cage", "segment", "first_frame") if name in found]
    order = keys.sort_values(["_first", "_score", "_motion", *places], kind="stable").index
    return found.loc[order].reset_index(drop=True)


def _answers(table: pd.DataFrame, animals: Sequence[str], frames: int) -> _Answers:
    given = np.zeros(frames, dtype=bool)
    boxes = np.full((frames, len(animals), 4), np.nan)
    confidence = np.full((frames, len(animals)), np.nan)
    places = table["frame"].to_numpy()
    columns = pd.Index(animals).get_indexer(table["animal"])
    given[places] = True
    boxes[places, columns] = table[contracts.BOX].to_numpy(dtype=np.float64)
    confidence[places, columns] = table["confidence"].to_numpy(dtype=np.float64, na_value=np.nan)
    return _Answers(given, boxes, confidence)


def _motion(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many pixels the animals move from the frame before: (F, J, 4) -> (F,), mean."""
    centres = boxes[..., :2] + boxes[..., 2:] / 2
    steps = np.linalg.norm(np.diff(centres, axis=0, prepend=centres[:1]), axis=2)
    return np.nan_to_num(steps).mean(axis=1)


def _differ(boxes: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Tell where methods give an animal different boxes: (F, J, 4) each -> (F, J)."""
    first = np.nan_to_num(boxes[0], nan=-1.0)
    others = [np.nan_to_num(other, nan=-1.0) for other in boxes[1:]]
    return np.any([(other != first).any(axis=2) for other in others], axis=0)
