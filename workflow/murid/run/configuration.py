"""Configurations as people write them, in YAML: what YAML reads as something else is refused."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from murid.errors import InputError, shown
from murid.files import read_text

Key = tuple[str, ...]
"""A key of a configuration, by the names of the blocks that it is in, and its own."""
OVERRIDING = "--config"
"""Where a key stands that a command line gives."""
_TEXTS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge")
"""Tags of keys that are texts, or ``<<``, which takes over the keys of another mapping."""
_READ = {
    "bool": "a truth value", "int": "a number", "float": "a number", "timestamp": "a day",
    "null": "nothing",
}  # fmt: skip
"""What YAML reads a key as that is no text, by the last word of its tag."""
_EXPECTED = "a configuration in YAML"
_OCTAL_OR_SIXTIES = re.compile(r"[+-]?(0[0-9_]+|[0-9_]+(:[0-9_]+)+)(\.[0-9_]*)?")


class _Loader(yaml.SafeLoader):
    """Refuses keys given twice or that are no texts, and numbers to the base 8 or 60."""


def read(path: str | Path) -> Mapping[str, Any]:
    """Return the keys and values of a file.

    Raises
    ------
    InputError
        If it cannot be read, is no YAML or holds no keys, a key is given twice in one place or
        read as something else than a text (off is false), or a number begins with 0 or has colons
        (0640 is 416, 1:30 is 90); naming the line.
    """
    text = _text(path)
    try:
        content = parse(text)
    except yaml.YAMLError as error:
        raise InputError(path, f"what cannot be read ({_why(error)})", _EXPECTED) from error
    if content is None:
        raise InputError(
            path, "no keys", "keys and values in YAML",
            remedy="Write at least one, as archive: FOLDER, or leave the file out of the command.",
        )  # fmt: skip
    if not isinstance(content, Mapping):
        raise InputError(path, f"{type(content).__name__}", "keys and values in YAML")
    return content


def _why(error: yaml.YAMLError) -> str:
    """Return in a line what is wrong with a text; of what this module refuses, without its copy."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark and not error.context:
        return f"line {error.problem_mark.line + 1}: {error.problem}"
    return " ".join(str(error).replace('in "<unicode string>", ', "").split())


def _text(path: str | Path) -> str:
    return read_text(path, f"{_EXPECTED}, in UTF-8", empty=True)


def places(paths: Iterable[str | Path], overriding: Mapping[str, Any]) -> dict[Key, str]:
    """Return where each key of a configuration stands: a file and a line, by the key's names.

    Parameters
    ----------
    paths
        The files, each of which wins over those before it.
    overriding
        Values of a command line, which win over those of all files.

    Raises
    ------
    InputError
        As :func:`read`, which every file is checked by.
    """
    lines: dict[Key, str] = {}
    for path in paths:
        read(path)
        node = yaml.compose(_text(path), Loader=_Loader)
        lines |= {key: f"{path}, line {line}" for key, line in _lines(node)}
    leaves = list(_leaves(overriding))
    # What is wrong with a block may be so by its keys on the command line.
    for block in {leaf[:depth] for leaf in leaves for depth in range(1, len(leaf))}:
        lines[block] = f"{lines[block]}, and {OVERRIDING}" if block in lines else OVERRIDING
    return lines | dict.fromkeys(leaves, OVERRIDING)


def _lines(node: yaml.Node | None, within: Key = ()) -> Iterator[tuple[Key, int]]:
    """Yield each key of a mapping, at any depth, and its line."""
    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        key = (*within, str(name.value))
        yield key, name.start_mark.line + 1
        yield from _lines(value, key)


def _leaves(values: Mapping[str, Any], within: Key = ()) -> Iterator[Key]:
    """Yield each key of nested values that is of no mapping."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*within, name))
        else:
            yield (*within, name)


def parse(text: str) -> Any:
    """Return the value that a text in YAML holds.

    Raises
    ------
    yaml.YAMLError
        As :func:`read` tells.

    Examples
    --------
    >>> parse("{width: 640}")
    {'width': 640}
    """
    try:
        value = yaml.load(text, Loader=_Loader)  # noqa: S506 (a safe loader)
        json.dumps(value, default=str)  # raises if it holds itself
    except (ArithmeticError, AttributeError, RecursionError, TypeError, ValueError) as error:
        raise yaml.YAMLError(f"a value that is none ({error})") from error
    return value


def _mapping(loader: _Loader, node: yaml.MappingNode) -> Any:
    above: dict[tuple[str, str], int] = {}
    for key, _ in node.value:
        name = (key.tag, str(key.value))
        if name in above:
            problem = (
                f"the key {shown(key.value)} is given twice, first in line {above[name] + 1}: give "
                "it once, with all that is set of it"
            )
            raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
        above[name] = key.start_mark.line
        if key.tag not in _TEXTS:
            problem = (
                f"the key {shown(key.value)}, which YAML reads as "
                f"{_READ.get(key.tag.rpartition(':')[2], 'no text')}: put it into quotes"
            )
            raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
    return loader.construct_yaml_map(node)


def _plain(read: Any) -> Any:
    def construct(loader: _Loader, node: yaml.ScalarNode) -> Any:
        if _OCTAL_OR_SIXTIES.fullmatch(node.value):
            problem = (
                f"{node.value} means {read(loader, node)} in YAML: write the number without "
                "leading zeros or colons, or quote a text"
            )
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return read(loader, node)

    return construct


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:int", _plain(yaml.SafeLoader.construct_yaml_int))
_Loader.add_constructor("tag:yaml.org,2002:float", _plain(yaml.SafeLoader.construct_yaml_float))
