"""Databases of Live Mouse Tracker and files of the Home Cage Analyser are read, never obeyed."""

import sqlite3

import h5py
import numpy as np
import pandas as pd
import pytest

from antenna_logs import TAGS, hca, lmt
from murid.errors import InputError
from murid.readings import logs
from murid.readings.how import How

EPOCH = 1_755_063_552_999
"""Milliseconds since 1970, in August 2025."""
HCA_NAME = f"{EPOCH - 3_600_000}_000123_study@cage7_0000003600000.hdf5"
ANYWHERE = How(zone="America/New_York")


def since(table: pd.DataFrame) -> list[int]:
    return [round(time.timestamp() * 1000) for time in table["time"]]


@pytest.mark.parametrize("animals", [3, 4, 9])
def test_events_of_a_database_are_read_at_their_time(tmp_path, animals):
    events = [(TAGS[n % 2], EPOCH + 250 * n, n % 4, n // 4) for n in range(16)]
    path = lmt(tmp_path / "a.sqlite", events, animals=animals)
    before = path.read_bytes()
    judged = logs.read(path, ANYWHERE)
    assert since(judged.table) == [time for _, time, _, _ in events]
    assert judged.table["antenna"].tolist() == [str(n) for n in range(1, 17)]
    assert judged.table["tag"].tolist() == [tag for tag, *_ in events]
    assert judged.verdict.status == "usable"
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.sqlite"]


def test_events_by_the_number_of_a_frame_have_the_frames_time(tmp_path):
    frames = [(n, EPOCH + 33 * n) for n in range(100)]
    path = lmt(tmp_path / "a.sqlite", [("A", 10, 0, 0), ("B", 70, 1, 0)], frames)
    assert since(logs.read(path, ANYWHERE).table) == [EPOCH + 330, EPOCH + 2310]


def test_a_frame_whose_number_is_there_again_later_has_no_time(tmp_path):
    frames = [(n, EPOCH + 33 * n) for n in range(50)]
    again = [(n, EPOCH + 3_600_000 + 33 * n) for n in range(40, 60)]
    events = [("A", 10, 0, 0), ("A", 45, 0, 0), ("A", 55, 0, 0), ("A", 99, 0, 0)]
    judged = logs.read(lmt(tmp_path / "a.sqlite", events, frames + again), ANYWHERE)
    assert since(judged.table) == [EPOCH + 330, EPOCH + 3_600_000 + 33 * 55]
    assert "2 rows of a frame without a time, or with several (the first is row 2)" in (
        judged.verdict.reason
    )


@pytest.mark.parametrize(
    ("places", "names"),
    [
        ([(0, 0), (3, 2)], ["1", "12"]),
        ([(1, 1), (4, 3)], ["1", "12"]),
        ([(64, 80), (448, 80)], ["64_80", "448_80"]),
        ([(0, 4), (4, 0)], ["0_4", "4_0"]),
    ],
)
def test_antennas_are_numbered_by_rows_or_called_by_their_place(tmp_path, places, names):
    events = [("A", EPOCH + n, *place) for n, place in enumerate(places)]
    path = lmt(tmp_path / "a.sqlite", events)
    assert logs.read(path, ANYWHERE).table["antenna"].tolist() == names


def test_whether_columns_count_from_0_or_1_is_not_guessed(tmp_path):
    path = lmt(tmp_path / "a.sqlite", [("A", EPOCH, 1, 2), ("A", EPOCH + 1, 3, 3)])
    with pytest.raises(InputError, match="columns and rows 1, 2, 3 only"):
        logs.read(path, ANYWHERE)


def test_events_that_are_none_are_counted(tmp_path):
    events = [
        ("A", EPOCH, 0, 0), (None, EPOCH, 0, 0), ("", EPOCH, 0, 0), ("A", "soon", 0, 0),
        ("A", None, 0, 0), ("A", EPOCH, None, 0), ("A", EPOCH + 1, 3, 3),
    ]  # fmt: skip
    judged = logs.read(lmt(tmp_path / "a.sqlite", events), ANYWHERE)
    assert judged.table["antenna"].tolist() == ["1", "16"]
    for told in ("2 rows without a tag", "2 rows whose time is none", "1 row without an antenna"):
        assert told in judged.verdict.reason


def test_a_database_without_events_is_one_of_the_tracker_as_published_not_of_no_reads(tmp_path):
    with pytest.raises(InputError, match=r"RFIDEVENT without a row.*as it is published writes no"):
        logs.read(lmt(tmp_path / "a.sqlite", []), ANYWHERE)


def test_a_database_that_another_has_locked_is_read_as_it_stands(tmp_path):
    path = lmt(tmp_path / "a.sqlite", [("A", EPOCH, 0, 0)])
    writer = sqlite3.connect(path)
    writer.execute("BEGIN EXCLUSIVE")
    assert len(logs.read(path, ANYWHERE).table) == 1
    writer.close()


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_what_is_not_in_a_database_yet_is_told(tmp_path, end):
    path = lmt(tmp_path / "a.sqlite", [("A", EPOCH, 0, 0)])
    beside = path.with_name(path.name + end)
    beside.write_bytes(b"")
    assert logs.read(path, ANYWHERE).verdict.status == "usable"
    beside.write_bytes(b"x")
    judged = logs.read(path, ANYWHERE)
    assert f"a.sqlite{end} is beside it" in judged.verdict.reason
    assert beside.read_bytes() == b"x"


def altered(path, *statements):
    database = sqlite3.connect(lmt(path, [("A", EPOCH, 0, 0)]))
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


ENDLESS = (
    "CREATE VIEW RFIDEVENT AS WITH RECURSIVE n(ID) AS (SELECT 1 UNION ALL SELECT ID + 1 FROM n) "
    "SELECT ID, 'A' AS RFID, 1755063552999 AS TIME, 0 AS X, 0 AS Y FROM n"
)


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        (("DROP TABLE RFIDEVENT",), "nothing of the name RFIDEVENT"),
        (("DROP TABLE RFIDEVENT", ENDLESS), "view of the name RFIDEVENT"),
        (("ALTER TABLE RFIDEVENT DROP COLUMN X",), "column X"),
        (("UPDATE RFIDEVENT SET TIME = 7", "DROP TABLE FRAME"), "nothing of the name FRAME"),
        (("UPDATE RFIDEVENT SET RFID = zeroblob(5000000)",), "cannot be read"),
    ],
)
def test_a_database_of_another_kind_is_refused(tmp_path, statements, told):
    with pytest.raises(InputError, match=told):
        logs.read(altered(tmp_path / "a.sqlite", *statements), ANYWHERE)


