"""A table of reads of any system becomes reads in UTC, sorted, each once."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antenna_logs import START, Read, milliseconds, some_reads, table
from murid.errors import InputError
from murid.readings import logs, times
from murid.readings.how import How

ROW = "{},900215001234567,14\n"


def utc(text: str) -> pd.Timestamp:
    return pd.Timestamp(text, tz="UTC")


def read_times(path, *texts, **how):
    path.write_text("time,tag,antenna\n" + "".join(ROW.format(text) for text in texts))
    return logs.read(path, How(**how))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.csv"


@pytest.mark.parametrize(
    "text",
    [
        "2025-08-13 03:39:12.999", "2025-08-13T03:39:12.999000", "2025-08-13T03:39:12.999Z",
        "2025-08-13T05:39:12.999+02:00", "2025-08-13 05:39:12.999 +0200",
        "2025-08-12T17:39:12.999-10", "2025-08-13 03:39:12.999 UTC",
        "2025-08-13 03:39:12.999000999",
        '"2025-08-13 03:39:12,999"', "1755056352.999", "1755056352999", "1755056352999000",
        "1755056352999000000", '"1755056352,999"', " 2025-08-13 03:39:12.999 ",
    ],
)  # fmt: skip
def test_a_moment_may_be_written_in_many_ways(path, text):
    judged = read_times(path, text)
    assert judged.table["time"].tolist() == [utc("2025-08-13 03:39:12.999")]
    assert judged.verdict.status == "usable"


def test_columns_are_as_promised(path):
    judged = logs.read(table(path, some_reads()), How())
    assert [*judged.table.columns] == ["time", "tag", "antenna", "duration"]
    assert str(judged.table["time"].dtype) == "datetime64[us, UTC]"
    assert isinstance(judged.table["tag"].dtype, pd.CategoricalDtype)
    assert isinstance(judged.table["antenna"].dtype, pd.CategoricalDtype)
    assert judged.table["duration"].dtype == np.float32
    assert judged.table["duration"].isna().all()
    assert judged.table.index.equals(pd.RangeIndex(6))


def test_columns_may_have_names_of_the_users_own(path):
    path.write_text("Chip;When;Reader\n9;13.08.2025 05:39:12,999;007\n")
    how = How(
        zone="Europe/Warsaw", time_column="when", tag_column="Chip", antenna_column="READER",
        time_format="%d.%m.%Y %H:%M:%S,%f",
    )  # fmt: skip
    row = logs.read(path, how).table.iloc[0]
    assert row["time"] == utc("2025-08-13 03:39:12.999")
    assert (row["tag"], row["antenna"]) == ("9", "7")


def test_a_format_may_tell_the_zone(path):
    judged = read_times(
        path, "13/08/25 05:39 +0200", time_format="%d/%m/%y %H:%M %z", zone="Asia/Tokyo"
    )
    assert judged.table["time"].tolist() == [utc("2025-08-13 03:39")]


@pytest.mark.parametrize("wrong", ["%Q", "%", "%Y %Y"])
def test_a_format_that_is_none_is_refused(path, wrong):
    with pytest.raises(InputError, match="time format"):
        read_times(path, "2025", time_format=wrong)


def test_times_that_do_not_fit_the_format_are_told(path):
    with pytest.raises(InputError, match="line 2: '2025-08-13 03:39'"):
        read_times(path, "2025-08-13 03:39", time_format="%d.%m.%Y %H:%M")


def test_local_times_are_of_the_zone_that_is_given(path):
    for zone, hours in (("Europe/Warsaw", 2), ("America/New_York", -4), ("UTC", 0)):
        judged = read_times(path, "2025-08-13 05:39:12.999", zone=zone)
        assert judged.table["time"].tolist() == [
            utc("2025-08-13 05:39:12.999") - pd.Timedelta(hours=hours)
        ]


def test_a_time_with_a_zone_among_others_without_is_refused(path):
    with pytest.raises(
        InputError, match=r"line 3: found a time with a zone; expected a time without"
    ):
        read_times(path, "2025-08-13 05:39:12", "2025-08-13 05:39:13Z")


def test_numbers_and_times_with_a_zone_may_stand_side_by_side(path):
    judged = read_times(path, "1755056352.999", "2025-08-13T05:39:13+02:00", zone="Asia/Tokyo")
    assert judged.table["time"].tolist() == [
        utc("2025-08-13 03:39:12.999"), utc("2025-08-13 03:39:13"),
    ]  # fmt: skip


def test_an_unknown_zone_is_told_with_the_file(path):
    with pytest.raises(InputError, match=r"a\.csv: found the zone 'Mars'; expected the IANA name"):
        read_times(path, "2025-08-13 05:39:12", zone="Mars")


def test_reads_are_sorted_and_those_far_behind_are_told(path):
    reads = some_reads(4, step=50)
    judged = logs.read(table(path, reads[1:] + reads[:1]), How())
    assert judged.table["time"].is_monotonic_increasing
    assert judged.table["antenna"].tolist() == ["1", "2", "3", "4"]
    assert judged.verdict.status == "repaired"
    assert "1 reads stand after later ones, by up to 150 s (the first is line 5)" in (
        judged.verdict.reason
    )


def test_reads_of_a_moment_ago_are_sorted_without_a_word(path):
    reads = some_reads(4, step=10)
    judged = logs.read(table(path, reversed(reads)), How())
    assert judged.table["antenna"].tolist() == ["1", "2", "3", "4"]
    assert judged.verdict.status == "usable"


def test_the_same_read_is_there_once_and_a_later_one_stays(path):
    read = some_reads(1)[0]
    later = read._replace(time=read.time + timedelta(milliseconds=1))
    other = read._replace(antenna=2)
    judged = logs.read(table(path, [read, other, read, later, read]), How())
    assert judged.table["antenna"].tolist() == ["1", "2", "1"]
    assert "2 lines saying again what was said (the first is line 4)" in judged.verdict.reason


def test_clocks_of_whole_seconds_say_the_same_twice_without_fault(path):
    reads = [Read(START.replace(microsecond=0), "9", 1)] * 3
    judged = logs.read(table(path, reads), How())
    assert len(judged.table) == 1
    assert judged.verdict.status == "usable"


def test_reads_at_the_same_time_stay_in_the_order_of_the_file(path):
    reads = [Read(START, str(n * 7 % 500), 1 + n) for n in range(500)]
    later = Read(START + timedelta(seconds=1), "later", 1)
    found = logs.read(table(path, [later, *reads]), How()).table
    assert found["tag"].tolist() == [*(read.tag for read in reads), "later"]


def test_hours_that_never_were_or_come_twice_are_told_with_their_lines(path):
    judged = read_times(
        path, "2025-03-30 01:59:59.5", "2025-03-30 02:30:00.5", "2025-03-30 03:00:00.5",
        zone="Europe/Warsaw",
    )  # fmt: skip
    assert len(judged.table) == 2
    assert "1 line in an hour that the clock skips" in judged.verdict.reason
    assert "(line 3)" in judged.verdict.reason
    judged = read_times(path, "2025-10-26 02:30:00", zone="Europe/Warsaw")
    assert judged.table["time"].tolist() == [utc("2025-10-26 00:30")]
    assert "1 reads are in the hour that comes twice in Europe/Warsaw" in judged.verdict.reason
    with pytest.raises(InputError, match=r"no read that is left .*clock skips"):
        read_times(path, "2025-03-30 02:30:00.5", zone="Europe/Warsaw")


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.sampled_from("abc"), st.integers(1, 3)), min_size=1)
)
def test_what_comes_out_is_what_went_in_sorted_each_once(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("log") / "a.csv"
    reads = [Read(START + timedelta(milliseconds=ms), tag, antenna) for ms, tag, antenna in rows]
    found = logs.read(table(path, reads), How()).table
    wanted = sorted(dict.fromkeys(reads), key=lambda read: read.time)
    assert [
        Read(time.to_pydatetime().replace(tzinfo=None), tag, int(antenna))
        for time, tag, antenna, _ in found.itertuples(index=False)
    ] == wanted


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2099, 12, 31)), st.sampled_from([1, 10**3, 10**6])
)
def test_numbers_since_1970_tell_their_unit_by_their_size(time, unit):
    since = (time - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    text = f"{since // (10**6 // unit)}"
    found = times.parse(pa.chunked_array([[text]]))
    assert found.zoned.all()
    step = timedelta(microseconds=10**6 // unit)
    assert timedelta(0) <= time - found.when[0].astype(datetime) < step


@given(st.datetimes(datetime(1990, 1, 1), datetime(2099, 12, 31)), st.integers(-23, 23))
def test_times_with_a_zone_are_those_of_python(time, hours):
    text = f"{time.isoformat()}{hours:+03d}:30"
    found = times.parse(pa.chunked_array([[text, "none"]]))
    wanted = datetime.fromisoformat(text).astimezone(tz=None).timestamp()
    assert found.when[0].astype("int64") == round(wanted * 1e6)
    assert np.isnat(found.when[1])


def test_milliseconds_survive(path):
    reads = some_reads(500, step=0.001)
    found = logs.read(table(path, reads), How()).table["time"]
    assert found.tolist() == [utc(milliseconds(read.time)) for read in reads]


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("-3", "whose duration is below 0: it ends before it starts"),
        ("-0,5", "whose duration is below 0: it ends before it starts"),
        ("long", "whose duration is no number"),
        ("1e400", "whose duration is no number"),
    ],
)
def test_durations_that_cannot_be_are_counted_and_are_none(path, cell: str, told: str) -> None:
    lines = [f"2026-01-01 12:00:0{n};A;1;{text}" for n, text in enumerate(["2.5", cell, "", cell])]
    path.write_text("time;tag;antenna;duration\n" + "".join(f"{line}\n" for line in lines))
    judged = logs.read(path, How())
    assert judged.table["duration"].isna().tolist() == [False, True, True, True]
    text = f"{path.name}: 2 lines {told} (the first is line 3: '{cell}') are taken without an end"
    assert text in judged.verdict.reason
    path.write_text("time;tag;antenna;duration\n" + "".join(f"{lines[n]}\n" for n in (1, 2)))
    with pytest.raises(InputError, match=r"not one duration that can be \(the first is line 2"):
        logs.read(path, How())
