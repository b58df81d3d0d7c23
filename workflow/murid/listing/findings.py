"""What the user should know of an archive's files, by kinds: a few of each are told."""

import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path

from murid import spreadsheets
from murid.errors import shortened
from murid.files import write_text

EXAMPLES = 3
"""Of each kind that are told: of other folders and endings, where there are such."""
LONGEST = 120
"""Letters of an example."""


class Findings:
    """What was found, by kinds.

    Examples
    --------
    >>> findings = Findings()
    >>> for name in "abcd":
    ...     findings.add("of no use", name)
    >>> list(findings.lines())
    ['of no use: 4 (a, b, c and 1 more)']
    """

    def __init__(self) -> None:
        self.found: dict[str, list[tuple[str, str]]] = {}

    def add(self, kind: str, what: str, why: str = "") -> None:
        """Add one of a kind: a path or a segment, and what more is to be said of it."""
        self.found.setdefault(kind, []).append((what, why))

    def lines(self) -> Iterator[str]:
        """Yield a line of each kind: how many there are, and the first few."""
        for kind, those in self.found.items():
            told = [
                shortened(f"{what}: {why}" if why else what, LONGEST)
                for what, why in _examples(sorted(those))
            ]
            more = f" and {len(those) - EXAMPLES:,} more" if len(those) > EXAMPLES else ""
            sign = "; " if any(why for _, why in those) else ", "
            yield f"{kind}: {len(those):,} ({sign.join(told)}{more})"

    def write(self, path: Path) -> None:
        """Write all of them as a tab-separated table, one a line."""
        rows = [
            (kind, what, why) for kind, those in self.found.items() for what, why in sorted(those)
        ]
        lines = ["\t".join(map(_cell, row)) + "\n" for row in [("kind", "what", "why"), *rows]]
        write_text(path, "".join(lines))


def _examples(those: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the first few, each of another folder or ending as far as there are so many."""
    seen: set[tuple[str, str]] = set()
    first: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for one in those:
        place = posixpath.dirname(one[0]), posixpath.splitext(one[0])[1]
        (others if place in seen else first).append(one)
        seen.add(place)
    return sorted([*first, *others][:EXAMPLES])


def _cell(text: str) -> str:
    """Return a text as a cell: names of files may hold tabs, line ends and what is no letter."""
    shown = text.encode("utf-8", "backslashreplace").decode()
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
    return spreadsheets.as_text(shown)
