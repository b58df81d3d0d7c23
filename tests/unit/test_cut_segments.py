"""Segments that are parts of one video: stages make of them what they make of separate videos."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from made_videos import make
from murid import schemas, sheet, tables
from murid.archive.stage import Check, SurveyVideo
from murid.clip import render
from murid.detect import data, stage
from murid.proofread.stage import Proofread
from murid.settings import Detect, Image
from murid.video import Part
from one_mouse import QUICK, annotate, row, scene

FRAMES, CUTS = 40, {"1": Part(0, 39), "2": Part(40, 79), "3": Part(80, None)}
"""Frames of each of three segments, and the parts that they are."""


def store(path, numbers):
    """Write frames of the crossing mouse so that every pixel comes back."""
    make(path, range(len(numbers)), "ffv1", "gray", pictures=[scene(n)[0] for n in numbers], g="10")


@pytest.fixture(scope="module")
def cut(segment, tmp_path_factory):
    """A folder with a video of three segments, its survey, and a video of each."""
    folder = tmp_path_factory.mktemp("cut")
    for name in ("positions", "transforms"):
        (folder / f"{name}.parquet").write_bytes((segment / f"{name}.parquet").read_bytes())
    trace = pd.DataFrame({"frame": range(FRAMES), "R": 5})
    trace.to_csv(folder / "trace.csv", index=False)
    store(folder / "day.mkv", range(3 * FRAMES))
    for number, name in enumerate(CUTS):
        store(folder / f"{name}.mkv", range(number * FRAMES, (number + 1) * FRAMES))
    SurveyVideo(file=folder / "day.mkv", output=folder / "keys.parquet").run()
    return folder


def told(folder, name, whole=False):
    """Return what a stage is told of a segment's video: its own, or its part of the one."""
    if whole:
        return {"video": folder / f"{name}.mkv"}
    part = CUTS[name]
    return {
        "video": folder / "day.mkv", "survey": [folder / "keys.parquet"],
        "first_frame": part.first, "last_frame": part.last,
    }  # fmt: skip


def check(folder, into, **given):
    """Check a segment; return its table of positions and its verdict."""
    output = into / "positions.parquet"
    Check(
        cage="A", segment="s", positions=folder / "trace.csv", output_positions=output,
        output_annotations=into / "annotations.parquet", **given,
    ).run()  # fmt: skip
    return tables.read(output, "positions"), tables.read_verdict(output), tables.read_about(output)


@pytest.mark.parametrize("name", CUTS)
def test_a_part_is_checked_as_a_video_of_its_own(cut, tmp_path, name):
    part, verdict, about = check(cut, tmp_path, **told(cut, name))
    own, of_own, about_own = check(cut, tmp_path, **told(cut, name, whole=True))
    pd.testing.assert_frame_equal(part, own)
    assert (verdict, about) == (of_own, about_own)
    assert verdict.status == "usable"


def test_a_part_of_another_length_than_the_trace_discards_its_segment(cut, tmp_path):
    given = told(cut, "2") | {"last_frame": 100}
    _, verdict, _ = check(cut, tmp_path, **given)
    assert verdict.discarded
    assert "positions: 40, video (decoded): 61" in verdict.reason


def test_a_part_beyond_the_end_discards_its_segment(cut, tmp_path):
    given = told(cut, "3") | {"first_frame": 120}
    _, verdict, _ = check(cut, tmp_path, **given)
    assert verdict.discarded
    assert "no frame that decodes among its frames 120 to the end" in verdict.reason


def test_a_video_that_cannot_be_surveyed_discards_its_segments(cut, tmp_path):
    SurveyVideo(file=tmp_path / "gone.mkv", output=tmp_path / "keys.parquet").run()
    given = told(cut, "2") | {
        "video": tmp_path / "gone.mkv", "survey": [tmp_path / "keys.parquet"]
    }  # fmt: skip
    _, verdict, _ = check(cut, tmp_path, **given)
    assert verdict.discarded
    assert "no file" in verdict.reason


def test_two_surveys_of_one_video_are_refused(cut, tmp_path):
    with pytest.raises(ValidationError, match="at most 1"):
        check(cut, tmp_path, **told(cut, "2") | {"survey": [cut / "keys.parquet"] * 2})


