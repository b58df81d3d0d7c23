"""Lines of a log that are damaged are left out and counted, and never spoil those beside them."""

import csv
import io
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile
from antenna_logs import START, TAGS, milliseconds, some_reads, table
from murid.errors import InputError
from murid.readings import lines, logs
from murid.readings.how import How
from murid.readings.tally import Tally

HEADER = "time,tag,antenna\n"
GOOD = "2025-08-13 05:39:12.999,900215001234567,14\n"


def read(path, content, **how):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return logs.read(path, How(**how))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.csv"


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("2025-08-13 05:39:13\0\0\0\0,9,14\n", "1 line with zero bytes"),
        ("\0" * 5000 + "\n", "1 line with zero bytes"),
        ("2025-08-13 05:39:13,9\x07,14\n", "control characters"),
        ("2025-08-13 05:39:13\r,9,14\n", "control characters"),
        (b"2025-08-13 05:39:13,\xff\xfe,14\n", "not UTF-8"),
        ("2025-08-13 05:39:13,9\n", "a wrong number of cells"),
        ("2025-08-13 05:39:13,9,14,15\n", "a wrong number of cells"),
        ("  \n", "a wrong number of cells"),
        ("x" * 20_000 + ",9,14\n", "of more than 16 KiB"),
        ('2025-08-13 05:39:13,"9,14\n', "a quote that is not closed"),
        ("soon,9,14\n", "whose time is none (line 3: 'soon')"),
        ("1970-01-01 00:00:07,9,14\n", "whose time is before 1990 or from 2100 on (line 3: '1970"),
        (",9,14\n", "whose time is none"),
        ("2025-08-13 05:39:13,,14\n", "without a tag"),
        ("2025-08-13 05:39:13,9,\n", "without an antenna"),
        ("2025-08-13 05:39:13," + "9" * 300 + ",14\n", "more than 255 letters"),
    ],
)
def test_a_bad_line_is_counted_with_its_number_and_others_are_read(path, bad, told):
    bad = bad if isinstance(bad, bytes) else bad.encode()
    judged = read(path, (HEADER + GOOD).encode() + bad + GOOD.replace("14", "015").encode())
    assert judged.table["antenna"].tolist() == ["14", "15"]
    assert judged.verdict.status == "repaired"
    assert told in judged.verdict.reason
    assert "line 3" in judged.verdict.reason


def test_a_last_line_without_an_end_may_be_cut_and_is_left_out(path):
    judged = read(path, HEADER + GOOD + GOOD.replace("14\n", "1"))
    assert judged.table["antenna"].tolist() == ["14"]
    assert "1 line without an end, which may be cut (line 3: '2025" in judged.verdict.reason


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_ends_of_lines_marks_and_blank_lines_make_no_difference(path, end, mark):
    text = HEADER + GOOD + "\n\n" + GOOD.replace("14", "3") + HEADER + GOOD.replace("14", "4")
    judged = read(path, mark + text.replace("\n", end).encode())
    assert judged.table["antenna"].tolist() == ["14", "3", "4"]
    assert judged.verdict.status == "usable"


@pytest.mark.parametrize("separator", lines.SEPARATORS)
def test_what_separates_columns_is_told_by_the_header(path, separator):
    judged = logs.read(table(path, some_reads(), separator), How())
    assert judged.table["tag"].tolist() == [*TAGS] * 3
    assert judged.table["antenna"].tolist() == [str(n) for n in range(1, 7)]


def test_cells_in_quotes_may_have_separators_in_them(path):
    text = 'note,"time","tag",antenna\n"a, b","2025-08-13 05:39:12,999","9","14"\nc,' + GOOD
    judged = read(path, text)
    assert judged.table["antenna"].tolist() == ["14", "14"]
    assert judged.table["tag"].tolist() == ["9", "900215001234567"]
    assert judged.table["time"].nunique() == 1


def test_a_file_without_a_sound_line_is_refused_with_what_is_wrong(path):
    with pytest.raises(InputError, match=r"not one read .*2 lines whose time is none.*'soon'"):
        read(path, HEADER + "soon,9,14\nlater,9,14\n")


@pytest.mark.parametrize("year", [1970, 1980, 2100])
def test_a_log_whose_clock_was_never_set_is_told_with_its_times(path, year):
    path.write_text(f"time,tag,antenna\n{year}-01-01 00:00:07,9,14\n{year}-01-02 10:00:00,9,14\n")
    with pytest.raises(InputError) as refused:
        logs.read(path, How())
    for text in (str(path), "not one read", f"{year}-01-01 00:00:07 to {year}-01-02 10:00:00",
                 "clock was not set"):  # fmt: skip
        assert text in str(refused.value)


def test_a_header_alone_is_a_log_of_no_reads(path):
    judged = read(path, HEADER)
    assert judged.table.empty
    assert judged.verdict.status == "usable"
    assert str(judged.table["time"].dtype) == "datetime64[us, UTC]"


def slow(data: bytes) -> list[tuple[str, int]]:
    """Tags and numbers of lines, as a loop over lines has them."""
    found = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=2):
        line = line.removesuffix(b"\r")
        try:
            text = line.decode()
        except UnicodeDecodeError:
            continue
        if any(ord(sign) < 32 or ord(sign) == 127 for sign in text) or text.count('"') % 2:
            continue
        cells = next(csv.reader([text], delimiter=";"), [])
        if len(cells) == 2 and len(line) < lines.LONGEST_LINE:
            found.append((cells[0].strip(), number))
    return found


