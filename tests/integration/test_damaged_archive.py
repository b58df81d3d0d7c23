"""An archive in which most is bad: a verdict on each segment, and nothing happens to the others."""

import re
from pathlib import Path

import pandas as pd
import pytest
from damaged_archive import BAD, SOUND, make_archive

from pipeline import Workflow, copy_sources

pytestmark = pytest.mark.long

MOST = 500
"""Megabytes that a job may take."""
SETTINGS = ("detector=archive/detector.safetensors", "identify={methods: [ilp, path]}")
LEAST = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@pytest.fixture(scope="module")
def said(root: Path, folder: Path) -> str:
    """What is said of a run beside the bad segments; and one without them, to compare with."""
    sources = copy_sources(root, folder / "sources")
    for name in ("alone", "beside"):
        place = folder / name
        (place / "archive").mkdir(parents=True)
        make_archive(place / "archive", bad=name == "beside")
        workflow = Workflow(sources, place, forked=False)
        given = ("--config", "archive=archive", "results=results", *SETTINGS)
        told = workflow.run(*given, check=name == "alone")
        (place / "said").write_text(told)
    return told


@pytest.fixture(scope="module")
def told(said: str, folder: Path) -> pd.DataFrame:
    """The report's table of segments."""
    report = folder / "beside" / "results" / "report"
    assert (report / "index.html").is_file(), said
    return pd.read_csv(report / "segments.csv", dtype=str, keep_default_na=False).set_index(
        "segment"
    )


def test_there_are_many_ways_to_be_bad() -> None:
    assert len(BAD) >= LEAST
    assert len({each.name for each in BAD}) == len(BAD)


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_a_bad_segment_has_its_verdict_and_reason(told: pd.DataFrame, bad) -> None:
    row = told.loc[bad.name]
    assert (row["status"], row["reason"]) == (bad.status, row["reason"])
    assert re.search(bad.reason, row["reason"]), row["reason"]
    assert len(row["reason"]) < 3000
    # No cell is a formula to a spreadsheet.
    assert row["reason"][:1] not in tuple("=+-@")


def test_that_something_failed_is_said_and_in_the_exit_status(said: str, told) -> None:
    failed = told.index[told["status"] == "failed"]
    assert list(failed) == [each.name for each in BAD if each.status == "failed"]
    assert len(failed) == 1
    assert "1 job failed, and only what needs it with it" in said


def test_nothing_happens_to_the_sound_ones(said: str, told: pd.DataFrame, folder: Path) -> None:
    alone, beside = (folder / name / "results" for name in ("alone", "beside"))
    kept = ["weights.json", "path_model.json", "transforms.parquet"]
    for cage, segment in SOUND:
        for place in (f"segments/{cage}/{segment}", f"cages/{cage}"):
            files = [path for path in (alone / place).rglob("*") if path.is_file()]
            assert files
            kept += [str(path.relative_to(alone)) for path in files]
    for name in kept:
        assert (alone / name).read_bytes() == (beside / name).read_bytes(), name
    rows = pd.read_csv(
        alone / "report" / "segments.csv", dtype=str, keep_default_na=False
    ).set_index("segment")
    sound = told[told["cage"].isin([cage for cage, _ in SOUND])]
    pd.testing.assert_frame_equal(sound, rows)


def test_no_job_of_a_bad_segment_takes_much(said: str, folder: Path) -> None:
    costs = []
    for log in (folder / "beside" / "results" / "logs").glob("*/D/*.log"):
        for seconds, megabytes in re.findall(
            r"^took ([\d.]+) s and at most ([\d,]+) MB", log.read_text(), re.M
        ):
            costs.append((int(megabytes.replace(",", "")), float(seconds), f"{log.parts[-3:]}"))
    assert len(costs) > LEAST
    for megabytes, seconds, log in [*sorted(costs)[-3:], max(costs, key=lambda cost: cost[1])]:
        print(f"{log}: {megabytes} MB, {seconds} s")
    assert max(costs)[0] <= MOST