def test_a_damaged_database_is_refused(tmp_path):
    events = [("A", EPOCH + n, 0, 0) for n in range(5000)]
    path = lmt(tmp_path / "a.sqlite", events)
    data = bytearray(path.read_bytes())
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="cannot be read"):
        logs.read(path, ANYWHERE)
    path.write_bytes(data[:100] + bytes(len(data) - 100))
    with pytest.raises(InputError):
        logs.read(path, ANYWHERE)
    path.write_bytes(b"no database at all")
    with pytest.raises(InputError, match="another kind"):
        logs.read(path, ANYWHERE)
    with pytest.raises(InputError, match="no database of SQLite"):
        logs.read(path, How(system="lmt"))


def rows(count: int = 5, step: int = 40) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(count) * step, 1 + np.arange(count) % 18


@pytest.mark.parametrize("compound", [False, True])
def test_an_hour_of_the_analyser_begins_when_its_name_says(tmp_path, compound):
    subjects = {TAGS[0]: rows(5), TAGS[1]: rows(4), "?": rows(9)}
    path = hca(tmp_path / HCA_NAME, subjects, np.array([EPOCH, EPOCH + 40]), compound=compound)
    judged = logs.read(path, ANYWHERE)
    assert judged.verdict.status == "usable"
    assert judged.table["tag"].value_counts().to_dict() == {TAGS[0]: 5, TAGS[1]: 4}
    for tag, count in ((TAGS[0], 5), (TAGS[1], 4)):
        own = judged.table[judged.table["tag"] == tag]
        assert since(own) == [EPOCH + 40 * n for n in range(count)]
        assert own["antenna"].tolist() == [str(n) for n in range(1, count + 1)]


def test_animals_stand_one_after_the_other_in_a_file_and_side_by_side_in_time(tmp_path):
    path = hca(tmp_path / HCA_NAME, {tag: rows(50, step=40_000) for tag in TAGS})
    judged = logs.read(path, ANYWHERE)
    assert judged.table["tag"].tolist() == [*TAGS] * 50
    assert judged.verdict.status == "usable"


def test_rows_without_an_antenna_are_no_fault_and_missing_rows_none(tmp_path):
    t, antenna = np.array([0, 40, 400, 440]), np.array([3, 0, -1, 18])
    judged = logs.read(hca(tmp_path / HCA_NAME, {"A": (t, antenna)}), ANYWHERE)
    assert judged.verdict.status == "usable"
    assert since(judged.table) == [EPOCH, EPOCH + 440]
    assert judged.table["antenna"].tolist() == ["3", "18"]


