"""Detections and tracklets as columns: CSV, Parquet and pickled frames."""

from murid import schemas
from murid.archive import columns
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source

KNOWN = ("frame", *schemas.BOX, "score", "label", "tracklet", "detection", *schemas.SOURCE)
"""Columns of tables of detections and tracklets; the rank in a frame is made anew."""


def read(source: Source) -> Columns:
    """Read the columns as they are in the file.

    Raises
    ------
    InputError
        As :func:`murid.archive.columns.read`.
    """
    return columns.read(source.path, KNOWN)


FORMAT = Format(
    name="columns (.csv, .parquet, pickled frame)",
    words="columns `frame` (from 0), `x`, `y` (top-left corner), `w`, `h`, `score`, and perhaps "
    "`label` (`mouse`, `tunnel`) and `tracklet` (empty or -1: none); pixels of the raw frame. "
    "Tracklets need no `score`",
    suffixes=(".csv", ".parquet", *columns.PICKLES),
    read=read,
)
