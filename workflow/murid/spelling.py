"""Names of attributes and columns, which people write with capitals or without, or otherwise."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from murid.errors import InputError, brief, shown

YES, NO = ("true", "yes", "1", "1.0"), ("false", "no", "0", "0.0")
"""How truth values are written, in small letters."""


def by_name(
    given: Mapping[str, Any], known: Iterable[str], path: object, where: str
) -> dict[str, Any]:
    """Return attributes, those that are ``known`` by their names in small letters.

    Parameters
    ----------
    given
        Attributes as an annotator named them.
    known
        Names in small letters.
    path, where
        The file, and what in it has these attributes, for the message.

    Raises
    ------
    InputError
        If two of them are the same known one but for capitals.

    Examples
    --------
    >>> by_name({"Frame": "12", "Light": "on"}, ["frame"], "via.json", "image a.jpg")
    {'frame': '12', 'Light': 'on'}
    """
    known = set(known)
    named: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for name, value in given.items():
        plain = str(name).strip().lower()
        plain = plain if plain in known else name
        if plain in named:
            raise InputError(
                path, f"the attributes {origin[plain]!r} and {name!r}, which differ in capitals or "
                "spaces only", "each attribute once", where=where,
                remedy="Remove or rename one of the two.",
            )  # fmt: skip
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
    listed = []
    for name in names:
        near = difflib.get_close_matches(str(name).strip().lower(), known, n=1, cutoff=_NEAR)
        listed += [f"{name} ({near[0]}?)"] if near else []
    return brief(", ".join(listed), 200)


_NEAR = 0.75
"""Likeness from which a name may be meant for another: label and lable are alike by 0.8."""


def word_of(value: Any) -> str:
    """Return the value of an attribute as a word in small letters, "" if it says nothing.

    Examples
    --------
    >>> word_of(" Yes"), word_of({"clear": True, "marginal": False}), word_of(None)
    ('yes', 'clear', '')
    """
    if isinstance(value, dict) and all(isinstance(ticked, bool) for ticked in value.values()):
        # Radio buttons and checkboxes of VIA; of none that is ticked, {}.
        return ",".join(str(name).strip().lower() for name, ticked in value.items() if ticked)
    if isinstance(value, list | dict):
        return shown(value)
    return "" if value is None else str(value).strip().lower()


def denies(value: Any) -> bool:
    """Tell whether an attribute's value is a plain no."""
    return word_of(value) in NO
