"""The sample sheet."""

import dataclasses
from contextlib import nullcontext
from io import StringIO

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from murid.archive import positions
from murid.errors import InputError
from murid.settings import Simulate, Summaries, parse
from murid.sheet import (
    COLUMNS,
    NAME,
    NOTHINGS,
    RESERVED,
    SPLITS,
    Segment,
    is_animal,
    read_sheet,
    table_name,
    write_sheet,
)
from murid.video_part import Part

names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True).filter(NAME.fullmatch)
letters = st.characters(
    codec="utf-8", exclude_categories=("C", "Z", "Cn"), exclude_characters="{}<>"
)
paths = st.lists(st.text(letters, min_size=1, max_size=6), min_size=1, max_size=2).map(" ".join)
segments = st.builds(
    Segment,
    cage=names,
    segment=names,
    positions=paths,
    rig=names,
    video=paths,
    first_frame=st.none() | st.integers(0, 100),
    last_frame=st.none() | st.integers(100, 10**9 - 1),
    detections=st.just("") | paths,
    annotations=st.just("") | paths,
    split=st.sampled_from(SPLITS),
    fps=st.floats(0.01, 1000),
    start=st.sampled_from(["", "2019-03-01 07:00"]),
    animals=st.lists(names.filter(is_animal), unique=True, max_size=4).map(tuple),
)
HEADER = "cage\tsegment\tpositions\tvideo"
LOGGED = "cage\tsegment\treadings\tvideo\tstart"
ROW = "A\t1\tp.csv\tv.mp4"


@given(st.lists(segments, min_size=1, max_size=5, unique_by=lambda one: (one.cage, one.segment)))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_written_is_read_back_in_order(tmp_path, written):
    path = tmp_path / "segments.tsv"
    write_sheet(path, written)
    assert list(read_sheet(path).values()) == written
    first = path.read_bytes()
    write_sheet(path, read_sheet(path).values())
    assert path.read_bytes() == first


def test_a_rate_that_was_assumed_is_not_written_down(tmp_path):
    rows = [
        Segment("A", str(fps), "p.csv", video="v", fps=25, fps_assumed=not fps) for fps in (0, 1)
    ]
    write_sheet(tmp_path / "segments.tsv", rows)
    read = read_sheet(tmp_path / "segments.tsv").values()
    assert [row.fps_assumed for row in read] == [True, False]


def write(tmp_path, *lines, ending="\n", encoding="utf-8"):
    path = tmp_path / "segments.tsv"
    path.write_bytes(ending.join([*lines, ""]).encode(encoding))
    return path


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_sheets_of_any_editor_are_read(tmp_path, ending, encoding):
    path = write(
        tmp_path, "# Käfige", HEADER, ROW, "", " A \t2\t p.csv \tv.mp4", "# gone\tx\ty", "\t\t",
        ending=ending, encoding=encoding,
    )  # fmt: skip
    read = read_sheet(path)
    assert list(read) == [("A", "1"), ("A", "2")]
    assert read["A", "2"] == Segment("A", "2", "p.csv", video="v.mp4")


def test_cells_that_are_left_out_have_defaults(tmp_path):
    read = read_sheet(write(tmp_path, f"{HEADER}\tfps\tanimals\tsplit\trig", f"{ROW}\t\tR, G\t\t"))
    assert read["A", "1"].fps == 25.0
    assert read["A", "1"].animals == ("R", "G")
    assert read["A", "1"].split == ""
    assert read["A", "1"].rig == "rig"


def test_a_segment_may_have_antenna_logs_in_place_of_a_trace(tmp_path):
    path = write(
        tmp_path, f"{LOGGED}\tframe_times",
        "A\t1\ta.csv; b c.csv\tv.mp4\t2026-01-01T10:00:00+01:00\t",
        "A\t2\ta.csv\tv.mp4\t\ttimes.csv",
    )  # fmt: skip
    first, second = read_sheet(path).values()
    assert first.readings == ("a.csv", "b c.csv")
    assert (second.frame_times, second.positions) == ("times.csv", "")
    write_sheet(tmp_path / "again.tsv", [first, second])
    assert [*read_sheet(tmp_path / "again.tsv").values()] == [first, second]


