"""Whose a tag is: known ones, those of other cages, misread ones (ghosts), and unknown ones.

A misread tag has a digit or a bit that is wrong, and is read once or twice where real ones are
read for as long as an animal lies there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.animals import Worn
from murid.sheet import MOST_ANIMALS, is_animal
from murid.tables import Verdict

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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


def of_reads(
    read: pd.Series,
    times: NDArray[np.int64],
    worn: Sequence[Worn],
    cage: str,
    when: tuple[datetime, datetime],
    share: float,
) -> tuple[Sorted, NDArray[np.int64]]:
    """Sort the reads of a segment by who wore the tag at that moment.

    Parameters
    ----------
    read, times
        (reads,) tags as categories, and microseconds since 1970 in UTC.
    worn, cage, when, share
        As in :func:`by_table`.

    Returns
    -------
    The tags, and (reads,) the place of the animal among ``animals``; -1 = of no animal of the cage.
    """
    there = [each for each in worn if each.within(*when)]
    animals: dict[str, tuple[str, ...]] = {}
    codes, names = read.cat.codes.to_numpy(), list(read.cat.categories)
    owners = np.full(len(read), -1, dtype=np.int64)
    elsewhere = np.zeros(len(read), dtype=bool)
    for each in there:
        if each.cage == cage:
            animals[each.animal] = (*animals.get(each.animal, ()), each.tag)
        if each.tag not in names:
            continue
        own = codes == names.index(each.tag)
        own &= (times >= _microseconds(each.since)) & (times < _microseconds(each.until))
        if each.cage == cage:
            owners[own] = list(animals).index(each.animal)
        else:
            elsewhere |= own
    known = _counted(read[(owners >= 0) | elsewhere])
    unknown = _counted(read[(owners < 0) & ~elsewhere])
    usual = _median(list(known.values()))
    ghosts = {tag: count for tag, count in unknown.items() if count <= max(2, share * usual)}
    strangers = {tag: count for tag, count in unknown.items() if tag not in ghosts}
    return Sorted(animals, _counted(read[elsewhere]), ghosts, strangers), owners


def judge(
    tags: Sorted, owners: NDArray[np.int64], last_read: Callable[[Sequence[str]], str]
) -> Verdict:
    """Say what the tags of a segment tell: unknown ones that are read often, and silent ones.

    Ghosts, and tags of other cages in a log that serves several, are usual; how many there are is
    told with the health of a cage.

    Parameters
    ----------
    tags, owners
        As :func:`of_reads` and :func:`animal_of` give them.
    last_read
        Tells when the last read of any of some tags was, before the segment.
    """
    reasons = []
    if tags.strangers:
        reasons.append(
            f"{_listed(tags.strangers)}: read often, and no animal wears such a tag then. Add it "
            "to the table of animals, or see to its columns from and to"
        )
    silent = {
        animal: worn
        for place, (animal, worn) in enumerate(tags.animals.items())
        if not (owners == place).any()
    }
    if silent:
        # That they have no reading, who judges the trace says.
        before = ", ".join(
            f"{animal} ({' and '.join(worn)}) {last_read(worn)}" for animal, worn in silent.items()
        )
        reasons.append(f"before the segment, {before}")
        if tags.elsewhere:
            reasons.append(f"in it, the logs have {_listed(tags.elsewhere)} of other cages")
    return Verdict("repaired", "; ".join(reasons)) if reasons else Verdict()


def animal_of(tags: pd.Series, worn: Mapping[str, Sequence[str]]) -> NDArray[np.int64]:
    """Return whose each read is, as the place of the animal among ``worn``; -1 = of no animal."""
    places = {tag: place for place, own in enumerate(worn.values()) for tag in own}
    return tags.astype(object).map(places).fillna(-1).to_numpy(dtype=np.int64)


def _counted(read: pd.Series) -> dict[str, int]:
    return {str(tag): int(count) for tag, count in read.value_counts().items() if count}


def _microseconds(moment: datetime) -> int:
    return round((moment - EPOCH) / timedelta(microseconds=1))


def _listed(counts: Mapping[str, int]) -> str:
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    more = f" and {len(often) - SHOWN} more" if len(often) > SHOWN else ""
    return ", ".join(f"{tag} ({count:,} reads)" for tag, count in often[:SHOWN]) + more


def _median(counts: Sequence[int]) -> float:
    return float(np.median(counts)) if counts else 0.0
