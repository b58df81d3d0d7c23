"""Reading pickles of unknown origin as data: nothing in them is ever imported or called.

A pickle is a program for a small stack machine, two of whose instructions (import this, call that)
make it dangerous. This machine runs the same programs, but an import gives the mere *name* of a
class, and a call gives a :class:`Node` that says what would have been called. Names that are not
in :data:`ALLOWED` or :data:`HARMLESS`, one by one, are refused on sight. What the nodes mean is for
:mod:`murid.archive.pickled_frames` to say, in terms of arrays.

A few bytes can decompress to gigabytes, or name the same part a thousand times. So what a pickle
holds is bounded by the size of its file: its bytes, its instructions, and what there is to look at
when each part counts as often as it is named.

The machine follows the instructions' documentation in the standard library's ``pickletools``, which
also decodes them.
"""

import bz2
import gzip
import pickletools
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murid import files
from murid.errors import InputError

EXPECTED = "a pickled pandas frame"
MAX_BYTES = 2**26
"""Size of a pickle after decompression, beyond which it is taken for a decompression bomb, unless
its file is large: a segment of half an hour has a tenth of it."""
MAX_RATIO = 50
"""Bytes that a large file's byte may stand for: detections are compressed five times or so."""
MAX_STEPS = 1_000_000
"""Instructions of a pickle; a release's annotations take eight a row."""


def _pairs_of(modules: dict[str, str]) -> frozenset[tuple[str, str]]:
    """Return every (module, name), given the names of one module, or of several that share them."""
    return frozenset(
        (module, name)
        for listed, names in modules.items()
        for module in listed.split()
        for name in names.split()
    )


ALLOWED = _pairs_of({
    "pandas": "BooleanDtype Categorical CategoricalDtype CategoricalIndex DataFrame Index "
    "MultiIndex NA RangeIndex StringDtype",
    "pandas.core.frame": "DataFrame",
    "pandas.core.internals pandas.core.internals.managers": "BlockManager",
    "pandas.core.internals.blocks": "new_block",
    "pandas._libs.internals": "_unpickle_block",
    "pandas._libs.arrays": "__pyx_unpickle_NDArrayBacked",
    "pandas._libs.missing": "NA",
    "pandas.core.indexes.base": "Index _new_Index",
    "pandas.core.indexes.category": "CategoricalIndex",
    "pandas.core.indexes.multi": "MultiIndex",
    "pandas.core.indexes.range": "RangeIndex",
    "pandas pandas.core.indexes.numeric": "Float64Index Int64Index UInt64Index",
    "pandas pandas.core.arrays.integer": "Int8Dtype Int16Dtype Int32Dtype Int64Dtype UInt8Dtype "
    "UInt16Dtype UInt32Dtype UInt64Dtype",
    "pandas pandas.core.arrays.floating": "Float32Dtype Float64Dtype",
    "pandas.arrays": "ArrowStringArray BooleanArray FloatingArray IntegerArray StringArray",
    "pandas.core.arrays.boolean": "BooleanArray BooleanDtype",
    "pandas.core.arrays.categorical": "Categorical",
    "pandas.core.arrays.floating": "FloatingArray",
    "pandas.core.arrays.integer": "IntegerArray",
    "pandas.core.arrays.string_": "StringArray StringArrayNumpySemantics StringDtype",
    "pandas.core.arrays.string_arrow": "ArrowStringArray ArrowStringArrayNumpySemantics",
    "pandas.core.dtypes.dtypes": "CategoricalDtype",
    "pyarrow.lib": "_restore_array chunked_array py_buffer type_for_alias",
    "numpy": "dtype ndarray",
    "numpy.core.multiarray numpy._core.multiarray": "_reconstruct scalar",
    "numpy.core.numeric numpy._core.numeric": "_frombuffer",
    "builtins __builtin__": "bytearray bytes object slice",
    "copyreg copy_reg": "_reconstructor",
    "_codecs": "encode",
})  # fmt: skip
"""Every (module, name) that a pickle may mention: what holds a frame's data in pandas 1 to 3."""

