"""The stretches of video in which it is uncertain who is who."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from murid import schemas, spreadsheets, tables
from murid.errors import InputError, PartialError
from murid.files import write_text
from murid.settings import Review

if TYPE_CHECKING:
    from murid.review.stage import Review as Stage

_SLACK = 1e-3
"""By which a tracklet's probabilities may exceed 1 through rounding."""
_PAIR = ["candidate", "other"]
_PROBABILITIES = ["probability", "other_probability"]


def list_stretches(stage: "Stage") -> None:
    """Write the uncertain stretches of several segments, the longest first.

    Tables of a segment that cannot be used are empty, and so are posteriors that nobody estimated.

    Raises
    ------
    InputError
        If tables of a segment cannot be read, or do not fit each other, and CSV is to be written.
    PartialError
        The same, if a table is: it says so in its verdict, and has the stretches of the others.
    """
    as_csv = stage.output.suffix == ".csv"
    parts, verdict = [], tables.Verdict()
    for cage, segment, tracklets, posteriors, fps in stage.segments:
        try:
            beliefs = tables.read(posteriors, "posteriors")
            linked = tables.read(tracklets, "tracklets")
            uncertain = find(linked, beliefs, fps, stage.review, posteriors)
        except InputError as error:
            if as_csv:
                raise
            reason = f"review of {cage} {segment} failed: {' '.join(str(error).split())}"
            verdict |= tables.Verdict("failed", reason)
            continue
        parts.append(uncertain.assign(cage=cage, segment=segment))
    table = longest_first(tables.concatenate(parts, "stretches"))
    if as_csv:
        write_text(stage.output, spreadsheets.to_csv(tables.conform(table, "stretches")))
        return
    tables.write(table, stage.output, "stretches", verdict)
    if verdict.reason:
        raise PartialError(verdict.reason)


def longest_first(stretches: pd.DataFrame) -> pd.DataFrame:
    """Sort the table ``stretches``, the longest first, then by cage, segment and frame."""
    order = ["seconds", "cage", "segment", "first_frame", *_PAIR]
    ascending = [column != "seconds" for column in order]
    return stretches.sort_values(order, ascending=ascending, ignore_index=True)


def find(
    tracklets: pd.DataFrame,
    posteriors: pd.DataFrame,
    fps: float,
    settings: Review,
    source: object = "posteriors",
) -> pd.DataFrame:
    """Find the stretches of a segment in which the name of a tracklet is uncertain.

    A tracklet is uncertain if neither an animal nor nobody is as probable as ``settings.below``.
    Uncertain tracklets with the same two likeliest names are one stretch, as long as not more than
    ``settings.gap`` seconds pass without one of them. Stretches of less than ``settings.shortest``
    seconds are left out.

    Parameters
    ----------
    tracklets
        The table ``tracklets``.
    posteriors
        The table ``posteriors``; a tracklet without a row is nobody's for certain.
    fps
        Frames per second.
    settings
        What counts as uncertain, and as one stretch.
    source
        Named in errors.

    Returns
    -------
    Columns of the table ``stretches`` but ``cage`` and ``segment``, in the order of frames.

    Raises
    ------
    InputError
        If a posterior is of no tracklet, those of a tracklet exceed 1, or an animal is named
        ``nobody``.
    """
    spans = tracklets.groupby("tracklet")["frame"].agg(["min", "max", "size"])
    _check(posteriors, spans.index, source)
    if posteriors.empty:
        return tables.empty("stretches").drop(columns=["cage", "segment"])
    uncertain = _pairs(posteriors, settings.below).join(spans, on="tracklet")
    stretches = _join(uncertain, settings.gap * fps)
    stretches["seconds"] = (stretches["last_frame"] - stretches["first_frame"] + 1) / fps
    stretches = stretches[stretches["seconds"] >= settings.shortest]
    turned = stretches["probability"] < stretches["other_probability"]
    for names in (_PAIR, _PROBABILITIES):
        stretches.loc[turned, names] = stretches.loc[turned, names[::-1]].to_numpy()
    columns = schemas.CONTRACTS["stretches"].schema.names[2:]
    return stretches.sort_values(["first_frame", *_PAIR], ignore_index=True)[columns]


def _pairs(posteriors: pd.DataFrame, below: float) -> pd.DataFrame:
    """Return the two likeliest names of each uncertain tracklet, in the order of the alphabet.

    The order must not depend on which is likelier, since that may change from one tracklet of a
    stretch to the next.
    """
    wide = posteriors.pivot(index="tracklet", columns="animal", values="probability")
    wide = wide.astype(np.float64).fillna(0.0)
    wide[schemas.NOBODY] = (1 - wide.sum(axis=1)).clip(lower=0.0)
    wide = wide[sorted(wide.columns)]
    values = wide.to_numpy()
    # Probabilities are stored as float32, in which 0.9 is a little less than it is elsewhere.
    uncertain = values.max(axis=1) < np.float32(below)
    wide, values = wide[uncertain], values[uncertain]
    two = np.sort(np.argsort(-values, axis=1, kind="stable")[:, :2], axis=1)
    names, best = wide.columns.to_numpy()[two], np.take_along_axis(values, two, axis=1)
    return pd.DataFrame(
        {
            "tracklet": wide.index.to_numpy(),
            **dict(zip(_PAIR, names.T, strict=True)),
            **dict(zip(_PROBABILITIES, best.T, strict=True)),
        }
    )


def _join(uncertain: pd.DataFrame, gap: float) -> pd.DataFrame:
    """Join tracklets of the same two names between which not more than ``gap`` frames pass."""
    uncertain = uncertain.sort_values([*_PAIR, "min", "tracklet"], ignore_index=True)
    pair = [uncertain[name] for name in _PAIR]
    reached = uncertain.groupby(pair)["max"].cummax().groupby(pair).shift()
    begins = reached.isna() | (uncertain["min"] - reached - 1 > gap)
    for name in _PROBABILITIES:
        uncertain[name] *= uncertain["size"]
    joined = uncertain.groupby(begins.cumsum()).agg(
        first_frame=("min", "min"),
        last_frame=("max", "max"),
        **{name: (name, "first") for name in _PAIR},
        **{name: (name, "sum") for name in _PROBABILITIES},
        boxes=("size", "sum"),
        tracklets=("size", "size"),
    )
    for name in _PROBABILITIES:
        joined[name] /= joined["boxes"]
    return joined


def _check(posteriors: pd.DataFrame, tracklets: pd.Index, source: object) -> None:
    totals = posteriors.groupby("tracklet")["probability"].transform("sum")
    faults = {
        "a posterior of no tracklet of the segment": ~posteriors["tracklet"].isin(tracklets),
        "probabilities of a tracklet that add up to more than 1": totals > 1 + _SLACK,
        f"an animal named {schemas.NOBODY!r}": posteriors["animal"] == schemas.NOBODY,
    }
    for fault, wrong in faults.items():
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(
                source, fault,
                "probabilities of the tracklets' animals, whose rest to 1 is nobody's",
                where=f"row {row} (tracklet {posteriors['tracklet'].iloc[row]})",
            )  # fmt: skip
