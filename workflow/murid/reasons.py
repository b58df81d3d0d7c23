"""Reasons of verdicts, told in short: whole sentences, and what many segments share once.

Standard library only: the end of a run tells them, too.
"""

import re
from collections.abc import Iterable, Iterator

MOST = 240
"""Letters of a reason that is told in short."""
_END = re.compile(r"; (?!expected )|(?<=[.!?]) (?=[A-Z])")
"""Where one part of a reason ends and the next begins, outside of brackets."""
_BRACKETS = re.compile(r"\([^()]*\)")
_PLACE = re.compile(r"^.*?: (?=found )")
_NUMBER = re.compile(r"[0-9][0-9.,:+-]*")


def gist(reason: str, most: int = MOST) -> str:
    """Return as much of the beginning of a reason as fits, by whole parts.

    A first part that is too long loses what stands in brackets, which are the details, and then
    what is behind its last whole word.

    Examples
    --------
    >>> gist("3 of 9 readings are missing (frames of R: 1-2; 4). See to the antenna; and more", 52)
    '3 of 9 readings are missing (frames of R: 1-2; 4).'
    >>> gist("readings are missing (frames of R: 1-2; 4) in its log; and more", 30)
    'readings are missing in its'
    """
    if len(reason) <= most:
        return reason
    ends = [end for end in _ends(reason) if end <= most]
    if ends:
        return reason[: ends[-1]]
    first = reason[: next(_ends(reason), len(reason))]
    bare = " ".join(_BRACKETS.sub("", first).split())
    if len(bare) <= most:
        return bare
    return bare[: most + 1].rsplit(" ", 1)[0][:most]


def _ends(reason: str) -> Iterator[int]:
    """Yield where the parts of a reason end, but for the last."""
    depths, depth = [], 0
    for letter in reason:
        depth += (letter == "(") - (letter == ")")
        depths.append(depth)
    for end in _END.finditer(reason):
        if depths[end.start()] <= 0:
            yield end.start()


def kind(reason: str) -> str:
    """Return a text that reasons share which differ in numbers, details and names of files alone.

    Examples
    --------
    >>> first, second = "24 of 300 readings are missing (frames of G: 26-49)", "1 of 9 readings"
    >>> kind(first) == kind("3 of 90 readings are missing (frames of R: 7)"), kind(second)
    (True, '# of # readings')
    """
    bare = _BRACKETS.sub("", _PLACE.sub("", reason[: next(_ends(reason), len(reason))]))
    return " ".join(_NUMBER.sub("#", bare).split())


def grouped(reasons: Iterable[str]) -> list[tuple[str, list[int]]]:
    """Group reasons by their kind.

    Returns
    -------
    The first reason of each kind, and the places of all of it, from 0; the commonest kind first.
    """
    places: dict[str, list[int]] = {}
    firsts: dict[str, str] = {}
    for place, reason in enumerate(reasons):
        name = kind(reason)
        firsts.setdefault(name, reason)
        places.setdefault(name, []).append(place)
    kinds = sorted(places, key=lambda name: -len(places[name]))
    return [(firsts[name], places[name]) for name in kinds]
