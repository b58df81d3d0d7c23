"""What is told beforehand of tables that people wrote with other programs, or damaged."""

from pathlib import Path

import pytest

from murid.errors import InputError
from murid.run import plan, preflight

SHEET = "cage\tsegment\tpositions\tdetections\tsplit\tanimals\n"
HEADER = b"cage\tanimal\ttag\tremark\n"
DAMAGED = {
    "an open quote": (b'B\tG\t"2\t', ["a quote that is not closed", "Remove the quote"]),
    "latin-1": (b"B\tG\t2\tM\xfcller", ["Windows-1252 'Müller'", "CSV UTF-8", "iconv"]),
    "zero bytes": (b"B\tG\t2\t\0\0", ["zero bytes", "Write the row anew"]),
    "a cell too few": (b"B\tG\t2", ["3 cells", "cut short"]),
    "commas": (b"B,G,2,", ["columns separated by ','"]),
}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    logged = SHEET.replace("positions", "readings\tstart")
    rows = "".join(f"{cage}\t1\tlog.csv\t2026-03-01 10:00\td.csv\t\t\n" for cage in "ABC")
    (tmp_path / "segments.tsv").write_text(logged + rows)
    for name in ("log.csv", "d.csv"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_to_a_row_of_animals_is_told_of_its_cage_and_stops_no_other(
    archive: Path, damage: str
) -> None:
    row, told = DAMAGED[damage]
    table = archive / "animals.tsv"
    table.write_bytes(HEADER + b"A\tR\t1\t\n" + row + b"\nB\tR\t4\t\nC\tR\t3\t\n")
    made = plan.load({"archive": str(archive), "animals": str(table)})
    assert {each.cage for each in made.worn} == {*"ABC"}
    (finding,) = [each for each in preflight.look(made) if str(table) in each.text]
    assert not finding.fatal
    for text in (f"{table}, line 3: found", *told, "Segments of the cages B are discarded"):
        assert text in finding.text


@pytest.mark.parametrize("damage", ["an open quote", "latin-1", "zero bytes", "a cell too few"])
def test_damage_to_a_row_of_corrections_is_told_and_stops_no_other(
    archive: Path, damage: str
) -> None:
    row = DAMAGED[damage][0].replace(b"G", b"1").replace(b"2", b"7", 1) + b"\t0\tR"
    said = archive / "said.tsv"
    header = b"cage\tsegment\tframe\tremark\ttracklet\tanimal\n"
    said.write_bytes(header + b"A\t1\t3\t\t0\tR\n" + row + b"\nC\t1\t3\t\t0\tR\n")
    made = plan.load({"archive": str(archive), "corrections": str(said)})
    assert {cage for cage, _ in made.corrected} == {*"ABC"}
    told = [each for each in preflight.look(made) if f"{said}, line 3: found" in each.text]
    assert [each.fatal for each in told] == [False]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("name", ["animals", "corrections", "segments"])
def test_a_table_in_another_encoding_throughout_is_an_error_that_says_so(
    archive: Path, name: str, encoding: str
) -> None:
    path = archive / f"{name}.tsv"
    path.write_bytes("cage\tanimal\ttag\nA\tR\t1\n".encode(encoding))
    settings = {"archive": str(archive), name: str(path)}
    with pytest.raises(InputError, match=r"(?s)UTF-16.*Save it in UTF-8"):
        plan.load(settings)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("B\t1\tp.csv\td\xfc.csv\t\t\n", ["line 3", "Windows-1252 'dü.csv'", "iconv"]),
        ('B\t1\t"p.csv\td.csv\t\t\nC\t1\tp.csv\td.csv\t\t\n', ["line 3", "quote"]),
        ("B\t1\tp.csv\td\0.csv\t\t\n", ["line 3", "zero bytes"]),
    ],
)
def test_damage_to_the_sheet_is_told_by_its_line(archive: Path, row: str, told: list[str]) -> None:
    rows = f"{SHEET}A\t1\tp.csv\td.csv\t\t\n{row}"
    (archive / "segments.tsv").write_bytes(rows.encode("latin-1"))
    with pytest.raises(InputError) as refused:
        plan.load({"archive": str(archive)})
    for text in told:
        assert text in str(refused.value)
