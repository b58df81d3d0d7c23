"""Where things are in the picture of a simulated rig."""

import numpy as np
from numpy.typing import NDArray

from murid.settings import Simulate
from murid.simulate.scene import HOPPER_HIGH, HOPPER_LOW, RIGS, Camera


def reference(width: int) -> Camera:
    """Return the camera of rig ``north``, whose picture is the frame of reference."""
    options = Simulate(width=width)
    return Camera(options.width, options.height, RIGS["north"])


def hopper(width: int) -> NDArray[np.float64]:
    """Return the corners of the hopper's front in the frame of reference, shape (4, 2), pixels."""
    (x0, _, z0), (x1, y, z1) = HOPPER_LOW, HOPPER_HIGH
    return reference(width).project([[x0, y, z1], [x1, y, z1], [x1, y, z0], [x0, y, z0]])
