"""Rig and split of new rows, by whole cages, so that no cage is both learnt from and judged by."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from murid.listing.by_cage import Rule
from murid.listing.findings import Findings
from murid.numbers import counted
from murid.sheet import DEFAULT_RIG, SPLITS, Segment

UNLISTED = "cages that --rig or --split names, of which no segment is listed"
NO_RIG = f"cages of the rig {DEFAULT_RIG!r}, since --rig does not name them"
NO_SPLIT = "cages without split, since --split does not name them: identified, not evaluated"
KEPT = "cages whose new segments get the split that the sheet gives them, not that of --split"
DIVIDED = "cages whose new segments get no split, since the sheet divides them between several"
Annotated = Callable[[Segment], bool]
NONE = "no split (identified, not evaluated)"
SHOWN = 6
"""Cages of a split that are told."""


def with_rigs(
    rows: Sequence[Segment], rules: Sequence[Rule], findings: Findings
) -> Sequence[Segment]:
    """Return rows with the rigs that rules tell; without rules as they are."""
    if not rules:
        return rows
    of_cage = {cage: rule.name for rule in rules for cage in rule.cages}
    usual = next((rule.name for rule in rules if not rule.cages), None)
    cages = {row.cage for row in rows}
    if usual is None:
        for cage in sorted(cages - of_cage.keys()):
            findings.add(NO_RIG, cage)
    return [replace(row, rig=of_cage.get(row.cage, usual or DEFAULT_RIG)) for row in rows]


def with_splits(
    rows: Sequence[Segment],
    rules: Sequence[Rule],
    listed: Collection[Segment],
    annotated: Annotated,
    findings: Findings,
) -> Sequence[Segment]:
    """Return rows with the splits that rules tell, all of a cage the same; without rules as is.

    Cages that the sheet lists already keep the split they have there.

    Parameters
    ----------
    rows
        The new rows.
    rules
        Cages of each split, or shares.
    listed
        Rows of the sheet.
    annotated
        Tells whether a segment is annotated.
    findings
        Gets the cages that rules say nothing of, or of which they are not followed.
    """
    if not rules:
        return rows
    of_cage = {cage: rule.name for rule in rules for cage in rule.cages}
    if not of_cage:
        shares = {rule.name: rule.share or 0.0 for rule in rules}
        of_cage = dealt(rows, shares, listed, annotated)
    given: dict[str, str] = {}
    before = defaultdict(set)
    for row in listed:
        before[row.cage].add(row.split)
    for cage in dict.fromkeys(row.cage for row in rows):
        kept = before.get(cage, set())
        said = of_cage.get(cage, "")
        given[cage] = next(iter(kept)) if len(kept) == 1 else said if not kept else ""
        if len(kept) > 1:
            findings.add(DIVIDED, cage, ", ".join(sorted(split or "none" for split in kept)))
        elif said and given[cage] != said:
            findings.add(KEPT, cage, given[cage] or "none")
        elif not given[cage]:
            findings.add(NO_SPLIT, cage)
    return [replace(row, split=given[row.cage]) for row in rows]


def tell_unlisted(rules: Iterable[Rule], segments: Iterable[Segment], findings: Findings) -> None:
    """Tell the cages that rules name and that are none."""
    there = {segment.cage for segment in segments}
    for rule in rules:
        for cage in rule.cages:
            if cage not in there:
                findings.add(UNLISTED, cage, rule.name)


def dealt(
    rows: Iterable[Segment],
    shares: Mapping[str, float],
    listed: Iterable[Segment],
    annotated: Annotated,
) -> dict[str, str]:
    """Return the split of each cage of new rows that the sheet does not list.

    Cages with annotations are dealt first, by themselves, since only they are learnt from or judged
    by; then the others, which may be annotated later. A cage goes to a split that has none yet, or
    else to the one that is furthest below its share. Their order is that of a digest of their
    names: by chance, as far as animals go, and the same on every machine.
    """
    before = {segment.cage: segment.split for segment in listed}
    known = {segment.cage for segment in (*rows, *listed) if annotated(segment)}
    order = sorted({row.cage for row in rows} - before.keys(), key=_digest)
    made: dict[str, str] = {}
    for kind in (True, False):
        counts = Counter(
            split for cage, split in before.items() if split in shares and (cage in known) is kind
        )
        for cage in order:
            if (cage in known) is kind:
                made[cage] = _next(shares, counts)
                counts[made[cage]] += 1
    return made


def _next(shares: Mapping[str, float], counts: Counter[str]) -> str:
    """Return the split that a cage goes to, where so many are of each."""
    total = counts.total() + 1
    return max(shares, key=lambda split: (not counts[split], shares[split] * total - counts[split]))


def _digest(cage: str) -> str:
    return hashlib.sha256(cage.encode()).hexdigest()


def words(segments: Iterable[Segment], annotated: Annotated) -> Iterator[str]:
    """Yield a line for each split that cages are of, and what is annotated of it.

    Examples
    --------
    >>> rows = [Segment("A", "1", split="Train", annotations="a"), Segment("B", "1", split="Train")]
    >>> [*words(rows, lambda row: bool(row.annotations))]
    ['Train: cages A, B; 1 of 2 segments annotated']
    """
    of_split = defaultdict(list)
    for segment in segments:
        of_split[segment.split].append(segment)
    for split in SPLITS:
        if those := of_split.get(split):
            cages = sorted({segment.cage for segment in those})
            more = f" and {len(cages) - SHOWN:,} more" if len(cages) > SHOWN else ""
            count = sum(map(annotated, those))
            picked = sum(bool(segment.annotations) for segment in those)
            waiting = f", {picked - count:,} waiting to be" if picked > count else ""
            yield (
                f"{split or NONE}: cage{'s' * (len(cages) > 1)} {', '.join(cages[:SHOWN])}"
                f"{more}; {count:,} of {counted(len(those), 'segment')} annotated{waiting}"
            )
