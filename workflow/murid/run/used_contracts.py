"""Which contracts of tables a stage's code is about, so that others change nothing for it.

A contract counts where its table's name stands anywhere in the code, as text or as a name; and with
it the constants that it is made of. What is no contract and no constant counts for all.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_WORD = re.compile(r"[A-Za-z_]\w*")


class Part(NamedTuple):
    """A part of modules of contracts.

    Attributes
    ----------
    table, constant
        The name of a table, or of a constant; "" = it is none.
    text
        What it is.
    made_of
        Names that stand in it.
    """

    table: str
    constant: str
    text: str
    made_of: frozenset[str]


def words(code: str) -> set[str]:
    """Return the words that stand in code, in its names and its texts."""
    return {*_WORD.findall(code)}


def parts(modules: Iterable[ast.Module]) -> tuple[Part, ...]:
    """Take modules of contracts apart.

    Parameters
    ----------
    modules
        Their names are constants, or dictionaries of contracts by the names of tables.
    """
    return tuple(part for module in modules for node in module.body for part in _parts(node))


def used(contracts: Iterable[Part], told: set[str]) -> list[str]:
    """Return what of contracts counts for code in which some words stand, as texts."""
    left = list(contracts)
    kept: list[Part] = []
    names = set(told)
    while True:
        found = [
            part
            for part in left
            if part.table in told or part.constant in names or not (part.table or part.constant)
        ]
        if not found:
            return sorted(part.text for part in kept)
        kept += found
        left = [part for part in left if part not in found]
        names = names.union(*(part.made_of for part in found))


def _parts(node: ast.stmt) -> Iterator[Part]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return  # what is imported counts by its name
    value = getattr(node, "value", None)
    if isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys):
        for key, contract in zip(value.keys, value.values, strict=True):
            name = key.value if isinstance(key, ast.Constant) else ""
            yield _part(contract, table=str(name))
        return
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    yield _part(node, constant=names[0] if names else "")


def _part(node: ast.AST, table: str = "", constant: str = "") -> Part:
    names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    return Part(table, constant, f"{table or constant} {ast.unparse(node)}", names)
