"""What MkDocs calls: pages that are made while the site is built are put among the written ones."""

import logging
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
for folder in (ROOT / "docs", ROOT / "workflow"):
    sys.path.insert(0, str(folder))

from making import figures, notebooks, reference  # noqa: E402

RUN = ROOT / "build" / "docs"
"""Where `make docs` has the run that notebooks and figures look at."""
LOG = logging.getLogger("mkdocs.hooks.murid")
ELSEWHERE = re.compile(
    r"<(?:script|link(?! rel=.canonical)|img|iframe)\b[^>]*"
    r"\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>"
)
"""What a page would load from another place."""
CELL, CODE = re.compile(r"<td>.*?</td>", re.S), re.compile(r"(?<=<code>)[^<]*(?=</code>)")
"""A cell of a table, and code in it."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made: pages of reference, notebooks that were run, and figures."""
    results = RUN / "results"
    if not (results / "report" / "metrics.csv").exists():
        raise PluginError(f"{results} has no results for notebooks to look at. Run: make docs")
    made: dict[str, str | bytes] = {**reference.pages(ROOT), **figures.drawn(RUN)}
    for path in sorted((ROOT / "docs" / "questions").glob("*.ipynb")):
        LOG.info("Running %s", path.name)
        page = notebooks.page(notebooks.run(path, RUN), path.stem)
        made[f"questions/{path.stem}.md"] = page.text
        made |= {f"questions/{name}": content for name, content in page.pictures.items()}
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_content(html: str, **_: object) -> str:
    """Let paths in tables break where a folder ends."""
    return CELL.sub(
        lambda cell: CODE.sub(lambda code: code[0].replace("/", "/<wbr>"), cell[0]), html
    )


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Refuse a page that cannot be read without a network."""
    if found := ELSEWHERE.search(output):
        raise PluginError(f"{page.file.src_uri} loads something from elsewhere: {found[0]}")
    return output
