"""The pages of the site say what is so: commands, settings and tables that there are."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from making import reference
from murid.cli import cli
from murid.schemas import CONTRACTS
from murid.settings import Settings
from murid.stages import STAGES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WRITTEN = sorted(DOCS.glob("*.md"))
NOTEBOOKS = sorted((DOCS / "questions").glob("*.ipynb"))
FENCED = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:snakemake|murid) [^`]+)`")


def fenced(path: Path, language: str) -> list[str]:
    return [text for kind, text in FENCED.findall(path.read_text("utf-8")) if kind == language]


def typed(path: Path) -> Iterator[list[str]]:
    """Yield the words of each command of murid or Snakemake that a page names."""
    blocks = "".join(fenced(path, "sh")).replace("\\\n", " ").splitlines()
    for line in [*blocks, *INLINE.findall(path.read_text("utf-8"))]:
        words = shlex.split(line)
        if words and words[0] in ("murid", "snakemake"):
            yield words


def test_pages_name_commands() -> None:
    assert len([words for path in WRITTEN for words in typed(path)]) > 20


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_commands_of_murid_have_these_options(path: Path) -> None:
    for words in typed(path):
        if words[0] != "murid":
            continue
        command: click.Command = cli
        context, rest = click.Context(cli), words[1:]
        while isinstance(command, click.Group) and not rest[0].startswith("-"):
            command = command.get_command(context, rest.pop(0)) or pytest.fail(f"{words}")
        known = {name for each in command.get_params(context) for name in each.opts}
        assert {word for word in rest if word.startswith("--")} <= known, words


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_what_snakemake_is_asked_for_is_told_and_stands_before_options(path: Path) -> None:
    for words in typed(path):
        if words[0] != "snakemake":
            continue
        target = words[1:2] if not words[1].startswith("-") else []
        assert {*target} <= {*reference.TARGETS}, words
        if "--configfile" in words:  # takes all that follows it
            files = words[words.index("--configfile") + 1 :]
            assert all(name.endswith((".yaml", "=PATH")) or name == "--config" for name in files)


@pytest.mark.parametrize("path", [*WRITTEN, *NOTEBOOKS], ids=lambda path: path.name)
def test_settings_are_taken(path: Path) -> None:
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) + "\n" for cell in json.loads(text)["cells"])
    blocks = [block for kind, block in FENCED.findall(text) if kind == "yaml"]
    for block in blocks:
        given = yaml.safe_load(block)
        Settings.model_validate({"archive": "archive", "results": "results", **given})


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_stored_without_outputs_and_says_what_it_draws(path: Path) -> None:
    cells = [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
    assert cells
    for cell in cells:
        assert cell["outputs"] == []
        assert ("subplots(" in "".join(cell["source"])) == ("alt" in cell["metadata"])


def test_r_keeps_the_clock_of_the_archive() -> None:
    """Where `local` is not said to be text, readr takes it for a time, and puts it into UTC."""
    texts = [path.read_text("utf-8") for path in [*WRITTEN, *NOTEBOOKS]]
    read = re.findall(r"[^_]\bcols\(([^)]*)\)", "".join(texts))
    assert len(read) > 3
    assert all("local = " in columns for columns in read), read


def test_every_page_and_notebook_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    made = {*reference.pages(ROOT), *(f"questions/{path.stem}.md" for path in NOTEBOOKS)}
    assert {*re.findall(r"\S+\.md", menu)} == made | {path.name for path in WRITTEN}


def test_every_table_and_column_has_a_row() -> None:
    pages = reference.tables()
    for name, contract in CONTRACTS.items():
        (section,) = re.findall(
            rf"^### {name.replace('_', ' ')}\n(.*?)(?=^##|\Z)", pages, re.M | re.S
        )
        assert re.findall(r"^\| `(\w+)` \|", section, re.M) == [c.name for c in contract.columns]


def test_every_command_has_its_help() -> None:
    headings = re.findall(r"^### murid (.+)$", reference.commands(), re.M)
    assert {*STAGES} < {*headings}
    assert len({*headings}) == len(headings)


def test_chapters_are_pages_and_links_lead_across() -> None:
    text = (
        "# All\nsee [it](#b-c)\n\n## A\n\n```python\n## no heading\n```\n\n### `B`: c\n[up](#a)\n"
        "## D\n[b](#b-c)\n"
    )
    assert reference.chapters(text) == {
        "index.md": "# All\nsee [it](a.md#b-c)\n",
        "a.md": "# A\n\n```python\n## no heading\n```\n\n## `B`: c\n[up](a.md#a)",
        "d.md": "# D\n[b](a.md#b-c)",
    }


def test_tables_with_tabs_are_laid_out() -> None:
    text = (
        "# All\nas:\n\n    cage\tanimal\tto\n    A\tR\t\n    A\tG\t2026\n\nand\n\n    1\t2\n\nend"
    )
    table = "| cage | animal | to |\n| --- | --- | --- |\n| A | R |  |\n| A | G | 2026 |"
    assert reference.chapters(text) == {
        "index.md": f"# All\nas:\n\n{table}\n\nand\n\n    1\t2\n\nend"
    }


def test_a_link_to_no_heading_is_refused() -> None:
    with pytest.raises(ValueError, match="#nowhere, which is no heading"):
        reference.chapters("# All\n[it](#nowhere)\n")


def test_a_notebook_becomes_a_page_with_its_tables_and_pictures() -> None:
    nbformat = pytest.importorskip("nbformat", reason="the site's tools are not installed")
    notebooks = pytest.importorskip("making.notebooks")
    table = (
        "<div>\n<style scoped>\n  td {}\n</style>\n<table>\n  <tr><td>1</td></tr>\n</table></div>"
    )
    cell = nbformat.v4.new_code_cell("draw()", metadata={"alt": "a line"})
    cell.outputs = [
        nbformat.v4.new_output("stream", text="said\n"),
        nbformat.v4.new_output("execute_result", {"text/html": table, "text/plain": "1"}),
        nbformat.v4.new_output("display_data", {"image/png": "AAAA", "text/plain": "<Figure>"}),
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), cell])
    page = notebooks.page(notebook, "name")
    assert page.pictures == {"name_1.png": b"\0\0\0"}
    assert page.text.split("\n\n") == [
        "# Title", "```python\ndraw()\n```", "```text\nsaid\n```",
        "<div>\n<table>\n<tr><td>1</td></tr>\n</table></div>", "![a line](name_1.png)",
        "[Download this notebook](name.ipynb){ .md-button download }\n",
    ]  # fmt: skip
