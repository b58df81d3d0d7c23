"""Pickles of unknown origin: frames load, and nothing else gets anywhere."""

import bz2
import collections
import copyreg
import datetime
import decimal
import functools
import gzip
import importlib.util
import io
import os
import pickle
import pickletools
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy._core.numeric import _frombuffer
from pandas._libs.internals import _unpickle_block
from pandas.core.internals.managers import BlockManager

from murid.archive import pickles
from murid.archive.pickled_frames import read_frame
from murid.archive.pickles import RefusedPickleError
from murid.errors import InputError

LEGACY = Path(__file__).parents[1] / "data" / "pickles"


def legacy_frames():
    spec = importlib.util.spec_from_file_location("make_pickles", LEGACY / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    frames = dict(module.frames())
    return frames | {"protocol2": frames["positions"]}


def assert_same_values(frame, expected):
    """Compare all cells and labels, however either frame stores them."""
    assert frame.columns.tolist() == expected.columns.tolist()
    assert frame.columns.names == expected.columns.names
    assert frame.index.tolist() == expected.index.tolist()
    assert frame.index.names == expected.index.names
    for place in range(frame.shape[1]):
        cells, others = (side.iloc[:, place].tolist() for side in (frame, expected))
        for cell, other in zip(cells, others, strict=True):
            assert (pd.isna(cell) and pd.isna(other)) or cell == other


@pytest.mark.parametrize("path", sorted(LEGACY.glob("*.df")), ids=lambda path: path.name)
def test_frames_of_every_pandas_load_with_their_values(path):
    assert_same_values(read_frame(path), legacy_frames()[path.name.split(".")[0]])


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("Annotations.df", 4181, 12),
        ("Datasplits.df", 59, 2),
        ("Segments/A_115/Detections.df", 133_137, 5),
        ("Segments/A_115/Positions.df", 45_000, 3),
    ],
)
@pytest.mark.filterwarnings("ignore:numpy.core:DeprecationWarning")
def test_the_four_files_of_a_tide_release_load_as_pandas_loads_them(shared, name, rows, columns):
    frame = read_frame(shared / "tide" / name)
    assert frame.shape == (rows, columns)
    trusted = pd.read_pickle(shared / "tide" / name, compression="bz2")
    pd.testing.assert_frame_equal(
        frame, trusted, check_index_type=False, check_column_type=False, check_exact=True
    )


@pytest.mark.parametrize("opener", [open, bz2.open, gzip.open])
def test_compression_is_told_by_content_not_by_name(tmp_path, opener):
    frame = pd.DataFrame({"R": [1, 2]})
    path = tmp_path / "Positions.df"
    with opener(path, "wb") as file:
        file.write(pickle.dumps(frame))
    assert read_frame(path)["R"].tolist() == [1, 2]


columns = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3),
    st.lists(st.floats(), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.lists(st.none() | st.text(), min_size=3, max_size=3).map(
        lambda values: np.array(values, dtype=object)
    ),
    st.lists(st.sampled_from("abc"), min_size=3, max_size=3).map(pd.Categorical),
    st.lists(st.none() | st.integers(0, 9), min_size=3, max_size=3).map(
        lambda values: pd.array(values, dtype="Int64")
    ),
)


