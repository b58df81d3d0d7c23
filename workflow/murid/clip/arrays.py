"""Tables of frames and animals, laid out as arrays."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def by_frame(
    table: pd.DataFrame, columns: Sequence[str], animals: Sequence[str], frames: int, first: int = 0
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Lay out columns of a table by frame and animal.

    Parameters
    ----------
    table
        A row a frame and animal, with columns ``frame`` and ``animal``.
    columns
        Those to lay out, K numbers; null becomes NaN.
    animals
        The J animals that rows may be of.
    frames, first
        The number F of frames from ``first`` on that rows may be of.

    Returns
    -------
    Whether the frame has a row, (F,), and the values, (F, J, K), NaN where there is none.
    """
    present = np.zeros(frames, dtype=bool)
    values = np.full((frames, len(animals), len(columns)), np.nan)
    places = table["frame"].to_numpy() - first
    present[places] = True
    rows = table[list(columns)].to_numpy(dtype=np.float64, na_value=np.nan)
    values[places, pd.Index(animals).get_indexer(table["animal"])] = rows
    return present, values