def test_a_segment_may_be_a_part_of_a_video(tmp_path):
    path = write(
        tmp_path, f"{HEADER}\tfirst_frame\tlast_frame",
        f"{ROW}\t\t0", "A\t2\tp\tv\t0\t", "A\t3\tp\tv\t1\t99", "A\t4\tp\tv\t100\t",
    )  # fmt: skip
    segments = [*read_sheet(path).values()]
    assert [segment.part for segment in segments] == [
        Part(0, 0), Part(0, None), Part(1, 99), Part(100, None)
    ]  # fmt: skip
    assert [segment.part.whole for segment in segments] == [False, True, False, False]
    write_sheet(tmp_path / "again.tsv", segments)
    assert [*read_sheet(tmp_path / "again.tsv").values()] == segments


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_tables_of_files_have_names_that_rules_take_and_that_differ(path):
    assert NAME.fullmatch(table_name(path))
    assert table_name(path) != table_name(f"other/{path}")


def test_columns_may_stand_in_any_order(tmp_path):
    cells = dict(zip(HEADER.split("\t"), ROW.split("\t"), strict=True))
    order = sorted(cells, reverse=True)
    path = write(tmp_path, "\t".join(order), "\t".join(cells[name] for name in order))
    assert read_sheet(path)["A", "1"].positions == "p.csv"


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([], ["a column cage", "tabs"]),
        ([f"{HEADER}\tfps\trig", f"{ROW}\t25"], ["line 2", "5 cells", "expected 6", "cut short"]),
        ([HEADER, "A\t1\tp"], ["line 2", "3 cells", "cut short"]),
        (["cage,segment,positions"], ["a column cage", "tabs"]),
        ([HEADER.replace("cage", "Cage"), ROW], ["a column cage.", "Call the column Cage cage."]),
        (
            [f"{HEADER}\tAnnotation", ROW],
            ["'Annotation'", "Call the column Annotation annotations."],
        ),
        ([HEADER], ["no segments"]),
        ([f"{HEADER}\tcolour", ROW], ["line 1", "'colour'", "annotations"]),
        ([f"{HEADER}\tvideo", ROW], ["line 1", "a column twice"]),
        ([HEADER, ROW, ROW], ["line 3", "cage A segment 1 a second time"]),
        (["# x", HEADER, "", ROW, ROW], ["line 5", "a second time"]),
        ([HEADER, f"{ROW}\tmore"], ["line 2", "5 cells"]),
        ([HEADER, "A/B\t1\tp\tv"], ["line 2", "'A/B' in column cage"]),
        ([HEADER, "..\t1\tp\tv"], ["'..' in column cage"]),
        ([HEADER, "A\t\tp\tv"], ["'' in column segment"]),
        ([HEADER, "A\t1\t\tv"], ["line 2", "neither positions nor readings"]),
        ([f"{HEADER}\treadings", f"{ROW}\tl.csv"], ["line 2", "both positions and readings"]),
        ([LOGGED, "A\t1\tl.csv;\tv\t2026-01-01 10:00"], ["column readings", "a path", "';'"]),
        ([LOGGED, "A\t1\tl.csv;l.csv\tv\t2026-01-01 10:00"], ["column readings", "each once"]),
        ([LOGGED, "A\t1\tl.csv\tv\t"], ["line 2", "'' in column start", "frame_times"]),
        ([LOGGED, "A\t1\tl.csv\tv\tmorning"], ["'morning' in column start"]),
        ([LOGGED, "A\t1\tl.csv\tv\t2026-02-30 10:00"], ["'2026-02-30 10:00' in column start"]),
        ([f"{HEADER}\tfirst_frame", f"{ROW}\t-1"], ["'-1' in column first_frame", "from 0"]),
        ([f"{HEADER}\tlast_frame", f"{ROW}\t9.5"], ["'9.5' in column last_frame", "from 0"]),
        (
            [f"{HEADER}\tfirst_frame\tlast_frame", f"{ROW}\t100\t99"],
            ["line 2", "last_frame 99", "100, first_frame, or more"],
        ),
        (
            [f"{HEADER}\tdetections\tfirst_frame", "A\t1\tp\t\td\t100"],
            ["line 2", "frames 100 to the end of no video", "column video"],
        ),
        ([HEADER, "A\t1\tp\t"], ["neither video nor detections"]),
        ([HEADER, "A\t1\tp{x}\tv"], ["'p{x}' in column positions"]),
        ([HEADER, "A\t1\tp\tv\x07.mp4"], ["column video", "control"]),
        ([HEADER, "\ufeffA\t1\tp\tv"], ["line 2", "column cage", "control"]),
        ([f"{HEADER}\tstart", f"{ROW}\t\1"], ["column start", "control"]),
        ([HEADER, f"{ROW}\0"], ["zero bytes", "UTF-8"]),
        ([HEADER, f"{300 * 'A'}\t1\tp\tv"], ["line 2", "column cage", "at most 100"]),
        ([HEADER, 100_000 * "\t"], ["line 2", "100,001 letters"]),
        ([HEADER, f"A\t1\t{60_000 * 'p'}\tv"], ["line 2", "letters", "at most 50,000"]),
        (["cage\t" + 40_000 * "x"], ["line 1", "xx ..."]),
        (
            [f"{HEADER}\tsplit", f"{ROW}\ttrain"],
            ["'train' in column split", "Train, Validate, Test"],
        ),
        ([f"{HEADER}\tfps", f"{ROW}\tfast"], ["'fast' in column fps"]),
        ([f"{HEADER}\tfps", f"{ROW}\t0"], ["'0' in column fps"]),
        ([f"{HEADER}\tfps", f"{ROW}\tnan"], ["'nan' in column fps"]),
        ([f"{HEADER}\tfps", f"{ROW}\tinf"], ["'inf' in column fps"]),
        ([f"{HEADER}\tfps", f"{ROW}\t1e-300"], ["'1e-300' in column fps", "0.01 to 1000"]),
        ([f"{HEADER}\tfps", f"{ROW}\t0.001"], ["'0.001' in column fps"]),
        ([f"{HEADER}\tfps", f"{ROW}\t1_000"], ["'1_000' in column fps"]),
        ([f"{HEADER}\tfps", f"{ROW}\t0x19"], ["'0x19' in column fps"]),
        ([f"{HEADER}\tfps", f"{ROW}\t12,5"], ["'12,5' in column fps", "written as 12.5"]),
        ([f"{HEADER}\tfps", f"{ROW}\t٢٥"], ["'٢٥' in column fps"]),
        ([f"{HEADER}\tanimals", f"{ROW}\tR,G H"], ["'G H' in column animals"]),
        ([f"{HEADER}\tanimals", f"{ROW}\tR,R"], ["R, R", "each once"]),
        ([f"{HEADER}\tanimals", f"{ROW}\tR,G,r"], ["R, G, r", "in capitals or not"]),
        ([f"{HEADER}\tanimals", f"{ROW}\tR,,G"], ["'' in column animals"]),
        ([f"{HEADER}\tanimals", ROW + "\t" + ",".join(f"m{n}" for n in range(61))], ["at most 60"]),
        ([f"{HEADER}\trig", f"{ROW}\ta/b"], ["column rig"]),
        ([HEADER, 'A\t1\t"p\tv', ROW], ["quotes"]),
        ([HEADER, 'A\t1\t"p"q\tv'], ["line 2", "quotes"]),
    ],
)
def test_errors_name_the_line_and_what_is_expected(tmp_path, lines, named):
    path = write(tmp_path, *lines)
    with pytest.raises(InputError) as caught:
        read_sheet(path)
    for text in (str(path), *named):
        assert text in str(caught.value)


