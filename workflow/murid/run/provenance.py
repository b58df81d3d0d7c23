"""What code a stage is made of, as a digest, so that a change of code reruns what it can affect.

A stage is its declaration, every module of the package that it imports, directly or through others,
and the files (templates, style sheets) that lie beside a package's modules. Comments, docstrings
and formatting do not count, nor do contracts of tables that its code does not name. Nothing is
imported to find out.
"""

import ast
import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from murid.run import used_contracts
from murid.stages import STAGES

PACKAGE = Path(__file__).parents[1]
NAME = PACKAGE.name
_SETTINGS = ("settings", "settings_faults", "settings_kinds", "settings_text")
_SCHEMAS = f"{NAME}.schemas"
LEFT_OUT = {NAME, *(f"{NAME}.{module}" for module in (*_SETTINGS, "stage", "stages"))}
"""Modules that every stage imports and none is made of: settings reach a stage as values, which are
tracked by themselves."""


@functools.cache
def digest(command: str, package: Path = PACKAGE) -> str:
    """Return a digest of the code behind ``murid COMMAND``, 16 hexadecimal digits.

    Parameters
    ----------
    command
        Of a stage, for instance ``fit-weights`` or ``import tide``.
    package
        The package's folder.

    Raises
    ------
    KeyError
        If there is no such command.
    """
    declaration = _declaration(command, package)
    total = hashlib.sha256(ast.unparse(declaration).encode())
    names = closure(command, package)
    others = [name for name in names if not name.startswith(_SCHEMAS)]
    for name in others:
        total.update(f"\0{name}\0{_content(name, package)}".encode())
    told = used_contracts.words(ast.unparse(declaration)).union(
        *(used_contracts.words(_code(name, package)) for name in others)
    )
    for text in used_contracts.used(_contracts(tuple(sorted({*names} - {*others})), package), told):
        total.update(f"\0{text}".encode())
    return total.hexdigest()[:16]


@functools.cache
def _contracts(names: tuple[str, ...], package: Path) -> tuple[used_contracts.Part, ...]:
    return used_contracts.parts(_tree(name, package) for name in names)


@functools.cache
def _code(name: str, package: Path) -> str:
    # Unparsed, since what ast.dump writes changes from one Python to the next.
    return ast.unparse(_tree(name, package))


@functools.cache
def closure(command: str, package: Path = PACKAGE) -> tuple[str, ...]:
    """Return the names of the modules and packages that a command is made of, sorted.

    Raises
    ------
    KeyError
        If there is no such command.
    """
    modules: set[str] = set()
    waiting = list(_imports(_declaration(command, package), package))
    while waiting:
        name = waiting.pop()
        if name not in modules and name not in LEFT_OUT:
            modules.add(name)
            waiting.append(name.rpartition(".")[0])  # importing a module runs its package
            waiting.extend(_imported(name, package))
    return tuple(sorted(modules))


@functools.cache
def _declaration(command: str, package: Path) -> ast.Module:
    """Return what a stage's module says of it: all but the module's other stages."""
    module, _, name = STAGES[command].rpartition(".")
    places = (place.rpartition(".") for place in STAGES.values())
    others = {other for of, _, other in places if of == module and other != name}
    return ast.Module(
        [
            node
            for node in _tree(f"{NAME}.{module}", package).body
            if not (isinstance(node, ast.ClassDef) and node.name in others)
        ],
        [],
    )


@functools.cache
def _imported(name: str, package: Path) -> tuple[str, ...]:
    """Return what a module imports; of a package that looks for its modules, all of them."""
    tree = _tree(name, package)
    names = list(_imports(tree, package))
    if any(isinstance(node, ast.Import) and node.names[0].name == "pkgutil" for node in tree.body):
        folder = _file(name, package).parent
        names += [f"{name}.{path.stem}" for path in folder.glob("[!_]*.py")]
    return tuple(names)


def _imports(tree: ast.AST, package: Path) -> Iterator[str]:
    """Yield the package's modules that code imports anywhere, also within functions.

    They are imported by their whole names, as the package's tests see to.
    """
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            if name.split(".")[0] == NAME and _exists(name, package):
                yield name


def _file(name: str, package: Path) -> Path:
    path = package.joinpath(*name.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def _exists(name: str, package: Path) -> bool:
    file = _file(name, package)
    return file.is_file() or file.name == "__init__.py"


@functools.cache
def _tree(name: str, package: Path) -> ast.Module:
    """Return a module's syntax tree without docstrings; an empty one for a folder without code."""
    file = _file(name, package)
    tree = ast.parse(file.read_bytes() if file.is_file() else b"", str(file))
    nodes: tuple[Any, ...] = (tree, *_statements(tree))  # some of which have a body
    for node in nodes:
        if body := getattr(node, "body", None):
            # Strings that stand alone document something: a module, a function, a constant.
            node.body = [part for part in body if not _is_string(part)] or [ast.Pass()]
    return tree


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements within a module or a statement, at any depth, not what is in them."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, part, ()):
            yield child
            yield from _statements(child)


def _is_string(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@functools.cache
def _content(name: str, package: Path) -> str:
    """Return a digest of a module's code, for a package also of the files beside it."""
    total = hashlib.sha256(_code(name, package).encode())
    file = _file(name, package)
    if file.name == "__init__.py":
        for path in sorted(file.parent.iterdir()):
            if path.is_file() and path.suffix not in (".py", ".pyc"):
                total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()
