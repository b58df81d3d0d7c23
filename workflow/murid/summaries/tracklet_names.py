"""The table of names by tracklet: for those who brought tracks of their own."""

import numpy as np
import pandas as pd

from murid import schemas
from murid.schemas import NOBODY, SOURCE


def table(tracklets: pd.DataFrame, posteriors: pd.DataFrame) -> pd.DataFrame:
    """Return the table ``tracklet_names``, but for cage and segment.

    Parameters
    ----------
    tracklets, posteriors
        The tables of a segment; of tracks of another tool, with where they come from there.

    Returns
    -------
    A row for each tracklet: its likeliest animal, or nobody, and the track and row in the other
    tool's file of its first box.
    """
    ordered = tracklets.sort_values(["tracklet", "frame"])
    by = ordered.groupby("tracklet")
    made = pd.DataFrame(
        {"first_frame": by["frame"].min(), "last_frame": by["frame"].max(), "boxes": by.size()}
    )
    for name in SOURCE:
        if name in ordered:
            # The first box, not the first value: a row must be of its own track.
            made[name] = by[name].nth(0).set_axis(made.index)
    wide = posteriors.pivot(index="tracklet", columns="animal", values="probability")
    wide = wide.reindex(made.index).astype(np.float64)
    told = wide.notna().any(axis=1)
    wide[NOBODY] = (1 - wide.sum(axis=1)).clip(0, 1).where(told)
    values = np.nan_to_num(wide.to_numpy(), nan=-1.0)
    likeliest = wide.columns.to_numpy(dtype=object)[values.argmax(axis=1)]
    made["animal"] = np.where(told, likeliest, NOBODY)
    made["probability"] = wide.max(axis=1).where(told)
    names = [column.name for column in schemas.CONTRACTS["tracklet_names"].columns]
    return made.reset_index()[[name for name in names if name in {"tracklet", *made.columns}]]
