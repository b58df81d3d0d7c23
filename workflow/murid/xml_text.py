"""XML of unknown origin, read as data: without a document type there is nothing to expand or load.

What makes XML dangerous (entities that multiply, files that it names) has to be declared in a
document type, which no tool writes whose files are read here: a text with one is refused on sight.
"""

from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from murid import files
from murid.errors import InputError, brief

_DECLARES = "<!DOCTYPE"


def read(path: str | Path, expected: str) -> Element:
    """Return the root of an XML file in UTF-8.

    Raises
    ------
    InputError
        As :func:`murid.files.read_text` and :func:`parse`.
    """
    return parse(files.read_text(path, expected), path, expected)


def parse(text: str, path: str | Path, expected: str, where: str | None = None) -> Element:
    """Return the root of a text in XML, which stands in a file, perhaps in a cell ``where``.

    Raises
    ------
    InputError
        If it is no XML, or declares a document type.
    """
    if _DECLARES in text:
        raise InputError(
            path, f"XML that declares a document type ({_DECLARES})", expected, where=where,
            remedy="Remove the declaration: entities are not read.",
        )  # fmt: skip
    try:
        return ElementTree.fromstring(text)  # noqa: S314  # without a document type
    except (ElementTree.ParseError, ValueError) as error:
        found = f"malformed XML ({brief(str(error))})"
        raise InputError(path, found, expected, where=where) from error
