"""``murid sheet --update``: new recordings come to a sheet that is there."""

import csv

import pytest

from listed_folder import USUAL, make, make_lab, refused, rows, run, told


@pytest.fixture
def archive(tmp_path):
    return make_lab(tmp_path / "archive")


SHEET = (
    "\ufeff# ours\r\nsegment \tcage\tvideo\treadings\tstart\tfps\tsplit\r\n\r\n"
    "old\tC1\t./2026-03-27/C1_220000.mp4\ta.csv\t2026-03-27 22:00\t 12.50\tTrain  \r\n"
    "# 20260327T223000\tC1\t2026-03-27/C1_223000.mp4\tmouse fell ill\t\t\t\r\n"
    '"x"\tC1\t"2026-03-27/C1_230000.mp4"\ta.csv\t2026-03-27 23:00\t\t\r\n'
)
"""A sheet as somebody keeps it by hand."""


@pytest.mark.parametrize("ending", ["", "\r\n", "\r\n\r\n# end\r\n"])
@pytest.mark.parametrize("line", ["\n", "\r\n", "\r"])
def test_an_update_leaves_what_was_there_byte_for_byte(archive, ending, line):
    path = archive / "segments.tsv"
    before = (SHEET.removesuffix("\r\n") + ending).replace("\r\n", line).encode()
    path.write_bytes(before)
    said = run(archive, *USUAL, "--update")
    after = path.read_bytes()
    assert after.startswith(before)
    assert "added 9 segments of 2 cages" in said
    assert "since the sheet names them in a comment: 1 (2026-03-27/C1_223000.mp4)" in said
    new = after[len(before) :].decode()
    assert new.count(line) == 9 + (not ending)
    assert not {"\r", "\n"} - {*line} & {*new}
    rows_ = list(csv.reader(new.splitlines(), delimiter="\t"))
    assert rows_[not ending][:3] == ["20260327T233000", "C1", "2026-03-27/C1_233000.mp4"]
    assert rows_[not ending][5:] == ["", ""]
    sheet = rows(archive)
    assert sheet["C1", "old"].fps == 12.5
    assert len(sheet) == 11
    assert "nothing new" in run(archive, *USUAL, "--update")
    assert path.read_bytes() == after


def test_an_update_needs_a_header_with_all_columns_of_the_new_rows(archive):
    path = archive / "segments.tsv"
    text = "cage\tsegment\tpositions\tvideo\nC9\t1\tp.csv\tv.mp4\n"
    path.write_text(text)
    found = refused(archive, *USUAL, "--update", "--fps", "30")
    assert "found a header without readings, fps, start; expected all columns" in found
    assert path.read_text() == text


def test_an_update_where_there_is_no_sheet_writes_one(archive):
    assert "wrote" in run(archive, *USUAL, "--update")


def test_a_sheet_that_is_there_is_not_written_over(archive):
    run(archive, *USUAL)
    before = (archive / "segments.tsv").read_bytes()
    assert "a sheet that is there already" in refused(archive, *USUAL)
    assert (archive / "segments.tsv").read_bytes() == before


def test_a_segment_that_the_sheet_has_by_another_video_is_told(archive):
    path = archive / "segments.tsv"
    path.write_text(
        "cage\tsegment\treadings\tvideo\tstart\n"
        "C1\t20260327T220000\ta.csv\tmoved/v.mp4\t2026-03-27 22:00\n"
    )
    said = run(archive, *USUAL, "--update")
    line = told(said, "recordings left out, since the sheet has another one of a segment")
    assert "1 (2026-03-27/C1_220000.mp4: C1 20260327T220000)" in line
    assert rows(archive)["C1", "20260327T220000"].video == "moved/v.mp4"


def test_new_recordings_that_overlap_listed_ones_are_told(archive):
    run(archive, *USUAL)
    make(archive, "2026-03-27/C1_221500.mp4")
    said = run(archive, *USUAL, "--update", "--segment-length", "20min")
    assert "C1 20260327T221500: starts before 20260327T220000 has ended" in said
