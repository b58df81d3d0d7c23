"""What people answered: read from what they write."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murid import corrections, schemas, tables
from murid.archive.stage import AdoptCorrections
from murid.errors import InputError
from readme_blocks import blocks

HEADER = "cage,segment,frame,x1,y1,x2,y2,tracklet,animal,who,when,remark"
KEY = ("A", "1")


def write(tmp_path, *rows, header=HEADER, name="said.csv"):
    path = tmp_path / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def rows_of(path):
    return corrections.of_segment([path], KEY)


def test_a_row_names_a_box_or_a_tracklet_and_an_animal(tmp_path):
    path = write(
        tmp_path,
        "A,1,40,10.5,20,60.5,45,,R,Ann,2026-01-02 10:00,sure",
        "",
        'A,2,40,10,20,60,45,,G,,,"of two\nlines"',
        'A,1,41,NA,,,,7,Nobody,,,"a shadow, no mouse"',
    )
    rows, wrong = rows_of(path)
    assert wrong == []
    assert [row["number"] for row in rows] == [1, 2]
    assert [row["line"] for row in rows] == [2, 6], "as an editor counts them, the header first"
    assert [rows[0][name] for name in ("frame", *schemas.BOX, "tracklet", "animal")] == [
        40, 10.5, 20.0, 50.0, 25.0, None, "R",
    ]  # fmt: skip
    assert [rows[1][name] for name in ("frame", *schemas.BOX, "tracklet", "animal")] == [
        41, None, None, None, None, 7, schemas.NOBODY,
    ]  # fmt: skip
    assert [rows[0][name] for name in ("who", "when", "remark")] == [
        "Ann", "2026-01-02 10:00", "sure",
    ]  # fmt: skip
    assert rows[1]["remark"] == "a shadow, no mouse"


@pytest.mark.parametrize(
    ("header", "row", "name"),
    [
        ("Cage, SEGMENT ,Animal,Frame,Tracklet", "A,1, R ,3,0", "said.csv"),
        ("cage\tsegment\tanimal\tframe\ttracklet", "A\t1\tR\t3\t0", "said.tsv"),
        ("animal,frame,tracklet", "R,3,0", "said.CSV"),
        ("\ufeffcage,segment,animal,frame,tracklet", "A,1,R,3,0", "said.csv"),
        ("cage,segment,animal,frame,tracklet,mood", "A,1,R,3,0,good", "said.csv"),
    ],
)
def test_columns_may_be_in_any_order_and_written_in_any_way(tmp_path, header, row, name):
    rows, wrong = rows_of(write(tmp_path, row, header=header, name=name))
    assert wrong == []
    assert [(row["frame"], row["tracklet"], row["animal"]) for row in rows] == [(3, 0, "R")]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("A,1,-3,,,,,0,R,,,", "found '-3' in column frame; expected a frame number from 0"),
        ("A,1,,,,,,0,R,,,", "nothing in column frame"),
        ("A,1,3,,,,,,R,,,", "neither box nor tracklet"),
        ("A,1,3,1,2,3,,,R,,,", "nothing in column y2"),
        ("A,1,3,1,2,inf,4,,R,,,", "'inf' in column x2"),
        ('A,1,3,1,2,"3,5",4,,R,,,', "write decimals with a point"),
        ("A,1,3,100,20,60,40,,R,,,", "the box 100, 20, 60, 40; expected x1 < x2 and y1 < y2 (A"),
        ("A,1,3,,,,,0,,,,", "nothing in column animal"),
        ("A,1,3,,,,,0,none,,,", "nothing in column animal"),
    ],
)
def test_a_row_that_makes_no_sense_is_told_and_the_others_stay(tmp_path, row, told):
    path = write(tmp_path, "B,1,x,,,,,0,R,,,", row, "A,1,3,,,,,0,R,,,")
    rows, wrong = rows_of(path)
    assert [(row["number"], row["line"]) for row in rows] == [(2, 4)]
    assert len(wrong) == 1
    assert wrong[0].startswith("line 3 of said.csv: found ")
    assert told in wrong[0]


@pytest.mark.parametrize("column", ["frame", "tracklet"])
@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("1.000", "neither 1,000 nor 1.000 nor 1000.0"),
        ("41.0", "neither 1,000 nor 1.000 nor 1000.0"),
        ("1,000", "neither 1,000 nor 1.000 nor 1000.0"),
        ("1 000", "neither 1,000 nor 1.000 nor 1000.0"),
        ("3.5", "neither 1,000 nor 1.000 nor 1000.0"),
        ("1e3", "neither 1,000 nor 1.000 nor 1000.0"),
        ("1234567890", "at most nine digits"),
        ("-3", "number from 0"),
        ("+3", "number from 0"),
        ("one", "number from 0"),
        ("\u0663", "number from 0"),
    ],
)
def test_what_counts_is_written_in_digits_alone(tmp_path, column, cell, told):
    row = {"cage": "A", "segment": "1", "frame": "3", "tracklet": "0", "animal": "R", column: cell}
    path = tmp_path / "said.csv"
    pd.DataFrame([row]).to_csv(path, index=False)
    rows, wrong = rows_of(path)
    assert rows == []
    assert f"found {cell!r} in column {column}; expected a {column} number from 0" in wrong[0]
    assert told in wrong[0]


def test_of_two_files_of_one_name_reasons_tell_which(tmp_path):
    paths = []
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        paths.append(write(tmp_path / folder, "A,1,3,,,,,0,R,,,", "A,1,x,,,,,0,R,,,"))
    rows, wrong = corrections.of_segment(paths, KEY)
    assert [row["file"] for row in rows] == [*map(str, paths)]
    for path, told in zip(paths, wrong, strict=True):
        assert told.startswith(f"line 3 of {path}: ")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("said.xlsx", "PK", "the suffix '.xlsx'"),
        ("said.csv", "", "an empty file"),
        ("said.csv", "frame;animal;tracklet\n1;R;0\n", "columns separated by ';'"),
        ("said.csv", "cage,segment,frame,x1,y1,x2,y2\nA,1,2,3,4,5,6\n", "a column animal"),
        ("said.csv", "frame,animal,x1,y1,x2\n1,R,1,1,1\n", "x1 y1 x2 y2 of a box, or"),
        ("said.csv", "frame,animal,x,y,w,h\n1,R,1,1,1,1\n", "x2 = x + w, y2 = y + h"),
        ("said.csv", "frame,animal,Left,Top,Width,Height\n", "x2 = x + w, y2 = y + h"),
        ("said.csv", "frames,x,y,w,h\n1,1,1,1,1\n", "a column frame, and a column animal, and x1"),
        ("said.csv", "frames,animal,tracklet\n", "Rename frames (frame?)"),
        ("said.csv", "frame,name,tracklet\n", "Name the columns so, or add them."),
        ("said.csv", "frame\tanimal\ttracklet\n", "Separate columns by commas"),
        ("said.tsv", "frame,animal,tracklet\n1,R,0\n", "columns separated by ','"),
        ("said.tsv", "frame,animal,tracklet\n1,R,0\n", "by tabs, or name the file .csv"),
        ("said.tsv", "frame\tanimal\ttracklet\n1,R,0\n", "by tabs, or name the file .csv"),
        ("said.csv", "frame,animal,tracklet,Frame\n1,R,1,1\n", "the column frame twice"),
        ("said.csv", "frame,animal,tracklet\n1,R\n", "2 cells"),
        ("said.csv", 'frame,animal,tracklet\n1,"R,0\n', "a quote that is not closed"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_told_of_its_segments(tmp_path, name, text, told):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match="said") as refused:
        corrections.read(path)
    assert told in str(refused.value)
    rows, wrong = rows_of(path)
    assert rows == []
    assert told in wrong[0]


@pytest.mark.parametrize(
    "damage",
    [b"B,1,3,,,,,0,G", b"B,1,3,,,,,0,G,,,,", b'B,1,3,,,,,0,G,,,"open', b'"B,1,3,,,,,0,G,,,',
     b"B,1,3,,,,,0,G,M\xfcller,,", b"B,1,3,,,,,0,G,,,\0", b"B;1;3;;;;;0;G;;;"],
)  # fmt: skip
def test_a_torn_row_is_the_fault_of_its_segment_alone(tmp_path, damage):
    path = tmp_path / "said.csv"
    lines = [
        HEADER.encode(),
        b"A,1,3,,,,,0,R,,,",
        damage,
        b"A,1,4,,,,,1,R,,,",
        b'C,1,3,,,,,0,G,,,"x"',
    ]
    path.write_bytes(b"\n".join(lines) + b"\n")
    rows, wrong = rows_of(path)
    assert [row["line"] for row in rows] == [2, 4]
    assert wrong == []
    rows, wrong = corrections.of_segment([path], ("B", "1"))
    assert rows == []
    assert wrong[0].startswith("line 3 of said.csv: found ")
    assert corrections.of_segment([path], ("C", "1"))[1] == []
    file = corrections.read(path)
    others = [line.decode() for line in (lines[1], *lines[3:])]
    sound = corrections.read(write(tmp_path, *others))
    for key in (KEY, ("C", "1")):
        assert corrections.digest(file, key) == corrections.digest(sound, key)
    assert [fault.where for fault in file.faults] == ["line 3"]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        (b"cage,segment,frame,animal,tracklet,rem\xe4rk", b"A,1,3,R,0,me"),
        (b"cage,segment,frame,animal,tracklet", b'M\xfc,1,3,"R,0'),
        (b"cage,segment,frame,animal,tracklet", b"M\xfc,1,3,R"),
    ],
)
def test_what_is_read_of_letters_that_are_not_utf8_can_be_written(tmp_path, header, row):
    path = tmp_path / "said.csv"
    path.write_bytes(b"\n".join([header, row, b"A,1,4,R,0" + b"," * header.count(b"rem"), b""]))
    file = corrections.read(path)
    told = [file.remark, *map(str, file.faults), *file.segments(), *file.written]
    assert "\ufffd" in repr(told)
    for part in told:
        "".join(part).encode()


def test_a_column_that_is_nearly_a_known_one_is_told(tmp_path):
    path = write(tmp_path, "A,1,3,R,0,me", header="cage,segment,frame,animal,tracklet,mood")
    assert corrections.read(path).remark == ""
    path = write(tmp_path, "A,1,3,R,0,me", header="cage,segment,frame,animal,tracklet,remarks")
    assert "remarks (remark?)" in corrections.read(path).remark
    assert "remarks (remark?)" in rows_of(path)[1][0]


texts = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=12)


@st.composite
def said(draw):
    """A row as a program writes it, and what it says."""
    x, y = draw(st.integers(-20, 2_000)), draw(st.integers(-20, 2_000))
    w, h = draw(st.integers(1, 500)), draw(st.integers(1, 500))
    tracklet = draw(st.none() | st.integers(0, 10**6))
    box = draw(st.booleans()) or tracklet is None
    frame, animal = draw(st.integers(0, 10**6)), draw(st.sampled_from(["R", "m-1", "nobody"]))
    row = {
        "cage": draw(st.sampled_from("AB")), "segment": "1", "frame": frame,
        **dict(zip(corrections.CORNERS, (x, y, x + w, y + h) if box else ("",) * 4, strict=True)),
        "tracklet": "" if tracklet is None else tracklet, "animal": animal,
        **{name: draw(texts) for name in corrections.WORDS},
    }  # fmt: skip
    return row, (frame, x if box else None, h if box else None, tracklet, animal)


@given(st.lists(said(), max_size=8), st.permutations(corrections.COLUMNS), st.sampled_from(",\t"))
@settings(max_examples=100)
def test_whatever_is_written_is_read_again(tmp_path_factory, given_rows, order, separator):
    from murid.spreadsheets import as_text

    suffix = ".csv" if separator == "," else ".tsv"
    path = tmp_path_factory.mktemp("said") / f"said{suffix}"
    table = pd.DataFrame([row for row, _ in given_rows], columns=order)
    for name in corrections.WORDS:
        table[name] = [as_text(cell) for cell in table[name]]
    table.to_csv(path, index=False, sep=separator)
    rows, wrong = rows_of(path)
    assert wrong == []
    own = [(row, says) for row, says in given_rows if row["cage"] == "A"]
    names = ("frame", "x", "h", "tracklet", "animal")
    assert [tuple(row[name] for name in names) for row in rows] == [says for _, says in own]
    for read, (row, _) in zip(rows, own, strict=True):
        assert read["remark"] == row["remark"]


def test_what_is_said_of_other_segments_changes_no_digest(tmp_path):
    mine = "A,1,3,,,,,0,R,,,"
    one = corrections.read(write(tmp_path, mine))
    more = corrections.read(write(tmp_path, "B,1,9,,,,,0,R,,,", "", mine))
    other = corrections.read(write(tmp_path, "A,1,3,,,,,0,G,,,"))
    assert corrections.digest(one, KEY) == corrections.digest(more, KEY)
    assert corrections.digest(one, KEY) != corrections.digest(other, KEY)


def test_the_stage_writes_what_makes_sense_and_tells_the_rest(tmp_path):
    path = write(tmp_path, "A,1,3,1,2,5,9,,R,me,now,=1+1", "A,1,x,,,,,0,R,,,")
    output = tmp_path / "corrections.parquet"
    gone = tmp_path / "gone.csv"
    AdoptCorrections(cage="A", segment="1", files=(path, gone), output=output).run()
    table = tables.read(output, "corrections")
    row = table.iloc[0][["frame", "w", "h", "animal", "remark"]].tolist()
    assert (len(table), row) == (1, [3, 4, 7, "R", "=1+1"])
    verdict = tables.read_verdict(output)
    assert verdict.status == "repaired"
    assert "line 3 of said.csv: found 'x' in column frame" in verdict.reason
    assert "gone.csv: found no file" in verdict.reason


def test_of_many_wrong_rows_the_first_are_told_and_the_others_counted(tmp_path):
    path = write(tmp_path, *["A,1,x,,,,,0,R,,,"] * 30)
    output = tmp_path / "corrections.parquet"
    AdoptCorrections(cage="A", segment="1", files=(path,), output=output).run()
    reason = tables.read_verdict(output).reason
    assert reason.count("column frame") == corrections.MOST_TOLD
    assert reason.endswith("and 20 more corrections")


def test_the_example_of_the_readme_is_sound(root, tmp_path):
    (block,) = [
        block
        for block in blocks((root / "config" / "README.md").read_text())["Corrections"]
        if block.startswith("cage")
    ]
    (tmp_path / "corrections.csv").write_text(block)
    rows, wrong = rows_of(tmp_path / "corrections.csv")
    assert wrong == []
    assert [row["animal"] for row in rows] == ["R", "nobody", "G"]
