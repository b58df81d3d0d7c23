"""Numbers of things in whatever is told: one is one."""

import re
from pathlib import Path

from murid.numbers import counted

ROOT = Path(__file__).parents[2] / "workflow"
WRITTEN = re.compile(r"\{(?:len\([^{}]*\)|\w+)(?::,)?\} (?:segments|cages|rigs|jobs)\b")
"""A number that is followed by several things, whatever it is."""


def test_one_is_told_as_one() -> None:
    assert [counted(n, "segment") for n in (0, 1, 2)] == ["0 segments", "1 segment", "2 segments"]
    assert counted(1, "log serves", "logs serve") == "1 log serves"


def test_what_is_told_before_and_after_runs_counts_segments_cages_and_rigs_so() -> None:
    places = [ROOT / "rules", *(ROOT / "murid" / name for name in ("run", "cli", "verdicts"))]
    files = [path for place in places for path in place.rglob("*.*") if path.suffix != ".pyc"]
    assert len(files) > 9
    found = {str(path): WRITTEN.findall(path.read_text("utf-8")) for path in files}
    assert {path: texts for path, texts in found.items() if texts} == {}
