"""Whose a tag is: known ones, those of other cages, misread ones (ghosts), and unknown ones.

A misread tag has a digit or a bit that is wrong, and is read once or twice where real ones are
read for as long as an animal lies there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import pandas as pd

from murid.animals import Worn
from murid.sheet import MOST_ANIMALS, is_animal
from murid.tables import Verdict

SHOWN = 5
"""Tags that a reason names, at most."""


@dataclass(frozen=True)
class Sorted:
    """Tags of a segment by whose they are.

    Attributes
    ----------
    animals
        Every animal of the segment, and its tags; one may have changed its tag.
    elsewhere
        Reads of tags that animals of other cages wear, by tag.
    ghosts, strangers
        Reads of tags that nobody wears, by tag: misread ones, and others.
    """

    animals: Mapping[str, tuple[str, ...]]
    elsewhere: Mapping[str, int] = field(default_factory=dict)
    ghosts: Mapping[str, int] = field(default_factory=dict)
    strangers: Mapping[str, int] = field(default_factory=dict)


def by_table(
    reads: Mapping[str, int],
    worn: Sequence[Worn],
    cage: str,
    when: tuple[datetime, datetime],
    share: float,
) -> Sorted:
    """Sort tags by the table of animals.

    Parameters
    ----------
    reads
        How often each tag was read.
    worn
        Who wears which tag, of all cages.
    cage
        The segment's.
    when
        Its first and last moment.
    share
        A tag that nobody wears is a ghost below this share of the reads that known ones have, by
        their median.
    """
    there = [each for each in worn if each.within(*when)]
    animals: dict[str, tuple[str, ...]] = {}
    for each in there:
        if each.cage == cage:
            animals[each.animal] = (*animals.get(each.animal, ()), each.tag)
    others = {each.tag for each in there if each.cage != cage}
    own = {tag for tags in animals.values() for tag in tags}
    usual = _median([reads[tag] for tag in own | others if reads.get(tag)])
    unknown = {tag: count for tag, count in reads.items() if tag not in own | others}
    ghosts = {tag: count for tag, count in unknown.items() if count <= max(2, share * usual)}
    return Sorted(
        animals,
        {tag: count for tag, count in reads.items() if tag in others},
        ghosts,
        {tag: count for tag, count in unknown.items() if tag not in ghosts},
    )


def by_reads(reads: Mapping[str, int], names: Sequence[str], share: float) -> Sorted:
    """Sort tags where there is no table of animals: tags are the names of animals.

    Parameters
    ----------
    reads
        How often each tag was read.
    names
        The animals that the sheet names; if it names none, every tag is one that is read more often
        than ``share`` of the most frequent one's reads, and more than twice.
    share
        As in :func:`by_table`.
    """
    if names:
        animals = {name: (name.upper(),) for name in names}
    else:
        least = max(2.0, share * max(reads.values(), default=0))
        real = sorted(tag for tag, count in reads.items() if count > least and is_animal(tag))
        animals = {tag: (tag,) for tag in real[:MOST_ANIMALS]}
    own = {tag for tags in animals.values() for tag in tags}
    usual = _median([reads[tag] for tag in own if reads.get(tag)])
    unknown = {tag: count for tag, count in reads.items() if tag not in own}
    ghosts = {tag: count for tag, count in unknown.items() if count <= max(2, share * usual)}
    if not names:
        ghosts = unknown
    strangers = {tag: count for tag, count in unknown.items() if tag not in ghosts}
    return Sorted(animals, {}, ghosts, strangers)


def judge(tags: Sorted, reads: Mapping[str, int]) -> Verdict:
    """Say what the tags of a segment tell: unknown ones that are read often, and silent ones.

    Ghosts, and tags of other cages in a log that serves several, are usual; how many there are is
    told with the health of a cage.
    """
    reasons = []
    if tags.strangers:
        reasons.append(
            f"{_listed(tags.strangers)}: read often, and no animal of this cage wears such a tag "
            "then. Add it to the table of animals, or it is of another cage"
        )
    silent = [
        f"{animal} ({' and '.join(worn)})"
        for animal, worn in tags.animals.items()
        if not any(reads.get(tag) for tag in worn)
    ]
    if silent:
        others = f", but {_listed(tags.elsewhere)} of other cages" if tags.elsewhere else ""
        reasons.append(f"the tag of {', '.join(silent)} is never read{others}")
    return Verdict("repaired", "; ".join(reasons)) if reasons else Verdict()


def animal_of(tags: pd.Series, worn: Mapping[str, Sequence[str]]) -> pd.Series:
    """Return whose each read is, as the place of the animal among ``worn``; -1 = of no animal."""
    places = {tag: place for place, own in enumerate(worn.values()) for tag in own}
    return tags.astype(object).map(places).fillna(-1).astype("int64")


def _listed(counts: Mapping[str, int]) -> str:
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    more = f" and {len(often) - SHOWN} more" if len(often) > SHOWN else ""
    return ", ".join(f"{tag} ({count:,} reads)" for tag, count in often[:SHOWN]) + more


def _median(counts: Sequence[int]) -> float:
    return float(np.median(counts)) if counts else 0.0
