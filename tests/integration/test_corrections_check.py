"""What is told of a file of corrections before it is obeyed, from the results of a run."""

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest

from murid import rigs, tables
from murid.cli.preflight import plan_of
from murid.corrections import CORNERS
from murid.errors import InputError
from murid.review import corrections
from murid.sheet import Segment
from pipeline import SHEET, Workflow

COLUMNS = ("cage", "segment", "frame", *CORNERS, "animal")


@pytest.fixture
def run(finished: Workflow, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a finished run, which is worked in."""
    monkeypatch.chdir(finished.folder)
    return finished.folder


def lines_of(path: Path, *values: str) -> list[str]:
    made = plan_of((), ("archive=archive", "results=results", *values))
    return corrections.check(path, made).lines


def boxes(run: Path, segment: str = "A/good") -> pd.DataFrame:
    """Return named boxes, one a frame, with their corners."""
    path = run / "results" / "segments" / segment / "identities" / "path.parquet"
    names = tables.read(path, "identities")
    named = names[names["detection"].notna()].drop_duplicates("frame")
    x2, y2 = named["x"] + named["w"], named["y"] + named["h"]
    cage, name = segment.split("/")
    return named.assign(cage=cage, segment=name, x1=named["x"], y1=named["y"], x2=x2, y2=y2)


def written(path: Path, rows: pd.DataFrame, animal: str = "") -> Path:
    """Write boxes as corrections, by the names that they have or by another."""
    rows = rows.assign(animal=animal) if animal else rows
    rows[list(COLUMNS)].to_csv(path, index=False)
    return path


def another(row: pd.DataFrame) -> str:
    return next(name for name in "RGB" if name != row["animal"].iloc[0])


def change(lines: list[str]) -> list[str]:
    return [line for line in lines if "no name changes" in line or "boxes change" in line]


def test_what_else_is_obeyed_is_not_counted_to_a_file(run: Path, tmp_path: Path) -> None:
    row = boxes(run).iloc[[50]]
    wrong = written(tmp_path / "now.csv", row, another(row))
    # By itself, the answer changes names; where it is obeyed already, saying it again does not.
    again = shutil.copy(wrong, tmp_path / "again.csv")
    (alone,) = change(lines_of(again))
    assert alone.startswith("A good: the names of ")
    assert change(lines_of(again, f"corrections={wrong}")) == ["A good: no name changes"]
    # The settings' own file is compared with what names are without it.
    assert change(lines_of(wrong, f"corrections={wrong}")) == [alone]
    # What the sheet names is obeyed beside it, and may contradict it.
    head, *rows = SHEET.splitlines()
    named = [f"{head}\tcorrections", f"{rows[0]}\t{wrong}", *(f"{row}\t" for row in rows[1:])]
    sheet = tmp_path / "segments.tsv"
    sheet.write_text("\n".join(named) + "\n")
    assert change(lines_of(again, f"segments={sheet}")) == ["A good: no name changes"]
    assert change(lines_of(wrong, f"segments={sheet}")) == [alone]
    as_named = written(tmp_path / "as_named.csv", row)
    told = lines_of(as_named, f"segments={sheet}")
    assert "line 2: A good: not obeyed: line 2 of now.csv" in told[0]
    assert "neither is obeyed" in told[0]


def test_answers_that_a_file_leaves_out_are_told(run: Path, tmp_path: Path) -> None:
    rows = boxes(run).iloc[[10, 20, 30]]
    other = boxes(run, "B/good").iloc[[10]]
    first = written(tmp_path / "first.csv", pd.concat([rows, other]))
    second = written(tmp_path / "second.csv", rows.iloc[1:2])
    told = lines_of(second, f"corrections={first}")
    assert [line for line in told if "no longer obeyed" in line] == [
        f"A good: 2 answers of {first} (the first in line 2) are not in second.csv, and are no "
        "longer obeyed",
        f"B good: 1 answers of {first} (the first in line 5) are not in second.csv, and are no "
        "longer obeyed",
    ]
    # Another answer about the same box is none that is left out, however its corners are written.
    anew = pd.concat([rows, other]).assign(animal="nobody")
    anew = written(tmp_path / "anew.csv", anew.astype(dict.fromkeys(CORNERS, str)))
    for whole in (first, shutil.copy(first, tmp_path / "copy.csv"), anew):
        told = lines_of(whole, f"corrections={first}")
        assert not [line for line in told if "no longer obeyed" in line]


def test_results_that_are_older_than_what_they_are_made_of_are_told(
    run: Path, tmp_path: Path
) -> None:
    own = written(tmp_path / "said.csv", boxes(run).iloc[[50]])
    older = "path.parquet is older than answers, settings, models or code"
    assert not [line for line in lines_of(own) if older in line]
    changed = ("corrections=null", "identify={antenna_weight: 0.000003}")
    row = boxes(run).iloc[[50]]
    wrong = written(tmp_path / "wrong.csv", row, another(row))
    told = lines_of(own, f"corrections={wrong}")
    assert [line for line in told if older in line]
    told = lines_of(own, *changed)
    assert [line for line in told if older in line]
    # A file that is in the settings by now need not have been obeyed yet.
    assert not [line for line in lines_of(wrong, f"corrections={wrong}") if older in line]
    positions = run / "archive" / "A" / "good" / "positions.parquet"
    at = positions.stat()
    try:
        os.utime(positions)
        told = lines_of(own)
    finally:
        os.utime(positions, ns=(at.st_atime_ns, at.st_mtime_ns))
    assert [line for line in told if "positions.parquet is newer than the tables in" in line]
    weights = tmp_path / "weights.json"
    weights.write_text((run / "results/models/weights.json").read_text() + "\n")
    told = lines_of(own, f"weights={weights}")
    assert [line for line in told if "weights.json is another than the settings name" in line]


def test_a_folder_that_holds_no_results_is_refused_by_name(run: Path, tmp_path: Path) -> None:
    said = written(tmp_path / "said.csv", boxes(run).iloc[[50]])
    with pytest.raises(InputError, match=r"elsewhere, .*found no models/weights\.json"):
        lines_of(said, f"results={tmp_path}/elsewhere")
    shutil.copytree(run / "results" / "models", tmp_path / "half" / "models")
    with pytest.raises(InputError, match=r"found no segments/A/good/positions\.parquet"):
        lines_of(said, f"results={tmp_path}/half")
    # Where some segments are there, the others are told.
    shutil.copytree(run / "results/segments/B", tmp_path / "half/segments/B")
    both = written(
        tmp_path / "both.csv", pd.concat([boxes(run), boxes(run, "B/good")]).iloc[[0, -1]]
    )
    told = lines_of(both, f"results={tmp_path}/half")
    assert any("A good: its boxes are not looked up, since" in line for line in told)
    assert told[-1] == "2 of 2 corrections are sound, 1 of them not looked up"


def test_what_is_not_heard_is_no_sound_correction(run: Path, tmp_path: Path) -> None:
    head, *rows = SHEET.splitlines()
    row = boxes(run).iloc[[50]]
    said = written(tmp_path / "said.csv", row)
    named = [f"{head}\tcorrections", *(f"{row}\t" for row in rows[:1]), f"{rows[1]}\t{said}"]
    sheet = tmp_path / "segments.tsv"
    sheet.write_text("\n".join([*named, f"{rows[2]}\t"]) + "\n")
    told = lines_of(said, f"segments={sheet}")
    assert told[0] == (
        "line 2: A good: not obeyed: the sheet names the file for other segments, and not for "
        "this one"
    )


def test_answers_about_a_segment_that_is_discarded_are_not_told_to_be_wrong(
    run: Path, tmp_path: Path
) -> None:
    """Whatever discards it: nobody is named there, and that is no fault of the answers."""
    good, bad = boxes(run).iloc[[50]], boxes(run).iloc[[60]].assign(cage="B", segment="bad")
    said = written(tmp_path / "said.csv", pd.concat([good, bad]))
    checked = corrections.check(said, plan_of((), ("archive=archive", "results=results")))
    answer = f"a box at frame {bad['frame'].iloc[0]} is {bad['animal'].iloc[0]}"
    assert f"line 3: B bad: {answer}" in checked.lines
    (remark,) = [line for line in checked.lines if line.startswith("B bad: ")]
    assert remark.startswith("B bad: discarded, so that nobody is named there, whatever is said")
    reason = tables.read_verdict(run / "results/segments/B/bad/positions.parquet").reason
    assert reason in remark
    assert checked.lines[-1] == "2 of 2 corrections are sound, 1 of them not looked up"
    assert checked.wrong == 0
    # One whose rig is not known is discarded where it is to be named.
    shutil.copytree(run / "results", tmp_path / "lost")
    kept = tmp_path / "lost/models/transforms.parquet"
    about = {f"{rigs.REFUSED}{Segment('A', 'good').rig}": "no points"}
    tables.write(tables.empty("transforms"), kept, "transforms", None, about)
    told = lines_of(written(tmp_path / "one.csv", good), f"results={tmp_path}/lost")
    assert not change(told)
    assert any(line.startswith("A good: discarded, so that nobody is named") for line in told)