def test_every_wrong_cell_of_a_row_is_told_with_what_to_do(tmp_path):
    path = write(tmp_path, f"{HEADER}\trig\tfps", "my cage\t1\tp\tv\ta/b\tfast")
    with pytest.raises(InputError) as caught:
        read_sheet(path)
    told = str(caught.value).splitlines()
    for line, column in zip(told, ("cage", "rig", "fps"), strict=True):
        assert line.startswith(f"{path}, line 2: found ")
        assert f"in column {column}" in line
    assert told[0].endswith("Names become file names: give it another one.")


def test_files_that_are_none_are_told(tmp_path):
    with pytest.raises(InputError, match="no file"):
        read_sheet(tmp_path / "none.tsv")
    with pytest.raises(InputError, match="UTF-8"):
        read_sheet(write(tmp_path, HEADER, "Ä\t1\tp\tv", encoding="latin-1"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"cage": "a/b"},
        {"positions": " p"},
        {"positions": "a\tb"},
        {"video": "", "detections": ""},
        {"start": "7:00 "},
        {"fps": float("nan")},
    ],
)
def test_a_segment_that_could_not_be_read_back_is_not_written(tmp_path, wrong):
    path = tmp_path / "segments.tsv"
    segment = dataclasses.replace(Segment("A", "1", "p", video="v"), **wrong)
    with pytest.raises(InputError):
        write_sheet(path, [segment])
    assert list(tmp_path.iterdir()) == []


