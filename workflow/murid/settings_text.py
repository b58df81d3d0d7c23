"""The texts that tell of settings, made from the models: ``make settings`` writes them.

They are ``config/config.yaml``, the tables of settings and of formats in ``config/README.md``, and
the JSON schema ``config/schema.json``, by which editors complete and check configurations. No stage
needs it.
"""

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from inspect import get_annotations
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from murid.archive import formats_text
from murid.settings import Settings
from murid.settings_kinds import Block, extra_of

WIDTH, COLUMN = 100, 28
"""Of config.yaml: columns of a line at most, and the one in which comments begin."""
INDENT, NO_BREAK = "  ", "\N{NO-BREAK SPACE}"
HEAD = """\
# yaml-language-server: $schema=schema.json
# Every setting, with its default. config/README.md says more about each.
#
# Leave this file as it is and put what differs for your archive into a file of your own:
#   snakemake --cores all --configfile my.yaml
# or, for single values, on the command line:
#   snakemake --cores all --config archive=PATH results=PATH track='{iou: 0.5}'
# Paths are relative to the folder that snakemake runs in; null means "none given".
"""
TABLE = re.compile(r"<!-- settings(?:: (\w+))? -->\n.*?<!-- end -->", re.DOTALL)
"""A table of config/README.md and what marks it: a block of settings, or those in none."""


def write(root: Path) -> list[Path]:
    """Write what is out of date in a copy of the repository.

    Returns
    -------
    The files that were.
    """
    changed = {path: text for path, text in files(root).items() if _read(path) != text}
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")
    return [*changed]


def files(root: Path) -> dict[Path, str]:
    """Return what each file should hold, for a copy of the repository."""
    folder = root / "config"
    return {
        folder / "config.yaml": configuration(),
        folder / "README.md": formats_text.documented(readme(_read(folder / "README.md"))),
        folder / "schema.json": json.dumps(schema(), indent=2) + "\n",
    }


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def configuration() -> str:
    """Return the text of config.yaml: every setting with its default, and what it is."""
    plain: list[str] = []
    blocks: list[str] = []
    for name, field in _fields(Settings):
        (blocks if _block(field) else plain).append("\n".join(_lines(name, field)))
    return "\n".join([HEAD, *plain, *("\n" + block for block in blocks)]) + "\n"


def _lines(name: str, field: FieldInfo, indent: str = "") -> Iterator[str]:
    """Yield the lines of a setting, or of a block and all that is in it."""
    model = _block(field)
    yield from _with_comment(
        f"{indent}{name}:" if model else f"{indent}{name}: {default(field)}",
        field.description or "",
    )
    for inner, of in _fields(model) if model else ():
        yield from _lines(inner, of, indent + INDENT)


def _with_comment(start: str, comment: str) -> Iterator[str]:
    """Yield a line and its comment, which goes on in lines of its own."""
    column = max(COLUMN, len(start) + 2)
    if column + len("# ") + len(comment) > WIDTH and column > COLUMN:
        yield start
        start, column = "", COLUMN
    whole = comment.replace(" = ", f"{NO_BREAK}={NO_BREAK}")
    for part in textwrap.wrap(whole, WIDTH - column - len("# "), break_on_hyphens=False):
        yield f"{start:<{column}}# {part.replace(NO_BREAK, ' ')}"
        start = ""


def default(field: FieldInfo) -> str:
    """Return the default of a setting as YAML, or an example where it has none.

    Examples
    --------
    >>> default(Settings.model_fields["longest_segment"])
    '0.5'
    """
    value = (field.examples or [None])[0] if field.is_required() else field.default
    listed = json.loads(json.dumps(value))
    text: str = yaml.safe_dump(
        listed, default_flow_style=True, width=float("inf"), allow_unicode=True
    )
    return text.removesuffix("\n").removesuffix("\n...")


