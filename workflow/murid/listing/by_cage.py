"""What options say of whole cages: their rig, and their split. Standard library only."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from murid.sheet import ALL, NAME, NAMED, SPLITS

WRITTEN_RIG = "a rig, or RIG=CAGES, as left=C01,C02"
WRITTEN_SPLIT = "SPLIT=CAGES or a share of them, as Train=C01,C02 or Train=50%"
"""For messages."""
TOLERANCE = 1e-3
"""By which shares may differ from all: thirds are written as 33.3%."""
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3})?)%")
_CHOICES = tuple(filter(None, SPLITS))


@dataclass(frozen=True)
class Rule:
    """What an option says.

    Attributes
    ----------
    name
        A rig or a split.
    cages
        Those that are of it; none: all, or a share.
    share
        Of all cages, above 0 to 1; None: no share.
    """

    name: str
    cages: tuple[str, ...] = ()
    share: float | None = None


def rig(text: str) -> Rule:
    """Return what ``--rig`` says.

    Raises
    ------
    ValueError
        Saying what is expected.

    Examples
    --------
    >>> rig("left=C01,C02").cages, rig("left").cages
    (('C01', 'C02'), ())
    """
    name, equals, cages = text.partition("=")
    if not NAME.fullmatch(name.strip()):
        raise ValueError(f"{WRITTEN_RIG}; a name is {NAMED}")
    return Rule(name.strip(), _cages(cages, WRITTEN_RIG) if equals else ())


def split(text: str) -> Rule:
    """Return what ``--split`` says.

    Raises
    ------
    ValueError
        Saying what is expected.

    Examples
    --------
    >>> split("Train=C01,C02").cages, split("Validate=25%").share
    (('C01', 'C02'), 0.25)
    """
    name, _, said = (part.strip() for part in text.partition("="))
    if name not in _CHOICES:
        raise ValueError(f"{WRITTEN_SPLIT}; a split is {', '.join(_CHOICES)}")
    if share := _SHARE.fullmatch(said):
        if not 0 < float(share[1]) <= 100:
            raise ValueError(f"a share above 0 up to 100%: {WRITTEN_SPLIT}")
        return Rule(name, share=float(share[1]) / 100)
    return Rule(name, _cages(said, WRITTEN_SPLIT))


def _cages(text: str, written: str) -> tuple[str, ...]:
    cages = tuple(cage.strip() for cage in text.split(","))
    if not all(NAME.fullmatch(cage) and cage != ALL for cage in cages):
        raise ValueError(f"{written}; a cage is {NAMED}")
    return cages


def faults(rules: Sequence[Rule]) -> Iterator[tuple[str, str]]:
    """Yield what was found and expected where the rules of an option contradict each other."""
    named = [cage for rule in rules for cage in rule.cages]
    if twice := sorted({cage for cage in named if named.count(cage) > 1}):
        yield f"cage {', '.join(twice)} twice", "each cage once: a cage is not divided"
    names = [rule.name for rule in rules]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield f"{', '.join(twice)} twice", "each once, with all of its cages"
    if len({(bool(rule.cages), rule.share is None) for rule in rules}) > 1:
        yield "rules of several kinds", "either cages, or shares of all cages"
    whole = [rule.name for rule in rules if not rule.cages and rule.share is None]
    if len({*whole}) > 1:
        yield f"{', '.join(whole)}, each of all cages", "one of all, or each with its cages"
    shares = [rule.share for rule in rules if rule.share is not None]
    if shares and abs(sum(shares) - 1) > TOLERANCE:
        yield f"shares of {100 * sum(shares):.4g}% together", "100%"
