"""Which stretches of a segment are worth a clip: where it is clear who is who, and where it is not.

Every stretch of a given length is looked at, one a second. The *most confident* is the one whose
least certain animal is the most certain, on average over its frames, among those that show the
animals in at least half of the frames; the *least confident* the one where it is the least. The
*disagreement* is the one in which the most animals, on average, are given different boxes by
different methods. Among equals (to the percent) the one with more movement comes first, then the
earlier one.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables
from murid.clip.arrays import by_frame

SHOWN = 0.5
"""Share of frames in which animals must have boxes for a stretch to be shown as confident."""


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
    frames = max(
        (int(table["frame"].max()) + 1 for table in identities.values() if len(table)), default=0
    )
    if not frames:
        return tables.empty("moments")
    animals = sorted(set().union(*(table["animal"].unique() for table in identities.values())))
    columns = [*schemas.BOX, "confidence"]
    answers = {
        name: by_frame(table, columns, animals, frames) for name, table in identities.items()
    }
    length = min(max(round(seconds * fps), 1), frames)
    firsts = np.arange(0, frames - length + 1, max(round(fps), 1))

    def mean(values: NDArray[np.floating]) -> NDArray[np.float64]:
        sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        return (sums[firsts + length] - sums[firsts]) / length

    _, values = answers[default]
    boxes, confidence = values[..., :4], values[..., 4]
    stretches = pd.DataFrame(
        {
            "first_frame": firsts,
            "last_frame": firsts + length - 1,
            "shown": mean(np.isfinite(boxes).all(axis=2).mean(axis=1)),
            "motion": mean(_motion(boxes)),
            "answered": mean(np.all([answered for answered, _ in answers.values()], axis=0)),
        }
    )
    parts = []
    if np.isfinite(confidence).all(axis=1).all():
        sure = stretches.assign(score=mean(confidence.min(axis=1)))
        parts += [sure.assign(kind=kind) for kind in ("most_confident", "least_confident")]
    if len(answers) > 1:
        differ = _differ([values[..., :4] for _, values in answers.values()]).mean(axis=1)
        parts.append(stretches.assign(score=mean(differ), kind="disagreement"))
    return tables.concatenate((best(part).head(1) for part in parts), "moments")


def best(stretches: pd.DataFrame) -> pd.DataFrame:
    """Sort stretches of one kind, the best first.

    Parameters
    ----------
    stretches
        Columns of the table ``moments``, perhaps without ``cage`` and ``segment``.
    """
    kind = stretches["kind"].iloc[0] if len(stretches) else "disagreement"
    score = stretches["score"].round(2)
    keys = stretches.assign(
        _first=~(stretches["shown"] >= SHOWN)
        if kind == "most_confident"
        else -stretches["answered"],
        _score=score if kind == "least_confident" else -score,
        _motion=-stretches["motion"],
    )
    places = [name for name in ("cage", "segment", "first_frame") if name in stretches]
    order = keys.sort_values(["_first", "_score", "_motion", *places], kind="stable").index
    return stretches.loc[order].reset_index(drop=True)


def _motion(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many pixels the animals move from the frame before: (F, J, 4) -> (F,), mean."""
    centres = boxes[..., :2] + boxes[..., 2:] / 2
    steps = np.linalg.norm(np.diff(centres, axis=0, prepend=centres[:1]), axis=2)
    return np.nan_to_num(steps).mean(axis=1)


def _differ(boxes: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Tell where methods give an animal different boxes: (F, J, 4) each -> (F, J)."""
    first, *others = (np.nan_to_num(each, nan=-1.0) for each in boxes)
    return np.any([(other != first).any(axis=2) for other in others], axis=0)
