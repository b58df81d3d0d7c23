"""The pages *Reference*, made of what murid itself says: none of it is written twice."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import click

from murid.cli import cli
from murid.report.metric_words import METRICS
from murid.schemas import CONTRACTS, Column

FOLDER = "reference"
WIDTH = 72
"""Columns of the help of a command, at most."""
HEADING = re.compile(r"^(#{1,6}) (.+)$")
FENCE = "```"
TABBED = re.compile(r"^    .*\t.*(?:\n    .*\t.*)+", re.M)
"""Lines of a table whose columns are separated by tabs, its header first."""
LINK = re.compile(r"\]\(#([^)\s]+)\)")
BY_HAND = (
    "sheet", "frames", "preflight", "show", "clip", "picture", "alerts", "corrections",
    "simulate", "import", "train-detector", "export-detector",
)  # fmt: skip
"""Commands that people type; the others are what a run calls for each of its jobs."""
TARGETS = (
    "all", "identities", "animals", "summaries", "places", "draws", "export", "clips", "proofread",
    "weights_study", "tune_tracker", "identify_study",
)  # fmt: skip
"""Rules that people ask for."""
RULE = re.compile(r'^rule (\w+):\n    """(.+?)"""', re.M | re.S)
"""A rule: its name, and what it says of itself."""
READ = {
    "identities": "segments/CAGE/SEGMENT/identities/path.parquet",
    "places": "segments/CAGE/SEGMENT/places.parquet",
    "draws": "segments/CAGE/SEGMENT/draws.parquet",
    "posteriors": "segments/CAGE/SEGMENT/posteriors.parquet",
    "seconds": "segments/CAGE/SEGMENT/seconds.parquet",
    "animal_figures": "animals/minutes, animals/hours (.csv and .parquet)",
    "zone_figures": "animals/zone_minutes, animals/zone_hours (.csv and .parquet)",
    "pair_figures": "animals/pair_minutes, animals/pair_hours (.csv and .parquet)",
    "tracklet_names": "animals/tracklet_names (.csv and .parquet)",
    "summaries": "report/segments.csv",
    "metrics": "report/metrics.csv",
    "stretches": "report/review.csv",
    "cages": "report/cages.csv",
    "alerts": "report/alerts.csv",
    "health": "report/health.csv",
}
"""Tables that people read, and where in the folder of results they are."""


def pages(root: Path) -> dict[str, str]:
    """Return the text of each page, by its path within the site.

    Parameters
    ----------
    root
        The repository.
    """
    read = (root / "config" / "README.md").read_text(encoding="utf-8")
    made = chapters(read)
    made["index.md"] = made["index.md"].replace("# Configuration", LOOKED_UP, 1)
    made |= {
        "commands.md": commands(),
        "targets.md": targets(
            [root / "Snakefile", *sorted((root / "workflow" / "rules").glob("*.smk"))]
        ),
        "metrics.md": metrics(),
        "tables.md": tables(),
    }
    return {f"{FOLDER}/{name}": text for name, text in made.items()}


LOOKED_UP = """\
# Reference

| you look for | page |
| --- | --- |
| a setting of `my.yaml`, and its default | [Settings](settings.md) |
| a command, and its options | [Commands](commands.md) |
| a word behind `snakemake` | [Targets](targets.md) |
| a column of a table of results | [Tables](tables.md), [Metrics](metrics.md) |
| a column of the sheet | [Sample sheet](the-sample-sheet.md) |
| how a file of yours is read | [Traces and annotations](antenna-traces-and-annotations.md), \
[Antenna logs](antenna-logs.md), \
[Boxes of other tools](detections-and-tracklets-of-other-tools.md) |
| how a figure of the results is made | [Answers](answers.md) |
| why a segment was discarded | [Verdicts](verdicts.md) |
| how to correct names by hand, or take them elsewhere | \
[Corrections](corrections-what-people-answered.md), \
[Exports](exports-names-as-other-tools-read-them.md) |
| sizes of large archives | [Clusters](clusters-and-large-archives.md) |

## Configuration
""".rstrip()
"""In place of the heading of what stands before the chapters."""


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and MkDocs make it.

    Examples
    --------
    >>> slug("`grid`: the antennas")
    'grid-the-antennas'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def chapters(text: str) -> dict[str, str]:
    """Cut a text into a page for each of its headings of the second level; links lead across.

    Tables with tabs are laid out, since columns of several widths are no columns any more. What
    stands before the first of them is the page ``index.md``.

    Raises
    ------
    ValueError
        If a link leads to no heading.
    """
    page = "index.md"
    parts: dict[str, list[str]] = {page: []}
    places: dict[str, str] = {}
    for line, heading in _lines(text):
        if heading:
            level, words = len(heading[1]), heading[2]
            if level == 2:
                page = f"{slug(words)}.md"
                parts[page] = []
            places[slug(words)] = page
            line = f"{'#' * max(level - 1, 1)} {words}"
        parts[page].append(line)

    def across(link: re.Match[str]) -> str:
        if link[1] not in places:
            raise ValueError(f"config/README.md: a link to #{link[1]}, which is no heading")
        return f"]({places[link[1]]}#{link[1]})"

    return {
        name: TABBED.sub(laid_out, LINK.sub(across, "\n".join(lines)))
        for name, lines in parts.items()
    }


def laid_out(table: re.Match[str]) -> str:
    """Return a table with tabs as one of Markdown."""
    header, *rows = [line[4:].split("\t") for line in table[0].split("\n")]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows])


def _lines(text: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield each line, and what of it is a heading."""
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith(FENCE)
        yield line, None if fenced else HEADING.match(line)


