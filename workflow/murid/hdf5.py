"""HDF5 of unknown origin: arrays of numbers and short texts, and nothing else of what it may hold.

A file may point to other files, claim more numbers than there is room for, or be damaged; what it
pickled is data here, too (:mod:`murid.archive.pickles`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murid import files
from murid.errors import InputError, brief

CELLS = 2**25
"""Numbers of an array, at most: 50 points of ten animals in a half hour. Or two for each byte."""
_MAGIC = b"\x89HDF\r\n\x1a\n"


def is_hdf5(path: Path, expected: str) -> bool:
    """Tell whether a file begins as HDF5 does.

    Raises
    ------
    InputError
        If it is missing or no plain file; ``expected`` is what it should hold.
    """
    return files.head(path, expected).startswith(_MAGIC)


class Hdf5:
    """An open file. Each way to look into it raises InputError where it is damaged.

    Parameters
    ----------
    path
        The file.
    expected
        What it should hold, for messages.
    file
        As the library opened it.
    """

    def __init__(self, path: Path, expected: str, file: Any) -> None:
        self.path, self.expected, self._file = path, expected, file
        self._most = max(CELLS, 2 * path.stat().st_size)

    def names(self, group: str = "/") -> list[str]:
        """Return what a group has; nothing if there is none."""
        with self._naming(group):
            found = self._inner(group)
            return list(found) if hasattr(found, "keys") else []

    def has(self, name: str) -> bool:
        """Tell whether there is such an array or group."""
        with self._naming(name):
            return self._inner(name) is not None

    def about(self, name: str, attribute: str, default: Any = None) -> Any:
        """Return an attribute of a group or array; the default if it has none."""
        with self._naming(f"{name}, attribute {attribute}"):
            found = self._inner(name)
            return default if found is None else found.attrs.get(attribute, default)

    def array(self, name: str) -> NDArray[Any]:
        """Return an array, whole.

        Raises
        ------
        InputError
            If there is none, it lies in another file, or is larger than its file may hold.
        """
        with self._naming(name):
            found = self._inner(name)
            shape = getattr(found, "shape", None)
            if found is None or shape is None:
                raise InputError(self.path, f"no array {name}", self.expected)
            if found.is_virtual or found.external:
                raise InputError(self.path, "an array in another file", self.expected, where=name)
            cells = int(np.prod(shape, dtype=object)) * max(1, found.dtype.itemsize // 8)
            if cells > self._most:
                raise InputError(
                    self.path, f"{cells:,} numbers", f"{self._most:,} at most", where=name,
                    remedy="Export it segment by segment.",
                )  # fmt: skip
            return np.asarray(found[()])

    def numbers(self, name: str, dimensions: int) -> NDArray[np.float64]:
        """Return an array of numbers as float64.

        Raises
        ------
        InputError
            If it has other dimensions or holds no numbers, or as :meth:`array`.
        """
        found = self.array(name)
        if found.ndim != dimensions or found.dtype.kind not in "iufb":
            raise InputError(
                self.path, f"{found.dtype} of the shape {found.shape}",
                f"numbers in {dimensions} dimensions", where=name,
            )  # fmt: skip
        return found.astype(np.float64)

    def texts(self, name: str) -> list[str]:
        """Return a list of short texts; what is no UTF-8 in them is put as question marks.

        Raises
        ------
        InputError
            If it is no list of texts, or as :meth:`array`.
        """
        found = self.array(name)
        cells = found.tolist()
        if found.ndim != 1 or not all(isinstance(cell, bytes | str) for cell in cells):
            raise InputError(
                self.path, f"{found.dtype} of the shape {found.shape}", "a list of texts",
                where=name,
            )  # fmt: skip
        return [cell if isinstance(cell, str) else cell.decode(errors="replace") for cell in cells]

    def columns(self, name: str, wanted: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
        """Return columns of a table of numbers as float64.

        Raises
        ------
        InputError
            If it is no such table or lacks one of them, or as :meth:`array`.
        """
        table = self.array(name)
        named = table.dtype.names or ()
        for column in wanted:
            kind = table.dtype[column].kind if column in named else ""
            if table.ndim != 1 or kind not in ("i", "u", "f", "b"):
                raise InputError(
                    self.path, f"columns {brief(', '.join(named)) or '(none)'}",
                    f"a table with numbers {column}", where=name,
                )  # fmt: skip
        return {column: table[column].astype(np.float64) for column in wanted}

    def _inner(self, name: str) -> Any:
        """Return what a name stands for in this very file; None if nothing."""
        from h5py import h5l

        found = self._file
        for part in filter(None, name.split("/")):
            if not hasattr(found, "keys") or not found.id.links.exists(part.encode()):
                return None
            # Links are looked at before they are followed: the other file may be none to open.
            if found.id.links.get_info(part.encode()).type != h5l.TYPE_HARD:
                raise InputError(self.path, "a link to elsewhere", self.expected, where=name)
            found = found[part]
        return found

    @contextmanager
    def _naming(self, where: str) -> Iterator[None]:
        try:
            yield
        except InputError:
            raise
        except Exception as error:
            # The library's errors are of many kinds, and what damage calls forth is not documented.
            found = f"no readable HDF5 ({brief(str(error), 200)})"
            raise InputError(self.path, found, self.expected, where=where) from error


@contextmanager
def opened(path: Path, expected: str) -> Iterator[Hdf5]:
    """Open a file to read from.

    Raises
    ------
    InputError
        If it is missing or no HDF5, or the library for it is not installed.
    """
    if not is_hdf5(path, expected):
        raise InputError(path, "no HDF5", expected)
    # Needed for a few of many formats, and slow to come.
    import h5py

    try:
        # Disks of a network may know of no locks; nothing is written.
        opening = h5py.File(path, "r", locking=False)
    except (OSError, RuntimeError, ValueError) as error:
        found = f"no readable HDF5 ({brief(str(error), 200)})"
        raise InputError(path, found, expected) from error
    with opening as given:
        yield Hdf5(path, expected, given)