def test_the_detector_looks_at_the_part_alone(cut, detector, tmp_path):
    found = []
    for whole in (False, True):
        output = tmp_path / f"{whole}.parquet"
        stage.Detect(
            **told(cut, "2", whole), detector=detector, positions=cut / "positions.parquet",
            transforms=cut / "transforms.parquet", rig="north", fps=25.0, output=output,
            detect=Detect(score=0.0, max_mice=5, device="cpu"),
            image=Image(width=64, height=48),
        ).run()  # fmt: skip
        found.append((tables.read(output, "detections"), tables.read_verdict(output)))
    (part, verdict), (own, of_own) = found
    assert set(part["frame"]) == set(range(FRAMES))
    pd.testing.assert_frame_equal(part, own)
    assert verdict == of_own


def test_annotations_of_a_part_count_from_its_first_frame(cut, tmp_path):
    path = tmp_path / "annotations.parquet"
    annotate([row(n, 0, scene(FRAMES + n)[1]) for n in (0, 17, 39)], path)
    pair = [(cut / "day.mkv", path)]
    parts = data.parts_of([stage.OfPart(path, 40, 79, cut / "keys.parquet")])
    samples = data.load(pair, fps={cut / "day.mkv": 25.0}, parts=parts)
    for sample, number in zip(samples, (40, 57, 79), strict=True):
        np.testing.assert_array_equal(sample.grey, scene(number)[0])


def test_the_detector_is_trained_and_measured_on_parts(cut, tmp_path):
    path, video_ = tmp_path / "annotations.parquet", cut / "day.mkv"
    annotate([row(n, 0, scene(n)[1]) for n in range(0, 40, 8)], path)
    part = (path, "80", "end", cut / "keys.parquet")
    stage.TrainDetector(
        train=[(video_, path)], parts=[part], output=tmp_path / "d.safetensors",
        train_detector=QUICK,
    ).run()  # fmt: skip
    stage.ValidateDetector(
        segments=[("Train", video_, path)], parts=[part], detector=tmp_path / "d.safetensors",
        output=tmp_path / "measured.parquet", proposals={"device": "cpu"},
    ).run()  # fmt: skip
    measured = tables.read(tmp_path / "measured.parquet", "detector_validation")
    assert measured["images"].unique().tolist() == [5]


def test_the_page_of_questions_shows_the_part(cut, tmp_path, monkeypatch):
    shown = {}

    def paint(painter, number, grey, asked=None):
        shown[number] = grey
        return np.dstack([grey] * 3)

    monkeypatch.setattr(render.Painter, "paint", paint)
    monkeypatch.setattr(render.fitted_weights, "read", lambda path: SimpleNamespace(paper=None))
    entry = sheet.Segment(
        "A", "2", "p.csv", rig="north", video="day.mkv", first_frame=40, last_frame=79
    )
    sheet.write_sheet(tmp_path / "segments.tsv", [entry])
    folder = tmp_path / "segments" / "A" / "2"
    folder.mkdir(parents=True)
    (folder / "positions.parquet").write_bytes((cut / "positions.parquet").read_bytes())
    box = dict(zip(schemas.BOX, scene(5)[1], strict=True))
    asked = {
        "cage": "A", "segment": "2", "question": 0, "frame": 5, "tracklet": 0, "first_frame": 5,
        "last_frame": 5, "gain": 1.0, "animal": "R", "probability": 0.5,
    } | box  # fmt: skip
    for name, rows in {
        "questions": asked,
        "tracklets": {"frame": 5, "detection": 0, "tracklet": 0} | box,
    }.items():
        tables.write(pd.DataFrame([rows]), folder / f"{name}.parquet", name)
    survey = tmp_path / f"{sheet.table_name('day.mkv')}.parquet"
    survey.write_bytes((cut / "keys.parquet").read_bytes())
    Proofread(
        sample_sheet=tmp_path / "segments.tsv", archive=cut, surveys=[survey],
        segments_dir=tmp_path / "segments", weights=tmp_path / "w.json",
        transforms=cut / "transforms.parquet", method="path", seconds=0.4,
        output_dir=tmp_path / "page",
    ).run()  # fmt: skip
    assert set(shown) == set(range(11))
    for number, grey in shown.items():
        np.testing.assert_array_equal(grey, scene(FRAMES + number)[0])
