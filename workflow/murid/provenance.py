"""What code a stage is made of, as a digest, so that a change of code reruns what it can affect.

A stage is its command in :mod:`murid.cli`, every module of the package that the command imports,
directly or through others, and the files (templates, style sheets) that lie beside a package's
modules. Comments, docstrings and formatting do not count. Read by every cluster job, so standard
library only, and nothing is imported to find out.
"""

import ast
import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent
NAME = PACKAGE.name
COMMANDS = f"{NAME}.cli"
"""The package whose modules hold the commands."""
LEFT_OUT = {NAME, COMMANDS, f"{NAME}.settings"}
"""Modules that every stage imports and none is made of: settings reach a stage as values, which are
tracked by themselves, and of the command line only the stage's own command counts."""


@functools.cache
def digest(command: str, package: Path = PACKAGE) -> str:
    """Return a digest of the code behind ``murid COMMAND``, 16 hexadecimal digits.

    Parameters
    ----------
    command
        Name of a command of :mod:`murid.cli`, for instance ``fit-weights`` or ``import tide``.
    package
        The package's folder.

    Raises
    ------
    KeyError
        If there is no such command.
    """
    total = hashlib.sha256(ast.unparse(_commands(package)[command]).encode())
    for name in closure(command, package):
        total.update(f"\0{name}\0{_content(name, package)}".encode())
    return total.hexdigest()[:16]


@functools.cache
def closure(command: str, package: Path = PACKAGE) -> tuple[str, ...]:
    """Return the names of the modules and packages that a command is made of, sorted.

    Raises
    ------
    KeyError
        If there is no such command.
    """
    found: set[str] = set()
    waiting = list(_imports(_commands(package)[command], COMMANDS, package))
    while waiting:
        name = waiting.pop()
        if name not in found and name not in LEFT_OUT:
            found.add(name)
            waiting.append(name.rpartition(".")[0])  # importing a module runs its package
            waiting.extend(_imported(name, package))
    return tuple(sorted(found))


@functools.cache
def _commands(package: Path) -> dict[str, ast.Module]:
    """Return the body of each function that is a command of the command line, by its name."""
    commands = {}
    modules = sorted(path.stem for path in (package / "cli").glob("*.py"))
    statements = (s for module in modules for s in _tree(f"{COMMANDS}.{module}", package).body)
    for node in statements:
        for decorator in getattr(node, "decorator_list", []):
            if not isinstance(decorator, ast.Call):
                continue
            group, _, what = ast.unparse(decorator.func).rpartition(".")
            if what == "command":
                words = [arg.value for arg in decorator.args if isinstance(arg, ast.Constant)]
                name = str(words[0]) if words else node.name.replace("_", "-")
                prefix = "" if group == "cli" else group.rstrip("_") + " "
                commands[prefix + name] = ast.Module(node.body, [])
    return commands


@functools.cache
def _imported(name: str, package: Path) -> tuple[str, ...]:
    return tuple(_imports(_tree(name, package), name, package))


def _imports(tree: ast.AST, module: str, package: Path) -> Iterator[str]:
    """Yield the package's modules that a module imports anywhere, also within functions."""
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                within = _file(module, package).name == "__init__.py"
                parents = parents[: len(parents) - node.level + within]
                base = ".".join([*parents, base] if base else parents)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
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
    for node in (tree, *_statements(tree)):
        if body := getattr(node, "body", None):
            # Strings that stand alone document something: a module, a function, a constant.
            node.body = [part for part in body if not _is_string(part)] or [ast.Pass()]
    return tree


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements within a module or a statement, at any depth, not what is in them."""
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
    # Unparsed, since what ast.dump writes changes from one Python to the next.
    total = hashlib.sha256(ast.unparse(_tree(name, package)).encode())
    file = _file(name, package)
    if file.name == "__init__.py":
        for path in sorted(file.parent.iterdir()):
            if path.is_file() and path.suffix not in (".py", ".pyc"):
                total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()