HARMLESS = _pairs_of({
    "pandas pandas.core.series": "Series",
    "pandas.core.internals pandas.core.internals.managers": "SingleBlockManager",
    "pandas pandas.core.indexes.datetimes": "DatetimeIndex",
    "pandas pandas.core.indexes.timedeltas": "TimedeltaIndex",
    "pandas pandas.core.indexes.period": "PeriodIndex",
    "pandas pandas.core.indexes.interval": "IntervalIndex",
    "pandas.core.indexes.datetimes": "_new_DatetimeIndex",
    "pandas.core.indexes.timedeltas": "_new_TimedeltaIndex",
    "pandas.core.indexes.period": "_new_PeriodIndex",
    "pandas.core.indexes.interval": "_new_IntervalIndex",
    "pandas.arrays pandas.core.arrays.datetimes": "DatetimeArray",
    "pandas.arrays pandas.core.arrays.timedeltas": "TimedeltaArray",
    "pandas.arrays pandas.core.arrays.period": "PeriodArray",
    "pandas.arrays pandas.core.arrays.interval": "IntervalArray",
    "pandas.arrays pandas.core.arrays.sparse.array": "SparseArray",
    "pandas pandas.core.dtypes.dtypes": "DatetimeTZDtype IntervalDtype PeriodDtype SparseDtype",
    "pandas._libs.interval": "__pyx_unpickle_IntervalMixin",
    "pandas._libs.sparse": "BlockIndex IntIndex",
    "pandas._libs.tslibs.nattype": "_nat_unpickle",
    "pandas._libs.tslibs.offsets": "Nano Micro Milli Second Minute Hour Day Week MonthBegin "
    "MonthEnd QuarterEnd YearEnd",
    "pandas._libs.tslibs.timedeltas": "_timedelta_unpickle",
    "pandas._libs.tslibs.timestamps": "_unpickle_timestamp",
    "numpy.ma": "MaskedArray",
    "numpy.ma.core": "MaskedArray _mareconstruct",
    "pathlib pathlib._local": "Path PosixPath PurePosixPath PureWindowsPath WindowsPath",
    "datetime": "date datetime time timedelta timezone",
    "collections": "Counter OrderedDict defaultdict deque",
    "builtins __builtin__": "Ellipsis bool complex dict float frozenset int list range set str "
    "tuple xrange",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "uuid": "UUID",
})  # fmt: skip
"""Every further (module, name) of plain data: a pickle of these is no frame, but no attack."""

_KNOWN = ALLOWED | HARMLESS
_PLATFORM_MODULES = {"posix": "os", "nt": "os", "__builtin__": "builtins"}
_PIECE = 2**20
_KEYS = (str, int)
_SIZED = (str, bytes, bytearray)


class RefusedPickleError(InputError):
    """A pickle that mentions more than pandas' own data classes: an attack, not damage."""


@dataclass(frozen=True)
class Global:
    """The name of an allowed class or function."""

    name: str


_ATOMS = (type(None), bool, int, float, *_SIZED, Global)


@dataclass
class Node:
    """A call of an allowed class or function, that was not made, and the state set thereafter."""

    name: str
    arguments: tuple[Any, ...]
    state: Any = field(default=None)


def read(path: str | Path) -> Any:
    """Read a pickle, plain or compressed by bzip2 or gzip, as nodes and plain values.

    Raises
    ------
    RefusedPickleError
        If it mentions a class or function that is neither in :data:`ALLOWED` nor in
        :data:`HARMLESS`, or uses an instruction that no pickled data needs.
    InputError
        If the file is missing, truncated, damaged, or larger than one of its size may be.
    """
    most = most_bytes(path)
    return parse(_decompress(Path(path), most), path, most)