def readme(text: str) -> str:
    """Return config/README.md with the tables of its settings as they should be.

    Raises
    ------
    ValueError
        If it has not one place for each table, between ``<!-- settings: track -->`` and
        ``<!-- end -->``; without a name for the settings that are in no block.
    """
    blocks = ["", *(name for name, field in _fields(Settings) if _block(field))]
    marked = TABLE.findall(text)
    if sorted(marked) != sorted(blocks):
        missing, unknown = sorted({*blocks} - {*marked}), sorted({*marked} - {*blocks})
        raise ValueError(
            f"config/README.md: one table a block of settings; missing {missing}, unknown {unknown}"
        )

    def made(mark: re.Match[str]) -> str:
        first = mark[0].partition("\n")[0]
        return f"{first}\n\n{table(mark[1] or '')}\n\n<!-- end -->"

    return TABLE.sub(made, text)


def table(block: str = "") -> str:
    """Return the table of a block in Markdown; of the settings that are in none by default."""
    rows = ["| key | default | meaning |", "| --- | --- | --- |"]
    for key, field in _leaves(Settings):
        if (key.split(".")[0] if "." in key else "") == block:
            rows.append(f"| `{key}` | `{default(field)}` | {meaning(field)} |")
    return "\n".join(rows)


def meaning(field: FieldInfo) -> str:
    """Return all that is said of a setting, in Markdown.

    Examples
    --------
    >>> meaning(Settings.model_fields["results"])
    'folder for everything that is made'
    """
    more = extra_of(field, "more")
    texts = [_marked_up(field.description or "", field), more]
    return ". ".join(filter(None, texts)).replace("|", r"\|")


def _marked_up(text: str, field: FieldInfo) -> str:
    """Mark values, keys and names of files as code, and write ``VALUE = meaning`` with a colon."""
    words = "|".join(map(re.escape, ["null", *_words(field.annotation)]))
    pattern = re.compile(
        r"(?P<values>\w+(?:, \w+)*) = "  # of which a meaning follows
        r"|\[\[.+?\], \.\.\.\]|\[[^\[\]]+\]"  # a list
        r"|\b[A-Za-z]\w*(?:[./_]\w+)+"  # a key or a file
        rf"|\b(?:{words})\b"
    )

    def marked(match: re.Match[str]) -> str:
        if match["values"]:
            return ", ".join(f"`{value}`" for value in match["values"].split(", ")) + ": "
        return f"`{match[0]}`"

    return pattern.sub(marked, text)


def _words(annotation: Any) -> Iterator[str]:
    """Yield the words that a setting takes, at any depth of its type."""
    for part in get_args(annotation):
        yield from [part] if isinstance(part, str) else _words(part)


def schema() -> dict[str, Any]:
    """Return the JSON schema of a configuration file: no key is required, since files add up."""
    made = Settings.model_json_schema()
    del made["required"]
    for model in (made, *made["$defs"].values()):
        for field in model["properties"].values():
            for name in ("more", "path"):
                field.pop(name, None)
            if "$ref" in field:  # a block, whose settings have their own defaults
                field.pop("default")
    return {"$schema": GenerateJsonSchema.schema_dialect, **made}


def _leaves(model: type[Block], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield every setting that is no block, by its whole key."""
    for name, field in _fields(model):
        inner = _block(field)
        if inner:
            yield from _leaves(inner, f"{prefix}{name}.")
        else:
            yield prefix + name, field


def _fields(model: type[Block]) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the fields of a block, its own ones before those that it shares with others."""
    names = [name for kind in model.__mro__ for name in get_annotations(kind)]
    for name in dict.fromkeys(names):
        if name in model.model_fields:
            yield name, model.model_fields[name]


def _block(field: FieldInfo) -> type[Block] | None:
    return type(field.default) if isinstance(field.default, Block) else None


if __name__ == "__main__":
    for path in write(Path(sys.argv[1])):
        print(f"{path}: written")