def test_a_segment_that_appears_twice_is_not_written(tmp_path):
    segment = Segment("A", "1", "p", video="v")
    with pytest.raises(InputError, match="a second time"):
        write_sheet(tmp_path / "segments.tsv", [segment, segment])


def test_columns_are_the_fields_of_a_segment():
    assert set(COLUMNS) == {field.name for field in dataclasses.fields(Segment) if field.compare}


def test_a_cage_may_not_be_called_all(tmp_path):
    path = tmp_path / "segments.tsv"
    path.write_text("cage\tsegment\tpositions\tvideo\nall\t1\tp.csv\tv.mp4\n")
    with pytest.raises(InputError, match=r"line 2: found 'all' in column cage; expected another"):
        read_sheet(path)


def test_every_wrong_row_is_told_at_once(tmp_path):
    header = f"{HEADER}\tfps"
    good = f"{ROW}\t25"
    rows = [
        good, good.replace("\t25", "\tfast"), f"# {good}", good, good.replace("\t25", ""),
        good.replace("A\t", "a/b\t"),
    ]  # fmt: skip
    path = write(tmp_path, header, *rows)
    with pytest.raises(InputError) as caught:
        read_sheet(path)
    told = str(caught.value).splitlines()
    expected = {
        3: "'fast' in column fps",
        5: "a second time",
        6: "4 cells",
        7: "'a/b' in column cage",
    }
    for line, (number, words) in zip(told, expected.items(), strict=True):
        assert line.startswith(f"{path}, line {number}: found ")
        assert words in line
    # No message is longer than anyone reads.
    read = [line.replace("\t25", "\tfast") for line in [good] * 30]
    with pytest.raises(InputError) as caught:
        read_sheet(write(tmp_path, header, *read))
    told = str(caught.value).splitlines()
    assert len(told) == 21
    assert told[-1] == f"{path}: and 10 more"


@pytest.mark.parametrize("name", NOTHINGS)
def test_nothing_is_called_as_what_tables_are_read_with_as_nothing(tmp_path, name):
    assert pd.read_csv(StringIO(f"name,x\n{name},1\n"))["name"].isna().all()
    for column in ("cage", "segment", "rig", "animals"):
        cells = {"cage": "A", "segment": "1", "positions": "p", "rig": "r", "animals": "R"}
        cells[column] = name
        path = write(tmp_path, "\t".join(cells), "\t".join(cells.values()))
        with pytest.raises(InputError, match=f"found '{name}' in column {column}; .*as nothing"):
            read_sheet(path)
    with pytest.raises(InputError, match="as nothing"):
        parse(Summaries, {"zones": {name: [[0, 0], [1, 0], [1, 1]]}})


@pytest.mark.parametrize(
    ("offset", "known"), [("+05:45", True), ("+05:75", False), ("-0360", False)]
)
def test_an_offset_of_a_start_has_no_more_than_59_minutes(tmp_path, offset, known):
    row = f"A\t1\tlog.csv\tv.mp4\t2026-03-29 20:30{offset}"
    path = write(tmp_path, "cage\tsegment\treadings\tvideo\tstart", row)
    with nullcontext() if known else pytest.raises(InputError, match="column start"):
        read_sheet(path)


@pytest.mark.parametrize("name", [*RESERVED, "Nobody", "TUNNEL"])
def test_no_animal_is_called_as_what_reports_and_traces_say(tmp_path, name):
    path = write(tmp_path, f"{HEADER}\tanimals", f"{ROW}\tR,{name}")
    with pytest.raises(InputError, match=rf"line 2: found '{name}' in column animals; .*nobody"):
        read_sheet(path)
    trace = tmp_path / "positions.csv"
    trace.write_text(f"frame,animal,antenna\n0,{name},1\n")
    with pytest.raises(InputError, match=rf"found an animal called '{name}'; .*nobody"):
        positions.read(trace)
    with pytest.raises(InputError, match=r"key animals.*nobody"):
        parse(Simulate, {"animals": ["R", name]})


def test_a_sheet_larger_than_any_is_not_read(tmp_path):
    path = tmp_path / "segments.tsv"
    with path.open("wb") as file:
        file.truncate(2**26 + 1)
    with pytest.raises(InputError, match="64 MiB"):
        read_sheet(path)
