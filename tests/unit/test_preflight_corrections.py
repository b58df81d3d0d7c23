"""What is told of corrections before anything runs."""

from pathlib import Path

import pytest

from planned_archive import HEADER, ROWS, make, told


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make(tmp_path / "archive")


def test_what_people_said_that_nobody_would_hear_is_told(archive: Path) -> None:
    said = archive / "said.csv"
    said.write_text("cage,segment,frame,tracklet,animal,remarks\nA,1,3,0,R,\nA,9,3,0,R,\n")
    found = told(archive, corrections=str(said))
    assert any("1 segment is not in the sheet (A 9 in line 3)" in line for line in found)
    assert any("remarks (remark?) not known" in line for line in found)
    said.write_text("cage,segment,frame,tracklet,animal\nA,1,3,0,R\n")
    assert told(archive, corrections=str(said)) == []
    for methods, heard in ((["ilp"], False), (["ilp", "path"], True)):
        others = {"methods": methods, "default": "ilp"}
        found = told(archive, corrections=str(said), identify=others)
        assert any("no method obeys those of 1 segment (A 1)" in line for line in found) != heard
    # Without annotations, the default is all that runs.
    said.write_text("cage,segment,frame,tracklet,animal\nA,2,3,0,R\n")
    found = told(archive, corrections=str(said), identify=others)
    assert any("no method obeys those of 1 segment (A 2)" in line for line in found)


def test_corrections_that_the_sheet_names_and_nobody_finds_are_told(archive: Path) -> None:
    name_corrections(archive, "said.csv", "", "")
    (line,) = told(archive)
    assert line == f"warning: corrections: the file {archive}/said.csv is not there"


def name_corrections(archive: Path, *names: str) -> None:
    """Let the sheet name files of corrections, one a segment."""
    rows = [f"{row}\t{name}" for row, name in zip(ROWS, names, strict=True)]
    (archive / "segments.tsv").write_text("\n".join([f"{HEADER}\tcorrections", *rows]) + "\n")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("cage,segment,frame,tracklet,animal\nB,7,3,0,R\n", "B 7"),
        ("cage,segment,frame,tracklet,animal\nA,1,3,0,R\na,1,3,0,R\nB,7,3,0,R\n", "a 1, B 7"),
        ("Segment,frame,tracklet,animal\n7,3,0,R\n", "7"),
        ("cage,frame,tracklet,animal\nB,3,0,R\n", "B"),
    ],
)
def test_what_a_file_of_the_sheet_says_of_other_segments_is_told(
    archive: Path, text: str, other: str
) -> None:
    name_corrections(archive, "said.csv", "", "")
    (archive / "said.csv").write_text(text)
    (line,) = told(archive)
    assert line == (
        f"warning: {archive}/said.csv: the sheet names these corrections for A 1, and what they "
        f"say of {other} is not heard. Mend the columns cage and segment, or the sheet"
    )


def test_files_of_the_sheet_whose_rows_are_all_heard_are_not_told(archive: Path) -> None:
    # One file of two segments, about one of which nobody was asked; and one without rows.
    name_corrections(archive, "said.csv", "said.csv", "none.csv")
    columns = "cage,segment,frame,tracklet,animal\n"
    (archive / "said.csv").write_text(f"{columns}A,1,3,0,R\n")
    (archive / "none.csv").write_text(columns)
    assert told(archive) == []
