"""What became of a video: the frames that decode, those that do not, and what it is good for."""

from collections.abc import Iterable
from dataclasses import dataclass

from murid.tables import Verdict
from murid.timeline import compare_lengths

OFF_PACE = 0.01
"""Share by which a video's own frame rate may differ from the segment's without a word."""
OFF_START = 4
"""Frames by which timestamps may start late without a word: codecs that reorder need them."""
LISTED = 5
"""Stretches of missing frames that a reason lists at most."""


@dataclass(frozen=True)
class Footage:
    """What was found while a video was decoded.

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

    @property
    def lost(self) -> int:
        """Number of places below ``reach`` without a frame."""
        return sum(last - first + 1 for first, last in self.missing)

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
        Share of missing frames above which the video is discarded.

    Returns
    -------
    ``usable``; ``repaired`` with all that was set right or is missing; or ``discarded``, also where
    the lengths differ.
    """
    reasons = []
    if footage.missing:
        reasons.append(
            f"{footage.lost} of {footage.reach} frames of the video are missing or do not decode "
            f"({stretches(footage.missing)})"
        )
    if footage.claimed is not None and footage.decoded < footage.claimed:
        reasons.append(
            f"{footage.decoded} of the {footage.claimed} frames decode that the video's header "
            "claims"
        )
    if footage.resized:
        reasons.append(
            f"{footage.resized} frames of the video left out, since they are of another size than "
            "the first"
        )
    if footage.placeless:
        reasons.append(
            f"{footage.placeless} frames of the video left out, since by their timestamps they "
            "belong where others are"
        )
    if footage.rate is None and footage.decoded > 1:
        reasons.append("the video has no timestamps, so that its frames count as they come")
    elif footage.bounds:
        slowest, fastest = footage.bounds
        reasons.append(
            f"the video's frame rate varies ({slowest:.3g} to {fastest:.3g} frames/s), so that its "
            f"frames were placed by their timestamps, {footage.rate:.5g} to the second"
        )
    elif len(footage.missing) > LISTED:
        reasons.append(
            "the video's frame rate varies, so that its frames were placed by their timestamps"
        )
    if footage.even and footage.rate and abs(footage.rate / fps - 1) > OFF_PACE:
        reasons.append(
            f"the video's timestamps say {footage.rate:.5g} frames/s, the sheet {fps:.5g}: nothing "
            "was changed, its frames were counted one by one beside the antenna trace, and times "
            "in seconds follow the sheet. If its fps is wrong, mend it there"
        )
    if footage.rate and footage.start * footage.rate > OFF_START:
        reasons.append(
            f"the video's timestamps start at {footage.start:.3g} s, which was taken for its start"
        )
    lengths = {"positions": frames, "video (decoded)": footage.length_beside(frames)}
    verdict = compare_lengths(lengths, tolerance, fps)
    reasons = [verdict.reason] * bool(verdict.reason) + reasons
    if verdict.discarded:
        return Verdict("discarded", "; ".join(reasons))
    if footage.reach and footage.lost / footage.reach > max_missing:
        return Verdict("discarded", "; ".join(reasons))
    return Verdict("repaired" if reasons else "usable", "; ".join(reasons))


def stretches(missing: Iterable[tuple[int, int]], most: int = LISTED) -> str:
    """Name stretches of frames.

    Examples
    --------
    >>> stretches([(3, 3), (10, 25)])
    'frames 3, 10-25'
    """
    spans = list(missing)
    texts = [f"{first}" if first == last else f"{first}-{last}" for first, last in spans[:most]]
    more = len(spans) - most
    text = f"frames {', '.join(texts)}"
    return text + (f" and {more} more stretches" if more > 0 else "")
