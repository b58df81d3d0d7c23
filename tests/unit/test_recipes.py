"""The recipes of config/README.md for other tools, each run word for word on files of that tool.

SLEAP's file is what sleap-io exports of a real recording. DeepLabCut's is of the same animals, in
its four header rows. Ultralytics is not installed, as it brings another OpenCV and needs a trained
model: a stand-in has the part of its interface that the recipe uses.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from murid import contracts, tables
from murid.archive import detections
from murid.cli import cli
from murid.detect import foreign
from murid.settings import Detect, Image

IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])


@pytest.fixture(scope="module")
def recipes(root: Path) -> dict[str, list[str]]:
    """The blocks of code of config/README.md, by the words in bold that they follow."""
    found: dict[str, list[str]] = {}
    topic = ""
    pattern = (
        r"^(##.*|\*\*[^*\n]+(?=\*\*))|^```(?:python)?\n([\s\S]*?)^```$|((?:^    .*\n|^\n(?=    ))+)"
    )
    text = (root / "config" / "README.md").read_text()
    for headed, fenced, indented in re.findall(pattern, text, re.MULTILINE):
        if headed:
            topic = headed.strip("*") if headed.startswith("*") else ""
        block = fenced or re.sub("(?m)^    ", "", indented).strip("\n")
        if block:
            found.setdefault(topic, []).append(block + "\n" * (not block.endswith("\n")))
    return found


def execute(command: list[str], folder: Path, root: Path, path: str = "") -> None:
    """Run a block of code in a folder, with the package as it is here."""
    paths = [path, str(root / "workflow")] if path else [str(root / "workflow")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def in_shell(lines: str) -> list[str]:
    """Return a command that runs lines of a shell, where ``murid`` is installed or not."""
    return ["bash", "-euc", f'murid() {{ "{sys.executable}" -m murid "$@"; }}\n{lines}']


def checked(folder: Path, part: str, path: Path, frames: int) -> str:
    """Return what ``murid check`` says of a segment of so many frames with this file."""
    trace = pd.DataFrame({"frame": range(frames), "R": 3, "G": np.arange(frames) // 5 % 6 + 4})
    trace.to_csv(folder / "positions.csv", index=False)
    outputs = ("positions", "annotations", "detections", "tracklets")
    options = [f"--output-{name}={folder / name}.parquet" for name in outputs]
    options += [f"--positions={folder / 'positions.csv'}", f"--{part}={path}"]
    done = CliRunner().invoke(cli, ["check", "--cage=A", "--segment=1", *options])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def kept(folder: Path, width: int, height: int, frames: int) -> tuple[pd.DataFrame, tables.Verdict]:
    """Return what is kept of a segment's detections, and the verdict on them."""
    given = tables.read(folder / "detections.parquet", "detections")
    image = Image(width=width, height=height)
    return foreign.adopt(given, frames, IDENTITY, image, Detect(), 0.75)


@pytest.mark.parametrize("name", ["two_flies", "two_flies_noisy_detections"])
def test_sleap(recipes, root, shared, tmp_path, name):
    sleap_io = pytest.importorskip("sleap_io")
    labels = sleap_io.load_slp(str(shared / "tracks" / f"{name}.slp"))
    sleap_io.save_csv(labels, str(tmp_path / "labels.csv"), format="sleap")
    (recipe,) = recipes["SLEAP"]
    execute([sys.executable, "-c", recipe], tmp_path, root)
    assert "usable" in checked(tmp_path, "tracklets", tmp_path / "tracks.csv", 128)
    found = tables.read(tmp_path / "tracklets.parquet", "tracklets")
    assert found["tracklet"].nunique() == 2
    assert len(found) == sum(i.track is not None for frame in labels for i in frame.instances)
    boxes, verdict = kept(tmp_path, 1024, 1024, 128)
    assert not verdict.discarded
    assert len(boxes) > 0.9 * len(found)


