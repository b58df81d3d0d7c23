"""Annotations as the table ``annotations``, which murid writes."""

from murid import parquet, tables
from murid.archive.columns import Judged
from murid.archive.formats import Format, Source


def read(source: Source) -> Judged:
    """Return the table, and the verdict that it carries.

    Raises
    ------
    InputError
        As :func:`murid.tables.read`, or if the file is too large.
    """
    table = tables.read(parquet.bounded(source.path), "annotations")
    return Judged(table, tables.read_verdict(source.path))


FORMAT = Format(
    name="a table of annotations",
    words="the table `annotations`, as an import writes it",
    suffixes=(".parquet",),
    read=read,
)