@given(
    data=st.dictionaries(st.text(max_size=3), columns, min_size=1, max_size=4),
    protocol=st.integers(2, 5),
    fortran=st.booleans(),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_frame_comes_back(tmp_path, data, protocol, fortran):
    frame = pd.DataFrame(data)
    if fortran:
        frame = frame.T.copy().T
    path = tmp_path / "frame.df"
    path.write_bytes(pickle.dumps(frame, protocol=protocol))
    assert_same_values(read_frame(path), frame)


class Call:
    """Pickles as a call of ``function`` with ``arguments``."""

    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


class Attribute:
    """Pickles as a dotted name inside a module."""

    def __init__(self, module, name):
        self.module, self.name = module, name


class Pickler(pickle._Pickler):
    dispatch = pickle._Pickler.dispatch.copy()

    def save_attribute(self, value):
        self.save(value.module)
        self.save(value.name)
        self.write(pickle.STACK_GLOBAL)

    dispatch[Attribute] = save_attribute


def dumps(value, protocol=4):
    stream = io.BytesIO()
    Pickler(stream, protocol).dump(value)
    return stream.getvalue()


def hostile_frame(payload):
    return pd.DataFrame({"R": np.array([payload, None], dtype=object)})


def refuse(tmp_path, data):
    """Have ``data`` refused, and see that nothing ran; return the message."""
    marker = tmp_path / "marker"
    path = tmp_path / "Positions.df"
    path.write_bytes(bz2.compress(data))
    before = set(tmp_path.iterdir())
    with pytest.raises(RefusedPickleError) as caught:
        read_frame(path)
    assert not marker.exists()
    assert set(tmp_path.iterdir()) == before
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("inside_a_frame", [False, True])
def test_a_pickle_that_calls_os_system_is_refused_by_name(tmp_path, protocol, inside_a_frame):
    payload = Call(os.system, f"touch {tmp_path / 'marker'}")
    value = hostile_frame(payload) if inside_a_frame else payload
    message = refuse(tmp_path, pickle.dumps(value, protocol))
    assert f"{os.system.__module__}.system" in message
    assert "os.system" in message


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        (Call(subprocess.Popen, ["touch", "marker"]), "subprocess.Popen"),
        (Call(eval, "open('marker', 'w')"), "builtins.eval"),
        (Call(exec, "open('marker', 'w')"), "builtins.exec"),
        (Call(getattr, pd.DataFrame, "to_csv"), "builtins.getattr"),
        (Call(open, "marker", "w"), "io.open"),
        (Call(functools.partial, print), "functools.partial"),
        (Call(np.load, "marker"), "numpy.load"),
        (Call(np.memmap, "marker", "b", "w+"), "numpy.memmap"),
        (Attribute("pandas.io.pickle", "read_pickle"), "pandas.io.pickle.read_pickle"),
        (Attribute("pandas", "read_pickle"), "pandas.read_pickle"),
        (Call(pickle.loads, b"N."), "_pickle.loads"),
        (Call(copyreg.add_extension, "os", "system", 1), "copyreg.add_extension"),
        (Call(__import__, "os"), "builtins.__import__"),
        (Attribute("pandas", "DataFrame.to_csv"), "pandas.DataFrame.to_csv"),
        (Attribute("pandas", "core.os"), "pandas.core.os"),
        (Attribute("pandas", "eval"), "pandas.eval"),
        (Attribute("pandas.io.common", "os.system"), "pandas.io.common.os.system"),
        (Attribute("numpy", "load"), "numpy.load"),
        (Attribute("numpy", "f2py"), "numpy.f2py"),
        (Attribute("nt", "system"), "nt.system (os.system)"),
        (Attribute("numpy.core.multiarray", "fromfile"), "numpy.core.multiarray.fromfile"),
        (Attribute("pyarrow.lib", "_reconstruct"), "pyarrow.lib._reconstruct"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_everything_that_is_not_listed_is_refused_by_name(tmp_path, payload, name):
    assert f"the class {name}" in refuse(tmp_path, dumps(payload))
    assert f"the class {name}" in refuse(tmp_path, dumps(hostile_frame(payload)))


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"(S'touch marker'\nios\nsystem\n.", "os.system"),
        (b"(cos\nsystem\nS'touch marker'\no.", "os.system"),
        (b"(ipandas\nDataFrame\n.", "INST"),
        (b"\x80\x02\x82\x01.", "EXT1"),
        (b"Pwhatever\n.", "PERSID"),
        (b"\x80\x02K\x01Q.", "BINPERSID"),
        (b"\x80\x05\x97.", "NEXT_BUFFER"),
        (b"\x80\x04K\x01)R.", "no class"),
        (b"\x80\x04cpandas\nDataFrame\n}b.", "a state"),
        (b"\x80\x04\x8f(\x92.", "NEWOBJ_EX"),
    ],
)
def test_instructions_that_no_frame_needs_are_refused(tmp_path, data, named):
    assert named in refuse(tmp_path, data)


def test_an_extension_code_that_python_has_cached_is_refused_all_the_same(tmp_path):
    copyreg.add_extension("os", "system", 200)
    try:
        copyreg._extension_cache[200] = os.system
        assert "EXT1" in refuse(tmp_path, b"\x80\x02\x82\xc8.")
    finally:
        copyreg.remove_extension("os", "system", 200)


