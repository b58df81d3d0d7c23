"""Positions and detections in CSV, Parquet and pickled frames."""

import bz2
import gzip
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marked_points import read_points
from murid import schemas, tables
from murid.archive import annotations, detections, positions
from murid.archive.stage import ImportPositions
from murid.errors import InputError
from murid.tables import Verdict

WIDE = "frame,R,G\n0,1,2\n1,,2\n2,0,18\n"
LONG = "animal,frame,antenna\nR,2,0\nG,2,18\nR,0,1\nG,0,2\nR,1,\nG,1,2\n"
BOXES = "frame,x,y,w,h,score\n0,1,2,3,4,0.5\n2,5,6,7,8,0.9\n0,9,10,11,12,0.75\n"


def write(tmp_path, text, name="file.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


def readings(path):
    table = positions.read(path).table
    return table[["frame", "animal", "antenna"]].astype(object).where(table.notna(), None)


@pytest.fixture(params=["wide", "long", "capitals", "bom", "df", "unnamed index", "parquet"])
def same_positions(request, tmp_path):
    """The same readings in every form that they may come in."""
    if request.param == "wide":
        return write(tmp_path, WIDE)
    if request.param == "long":
        return write(tmp_path, LONG)
    if request.param == "capitals":
        return write(tmp_path, WIDE.replace("frame", " Frame ").replace(",18", ", 18.0 "))
    if request.param == "bom":
        return write(tmp_path, WIDE.replace("\n", "\r\n") + "\r\n\r\n", encoding="utf-8-sig")
    wide = pd.DataFrame({"R": [1, None, 0], "G": [2, 2, 18]})
    if request.param != "unnamed index":
        wide.index.name = "Frame"
    if request.param == "parquet":
        wide.to_parquet(tmp_path / "Positions.parquet")
        return tmp_path / "Positions.parquet"
    wide.to_pickle(tmp_path / "Positions.df", compression="bz2")
    return tmp_path / "Positions.df"


def test_every_form_of_positions_gives_the_same_readings(same_positions):
    found = readings(same_positions)
    assert found["frame"].tolist() == [0, 0, 1, 1, 2, 2]
    by_animal = dict(iter(found.groupby("animal")["antenna"]))
    assert by_animal["R"].tolist() == [1, None, None]
    assert by_animal["G"].tolist() == [2, 2, 18]


def test_positions_are_a_valid_table(same_positions):
    table = positions.as_table(positions.read(same_positions).table)
    pd.testing.assert_frame_equal(table, tables.conform(table, "positions"))
    assert not table["filled"].any()


def test_readings_that_were_filled_stay_marked(tmp_path):
    table = positions.as_table(positions.read(write(tmp_path, WIDE)).table)
    table.loc[2, ["antenna", "filled"]] = [1, True]
    tables.write(table, tmp_path / "p.parquet", "positions")
    assert (
        positions.read(tmp_path / "p.parquet").table["filled"].tolist() == table["filled"].tolist()
    )


def test_numbers_outside_any_grid_are_read_as_they_are_found(tmp_path):
    path = write(tmp_path, "frame,R\n0,-1\n1,99\n")
    assert positions.read(path).table["antenna"].tolist() == [-1, 99]
    assert positions.as_table(positions.read(path).table)["antenna"].isna().tolist() == [
        True,
        False,
    ]


@pytest.mark.parametrize("name", ["H", "X", "score", "Filled2"])
def test_an_animal_may_have_the_name_of_a_column_elsewhere(tmp_path, name):
    assert positions.read(write(tmp_path, f"frame,{name}\n0,1\n")).table["animal"].tolist() == [
        name
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ["an empty file (0 bytes)"]),
        ('frame,R\n0,"1\n', ["line 2", "a quote that is not closed"]),
        ("R,G\n1,2\n", ["column frame", "R, G"]),
        ("frame;R\n0;1\n", ["line 1", "columns separated by ';' ('frame;R')", "by commas"]),
        ("frame\n0\n", ["no column but frame"]),
        ("frame,R\n0,1\n0,2\n", ["line 3", "frame 0 a second time"]),
        ("frame,animal,antenna\n1,R,1\n1,G,1\n1,R,2\n", ["line 4", "frame 1 of R a second time"]),
        ("frame,R,R\n0,1,2\n", ["the column R twice"]),
        ("frame,R,\n0,1,2\n", ["a column without a name"]),
        ("frame,R\n0,1\n\n1,one\n", ["line 4, column R", "'one'"]),
        ("frame,R\n0,1.5\n", ["line 2, column R", "whole number"]),
        ("frame,R\n0,1e300\n", ["line 2, column R", "whole number"]),
        ("frame,R\n-1,1\n", ["line 2, column frame", "from 0"]),
        ("frame,R\n,1\n", ["line 2, column frame", "nothing"]),
        ("frame,R\n0,1,2\n", ["line 2", "3 cells", "2, as the header", "decimals"]),
        ("frame,R,G\n0,1,2\n1,1\n", ["line 3", "2 cells", "3, as the header", "cut short"]),
        ("frame,R\n0,1\n,,\n", ["line 3", "3 cells"]),
        (
            'frame,R,G\n0,1,2\n1,"1,2\n2,1,2\n',
            ["line 3", "a quote that is not closed before line 4"],
        ),
        ('frame,R\n0,1\n1,"1\n' + "2,1\n" * 99 + '3,1"\n', ["line 3", "not closed before line"]),
        ("frame,R,G\n0;1;2\n", ["line 2", "columns separated by ';' ('0;1;2')", "by commas"]),
        ("frame,R,G\n0,1,2\n\x1a", ["line 3", "1 cells", "control character '\\x1a'", "Remove it"]),
        ("frame,R,G\n0,1,2\n1,1\x85", ["line 3", "the control character '\\x85'"]),
        ("frame,animal,antenna\n0,R,1\n1,R,1\n2,r,1\n", ["R (2 rows) and r (1)", "one spelling"]),
        ("frame,R,r\n0,1,2\n", ["the animals R (1 rows) and r (1)", "sheet's column animals"]),
        ("# made by x\nframe,R\n0,1\n", ["line 1", "the comment '# made by x'", "Remove"]),
        ("\nframe,R\n0,1\n", ["line 1", "found nothing", "must name the columns"]),
        ("frame\tR\n0\t1\n", ["line 1", "columns separated by '\\t'", "by commas"]),
        ("frame,a mouse\n0,1\n", ["'a mouse'"]),
        ("frame,tunnel\n0,1\n", ["'tunnel'"]),
        ("frame,animal,antenna,filled\n0,R,1,No\n1,R,1,so\n", ["line 3, column filled", "'so'"]),
        ("frame,animal,antenna\n0,,1\n", ["called ''"]),
    ],
)
def test_errors_in_positions_name_file_and_row(tmp_path, text, named):
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        positions.read(path)
    for words in (str(path), *named):
        assert words in str(caught.value)


