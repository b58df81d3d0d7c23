"""The formats of detections and tracklets, a module each: to add a format is to add a module.

A format's module has ``FORMAT``, whose ``read`` takes :class:`murid.archive.formats.Source` and
returns :class:`murid.archive.columns.Columns`: ``frame``, ``x, y, w, h``, ``score``, and perhaps
``label`` and ``tracklet``. What leads back to a box in its file is the row's number, unless columns
``source_row`` (a whole number) and ``source_track`` (text) say better.
"""

import functools
import importlib
import pkgutil

from murid.archive.formats import Format, in_order


@functools.cache
def formats() -> dict[str, Format]:
    """Return all formats by name."""
    return in_order(
        (module.name, importlib.import_module(f"{__name__}.{module.name}").FORMAT)
        for module in pkgutil.iter_modules(__path__)
    )
