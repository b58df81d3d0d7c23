"""The part of a video that a segment is: recordings of a day are one file and many segments.

Standard library only, since every cluster job reads the sample sheet.
"""

from dataclasses import dataclass
from pathlib import Path

END = "end"
"""How a command is told that a part has no last frame."""


@dataclass(frozen=True)
class Part:
    """A part of a video, by places on the video's time line, from 0.

    Attributes
    ----------
    first, last
        Its ends, both included; None: to the end.
    survey
        Table that :func:`murid.video.survey_table.write` made of the video; without it, all packets
        are read before any frame is decoded.
    """

    first: int = 0
    last: int | None = None
    survey: Path | None = None

    @property
    def whole(self) -> bool:
        """Whether it is all of the video."""
        return self.first == 0 and self.last is None

    @property
    def length(self) -> int | None:
        """Number of its places, if it says where it ends."""
        return None if self.last is None else self.last - self.first + 1

    @property
    def written(self) -> str:
        """Its frames as messages have them.

        Examples
        --------
        >>> Part(100, 199).written, Part(100).written
        ('frames 100 to 199', 'frames 100 to the end')
        """
        return f"frames {self.first} to {'the end' if self.last is None else self.last}"

    def overlaps(self, other: "Part") -> bool:
        """Tell whether another part of the same video has places of this one.

        Examples
        --------
        >>> Part(0, 99).overlaps(Part(100)), Part(0, 100).overlaps(Part(100, 199))
        (False, True)
        """
        before, after = sorted((self, other), key=lambda part: part.first)
        return before.last is None or before.last >= after.first

    def holds(self, place: int) -> bool:
        """Tell whether a place is in it; what is before the video's start is of its first part."""
        return (not self.first or place >= self.first) and (self.last is None or place <= self.last)


WHOLE = Part()
