"""Files in which bits flip: they are read, or told of; nothing else ever happens."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from murid import schemas, tables
from murid.archive import annotations, detections, positions, tide
from murid.archive.annotated.tide import from_release
from murid.archive.annotated.tide import read_release as read_segments
from murid.errors import InputError
from murid.tables import Verdict

DAMAGES = 60


def wide() -> pd.DataFrame:
    frame = pd.DataFrame({"R": [1, 2, None] * 7, "G": [3, 3, 4] * 7})
    return frame.rename_axis("Frame")


def found() -> pd.DataFrame:
    frame = pd.DataFrame({"frame": np.arange(30) // 2, "label": "mouse", "score": 0.75})
    frame["tracklet"] = np.arange(30) % 2
    return frame.assign(**{name: np.arange(30.0) + 1 for name in schemas.BOX})


def annotated() -> pd.DataFrame:
    table = pd.DataFrame(
        {"frame": np.arange(12) // 2, "object": np.arange(12) % 2, "type": "single"}
    )
    table["identities"] = [["R"], ["G"]] * 6
    table[schemas.BOX] = 5.0
    return tables.conform(table.assign(visibility="clear", difficult=False), "annotations")


def release() -> pd.DataFrame:
    index = pd.MultiIndex.from_product(
        [["A"], [1], range(8), [0, 1]], names=["CageID", "SegmentID", "Frame", "Annotation"]
    )
    boxes = pd.DataFrame(5.0, index, pd.MultiIndex.from_product([["GT.BB"], list("XYWH")]))
    boxes["GT.Metadata", "Type"] = pd.Categorical(["Single"] * len(index))
    boxes["GT.Metadata", "ID"] = ["R", "G"] * 8
    boxes["GT.Metadata", "Truncated"] = "Clear"
    boxes["GT.Metadata", "Detectable"] = True
    return boxes


def splits() -> pd.DataFrame:
    index = pd.MultiIndex.from_product([["A"], range(9)], names=["CageID", "Segment"])
    return pd.DataFrame({"Datasplit": ["Train", "Test", None] * 3, "Evaluation": 1}, index)


def positions_table(path: Path) -> None:
    wide().to_csv(path.with_suffix(".csv"))
    table = positions.as_table(positions.read(path.with_suffix(".csv")).table)
    tables.write(table, path, "positions", Verdict("repaired", "three readings filled"))


def read_positions(path: Path) -> object:
    tables.read_verdict(path) if path.suffix == ".parquet" else None
    return positions.as_table(positions.read(path).table, path)


def read_detections(path: Path) -> object:
    boxes = detections.read(path).table
    return detections.as_table(boxes, path), detections.as_tracklets(boxes, path)


def read_release(path: Path) -> object:
    return [from_release(rows, path) for rows in read_segments(path).values()]


FILES: dict[str, tuple[Callable[[Path], object], Callable[[Path], object]]] = {
    "positions.parquet": (positions_table, read_positions),
    "pandas.parquet": (lambda path: wide().to_parquet(path), read_positions),
    "positions.csv": (lambda path: wide().to_csv(path), read_positions),
    "positions.pkl": (lambda path: wide().to_pickle(path), read_positions),
    "positions.df": (lambda path: wide().to_pickle(path, compression="bz2"), read_positions),
    "detections.parquet": (lambda path: found().to_parquet(path), read_detections),
    "detections.csv": (lambda path: found().to_csv(path, index=False), read_detections),
    "detections.pkl": (lambda path: found().to_pickle(path), read_detections),
    "detections.gz": (lambda path: found().to_pickle(path, compression="gzip"), read_detections),
    "annotations.parquet": (
        lambda path: tables.write(annotated(), path, "annotations"),
        lambda path: annotations.read(path).table,
    ),
    "annotations.pkl": (lambda path: release().to_pickle(path), read_release),
    "splits.pkl": (lambda path: splits().to_pickle(path), tide.read_splits),
}


def damage(data: bytes, random: np.random.Generator) -> bytes:
    """Flip one bit, or some; or lose a part, or have one twice."""
    damaged = bytearray(data)
    kind = random.integers(8)
    if kind == 0:
        del damaged[int(random.integers(len(damaged))) :]
    elif kind == 1:
        first, last = sorted(int(place) for place in random.integers(0, len(damaged), 2))
        damaged[first:last] = damaged[first:last] * int(random.integers(3))
    else:
        for _ in range(1 if kind < 6 else 8):
            damaged[int(random.integers(len(damaged)))] ^= 1 << int(random.integers(8))
    return bytes(damaged)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_told_of(tmp_path: Path, name: str) -> None:
    write, read = FILES[name]
    path = tmp_path / name
    write(path)
    sound = path.read_bytes()
    assert read(path) is not None
    random = np.random.default_rng(1)
    told = []
    for _ in range(DAMAGES):
        path.write_bytes(damage(sound, random))
        try:
            read(path)
        except InputError as error:
            told.append(str(error))
    assert told
    assert all(str(path) in text and len(text.encode()) < 5000 for text in told)


@pytest.mark.parametrize("name", ["positions.parquet", "annotations.parquet"])
def test_a_flipped_bit_in_a_page_of_our_own_tables_is_found(tmp_path: Path, name: str) -> None:
    write, read = FILES[name]
    path = tmp_path / name
    write(path)
    sound = path.read_bytes()
    was = read(path)
    footer = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
    for place in range(4, footer, 41):
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 16]) + sound[place + 1 :])
        try:
            now = read(path)
        except InputError:
            continue
        pd.testing.assert_frame_equal(now, was)


@pytest.mark.parametrize(
    "about",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b"null",
        b"{}",
        b'{"index_columns": ["nowhere"], "columns": []}',
        b'{"index_columns": [{"name": "Frame", "start": 0, "stop": 10, "step": 0}]}',
        b'{"index_columns": [{"name": "Frame", "start": 0, "stop": 1e9, "step": 1}]}',
        b"[" * 100_000,
    ],
)
def test_what_pandas_says_of_a_table_may_be_nonsense(tmp_path: Path, about: bytes) -> None:
    table = pa.Table.from_pandas(wide().reset_index())
    path = tmp_path / "p.parquet"
    pq.write_table(table.replace_schema_metadata({b"pandas": about}), path)
    assert positions.read(path).table["animal"].tolist()[:2] == ["R", "G"]


def test_an_index_that_only_counts_is_found_in_what_pandas_says(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    wide().to_parquet(path)
    assert "Frame" not in pq.read_schema(path).names
    assert positions.read(path).table["frame"].tolist() == [n // 2 for n in range(42)]


def test_names_with_levels_come_in_parquet_as_in_pickles(tmp_path: Path) -> None:
    release().to_parquet(tmp_path / "a.parquet")
    release().to_pickle(tmp_path / "a.pkl")
    first, second = (read_release(tmp_path / name)[0] for name in ("a.parquet", "a.pkl"))
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize(
    ("about", "found"),
    [
        ({"murid.status": b"perhaps"}, "the verdict 'perhaps'"),
        ({"murid.status": b"\xff"}, "utf-8"),
        ({"murid.reason": b"\xc3"}, "utf-8"),
        ({b"murid.\xff": b""}, "utf-8"),
    ],
)
def test_a_verdict_that_is_none_is_told(tmp_path: Path, about: dict, found: str) -> None:
    table = pa.table({"frame": [0], "R": [1]}).replace_schema_metadata(about)
    path = tmp_path / "p.parquet"
    pq.write_table(table, path)
    with pytest.raises(InputError, match=found):
        tables.read_verdict(path)


def arrow(**columns: object) -> pa.Table:
    return pa.table({"frame": [0, 1], **columns})


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (pa.table([[0], [1], [2]], names=["frame", "R", "R"]), "the column R twice"),
        (arrow(R=pa.array([b"\xff", b"1"]).view(pa.string())), "(?i)utf-?8"),
        (arrow(R=[b"\xff", b"1"]), "neither numbers nor text"),
        (arrow(R=[{"a": 1}, {"a": 2}]), "expected a number"),
        (arrow(R=[[1], [2]]), "expected a number|neither numbers"),
        (arrow(R=pa.array([2**52, 0], pa.timestamp("ms"))), "odd kind|a number"),
        (arrow(R=[True, False]), "truth values"),
        (arrow(R=[1e308, 1]), "whole number"),
        (arrow(R=[float("inf"), 1]), "whole number"),
        (arrow(R=[2**40, 1]), "whole number"),
    ],
)
def test_columns_of_odd_kinds_are_told(tmp_path: Path, table: pa.Table, found: str) -> None:
    path = tmp_path / "p.parquet"
    pq.write_table(table, path)
    with pytest.raises(InputError, match=found):
        positions.read(path)


@pytest.mark.parametrize(
    "value",
    [10**400, -(10**400), 10**5000, "\ud800", "x" * 20_000, b"\xff"],
    ids=["large", "low", "larger than text", "half a letter", "long", "bytes"],
)
@pytest.mark.parametrize("column", ["R", "frame", "animal"])
def test_values_past_all_measure_are_told(tmp_path: Path, value: object, column: str) -> None:
    frame = pd.DataFrame({"frame": [0, 1], column: pd.Series([value, value], dtype=object)})
    if column == "animal":
        frame["antenna"] = 1
    frame.to_pickle(tmp_path / "p.pkl")
    with pytest.raises(InputError) as caught:
        positions.read(tmp_path / "p.pkl")
    assert len(str(caught.value).encode()) < 3000


@pytest.mark.parametrize("text", ["1" + "0" * 400, "1" * 5000, "0x10", "1e999", "１", "\0"])
def test_texts_past_all_measure_are_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.csv").write_text(f"frame,R\n0,{text}\n")
    with pytest.raises(InputError, match=r"line 2, column R|malformed|zero bytes"):
        positions.read(tmp_path / "p.csv")


def test_folders_tell_nothing_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "cage=3" / "p.parquet"
    path.parent.mkdir()
    wide().to_parquet(path)
    assert set(positions.read(path).table["animal"]) == {"R", "G"}
