"""``murid sheet``: rigs and splits, by whole cages."""

from collections import Counter

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from murid.cli import cli
from murid.errors import InputError
from murid.listing import assigned
from murid.picking import project
from murid.sheet import Segment, read_sheet

USUAL = ("--video", "{cage}_{segment}.mp4", "--positions", "{cage}_{segment}.csv",
         "--annotations", "{cage}_{segment}.json")  # fmt: skip
SPLITS = ("Train", "Validate", "Test")


@pytest.fixture
def archive(tmp_path):
    """Three cages of two segments, of which the first two are annotated once."""
    for cage in ("A", "B", "C"):
        for segment in ("1", "2"):
            for suffix in ("mp4", "csv"):
                (tmp_path / f"{cage}_{segment}.{suffix}").write_text("x")
    for cage in ("A", "B"):
        (tmp_path / f"{cage}_1.json").write_text("x")
    return tmp_path


def run(archive, *options):
    done = CliRunner().invoke(
        cli, ["sheet", str(archive), *USUAL, *options], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.output


def cells(archive, column):
    """Return what the rows of each cage say in a column, each once."""
    found: dict[str, set[str]] = {}
    for row in read_sheet(archive / "segments.tsv").values():
        found.setdefault(row.cage, set()).add(getattr(row, column))
    return found


def add(archive, *names):
    for name in names:
        for suffix in ("mp4", "csv"):
            (archive / f"{name}.{suffix}").write_text("x")


def test_cages_get_the_split_that_names_them_and_the_words_tell_what_is_annotated(archive):
    said = run(archive, "--split", "Train=A, B", "--split", "Validate=Z")
    assert cells(archive, "split") == {"A": {"Train"}, "B": {"Train"}, "C": {""}}
    assert "Train: cages A, B; 2 of 4 segments annotated" in said
    assert "no split (identified, not evaluated): cage C; 0 of 2 segments annotated" in said
    assert "of which no segment is listed: 1 (Z: Validate)" in said
    assert "since --split does not name them: identified, not evaluated: 1 (C)" in said


def test_without_rules_split_and_rig_are_as_ever(archive):
    said = run(archive)
    assert cells(archive, "split") == {"A": {""}, "B": {""}, "C": {""}}
    assert cells(archive, "rig") == {"A": {"rig"}, "B": {"rig"}, "C": {"rig"}}
    assert "no split (identified, not evaluated): cages A, B, C; 2 of 6 segments" in said


def test_shares_deal_annotated_cages_first(archive):
    run(archive, "--split", "Train=50%", "--split", "Test=50%")
    given = cells(archive, "split")
    assert given["A"] | given["B"] == {"Train", "Test"}


def test_a_project_that_waits_is_told_and_dealt_as_not_annotated(archive):
    for cage in ("A", "B"):
        project.write(archive / f"{cage}_2.json", cage, {0: ("0.png", 1)}, [])
    (archive / "A_1.json").unlink()
    said = run(archive, "--split", "Train=50%", "--split", "Test=50%")
    split = cells(archive, "split")
    assert split["B"] == {"Train"}  # the only one that is annotated is dealt first
    assert "1 of 4 segments annotated, 2 waiting to be" in said


def test_an_update_keeps_the_split_of_listed_cages_and_their_lines(archive):
    run(archive, "--split", "Train=A", "--split", "Test=B")
    before = (archive / "segments.tsv").read_bytes()
    add(archive, "A_3", "C_3", "D_1")
    said = run(archive, "--update", "--split", "Train=B,C,D", "--split", "Test=A")
    assert (archive / "segments.tsv").read_bytes().startswith(before)
    assert cells(archive, "split") == {"A": {"Train"}, "B": {"Test"}, "C": {""}, "D": {"Train"}}
    assert "not that of --split: 2 (A: Train; C: none)" in said


def test_new_segments_of_a_cage_that_the_sheet_divides_get_no_split(archive):
    run(archive, "--split", "Train=A,B,C")
    sheet = archive / "segments.tsv"
    head, first, *rest = sheet.read_text().splitlines(keepends=True)
    sheet.write_text("".join([head, first.replace("Train", "Test"), *rest]))
    add(archive, "A_3")
    said = run(archive, "--update", "--split", "Train=A")
    assert read_sheet(sheet)["A", "3"].split == ""
    assert "divides them between several: 1 (A: Test, Train)" in said


def test_rigs_are_of_all_or_of_some_cages(archive):
    run(archive, "--rig", "left")
    assert cells(archive, "rig") == {"A": {"left"}, "B": {"left"}, "C": {"left"}}
    (archive / "segments.tsv").unlink()
    said = run(archive, "--rig", "left=A", "--rig", "right=B,Z")
    assert cells(archive, "rig") == {"A": {"left"}, "B": {"right"}, "C": {"rig"}}
    assert "cages of the rig 'rig', since --rig does not name them: 1 (C)" in said
    assert "of which no segment is listed: 1 (Z: right)" in said


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--split", "Train"], "expected SPLIT=CAGES or a share of them"),
        (["--split", "train=A"], "a split is Train, Validate, Test"),
        (["--split", "Train=A;B"], "a cage is at most 100 letters"),
        (["--split", "Train=0%", "--split", "Test=100%"], "a share above 0"),
        (["--split", "Train=50%"], "found shares of 50% together; expected 100%"),
        (["--split", "Train=A", "--split", "Test=B,A"], "found cage A twice"),
        (["--split", "Train=A", "--split", "Train=B"], "found Train twice"),
        (["--split", "Train=A", "--split", "Test=100%"], "rules of several kinds"),
        (["--rig", "a", "--rig", "b"], "found a, b, each of all cages"),
        (["--rig", "a b"], "expected a rig, or RIG=CAGES"),
        (["--rig", "a="], "expected a rig, or RIG=CAGES"),
        (["--rig", "a", "--rig", "b=A"], "rules of several kinds"),
        (["--video", "{rig}/{cage}_{segment}.mp4", *USUAL[2:], "--rig", "a"], "{rig} in {rig}/"),
    ],
)
def test_rules_that_make_no_sense_are_refused(archive, options, expected):
    usual = () if "--video" in options else USUAL
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(cli, ["sheet", str(archive), *usual, *options], catch_exceptions=False)
    assert expected in str(caught.value)
    assert not (archive / "segments.tsv").exists()