def test_deeplabcut(recipes, root, shared, tmp_path):
    sleap_io = pytest.importorskip("sleap_io")
    labels = sleap_io.load_slp(str(shared / "tracks" / "two_flies.slp"))
    points = labels.numpy(return_confidence=False)
    frames, individuals, parts, _ = points.shape
    seen = np.isfinite(points).all(axis=3)
    values = np.concatenate([points, np.where(seen, 0.95, 0.01)[..., None]], axis=3)
    columns = pd.MultiIndex.from_product(
        [["DLC_scorer"], ["mouse1", "mouse2"], labels.skeletons[0].node_names,
         ["x", "y", "likelihood"]],
        names=["scorer", "individuals", "bodyparts", "coords"],
    )  # fmt: skip
    table = pd.DataFrame(values.reshape(frames, individuals * parts * 3), columns=columns)
    table.to_csv(tmp_path / "videoDLC.csv")
    (recipe,) = recipes["DeepLabCut"]
    execute([sys.executable, "-c", recipe], tmp_path, root)
    assert "usable" in checked(tmp_path, "detections", tmp_path / "boxes.csv", frames)
    found = tables.read(tmp_path / "detections.parquet", "detections")
    assert len(found) == seen.any(axis=2).sum()
    low = np.nanmin(points[0, :, :, 0], axis=1) - 8
    assert sorted(found["x"][found["frame"] == 0]) == pytest.approx(sorted(low), abs=1e-3)
    boxes, verdict = kept(tmp_path, 1024, 1024, frames)
    assert not verdict.discarded
    assert len(boxes) > 0.9 * len(found)


ULTRALYTICS = """
import torch

class Boxes:
    # As ultralytics.engine.results.Boxes: rows of x1, y1, x2, y2, (track id,) confidence, class.
    def __init__(self, data):
        self.data, self.is_track = data, data.shape[-1] == 7
    def __len__(self):
        return len(self.data)
    def __getitem__(self, index):
        return Boxes(self.data[index][None])
    @property
    def xywh(self):
        low, high = self.data[:, :2], self.data[:, 2:4]
        return torch.cat([(low + high) / 2, high - low], dim=1)
    @property
    def conf(self):
        return self.data[:, -2]
    @property
    def id(self):
        return self.data[:, -3] if self.is_track else None

class Results:
    def __init__(self, data):
        self.boxes = Boxes(data)

class YOLO:
    def __init__(self, model):
        assert model == "mice.pt"
    def track(self, source, stream=False):
        assert source == "video.mp4" and stream
        for n in range(40):
            tracked = [[10.0 + n, 20, 50 + n, 80, 7, 0.9, 0], [200, 20, 260, 70, 8, 0.8, 0]]
            free = [[10.0 + n, 20, 50 + n, 80, 0.9, 0]]
            yield Results(torch.tensor(tracked if n != 3 else free))
"""


def test_ultralytics(recipes, root, tmp_path):
    (tmp_path / "ultralytics.py").write_text(ULTRALYTICS)
    (recipe,) = recipes["Ultralytics"]
    execute([sys.executable, "-c", recipe], tmp_path, root, path=str(tmp_path))
    assert "usable" in checked(tmp_path, "tracklets", tmp_path / "tracks.csv", 40)
    found = tables.read(tmp_path / "tracklets.parquet", "tracklets")
    assert set(found["tracklet"]) == {7, 8}
    assert 3 not in set(found["frame"])
    first = found[(found["frame"] == 2) & (found["tracklet"] == 7)]
    assert first[contracts.BOX].to_numpy().tolist() == [[12, 20, 40, 60]]
    boxes, verdict = kept(tmp_path, 640, 360, 40)
    assert verdict == tables.Verdict()
    assert len(boxes) == 79


