"""Logs of each system are read as it writes them, with what is odd in them."""

import zipfile
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from antenna_logs import (
    START,
    TAGS,
    UID_HEADER,
    VISITS_HEADER,
    Read,
    ecohab_line,
    grid12,
    pymousetracks,
    some_reads,
    uid_lines,
    visits,
    zipped,
)
from murid.errors import InputError
from murid.readings import logs
from murid.readings.how import How

WARSAW = How(zone="Europe/Warsaw")
SUMMER = timedelta(hours=2)


def as_reads(table: pd.DataFrame, offset: timedelta = SUMMER) -> list[Read]:
    """The reads of a table by a clock that is ahead of UTC."""
    return [
        Read((time + offset).to_pydatetime().replace(tzinfo=None), tag, antenna)
        for time, tag, antenna, _ in table.itertuples(index=False)
    ]


def named(reads: list[Read]) -> list[Read]:
    return [read._replace(antenna=str(read.antenna)) for read in reads]


def whole_ms(reads: list[Read]) -> list[Read]:
    return [
        r._replace(time=r.time.replace(microsecond=r.time.microsecond // 1000 * 1000))
        for r in reads
    ]


def whole_seconds(reads: list[Read]) -> list[Read]:
    return [read._replace(time=read.time.replace(microsecond=0)) for read in reads]


def written(path, lines, end="\n"):
    path.write_text("".join(f"{line}{end}" for line in lines), newline="")
    return path


def test_a_log_of_the_grid_is_told_by_its_columns(tmp_path):
    reads = [read._replace(antenna=read.antenna * 17) for read in some_reads(8)]
    path = grid12(tmp_path / "rfid.csv", reads)
    assert logs.chosen_for(path)[0] == "grid12"
    assert as_reads(logs.read(path, WARSAW).table) == named(reads)


def test_a_read_of_the_grid_that_is_logged_again_a_moment_later_stays(tmp_path):
    read = some_reads(1)[0]
    repeats = [read._replace(time=read.time + timedelta(milliseconds=ms)) for ms in (0, 0, 7, 90)]
    judged = logs.read(grid12(tmp_path / "rfid.csv", repeats), WARSAW)
    assert len(judged.table) == 3
    assert "1 line saying again" in judged.verdict.reason


def test_the_real_log_of_a_grid(shared):
    path = shared / "rfid" / "grid12" / "rfid_data_20250813_055827.csv"
    judged = logs.read(path, How(zone="Asia/Shanghai"))
    table = judged.table
    assert judged.verdict.status == "usable"
    assert len(table) == 5976
    assert table["time"].iloc[[0, -1]].tolist() == [
        pd.Timestamp("2025-08-12 21:39:12.999", tz="UTC"),
        pd.Timestamp("2025-08-12 21:44:13.986", tz="UTC"),
    ]
    assert table.iloc[0][["tag", "antenna"]].tolist() == ["696f", "14"]
    assert table.iloc[-1][["tag", "antenna"]].tolist() == ["697b", "131"]
    assert set(table["tag"].value_counts().index[:5]) == {"697b", "696f", "6974", "6976", "6970"}
    assert (table["tag"].value_counts() > 10).sum() == 5
    assert set(table["antenna"]) <= {str(number) for number in range(144)}


def eco(path, lines):
    return logs.read(written(path, lines), WARSAW)


def test_an_hour_of_an_eco_hab(tmp_path):
    reads = some_reads(8)
    lines = [ecohab_line(n + 1, read, 50 * n) for n, read in enumerate(reads)]
    judged = eco(tmp_path / "20250813_050000.txt", lines)
    assert as_reads(judged.table) == named(whole_ms(reads))
    assert judged.table["duration"].tolist() == pytest.approx([0.05 * n for n in range(8)])
    assert judged.verdict.status == "usable"


def test_trailing_tabs_of_an_eco_hab_are_nothing(tmp_path):
    lines = [
        ecohab_line(n, read, 50) + "\t" * (n % 3) + " " * (n % 2)
        for n, read in enumerate(some_reads(8))
    ]
    judged = eco(tmp_path / "20250813_050000.txt", lines)
    assert len(judged.table) == 8
    assert judged.verdict.status == "usable"


@pytest.mark.parametrize("tag", ["0065-0136655780", "9A44E61A04", "0000000007"])
def test_tags_of_an_eco_hab_are_text(tmp_path, tag):
    lines = [ecohab_line(1, some_reads(1)[0]._replace(tag=tag), 50)]
    assert eco(tmp_path / "20250813_050000.txt", lines).table["tag"].tolist() == [tag]


def test_an_old_eco_hab_has_its_date_in_the_name_and_crosses_midnight(tmp_path):
    times = [datetime(2025, 8, 31, 23, 59, 59), datetime(2025, 9, 1, 0, 0, 30)]
    reads = [Read(time, TAGS[0], 3) for time in times]
    lines = [ecohab_line(n, read, 50, dated=False) for n, read in enumerate(reads)]
    assert as_reads(eco(tmp_path / "20250831_230000.txt", lines).table) == named(reads)
    # An hour that begins just after midnight may hold reads of just before.
    early = [reads[1], reads[0]._replace(time=datetime(2025, 9, 1, 0, 59, 59))]
    lines = [ecohab_line(n, read, 50, dated=False) for n, read in enumerate(early)]
    assert as_reads(eco(tmp_path / "20250901_000000.txt", lines).table) == named(early)


@pytest.mark.parametrize("name", ["log", "20251331_000000", "x20250831_230000"])
def test_an_old_eco_hab_without_a_date_is_refused(tmp_path, name):
    lines = [ecohab_line(1, some_reads(1)[0], 50, dated=False)]
    with pytest.raises(InputError, match="YYYYMMDD_HHMMSS"):
        eco(tmp_path / f"{name}.txt", lines)


def test_antennas_of_an_eco_hab_of_several_boards_are_told_apart(tmp_path):
    lines = [ecohab_line(1, some_reads(1)[0], 50)]
    judged = eco(tmp_path / "COM4_20250813_050000.txt", lines)
    assert judged.table["antenna"].tolist() == ["COM4_1"]


def test_lines_of_an_eco_hab_that_are_none_are_counted(tmp_path):
    good = [ecohab_line(n, read, 50) for n, read in enumerate(some_reads(4))]
    bad = ["", "\0\0\0", "3\t2025.08.13\t05:39", "noise", good[0].replace("2025", "2205")]
    judged = eco(tmp_path / "20250813_050000.txt", [*good[:2], *bad, *good[2:]])
    assert len(judged.table) == 4
    assert "1 line with zero bytes" in judged.verdict.reason
    assert "2 lines with a wrong number of cells (the first is line 5" in judged.verdict.reason
    assert "1 line whose time is before 1990 or from 2100 on (line 7" in judged.verdict.reason


def test_a_read_of_an_eco_hab_is_logged_when_it_has_ended(tmp_path):
    first, second = some_reads(2, step=30)
    later = second._replace(time=first.time + timedelta(seconds=100))
    lines = [ecohab_line(1, later, 50), ecohab_line(2, first, 90_000)]
    judged = eco(tmp_path / "20250813_050000.txt", lines)
    assert as_reads(judged.table) == named(whole_ms([first, later]))
    assert judged.verdict.status == "usable"


@pytest.mark.parametrize(
    ("name", "count", "first", "last"),
    [
        ("20230524_120000", 45, "2023-05-24 10:59:09.172", "2023-05-24 11:00:06.375"),
        ("20230524_130000", 1834, "2023-05-24 11:00:07.210", "2023-05-24 11:59:52.197"),
        ("20230524_210000", 480, "2023-05-24 19:00:45.774", "2023-05-24 20:00:43.557"),
        ("20230525_000000", 637, "2023-05-24 22:00:22.358", "2023-05-24 23:00:02.886"),
    ],
)
def test_a_real_hour_of_an_eco_hab(shared, name, count, first, last):
    judged = logs.read(shared / "rfid" / "ecohab" / f"{name}.txt", WARSAW)
    table = judged.table
    assert judged.verdict.status == "usable"
    assert len(table) == count
    assert [str(time)[:23] for time in table["time"].iloc[[0, -1]]] == [first, last]
    assert set(table["antenna"]) <= set("12345678")
    assert table["tag"].str.fullmatch("[0-9A-F]{10}").all()
    assert table["duration"].between(0, 3600).all()


def test_a_log_of_uid_matrices(tmp_path):
    reads = some_reads(8)
    path = written(tmp_path / "data_1_of_3.csv", [UID_HEADER, *uid_lines(reads)], "\r\n")
    assert logs.chosen_for(path)[0] == "uid"
    assert as_reads(logs.read(path, WARSAW).table) == named(whole_seconds(reads))


def test_zones_of_several_matrices_are_told_apart(tmp_path):
    first, second = some_reads(2)
    lines = [UID_HEADER, *uid_lines([first], "M1"), *uid_lines([second], "M 2")]
    judged = logs.read(written(tmp_path / "a.csv", lines), WARSAW)
    assert judged.table["antenna"].tolist() == ["M1_1", "M 2_2"]


def test_zones_that_are_called_alike_once_the_matrix_is_in_front_are_one_name(tmp_path):
    first, second = ([read._replace(antenna=name)] for read, name in zip(
        some_reads(2), ("2_3", "3"), strict=True
    ))  # fmt: skip
    lines = [UID_HEADER, *uid_lines(first, "M"), *uid_lines(second, "M_2")]
    judged = logs.read(written(tmp_path / "a.csv", lines), WARSAW)
    assert judged.table["antenna"].tolist() == ["M_2_3", "M_2_3"]


def test_reads_of_pymousetracks_are_in_utc_whatever_the_zone(tmp_path):
    reads = some_reads(8)
    path = pymousetracks(tmp_path / "RFID_reads.csv", reads, timedelta(hours=-7))
    assert logs.chosen_for(path)[0] == "pymousetracks"
    found = as_reads(logs.read(path, How(zone="America/Vancouver")).table, timedelta(0))
    assert found == named(reads)


def test_old_reads_of_pymousetracks_are_local(tmp_path):
    lines = ["Timestamp,Reader,RFID", f"{START},2,{TAGS[0]}"]
    judged = logs.read(written(tmp_path / "RFID_reads.csv", lines), WARSAW)
    assert as_reads(judged.table) == [Read(START, TAGS[0], "2")]


def cage(path, lines, end="\r\n"):
    text = "".join(f"{line}{end}" for line in lines)
    return logs.read(zipped(path, text), WARSAW)


@pytest.mark.parametrize("decimal", [".", ","])
def test_visits_of_an_intellicage_last_until_their_end(tmp_path, decimal):
    reads = some_reads(8, antennas=4)
    judged = cage(tmp_path / "a.zip", [VISITS_HEADER, *visits(reads, 6.75, decimal=decimal)])
    assert as_reads(judged.table) == named(whole_ms(reads))
    assert (judged.table["duration"] == 6.75).all()


def test_visits_alone_are_read_as_in_an_archive_and_rows_sorted(tmp_path):
    reads = some_reads(8, antennas=4)
    lines = [VISITS_HEADER, *reversed(visits(reads, 6.75))]
    path = written(tmp_path / "Visits.txt", lines, "\r\n")
    assert logs.chosen_for(path)[0] == "intellicage"
    assert logs.read(path, WARSAW).table.equals(cage(tmp_path / "a.zip", lines).table)


def test_visits_of_an_older_intellicage_name_the_animal(tmp_path):
    header = "ID\tAnimal\tStart\tEnd\tModule\tCage\tCorner"
    line = "1\tMouse 7\t2025-08-13 05:39:12.999\t2025-08-13 05:39:14.999\tAdapt\t1\t4"
    judged = cage(tmp_path / "a.zip", [header, line])
    assert judged.table[["tag", "antenna"]].to_numpy().tolist() == [["Mouse 7", "4"]]


def test_corners_of_several_cages_are_told_apart(tmp_path):
    first, second = some_reads(2)
    lines = [VISITS_HEADER, *visits([first], 1, cage=1), *visits([second], 1, cage=2)]
    assert cage(tmp_path / "a.zip", lines).table["antenna"].tolist() == ["1_1", "2_2"]


def test_corners_of_the_cages_of_an_intellimaze_are_told_apart_by_device(tmp_path):
    lines = ["VisitID\tAnimalTag\tStart\tEnd\tModuleName\tDeviceId\tCorner"]
    lines += [
        f"{n}\t98100{n}\t2024-06-01T12:00:0{n}.5+02:00\t2024-06-01T12:00:09.5+02:00\tX\t{cage}\t4"
        for n, cage in enumerate(("IC1", "IC2"))
    ]
    table = logs.read(written(tmp_path / "Visit.txt", lines), How(zone="UTC")).table
    assert table["antenna"].tolist() == ["IC1_4", "IC2_4"]
    assert table["time"].iloc[0] == pd.Timestamp("2024-06-01 10:00:00.5", tz="UTC")


def test_an_archive_that_is_none_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(InputError, match="another kind"):
        logs.read(path, WARSAW)
    with pytest.raises(InputError, match="0 files of visits"):
        logs.read(zipped(path, "", "Other.txt"), WARSAW)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/Visits.txt", "")
        archive.writestr("b/Visits.txt", "")
    with pytest.raises(InputError, match="2 files of visits"):
        logs.read(path, WARSAW)


def test_a_damaged_archive_is_refused(tmp_path):
    text = "\r\n".join([VISITS_HEADER, *visits(some_reads(5000), 1)])
    path = zipped(tmp_path / "a.zip", text)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        logs.read(path, WARSAW)


def test_an_archive_that_swells_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = zipped(tmp_path / "a.zip", VISITS_HEADER + "\r\n" + "9" * 10_000_000)
    judged_limit = 1_000_000
    monkeypatch.setattr("murid.readings.lines.LARGEST_LOG", judged_limit)
    with pytest.raises(InputError, match=r"visits of 10 MiB; expected 1 MiB at most"):
        logs.read(path, WARSAW)


def test_an_archive_with_a_password_is_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", VISITS_HEADER)
    data = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.rindex(mark) if mark == b"PK\x01\x02" else data.index(mark, 60)
        data[place + flags] |= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="password"):
        logs.read(path, WARSAW)


def hive(path, *lines):
    return logs.read(written(path, lines), How())


def test_an_eee_hive_has_several_tags_a_line_or_none(tmp_path):
    judged = hive(
        tmp_path / "Female8_Board1",
        "[2023-02-01 09:00:00.250] 1,5:A,B", "", "[2023-02-01 09:00:00.300] 1,6:",
        "[2023-02-01 09:00:01.000] 1,24:A", "[2023-02-01 09:00:01.100] 1,7",
    )  # fmt: skip
    assert judged.table[["tag", "antenna"]].to_numpy().tolist() == [
        ["A", "5"], ["B", "5"], ["A", "24"],
    ]  # fmt: skip
    assert judged.table["time"].iloc[0] == pd.Timestamp("2023-02-01 09:00:00.250", tz="UTC")
    assert judged.verdict.status == "usable"


@pytest.mark.parametrize(
    ("name", "number", "antenna"),
    [("Male8_Board1", 1, "5"), ("Male8_Board3", 1, "53"), ("board-4.log", 1, "77"),
     ("Male8_Board3", 2, "53")],
)  # fmt: skip
def test_antennas_of_an_eee_hive_count_on_through_the_boards(tmp_path, name, number, antenna):
    judged = hive(tmp_path / name, f"[2023-02-01 09:00:00] {number},5:A")
    assert judged.table["antenna"].tolist() == [antenna]
    assert judged.verdict.status == "usable"


@pytest.mark.parametrize("name", ["all.txt", "com16.log", "Board12.log"])
def test_the_kind_of_tag_in_a_log_of_an_eee_hive_is_no_board_and_only_its_name_tells_one(
    tmp_path, name
):
    judged = hive(tmp_path / name, *(f"[2023-02-01 09:00:0{n}] {n}, {n}5:A" for n in (1, 2)))
    assert judged.table["antenna"].tolist() == ["15", "25"]
    assert "its name tells no board" in judged.verdict.reason


def test_lines_of_an_eee_hive_that_are_none_are_counted(tmp_path):
    judged = hive(
        tmp_path / "a.log", "[2023-02-01 09:00:00] 1,5:A", "ready", "[2023-02-31 09:00:00] 1,5:A",
        "[2023-02-01 09:00:02] 1,5:B",
    )  # fmt: skip
    assert judged.table["tag"].tolist() == ["A", "B"]
    assert "1 line without a position (line 2: 'ready')" in judged.verdict.reason
    assert "1 line whose time is none (line 3: '2023-02-31 09:00:00')" in judged.verdict.reason


def test_an_eee_hive_on_which_nobody_was_has_no_reads(tmp_path):
    judged = hive(tmp_path / "a.log", "[2023-02-01 09:00:00] 1,5:")
    assert judged.table.empty
    assert judged.verdict.status == "usable"


def test_noise_of_a_terminal_is_no_log(tmp_path):
    with pytest.raises(InputError, match="another kind"):
        hive(tmp_path / "a.log", "ready", "steady")
    path = written(tmp_path / "a.log", ["ready"])
    with pytest.raises(InputError, match="not one read"):
        logs.read(path, How(system="eeehive"))


def test_ends_of_times_do_not_turn_into_antennas(tmp_path):
    reads = np.array([read.antenna for read in some_reads(8)])
    path = written(tmp_path / "a.csv", [UID_HEADER, *uid_lines(some_reads(8))])
    assert logs.read(path, WARSAW).table["antenna"].astype(int).tolist() == reads.tolist()
