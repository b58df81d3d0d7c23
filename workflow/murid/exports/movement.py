"""Boxes as *movement* has them: netCDF of ``position``, ``shape`` and ``confidence``.

netCDF is HDF5 whose dimensions are scales, so that the library of HDF5 writes it. Of its order of
creation it takes that of the dimensions.
"""

from pathlib import Path
from typing import Any

import numpy as np

from murid.exports.content import SOFTWARE, Content
from murid.files import replacing

DIMENSIONS = ("time", "space", "individuals")


def write(content: Content, path: Path) -> None:
    """Write the boxes to ``path``.

    ``position`` is the centre and ``shape`` width and height, both (time, space, individuals), in
    pixels of the raw frame; ``confidence`` is (time, individuals); all are float64, NaN where the
    animal has no box. ``time`` is in seconds from the segment's start, a row a frame.
    """
    import h5py

    shape = content.grid("w", "h")
    values = {
        "position": content.grid("x", "y") + shape / 2,
        "shape": shape,
        "confidence": content.grid("confidence")[:, 0],
    }
    with replacing(path) as temporary, h5py.File(temporary, "w", track_order=True) as file:
        file.attrs.update(
            source_software=SOFTWARE,
            ds_type="bboxes",
            fps=content.fps,
            time_unit="seconds",
            source_file=content.film,
            cage=content.cage,
            segment=content.segment,
            status=content.verdict.status,
            reason=content.verdict.reason,
        )
        text = h5py.string_dtype()
        file["time"] = np.arange(content.frames) / content.fps
        file["space"] = np.array(["x", "y"], dtype=text)
        file["individuals"] = np.array(content.animals, dtype=text)
        for name in DIMENSIONS:
            file[name].make_scale(name)
        for name, array in values.items():
            _variable(file, name, array)


def _variable(file: Any, name: str, array: np.ndarray) -> None:
    """Add a variable of some of the dimensions: all, or all but that of space."""
    packed = {"compression": "gzip", "compression_opts": 4, "shuffle": True} if array.size else {}
    made = file.create_dataset(name, data=array, track_order=True, **packed)
    dimensions = DIMENSIONS if array.ndim == len(DIMENSIONS) else (DIMENSIONS[0], DIMENSIONS[2])
    for place, dimension in enumerate(dimensions):
        made.dims[place].attach_scale(file[dimension])