PIECES = [b"a", b"12", b";", b'";"', b'"x"', b"\n", b"\r\n", b"\0", b"\r", b"\xff", "é".encode()]


@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=60),
    at_once=st.integers(1, 40),
)
def test_lines_are_split_as_a_loop_over_them_would(pieces, at_once):
    data = b"".join(pieces).replace(b'""', b"") + b"\n"
    # Quotes in the middle of a cell are read in many ways: those of cells are what is asked for.
    wanted = [
        each for each in slow(data)
        if '"' not in data.split(b"\n")[each[1] - 2].decode("utf-8", "replace")
    ]  # fmt: skip
    tally, found = Tally("a"), []
    original, lines.BLOCK = lines.BLOCK, at_once
    try:
        for block in lines.blocks(io.BytesIO(data), tally, first=2):
            cells, numbers = lines.split(block, 2, [0], ";", tally)
            found += zip(cells[0].to_pylist(), numbers.tolist(), strict=True)
    finally:
        lines.BLOCK = original
    sure = {number for _, number in wanted}
    assert [(text.strip(), number) for text, number in found if number in sure] == wanted
    blank = sum(not line.rstrip(b"\r") for line in data.split(b"\n")[:-1])
    assert len(found) + tally.total + blank == data.count(b"\n")


def test_blocks_end_with_lines_wherever_they_end(path, monkeypatch):
    reads = some_reads(50)
    whole = logs.read(table(path, reads), How())
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr(lines, "BLOCK", size)
        assert logs.read(path, How()).table.equals(whole.table)


def test_a_line_that_never_ends_takes_no_memory(path, monkeypatch):
    monkeypatch.setattr(lines, "BLOCK", 2**12)
    path.write_bytes((HEADER + GOOD).encode() + b"9" * 2**20)
    judged = logs.read(path, How())
    assert len(judged.table) == 1
    assert "1 line without an end" in judged.verdict.reason
    path.write_bytes((HEADER + GOOD).encode() + b"9" * 2**20 + b"\n" + GOOD[:-3].encode() + b"7\n")
    judged = logs.read(path, How())
    assert judged.table["antenna"].tolist() == ["14", "7"]
    assert "1 line of more than 16 KiB (line 3)" in judged.verdict.reason


@pytest.mark.parametrize("maker", [hostile.pipe, hostile.device, hostile.kernel, hostile.sparse])
def test_what_is_no_plain_file_of_a_sensible_size_is_refused(path, maker):
    maker(path)
    with pytest.raises(InputError):
        logs.read(path, How())


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "an empty file"),
        ((HEADER + GOOD).encode("utf-16"), "UTF-16"),
        (b"\x1f\x8b" + os.urandom(100), "gzip"),
        (b"PAR1" + bytes(100), "Parquet"),
        (b"\0" * 1000, "zero bytes"),
        ((HEADER + GOOD).replace("\n", "\r").encode(), "carriage return only"),
        (b"\xff\xfa" * 100, "not UTF-8"),
        (b"," * 30_000, "16 KiB"),
        (b"\n\n\n", "the columns"),
        ((HEADER.strip() + ",time\n" + GOOD).encode(), "the column time 2 times"),
        (HEADER.replace("antenna", "antena").encode(), r"antena \(antenna\?\)"),
    ],
)
def test_what_is_no_table_is_refused(path, content, told):
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        logs.read(path, How())


def test_a_tag_that_a_spreadsheet_has_spoilt_is_refused(path):
    with pytest.raises(InputError, match=r"9\.00215E\+14.*a spreadsheet"):
        read(path, HEADER + GOOD.replace("900215001234567", "9.00215E+14"))


def test_hexadecimal_tags_are_no_numbers(path):
    text = HEADER + "".join(
        GOOD.replace("900215001234567", tag) for tag in ("1E14", "0007", "697b")
    )
    assert set(read(path, text).table["tag"]) == {"1E14", "0007", "697b"}


def test_too_many_different_tags_are_another_column(path, monkeypatch):
    monkeypatch.setattr("murid.readings.reads.MOST_TAGS", 5)
    text = HEADER + "".join(GOOD.replace("900215001234567", str(n)) for n in range(7))
    with pytest.raises(InputError, match="more than 5 different tags"):
        read(path, text)


def test_too_many_reads_are_refused(path, monkeypatch):
    monkeypatch.setattr("murid.readings.reads.MOST_READS", 5)
    with pytest.raises(InputError, match="more than 5 reads"):
        logs.read(table(path, some_reads(6)), How())


def test_lasting_reads_tell_how_long(path):
    text = "time,tag,antenna,duration\n" + "".join(
        f"{milliseconds(START)},{n},1,{seconds}\n"
        for n, seconds in enumerate(["0.5", "", "-1", "x"])
    )
    durations = read(path, text).table["duration"]
    assert durations.dtype == np.float32
    assert durations.iloc[0] == 0.5
    assert durations.iloc[1:].isna().all()