def test_mot_text(recipes, root, tmp_path, shared):
    lines, command = recipes["MOT text"]
    (tmp_path / "tracks.txt").write_text(lines)
    execute(in_shell(command), tmp_path, root)
    found = tables.read(tmp_path / "tracklets.parquet", "tracklets")
    assert found["tracklet"].tolist() == [7, 8, 7]
    assert len(tables.read(tmp_path / "detections.parquet", "detections")) == 4
    real = shared / "mot" / "TUD-Stadtmitte" / "sort_reference.txt"
    (tmp_path / "tracks.txt").write_bytes(real.read_bytes())
    execute(in_shell(command), tmp_path, root)
    found = tables.read(tmp_path / "tracklets.parquet", "tracklets")
    assert len(found) == len(real.read_text().splitlines())
    assert "usable" in checked(tmp_path, "tracklets", real, int(found["frame"].max()) + 1)


def test_coco_results(recipes, root, tmp_path):
    files, command = recipes["COCO results"]
    texts = re.findall(r"^(\w+\.json)(.*?)(?=^\w+\.json|\Z)", files, re.M | re.S)
    assert [name for name, _ in texts] == ["results.json", "images.json"]
    for name, text in texts:
        json.loads(text)
        (tmp_path / name).write_text(text)
    execute(in_shell(command), tmp_path, root)
    found = tables.read(tmp_path / "detections.parquet", "detections")
    assert found[["frame", *contracts.BOX]].to_numpy().tolist() == [[12, 10, 20, 30, 40]]


def test_coco_results_as_pycocotools_takes_them(recipes, root, tmp_path):
    coco = pytest.importorskip("pycocotools.coco")
    _, command = recipes["COCO results"]
    images = {
        "images": [{"id": 30 + n, "file_name": f"A_1/{n:06d}.jpg"} for n in range(9)],
        "categories": [{"id": 1, "name": "mouse"}],
        "annotations": [],
    }
    (tmp_path / "images.json").write_text(json.dumps(images))
    rows = np.array([[30 + n, 5 * n, 20, 30, 40, 0.9, 1] for n in range(9)])
    truth = coco.COCO(str(tmp_path / "images.json"))
    results = truth.loadRes(rows).dataset["annotations"]
    (tmp_path / "results.json").write_text(json.dumps(results, default=float))
    execute(in_shell(command), tmp_path, root)
    found = tables.read(tmp_path / "detections.parquet", "detections")
    assert found["x"].tolist() == [5 * n for n in range(9)]


@pytest.mark.parametrize("kind", ["VIA", "COCO JSON"])
def test_annotations(recipes, root, tmp_path, kind):
    text, command = recipes[kind]
    (tmp_path / "annotations.json").write_text(text)
    execute(in_shell(command), tmp_path, root)
    table = tables.read(tmp_path / "annotations.parquet", "annotations")
    assert table["frame"].tolist() == [100, 100]
    assert [list(names) for names in table["identities"]] == [["R"], ["G", "B"]]
    assert table["visibility"].tolist() == ["truncated", "clear"]
    assert table["type"].tolist() == ["single", "huddle"]


def test_antenna_traces(recipes, root, tmp_path):
    *texts, command = recipes["Antenna traces"]
    found = []
    for text in texts:
        (tmp_path / "trace.csv").write_text(text)
        execute(in_shell(command), tmp_path, root)
        found.append(tables.read(tmp_path / "positions.parquet", "positions"))
    assert len(found) == 2
    pd.testing.assert_frame_equal(*found)
    assert found[0]["animal"].unique().tolist() == ["R", "G"]


def test_no_recipe_goes_untested(recipes):
    tested = {
        "SLEAP", "DeepLabCut", "Ultralytics", "MOT text", "COCO results", "VIA", "COCO JSON",
        "Antenna traces",
    }  # fmt: skip
    assert set(recipes) - {""} == tested


def test_detections_read_back_from_what_import_wrote(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("frame,x,y,w,h,score\n0,10,20,30,40,0.9\n")
    done = CliRunner().invoke(cli, ["import", "detections", str(path), str(tmp_path / "d.parquet")])
    assert done.exit_code == 0
    assert detections.read(tmp_path / "d.parquet")["x"].tolist() == [10]