def test_antennas_that_are_nan_are_none(tmp_path):
    t, antenna = np.array([0.0, 40.0]), np.array([np.nan, 7.0])
    judged = logs.read(hca(tmp_path / HCA_NAME, {"A": (t, antenna)}), ANYWHERE)
    assert judged.table["antenna"].tolist() == ["7"]


def test_a_file_that_was_renamed_begins_when_its_clock_says(tmp_path):
    path = hca(tmp_path / "hour.h5", {"A": rows()}, np.array([EPOCH, EPOCH + 40]))
    assert since(logs.read(path, ANYWHERE).table)[0] == EPOCH
    path = hca(tmp_path / "other.h5", {"A": rows()})
    with pytest.raises(InputError, match="no time at which it begins"):
        logs.read(path, ANYWHERE)


def test_a_name_and_a_clock_that_differ_are_told(tmp_path):
    path = hca(tmp_path / HCA_NAME, {"A": rows()}, np.array([EPOCH - 7000]))
    judged = logs.read(path, ANYWHERE)
    assert since(judged.table)[0] == EPOCH
    assert "7.0 s after that in /data/0" in judged.verdict.reason


def test_an_hour_without_animals_has_no_reads(tmp_path):
    judged = logs.read(hca(tmp_path / HCA_NAME, {"?": rows()}), ANYWHERE)
    assert judged.table.empty


@pytest.mark.parametrize("name", ["tracks", "df_with_missing", "poseest"])
def test_tracks_of_another_tool_are_no_log_and_it_says_where_they_belong(tmp_path, name):
    path = tmp_path / "cage1.hdf5"
    with h5py.File(path, "w") as file:
        file[f"{name}/values"] = np.zeros(3)
    with pytest.raises(InputError, match=f"/{name}: tracks .* --tracklets"):
        logs.read(path, ANYWHERE)


def changed(path, change):
    hca(path, {"A": rows()})
    with h5py.File(path, "r+") as file:
        change(file, file["subjects/A/antenna/ant1"])
    return path


def outside(file, ant1):
    other = file.filename + ".raw"
    with open(other, "wb") as raw:
        raw.write(bytes(400))
    del ant1["t"]
    ant1.create_dataset("t", (5,), "f8", external=[(other, 0, 400)])


def virtual(file, ant1):
    del ant1["t"]
    layout = h5py.VirtualLayout((5,), "f8")
    layout[:] = h5py.VirtualSource("/etc/passwd", "t", (5,))
    ant1.create_virtual_dataset("t", layout)


def linked(file, ant1):
    del ant1["t"]
    ant1["t"] = h5py.ExternalLink("/etc/passwd", "/t")


def huge(file, ant1):
    for name in ("t", "antenna"):
        del ant1[name]
        ant1.create_dataset(name, (2**40,), "f8", chunks=(1024,))


def texts(file, ant1):
    del ant1["t"]
    ant1["t"] = [b"a"] * 5


def square(file, ant1):
    del ant1["t"]
    ant1["t"] = np.zeros((5, 5))


def shorter(file, ant1):
    del ant1["t"]
    ant1["t"] = np.zeros(4)


def missing(file, ant1):
    del ant1["antenna"]


def other(file, ant1):
    del file["subjects"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (outside, "ant1/t: found an array in another file"),
        (virtual, "ant1/t: found an array in another file"),
        (linked, "ant1/t: found a link to elsewhere"), (huge, "ant1/t: found 1,.* numbers"),
        (texts, "ant1/t: found object of the shape"), (square, "shape"),
        (shorter, "4 times and 5 antennas"), (missing, "no array subjects/A/antenna/ant1/antenna"),
        (other, "/subjects: found no subjects"),
    ],
)  # fmt: skip
def test_a_file_of_the_analyser_that_is_odd_is_refused(tmp_path, change, told):
    with pytest.raises(InputError, match=told):
        logs.read(changed(tmp_path / HCA_NAME, change), ANYWHERE)


def test_a_damaged_file_of_the_analyser_is_refused(tmp_path):
    path = hca(tmp_path / HCA_NAME, {"A": rows(5000)})
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="no readable HDF5"):
        logs.read(path, ANYWHERE)
    path.write_bytes(b"no HDF5")
    with pytest.raises(InputError, match="another kind"):
        logs.read(path, ANYWHERE)
