"""Whether a video shows anything: frames without contrast, and a picture that stands still."""

from dataclasses import dataclass, field

import av
import numpy as np
from numpy.typing import NDArray

from murid.video.grey import stored

EVERY = 5
"""Places from one frame that is looked at to the next; to look at all would cost a fifth more."""
LOOKED_AT = 48
"""Rows and columns of a frame that are looked at, or up to twice as many."""
CONTRAST = 3.0
"""Grey levels of standard deviation below which a frame shows nothing: a covered lens has two."""
STILL = 2
"""Grey levels by which each pixel of a picture that stands still may differ from its first."""

Looks = NDArray[np.uint8]


@dataclass
class Sight:
    """What was seen up to now, in every fifth place.

    Attributes
    ----------
    looked
        Frames looked at.
    blank
        Those of them without contrast.
    darkest, brightest
        Mean level (as stored) of the darkest and the brightest of them.
    still
        First and last place of the longest row of frames that show one and the same picture.
    """

    looked: int = 0
    blank: int = 0
    darkest: float = 255.0
    brightest: float = 0.0
    still: tuple[int, int] = (0, -1)
    _next: int = 0
    _since: int = 0
    _picture: Looks | None = field(default=None, repr=False, compare=False)

    @property
    def blank_share(self) -> float:
        """Share of the frames that show nothing."""
        return self.blank / max(self.looked, 1)

    def see(self, number: int, frame: av.VideoFrame) -> None:
        """Look at the frame in a place, at some thousand pixels of it."""
        if number < self._next:
            return
        self._next = number + EVERY
        self.looked += 1
        looks = _sampled(frame)
        if looks.std() < CONTRAST:
            level = float(looks.mean())
            self.blank += 1
            self.darkest = min(self.darkest, level)
            self.brightest = max(self.brightest, level)
            self._picture = None
            return
        before = self._picture
        same = (
            before is not None
            and before.shape == looks.shape
            and int((np.maximum(before, looks) - np.minimum(before, looks)).max()) <= STILL
        )
        if not same:
            # Its bytes may be the decoder's, which writes the next frame there.
            self._since, self._picture = number, looks.copy()
        elif number - self._since > self.still[1] - self.still[0]:
            self.still = (self._since, number)


def _sampled(frame: av.VideoFrame) -> Looks:
    levels = stored(frame)
    down, across = (max(1, side // LOOKED_AT) for side in levels.shape)
    return levels[::down, ::across]