def test_animals_may_differ_in_capitals_if_the_sheet_names_both(tmp_path):
    found, _ = positions.read(write(tmp_path, "frame,R,r\n0,1,2\n"), ["R", "r"])
    assert found["animal"].tolist() == ["R", "r"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (gzip.compress(b"frame,R\n0,1\n"), "packed with gzip; .* Unpack it"),
        (bz2.compress(b"frame,R\n0,1\n"), "packed with bzip2; .* Unpack it"),
        ("frame,R\n0,1\n".encode("utf-16"), "text in UTF-16; .* Save it in UTF-8"),
        ("frame,R\n0,1\n".encode("utf-16-le"), "zero bytes, as of text in UTF-16"),
        ("frame,Zoë\n0,1\n".encode("latin-1"), "not UTF-8 .* Save it in UTF-8"),
        (b"PK\x03\x04 and so on", "a zip archive, as workbooks of Excel are"),
        (b"PAR1 and so on", "a Parquet file; .* Name it .parquet"),
    ],
    ids=["gzip", "bzip2", "utf-16", "utf-16 unmarked", "latin-1", "zip", "parquet"],
)
@pytest.mark.parametrize("reader", [positions.read, annotations.read, read_points])
def test_what_is_no_text_under_its_name_is_told_in_words(tmp_path, content, told, reader):
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        reader(path)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.df"])
@pytest.mark.parametrize("reader", [positions.read, detections.read])
def test_missing_and_damaged_files_are_told(tmp_path, reader, name):
    with pytest.raises(InputError, match="no file"):
        reader(tmp_path / name)
    (tmp_path / name).write_bytes(b"PAR1\xff\x00 nonsense")
    with pytest.raises(InputError, match=name):
        reader(tmp_path / name)


def test_an_unknown_suffix_is_told(tmp_path):
    with pytest.raises(InputError, match=r"\.xlsx"):
        positions.read(write(tmp_path, WIDE, "file.xlsx"))


