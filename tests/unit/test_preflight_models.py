"""What is told of models, detectors and their training before anything runs."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import onnx_networks
from murid.detect import cost
from murid.errors import InputError
from murid.run import plan, preflight, provenance
from murid.settings import TrainDetector
from planned_archive import ROWS, USES, make, told, write, write_models


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make(tmp_path / "archive")


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
