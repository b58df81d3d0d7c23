"""A still of a cage, to draw on."""

import logging
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from murid import rigs
from murid.errors import InputError
from murid.video import single

if TYPE_CHECKING:
    from murid.report.animals.stage import Filmed, ReportCage

log = logging.getLogger(__name__)


def still(stage: "ReportCage") -> NDArray[np.uint8] | None:
    """Return a frame from the middle of a video of a cage, in the frame of reference.

    Returns
    -------
    Grey levels, (height, width); None, and a line in the log, where there is no video, or none that
    can be read: maps need none.
    """
    for filmed in stage.filmed:
        try:
            return _of(filmed, stage)
        except InputError as error:
            log.warning("no still is taken of a segment: %s", error)
    return None


def _of(filmed: "Filmed", stage: "ReportCage") -> NDArray[np.uint8]:
    matrix = rigs.read_matrices(stage.transforms, [filmed.rig])[filmed.rig]
    of = single.index(filmed.video, filmed.fps)
    middle = int(of.places[len(of.places) // 2])
    for _, frame in single.read(of, [middle]):
        size = (stage.image.width, stage.image.height)
        return np.asarray(cv2.warpAffine(np.asarray(frame), matrix, size), dtype=np.uint8)
    raise InputError(filmed.video, f"a frame {middle} that does not decode", "one that does")
