"""The table of animals: who wears which tag, where and when, and what is refused."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import readme_blocks
from murid import animals
from murid.animals import Fault, Table, Worn
from murid.errors import InputError
from murid.sheet import read_sheet


def table(folder: Path, *lines: str, name: str = "animals.tsv") -> Path:
    path = folder / name
    path.write_text("".join(line.replace(",", "\t") + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_tag_is_worn_from_one_time_to_another(tmp_path: Path) -> None:
    path = table(
        tmp_path, "Cage,animal,tag,from,to,sex,weight", "A,R, 9a44 e61a04,,2026-03-29 02:30,f,21",
        "A,R,AA00,2026-03-29 03:30,,f,21",
    )  # fmt: skip
    old, new = animals.read(path, "UTC").worn
    assert (old.tag, new.tag) == ("9A44E61A04", "AA00")
    assert old.within(datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 2, tzinfo=UTC))
    after = datetime(2026, 3, 29, 2, 30, tzinfo=UTC)
    assert not old.within(after, after)
    assert not new.within(after, datetime(2026, 3, 29, 3, 29, tzinfo=UTC))
    assert new.within(after, datetime(2026, 3, 29, 3, 30, tzinfo=UTC))


def test_times_are_of_the_zone_that_is_given(tmp_path: Path) -> None:
    path = table(tmp_path, "cage,animal,tag,from", "A,R,1,2026-07-01", "A,G,2,2026-07-01 00:00Z")
    local, told = animals.read(path, "Australia/Sydney").worn
    assert local.since == datetime(2026, 6, 30, 14, tzinfo=UTC)
    assert told.since == datetime(2026, 7, 1, tzinfo=UTC)


def test_a_tag_may_go_to_another_animal_or_cage_afterwards(tmp_path: Path) -> None:
    path = table(
        tmp_path, "cage,animal,tag,from,to", "A,R,1,,2026-01-02", "B,R,1,2026-01-02,2026-01-03",
        "B,G,1,2026-01-03,",
    )  # fmt: skip
    assert [each.cage for each in animals.read(path, "UTC").worn] == ["A", "B", "B"]


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (["cage,animal"], ["line 1, column tag"]),
        (["cage,animal,tag"], ["no animals"]),
        (["cage,animal,tag,until", "A,R,1,"], []),
        (["cage,animal,tag,form", "A,R,1,"], ["form (from?)"]),
        (["cage,animal,tag", "A,R"], ["line 2", "2 cells", "cut short"]),
        (["cage,animal,tag", "A/B,R,1"], ["line 2", "'A/B' in column cage"]),
        (["cage,animal,tag", "A,nobody,1"], ["line 2", "'nobody' in column animal"]),
        (["cage,animal,tag", "A,R,"], ["line 2", "'' in column tag"]),
        (["cage,animal,tag", "A,R," + 65 * "1"], ["column tag", "64 letters"]),
        (
            ["cage,animal,tag", "A,R,9.00215E+14"],
            ["line 2", "'9.00215E+14' in column tag", "A spreadsheet took it for a number"],
        ),
        (["cage,animal,tag,from", "A,R,1,soon"], ["line 2", "'soon' in column from", "a day"]),
        (["cage,animal,tag,from", "A,R,1,2026-02-30"], ["'2026-02-30' in column from"]),
        (
            ["cage,animal,tag,from", "A,R,1,2026-10-25 02:30"],
            ["which came twice in Europe/Berlin", "+02:00 or +01:00"],
        ),
        (
            ["cage,animal,tag,from", "A,R,1,2026-03-29 02:30"],
            ["which no clock in Europe/Berlin showed"],
        ),
        (["cage,animal,tag,from,to", "A,R,1,2026-02-02,2026-02-02"], ["ends after it began"]),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_line(
    tmp_path: Path, lines: list[str], named: list[str]
) -> None:
    path = table(tmp_path, *lines)
    if not named:
        assert animals.read(path, "Europe/Berlin").worn
        return
    with pytest.raises(InputError) as refused:
        animals.read(path, "Europe/Berlin")
    for text in ["animals.tsv", *named]:
        assert text in str(refused.value)


@given(
    st.integers(10**11, 10**19), st.integers(0, 14), st.sampled_from(".,"),
    st.sampled_from("EFe3"),
)  # fmt: skip
def test_tags_that_a_spreadsheet_rounded_are_refused_and_no_others(
    tag: int, digits: int, decimal: str, form: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if form == "3":  # three digits of the exponent, as some programs have
            rounded = f"{tag:.{digits}E}".replace("E+", "E+0")
        else:
            rounded = f"{tag:.{max(digits, 1) if form == 'F' else digits}{form}}"
        rounded = rounded.replace(".", decimal)
        path = Path(folder) / "animals.csv"
        path.write_text(f'cage,animal,tag\nA,R,"{rounded}"\nB,R,{tag}\n')
        read = animals.read(path, "UTC")
        assert [fault.cage for fault in read.faults] == ["A"]
        assert "format the column as text" in str(read.faults[0].error)
        # Tags in base 16 are no such numbers: these have no sign.
        path = table(Path(folder), "cage,animal,tag", f"A,R,{tag:X}", f"B,R,{tag % 10**9}E5")
        assert not animals.read(path, "UTC").faults


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    path = table(tmp_path, "cage,animal,tag", "A,,1", "A,R,", "A/B,B,3")
    with pytest.raises(InputError) as refused:
        animals.read(path, "UTC")
    assert [fault.where for fault in refused.value.faults] == ["line 2", "line 3", "line 4"]


@pytest.mark.parametrize(
    "row",
    ["B,R,,,", "B,,9,,", "B,R,9,soon,", "B,R,9,,2026-13-01", "B,R,9,2026-02-02,2026-02-01",
     "B,R,9,2026-03-29 02:30,", "B,nobody,9,,", "B,R,9", "B,R",
     "B,R,9,2026-01-01,2026-01-02,2026-01-03", "B,R,9,,,", "B;R;9;;", "B  R  9"],
)  # fmt: skip
def test_a_row_that_cannot_be_read_discards_its_cage_only(tmp_path: Path, row: str) -> None:
    path = table(tmp_path, "cage,animal,tag,from,to", "A,R,1,,", "B,G,2,,", row, "C,R,3,,")
    found = animals.read(path, "Europe/Berlin")
    assert [(each.cage, each.tag) for each in found.worn] == [("A", "1"), ("B", "2"), ("C", "3")]
    for cage in "AC":
        animals.check(path, found, cage, (day(1), day(2)))
    with pytest.raises(InputError) as refused:
        animals.check(path, found, "B", (day(1), day(2)))
    assert f"{path}, line 4: found" in str(refused.value)


@pytest.mark.parametrize("row", ["B", "B R 9", "# B,R"])
def test_a_torn_row_whose_cage_is_not_sure_stops_no_other(tmp_path: Path, row: str) -> None:
    path = table(tmp_path, "cage,animal,tag,from,to", "A,R,1,,", row, "C,R,3,,")
    found = animals.read(path, "Europe/Berlin")
    assert [(each.cage, each.tag) for each in found.worn] == [("A", "1"), ("C", "3")]
    assert [(fault.cage, fault.error.where) for fault in found.faults] == [("", "line 3")]


@pytest.mark.parametrize(
    "row",
    [b'B\tR\t"9\t\t', b'B\t"R\t9\t\t', b'"B\tR\t9\t\t', b'B\tR\t9\t\t"', b'B\tR\t"9" x\t\t',
     b"B\tR\t9\xfc\t\t", b"B\tM\xfcller\t9\t\t", b"B\tR\t9\0\t\t", b"B\tR\t9\t\t\0",
     b"B\tR\t9\t\t" + b"1" * 200_000],
)  # fmt: skip
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("after", [b"C\tR\t3\t\t", b'C\tR\t"3"\t\t', b'"C"\tR\t3\t\t'])
def test_damage_to_a_row_discards_its_cage_only(
    tmp_path: Path, row: bytes, end: bytes, after: bytes
) -> None:
    path = tmp_path / "animals.tsv"
    rows = [b"cage\tanimal\ttag\tfrom\tto", b"A\tR\t1\t\t", b"B\tG\t2\t\t", row, after]
    path.write_bytes(end.join(rows) + end)
    found = animals.read(path, "UTC")
    assert [(each.cage, each.tag) for each in found.worn] == [("A", "1"), ("B", "2"), ("C", "3")]
    assert [(fault.cage, fault.error.where) for fault in found.faults] == [("B", "line 4")]
    assert fault_free(found, path, "A")
    assert not fault_free(found, path, "B")
    str(found.faults[0].error).encode()


def fault_free(found: Table, path: Path, cage: str) -> bool:
    try:
        animals.check(path, found, cage, (day(1), day(2)))
    except InputError:
        return False
    return True


def test_two_open_quotes_lose_their_own_rows_and_none_between(tmp_path: Path) -> None:
    path = tmp_path / "animals.tsv"
    for first, last in (('A\tR\t"1', 'C\tR\t3"'), ('"A\tR\t1', 'C"\tR\t3')):
        for between in ("B\tR\t2\n", ""):
            text = f"cage\tanimal\ttag\n{first}\n{between}{last}\nD\tR\t4\n"
            path.write_text(text)
            found = animals.read(path, "UTC")
            assert {each.cage for each in found.worn} >= ({"B", "D"} if between else {"D"})
            assert found.faults[0].cage == "A"
            assert found.faults[0].error.where == "line 2"


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([*b'"\t\r\n\0\xffB ']), max_size=20).map(bytes)
)
def test_whatever_a_row_holds_the_other_cages_are_read(damage: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "animals.tsv")
        path.write_bytes(b"cage\tanimal\ttag\nA\tR\t1\n" + damage + b"\nC\tR\t3\n")
        found = animals.read(path, "UTC")
    assert {("A", "1"), ("C", "3")} <= {(each.cage, each.tag) for each in found.worn}


def test_a_remark_of_several_lines_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "animals.csv"
    rows = ['"ill,\nwell again",A,R,1', '"again\nand\nagain",B,R,2', ",C,R,3"]
    path.write_text("\n".join(["remark,cage,animal,tag", *rows]) + "\n")
    assert [each.line for each in animals.read(path, "UTC").worn] == [2, 4, 7]
    path.write_text('cage,animal,tag,remark\nA,R,1,"ill,\nwell again"\nB,R,2,\n')
    found = animals.read(path, "UTC")
    assert [each.line for each in found.worn] == [2, 4]
    assert not found.faults


def test_letters_in_another_encoding_are_told_with_what_they_may_be(tmp_path: Path) -> None:
    path = tmp_path / "animals.tsv"
    path.write_bytes("cage\tanimal\ttag\tremark\nA\tR\t1\t\nB\tR\t2\tMüller\n".encode("latin-1"))
    (fault,) = animals.read(path, "UTC").faults
    for text in (f"{path}, line 3", "Windows-1252 'Müller'", "CSV UTF-8", "LibreOffice", "iconv"):
        assert text in str(fault.error)


def day(number: float) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number - 1)


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (["A,R,ff1", "B,G,FF1"], ["line 3", "the tag FF1 of B G", "A R", "line 2", "from and to"]),
        (["A,R,1", "A,R,1"], ["line 3", "the tag 1", "line 2"]),
        (["A,R,1,,2026-01-03", "A,G,1,2026-01-02"], ["line 3", "the tag 1", "A R"]),
        (["A,R,1", "A,G,2,,2026-01-02", "A,r,3"], ["line 4", "the animal r", "line 2 has R"]),
    ],
)
def test_rows_of_which_not_both_can_be_right_discard_their_cages_only(
    tmp_path: Path, lines: list[str], named: list[str]
) -> None:
    rows = [",".join((line.split(",") + [""] * 5)[:5]) for line in (*lines, "C,R,77")]
    path = table(tmp_path, "cage,animal,tag,from,to", *rows)
    worn = animals.read(path, "UTC")
    at = day(2.5), day(2.6)
    with pytest.raises(InputError) as refused:
        animals.check(path, worn, lines[-1].split(",")[0], at)
    for text in (str(path), *named):
        assert text in str(refused.value)
    animals.check(path, worn, "C", at)


def test_what_cannot_be_at_one_time_is_no_matter_at_another(tmp_path: Path) -> None:
    path = table(tmp_path, "cage,animal,tag,from,to", "A,R,1,,2026-01-03", "B,G,1,2026-01-02,")
    worn = animals.read(path, "UTC")
    for cage in "AB":
        animals.check(path, worn, cage, (day(1), day(1.9)))
        animals.check(path, worn, cage, (day(3), day(4)))
        with pytest.raises(InputError, match="the tag 1"):
            animals.check(path, worn, cage, (day(1.5), day(2)))


@given(
    spans=st.lists(
        st.tuples(st.integers(1, 9), st.integers(1, 5), st.sampled_from("12")), max_size=8
    ),
    moment=st.integers(1, 14),
)
def test_a_moment_is_refused_if_and_only_if_a_tag_is_on_two_then(
    spans: list[tuple[int, int, str]], moment: int
) -> None:
    worn = [
        Worn("A", f"M{number}", tag, day(begins), day(begins + days), number)
        for number, (begins, days, tag) in enumerate(spans)
    ]
    middle = day(moment + 0.5)
    there = [each.tag for each in worn if each.within(middle, middle)]
    told = [each for each in animals.contradictions(worn) if each.concerns("A", middle, middle)]
    assert bool(told) == (len(there) > len({*there}))


def test_what_a_cage_is_told_of_changes_with_what_is_said_against_it() -> None:
    own, same, other = Worn("A", "R", "1"), Worn("B", "G", "1"), Worn("B", "G", "2")

    def told(worn: list[Worn], cage: str | None = None) -> list[str]:
        faults = [Fault(cage, InputError("animals.tsv", "''", "a tag"))] if cage else []
        return animals.by_cage(Table(worn, faults))["A"]

    alone = told([own])
    assert told([own, same]) != alone
    assert told([own, other]) == alone
    assert told([own], "A") != alone
    assert told([own], "B") == alone


def test_the_examples_that_are_documented_are_read(root: Path, tmp_path: Path) -> None:
    found = readme_blocks.blocks((root / "config" / "README.md").read_text())
    (sheet,), (worn,) = found["Logs in the sheet"], found["Who wears which tag"]
    (tmp_path / "segments.tsv").write_text(sheet)
    (tmp_path / "animals.tsv").write_text(worn)
    rows = read_sheet(tmp_path / "segments.tsv")
    assert {row.readings for row in rows.values()} == {("rfid/2026-03-29.csv",)}
    old, new, other = animals.read(tmp_path / "animals.tsv", "UTC").worn
    assert (old.until, old.animal, other.animal) == (new.since, new.animal, "G")
