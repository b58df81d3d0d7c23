"""A human answers on the page, in a real browser, and the run that follows obeys."""

import json
import re
import shutil
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import browser
from murid import corrections, tables, video
from pipeline import FRAMES, SHEET, Workflow

# Antennas that say next to nothing leave much to ask.
DOUBT = (
    "--config", "archive=archive", "results=results",
    "proofread={least: 0, shortest: 0, seconds: 2}",
    "identify={antenna_weight: 0.000003, methods: [path]}",
)  # fmt: skip
FOLDER = Path("results/report/proofread")
NAMES = Path("results/segments/A/good/identities/path.parquet")
QUESTIONS = Path("results/segments/A/good/questions.parquet")


@pytest.fixture(scope="module")
def asked(finished: Workflow, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A copy of a finished run in which A/good has a video, and its page."""
    folder = tmp_path_factory.mktemp("asked")
    shutil.copytree(finished.folder, folder, dirs_exist_ok=True)
    run = Workflow(finished.sources, folder)
    grey = np.tile(np.arange(1280, dtype=np.uint8), (720, 1))
    video.write(folder / "archive" / "A/good/video.mp4", [grey] * FRAMES, 25)
    head, first, *others = SHEET.splitlines()
    rows = [f"{head}\tvideo", f"{first}\tA/good/video.mp4", *(f"{row}\t" for row in others)]
    (folder / "archive" / "segments.tsv").write_text("\n".join(rows) + "\n")
    run.run(*DOUBT, "--", "proofread")
    return run


@pytest.fixture(scope="module")
def answered(asked: Workflow) -> Workflow:
    """The same after ten answers by keyboard, saved, and the run that follows."""
    with browser.opened(asked.folder) as chromium:
        chromium.get((asked.folder / FOLDER / "index.html").as_uri())
        chromium.execute_cdp_cmd(
            "Browser.setDownloadBehavior",
            {"behavior": "allow", "downloadPath": str(asked.folder)},
        )
        for key in "1230123012":
            chromium.find_element("tag name", "body").send_keys(key)
        assert chromium.find_element("id", "progress").text.startswith("10 of ")
        assert not [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]
        chromium.find_element("id", "save").click()
        until = time.monotonic() + 30
        while not (asked.folder / "corrections.csv").exists() and time.monotonic() < until:
            time.sleep(0.05)
    asked.run(*DOUBT, "corrections=corrections.csv", "--", str(NAMES), str(QUESTIONS))
    return asked


def test_every_question_has_a_clip_and_a_still_that_are_real(asked: Workflow) -> None:
    questions = tables.read(asked.folder / QUESTIONS, "questions").drop_duplicates("question")
    assert len(questions) >= 10
    assert questions["gain"].is_monotonic_decreasing
    for number, question in enumerate(questions.itertuples()):
        clip = asked.folder / FOLDER / "clips" / f"{number:04d}.mp4"
        frames = min(question.frame + 25, FRAMES - 1) - max(question.frame - 25, 0) + 1
        assert len(list(video.read_frames(clip, range(FRAMES)))) == frames
        assert (asked.folder / FOLDER / "stills" / f"{number:04d}.jpg").stat().st_size > 1000


def test_the_run_that_follows_obeys_every_answer(answered: Workflow) -> None:
    said = pd.read_csv(answered.folder / "corrections.csv")
    assert len(said) == 10
    names = tables.read(answered.folder / NAMES, "identities")
    reason = tables.read_verdict(answered.folder / NAMES).reason
    obeyed = 0
    for line, row in enumerate(said.itertuples(), start=2):
        here = names[(names["frame"] == row.frame) & names["x"].notna()]
        corner = (here["x"] - row.x1).abs() + (here["y"] - row.y1).abs() < 1
        if f"line {line} of corrections.csv " in reason:
            # Ten keys pressed blindly may say two things of one animal: then both are told.
            continue
        assert here.loc[corner, "animal"].tolist() == [row.animal] * (row.animal != "nobody")
        obeyed += 1
    assert obeyed >= 3


def test_what_was_answered_is_not_asked_again(answered: Workflow) -> None:
    said = pd.read_csv(answered.folder / "corrections.csv")
    left = tables.read(answered.folder / QUESTIONS, "questions")
    again = left.merge(said, on="frame")
    same = (again["x"] - again["x1"]).abs() + (again["y"] - again["y1"]).abs() < 1
    reason = tables.read_verdict(answered.folder / NAMES).reason
    refused = [line - 1 for line in range(2, 12) if f"line {line} of corrections.csv " in reason]
    assert {said.index[said["frame"] == frame][0] + 1 for frame in again.loc[same, "frame"]} <= {
        *refused
    }


def test_the_page_of_the_next_run_holds_what_was_answered(answered: Workflow) -> None:
    answers = corrections.read(answered.folder / "corrections.csv")
    obeyed = (*DOUBT, "corrections=corrections.csv", "--", "proofread")
    answered.run(*obeyed)
    page = (answered.folder / FOLDER / "index.html").read_text()
    (kept,) = re.findall(r'<script type="application/json" id="former">(.*?)</script>', page)
    former = json.loads(kept)
    assert former["name"] == "corrections.csv"
    assert [tuple(row) for row in former["rows"]] == [*answers.written]
    assert len(answers.rows) == 10
    assert 'href="../index.html"' in page, "the report, which was there"
    # It is made anew where the file says something else, though nothing else is asked.
    assert "Nothing to be done" in answered.run("--dry-run", *obeyed)
    with open(answered.folder / "corrections.csv", "a") as file:
        file.write("none,1,3,1,1,9,9,R,,,\n")
    stale = answered.run("--dry-run", *obeyed)
    assert re.findall(r"^rule (\w+):", stale, re.MULTILINE) == ["proofread"]


def test_the_next_report_links_to_the_page(asked: Workflow) -> None:
    report = "results/report/index.html"
    planned = asked.run("--dry-run", "--printshellcmds", *DOUBT, "--", report)
    assert f"--proofread {FOLDER}/index.html" in planned