def commands() -> str:
    """Return the page of all commands: their own help."""
    context = click.Context(cli, info_name="murid")
    parts = [
        "# Commands",
        "Each command also tells this by `--help`. Values of settings are written as in YAML.",
        "## Commands for people",
    ]
    others = [name for name in cli.list_commands(context) if name not in BY_HAND]
    for name in (*BY_HAND, "", *others):
        parts += _helps(name, context) if name else ["## What a run calls", CALLED]
    return "\n\n".join(parts) + "\n"


CALLED = (
    "A run calls these for every segment, cage or archive. You need none of them, unless you "
    "want to do a step by hand."
)


def _helps(name: str, within: click.Context) -> Iterator[str]:
    """Yield the heading and the help of a command, or of all that are in a group."""
    group = cast(click.Group, within.command)
    command = group.get_command(within, name)
    if command is None:
        raise KeyError(f"{within.command_path} has no command {name}")
    context = click.Context(
        command, info_name=name, parent=within, terminal_width=WIDTH, max_content_width=WIDTH
    )
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from _helps(inner, context)
    else:
        yield f"### {context.command_path}"
        yield f"{FENCE}text\n{command.get_help(context)}\n{FENCE}"


def targets(files: list[Path]) -> str:
    """Return the page of what Snakemake can be asked for, by what rules say of themselves.

    Raises
    ------
    KeyError
        If there is no such rule in the files.
    """
    rules = {
        name: " ".join(words.split())
        for path in files
        for name, words in RULE.findall(path.read_text(encoding="utf-8"))
    }
    rows = [f"| `snakemake {name}` | {rules[name]} |" for name in TARGETS]
    return "\n".join([ASKED, "| command | what it makes |", "| --- | --- |", *rows, ""])


ASKED = """\
# What a run can make

`snakemake --cores all --configfile my.yaml` makes `all`. Each other word makes its own files and
what they need, and takes the same options. The word stands first: behind `--configfile` it would
be taken for another file.

    snakemake places --cores all --configfile my.yaml
"""


def metrics() -> str:
    """Return the page of the metrics, in the words of the report."""
    rows = [f"| `{name}` | {words.better} | {words.meaning} |" for name, words in METRICS.items()]
    return "\n".join(
        [COUNTED, "| metric | better if | what it is |", "| --- | --- | --- |", *rows, ""]
    )


COUNTED = """\
# Metrics

What the column `metric` of `report/metrics.csv` counts, on annotated frames. `_O` is overall, `_GD`
given what the detector found, so that its misses do not count.
"""


def tables() -> str:
    """Return the page of all tables: their columns, types and units."""
    parts = [
        "# Tables",
        "Types are those of Parquet; in a CSV, an empty cell is a missing value. A table never has "
        "two rows with the same *key*. Paths start in the folder of results.",
        "## Tables to read",
        *(part for name in READ for part in _table(name)),
        "## Tables between stages",
        *(part for name in CONTRACTS if name not in READ for part in _table(name)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(name: str) -> Iterator[str]:
    """Yield the heading of a table, where it is, and its columns."""
    contract = CONTRACTS[name]
    yield f"### {name.replace('_', ' ')}"
    place = f"`{READ[name]}`" if name in READ else f"Table `{name}`"
    key = ", ".join(f"`{column}`" for column in contract.key) or "none"
    yield f"{place}. Key: {key}."
    rows = [_row(column) for column in contract.columns]
    yield "\n".join(
        ["| column | type | what it is | may be missing |", "| --- | --- | --- | --- |", *rows]
    )


def _row(column: Column) -> str:
    unit = (column.unit or ", ".join(f"`{choice}`" for choice in column.choices)).replace(
        "|", r"\|"
    )
    missing = "the column" if column.optional else "yes" if column.nullable else ""
    return f"| `{column.name}` | {_type(column)} | {unit} | {missing} |"


_TYPES: Mapping[str, str] = {
    "string": "text", "float": "float32", "double": "float64", "bool": "true or false",
    "list<item: string>": "list of texts", "timestamp[us, tz=UTC]": "time, UTC",
    "dictionary<values=string, indices=int32, ordered=0>": "text",
}  # fmt: skip


def _type(column: Column) -> str:
    name = str(column.type)
    return _TYPES.get(name, name)
