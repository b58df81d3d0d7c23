"""The methods by which animals are named, a module each: to add a method is to add a module.

A method's module is called as the method, and has ``METHOD``, a
:class:`murid.identify.registry.Method`, which is all that is said of it anywhere, its colour and
its words for the report included.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def modules() -> Iterator[tuple[str, ModuleType]]:
    """Yield the modules of all methods, by name."""
    # Here, and not where they are used: by it a stage is known to depend on every one of them.
    for module in pkgutil.iter_modules(__path__):
        yield module.name, importlib.import_module(f"{__name__}.{module.name}")
