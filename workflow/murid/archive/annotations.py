"""Annotated frames: read in any format, and judged by themselves.

The formats are in :mod:`murid.archive.annotated`. What single animals, huddles and tentative
identities are, :mod:`murid.archive.annotation_types` tells.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from murid import picture, schemas, tables
from murid.archive import formats
from murid.archive.annotated import formats as annotated_formats
from murid.archive.columns import Judged
from murid.errors import brief
from murid.tables import Verdict
from murid.truth import leave_out


def read(
    path: str | Path,
    cage: str | None = None,
    segment: str | None = None,
    fps: float | None = None,
    size: tuple[int, int] | None = None,
) -> Judged:
    """Read the annotations of a segment.

    Parameters
    ----------
    path
        The file, in any format of :mod:`murid.archive.annotated`.
    cage, segment
        Which segment's to take from a TIDe release that holds several.
    fps
        Frames a second of the segment's video, for annotations that are timed in seconds, or whose
        frames count at another rate.
    size
        Width and height of the raw frames in pixels, for boxes in shares of a picture whose size
        the file does not tell.

    Returns
    -------
    The table ``annotations``; empty where a release has none of the segment. And what is to be said
    of it.

    Raises
    ------
    InputError
        If the file is missing, damaged or of another kind, or an annotation makes no sense; naming
        the image or row.
    """
    source = formats.Source(Path(path), cage, segment, fps=fps, size=size)
    judged: Judged = formats.read(annotated_formats(), source)
    return judged


def judge_boxes(
    table: pd.DataFrame, size: tuple[int, int] | None = None
) -> tuple[pd.DataFrame, Verdict]:
    """Judge whether boxes can be of the segment's picture, by themselves.

    Parameters
    ----------
    table
        The table ``annotations``.
    size
        Width and height of the raw frames in pixels, if they are known.

    Returns
    -------
    The annotations that may be used, and what is to be said, at worst ``repaired``: none where
    their unit is another or most boxes are no animal's in the picture, else those without the
    frames of such boxes.
    """
    boxed = table[table["x"].notna()]
    given = boxed[schemas.BOX].to_numpy(dtype=np.float64)
    unit = picture.other_unit(given)
    if unit:
        reason = f"annotations of {unit}; they count as none"
        return tables.empty("annotations"), Verdict("repaired", reason)
    wrong, what = (given[:, 2:] <= 1).any(axis=1), "no wider or higher than a pixel"
    if size is not None:
        wrong |= picture.outside(given, size)
        what += f", or outside the picture of {size[0]} x {size[1]}"
    return leave_out(table, boxed["frame"][wrong], what)


def compare_sizes(sizes: Sequence[tuple[float, float]], size: tuple[int, int]) -> Verdict:
    """Tell of annotated images that are of another size than the segment's video.

    Parameters
    ----------
    sizes
        Widths and heights of the images, as they are told.
    size
        Width and height of the raw frames.
    """
    others = [given for given in sizes if tuple(given) != tuple(size)]
    if not others:
        return Verdict()
    listed = brief(", ".join(f"{width:g} x {height:g}" for width, height in others))
    return Verdict(
        "repaired",
        f"the annotated images are said to be of {listed} pixels, the video's frames are of "
        f"{size[0]} x {size[1]}: boxes are taken for pixels of the latter; if they are not, scale "
        "them",
    )
