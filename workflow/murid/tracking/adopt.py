"""Tracklets made elsewhere, taken over as far as their boxes are among the detections kept."""

import logging

import pandas as pd

from murid import boxes, schemas, tables
from murid.tables import Verdict
from murid.tracking import ends, unlinked
from murid.tracklets import Tracklets

log = logging.getLogger(__name__)

SAME = 0.9
"""IoU from which a tracklet's box is a detection: tools round boxes in their own ways."""


def adopt(tracklets: pd.DataFrame, detections: pd.DataFrame) -> pd.DataFrame:
    """Find the detections that tracklets consist of.

    Parameters
    ----------
    tracklets
        Columns ``frame, tracklet, x, y, w, h``, each tracklet at most once a frame; perhaps where
        each box stands in its file.
    detections
        The table ``detections``; only mice are looked at.

    Returns
    -------
    The table ``tracklets``, with the boxes of the detections; boxes that are none are left out.
    """
    origin = [name for name in schemas.SOURCE if name in tracklets]
    rows = tracklets[["frame", "tracklet", *schemas.BOX, *origin]]
    rows = rows.assign(row=range(len(rows)))
    mice = detections.loc[detections["label"] == "mouse", ["frame", "detection", *schemas.BOX]]
    pairs = rows.merge(mice, on="frame", suffixes=("_given", ""))
    given = pairs[[f"{name}_given" for name in schemas.BOX]]
    pairs["overlap"] = boxes.paired_iou(given, pairs[schemas.BOX])
    pairs = pairs[pairs["overlap"] >= SAME]
    pairs = pairs.sort_values(["overlap", "row", "detection"], ascending=[False, True, True])
    pairs = pairs.drop_duplicates("row").drop_duplicates(["frame", "detection"])
    pairs = pairs.sort_values(["frame", "detection"], ignore_index=True)
    return tables.conform(pairs, "tracklets")


def judge(given: pd.DataFrame, detections: pd.DataFrame, kept: pd.DataFrame) -> Verdict:
    """Judge how well tracklets and detections go together.

    Parameters
    ----------
    given
        The table ``tracklets`` as another tool made it.
    detections
        The table ``detections`` of what is kept.
    kept
        What :func:`adopt` made of them.

    Returns
    -------
    ``discarded`` if none of the boxes of the one are of the other; ``repaired`` if many are not, so
    that nobody can name them.
    """
    mice = int((detections["label"] == "mouse").sum())
    if mice and kept.empty:
        reason = f"no box of the tracklets ({len(given):,}) is one of the {mice:,} detections kept"
        return Verdict("discarded", reason)
    verdict = Verdict()
    lost = len(given) - len(kept)
    if lost > unlinked.NOT_FEW * len(given):
        share = f"{lost:,} of {len(given):,} boxes of tracklets ({lost / len(given):.0%})"
        verdict |= Verdict("repaired", f"{share} are no detection that is kept, and left out")
    return verdict | unlinked.judge(mice, len(kept))


def cut_doubtful(tracklets: pd.DataFrame) -> tuple[pd.DataFrame, Verdict]:
    """Cut adopted tracklets wherever they may pass from one animal to another.

    Parameters
    ----------
    tracklets
        The table ``tracklets``, with the numbers of the tool that made it.

    Returns
    -------
    The table, in which the first piece of each tracklet keeps its number; and the verdict:
    ``repaired`` if any is cut, with how many cuts of which kind; and where first, if boxes tell
    that two tracklets have exchanged numbers.
    """
    whole = Tracklets(tracklets["frame"], tracklets["tracklet"])
    pieces = ends.cut(whole, tracklets[schemas.BOX])
    verdict = _told(len(whole), pieces)
    log.info("%s", verdict.reason or f"none of {len(whole):,} tracklets cut")
    if len(pieces.exchanges):
        frame, one, other = pieces.exchanges[0]
        verdict |= Verdict(
            "repaired",
            f"tracklets exchange numbers {len(pieces.exchanges)} times (first: {one} and {other} "
            f"at frame {frame}, where each box follows from the other's last), but are to be one "
            "animal each: they were cut there, and names follow the boxes",
        )
    return tables.conform(tracklets.assign(tracklet=pieces.tracklet), "tracklets"), verdict


def _told(tracklets: int, pieces: ends.Cuts) -> Verdict:
    """Tell how often tracklets were cut, and why."""
    kinds = {
        "another animal's box fits as well or may hide it": pieces.meetings,
        "a box does not follow from the last": pieces.jumps,
        "boxes are missing for long": pieces.gaps,
    }
    if not pieces.cuts:
        return Verdict()
    listed = ", ".join(f"{count:,} where {why}" for why, count in kinds.items() if count)
    places = f"{pieces.cuts:,} place{'s' * (pieces.cuts > 1)}"
    return Verdict(
        "repaired", f"{tracklets:,} tracklets given were cut in {places}: {listed} "
        "(track.cut_adopted)",
    )  # fmt: skip


def adopt_pure(
    given: pd.DataFrame, detections: pd.DataFrame, cut: bool = True
) -> tuple[pd.DataFrame, Verdict]:
    """Adopt a segment's tracklets, judge how many, and cut them where they may be of two animals.

    Parameters
    ----------
    given
        The table ``tracklets`` of another tool.
    detections
        The table ``detections`` of what is kept.
    cut
        Whether to cut them; else each is taken as one animal.

    Returns
    -------
    The table ``tracklets``, and the verdict.
    """
    kept = adopt(given, detections)
    verdict = judge(given, detections, kept)
    log.info("%d of %d boxes of tracklets are detections that are kept", len(kept), len(given))
    if not cut:
        return kept, verdict
    kept, told = cut_doubtful(kept)
    return kept, verdict | told
