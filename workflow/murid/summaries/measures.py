"""What is measured of a course of events in each frame."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from murid.summaries import kinematics, zones
from murid.summaries.behind import Behind
from murid.summaries.courses import Course
from murid.summaries.known import Floats, Usual
from murid.summaries.overlapped import overlapped
from murid.summaries.settings import Polygon

OVERLAPPED = 2.0
"""How many times longer centres are smoothed where other animals may cut boxes, which tremble more
there: as simulated cages of Train and Validate have it."""
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class How:
    """How it is measured.

    Attributes
    ----------
    fps
        Frames per second.
    smoothing, reach
        Seconds and pixels, of the way; see :mod:`.kinematics`.
    usual, rearing
        How high boxes usually are, and how many times higher is that of an animal that rears.
    rest
        Seconds without a way in which an animal rests.
    touch
        Pixels by which boxes may be apart of animals that touch.
    zones
        Corners, by name.
    behind
        What may be behind the hopper; None: nothing, or there is no hopper.
    """

    fps: float
    smoothing: float
    reach: float
    usual: Usual
    rearing: float
    rest: float
    touch: float
    zones: Mapping[str, Polygon]
    behind: Behind | None = None


@dataclass(frozen=True)
class Way:
    """The way of J animals in F frames, and how many centimetres a pixel of it is.

    Attributes
    ----------
    counted
        (F, J) pixels.
    scale
        (F, J) centimetres a pixel; NaN where not known.
    traced
        (F, J) where it is known.
    """

    counted: Floats
    scale: Floats
    traced: Truths


@dataclass(frozen=True)
class Measured:
    """What is measured of J animals, Z zones and P pairs in F frames.

    Attributes
    ----------
    seen, known, both
        (F, J) whether a box shows the animal, whether its place is known; (F, P) of two animals.
    traced
        (F, J) whether its place and its way are known.
    met
        (F, P) whether it is known of both where they are, and how large.
    rearing, resting, huddled
        (F, J).
    unsure
        (F, J) whether it rests and touches one of which it is not known whether it rests, and none
        that does.
    inside
        (F, J, Z) how probable it is that the animal is in a zone: 0 or 1 but for those that the
        hopper may hide in part.
    apart, contact
        (F, P) distance of centres, pixels, 0 where not known; whether boxes touch.
    """

    seen: Truths
    known: Truths
    traced: Truths
    both: Truths
    met: Truths
    rearing: Truths
    resting: Truths
    huddled: Truths
    unsure: Truths
    inside: Floats
    apart: Floats
    contact: Truths


def pairs(animals: int) -> list[tuple[int, int]]:
    """Return every two of so many animals."""
    return list(combinations(range(animals), 2))


def ways(boxes: Floats, how: How) -> Floats:
    """Return the way of each animal that is counted in each frame: (F, J, 4) -> (F, J), pixels.

    It is that of boxes alone: between the last before a gap and the first after it, it is straight.
    """
    smoothed = _smoothed(boxes, how)
    found = [
        kinematics.way(np.ascontiguousarray(smoothed[:, animal]), how.reach)
        for animal in range(boxes.shape[1])
    ]
    return np.stack(found, axis=1) if found else np.zeros(boxes.shape[:2])


def _smoothed(boxes: Floats, how: How) -> Floats:
    """Return centres of boxes, smoothed: longer, the more of a while they may be cut: (F, J, 2)."""
    centres = boxes[..., :2] + boxes[..., 2:] / 2
    smoothed = kinematics.smooth(centres, how.fps, how.smoothing)
    cut = overlapped(boxes)
    if not how.smoothing or not cut.any():
        return smoothed
    longer = kinematics.smooth(centres, how.fps, OVERLAPPED * how.smoothing)
    share = kinematics.mean(cut.astype(np.float64), how.smoothing * how.fps)
    return smoothed + share * (longer - smoothed)


def measure(course: Course, way: Way, how: How) -> Measured:
    """Measure a course of events.

    Parameters
    ----------
    course
        With F frames and J animals.
    way
        Of these animals.
    how
        How.
    """
    seen, known = course.seen, course.known
    traced = known & way.traced
    filled = _filled(course)
    sized = ~np.isnan(filled[..., 0])
    couples = pairs(seen.shape[1])
    shape = (len(seen), len(couples))
    both, met, contact = (np.zeros(shape, dtype=bool) for _ in range(3))
    apart = np.zeros(shape)
    resting = traced & still(way.counted, how)
    huddled, unsure = (np.zeros(seen.shape, dtype=bool) for _ in range(2))
    for number, (a, b) in enumerate(couples):
        both[:, number] = known[:, a] & known[:, b]
        met[:, number] = both[:, number] & sized[:, a] & sized[:, b]
        off = np.linalg.norm(course.centres[:, a] - course.centres[:, b], axis=-1)
        apart[:, number] = np.where(both[:, number], off, 0.0)
        contact[:, number] = both[:, number] & touch(filled[:, a], filled[:, b], how.touch)
        for one, other in ((a, b), (b, a)):
            beside = contact[:, number] & resting[:, one]
            huddled[:, one] |= beside & resting[:, other]
            unsure[:, one] |= beside & ~traced[:, other]
    with np.errstate(invalid="ignore"):
        rearing = seen & (course.boxes[..., 3] > how.rearing * how.usual(course.boxes))
    inside = _inside(course, how)
    return Measured(
        seen, known, traced, both, met, rearing, resting, huddled, unsure & ~huddled, inside,
        apart, contact,
    )  # fmt: skip


def still(way: Floats, how: How) -> Truths:
    """Tell in which frames animals rest: around them, they leave no place for so long: (F, J)."""
    frames = max(1, round(how.rest * how.fps))
    gone = np.cumsum(np.vstack([np.zeros((1, way.shape[1])), way]), axis=0)
    at = np.arange(len(way))
    since, until = np.maximum(at - frames // 2, 0), np.minimum(at + (frames + 1) // 2, len(way))
    result: Truths = gone[until] - gone[since] <= how.reach
    return result


def touch(one: Floats, other: Floats, apart: float = 0.0) -> Truths:
    """Tell which boxes overlap, or are apart by a little at most, across and down.

    Parameters
    ----------
    one, other
        (n, 4); NaN touches nothing.
    apart
        Pixels that may be between them.

    Returns
    -------
    (n,)
    """
    low = np.maximum(one[:, :2], other[:, :2])
    high = np.minimum(one[:, :2] + one[:, 2:], other[:, :2] + other[:, 2:])
    result: Truths = np.all(low <= high + apart, axis=1)
    return result


def _inside(course: Course, how: How) -> Floats:
    """Return how probable it is that animals are in zones: (F, J, Z)."""
    found = zones.inside(course.centres, how.zones).astype(np.float64)
    if how.behind is not None and course.cut is not None and how.zones:
        raised = [how.behind.raised(course.boxes, course.cut, share) for share in course.hidden]
        where = np.any([up > 0 for up in raised], axis=0)
        points = course.centres[where]
        several = []
        for up in raised:
            higher = points - np.stack([np.zeros(len(points)), up[where]], axis=-1)
            several.append(zones.inside(higher, how.zones))
        found[where] = np.mean(several, axis=0)
    return found


def _filled(course: Course) -> Floats:
    """Return boxes (F, J, 4), also of animals without one: as large as theirs usually are.

    Of an animal that no box shows they are as large as those of others; NaN if there are none.
    """
    filled = course.boxes.copy()
    for animal in range(filled.shape[1]):
        own = filled[:, animal]
        lacking = np.isnan(own[:, 0]) & course.known[:, animal]
        if not lacking.any():
            continue
        shown = own[~np.isnan(own[:, 0])]
        if not len(shown):
            shown = course.boxes[course.seen]
        if len(shown):
            size = np.median(shown[:, 2:], axis=0)
            own[lacking, :2] = course.centres[lacking, animal] - size / 2
            own[lacking, 2:] = size
    return filled
