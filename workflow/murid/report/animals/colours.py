"""The colours of animals in figures."""

from collections.abc import Iterable, Mapping
from typing import Any

from murid.okabe_ito import BLUE, COLOURS, GREEN, LINES, VERMILION
from murid.report.metrics import natural

TAGS = {"R": VERMILION, "G": GREEN, "B": BLUE}
"""Those of animals that are named by the colour of their tag, as on footage."""

NIGHT: dict[str, Any] = {"color": LINES, "alpha": 0.28, "lw": 0, "zorder": 0}
"""How the dark phase is shaded, so that animals are seen on it on light and on dark pages."""


def of(names: Iterable[str]) -> dict[str, str]:
    """Return a colour an animal, in the order in which animals are told of.

    Examples
    --------
    >>> list(of(["R", "B"])), of(["R", "B"])["R"] == VERMILION
    (['B', 'R'], True)
    """
    ordered = sorted(set(names), key=natural)
    if set(ordered) <= set(TAGS):
        return {name: TAGS[name] for name in ordered}
    return {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(ordered)}


def rounds(of_animals: Mapping[str, str]) -> dict[str, int]:
    """Tell how often the colours were used up before an animal: then marks and dashes differ.

    Parameters
    ----------
    of_animals
        As :func:`of` gives them.

    Examples
    --------
    >>> rounds(of(f"m{number}" for number in range(12)))["m11"]
    1
    """
    return {name: place // len(COLOURS) for place, name in enumerate(of_animals)}