cages = st.lists(
    st.tuples(st.integers(1, 99), st.booleans()), max_size=15, unique_by=lambda c: c[0]
)


def annotated(row):
    return bool(row.annotations)


def segments(made):
    return [
        Segment(f"C{number}", str(segment), annotations="a" * (annotated and not segment))
        for number, annotated in made
        for segment in range(2)
    ]


@given(cages, cages, st.sampled_from([(0.5, 0.25, 0.25), (0.8, 0.1, 0.1), (0.34, 0.33, 0.33)]))
def test_shares_never_divide_a_cage_and_leave_no_split_without_what_is_annotated(
    first, second, shares
):
    wanted = dict(zip(SPLITS, shares, strict=True))
    made = assigned.dealt(segments(first), wanted, [], annotated)
    known = {number for number, _ in first}
    later = [cage for cage in second if cage[0] not in known]
    listed = [
        Segment(row.cage, row.segment, split=made[row.cage], annotations=row.annotations)
        for row in segments(first)
    ]
    # Those that the sheet lists stay where they are, whatever comes.
    more = assigned.dealt(segments(first + later), wanted, listed, annotated)
    assert not made.keys() & more.keys()
    assert made.keys() | more.keys() == {f"C{number}" for number, _ in first + later}
    dealt = [f"C{number}" for number, said in first + later if said]
    counts = Counter((made | more)[cage] for cage in dealt)
    assert len(counts) == min(len(dealt), 3)
    assert all(abs(counts[split] - share * len(dealt)) <= 2 for split, share in wanted.items())
