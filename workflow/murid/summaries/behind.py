"""Animals whose upper part the hopper hides: how far up they may reach behind it.

The hopper hangs from the lid, and of an animal behind it a box shows what is below. Where a box
begins at the hopper's lower edge, its animal is as high as that at least. How probable it is to be
higher is told by boxes of the same segment that begin elsewhere: of those that are as high, as
shares of what is usual at their depth, how many are higher by how much.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from murid.summaries import zones
from murid.summaries.known import Floats, Usual
from murid.summaries.settings import Polygon

EVEN = tuple((number + 0.5) / 8 for number in range(8))
"""Shares of animals that are less high, which stand for all."""


@dataclass(frozen=True)
class Behind:
    """What may be behind the hopper.

    Attributes
    ----------
    hopper
        Its corners.
    near
        Pixels from its edge within which a box begins at it.
    usual
        How high boxes usually are.
    heights
        (n,) those of boxes that begin elsewhere, as shares of what is usual, ascending.
    """

    hopper: Polygon
    near: float
    usual: Usual
    heights: Floats

    @classmethod
    def of(cls, boxes: Floats, hopper: Polygon, usual: Usual, near: float) -> "Behind":
        """Return what boxes (..., 4), of which NaN are none, tell of the hopper."""
        behind = cls(hopper, near, usual, np.empty(0))
        free = boxes[~np.isnan(boxes[..., 0])]
        free = free[~behind.cut(free) & ~behind._holds(free, 0.0)]
        low = free[..., 1] + free[..., 3]
        return cls(hopper, near, usual, np.sort(free[..., 3] / usual.at(low)))

    def cut(self, boxes: Floats) -> NDArray[np.bool_]:
        """Tell which boxes begin at the lower edge of the hopper: (..., 4) -> (...)."""
        return self._holds(boxes, -self.near) & ~self._holds(boxes, self.near)

    def _holds(self, boxes: Floats, down: float) -> NDArray[np.bool_]:
        """Tell whether the middle of the upper side is in the hopper, moved down by pixels."""
        points = np.stack([boxes[..., 0] + boxes[..., 2] / 2, boxes[..., 1] + down], axis=-1)
        return zones.inside(points, {"": self.hopper})[..., 0]

    def raised(self, boxes: Floats, cut: NDArray[np.bool_], share: float | Floats) -> Floats:
        """Return by how much the middles of animals are higher than boxes show.

        Of one that nothing shows it is what lies between the boxes before and after: it went behind
        the hopper where these end at it, and where it is inferred to be rests on them.

        Parameters
        ----------
        boxes
            (F, J, 4); NaN where none is.
        cut
            (F, J) which of them begin at the hopper, as :meth:`cut` has it.
        share
            Of what may be as high as the box, the share that is less high than the animal: one of
            all, or (F, J).

        Returns
        -------
        (F, J)
            Pixels, not below 0.
        """
        raised = np.zeros(cut.shape)
        shown = boxes[cut]
        middles = self.centres(shown, np.broadcast_to(share, cut.shape)[cut])
        raised[cut] = shown[:, 1] + shown[:, 3] / 2 - middles[:, 1]
        for animal in range(cut.shape[1]):
            seen = ~np.isnan(boxes[:, animal, 0])
            if raised[:, animal].any() and not seen.all():
                at, hidden = np.flatnonzero(seen), np.flatnonzero(~seen)
                raised[hidden, animal] = np.interp(hidden, at, raised[at, animal])
        return raised

    def centres(self, boxes: Floats, shares: Floats) -> Floats:
        """Return where the middles of animals are, of which boxes show the lower part.

        Parameters
        ----------
        boxes
            (n, 4).
        shares
            (n,) of what may be as high as the box, the share that is less high than the animal.

        Returns
        -------
        (n, 2)
        """
        low, high = boxes[:, 1] + boxes[:, 3], boxes[:, 3]
        if len(self.heights):
            usual = self.usual.at(low)
            first = np.searchsorted(self.heights, high / usual)
            chosen = first + (shares * (len(self.heights) - first)).astype(np.int64)
            chosen = np.minimum(chosen, len(self.heights) - 1)
            high = np.maximum(self.heights[chosen] * usual, high)
        return np.stack([boxes[:, 0] + boxes[:, 2] / 2, low - high / 2], axis=-1)