HARMLESS = {
    "series": pd.Series([1.0, 2.0], pd.date_range("2020", periods=2, freq="D")),
    "text": pd.Series(["a"]),
    "times": pd.date_range("2020-01-01", periods=3),
    "zone": pd.date_range("2020-01-01", periods=3, tz="UTC"),
    "periods": pd.period_range("2020", periods=3, freq="M"),
    "spans": pd.to_timedelta([1, 2]),
    "intervals": pd.interval_range(0, 3),
    "stamped": pd.DataFrame({"R": [1]}, pd.DatetimeIndex(["2020"])),
    "sparse": pd.Series(pd.arrays.SparseArray([1, 0])),
    "masked": np.ma.array([1]),
    "array": np.zeros(3),
    "path": Path("a/b"),
    "moment": datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
    "number": decimal.Decimal("1.5"),
    "order": collections.OrderedDict(a=1),
    "default": collections.defaultdict(list, a=[1]),
    "queue": collections.deque([1]),
    "set": {"a", "b"},
    "frozen": frozenset([1]),
    "complex": 1j,
    "range": range(3),
    "ellipsis": ...,
    "bytes": b"a",
    "nothing": None,
}


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", HARMLESS)
def test_plain_data_that_is_no_frame_is_told_and_is_no_alarm(tmp_path, name, protocol):
    path = tmp_path / "Positions.df"
    path.write_bytes(pickle.dumps(HARMLESS[name], protocol))
    with pytest.raises(InputError, match=r"expected a .*pandas frame") as caught:
        read_frame(path)
    assert not isinstance(caught.value, RefusedPickleError)


def test_plain_data_hide_no_call(tmp_path):
    payload = Call(os.system, f"touch {tmp_path / 'marker'}")
    for harmless in ({"a": Path("b"), "c": payload}, [{1}, payload], pd.Series([payload])):
        assert "os.system" in refuse(tmp_path, pickle.dumps(harmless))


def test_what_holds_itself_is_damage(tmp_path):
    path = tmp_path / "circle.df"
    circle = []
    circle.append([circle])
    path.write_bytes(pickle.dumps(circle))
    with pytest.raises(InputError, match="holds itself"):
        read_frame(path)


def test_a_part_counts_as_often_as_it_is_named(tmp_path):
    path = tmp_path / "laughs.df"
    laughs = ["ha" * 100]
    for _ in range(200):
        laughs = [laughs] * 10
    path.write_bytes(pickle.dumps(laughs))
    with pytest.raises(InputError, match="more cells"):
        read_frame(path)


def test_instructions_without_end_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(pickles, "MAX_STEPS", 1000)
    path = tmp_path / "long.df"
    path.write_bytes(b"\x80\x04" + b"]" * 1001 + b".")
    with pytest.raises(InputError, match="1,000 instructions"):
        read_frame(path)


def test_the_list_names_no_function_that_acts():
    names = {name for _, name in pickles.ALLOWED | pickles.HARMLESS}
    assert not names & {"load", "loads", "eval", "exec", "getattr", "open", "read_pickle", "apply"}
    assert all("." not in name for name in names)


@pytest.mark.parametrize("kept", [0, 1, 2, 3, 20, 200, 400])
def test_a_truncated_file_is_damage(tmp_path, kept):
    data = pickle.dumps(legacy_frames()["positions"])
    for whole in (data, bz2.compress(data), gzip.compress(data)):
        path = tmp_path / "Positions.df"
        path.write_bytes(whole[: min(kept, len(whole) - 5)])
        with pytest.raises(InputError) as caught:
            read_frame(path)
        assert not isinstance(caught.value, RefusedPickleError)


