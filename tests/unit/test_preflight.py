"""What is told of a run before anything runs."""

import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import made_videos
import onnx_networks
from murid.detect import cost
from murid.errors import InputError
from murid.models import fitted_path, fitted_weights
from murid.picking import project
from murid.run import plan, preflight, provenance
from murid.run.findings_of_logs import of_logs
from murid.run.findings_of_starts import of_starts
from murid.run.fingerprints import Fingerprints
from murid.run.plan import Plan
from murid.settings import Settings, TrainDetector
from murid.sheet import Segment
from small_rig import MODEL, simple_model

HEADER = "cage\tsegment\tpositions\tdetections\tvideo\tannotations\tsplit\trig\tanimals"
ROWS = [
    "A\t1\tp1.csv\td1.csv\t\ta.csv\tTrain\tleft\tR,G,B",
    "A\t2\tp2.csv\td2.csv\t\t\tTest\tleft\tR,G,B",
    "B\t1\tp3.csv\td3.csv\t\ta.csv\tValidate\tright\tR,G",
]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with which nothing is wrong."""
    folder = tmp_path / "archive"
    folder.mkdir()
    for name in ("p1", "p2", "p3", "d1", "d2", "d3", "a"):
        (folder / f"{name}.csv").touch()
    (folder / "v.mp4").touch()
    points = ["rig,antenna,x,y", "left,1,0,0", "right,1,0,0"]
    (folder / "points.csv").write_text("\n".join(points) + "\n")
    write(folder, ROWS)
    return folder


def write(folder: Path, rows: list[str]) -> None:
    (folder / "segments.tsv").write_text("\n".join([HEADER, *rows]) + "\n")


def told(folder: Path, **config: object) -> list[str]:
    given = {"archive": str(folder), "points": str(folder / "points.csv")} | config
    return [str(finding) for finding in preflight.look(plan.load(given))]


def write_models(folder: Path, most: int = 2) -> dict[str, str]:
    """Write weights and a path model for 1 x 4 antennas, 320 x 180 pixels and up to ``most``."""
    model = simple_model(animals=most)
    models = {name: str(folder / f"{name}.json") for name in ("weights", "path_model")}
    fitted_weights.write(fitted_weights.Weights(model, model, (320, 180)), models["weights"])
    made = replace(MODEL.made_for, image=(320, 180), animals=(1, 2))
    fitted_path.write(replace(MODEL, made_for=made), models["path_model"])
    return models


def test_nothing_is_told_where_nothing_is_wrong(archive: Path) -> None:
    assert told(archive) == []


def test_models_made_for_something_else_are_told(archive: Path) -> None:
    models, grid = write_models(archive), {"rows": 1, "columns": 4}
    wrong = told(archive, **models, grid=grid)
    assert [line.startswith(f"error: {path}") for line, path in zip(
        wrong, models.values(), strict=True
    )] == [True, True]  # fmt: skip
    assert all("320 x 180 pixels; expected one for 1280 x 720" in line for line in wrong)
    size = {"width": 320, "height": 180}
    found = told(archive, **models, grid=grid, image=size)
    assert [line.partition(":")[0] for line in found] == ["error", "warning"]
    assert "up to 2 animals; expected one for 3" in found[0]
    assert found[1].endswith("confidence was learnt under other conditions: 3 animals, not 1 to 2")
    # A path model that no method needs is of no concern.
    ilp = {"methods": ["ilp"], "default": "ilp"}
    assert len(told(archive, **models, grid=grid, image=size, identify=ilp)) == 1


USES = {"grid": {"rows": 1, "columns": 4}, "image": {"width": 320, "height": 180}}
CUT = "Set {}: to null to fit one on this archive, or name one that was made for it."


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda weights, path: (weights[: len(weights) // 2], path), {"weights": "malformed JSON"}),
        (lambda weights, path: (weights, path[: len(path) // 2]), {"path_model": "malformed JSON"}),
        (lambda weights, path: (b"", path), {"weights": "an empty file"}),
        (lambda weights, path: (b"[" * 100_000, path), {"weights": "malformed JSON"}),
        (
            lambda weights, path: (path, weights),
            {
                "weights": "the format 'murid path model 2'; expected 'murid weights 4'",
                "path_model": "the format 'murid weights 4'; expected 'murid path model 2'",
            },
        ),
        (
            lambda weights, path: (
                weights.replace(b'"hidden_share": 0', b'"hidden_share": 7'),
                path,
            ),
            {"weights": "key paper.hidden_share: found"},
        ),
        (
            lambda weights, path: (weights, path.replace(b'"slope"', b'"slops"')),
            {"path_model": "key score.slope: found nothing; expected a value"},
        ),
    ],
    ids=("half weights", "half path model", "empty", "nested", "exchanged", "a number", "a key"),
)
def test_models_that_no_stage_could_read_are_told_by_plan_and_command(
    archive: Path, damage: Callable[[bytes, bytes], tuple[bytes, bytes]], expected: dict[str, str]
) -> None:
    models = write_models(archive, most=3)
    assert [line for line in told(archive, **models, **USES) if line.startswith("error")] == []
    files = [Path(path) for path in models.values()]
    for path, held in zip(files, damage(*(path.read_bytes() for path in files)), strict=True):
        path.write_bytes(held)
    errors = [line for line in told(archive, **models, **USES) if line.startswith("error")]
    assert len(errors) == len(expected)
    for error, (setting, words) in zip(errors, expected.items(), strict=True):
        assert error.startswith(f"error: {models[setting]}")
        assert words in error
        assert error.endswith(CUT.format(setting))
    config = {"archive": str(archive), "points": str(archive / "points.csv")} | models | USES
    with pytest.raises(InputError) as caught:
        preflight.check(plan.load(config))
    lines = str(caught.value).splitlines()
    assert len(lines) == len(expected)
    for line, (setting, words) in zip(lines, expected.items(), strict=True):
        assert line.startswith(f"preflight: found {models[setting]}")
        assert words in line
        assert CUT.format(setting).rstrip(".") + "; expected" in line


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda held: held[:-1], "file not fully covered"),
        (lambda held: held + b"\0", "file not fully covered"),
        (lambda held: held[:40], "invalid header length"),
        (lambda held: held[:4], "header too small"),
        (lambda held: b"", "an empty file"),
        (lambda held: b"PK\3\4" + 200 * b"\0", "invalid header length"),
        (lambda held: held.replace(b"slim", b"vgg1"), "the backbone 'vgg1'"),
        (lambda held: held.replace(b"murid", b"other"), "'backbone'"),
    ],
)
def test_a_detector_that_is_none_or_not_whole_is_told(
    archive: Path, damage: Callable[[bytes], bytes], words: str
) -> None:
    path = archive / "d.safetensors"
    about = {"murid": json.dumps({"backbone": "slim", "width": 64})}
    tensor = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
    header = json.dumps({"__metadata__": about, "t": tensor}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(16))
    row = "C\t1\tp1.csv\t\tv.mp4\t\tTest\tleft\tR,G,B"
    write(archive, [*(row.replace("p1.csv", "p2.csv") for row in ROWS[1:]), ROWS[0], row])

    def errors() -> list[str]:
        found = told(archive, detector=str(path))
        return [line for line in found if line.startswith("error")]

    assert errors() == []
    path.write_bytes(damage(path.read_bytes()))
    (error,) = errors()
    assert error.startswith(f"error: {path}: found ")
    assert words in error
    assert error.endswith(CUT.format("detector"))
    # Nothing is detected here.
    write(archive, ROWS)
    assert errors() == []


def test_a_network_of_others_is_looked_at_before_the_run(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = onnx_networks.write(archive / "n.onnx", "yolo", batch=1, names="{0: 'mouse', 1: 'hut'}")
    row = "C\t1\tp1.csv\t\tv.mp4\t\tTest\tleft\tR,G,B"
    write(archive, [*(row.replace("p1.csv", "p2.csv") for row in ROWS[1:]), ROWS[0], row])

    def lines(**config: object) -> list[str]:
        found = told(archive, detector=str(path), **config)
        return [line for line in found if "n.onnx" in line]

    (doubt,) = lines()
    assert doubt.startswith(f"error: {path}, layout auto: found the outputs output0 [1, 6, 1]")
    sound = {"layout": "yolo"}
    assert lines(onnx=sound) == []
    (unknown,) = lines(onnx=sound | {"mouse_classes": [2]})
    assert unknown.startswith(f"error: {path}, the classes: found 2 classes; expected")
    (compiled,) = lines(onnx=sound, detect={"compile": True})
    assert compiled.startswith("warning: detect.compile, which does nothing")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    (missing,) = lines(onnx=sound)
    assert missing.startswith(f"warning: {path}: a network of others, and onnxruntime is not")
    path.write_bytes(b"")
    assert [line.partition(": ")[0] for line in lines(onnx=sound)] == ["error", "warning"]
    # Nothing is detected here.
    write(archive, ROWS)
    assert lines() == []


def test_everything_is_told_at_once(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "has_gpu", lambda: False)
    monkeypatch.setattr(cost, "available", lambda: 2 * 10**9)
    write(
        archive,
        [
            "A\t1\tp1.csv\t\tv.mp4\t\tTrain\tleft\tR,G,B",
            "A\t2\tp1.csv\t\tnone.mp4\t\tTrain\tlefft\tR,G",
            *(f"C\t{n}\tmissing{n}.csv\t\tv.mp4\t\tTest\tright\t" for n in range(4)),
        ],
    )
    found = told(
        archive,
        evaluate={"snippets": [[9000, 9001]]},
        detect={"device": "cuda"},
        train_detector={"device": "cpu"},
    )
    text = "\n".join(found)
    for words in (
        "warning: " + str(archive / "points.csv") + ": no points of the rig lefft, which 1 segment "
        "has (A 2), only of left, right: add them, or mend the column rig; else these segments "
        "are discarded",
        "error: no segment of split Train or Validate has annotations to fit weights to",
        "to fit the path model to",
        "no segment of split Train has both a video and annotations",
        "error: training the detector (resnet50, 1280 pixels wide) takes about",
        "config/cpu.yaml",
        "warning: detect.device is cuda",
        "warning: positions: 4 of 6 files are not there",
        "missing2.csv and 1 more",
        "warning: video: 1 of 6 files are not there",
        "warning: animals: they differ between segments of the cages A",
        "warning: positions: the same file for several segments",
        "warning: evaluate.snippets: (9000.0, 9001.0) s begin after longest_segment, 1800 s",
    ):
        assert words in text
    assert [line.startswith("error") for line in found] == sorted(
        (line.startswith("error") for line in found), reverse=True
    )


@pytest.mark.parametrize(
    ("memory", "here", "trained", "fatal"),
    [(2, True, False, True), (2, False, False, False), (2, True, True, False),
     (64, True, False, False)],
    ids=["too little", "on other machines", "trained before", "enough"],
)  # fmt: skip
def test_training_that_cannot_fit_on_the_machine_it_runs_on_is_an_error(
    archive: Path, monkeypatch: pytest.MonkeyPatch, memory: int, here: bool, trained: bool,
    fatal: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(cost, "has_gpu", lambda: False)
    monkeypatch.setattr(cost, "available", lambda: memory * 10**9)
    write(archive, [row.replace("d1.csv\t", "\tv.mp4") for row in ROWS])
    results = archive / "results"
    results.mkdir()
    if trained:
        (results / "detector.safetensors").touch()
    given = {"archive": str(archive), "results": str(results)}
    findings = preflight.look(plan.load(given | {"points": str(archive / "points.csv")}), here=here)
    (training,) = (each for each in findings if each.text.startswith("training the detector"))
    assert training.fatal == fatal


def test_with_no_rig_left_the_run_is_refused(archive: Path) -> None:
    write(archive, [row.replace("left", "lift").replace("right", "rite") for row in ROWS])
    found = told(archive)
    assert [line.startswith("error: ") for line in found] == [True, True]
    assert "no points of the rig lift, which 2 segments have (A 1, A 2), only of" in found[0]
    assert found[0].endswith("add them, or mend the column rig")


def test_a_recording_that_is_not_there_is_told_of_its_rig(archive: Path) -> None:
    (archive / "l.mp4").touch()
    (archive / "points.csv").write_text("rig,recording\nleft,l.mp4\nright,r.mp4\n,\n")
    (line,) = told(archive)
    assert line.startswith("warning: ")
    assert f"the recording {archive / 'r.mp4'} of the rig right, which 1 segment has" in line
    assert "is not there: mend it, or mend the column rig; else these segments are disc" in line
    (archive / "l.mp4").unlink()
    assert [line.startswith("error: ") for line in told(archive)] == [True, True]


def test_a_video_for_which_there_is_no_detector_is_told(archive: Path) -> None:
    write(archive, [*ROWS, "B\t2\tp4.csv\t\tv.mp4\t\tTest\tright\tR,G"])
    (archive / "p4.csv").touch()
    (line,) = told(archive)
    assert line.startswith("warning: 1 segment has a video but no boxes (B 2), and no segment of")
    assert "set detector: to a trained one; else these segments are discarded" in line
    write(archive, [re.sub(r"d\d\.csv\t\t(a.csv)?", "\tv.mp4\t", row) for row in ROWS])
    assert any(
        line.startswith("error: no segment of split Train has both a video and annotations")
        for line in told(archive)
    )


@pytest.mark.parametrize(("split", "other"), [("Train", "Test"), ("Test", "Validate")])
def test_a_cage_that_is_learnt_from_and_judged_by_is_told(
    archive: Path, split: str, other: str
) -> None:
    row = f"C\t1\tp1.csv\td1.csv\t\ta.csv\t{split}\tleft\tR,G,B"
    second = f"C\t2\tp2.csv\td2.csv\t\ta.csv\t{other}\tleft\tR,G,B"
    write(archive, [ROWS[0], ROWS[2], row, second])
    (line,) = (line for line in told(archive) if "split:" in line)
    assert line.startswith("warning: split: 1 cage has annotated segments of Test and of")
    # Nothing is judged by a segment without annotations.
    write(archive, [ROWS[0], ROWS[2], row.replace("a.csv", ""), second.replace("a.csv", "")])
    assert not any("split:" in line for line in told(archive))


def test_a_rate_that_the_sheet_gives_is_not_assumed(archive: Path) -> None:
    (archive / "segments.tsv").write_text(
        "\n".join(
            [
                f"{HEADER}\tfps",
                *(f"{row}\t{fps}" for row, fps in zip(ROWS, ("9", "", "9"), strict=True)),
            ]
        )
    )
    config = {"archive": str(archive), "points": str(archive / "points.csv")}
    summary = preflight.summary(plan.load(config))
    assert "fps is not given of 1 segment, and taken to be 25" in summary


def test_what_is_no_plain_file_is_told_as_what_it_is(archive: Path) -> None:
    for name in ("p1.csv", "p2.csv", "d3.csv"):
        (archive / name).unlink()
    os.mkfifo(archive / "p1.csv")
    (archive / "p2.csv").mkdir()
    (archive / "d3.csv").symlink_to("d3.csv")
    found = told(archive)
    for words in (
        f"positions: 1 of 3 files are a named pipe, no file ({archive / 'p1.csv'})",
        f"positions: 1 of 3 files are a folder, no file ({archive / 'p2.csv'})",
        f"detections: 1 of 3 files cannot be looked at (Too many levels of symbolic links) "
        f"({archive / 'd3.csv'})",
    ):
        assert f"warning: {words}: these segments are discarded" in found


def test_rigs_without_points_at_all_are_an_error(archive: Path) -> None:
    (line,) = told(archive, points=None)
    assert line.startswith("error: the rigs left, right in the sheet, but points: is not set")
    write(archive, [row.replace("right", "left") for row in ROWS])
    assert told(archive, points=None) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "an empty file"),
        ("filename,region_shape_attributes\n", "with a column file_attributes"),
        (
            "filename,file_attributes,region_shape_attributes,region_attributes\n",
            "found no points; expected points (shape point)",
        ),
        ("rig\n" + 200_000 * "x", "a column antenna"),
        ("rig;antenna;x;y\nleft;1;0;0\n", "columns separated by ';'"),
    ],
)
def test_points_that_cannot_be_read_end_the_run_beforehand(
    archive: Path, text: str, reason: str
) -> None:
    (archive / "points.csv").write_text(text)
    (line,) = told(archive)
    assert line.startswith(f"error: {archive / 'points.csv'}")
    assert reason in line


@pytest.mark.parametrize(
    ("row", "reason"), [("right,1,10,5,0", "line 3: found 5 cells"), ('right,1,"10,5",0', "10.5")]
)
def test_a_bad_point_is_told_of_its_rig_beforehand(archive: Path, row: str, reason: str) -> None:
    (archive / "points.csv").write_text(f"rig,antenna,x,y\nleft,1,0,0\n{row}\n")
    (line,) = told(archive)
    assert line.startswith("warning: ")
    assert "no points of the rig right, which 1 segment has (B 1): " in line
    assert reason in line
    assert line.endswith("else these segments are discarded")


def test_points_drawn_with_via_are_looked_at_beforehand(archive: Path) -> None:
    region = {
        "shape_attributes": {"name": "point", "cx": 1, "cy": 2},
        "region_attributes": {"antenna": "1"},
    }
    images = {name: {"filename": f"{name}.png", "regions": [region]} for name in ("left", "rigt")}
    (archive / "points.json").write_text(json.dumps(images))
    (line,) = told(archive, points=str(archive / "points.json"))
    assert "no points of the rig right, which 1 segment has (B 1), only of left, rigt" in line


def test_an_archive_without_annotations_lacks_nothing_where_weights_are_learnt_without(
    archive: Path,
) -> None:
    write(archive, [row.replace("\ta.csv\t", "\t\t") for row in ROWS])
    assert any("set fit_weights.annotations: none" in line for line in told(archive))
    assert told(archive, fit_weights={"annotations": "none"}) == []
    # Where weights are given, nothing is learnt without: how a path model comes about is told.
    given = {"weights": write_models(archive, 3)["weights"]} | USES
    (lack,) = [line for line in told(archive, **given) if "path model" in line]
    assert "learn it and the weights without (fit_weights.annotations: none, weights: null)" in lack


def test_what_goes_without_a_split_to_validate_on_is_told(archive: Path) -> None:
    write(archive, [row.replace("Validate", "Train") for row in ROWS])
    (line,) = told(archive)
    assert line == (
        "warning: no segment of split Validate has annotations: how sure names are is as the path "
        "model has it, and not put right. Move an annotated segment of a cage of its own there"
    )
    ilp = {"methods": ["ilp"], "default": "ilp"}
    assert told(archive, identify=ilp) == []
    row = "C\t1\tp1.csv\t\tv.mp4\ta.csv\tTrain\tleft\tR,G,B"
    write(archive, [*(row.replace("p1.csv", "p2.csv") for row in ROWS[1:2]), row])
    found = told(archive, identify=ilp, train_detector={"backbone": "slim"})
    assert "of the detector's checkpoints the last is kept, not the best" in found[-1]


def test_annotated_segments_without_a_split_are_told(archive: Path) -> None:
    write(archive, [*ROWS[:1], ROWS[1].replace("\t\tTest", "\ta.csv\t"), ROWS[2]])
    assert told(archive) == [
        "warning: split: 1 annotated segment has none (A 2): nothing is learnt from them, nor "
        "judged by them. Give them Train, Validate or Test"
    ]


def test_segments_that_wait_to_be_annotated_are_told(archive: Path) -> None:
    project.write(archive / "w.json", "A 2", {7: ("7.png", 99)}, ["R"])
    write(archive, [*ROWS[:1], ROWS[1].replace("\t\tTest", "\tw.json\t"), ROWS[2]])
    assert told(archive) == [
        "warning: 1 segment waits to be annotated (A 2): in their projects no picture has a box, "
        "or says annotated: yes. Until then they count as not annotated"
    ]


def test_jobs_that_ask_for_more_than_there_is_are_told(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "available", lambda: 4 * 10**9)
    assert told(archive) == []
    (line,) = told(archive, longest_segment=3)
    assert line == ("warning: longest_segment 3 h: jobs of up to 5.8 GB, and there are 4.0 GB here")


def test_a_part_of_a_run_needs_no_annotations(archive: Path) -> None:
    write(archive, [row.replace("a.csv", "") for row in ROWS])
    config = {"archive": str(archive), "points": str(archive / "points.csv")}
    assert preflight.check(plan.load(config)) == []
    with pytest.raises(InputError, match="the rigs left, right"):
        preflight.check(plan.load(config | {"points": None}))


def test_looking_ahead_imports_nothing_heavy() -> None:
    heavy = ("numpy", "pandas", "pyarrow", "torch", "sklearn", "click")
    code = "import sys; from murid.run import preflight; "
    code += f"print([m for m in {heavy} if m in sys.modules])"
    environment = {"PYTHONPATH": str(provenance.PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_command_merges_files_and_values_and_ends_with_a_status(
    archive: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text(yaml.safe_dump({"archive": "x", "track": {"iou": 2, "min_length": 3}}))
    second.write_text(yaml.safe_dump({"archive": str(archive), "track": {"iou": 0.5}}))

    def run(*values: str) -> subprocess.CompletedProcess[str]:
        options = ["--config", *values] if values else []
        return subprocess.run(
            [sys.executable, "-m", "murid", "preflight", first, second, *options],
            env={"PYTHONPATH": str(provenance.PACKAGE.parent)}, text=True, capture_output=True,
            check=False,
        )  # fmt: skip

    done = run(f"points={archive / 'points.csv'}", "track={min_length: 4}")
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert done.stdout.splitlines()[0].startswith("3 segments (1 Train, 1 Test, 1 Validate) of 2")
    assert "fps is not given of 3 segments, and taken to be 25 frames a second" in done.stdout
    assert done.stdout.splitlines()[-1] == "ready to run"
    done = run(f"points={archive / 'points.csv'}", "evaluate={snippets: [[9000, 9001]]}")
    assert done.stdout.splitlines()[-1] == "ready to run, with 1 warning"
    second.write_text(second.read_text() + "detctor: x\n")
    done = run()
    assert done.returncode == 2
    line = second.read_text().count("\n")
    assert done.stderr.startswith(f"murid: {second}, line {line}, key detctor: found the unknown")
    assert done.stderr.rstrip().endswith("Did you mean detector?")
    second.write_text(second.read_text().replace("detctor: x\n", ""))
    done = run()
    assert done.returncode == 2
    assert "error: the rigs left, right" in done.stdout
    done = run("detect={max_mice: 2}")
    assert done.returncode == 2
    assert "key detect.max_mice: found 2; expected 3 at least" in done.stderr


@pytest.mark.parametrize("backbone", ["slim", "resnet18", "resnet50"])
def test_training_takes_more_the_more_a_step_sees(backbone: str) -> None:
    def needed(**change: int) -> int:
        values = {"backbone": backbone, "width": 320, "batch_size": 4} | change
        return cost.memory(TrainDetector(**values), 1280, 720)

    assert needed(width=640) > needed()
    assert needed(batch_size=8) > needed()
    assert needed() < needed(width=1280, batch_size=16)


def test_training_that_does_not_fit_is_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cost, "available", lambda: 20 * 10**9)
    with pytest.raises(InputError, match=r"GB of memory .* at most 20\.0 GB.*config/cpu\.yaml"):
        cost.check(TrainDetector(), 1280, 720, 100)
    slim = TrainDetector(backbone="slim", width=320, batch_size=4)
    assert "there are 20.0 GB" in cost.check(slim, 1280, 720, 100)


def test_limits_of_the_process_count() -> None:
    code = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31)); "
    code += "from murid.detect import cost; print(cost.available())"
    environment = {"PYTHONPATH": str(provenance.PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) <= 2**31


def test_a_copy_under_another_name_is_told(archive: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        (archive / f"p{number}.csv").write_text(f"frame,R\n0,{number % 2}\n")
    kept = Fingerprints(tmp_path / "kept.json")
    made = plan.load({"archive": str(archive)})
    assert list(preflight.copies(made, kept.of_kept)) == []
    for name in ("p1", "p2", "p3", "d1", "d2", "d3"):
        kept.of(str(archive / f"{name}.csv"))
    (told,) = preflight.copies(made, kept.of_kept)
    assert not told.fatal
    paths = [archive / f"{name}.csv" for name in ("p1", "p3")]
    assert str(told).startswith(f"warning: positions: {paths[0]}, {paths[1]} hold the same")


def test_what_people_said_that_nobody_would_hear_is_told(archive: Path) -> None:
    said = archive / "said.csv"
    said.write_text("cage,segment,frame,tracklet,animal,remarks\nA,1,3,0,R,\nA,9,3,0,R,\n")
    found = told(archive, corrections=str(said))
    assert any("1 segment is not in the sheet (A 9 in line 3)" in line for line in found)
    assert any("remarks (remark?) not known" in line for line in found)
    said.write_text("cage,segment,frame,tracklet,animal\nA,1,3,0,R\n")
    assert told(archive, corrections=str(said)) == []
    for methods, heard in ((["ilp"], False), (["ilp", "path"], True)):
        others = {"methods": methods, "default": "ilp"}
        found = told(archive, corrections=str(said), identify=others)
        assert any("no method obeys those of 1 segment (A 1)" in line for line in found) != heard
    # Without annotations, the default is all that runs.
    said.write_text("cage,segment,frame,tracklet,animal\nA,2,3,0,R\n")
    found = told(archive, corrections=str(said), identify=others)
    assert any("no method obeys those of 1 segment (A 2)" in line for line in found)


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize(("begin", "overlap"), [(100, False), (99, True)])
def test_a_file_under_two_names_is_one_and_no_copy(
    archive: Path, tmp_path: Path, link: Callable[[Path, Path], None], begin: int, overlap: bool
) -> None:
    (archive / "v.mp4").write_text("a video")
    link(archive / "v.mp4", archive / "w.mp4")
    (archive / "segments.tsv").write_text(
        "cage\tsegment\tpositions\tvideo\tfirst_frame\tlast_frame\n"
        f"A\t1\tp1.csv\tv.mp4\t0\t99\nA\t2\tp2.csv\tw.mp4\t{begin}\t199\n"
    )
    kept = Fingerprints(tmp_path / "kept.json")
    for name in "vw":
        kept.of(str(archive / f"{name}.mp4"))
    made = plan.load({"archive": str(archive)})
    assert [*preflight.copies(made, kept.of_kept)] == []
    shared = [line for line in told(archive) if "share frames of the same file" in line]
    assert len(shared) == overlap
    assert all(f"({archive}/v.mp4, which is {archive}/w.mp4)" in line for line in shared)


@pytest.mark.parametrize(
    ("sizes", "points", "warned"),
    [
        ([(640, 360)], False, "v0.mp4 of 640 x 360 pixels; 1 were"),
        ([(1280, 720)], False, ""),
        ([(1152, 648)], False, ""),
        ([(720, 1280)], False, ""),
        ([(640, 360)], True, "v0.mp4 of 640 x 360 pixels; 1 were"),
        ([(640, 360), (1280, 720)], True, ""),
        ([(1280, 720)] * 4 + [(640, 360)], False, "v4.mp4 of 640 x 360 pixels; 3 were"),
        ([None, None, (640, 360)], False, "v2.mp4"),
    ],
)
def test_videos_of_another_size_than_the_settings_have_are_told(
    archive: Path, sizes: list[tuple[int, int] | None], points: bool, warned: str
) -> None:
    rows = [f"A\t{n}\tp{n}.csv\t\tv{n}.mp4\t\tTest\tleft\tR,G" for n in range(len(sizes))]
    write(archive, rows)
    for number, size in enumerate(sizes):
        path = archive / f"v{number}.mp4"
        path.touch()
        if size:
            made_videos.make(path, range(1), size=size[::-1])
    told_of = [
        line
        for line in told(archive, **({} if points else {"points": None}))
        if line.startswith("warning: image: 1280 x 720")
    ]
    assert len(told_of) == bool(warned)
    assert all(warned in line and "Set image.width" in line for line in told_of)


def test_corrections_that_the_sheet_names_and_nobody_finds_are_told(archive: Path) -> None:
    name_corrections(archive, "said.csv", "", "")
    (line,) = told(archive)
    assert line == f"warning: corrections: the file {archive}/said.csv is not there"


def test_parts_of_a_video_that_overlap_are_told(archive: Path) -> None:
    columns = "cage\tsegment\tpositions\tvideo\trig\tfirst_frame\tlast_frame"
    row = "A\t{0}\tp{0}.csv\tv.mp4\tleft\t{1}\t{2}"
    for begin, faults in ((100, []), (99, ["video: segments that share frames of the same file"])):
        rows = [row.format(1, "", 99), row.format(2, begin, 199), row.format(3, 200, "")]
        (archive / "segments.tsv").write_text("\n".join([columns, *rows]) + "\n")
        found = [line for line in told(archive) if "warning: video" in line]
        assert [line.removeprefix("warning: ")[: len(fault)] for line, fault in zip(
            found, faults, strict=True
        )] == faults  # fmt: skip


def name_corrections(archive: Path, *names: str) -> None:
    """Let the sheet name files of corrections, one a segment."""
    rows = [f"{row}\t{name}" for row, name in zip(ROWS, names, strict=True)]
    (archive / "segments.tsv").write_text("\n".join([f"{HEADER}\tcorrections", *rows]) + "\n")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("cage,segment,frame,tracklet,animal\nB,7,3,0,R\n", "B 7"),
        ("cage,segment,frame,tracklet,animal\nA,1,3,0,R\na,1,3,0,R\nB,7,3,0,R\n", "a 1, B 7"),
        ("Segment,frame,tracklet,animal\n7,3,0,R\n", "7"),
        ("cage,frame,tracklet,animal\nB,3,0,R\n", "B"),
    ],
)
def test_what_a_file_of_the_sheet_says_of_other_segments_is_told(
    archive: Path, text: str, other: str
) -> None:
    name_corrections(archive, "said.csv", "", "")
    (archive / "said.csv").write_text(text)
    (line,) = told(archive)
    assert line == (
        f"warning: {archive}/said.csv: the sheet names these corrections for A 1, and what they "
        f"say of {other} is not heard. Mend the columns cage and segment, or the sheet"
    )


def test_files_of_the_sheet_whose_rows_are_all_heard_are_not_told(archive: Path) -> None:
    # One file of two segments, about one of which nobody was asked; and one without rows.
    name_corrections(archive, "said.csv", "said.csv", "none.csv")
    columns = "cage,segment,frame,tracklet,animal\n"
    (archive / "said.csv").write_text(f"{columns}A,1,3,0,R\n")
    (archive / "none.csv").write_text(columns)
    assert told(archive) == []


@pytest.mark.parametrize(
    ("frames", "cages", "warned"),
    [(15, 4, "60 annotated frames of 4 cages"), (60, 2, "100 or more annotated frames of 2 cages"),
     (40, 3, ""), (100, 1, "of 1 cage:")],
)  # fmt: skip
def test_too_few_annotated_frames_to_train_a_detector_are_told(archive, frames, cages, warned):
    names = [f"frame_{number:06d}.png" for number in range(frames + 50)]
    about = [{"annotated": "no"} if n >= frames else {} for n in range(len(names))]
    images = {
        name: {"filename": name, "size": 1, "regions": [], "file_attributes": said}
        for name, said in zip(names, about, strict=True)
    }
    (archive / "via.json").write_text(json.dumps({"_via_img_metadata": images}))
    rows = [
        f"{cage}\t1\tp{number}.csv\t\tv{number}.mp4\tvia.json\tTrain\tleft\tR,G"
        for number, cage in enumerate("ABCD"[:cages])
    ]
    for number in range(cages):
        (archive / f"v{number}.mp4").touch()
    write(archive, rows)
    lines = [line for line in told(archive) if "too few to train" in line]
    assert len(lines) == bool(warned)
    assert all(warned in line and ".31 elsewhere" in line for line in lines)
    trained = told(archive, detector=str(archive / "d1.csv"))
    assert not [line for line in trained if "too few to train" in line]


def test_a_damaged_project_counts_no_frame_and_stops_nothing(archive):
    (archive / "via.json").write_text("{")
    write(archive, ["A\t1\tp1.csv\t\tv.mp4\tvia.json\tTrain\tleft\tR,G"])
    assert any("0 annotated frames of 0 cages: too few" in line for line in told(archive))


def test_what_antenna_logs_lack_is_told() -> None:
    """Who lives where, at what rate was filmed, and tables that nobody asks for."""
    logged = {
        (cage, "1"): Segment(
            cage, "1", video="v.mp4", readings=("log.csv",), start="2026-01-01 10:00",
            fps_assumed=True,
        )
        for cage in "AB"
    }  # fmt: skip
    shared = [*of_logs(Plan(Settings(archive="."), logged))]
    assert [finding.fatal for finding in shared].count(True) == 1
    told = " ".join(finding.text for finding in shared)
    for text in ("1 of 1 antenna logs are not there", "tags are taken for their names",
                 "1 log serves several cages", "2 segments with logs have none"):  # fmt: skip
        assert text in told
    alone = {("A", "1"): dataclasses.replace(logged["A", "1"], animals=("R",), fps_assumed=False)}
    (missing,) = of_logs(Plan(Settings(archive="."), alone))
    assert "are not there" in missing.text
    placed = Settings(archive=".", grid={"places": [[10, 20], [300, 40]]})
    unnamed = [finding for finding in of_logs(Plan(placed, alone)) if finding.fatal]
    assert ["nothing tells what logs call them" in finding.text for finding in unnamed] == [True]


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([[0, 0], [1, 0.5], [0.25, 1]], "within 1 pixel of each other"),
        ([[0.1, 0.1], [0.2, 0.1]], "within 1 pixel of each other"),
        ([[500, 300], [501.5, 301]], "within 2 pixels of each other"),
        ([[500, 300], [502.5, 300]], ""),
        ([[0, 0], [0.5, 700]], ""),
    ],
)
def test_antennas_in_one_place_are_told(
    archive: Path, places: list[list[float]], words: str
) -> None:
    table = archive / "antennas.csv"
    rows = [f"{number},{x},{y}" for number, (x, y) in enumerate(places)]
    table.write_text("\n".join(["antenna,x,y", *rows]) + "\n")
    for given in ({"antennas": str(table)}, {"grid": {"places": places}}):
        found = [line for line in told(archive, **given) if "of each other" in line]
        assert len(found) == bool(words)
        if found:
            assert found[0].startswith(f"warning: {given.get('antennas', 'grid.places')}: all")
            assert words in found[0]
            assert "are these shares" in found[0]


def test_what_the_table_of_animals_says_against_itself_is_told_and_stops_nothing(
    tmp_path: Path,
) -> None:
    table, log = tmp_path / "animals.tsv", tmp_path / "log.csv"
    table.write_text("cage\tanimal\ttag\nA\tR\tff1\nA\tG\tFF1\nB\tR\t2\nB\tr\t3\nC\tR\t4\n")
    log.touch()
    rows = {(cage, "1"): Segment(cage, "1", readings=("log.csv",)) for cage in "ABC"}
    made = Plan(Settings(archive=str(tmp_path), animals=str(table)), rows)
    (finding,) = of_logs(made)
    assert not finding.fatal
    for text in ("line 3", "the tag FF1", "line 5", "the animal r", "cages A, B are discarded"):
        assert text in finding.text


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("B\tG\t", ["line 3: found '' in column tag", "Segments of the cages B are discarded"]),
        ("B/\tG\t3", ["line 3: found 'B/' in column cage", "lacks in the cage that it lives in"]),
    ],
)
def test_a_row_of_the_table_of_animals_that_cannot_be_read_is_told_and_stops_nothing(
    tmp_path: Path, row: str, told: list[str]
) -> None:
    table, log = tmp_path / "animals.tsv", tmp_path / "log.csv"
    table.write_text(f"cage\tanimal\ttag\nA\tR\t1\n{row}\nB\tR\t2\n")
    log.write_text("")
    rows = {(cage, "1"): Segment(cage, "1", readings=("log.csv",)) for cage in "AB"}
    made = Plan(Settings(archive=str(tmp_path), animals=str(table)), rows)
    (finding,) = of_logs(made)
    assert not finding.fatal
    assert finding.text.startswith(f"{table}, {told[0]}")
    assert told[1] in finding.text


@pytest.mark.parametrize("any_cage", [False, True])
def test_cages_without_antennas_and_antennas_without_cages_are_told(
    tmp_path: Path, any_cage: bool
) -> None:
    table, log = tmp_path / "antennas.csv", tmp_path / "log.csv"
    last = "door,,1,3\n" * any_cage
    table.write_text(f"antenna,cage,row,column\n1_1,A,1,1\n2_1,b,1,1\n{last}")
    log.touch()
    rows = {(cage, "1"): Segment(cage, "1", readings=("log.csv",), animals=("R",)) for cage in "AB"}
    made = Plan(Settings(archive=str(tmp_path), antennas=str(table)), rows)
    told = [each.text for each in of_logs(made) if each.text.startswith(str(table))]
    assert all(not each.fatal for each in of_logs(made) if each.text in told)
    assert [f"{table}: no antenna is of the cages B, of" in text for text in told] == [
        *[True] * (not any_cage), False
    ]  # fmt: skip
    assert told[-1].endswith("antennas of cages that the sheet lacks (b in line 3)")


def test_cages_of_the_table_of_animals_that_the_sheet_lacks_are_told(tmp_path: Path) -> None:
    table, log = tmp_path / "animals.tsv", tmp_path / "log.csv"
    table.write_text("cage\tanimal\ttag\nA\tR\t1\nA1\tG\t2\na\tB\t3\nB\tR\t4\n")
    log.touch()
    rows = {(cage, "1"): Segment(cage, "1", readings=("log.csv",)) for cage in "AB"}
    made = Plan(Settings(archive=str(tmp_path), animals=str(table)), rows)
    told = [finding.text for finding in of_logs(made) if "the sheet has no segment" in finding.text]
    (text,) = told
    assert "A1 in line 3, a in line 4" in text


def test_starts_that_tell_no_moment_or_the_same_are_told(archive: Path) -> None:
    starts = ["01.03.2026 10:00", "2026-03-01 10:00", "2026-03-01 10:00+01:00"]
    rows = [
        "A\t{}\tp{}.csv\td{}.csv\t{}".format(*[number] * 3, start)
        for number, start in enumerate([*starts, "2026-10-25 02:30", "0001-01-01 00:00"], start=1)
    ]
    for name in ("p4", "d4", "p5", "d5"):
        (archive / f"{name}.csv").touch()
    text = "\n".join(["cage\tsegment\tpositions\tdetections\tstart", *rows])
    (archive / "segments.tsv").write_text(text + "\n")
    made = {"archive": str(archive), "readings": {"zone": "Europe/Berlin"}}
    lines = [str(finding) for finding in of_starts(plan.load(made))]
    odd = "(A 1: '01.03.2026 10:00', A 5: '0001-01-01 00:00'), so that their times of day are not"
    assert odd in lines[0]
    assert "A 4: 2026-10-25 02:30, which came twice in Europe/Berlin" in lines[1]
    assert "(2 and 3 of A)" in lines[2]
    assert all(line.startswith("warning: start: ") for line in lines)
