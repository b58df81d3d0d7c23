"""The recipes of config/README.md for other tools, each run word for word on files of that tool.

Files of SLEAP are of a real recording. DeepLabCut's was written by DeepLabCut (see
tests/data/recipes). Ultralytics itself makes a model and tracks with it (envs/recipes.txt).
"""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import av
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from murid import corrections, schemas, tables
from murid.archive import detections
from murid.cli import cli
from murid.detect import foreign
from murid.readings.logs import formats
from murid.settings import Detect, Image
from readme_blocks import blocks, in_shell

IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])


@pytest.fixture(scope="module")
def recipes(root: Path) -> dict[str, list[str]]:
    """The blocks of code of config/README.md, by the words in bold that they follow."""
    return blocks((root / "config" / "README.md").read_text())


def execute(command: list[str], folder: Path, root: Path, path: str = "") -> None:
    """Run a block of code in a folder, with the package as it is here."""
    paths = [path, str(root / "workflow"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


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
    return foreign.adopt(given, frames, IDENTITY, image, Detect(), 0.75, 3)


@pytest.mark.parametrize("name", ["two_flies", "two_flies_noisy_detections"])
def test_labels_of_sleap_are_tracklets(shared, tmp_path, name):
    path = shared / "tracks" / f"{name}.slp"
    assert "usable" in checked(tmp_path, "tracklets", path, 128)
    found = tables.read(tmp_path / "tracklets.parquet", "tracklets")
    assert found["tracklet"].nunique() == 2
    boxes, verdict = kept(tmp_path, 1024, 1024, 128)
    assert not verdict.discarded
    assert len(boxes) > 0.9 * len(found)


@pytest.mark.parametrize("suffix", [".csv", ".h5"])
def test_predictions_of_deeplabcut_are_detections(root, tmp_path, suffix):
    path = root / "tests" / "data" / "recipes" / f"videoDLC{suffix}"
    assert "usable" in checked(tmp_path, "detections", path, 40)
    found = tables.read(tmp_path / "detections.parquet", "detections")
    assert len(found) == 74
    boxes, verdict = kept(tmp_path, 640, 360, 40)
    assert not verdict.discarded
    assert len(boxes) == len(found)
    assert "without tracklets" in checked(tmp_path, "tracklets", path, 40)


MAKE_MODEL = """
import json, torch
from ultralytics import YOLO

torch.manual_seed(0)
model = YOLO("yolo11n.yaml")  # random weights, of which only the coarsest boxes are believed
heads = model.model.model[-1].cv3
for head in heads:
    head[-1].bias.data[:] = -20
heads[2][-1].bias.data[0] = 2
model.save("mice.pt")
results = list(YOLO("mice.pt").track("video.mp4", stream=True))
rows = [
    [frame, int(row[4]), *row[:4], row[5]]
    for frame, result in enumerate(results)
    for row in result.boxes.data.tolist()
]
for frame, result in enumerate(results, 1):
    result.save_txt(f"labels/video_{frame}.txt", save_conf=True)
json.dump(rows, open("reported.json", "w"))
"""


def test_ultralytics(recipes, root, tmp_path, monkeypatch):
    for name in ("ultralytics", "lap"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed (pip install --no-deps -r envs/recipes.txt)")
    monkeypatch.setenv("YOLO_CONFIG_DIR", str(tmp_path / "home"))
    monkeypatch.setenv("YOLO_OFFLINE", "true")
    monkeypatch.setenv("YOLO_AUTOINSTALL", "false")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    write_video(tmp_path / "video.mp4", 4)
    (recipe,) = recipes["Ultralytics"]
    # In one process: loading the library takes the longest.
    execute([sys.executable, "-c", f"{MAKE_MODEL}\n{recipe}"], tmp_path, root)
    assert "usable" in checked(tmp_path, "tracklets", tmp_path / "tracks.json", 4)
    found = tables.read(tmp_path / "tracklets.parquet", "tracklets")
    boxes = tables.read(tmp_path / "detections.parquet", "detections")
    reported = np.array(json.loads((tmp_path / "reported.json").read_text()))
    assert len(reported) > 12
    assert reported[:, 1].min() > 0
    reported[:, 4:6] -= reported[:, 2:4]
    order = np.lexsort(reported[:, 1::-1].T)
    read = found.sort_values(["frame", "tracklet"])[["frame", "tracklet", *schemas.BOX]]
    np.testing.assert_allclose(read, reported[order][:, :6], atol=0.01)
    assert len(boxes) == len(reported)
    np.testing.assert_allclose(np.sort(boxes["score"]), np.sort(reported[:, 6]), atol=1e-3)
    packed = shutil.make_archive(str(tmp_path / "labels"), "zip", tmp_path, "labels")
    table = detections.read(packed, size=(160, 96)).table.sort_values(["frame", "tracklet"])
    names = ["frame", "tracklet", *schemas.BOX, "score"]
    np.testing.assert_allclose(table[names].to_numpy(float), reported[order], atol=0.01)


def write_video(path: Path, frames: int) -> None:
    """Write frames of 160 x 96 pixels in which two dark rectangles pass each other."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
        for frame in range(frames):
            picture = np.full((96, 160, 3), 200, np.uint8)
            picture[15:39, 10 + 2 * frame : 42 + 2 * frame] = 20
            picture[60:84, 110 - 2 * frame : 142 - 2 * frame] = 40
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


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
    assert found[["frame", *schemas.BOX]].to_numpy().tolist() == [[12, 10, 20, 30, 40]]


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


@pytest.mark.parametrize("kind", ["VIA", "COCO JSON", "CVAT", "Label Studio"])
def test_annotations(recipes, root, tmp_path, kind):
    text, command = recipes[kind]
    (tmp_path / command.split()[3]).write_text(text)
    execute(in_shell(command), tmp_path, root)
    table = tables.read(tmp_path / "annotations.parquet", "annotations")
    assert table["frame"].tolist() == [100, 100]
    assert [list(names) for names in table["identities"]] == [["R"], ["G", "B"]]
    assert table["visibility"].tolist() == ["truncated", "clear"]
    assert table["type"].tolist() == ["single", "huddle"]
    assert table[schemas.BOX].to_numpy().tolist() == [[10, 20, 90, 40], [200, 30, 120, 60]]


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


def test_corrections(recipes, tmp_path):
    (lines,) = recipes["Corrections"]
    path = tmp_path / "corrections.csv"
    path.write_text(lines)
    rows, wrong = corrections.of_segment([path], ("A", "1"))
    assert not wrong
    assert [row["animal"] for row in rows] == ["R", "nobody", "G"]
    assert [row["tracklet"] for row in rows] == [None, None, 312]
    assert [row["remark"] for row in rows] == ["", "a shadow", "ear tag seen"]


def test_no_recipe_goes_untested(recipes):
    tested = {
        "Ultralytics", "MOT text", "COCO results", "VIA", "COCO JSON", "CVAT",
        "Label Studio", "Antenna traces", "Corrections",
    }  # fmt: skip
    # By test_animals.py, test_listing.py, test_listing_cut.py, test_readings_formats.py,
    # test_readings_places.py and test_source_rows.py.
    tested |= {"Logs in the sheet", "Who wears which tag", "A folder of recordings"}
    tested |= {
        "A table of antennas in no grid",
        "A recording of a day",
        "Back to the file.",
        *formats(),
    }
    assert set(recipes) - {""} == tested


def test_detections_read_back_from_what_import_wrote(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("frame,x,y,w,h,score\n0,10,20,30,40,0.9\n")
    done = CliRunner().invoke(cli, ["import", "detections", str(path), str(tmp_path / "d.parquet")])
    assert done.exit_code == 0
    assert detections.read(tmp_path / "d.parquet").table["x"].tolist() == [10]
