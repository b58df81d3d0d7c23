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
    return [str(finding) for finding in found if "learnt from" in str(finding)]


@pytest.mark.parametrize("learnt", ["Train", "Validate"])
def test_a_cage_that_is_learnt_from_and_judged_by_is_told_with_its_segments(
    tmp_path: Path, learnt: str
) -> None:
    rows = [("A", "1", learnt), ("A", "2", "Test"), ("A", "3", "Test"), ("B", "1", "Validate")]
    assert told(tmp_path, *rows) == [
        "warning: split: cage A has annotated segments of Test (2, 3) and of Train or Validate "
        "(1): how right names are is judged by animals that were learnt from. Give all segments "
        "of a cage one split"
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


def test_each_such_cage_is_told(tmp_path: Path) -> None:
    rows = [(cage, split, split) for cage in "BA" for split in ("Train", "Test")]
    assert [line[:25] for line in told(tmp_path, *rows)] == [
        "warning: split: cage A ha", "warning: split: cage B ha"
    ]  # fmt: skip
