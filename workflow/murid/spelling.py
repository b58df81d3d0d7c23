"""Names of attributes and columns, which people write with capitals or without, or otherwise."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from murid.errors import InputError, brief


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