@given(
    st.lists(
        st.lists(st.none() | st.integers(0, 20), min_size=2, max_size=2), min_size=1, max_size=6
    )
)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_long_and_wide_say_the_same(tmp_path, rows):
    text = {None: ""}
    wide = "".join(
        f"{n},{','.join(text.get(c, str(c)) for c in row)}\n" for n, row in enumerate(rows)
    )
    long = "".join(
        f"{n},{animal},{text.get(cell, cell)}\n"
        for n, row in enumerate(rows)
        for animal, cell in zip("RG", row, strict=True)
    )
    first = positions.read(write(tmp_path, "frame,R,G\n" + wide)).table
    second = positions.read(write(tmp_path, "frame,animal,antenna\n" + long)).table
    pd.testing.assert_frame_equal(first, second)


def tide_detections():
    return pd.DataFrame(
        [[1.0, 2.0, 3.0, 4.0, 0.5], [9.0, 10.0, 11.0, 12.0, 0.75], [5.0, 6.0, 7.0, 8.0, 0.9]],
        columns=pd.MultiIndex.from_tuples(
            [*(("Det.BB", side) for side in "XYWH"), ("Det.Score", "")]
        ),
        index=pd.MultiIndex.from_tuples(
            [(0, "A"), (0, "B"), (2, "A")], names=["Frame", "Detection"]
        ),
    )


@pytest.fixture(params=["csv", "df", "parquet", "label"])
def same_detections(request, tmp_path):
    """The same detections in every form that they may come in."""
    if request.param == "csv":
        return write(tmp_path, BOXES)
    if request.param == "label":
        rows = BOXES.splitlines()
        return write(
            tmp_path, "\n".join([f"{rows[0]},Label", *(f"{row}, Mouse" for row in rows[1:])])
        )
    if request.param == "df":
        tide_detections().to_pickle(tmp_path / "Detections.df", compression="bz2")
        return tmp_path / "Detections.df"
    pd.read_csv(write(tmp_path, BOXES)).to_parquet(tmp_path / "d.parquet")
    return tmp_path / "d.parquet"


def test_every_form_of_detections_gives_the_same_table(same_detections):
    table = detections.as_table(detections.read(same_detections).table)
    assert table["frame"].tolist() == [0, 0, 2]
    assert table["detection"].tolist() == [0, 1, 0]
    assert table["score"].tolist() == [0.75, 0.5, np.float32(0.9)]
    assert table["x"].tolist() == [9, 1, 5]
    assert table["label"].tolist() == ["mouse"] * 3


def test_tunnels_are_told_from_mice(tmp_path):
    path = write(tmp_path, "frame,x,y,w,h,score,label\n0,1,1,1,1,1,tunnel\n0,1,1,1,1,0.5,mouse\n")
    assert detections.read(path).table["label"].tolist() == ["tunnel", "mouse"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (BOXES.replace("score", "confidence"), ["column score", "confidence"]),
        (BOXES.replace("0.75", "75"), ["line 4, column score", "from 0 to 1"]),
        (BOXES.replace("0.9", "high"), ["line 3, column score", "'high'"]),
        (BOXES.replace("0,1,", "0,left,"), ["line 2, column x", "'left'"]),
        (
            BOXES.replace("\n", ",\n").replace("score,", "score,label").replace("0.5,", "0.5,rat"),
            ["line 2", "rat"],
        ),
        *(
            (
                BOXES.replace("score", f"score,{name}")
                .replace("0.5\n", f"0.5,{value}\n")
                .replace("0.9\n", f"0.9,{other}\n")
                .replace("0.75\n", f"0.75,{value}\n"),
                [f"column {name}", f"no column label, but {name} with {value}", "Rename"],
            )
            for name, value, other in [
                ("class", "mouse", "tunnel"),
                ("Category", "0", "1"),
                ("name", "tunnel", "tunnel"),
            ]
        ),
    ],
)
def test_errors_in_detections_name_file_and_row(tmp_path, text, named):
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        detections.read(path)
    for words in (str(path), *named):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "cells", "told"),
    [
        ("class", "mouse", ""),
        ("lable,area", "mouse,2", "lable (label?) not known, and passed over"),
        ("name,track_id", "Anna,7", ""),
        ("detection,label", "0,mouse", ""),
    ],
)
def test_columns_that_are_nearly_known_are_told_by_name(tmp_path, columns, cells, told):
    rows = BOXES.replace("score", f"score,{columns}").replace("\n", f",{cells}\n")
    path = write(tmp_path, rows.replace(f"{columns},{cells}", columns))
    found, verdict = detections.read(path)
    assert len(found) == 3
    assert verdict == (Verdict("repaired", f"file.csv: {told}") if told else Verdict())