def parse(data: bytes, path: str | Path, most: int = MAX_BYTES) -> Any:
    """Read a pickle that stands in a file as nodes and plain values.

    Parameters
    ----------
    data
        The pickle.
    path
        The file, for messages.
    most
        Bytes of all that it refers to, at most.

    Raises
    ------
    RefusedPickleError, InputError
        As :func:`read`.
    """
    machine = _Machine(path)
    try:
        root = machine.run(data)
        if _spread(root) > most:
            raise ValueError("more cells than the file can hold")
        return root
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError) as error:
        found = f"a pickle that is truncated or damaged ({error})"
        raise InputError(path, found, "a whole pickled pandas frame") from error


def most_bytes(path: str | Path) -> int:
    """Return how many bytes a pickle may have when it is decompressed.

    Raises
    ------
    InputError
        If there is no such file, or it is none that can be read.
    """
    size = files.regular(path, EXPECTED, 4 * files.LARGEST).stat().st_size
    return max(MAX_BYTES, min(MAX_RATIO * size, 8 * MAX_BYTES))


def _decompress(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            magic = file.read(3)
        opener: Callable[..., Any] = {b"BZh": bz2.open, b"\x1f\x8b\x08": gzip.open}.get(magic, open)
        with opener(path, "rb") as file:
            # Piece by piece: to unpack all at once takes the room of all several times.
            pieces, size = [], 0
            while size <= most and (piece := file.read(_PIECE)):
                pieces.append(piece)
                size += len(piece)
    except (OSError, EOFError, zlib.error) as error:
        found = f"a file that is truncated or damaged ({error})"
        raise InputError(path, found, "a compressed pickle") from error
    if size > most:
        found = f"more than {most / 2**20:.0f} MiB after decompression"
        raise InputError(path, found, "a frame of a single segment")
    return b"".join(pieces)


def _spread(root: Any) -> int:
    """Return the bytes of all that ``root`` refers to, each counted as often as it is named."""
    sizes: dict[int, int | None] = {}
    waiting = [root]
    while waiting:
        value = waiting[-1]
        if sizes.get(id(value)) is not None:
            waiting.pop()
        elif id(value) not in sizes:
            sizes[id(value)] = None
            inner = [part for part in _parts(value) if not isinstance(part, _ATOMS)]
            if any(sizes.get(id(part), 0) is None for part in inner):
                raise ValueError("something that holds itself")
            waiting += [part for part in inner if id(part) not in sizes]
        else:
            total = 8 + sum(
                8 + (len(part) if isinstance(part, _SIZED) else 0)
                if isinstance(part, _ATOMS)
                else sizes[id(part)] or 0
                for part in _parts(value)
            )
            sizes[id(value)] = min(total, 2**62)
            waiting.pop()
    return sizes[id(root)] or 0


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Node):
        return value.arguments, value.state
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


