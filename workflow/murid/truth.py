"""Which annotated frames can be trusted to say where every animal is, and what they say."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables
from murid.errors import InputError
from murid.picture import MOST_OUTSIDE
from murid.settings import Evaluate
from murid.tables import Verdict

_ROUNDING = 1e-6
"""Frames by which a time in seconds may miss a frame number through rounding."""


def contradictory_frames(annotations: pd.DataFrame) -> NDArray[np.int64]:
    """Return the annotated frames that cannot be right as they are: (n,), sorted.

    In them an animal is shown twice, or an object of type single names no animal or several.

    Parameters
    ----------
    annotations
        The table ``annotations``.
    """
    single = annotations[annotations["type"] == "single"]
    frames = single["frame"].to_numpy(dtype=np.int64)
    names = single["identities"].map(lambda names: tuple(sorted(set(names))))
    animal = names.map(lambda names: names != (schemas.TUNNEL,)).to_numpy(dtype=bool)
    twice = pd.DataFrame({"frame": frames, "names": names}).duplicated().to_numpy() & animal
    return np.unique(frames[twice | (names.map(len) != 1).to_numpy(dtype=bool)])


def unambiguous_frames(annotations: pd.DataFrame) -> NDArray[np.int64]:
    """Return the annotated frames in which every object's identity is certain (Sect. 5.1).

    A frame with a huddle, a tentative identity, or a contradiction is left out entirely; one in
    which nothing is visible counts. Whatever is learnt from identities, or judged by them, is so in
    these frames alone.

    Parameters
    ----------
    annotations
        The table ``annotations``.

    Returns
    -------
    Shape (n,), sorted.
    """
    certain = annotations["type"].isin(["single", "empty"])
    frames = annotations["frame"].to_numpy(dtype=np.int64)
    frames = np.setdiff1d(frames, frames[~certain.to_numpy(dtype=bool)])
    return np.setdiff1d(frames, contradictory_frames(annotations))


def shown_animals(annotations: pd.DataFrame) -> pd.DataFrame:
    """Return the annotations of animals in unambiguous frames, with their name as ``animal``.

    Each animal has one row at most in a frame; one without a row in an unambiguous frame is hidden.
    """
    kept = annotations["frame"].isin(unambiguous_frames(annotations))
    shown = annotations[kept & (annotations["type"] == "single")]
    names = [names[0] for names in shown["identities"]]
    shown = shown.assign(animal=pd.Series(names, index=shown.index, dtype=object))
    return shown[shown["animal"] != schemas.TUNNEL]


def leave_out(
    annotations: pd.DataFrame, wrong: pd.Series, what: str
) -> tuple[pd.DataFrame, Verdict]:
    """Leave out the frames of boxes that cannot be right; where most are so, all of them.

    Without one of its boxes a frame would say that the animal is hidden.

    Parameters
    ----------
    annotations
        The table ``annotations``.
    wrong
        Frame of each box that cannot be right.
    what
        What these boxes are.

    Returns
    -------
    The annotations that are kept, and what is to be said: names rest on no annotations of their own
    segment, so that it is ``repaired`` at worst.
    """
    if wrong.empty:
        return annotations, Verdict()
    total, first = int(annotations["x"].notna().sum()), wrong.min()
    said = f"{len(wrong):,} of {total:,} annotated boxes are {what} (the first at frame {first})"
    if len(wrong) >= MOST_OUTSIDE * total:
        reason = (
            f"{said}: they seem to be of another picture, and the annotations count as none; give "
            "boxes in pixels of the segment's own raw frames"
        )
        return tables.empty("annotations"), Verdict("repaired", reason)
    reason = f"{said}: their {wrong.nunique():,} frames are left out; correct the annotations"
    return annotations[~annotations["frame"].isin(wrong)], Verdict("repaired", reason)


def evaluated_frames(annotations: pd.DataFrame, fps: float, settings: Evaluate) -> pd.DataFrame:
    """Choose the frames that are evaluated, and number the snippets they belong to (Sect. 5.1).

    A snippet counts if enough of its annotation times (one every ``settings.interval`` seconds,
    both ends included) have an unambiguously annotated frame nearby: the paper removes snippets in
    which half of the frames or more show immobile or huddling mice.

    Parameters
    ----------
    annotations
        The table ``annotations``.
    fps
        Frames per second.
    settings
        The snippets; without any, every unambiguous frame belongs to snippet 0.

    Returns
    -------
    Columns ``frame`` and ``snippet``, sorted by frame, each frame once.
    """
    frames = unambiguous_frames(annotations)
    snippets = np.full(len(frames), -1)
    if settings.snippets is None:
        snippets[:] = 0
    for number, (start, end) in enumerate(settings.snippets or ()):
        first, last = start * fps - _ROUNDING, end * fps + _ROUNDING
        inside = (snippets < 0) & (frames >= first) & (frames <= last)
        times = int(np.floor((end - start) / settings.interval + _ROUNDING)) + 1
        nearest = np.rint((frames[inside] / fps - start) / settings.interval)
        annotated = len(np.unique(np.minimum(nearest, times - 1)))
        if annotated and annotated >= settings.min_annotated * times:
            snippets[inside] = number
    chosen = snippets >= 0
    return pd.DataFrame(
        {"frame": frames[chosen].astype(np.int32), "snippet": snippets[chosen].astype(np.int16)}
    )


def ground_truth(
    annotations: pd.DataFrame,
    frames: NDArray[np.integer],
    animals: Sequence[str],
    source: object = "annotations",
) -> pd.DataFrame:
    """Return the box of every visible animal in ``frames`` (Sect. 5.3, ``GT``).

    Parameters
    ----------
    annotations
        The table ``annotations``.
    frames
        Frames to keep, all unambiguous.
    animals
        The animals of the segment.
    source
        Named in errors.

    Returns
    -------
    Columns ``frame``, ``animal``, ``x``, ``y``, ``w``, ``h``, ``difficult``.

    Raises
    ------
    InputError
        If a frame shows an animal that is not of the segment.
    """
    truth = shown_animals(annotations)[["frame", "animal", *schemas.BOX, "difficult"]]
    truth = truth[truth["frame"].isin(frames)]
    truth["difficult"] = truth["difficult"].astype(bool)
    strangers = truth[~truth["animal"].isin(animals)]
    if len(strangers):
        row = strangers.iloc[0]
        raise InputError(
            source, f"the animal {row['animal']!r}", f"one of {', '.join(animals) or '(none)'}",
            where=f"frame {row['frame']}", remedy="The positions name the animals of a segment.",
        )  # fmt: skip
    return truth.reset_index(drop=True)
