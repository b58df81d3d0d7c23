"""Where what has no name is lost: by the detector, by the tracker, or where tracklets are named."""

import pandas as pd

from murid import schemas, tables

ASIDE = "path"
"""The method that is looked into."""


def count(animals: pd.DataFrame, detections: pd.DataFrame, tracklets: pd.DataFrame) -> pd.DataFrame:
    """Count the frames in which an animal that is seen has no box, and the boxes without a name.

    Parameters
    ----------
    animals, detections
        The tables ``animal_outcomes`` and ``detection_outcomes`` of a segment.
    tracklets
        Its table ``tracklets``.

    Returns
    -------
    The table ``missed``. Of ``animal``: the annotated animals that are visible, of which ``kept``
    have a box, right or wrong; of ``box``: the detections that the oracle names, of which ``kept``
    have a name. Of the others, ``detector``: no detection covers the animal; ``tracker``: its
    detection is in no tracklet; ``nobody``: its tracklet is nobody's; ``another``: it is named as
    another animal.
    """
    boxes = detections[(detections["method"] == ASIDE) & detections["oracle"].notna()]
    linked = pd.MultiIndex.from_frame(tracklets[["frame", "detection"]].astype("int64"))
    places = pd.MultiIndex.from_frame(boxes[["frame", "detection"]].astype("int64"))
    boxes = boxes.assign(cause="another").rename(columns={"oracle": "animal"})
    boxes.loc[boxes["identity"].isna(), "cause"] = "nobody"
    boxes.loc[~places.isin(linked), "cause"] = "tracker"
    seen = animals[(animals["method"] == ASIDE) & animals["visible"]]
    keys = ["cage", "segment", "frame", "animal"]
    seen = seen.merge(boxes[[*keys, "cause"]], on=keys, how="left").fillna({"cause": "detector"})
    seen.loc[seen["assigned"], "cause"] = "kept"
    # A box with another one's name is a wrong name, which is counted elsewhere.
    boxes.loc[boxes["cause"] == "another", "cause"] = "kept"
    parts = [
        rows.groupby(["cage", "segment", "cause"]).size().rename("count").reset_index()
        .assign(kind=kind)
        for kind, rows in (("animal", seen), ("box", boxes))
    ]  # fmt: skip
    return tables.concatenate(parts, "missed")


def by_cage(missed: pd.DataFrame) -> pd.DataFrame:
    """Sum up the table ``missed``: a row a cage and kind, and ``all`` cages last.

    Returns
    -------
    ``kind, cage, total``, and a column each of what may become of them, counts.
    """
    every = pd.concat([missed, missed.assign(cage="all")])
    wide = every.pivot_table(
        index=["kind", "cage"], columns="cause", values="count", aggfunc="sum", fill_value=0
    )
    wide = wide.reindex(columns=list(schemas.CAUSES), fill_value=0).astype("int64")
    wide.insert(0, "total", wide.sum(axis=1))
    cages = [*sorted({*missed["cage"]}), "all"]
    places = [(kind, cage) for kind in schemas.MISSED for cage in cages]
    return wide.reindex([place for place in places if place in wide.index]).reset_index()
