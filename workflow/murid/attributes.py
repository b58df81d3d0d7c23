"""Names of attributes and columns, which people write with capitals or without, or otherwise."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from murid.errors import brief


def by_name(given: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return attributes, those that are ``known`` by their names in small letters.

    Parameters
    ----------
    given
        Attributes as an annotator named them.
    known
        Names in small letters.

    Raises
    ------
    ValueError
        If two of them are the same known one but for capitals; its text is what was found.

    Examples
    --------
    >>> by_name({"Frame": "12", "Light": "on"}, ["frame"])
    {'frame': '12', 'Light': 'on'}
    """
    known = set(known)
    named: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for name, value in given.items():
        plain = str(name).strip().lower()
        plain = plain if plain in known else name
        if plain in named:
            raise ValueError(
                f"the attributes {origin[plain]!r} and {name!r}, which differ in capitals or "
                "spaces only"
            )
        named[plain], origin[plain] = value, name
    return named


def misspelt(names: Iterable[str], known: Iterable[str]) -> str:
    """List those names that are nearly a known one, each with that one; "" if there are none.

    Others are people's own, and no fault.

    Examples
    --------
    >>> misspelt(["visiblity", "light"], ["identity", "visibility"])
    'visiblity (visibility?)'
    """
    known = list(known)
    told = []
    for name in names:
        near = difflib.get_close_matches(str(name).strip().lower(), known, n=1, cutoff=_NEAR)
        told += [f"{name} ({near[0]}?)"] if near else []
    return brief(", ".join(told), 200)


_NEAR = 0.75
"""Likeness from which a name may be meant for another: label and lable are alike by 0.8."""


TWICE = "Remove or rename one of the two."
"""What to do about attributes that :func:`by_name` refuses."""
