"""The stage ``detect``: the network run over a segment's video."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch

from murid import rigs, schemas, tables, video
from murid.detect import infer, model
from murid.tables import Verdict
from one_mouse import detect


def test_the_same_video_twice_gives_the_same_bytes(segment, detector, tmp_path):
    detections = detect(segment, detector, tmp_path / "one.parquet")
    assert len(detections) > 0
    detect(segment, detector, tmp_path / "two.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_frames_are_numbered_and_labelled_whatever_the_batch(segment, detector):
    network, _ = model.load(detector, torch.device("cpu"))
    frames = [frame for _, frame in video.Reel(segment / "video.mp4")][:10]
    told = []
    single, _ = infer.detect(network, frames, 1)
    batched, count = infer.detect(network, iter(frames), 4, told.append)
    assert (count, told) == (10, [4, 8, 10])
    assert len(single) > 0
    columns = [*schemas.BOX, "score"]
    np.testing.assert_allclose(batched[columns], single[columns], atol=1e-3)
    assert batched["frame"].tolist() == single["frame"].tolist()
    assert set(batched["label"]) <= set(schemas.LABELS)


def test_a_video_without_frames_gives_an_empty_table(detector):
    network, _ = model.load(detector, torch.device("cpu"))
    table, count = infer.detect(network, [])
    assert (len(table), count) == (0, 0)


def test_with_a_stride_the_frames_between_have_no_detections(segment, detector, tmp_path):
    whole = detect(segment, detector, tmp_path / "whole.parquet")
    some = detect(segment, detector, tmp_path / "some.parquet", stride=3)
    assert set(some["frame"]) == {n for n in whole["frame"] if n % 3 == 0}
    expected = whole[whole["frame"] % 3 == 0]
    np.testing.assert_allclose(some[schemas.BOX], expected[schemas.BOX], atol=1e-3)
    assert tables.read_verdict(tmp_path / "some.parquet").status == "usable"


def test_a_video_of_another_length_discards_the_segment(segment, detector, tmp_path):
    positions = pd.DataFrame({"frame": range(30), "animal": "R", "antenna": 3, "filled": False})
    folder = tmp_path / "segment"
    folder.mkdir()
    for name in ("video.mp4", "transforms.parquet"):
        (folder / name).write_bytes((segment / name).read_bytes())
    tables.write(positions, folder / "positions.parquet", "positions")
    assert detect(folder, detector, tmp_path / "out.parquet").empty
    verdict = tables.read_verdict(tmp_path / "out.parquet")
    assert verdict.discarded
    assert "positions: 30, video (decoded): 40" in verdict.reason


def test_frames_beyond_the_positions_are_not_kept(segment, detector, tmp_path):
    positions = pd.DataFrame({"frame": range(39), "animal": "R", "antenna": 3, "filled": False})
    folder = tmp_path / "segment"
    folder.mkdir()
    for name in ("video.mp4", "transforms.parquet"):
        (folder / name).write_bytes((segment / name).read_bytes())
    tables.write(positions, folder / "positions.parquet", "positions")
    assert detect(folder, detector, tmp_path / "out.parquet")["frame"].max() == 38


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "no file"), (b"", "an empty file"), (b"x" * 99, "decoded")]
)
def test_a_video_that_does_not_decode_discards_the_segment(
    segment, detector, tmp_path, content, reason
):
    for name in ("positions.parquet", "transforms.parquet"):
        (tmp_path / name).write_bytes((segment / name).read_bytes())
    if content is not None:
        (tmp_path / "video.mp4").write_bytes(content)
    assert detect(tmp_path, detector, tmp_path / "out.parquet").empty
    verdict = tables.read_verdict(tmp_path / "out.parquet")
    assert verdict.discarded
    assert reason in verdict.reason


def test_a_rig_that_was_refused_discards_its_segments(segment, detector, tmp_path):
    for name in ("positions.parquet", "video.mp4"):
        (tmp_path / name).symlink_to(segment / name)
    about = {f"{rigs.REFUSED}north": "its points are mirrored"}
    path = tmp_path / "transforms.parquet"
    tables.write(tables.empty("transforms"), path, "transforms", about=about)
    assert detect(tmp_path, detector, tmp_path / "out.parquet").empty
    expected = Verdict("discarded", "the rig north has no transform: its points are mirrored")
    assert tables.read_verdict(tmp_path / "out.parquet") == expected


def test_a_discarded_segment_is_not_looked_at(segment, tmp_path):
    verdict = Verdict("discarded", "no antennas")
    tables.write(tables.empty("positions"), tmp_path / "positions.parquet", "positions", verdict)
    assert detect(tmp_path, tmp_path / "absent", tmp_path / "out.parquet").empty
    assert tables.read_verdict(tmp_path / "out.parquet") == verdict


def test_of_a_discarded_segment_nothing_is_looked_at_nor_torch_loaded(segment, tmp_path):
    why = tables.Verdict("discarded", "a trace of nobody")
    empty = tables.empty("positions")
    tables.write(empty, tmp_path / "positions.parquet", "positions", why)
    named = [tmp_path / name for name in ("none.mp4", "none.safetensors", "positions.parquet")]
    command = [
        "-m",
        "murid",
        "detect",
        "--rig",
        "north",
        "--fps",
        "25",
        "--output",
        tmp_path / "found.parquet",
    ]
    for option, path in zip(("--video", "--detector", "--positions"), named, strict=True):
        command += [option, path]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command, "--transforms", tmp_path / "none.parquet"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "pyarrow" in done.stderr
    assert "torch" not in done.stderr
    assert tables.read_verdict(tmp_path / "found.parquet") == why
