"""The notebooks of the site: run on a real run's results, and shown as pages."""

import base64
import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbclient import NotebookClient

SECONDS = 300
"""For which a cell may work."""
STYLE = re.compile(r"<style scoped>.*?</style>\s*", re.S)


@dataclass
class Page:
    """A notebook that was run, as Markdown, and the pictures in it by their file names."""

    text: str = ""
    pictures: dict[str, bytes] = field(default_factory=dict)


def run(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Run a notebook in a folder, which has what its cells name; return it with its outputs.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    return notebook


def page(notebook: nbformat.NotebookNode, name: str) -> Page:
    """Return a notebook that was run as a page; its pictures are called by its name and a number.

    A cell that draws says in its metadata, ``alt``, what is to be seen.
    """
    made = Page()
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            parts.append(_shown(output, cell.metadata.get("alt", ""), name, made.pictures))
    parts.append(f"[Download this notebook]({name}.ipynb){{ .md-button download }}")
    made.text = "\n\n".join(filter(None, parts)) + "\n"
    return made


def _shown(output: nbformat.NotebookNode, alt: str, name: str, pictures: dict[str, bytes]) -> str:
    """Return an output as Markdown; a picture is put among the others."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.get("data", {})
    if "image/png" in data:
        file = f"{name}_{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode(data["image/png"])
        return f"![{alt}]({file})"
    if "text/html" in data:
        # Lines without space in front, which would make code of them.
        html = STYLE.sub("", data["text/html"])
        return "\n".join(filter(None, (line.strip() for line in html.splitlines())))
    return f"```text\n{data.get('text/plain', '').rstrip()}\n```"
