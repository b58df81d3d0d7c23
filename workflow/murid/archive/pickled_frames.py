"""Pickled pandas frames as frames: what the nodes of :mod:`murid.archive.pickles` mean.

Frames of numbers, truth values, text and categories are understood, as pandas 1.0 to 3 pickle them
(text comes as objects; ``pandas.compat.pickle_compat`` lists what moved between the versions). They
are built anew through the public constructors of numpy, pyarrow and pandas, so that neither a
forged dtype nor a forged block layout reaches their internals.
"""

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from murid import files
from murid.archive import pickles
from murid.archive.pickles import Global, Node
from murid.errors import InputError

_DTYPE = re.compile(r"[<>=|]?(\?|b1|[iu][1248]|f[248]|O8?|U[0-9]{1,5})")
_MASKED = {
    "IntegerArray": pd.arrays.IntegerArray,
    "FloatingArray": pd.arrays.FloatingArray,
    "BooleanArray": pd.arrays.BooleanArray,
}
_STRINGS = ("StringArray", "StringArrayNumpySemantics")
_ARROW_STRINGS = ("ArrowStringArray", "ArrowStringArrayNumpySemantics")
_PLAIN = (str, int, float, bool, type(None))


def read_frame(path: str | Path) -> pd.DataFrame:
    """Read a pickled pandas frame without unpickling it.

    Parameters
    ----------
    path
        A pickle of a data frame, plain or compressed by bzip2 or gzip (``.df`` of a TIDe release).

    Raises
    ------
    RefusedPickleError
        If the pickle mentions anything but pandas' and numpy's data classes.
    InputError
        If the file is missing, damaged, too large, or holds no frame of a known layout.
    """
    tree = pickles.read(path)
    try:
        return _frame(tree, pickles.most_bytes(path) // 8)
    except (
        ArithmeticError, AttributeError, IndexError, KeyError, MemoryError, RecursionError,
        TypeError, ValueError,
    ) as error:  # fmt: skip
        raise InputError(
            path, f"a pickle whose content is damaged or of another kind ({error})",
            "a pandas frame of numbers, text and categories",
            remedy="Save it as Parquet instead, or with the columns of a TIDe release only.",
        ) from error  # fmt: skip


def _frame(node: Any, most: int) -> pd.DataFrame:
    """Return the frame, of ``most`` cells at most."""
    _expect(node, "DataFrame")
    manager = node.state.get("_mgr", node.state.get("_data"))
    _expect(manager, "BlockManager")
    blocks, (items, index) = _layout(manager)
    names, rows_index = _index(items), _index(index)
    if len(names) > files.MOST_COLUMNS:
        raise ValueError(f"{len(names):,} columns where {files.MOST_COLUMNS:,} are the most")
    if len(rows_index) * (len(names) + rows_index.nlevels) > most:
        raise ValueError("more cells than the file can hold")
    columns: dict[int, Any] = {}
    for values, places in blocks:
        rows = values if isinstance(values, np.ndarray) and values.ndim == 2 else [values]
        for place, row in zip(places, rows, strict=True):
            columns[place] = row
    if sorted(columns) != list(range(len(names))):
        raise ValueError("columns without cells, or cells without a column")
    series = {
        place: pd.Series(columns[place], rows_index, columns[place].dtype, copy=False)
        for place in range(len(names))
    }
    return pd.DataFrame(series, rows_index).set_axis(names, axis=1)


def _layout(manager: Node) -> tuple[list[tuple[Any, list[int]]], list[Any]]:
    """Return the blocks as (values, places of the columns), and the two axes as nodes."""
    if manager.state is not None:  # pandas < 1.3
        inner = manager.state[3]["0.14.1"]
        blocks = [(block["values"], block["mgr_locs"]) for block in inner["blocks"]]
        axes = inner["axes"]
    else:
        blocks, axes = manager.arguments[:2]
        for block in blocks:
            _expect(block, "_unpickle_block", "new_block")
        blocks = [block.arguments[:2] for block in blocks]
    return [(_values(values), _places(places)) for values, places in blocks], axes


def _places(node: Any) -> list[int]:
    if isinstance(node, Node) and node.name == "slice":
        places = range(*node.arguments)
        if len(places) > files.MOST_COLUMNS:
            raise ValueError(f"{len(places):,} columns")
        return list(places)
    return [int(place) for place in _array(node)]


def _values(node: Any, *, categories: bool = True) -> Any:
    """Return the array of a block or an index, as an array of numpy or an extension of pandas."""
    if not isinstance(node, Node):
        raise ValueError(f"a {type(node).__name__} where an array should be")
    if node.name == "__pyx_unpickle_NDArrayBacked":
        (kind, *_), nodes = node.arguments, [part for part in node.state if isinstance(part, Node)]
        _expect_global(kind)
        dtype = next(part for part in nodes if part.name.endswith("Dtype"))
        array = next(part for part in nodes if part is not dtype)
        if kind.name in _STRINGS:
            return _texts(_array(array))
        node = Node(kind.name, (), {"_dtype": dtype, "_codes": array})
    if node.name == "Categorical" and categories:
        return _categorical(node.state)
    if node.name in _MASKED:
        return _MASKED[node.name](_array(node.state["_data"]), _array(node.state["_mask"]))
    if node.name in _STRINGS:
        return _texts(_array(node.state["_ndarray"]))
    if node.name in _ARROW_STRINGS:
        return _arrow(node.state.get("_pa_array", node.state.get("_data")))
    return _array(node)


def _categorical(state: dict[str, Any]) -> pd.Categorical:
    dtype = state["_dtype"]
    _expect(dtype, "CategoricalDtype")
    categories = _index(dtype.state["categories"], categories=False)
    return pd.Categorical.from_codes(
        _array(state["_codes"]), categories=categories, ordered=bool(dtype.state["ordered"])
    )


def _index(node: Any, *, categories: bool = True) -> pd.Index:
    """Return an index; ``categories=False`` admits neither levels nor categories within it.

    Without that, a few bytes could nest them to any depth.
    """
    _expect(node, "_new_Index")
    kind, parts = node.arguments
    _expect_global(kind)
    name = parts.get("name")
    if kind.name == "RangeIndex":
        return pd.RangeIndex(parts["start"], parts["stop"], parts["step"], name=_label(name))
    if kind.name == "MultiIndex" and categories:
        codes = parts.get("codes", parts.get("labels"))
        if len(codes) > 32 or len(parts["levels"]) != len(codes):
            raise ValueError(f"{len(codes)} and {len(parts['levels'])} levels")
        levels = [_index(level, categories=False) for level in parts["levels"]]
        names = [_label(name) for name in parts["names"]]
        return pd.MultiIndex(levels, [_array(code) for code in codes], names=names)
    if kind.name == "MultiIndex" or not kind.name.endswith("Index"):
        raise ValueError(f"an index that is a {kind.name}")
    values = _values(parts["data"], categories=categories)
    return pd.Index(values, dtype=values.dtype, name=_label(name))


def _label(name: Any) -> Any:
    plain = isinstance(name, _PLAIN) or (
        type(name) is tuple and all(isinstance(part, _PLAIN) for part in name)
    )
    if not plain:
        raise ValueError(f"a name that is a {type(name).__name__}")
    return name


def _array(node: Any) -> np.ndarray:
    """Return a pickled numpy array; its bytes or objects must be as many as its shape says."""
    _expect(node, "_reconstruct", "_frombuffer")
    if node.name == "_reconstruct":
        _, shape, dtype, fortran, data = node.state
        order = "F" if fortran else "C"
    else:
        data, dtype, shape, order = node.arguments
    dtype = _dtype(dtype)
    if dtype.hasobject:
        if type(data) is not list or not all(type(side) is int and side >= 0 for side in shape):
            raise ValueError("objects that are no list")
        if math.prod(shape) != len(data):
            raise ValueError(f"{len(data)} objects for the shape {shape}")
        array = np.empty(len(data), dtype=object)
        for place, value in enumerate(data):
            array[place] = _scalar(value)
    else:
        raw = _bytes(data)
        array = np.frombuffer(raw, dtype) if raw else np.empty(0, dtype)
    return array.reshape(shape, order="F" if order == "F" else "C")


def _dtype(node: Any) -> np.dtype:
    _expect(node, "dtype")
    spec = node.arguments[0]
    if not isinstance(spec, str) or not _DTYPE.fullmatch(spec):
        raise ValueError("a dtype that is neither number, truth value nor object")
    dtype = np.dtype(spec)
    order: Any = node.state[1] if node.state else "="
    return dtype if order == "|" else dtype.newbyteorder(order)


def _scalar(value: Any) -> Any:
    """Return what may stand in a column of objects: plain values, numpy scalars, lists of text.

    Anything else comes as its kind in angle brackets, which no column takes, so that the row which
    it is in can be named; the rest of the frame is not at fault.
    """
    if isinstance(value, _PLAIN):
        return value
    if type(value) in (list, tuple) and all(isinstance(part, str) for part in value):
        return value
    if isinstance(value, Global | Node) and value.name == "NA":
        return pd.NA
    if not isinstance(value, Node) or value.name != "scalar":
        return f"<{value.name if isinstance(value, Global | Node) else type(value).__name__}>"
    dtype = _dtype(value.arguments[0])
    return np.frombuffer(_bytes(value.arguments[1]), dtype, count=1)[0].item()


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    _expect(value, "encode", "bytearray", "bytes")
    if not value.arguments:
        return b""
    text = value.arguments[0]
    if isinstance(text, bytes | Node):
        return _bytes(text)
    if not isinstance(text, str):
        raise ValueError("bytes that are no text")
    return text.encode("latin-1")


def _texts(texts: Iterable[Any]) -> np.ndarray:
    """Return text as an array of objects, None where it is missing, whatever pandas stored it."""
    texts = [None if pd.isna(text) else text for text in texts]
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def _arrow(node: Any) -> np.ndarray:
    """Return text as pyarrow stores it: offsets and letters, checked before anyone looks inside."""
    _expect(node, "_restore_array", "chunked_array")
    if node.name == "chunked_array":
        return _texts(text for chunk in node.arguments[0] for text in _arrow(chunk))
    kind, length, _, offset, buffers, children, dictionary = node.arguments[0]
    _expect(kind, "type_for_alias")
    alias = kind.arguments[0]
    if alias not in ("string", "large_string") or children or dictionary is not None:
        raise ValueError("a column of pyarrow that is no text")
    parts = [None if part is None else pa.py_buffer(_bytes(part.arguments[0])) for part in buffers]
    array = pa.Array.from_buffers(pa.type_for_alias(alias), length, parts, offset=offset)
    array.validate(full=True)
    return _texts(array.to_pylist())


def _expect(value: Any, *names: str) -> None:
    if not isinstance(value, Node) or value.name not in names:
        found = value.name if isinstance(value, Global | Node) else type(value).__name__
        raise ValueError(f"{found} where {' or '.join(names)} should be")


def _expect_global(value: Any) -> None:
    if not isinstance(value, Global):
        raise ValueError(f"a {type(value).__name__} where a class should be")
