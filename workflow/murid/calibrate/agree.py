"""Which set-ups agree with each other, and which one they are all mapped to.

A fault of one set-up must not take the others with it. What its own points tell, it is refused for;
what only a comparison tells may be the fault of either side, and the larger side is believed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from murid.calibrate.checks import (
    check_complete,
    check_enough,
    check_mapping,
    check_numbering,
    check_residual,
)
from murid.calibrate.fit import Fit, map_between
from murid.calibrate.set_up import SetUp
from murid.calibrate.sight import check_line, check_picture, check_pixels, in_a_corner
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate, Image

IDENTITY = np.eye(2, 3)


@dataclass(frozen=True)
class Agreement:
    """What set-ups were found to be.

    Attributes
    ----------
    mappings
        From each set-up that is good to the prototype, by name; none if none is known to be.
    prototype
        The one that is the frame of reference.
    faults
        Of each other set-up, what is wrong with it.
    """

    mappings: Mapping[str, Fit]
    prototype: str
    faults: Mapping[str, InputError]


def agree(
    rigs: Mapping[str, SetUp],
    settings: Calibrate,
    grid: Grid | None = None,
    image: Image | None = None,
) -> Agreement:
    """Find the largest group of set-ups that map to one of them, and what is wrong with the others.

    Of the set-ups that as many others fit, the prototype is the one with the smallest sum of their
    validation residuals (the first at a tie). Where two groups that share no set-up are equally
    large, nobody can tell which is at fault, and neither is believed. One whose points cannot be
    antennas in the frame of reference is no prototype.

    Parameters
    ----------
    rigs
        The set-ups by name.
    settings
        The kind of transform, and which validation residuals are believed.
    grid
        The antennas, if the points' numbers are to be compared with them.
    image
        The frame of reference, if points are to be compared with it.

    Raises
    ------
    InputError
        If the points that set-ups have cannot determine a transform.
    """
    every = _usual_points(rigs)
    faults = _faults(rigs, lambda name: _check_alone(rigs[name], every, grid, image))
    sound = {name: rigs[name] for name in sorted(rigs) if name not in faults}
    if len(sound) > 1:
        check_enough(every, settings.transform, next(iter(sound.values())).source)
    fits, wrong = _compare(sound, settings)
    targets, misfits = _may_be_reference(sound, image)
    if not targets:
        return Agreement({}, "", faults | misfits)
    groups = {target: [name for name in sound if (name, target) not in wrong] for target in targets}
    size = max(map(len, groups.values()))
    totals = {
        target: sum(fits[name, target].validation_residual for name in group)
        for target, group in groups.items()
        if len(group) == size
    }
    prototype = min(totals, key=totals.__getitem__)
    group = groups[prototype]
    rivals = [target for target in totals if not set(groups[target]) & set(group)]
    if rivals:
        for name in sound:
            other = next(t for t in (prototype, *rivals) if (name, t) in wrong)
            faults[name] = _undecided(wrong[name, other], size)
        return Agreement({}, "", faults)
    faults |= {name: wrong[name, prototype] for name in sound if name not in group}
    mappings = {name: fits[name, prototype] for name in group}
    others = {name: mapping for name, mapping in mappings.items() if name != prototype}
    target, factor = rigs[prototype], settings.out_of_line
    outlying = _faults(others, lambda name: check_residual(rigs[name], others, target, factor))
    kept = {name: mapping for name, mapping in mappings.items() if name not in outlying}
    return Agreement(kept, prototype, faults | outlying)


def _faults(names: Iterable[str], check: Callable[[str], None]) -> dict[str, InputError]:
    """Return what is wrong with each of some set-ups that a check refuses."""
    faults = {}
    for name in names:
        try:
            check(name)
        except InputError as fault:
            faults[name] = fault
    return faults


def _check_alone(
    set_up: SetUp, every: Sequence[int], grid: Grid | None, image: Image | None
) -> None:
    """Refuse a set-up for what its own points tell."""
    check_complete(set_up, every)
    if image is not None:
        check_pixels(set_up)
    if grid is not None:
        check_line(set_up, grid)
        check_numbering(set_up, grid)


def _may_be_reference(
    rigs: Mapping[str, SetUp], image: Image | None
) -> tuple[list[str], dict[str, InputError]]:
    """Return the set-ups that may be the frame of reference, and what is wrong with the others.

    One with all points in a corner is none while there are others.
    """
    if image is None:
        return list(rigs), {}
    misfits = _faults(rigs, lambda name: check_picture(rigs[name], image))
    fitting = [name for name in rigs if name not in misfits]
    return [name for name in fitting if not in_a_corner(rigs[name], image)] or fitting, misfits


def _usual_points(rigs: Mapping[str, SetUp]) -> list[int]:
    """Return the points that most set-ups have; of several such sets the largest, or all of them.

    A point is more easily forgotten than invented.
    """
    sets = Counter(frozenset(set_up.antennas.tolist()) for set_up in rigs.values())
    rank = {points: (count, len(points)) for points, count in sets.items()}
    best = max(rank.values(), default=(0, 0))
    return sorted(set().union(*(points for points in rank if rank[points] == best)))


def _compare(
    rigs: Mapping[str, SetUp], settings: Calibrate
) -> tuple[dict[tuple[str, str], Fit], dict[tuple[str, str], InputError]]:
    """Map every set-up to every other, and tell of each pair what is wrong with it, if anything is.

    A pair agrees if it does both ways: a point may be off by so much that it is nearest to another
    one in one picture, and not in the other.
    """
    fits = {(name, name): Fit(IDENTITY, 0.0, 0.0) for name in rigs}
    wrong: dict[tuple[str, str], InputError] = {}
    for pair in permutations(rigs, 2):
        set_up, target = (rigs[name] for name in pair)
        fits[pair] = map_between(set_up, target, settings.transform)
        try:
            check_mapping(fits[pair], set_up, target, settings.max_residual)
        except InputError as fault:
            wrong[pair] = fault
    return fits, {(b, a): fault for (a, b), fault in wrong.items()} | wrong


def _undecided(fault: InputError, size: int) -> InputError:
    count = f"{size} set-ups agree" if size > 1 else "one set-up agrees"
    return InputError(
        fault.file, fault.found, fault.expected, where=fault.where,
        remedy=f"Only {count} with either, so either may be at fault: mark the points of both "
        f"again, or those of a further set-up.",
    )  # fmt: skip