@given(st.binary(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_noise_is_an_input_error(tmp_path, noise):
    path = tmp_path / "noise.df"
    path.write_bytes(b"\x80\x04" + noise)
    with pytest.raises(InputError):
        read_frame(path)


ANNOTATIONS = pickle.dumps(legacy_frames()["annotations"])


@given(place=st.integers(0, 10_000), value=st.integers(0, 255))
@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_a_flipped_byte_gives_a_frame_or_an_input_error(tmp_path, place, value):
    data = bytearray(ANNOTATIONS)
    data[place % len(data)] = value
    path = tmp_path / "flipped.df"
    path.write_bytes(data)
    try:
        frame = read_frame(path)
    except InputError:
        return
    assert len(frame.to_csv()) > 0


def test_a_decompression_bomb_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(pickles, "MAX_BYTES", 10_000)
    path = tmp_path / "bomb.df"
    path.write_bytes(bz2.compress(bytes(1_000_000)))
    with pytest.raises(InputError, match="after decompression"):
        read_frame(path)


def forged_frame(array, places=((0, 1, 1),), columns="R", rows=2):
    """Pickle a frame whose blocks are all ``array``, at the given places."""
    index = pd.RangeIndex(rows)
    blocks = tuple(Call(_unpickle_block, array, slice(*place), 2) for place in places)
    manager = Call(BlockManager, blocks, [pd.Index(list(columns), dtype=object), index])

    class Frame:
        def __reduce__(self):
            return copyreg._reconstructor, (pd.DataFrame, object, None), {"_mgr": manager}

    return dumps(Frame())


def test_a_forged_frame_without_fault_loads(tmp_path):
    path = tmp_path / "forged.df"
    path.write_bytes(forged_frame(np.array([[1.0, 2.0]])))
    assert read_frame(path)["R"].tolist() == [1.0, 2.0]


def test_one_array_cannot_be_spread_over_more_cells_than_a_file_may_hold(tmp_path, monkeypatch):
    path = tmp_path / "wide.df"
    places = [(place, place + 1, 1) for place in range(20)]
    data = forged_frame(np.zeros((1, 1000)), places, "abcdefghijklmnopqrst", 1000)
    path.write_bytes(data)
    monkeypatch.setattr(pickles, "MAX_BYTES", 100_000)
    monkeypatch.setattr(pickles, "MAX_RATIO", 1)
    assert len(data) < 100_000
    with pytest.raises(InputError, match="more cells"):
        read_frame(path)


@pytest.mark.parametrize(
    ("array", "places", "rows"),
    [
        (np.zeros((1, 2)), [(1, 2, 1)], 2),
        (np.zeros((1, 2)), [(10**9, 10**9 + 1, 1)], 2),
        (np.zeros((1, 2)), [(0, 10**12, 1)], 2),
        (np.zeros((2, 2)), [(0, 2, 1)], 2),
        (np.zeros((1, 2)), [], 2),
        (np.zeros((1, 2)), [(0, 1, 1)], 3),
        (np.zeros((1, 2)), [(0, 1, 1)], 10**12),
        (np.zeros((1, 2), dtype="M8[ns]"), [(0, 1, 1)], 2),
    ],
)
def test_blocks_that_do_not_fit_the_axes_are_damage(tmp_path, array, places, rows):
    path = tmp_path / "forged.df"
    path.write_bytes(forged_frame(array, places, rows=rows))
    with pytest.raises(InputError):
        read_frame(path)


def forged_dtype(arguments, state):
    class Forged:
        def __reduce__(self):
            return np.dtype, arguments, state

    return Forged()


@pytest.mark.parametrize(
    "dtype",
    [
        forged_dtype(("V8",), (3, "|", None, ("a",), {"a": (np.dtype(object), 0)}, 8, 1, 0)),
        forged_dtype(("f8,O",), None),
        forged_dtype(("O8", False, True), (3, "|", None, None, None, 8, 8, 0)),
        forged_dtype(({"names": ["a"], "formats": ["O"]},), None),
    ],
)
def test_a_forged_dtype_never_turns_bytes_into_pointers(tmp_path, dtype):
    path = tmp_path / "forged.df"
    path.write_bytes(forged_frame(Call(_frombuffer, b"\x01" * 16, dtype, (1, 2), "C")))
    with pytest.raises(InputError, match=r"dtype|objects"):
        read_frame(path)


def test_an_array_larger_than_its_bytes_is_damage(tmp_path):
    path = tmp_path / "forged.df"
    array = Call(_frombuffer, b"\x01" * 16, np.dtype("f8"), (1, 2**40), "C")
    path.write_bytes(forged_frame(array, rows=2**40))
    with pytest.raises(InputError, match="reshape"):
        read_frame(path)


def test_pyarrow_offsets_beyond_the_letters_are_damage(tmp_path):
    frame = pd.DataFrame({"text": pd.array(["abc", "de"], dtype="string[pyarrow]")})
    data = pickle.dumps(frame)
    offsets = np.array([0, 3, 5], dtype="int64").tobytes()
    assert offsets in data
    wrong = np.array([0, 3, 5 + 2**20], dtype="int64").tobytes()
    path = tmp_path / "forged.df"
    path.write_bytes(data.replace(offsets, wrong))
    with pytest.raises(InputError):
        read_frame(path)


def test_deep_nesting_neither_crashes_nor_hangs(tmp_path):
    path = tmp_path / "deep.df"
    path.write_bytes(b"\x80\x04)" + b"\x85" * 100_000 + b".")
    with pytest.raises(InputError):
        read_frame(path)
    path.write_bytes(b"\x80\x04})" + b"\x85" * 100_000 + b"K\x01s.")
    with pytest.raises(InputError, match="key"):
        read_frame(path)


def test_something_else_than_a_frame_is_told(tmp_path):
    path = tmp_path / "series.df"
    path.write_bytes(pickle.dumps([1, 2, 3]))
    with pytest.raises(InputError, match="list where DataFrame"):
        read_frame(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(InputError, match="no file"):
        read_frame(tmp_path / "none.df")


def test_every_instruction_is_known_to_the_standard_library():
    assert set(pickles._STEPS) <= {opcode.name for opcode in pickletools.opcodes}