class _Machine:
    """The stack machine. Calls and imports are recorded, never made."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}

    def run(self, data: bytes) -> Any:
        for number, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if number > MAX_STEPS:
                raise ValueError(f"more than {MAX_STEPS:,} instructions")
            if opcode.name == "STOP":
                return self.stack.pop()
            step = _STEPS.get(opcode.name)
            if step is None:
                raise self._refuse(f"the instruction {opcode.name}")
            step(self, argument)
        raise ValueError("no end")

    def _refuse(self, what: str) -> RefusedPickleError:
        return RefusedPickleError(
            self.path, what, "a pickle of pandas and numpy data only",
            remedy="A pickle can run any program: do not open this file with anything else, and "
            "ask where it comes from.",
        )  # fmt: skip

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def mark(self, _: Any) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def pop_mark(self) -> list[Any]:
        items, self.stack = self.stack, self.marks.pop()
        return items

    def pop(self, count: int) -> list[Any]:
        if len(self.stack) < count:
            raise ValueError("an empty stack")
        items = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return items

    def discard(self, _: Any) -> None:
        if self.stack:
            self.stack.pop()
        else:
            self.pop_mark()

    def put(self, key: int | None) -> None:
        self.memo[len(self.memo) if key is None else int(key)] = self.stack[-1]

    def extend(self, items: list[Any]) -> None:
        if type(self.stack[-1]) is not list:
            raise ValueError("items for something that is no list")
        self.stack[-1].extend(items)

    def update(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict or len(items) % 2:
            raise ValueError("entries for something that is no dictionary")
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(key, _KEYS):
                raise ValueError(f"a key that is a {type(key).__name__}")
            target[key] = value

    def freeze_set(self, _: Any) -> None:
        self.pop_mark()
        self.new_set("frozenset")

    def new_set(self, name: str) -> None:
        # A set is plain data, but none that a frame has: what is in it does not matter.
        self.push(Node(name, ()))

    def new_dict(self, items: list[Any]) -> None:
        self.push({})
        self.update(items)

    def find(self, module: Any, name: Any) -> None:
        if not (isinstance(module, str) and isinstance(name, str)):
            raise ValueError("a class without a name")
        if (module, name) not in _KNOWN:
            known = _PLATFORM_MODULES.get(module)
            alias = f" ({known}.{name})" if known else ""
            raise self._refuse(f"the class {module}.{name}{alias}")
        self.push(Global(name))

    def call(self, function: Any, arguments: Any) -> None:
        if not isinstance(function, Global):
            raise self._refuse("a call of something that is no class")
        if type(arguments) is not tuple:
            raise ValueError("a call without a tuple of arguments")
        if function.name == "_reconstructor" and arguments and isinstance(arguments[0], Global):
            function, arguments = arguments[0], ()
        self.push(Node(function.name, arguments))

    def refuse_instance(self, argument: str) -> None:
        self.find(*argument.split(" ", 1))
        raise self._refuse("the instruction INST")

    def build(self, _: Any) -> None:
        target, state = self.pop(2)
        if not isinstance(target, Node) or target.state is not None:
            raise self._refuse("a state for something that is no object of its own")
        target.state = state
        self.push(target)


_STEPS_OF: dict[str, Callable[[_Machine, Any], object]] = {
    "PROTO FRAME": lambda machine, argument: None,
    "INT LONG BININT BININT1 BININT2 LONG1 LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING "
    "UNICODE SHORT_BINUNICODE BINUNICODE BINUNICODE8 SHORT_BINBYTES BINBYTES BINBYTES8 "
    "BYTEARRAY8": _Machine.push,
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    "MARK": _Machine.mark,
    "POP": _Machine.discard,
    "POP_MARK ADDITEMS": lambda machine, _: machine.pop_mark(),
    "DUP": lambda machine, _: machine.push(machine.stack[-1]),
    "PUT BINPUT LONG_BINPUT MEMOIZE": _Machine.put,
    "GET BINGET LONG_BINGET": lambda machine, key: machine.push(machine.memo[int(key)]),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.pop_mark())),
    "TUPLE1": lambda machine, _: machine.push(tuple(machine.pop(1))),
    "TUPLE2": lambda machine, _: machine.push(tuple(machine.pop(2))),
    "TUPLE3": lambda machine, _: machine.push(tuple(machine.pop(3))),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "LIST": lambda machine, _: machine.push(machine.pop_mark()),
    "APPEND": lambda machine, _: machine.extend(machine.pop(1)),
    "APPENDS": lambda machine, _: machine.extend(machine.pop_mark()),
    "EMPTY_SET": lambda machine, _: machine.new_set("set"),
    "FROZENSET": _Machine.freeze_set,
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "DICT": lambda machine, _: machine.new_dict(machine.pop_mark()),
    "SETITEM": lambda machine, _: machine.update(machine.pop(2)),
    "SETITEMS": lambda machine, _: machine.update(machine.pop_mark()),
    "GLOBAL": lambda machine, argument: machine.find(*argument.split(" ", 1)),
    "INST": _Machine.refuse_instance,
    "STACK_GLOBAL": lambda machine, _: machine.find(*machine.pop(2)),
    "REDUCE NEWOBJ": lambda machine, _: machine.call(*machine.pop(2)),
    "BUILD": _Machine.build,
}
_STEPS = {name: step for names, step in _STEPS_OF.items() for name in names.split()}
"""The instructions that pickled data need; all others (extension codes, persistent ids,
out-of-band buffers, ...) are refused. INST is here only so that its class is refused by name."""
