"""Poses of JABS (``pose_est_v2.h5`` to ``v8``): boxes around the body parts of each mouse.

``poseest/points`` has y before x, in whole pixels; a part with confidence 0 is not there, and one
that is not above :data:`ABOVE`, as in JABS itself, counts as not seen. From version 3 on, there are
several mice, ``instance_count`` of them in a frame, and ``instance_track_id`` tells the stretches
in which each was followed, which are tracklets; the identities that later versions join them to are
not read, since telling those is murid's task. The row that leads back to a box is its place among
the mice of its frame.
"""

import numpy as np

from murid import hdf5
from murid.archive import body_parts
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source
from murid.errors import InputError

ABOVE = 0.3
"""Confidence above which a part is seen."""
_EXPECTED = "poses of JABS: poseest/points and poseest/confidence"


def read(source: Source) -> Columns:
    """Return a box for each mouse and frame; the stretch it was followed in as the tracklet.

    Raises
    ------
    InputError
        If the file is missing or damaged or of another kind.
    """
    path = source.path
    with hdf5.opened(path, _EXPECTED) as file:
        several = file.array("poseest/points").ndim == 4
        places = file.numbers("poseest/points", 3 + several)[..., ::-1]
        scores = file.numbers("poseest/confidence", 2 + several)
        if not several:
            places, scores = places[:, None], scores[:, None]
        count = np.full(len(places), places.shape[1], dtype=np.float64)
        tracks = None
        if several:
            count = file.numbers("poseest/instance_count", 1)
            tracks = file.numbers("poseest/instance_track_id", 2)
    shape = places.shape[:2]
    sound = places.shape[-1] == 2 and scores.shape == places.shape[:3] and len(count) == shape[0]
    if not sound or (tracks is not None and tracks.shape != shape):
        found = f"points of the shape {places.shape}, confidence of {scores.shape}"
        raise InputError(path, found, "those of the same mice and frames")
    there = np.arange(shape[1]) < count[:, None]
    frame, place = np.nonzero(there)
    # Confidence is in single precision, in which 0.3 is a little more.
    above = float(np.float32(ABOVE))
    return body_parts.boxes(
        path, frame, places[there], scores[there], above=above,
        tracklets=None if tracks is None else tracks[there], origin={"source_row": place},
    )  # fmt: skip


def _holds(source: Source) -> bool:
    with hdf5.opened(source.path, source.expected) as file:
        return file.has("poseest/points")


FORMAT = Format(
    name="poses of JABS",
    words="JABS' `pose_est_v*.h5`: boxes around body parts whose confidence is above 0.3. The "
    "stretches in which it followed a mouse are tracklets, not its identities",
    suffixes=(".h5", ".hdf5"),
    read=read,
    holds=_holds,
)
