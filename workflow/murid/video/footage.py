"""What became of a video: the frames that decode, those that do not, and what it is good for."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from murid.stretches import listed
from murid.tables import Verdict
from murid.timeline import compare_lengths
from murid.video.sight import Sight

OFF_PACE = 0.01
"""Share by which a video's own frame rate may differ from the segment's without a word."""
OFF_START = 4
"""Frames by which timestamps may start late without a word: codecs that reorder need them."""
BLANK = 0.02
"""Share of frames that may show nothing without a word."""
STILL = 0.25
"""Share of places for which one picture may stand still without a word: animals sleep."""
OTHER_SIZE = 1.25
"""Factor by which a video may be larger or smaller than the frame of reference without a word."""
LISTED = 5
"""Stretches of missing frames that a reason lists at most."""


@dataclass
class Footage:
    """What was found while a video was decoded, or is up to now.

    Attributes
    ----------
    decoded
        Frames that decode soundly.
    claimed
        Frames that the header claims, if it does.
    length
        Places on the time line up to the last frame that decodes.
    reach
        The same, up to the last that is stored, whether it decodes or not; never below ``length``.
    missing
        First and last place, both included, of each stretch below ``reach`` without a frame.
    placeless
        Frames that decode, but share the place of another.
    resized
        Frames that are left out (and so missing), since they are of another size than the first.
    rate
        Places per second by the timestamps, None if there are none.
    even
        Whether the timestamps keep that rate.
    bounds
        Frames per second at the slowest and the fastest, where they do not.
    start
        First timestamp, seconds.
    size
        Width and height of the frames, upright, pixels.
    sight
        What the frames show.
    """

    decoded: int
    claimed: int | None = None
    length: int = 0
    reach: int = 0
    missing: tuple[tuple[int, int], ...] = ()
    placeless: int = 0
    resized: int = 0
    rate: float | None = None
    even: bool = True
    bounds: tuple[float, float] | None = None
    start: float = 0.0
    size: tuple[int, int] | None = None
    sight: Sight = field(default_factory=Sight)

    @property
    def lost(self) -> int:
        """Number of places below ``reach`` without a frame."""
        return sum(last - first + 1 for first, last in self.missing)

    @property
    def useless(self) -> float:
        """Number of places below ``reach`` without a frame, or with one that shows nothing."""
        return self.lost + self.decoded * self.sight.blank_share

    def length_beside(self, frames: int) -> int:
        """Return the length to compare with that of other parts of the segment, ``frames``.

        What is stored at the end and does not decode may have belonged to the recording or not, so
        either length counts.
        """
        return min(max(frames, self.length), self.reach)


def judge(
    footage: Footage, frames: int, fps: float, tolerance: int, max_missing: float = 1.0
) -> Verdict:
    """Say what is wrong with a video that decodes at least in part.

    Parameters
    ----------
    footage
        As :func:`murid.video.inspect` gives.
    frames
        Length of the segment by its positions.
    fps
        Frames per second of the segment.
    tolerance
        Frames by which the two may differ in length.
    max_missing
        Share of frames that are missing or show nothing, above which the video is discarded.

    Returns
    -------
    ``usable``; ``repaired`` with all that was set right or is missing; or ``discarded``, also where
    the lengths differ.
    """
    lengths = {"positions": frames, "video (decoded)": footage.length_beside(frames)}
    verdict = compare_lengths(lengths, tolerance, fps)
    reasons = [*_lost(footage), *_timed(footage, fps), *_seen(footage)]
    if verdict.reason:
        reasons.insert(0, verdict.reason)
    useless = footage.reach and footage.useless / footage.reach > max_missing
    if verdict.discarded or useless:
        return Verdict("discarded", "; ".join(reasons))
    return Verdict("repaired" if reasons else "usable", "; ".join(reasons))


def _lost(footage: Footage) -> Iterator[str]:
    """Tell of frames that are missing or left out."""
    if footage.missing:
        yield (
            f"{footage.lost} of {footage.reach} frames of the video are missing or do not decode "
            f"(frames {listed(footage.missing, LISTED)})"
        )
    if footage.claimed is not None and footage.decoded < footage.claimed:
        yield (
            f"{footage.decoded} of the {footage.claimed} frames decode that the video's header "
            "claims"
        )
    if footage.resized:
        yield (
            f"{footage.resized} frames of the video left out, since they are of another size than "
            "the first"
        )
    if footage.placeless:
        yield (
            f"{footage.placeless} frames of the video left out, since by their timestamps they "
            "belong where others are"
        )


def _timed(footage: Footage, fps: float) -> Iterator[str]:
    """Tell what is odd about the timestamps."""
    if footage.rate is None:
        if footage.decoded > 1:
            yield "the video has no timestamps, so that its frames count as they come"
        return
    if footage.bounds:
        slowest, fastest = footage.bounds
        yield (
            f"the video's frame rate varies ({slowest:.3g} to {fastest:.3g} frames/s), so that its "
            f"frames were placed by their timestamps, {footage.rate:.5g} to the second"
        )
    elif len(footage.missing) > LISTED:
        yield "the video's frame rate varies, so that its frames were placed by their timestamps"
    if footage.even and abs(footage.rate / fps - 1) > OFF_PACE:
        yield (
            f"the video's timestamps say {footage.rate:.5g} frames/s, the sheet {fps:.5g}: nothing "
            "was changed, its frames were counted one by one beside the antenna trace, and times "
            "in seconds follow the sheet. If its fps is wrong, mend it there"
        )
    if footage.start * footage.rate > OFF_START:
        start = f"{footage.start:.3g} s"
        yield f"the video's timestamps start at {start}, which was taken for its start"


def _seen(footage: Footage) -> Iterator[str]:
    """Tell of frames that show nothing, or all the same."""
    sight = footage.sight
    if sight.blank_share > BLANK:
        levels = " to ".join(dict.fromkeys([f"{sight.darkest:.0f}", f"{sight.brightest:.0f}"]))
        yield (
            f"{sight.blank_share:.0%} of the video's frames show nothing: all their pixels are "
            f"alike (level {levels} of 255), as with the light out, the lens covered or "
            "the camera unplugged"
        )
    first, last = sight.still
    if last - first + 1 > STILL * footage.reach:
        share = (last - first + 1) / footage.reach
        yield (
            f"frames {first}-{last} of the video, {share:.0%}, show one and the same picture: the "
            "camera may have hung, and what is seen then is not where the animals were"
        )


def judge_size(
    size: tuple[int, int], matrix: NDArray[np.float64], image: tuple[int, int]
) -> Verdict:
    """Say whether a video's frames are of the size that its rig's are.

    Parameters
    ----------
    size
        Width and height of the frames, pixels.
    matrix
        Shape (2, 3): transform of the rig, from its frames to the frame of reference.
    image
        Width and height of the frame of reference, pixels.

    Examples
    --------
    >>> judge_size((2560, 1440), np.eye(2, 3), (1280, 720)).status
    'repaired'
    """
    width, height = size
    corners = np.array([[0, 0, 1], [width, 0, 1], [0, height, 1], [width, height, 1]]) @ matrix.T
    across, down = np.ptp(corners, axis=0)
    spans = np.array([across / image[0], down / image[1]])
    if (np.abs(np.log(spans)) <= np.log(OTHER_SIZE)).all():
        return Verdict()
    return Verdict(
        "repaired",
        f"the video's frames of {width} x {height} pixels fill {across:.0f} x {down:.0f} of the "
        f"frame of reference, which is {image[0]} x {image[1]}: they are not of the size that its "
        "rig was calibrated at, or the setting image is not that of the rigs. Its boxes are taken "
        "as they are",
    )
