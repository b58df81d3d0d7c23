"""Tags of other cages in a log: fine where it serves those, too, a stray animal where it does not.

Which cages a log serves, the sheet tells. A cage with an animal that nobody knows to be there has
boxes that are given to others: where that is so, a segment is discarded, since to mend a row of the
table of animals is all that it takes. Where all animals of the other cage are read, it is likelier
that the log serves that cage, too, and the sheet has no segment of it: that is told, and no more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from murid.animals import Worn
from murid.tables import Verdict

OFTEN = 0.5
"""A tag is read as often as those of the log's own cages from this share of their reads, by the
median: an animal that is there for half of the time is not passing by."""
FEWEST = 2
"""Reads of a tag that are told of nobody: a misread tag may be that of an animal elsewhere."""


@dataclass(frozen=True)
class Stray:
    """A tag of a cage that a log does not serve.

    Attributes
    ----------
    tag
        The tag.
    worn
        Who wears it, by the table of animals: the first row of the time.
    reads
        How often it is read.
    usual
        How often tags of the cages are that the log serves, by their median; 0 if none is.
    whole
        Whether all animals of its cage are read so often.
    """

    tag: str
    worn: Worn
    reads: int
    usual: float
    whole: bool

    @property
    def often(self) -> bool:
        """Whether it is read as often as the tags of the log's own cages."""
        return self.reads >= OFTEN * self.usual

    @property
    def words(self) -> str:
        """What is told of it, as it follows the name of a log."""
        whose = f"{self.tag} (of {self.worn.cage} {self.worn.animal})"
        return f"{self.reads:,} reads of {whose}, where its own cages' have {self.usual:,.0f} each"


def find(
    reads: Mapping[str, int],
    worn: Sequence[Worn],
    cages: Sequence[str],
    when: tuple[datetime, datetime],
    share: float,
) -> list[Stray]:
    """Find the tags of other cages in a log, the most frequent first.

    Parameters
    ----------
    reads
        How often each tag is read.
    worn
        Who wears which tag, of all cages.
    cages
        Those that the log serves; none if that is not known: then nothing is found.
    when
        First and last moment of the reads. A tag that is worn in one of the cages at any time of it
        is no stray.
    share
        Tags with less than this share of the reads of the log's own ones, by their median, are no
        strays, as misread ones are not.
    """
    if not cages:
        return []
    there = [each for each in worn if each.within(*when)]
    own = {each.tag for each in there if each.cage in cages}
    read = [reads[tag] for tag in own if reads.get(tag)]
    usual = float(np.median(read)) if read else 0.0
    others: dict[str, Worn] = {}
    for each in there:
        if each.tag not in own:
            others.setdefault(each.tag, each)
    least = max(FEWEST, share * usual)
    often = {tag for tag in others if reads.get(tag, 0) > max(FEWEST, OFTEN * usual)}
    animals: dict[str, dict[str, bool]] = {}
    for each in there:
        of_cage = animals.setdefault(each.cage, {})
        of_cage[each.animal] = of_cage.get(each.animal, False) or each.tag in often
    found = [
        Stray(tag, each, reads[tag], usual, all(animals[each.cage].values()))
        for tag, each in others.items()
        if reads.get(tag, 0) > least
    ]
    return sorted(found, key=lambda stray: (-stray.reads, stray.tag))


def judge(strays: Sequence[Stray], log: str, cages: Sequence[str]) -> Verdict:
    """Judge a segment by the strays of a log that serves it.

    Returns
    -------
    ``discarded`` where an animal of another cage is read as often as those of the only cage that
    the log serves, and not all of its own cage are; ``repaired`` where others are told.
    """
    verdict = Verdict()
    served = f"{log} (by the sheet a log of {', '.join(cages)})"
    for stray in strays:
        told = f"{served}: {stray.words}"
        cage = stray.worn.cage
        if stray.whole:
            reason = f"{told}, as all of {cage}: if it serves {cage}, too, name it in its segments"
            verdict |= Verdict("repaired", reason)
        elif stray.often and len(cages) == 1:
            reason = (
                f"{told}: an animal that lives here by its reads, and elsewhere by its row, so "
                "that its boxes would be given to others. Mend its row in the table of animals "
                f"(line {stray.worn.line}; cage, from, to)"
            )
            verdict |= Verdict("discarded", reason)
        else:
            reason = f"{told}: see to its row in the table of animals (line {stray.worn.line})"
            verdict |= Verdict("repaired", reason)
    return verdict