def test_further_columns_of_a_long_trace_are_told_by_name(tmp_path):
    path = write(tmp_path, "frame,animal,antenna,fill\n0,R,1,0\n1,R,1,1\n")
    told = "file.csv: fill (filled?) not known, and passed over"
    assert positions.read(path).verdict == Verdict("repaired", told)


def test_however_many_columns_of_pixels_beside_the_readings_are_left_out(tmp_path):
    lines = WIDE.splitlines()
    names = ",".join(f"x{number}" for number in range(100))
    pixels = ",".join(f"{number}.25" for number in range(100))
    rows = [f"{lines[0]},{names}", *(f"{line},{pixels}" for line in lines[1:])]
    path = write(tmp_path, "\n".join(rows))
    expected = readings(write(tmp_path, WIDE, "few.csv"))
    pd.testing.assert_frame_equal(readings(path), expected)
    assert "x99" in positions.read(path).verdict.reason


def test_a_blank_score_is_one_that_nobody_estimated(tmp_path):
    found = detections.read(write(tmp_path, BOXES.replace("0.9", ""))).table
    assert found["score"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("suffix", ["csv", "txt", "json"])
def test_a_box_that_stands_twice_in_its_frame_counts_once_and_that_is_told(tmp_path, suffix):
    """Frame 3 again, as where files were joined; an animal of frame 4 is where it was."""
    boxes = [
        (3, 1, 2, 30, 40, 0.5),
        (3, 1, 2, 30, 41, 0.5),
        (3, 1, 2, 30, 40, 0.8),
        (4, 1, 2, 30, 40, 0.5),
    ]
    path = tmp_path / f"d.{suffix}"
    if suffix == "csv":
        rows = [",".join(map(str, row)) for row in boxes]
        path.write_text("\n".join(["frame,x,y,w,h,score", *rows]))
    elif suffix == "txt":
        rows = [",".join(map(str, (frame + 1, -1, *rest))) for frame, *rest in boxes]
        path.write_text("\n".join(rows))
    else:
        entries = [
            {"image_id": frame, "category_id": 1, "bbox": box, "score": score}
            for frame, *box, score in boxes
        ]
        path.write_text(json.dumps(entries))
    read, verdict = detections.read(path)
    assert read[["frame", "h", "score"]].to_numpy().tolist() == [
        [3, 41, 0.5],
        [3, 40, 0.8],
        [4, 40, 0.5],
    ]
    assert verdict.status == "repaired"
    assert "1 boxes stand a second time in their frame (the first in frame 3)" in verdict.reason


def test_percent_for_scores_are_refused_with_what_to_do(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("frame,x,y,w,h,score\n0,1,2,30,40,95\n")
    with pytest.raises(InputError, match=r"line 2, column score: found the score 95; .* by 100"):
        detections.read(path)


def test_boxes_without_area_are_told_apart_and_refused_as_a_table(tmp_path):
    rows = ["0,1,1,0,5,1", "1,1,1,5,-2,1", "2,nan,1,5,5,1", "3,1,1,5,5,1", "4,1,1,1e-60,5,1"]
    found = detections.read(write(tmp_path, "\n".join(["frame,x,y,w,h,score", *rows]))).table
    assert detections.have_area(found).tolist() == [False, False, False, True, False]
    for row in (0, 1, 2, 4):
        with pytest.raises(InputError):
            detections.as_table(found.iloc[[row]])


def test_a_crowd_beyond_counting_is_refused():
    crowd = pd.DataFrame({"frame": 7, "label": "mouse", "score": np.linspace(0, 1, 129)})
    crowd[schemas.BOX] = 1.0
    with pytest.raises(InputError, match="frame 7"):
        detections.as_table(crowd)


def test_converting_a_table_keeps_its_verdict(tmp_path):
    verdict = Verdict("repaired", "three readings filled")
    table = positions.as_table(positions.read(write(tmp_path, WIDE)).table)
    tables.write(table, tmp_path / "a.parquet", "positions", verdict)
    ImportPositions(file=tmp_path / "a.parquet", output=tmp_path / "b.parquet").run()
    assert tables.read_verdict(tmp_path / "b.parquet") == verdict
    pd.testing.assert_frame_equal(tables.read(tmp_path / "b.parquet", "positions"), table)


def test_boxes_are_no_positions(tmp_path):
    path = write(tmp_path, "frame,x,y,w,h\n0,1,2,3,4\n")
    with pytest.raises(InputError, match=r"file\.csv: found a table of boxes; expected antenna"):
        positions.read(path)
