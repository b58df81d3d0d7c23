"""The formats of detections and tracklets, a module each: to add a format is to add a module.

A format's module has ``FORMAT``, whose ``read`` takes :class:`murid.archive.formats.Source` and
returns :class:`murid.archive.columns.Columns`: ``frame``, ``x, y, w, h``, ``score``, and perhaps
``label`` and ``tracklet``.
"""

import functools
import pkgutil

from murid.archive.formats import Format, load


@functools.cache
def formats() -> dict[str, Format]:
    """Return all formats by name."""
    return load(__name__, (module.name for module in pkgutil.iter_modules(__path__)))
