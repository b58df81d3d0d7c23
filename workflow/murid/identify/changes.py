"""The inner loop of :mod:`.pieces`, compiled: one step a box."""

import numpy as np
from numba import njit


@njit(cache=True)
def decode(gains, begins, penalty):
    """Find the best animal of each row, where each change within a tracklet costs ``penalty``.

    The arguments and what is returned are those of :func:`.pieces.switches`.
    """
    count, animals = gains.shape
    came = np.empty((count, animals), np.int16)
    total, ended = np.zeros(animals), np.empty(count, np.int16)
    for row in range(count):
        if begins[row]:
            if row:
                ended[row - 1] = np.argmax(total)
            total[:] = 0.0
            for animal in range(animals):
                came[row, animal] = animal
        else:
            best = np.argmax(total)
            changed = total[best] - penalty
            for animal in range(animals):
                came[row, animal] = animal
                if changed > total[animal]:
                    came[row, animal], total[animal] = best, changed
        for animal in range(animals):
            total[animal] += gains[row, animal]
    ended[count - 1] = np.argmax(total)
    names = np.empty(count, np.int64)
    for row in range(count - 1, -1, -1):
        if row == count - 1 or begins[row + 1]:
            names[row] = ended[row]
        else:
            names[row] = came[row + 1, names[row + 1]]
    return names
