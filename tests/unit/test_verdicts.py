"""What became of all segments, listed and told by whatever makes no report."""

import csv

import pytest
from click.testing import CliRunner

from murid import tables
from murid.cli import cli
from murid.errors import InputError
from murid.run import record
from murid.sheet import Segment, write_sheet
from murid.verdicts import told

VERDICTS = {
    "1": tables.Verdict(),
    "2": tables.Verdict("repaired", "3 readings filled"),
    "3": tables.Verdict("discarded", "24 of 300 readings are missing (frames of G: 26-49)"),
    "4": tables.Verdict("discarded", "9 of 100 readings are missing (frames of R: 1-9)"),
    "5": tables.Verdict("discarded", "=1+1, where numbers are expected"),
    "6": tables.Verdict("failed", "track failed: out of memory"),
}


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    for name, verdict in VERDICTS.items():
        path = folder / "segments/A" / name / "identities/path.parquet"
        path.parent.mkdir(parents=True)
        tables.write(tables.empty("identities"), path, "identities", verdict)
    sheet = tmp_path / "segments.tsv"
    write_sheet(
        sheet, [Segment("A", name, video="v.mp4", positions=f"{name}.csv") for name in VERDICTS]
    )
    record.write(folder, tmp_path, sheet, "path")
    return folder


def listed(results):
    path = results / "segments.csv"
    command = ["verdicts", str(results), "--output", str(path)]
    assert CliRunner().invoke(cli, command, catch_exceptions=False).exit_code == 0
    return path


def test_every_segment_of_the_sheet_is_listed_with_its_verdict_and_where_its_names_are(results):
    with listed(results).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["segment"] for row in rows] == list(VERDICTS)
    assert [row["status"] for row in rows] == [verdict.status for verdict in VERDICTS.values()]
    # What a spreadsheet would take for a formula is text.
    assert rows[4]["reason"] == "'" + VERDICTS["5"].reason
    for row in rows[:2]:
        assert tables.read_verdict(results / row["identities"]).status == row["status"]
    # What names nobody has no table to look for.
    assert [row["identities"] for row in rows[2:]] == [""] * 4


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_table_that_cannot_be_read_is_a_segment_that_failed(results, damage):
    path = results / "segments/A/1/identities/path.parquet"
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:50])
    else:
        path.unlink()
    with listed(results).open(newline="") as file:
        row = next(csv.DictReader(file))
    assert row["status"] == "failed"
    assert str(path) in row["reason"]


def test_a_folder_that_is_of_no_run_is_refused(tmp_path):
    with pytest.raises(InputError, match="the folder of results of a run"):
        listed(tmp_path)


def test_a_few_lines_tell_how_many_are_named_and_why_others_are_not(results):
    lines = list(told.lines(listed(results), "results", "path"))
    assert lines[:5] == [
        "6 segments: 2 named (1 of them repaired), 3 discarded, 1 failed",
        "  1 failed: track failed: out of memory",
        "  2 discarded, such as: 24 of 300 readings are missing (frames of G: 26-49)",
        "  1 discarded: '=1+1, where numbers are expected",
        "  1 repaired: 3 readings filled",
    ]
    assert lines[5].endswith(f"in full: {results}/segments.csv")
    assert "results/segments/CAGE/SEGMENT/identities/path.parquet" in lines[6]
    assert 'pandas.read_parquet("path.parquet")' in lines[6]


def test_what_many_segments_have_takes_no_more_lines(tmp_path):
    path = tmp_path / "segments.csv"
    rows = [f"A,{n},discarded,kind {'abcdefgh'[n % 8]} of {n} things\n" for n in range(800)]
    path.write_text("cage,segment,status,reason\n" + "".join(rows))
    lines = list(told.lines(path, "results", "path"))
    assert lines[0] == "800 segments: 0 named, 800 discarded"
    assert lines[-2] == "  500 discarded for other reasons"
    assert len(lines) == 6
    assert not any("identities" in line for line in lines)


def test_nothing_is_told_of_what_is_no_list(tmp_path):
    assert list(told.lines(tmp_path / "segments.csv", "results", "path")) == []
