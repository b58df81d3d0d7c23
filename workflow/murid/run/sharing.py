"""Files that the sheet names for several segments, where they cannot be of more than one.

A video may be of several, of each another part.
"""

from collections.abc import Iterator
from itertools import pairwise

from murid.run.plan import UNSHARED, Key, Plan


def shared(plan: Plan, key: Key) -> list[str]:
    """Tell which files of a segment the sheet names as another's, too."""
    clashes = []
    for part in UNSHARED:
        users = plan.users.get((part, plan.source(key, part)), [])
        others = [other for other in users if other != key and _clash(plan, part, key, other)]
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            named = f"its {part}"
            if part == "video" and not plan.segments[key].part.whole:
                named = f"some of its {plan.segments[key].part.written} of the video"
            clashes.append(f"the sheet names {named} for {' '.join(others[0])}{more} too")
    return clashes


def all_shared(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the files, by part and path, that segments share and cannot."""
    for (part, path), keys in plan.users.items():
        # Where any two overlap, two do that begin one after the other.
        keys = sorted(keys, key=lambda key: plan.segments[key].part.first)
        if any(_clash(plan, part, *pair) for pair in pairwise(keys)):
            yield part, path


def _clash(plan: Plan, part: str, one: Key, other: Key) -> bool:
    """Tell whether two segments cannot share a file: a video, if they have frames in common."""
    return part != "video" or plan.segments[one].part.overlaps(plan.segments[other].part)
