"""The formats of annotations, a module each: to add a format is to add a module.

A format's module has ``FORMAT``, whose ``read`` takes :class:`murid.archive.formats.Source` and
returns :class:`murid.archive.columns.Judged`: the table ``annotations``, and what is to be said of
it. What was drawn in images becomes the table by :func:`murid.archive.annotation_types.as_table`.
"""

import functools
import pkgutil

from murid.archive.formats import Format, load


@functools.cache
def formats() -> dict[str, Format]:
    """Return all formats by name."""
    return load(__name__, (module.name for module in pkgutil.iter_modules(__path__)))
