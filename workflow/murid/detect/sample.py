"""An annotated frame, as the detector learns it and is measured by it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from murid.video import Frame


class Wanted(NamedTuple):
    """What is to be found in one frame."""

    boxes: NDArray[np.float32]
    """Shape (n, 4): x, y, w, h in pixels of the frame."""
    labels: NDArray[np.int64]
    """Shape (n,): places in :data:`murid.detect.model.CLASSES`."""
    difficult: NDArray[np.bool_]
    """Shape (n,)."""


class Sample(NamedTuple):
    """An annotated frame."""

    grey: Frame
    """Shape (h, w), uint8."""
    wanted: Wanted
