"""Commands of pages: a target stands before --configfile, which takes what follows for files."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "Makefile", "Snakefile", "config/*", "docs/**/*.md", "docs/**/*.py",
                    "workflow/**/*.py", "workflow/**/*.smk")
    for path in ROOT.glob(pattern)
    if path.is_file() and "site" not in path.parts
)  # fmt: skip
COMMAND = re.compile(r"\bsnakemake\b[^\n`\"]*?--configfile +([^\n`\"|]*)")
FILE = re.compile(r"[\w./{}$()-]*\.(yaml|yml|json)\\?|\{\w+\}|\$\(\w+\)")
"""What may be said to be a file of settings."""


def taken(text: str) -> list[str]:
    """Return what each --configfile takes that is no file of settings."""
    wrong = []
    for command in COMMAND.finditer(text):
        words = command[1].split()
        end = next((n for n, word in enumerate(words) if word.startswith("-")), len(words))
        wrong += [word for word in words[:end] if not FILE.fullmatch(word.strip("),.;'"))]
    return wrong


def test_targets_behind_files_are_found() -> None:
    assert taken("snakemake --cores 1 --configfile my.yaml places") == ["places"]
    assert taken("snakemake places --configfile cpu.yaml my.yaml --cores 1 x") == []


def test_no_page_names_a_target_behind_a_file_of_settings() -> None:
    found = {str(page): taken(page.read_text(encoding="utf-8")) for page in PAGES}
    assert len(found) > 9
    assert {page: words for page, words in found.items() if words} == {}
