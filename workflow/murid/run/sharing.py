"""Files that the sheet names for several segments, where they cannot be of more than one.

A video may be of several, of each another part. A file may be spelled in several ways, which are
told apart from its path alone in every job, and by the disk when a run is planned.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from murid.run.plan import UNSHARED, Key, Plan


def shared(plan: Plan, key: Key) -> list[str]:
    """Tell which files of a segment the sheet names as another's, too."""
    clashes = []
    for part in UNSHARED:
        users = plan.users.get((part, plan.place(key, part)), [])
        others = [other for other in users if other != key and _clash(plan, part, key, other)]
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            named = f"its {part}"
            if part == "video" and not plan.segments[key].part.whole:
                named = f"some of its {plan.segments[key].part.written} of the video"
            clashes.append(f"the sheet names {named} for {' '.join(others[0])}{more} too")
    return clashes


def cages_by_log(plan: Plan) -> dict[str, list[str]]:
    """Return the cages that each antenna log serves, by the name of its table."""
    serving: dict[str, dict[str, None]] = {}
    for key in plan.segments:
        for name in plan.logs_of(key):
            serving.setdefault(name, {})[key[0]] = None
    return {name: [*cages] for name, cages in serving.items()}


@dataclass
class File:
    """A file that the sheet names.

    Attributes
    ----------
    part
        Column of the sheet.
    paths
        Its path, in each of the spellings that are not told to be the same without the disk.
    keys
        The segments that it is named for.
    """

    part: str
    paths: list[str] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return ", which is ".join(self.paths)


def files(plan: Plan) -> list[File]:
    """Return the files of parts that are of one segment each, each file of the disk once."""
    found: dict[tuple[str, object], File] = {}
    for (part, place), keys in plan.users.items():
        file = found.setdefault((part, on_disk(place)), File(part))
        file.paths.append(plan.source(keys[0], part))
        file.keys += keys
    return list(found.values())


def on_disk(path: str) -> object:
    """Return what is the same for all paths of a file: links to it, and other capitals if so."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return path
    return status.st_dev, status.st_ino


def all_shared(plan: Plan) -> Iterator[File]:
    """Yield the files that segments share and cannot."""
    for file in files(plan):
        # Where any two overlap, two do that begin one after the other.
        keys = sorted(file.keys, key=lambda key: plan.segments[key].part.first)
        if any(_clash(plan, file.part, *pair) for pair in pairwise(keys)):
            yield file


def _clash(plan: Plan, part: str, one: Key, other: Key) -> bool:
    """Tell whether two segments cannot share a file: a video, if they have frames in common."""
    return part != "video" or plan.segments[one].part.overlaps(plan.segments[other].part)
