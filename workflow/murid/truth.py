"""Which annotated frames can be trusted to say where every animal is."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import tables


def unambiguous_frames(annotations: pd.DataFrame) -> NDArray[np.int64]:
    """Return the annotated frames in which every object's identity is certain (Sect. 5.1).

    A frame with a huddle, a tentative identity, an object with none or several identities, or two
    objects of the same animal is left out entirely; one in which nothing is visible counts.

    Parameters
    ----------
    annotations
        The table ``annotations``.

    Returns
    -------
    Shape (n,), sorted.
    """
    frames = annotations["frame"].to_numpy(dtype=np.int64)
    names = annotations["identities"].map(lambda names: tuple(sorted(set(names))))
    kind = annotations["type"].to_numpy()
    single = (kind == "single") & (names.map(len) == 1).to_numpy(dtype=bool)
    twice = pd.DataFrame({"frame": frames, "names": names}).duplicated(keep=False).to_numpy()
    tunnel = names.map(lambda names: names == (tables.TUNNEL,)).to_numpy(dtype=bool)
    certain = (kind == "empty") | (single & (tunnel | ~twice))
    return np.setdiff1d(frames, frames[~certain])
