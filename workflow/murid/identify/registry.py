"""What a method is, and which there are: those in :mod:`murid.identify.methods`, a module each.

Settings, command line, report and studies take them from here. The modules are imported to plan a
run, so that they import what is slow only where they name.
"""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from murid import okabe_ito
from murid.errors import InputError
from murid.identify.methods import modules

ORACLE = "oracle"
"""The method that knows the annotations: what the best naming of the detections would give."""


@dataclass(frozen=True)
class Method:
    """A method of naming.

    Attributes
    ----------
    rank
        Its place in tables and figures; the paper's methods come first. Between two whole numbers
        is room for others.
    label
        What it is called on pages.
    words
        What it does, in words for someone who has not read the paper.
    colour
        Of its bars and lines; of Okabe and Ito's palette, told apart by colour-blind readers too.
    identify
        Names a scene's boxes: takes :class:`murid.identify.scene.Scene`, returns
        :class:`murid.identify.answer.Answer`. None: a stage of its own does.
    needs
        Models and tables beyond those that all need: ``path_model``, ``annotations``.
    after
        The method that it goes on from, with which studies compare it.
    step, step_words
        What a study of how methods build on each other calls it, and says it adds.
    chosen
        Whether settings may choose it, as ``identify.methods``; others run where they can.
    usual
        Whether it runs unless settings choose others, and is compared in studies.
    obeys
        What it is called where it obeys corrections, beside itself without them; None: it does not
        obey any.
    drawn
        Whether it tells how probable whole assignments are, so that some can be drawn.
    """

    rank: float
    label: str
    words: str
    colour: str
    identify: Callable[[Any], Any] | None = None
    needs: frozenset[str] = frozenset()
    after: str | None = None
    step: str = ""
    step_words: str = ""
    chosen: bool = True
    usual: bool = True
    obeys: str | None = None
    drawn: bool = False


@functools.cache
def methods() -> dict[str, Method]:
    """Return all methods by name, in order."""
    found = {name: module.METHOD for name, module in modules()}
    return dict(sorted(found.items(), key=lambda item: item[1].rank))


def namers() -> dict[str, Callable[[Any], Any]]:
    """Return :attr:`Method.identify` of those that have it, by name, in order."""
    return {name: method.identify for name, method in methods().items() if method.identify}


def chosen() -> tuple[str, ...]:
    """Return the names of the methods that settings may choose."""
    return tuple(name for name, method in methods().items() if method.chosen)


def usual() -> tuple[str, ...]:
    """Return those of them that run unless settings choose others."""
    return tuple(name for name in chosen() if methods()[name].usual)


def needing(what: str) -> tuple[str, ...]:
    """Return the names of the methods that need something, as :attr:`Method.needs` has it."""
    return tuple(name for name, method in methods().items() if what in method.needs)


def obeying() -> dict[str, str]:
    """Return what each method that obeys corrections is called where it does, by name."""
    return {name: method.obeys for name, method in methods().items() if method.obeys}


def drawn() -> tuple[str, ...]:
    """Return the names of the methods of which whole assignments can be drawn."""
    return tuple(name for name, method in methods().items() if method.drawn)


def require(name: str, given: Iterable[str]) -> None:
    """Refuse tables of identities that are of other methods only.

    Raises
    ------
    InputError
        If the method is not among those given.
    """
    if name not in given:
        listed = ", ".join(given) or "(none)"
        raise InputError("identities", f"the methods {listed}", f"also {name}")


def in_order(names: Iterable[str]) -> list[str]:
    """Sort names of methods as the paper does, each once; methods of the user's own follow."""
    ranks = {name: number for number, name in enumerate(methods())}
    return sorted(set(names), key=lambda name: (ranks.get(name, len(ranks)), name))


def label(name: str) -> str:
    """Return what readers see of a method; one of the user's own keeps its name."""
    return methods()[name].label if name in methods() else name


def colours(names: Iterable[str]) -> dict[str, str]:
    """Return the colour of each method but the oracle; the user's own have those that are left."""
    taken = {name: method.colour for name, method in methods().items()}
    spare = [colour for colour in okabe_ito.COLOURS if colour not in taken.values()]
    spare = spare or list(okabe_ito.COLOURS)
    judged = [name for name in names if name != ORACLE]
    others = [name for name in judged if name not in taken]
    taken |= {name: spare[number % len(spare)] for number, name in enumerate(others)}
    return {name: taken[name] for name in judged}
