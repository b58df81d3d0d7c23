"""Before anything runs: cages that are learnt from and judged by are told, with their segments."""

from pathlib import Path

import pytest

from murid.run import plan, preflight

HEADER = "cage\tsegment\tpositions\tdetections\tannotations\tsplit\trig\tanimals"


def told(folder: Path, *rows: tuple[str, str, str]) -> list[str]:
    """What is told of cages that leak, of segments by cage, name and split."""
    lines = [HEADER]
    for number, (cage, segment, split) in enumerate(rows):
        names = [f"{kind}{number}.csv" for kind in "pda"]
        for name in names:
            (folder / name).write_text(name)
        lines.append("\t".join([cage, segment, *names, split, "left", "R,G"]))
    (folder / "segments.tsv").write_text("\n".join(lines) + "\n")
    found = preflight.look(plan.load({"archive": str(folder)}))
    return [str(finding) for finding in found if "how right names are" in str(finding)]


@pytest.mark.parametrize("learnt", ["Train", "Validate"])
def test_a_cage_that_is_learnt_from_and_judged_by_is_told_with_its_segments(
    tmp_path: Path, learnt: str
) -> None:
    rows = [("A", "1", learnt), ("A", "2", "Test"), ("A", "3", "Test"), ("B", "1", "Validate")]
    assert told(tmp_path, *rows) == [
        "warning: split: 1 cage has annotated segments of Test and of Train or Validate, A (Test: "
        "2, 3; Train or Validate: 1): how right names are is judged by animals that were learnt "
        "from. Give all segments of a cage one split"
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [("A", "1", "Train"), ("A", "2", "Validate"), ("B", "1", "Test")],
        [("A", "1", "Train"), ("B", "1", "Test"), ("C", "1", "Validate")],
    ],
)
def test_cages_that_are_judged_by_alone_are_not(
    tmp_path: Path, rows: list[tuple[str, str, str]]
) -> None:
    assert told(tmp_path, *rows) == []


def test_such_cages_are_counted_and_the_first_named(tmp_path: Path) -> None:
    rows = [(cage, split, split) for cage in "EDBAC" for split in ("Train", "Test")]
    (line,) = told(tmp_path, *rows)
    assert line.startswith("warning: split: 5 cages have annotated segments of Test")
    assert "A (Test: Test; Train or Validate: Train), B (" in line
    assert ", C (Test: Test; Train or Validate: Train) and 2 more: how right" in line
