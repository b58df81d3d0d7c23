"""What is told of antenna logs, wearers of tags, and starts before anything runs."""

import dataclasses
from pathlib import Path

import pytest

from murid.run import plan
from murid.run.findings_of_logs import of_logs
from murid.run.findings_of_starts import of_starts
from murid.run.plan import Plan
from murid.settings import Settings
from murid.sheet import Segment
from planned_archive import make, told


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make(tmp_path / "archive")


def test_what_antenna_logs_lack_is_told() -> None:
    """Who lives where, at what rate was filmed, and tables that nobody asks for."""
    logged = {
        (cage, "1"): Segment(
            cage, "1", video="v.mp4", readings=("log.csv",), start="2026-01-01 10:00",
            fps_assumed=True,
        )
        for cage in "AB"
    }  # fmt: skip
    shared = [*of_logs(Plan(Settings(archive="."), logged))]
    assert [finding.fatal for finding in shared].count(True) == 1
    told = " ".join(finding.text for finding in shared)
    for text in ("1 of 1 antenna logs are not there", "tags are taken for their names",
                 "1 log serves several cages", "2 segments with logs have none"):  # fmt: skip
        assert text in told
    alone = {("A", "1"): dataclasses.replace(logged["A", "1"], animals=("R",), fps_assumed=False)}
    (missing,) = of_logs(Plan(Settings(archive="."), alone))
    assert "are not there" in missing.text
    placed = Settings(archive=".", grid={"places": [[10, 20], [300, 40]]})
    unnamed = [finding for finding in of_logs(Plan(placed, alone)) if finding.fatal]
    assert ["nothing tells what logs call them" in finding.text for finding in unnamed] == [True]


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([[0, 0], [1, 0.5], [0.25, 1]], "within 1 pixel of each other"),
        ([[0.1, 0.1], [0.2, 0.1]], "within 1 pixel of each other"),
        ([[500, 300], [501.5, 301]], "within 2 pixels of each other"),
        ([[500, 300], [502.5, 300]], ""),
        ([[0, 0], [0.5, 700]], ""),
    ],
)
def test_antennas_in_one_place_are_told(
    archive: Path, places: list[list[float]], words: str
) -> None:
    table = archive / "antennas.csv"
    rows = [f"{number},{x},{y}" for number, (x, y) in enumerate(places)]
    table.write_text("\n".join(["antenna,x,y", *rows]) + "\n")
    for given in ({"antennas": str(table)}, {"grid": {"places": places}}):
        found = [line for line in told(archive, **given) if "of each other" in line]
        assert len(found) == bool(words)
        if found:
            assert found[0].startswith(f"warning: {given.get('antennas', 'grid.places')}: all")
            assert words in found[0]
            assert "are these shares" in found[0]


def test_what_the_table_of_animals_says_against_itself_is_told_and_stops_nothing(
    tmp_path: Path,
) -> None:
    table, log = tmp_path / "animals.tsv", tmp_path / "log.csv"
    table.write_text("cage\tanimal\ttag\nA\tR\tff1\nA\tG\tFF1\nB\tR\t2\nB\tr\t3\nC\tR\t4\n")
    log.touch()
    rows = {(cage, "1"): Segment(cage, "1", readings=("log.csv",)) for cage in "ABC"}
    made = Plan(Settings(archive=str(tmp_path), animals=str(table)), rows)
    (finding,) = of_logs(made)
    assert not finding.fatal
    for text in ("line 3", "the tag FF1", "line 5", "the animal r", "cages A, B are discarded"):
        assert text in finding.text


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("B\tG\t", ["line 3: found '' in column tag", "Segments of the cages B are discarded"]),
        ("B/\tG\t3", ["line 3: found 'B/' in column cage", "lacks in the cage that it lives in"]),
    ],
)
def test_a_row_of_the_table_of_animals_that_cannot_be_read_is_told_and_stops_nothing(
    tmp_path: Path, row: str, told: list[str]
) -> None:
    table, log = tmp_path / "animals.tsv", tmp_path / "log.csv"
    table.write_text(f"cage\tanimal\ttag\nA\tR\t1\n{row}\nB\tR\t2\n")
    log.write_text("")
    rows = {(cage, "1"): Segment(cage, "1", readings=("log.csv",)) for cage in "AB"}
    made = Plan(Settings(archive=str(tmp_path), animals=str(table)), rows)
    (finding,) = of_logs(made)
    assert not finding.fatal
    assert finding.text.startswith(f"{table}, {told[0]}")
    assert told[1] in finding.text


@pytest.mark.parametrize("any_cage", [False, True])
def test_cages_without_antennas_and_antennas_without_cages_are_told(
    tmp_path: Path, any_cage: bool
) -> None:
    table, log = tmp_path / "antennas.csv", tmp_path / "log.csv"
    last = "door,,1,3\n" * any_cage
    table.write_text(f"antenna,cage,row,column\n1_1,A,1,1\n2_1,b,1,1\n{last}")
    log.touch()
    rows = {(cage, "1"): Segment(cage, "1", readings=("log.csv",), animals=("R",)) for cage in "AB"}
    made = Plan(Settings(archive=str(tmp_path), antennas=str(table)), rows)
    told = [each.text for each in of_logs(made) if each.text.startswith(str(table))]
    assert all(not each.fatal for each in of_logs(made) if each.text in told)
    assert [f"{table}: no antenna is of the cages B, of" in text for text in told] == [
        *[True] * (not any_cage), False
    ]  # fmt: skip
    assert told[-1].endswith("antennas of cages that the sheet lacks (b in line 3)")


def test_cages_of_the_table_of_animals_that_the_sheet_lacks_are_told(tmp_path: Path) -> None:
    table, log = tmp_path / "animals.tsv", tmp_path / "log.csv"
    table.write_text("cage\tanimal\ttag\nA\tR\t1\nA1\tG\t2\na\tB\t3\nB\tR\t4\n")
    log.touch()
    rows = {(cage, "1"): Segment(cage, "1", readings=("log.csv",)) for cage in "AB"}
    made = Plan(Settings(archive=str(tmp_path), animals=str(table)), rows)
    told = [finding.text for finding in of_logs(made) if "the sheet has no segment" in finding.text]
    (text,) = told
    assert "A1 in line 3, a in line 4" in text


def test_starts_that_tell_no_moment_or_the_same_are_told(archive: Path) -> None:
    starts = ["01.03.2026 10:00", "2026-03-01 10:00", "2026-03-01 10:00+01:00"]
    rows = [
        "A\t{}\tp{}.csv\td{}.csv\t{}".format(*[number] * 3, start)
        for number, start in enumerate([*starts, "2026-10-25 02:30", "0001-01-01 00:00"], start=1)
    ]
    for name in ("p4", "d4", "p5", "d5"):
        (archive / f"{name}.csv").touch()
    text = "\n".join(["cage\tsegment\tpositions\tdetections\tstart", *rows])
    (archive / "segments.tsv").write_text(text + "\n")
    made = {"archive": str(archive), "readings": {"zone": "Europe/Berlin"}}
    lines = [str(finding) for finding in of_starts(plan.load(made))]
    odd = "(A 1: '01.03.2026 10:00', A 5: '0001-01-01 00:00'), so that their times of day are not"
    assert odd in lines[0]
    assert "A 4: 2026-10-25 02:30, which came twice in Europe/Berlin" in lines[1]
    assert "(2 and 3 of A)" in lines[2]
    assert all(line.startswith("warning: start: ") for line in lines)
