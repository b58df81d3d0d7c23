"""What is told of a run before anything runs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import made_videos
from murid.detect import cost
from murid.errors import InputError
from murid.picking import project
from murid.run import plan, preflight, provenance
from murid.run.fingerprints import Fingerprints
from planned_archive import HEADER, ROWS, make, told, write


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make(tmp_path / "archive")


def test_nothing_is_told_where_nothing_is_wrong(archive: Path) -> None:
    assert told(archive) == []


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


def test_what_goes_without_a_split_to_validate_on_is_told(archive: Path) -> None:
    write(archive, [row.replace("Validate", "Train") for row in ROWS])
    (line,) = told(archive)
    assert line == (
        "warning: no segment of split Validate has annotations: how sure names are is told by "
        "what they are learnt from, where they are too good. Move an annotated segment of a cage "
        "of its own there"
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


@pytest.mark.parametrize(("fps", "warned"), [(25.0, False), (24.9, False), (12.5, True)])
def test_videos_of_another_rate_than_the_sheet_has_are_told(
    archive: Path, fps: float, warned: bool
) -> None:
    columns = "cage\tsegment\tpositions\tvideo\trig\tfps"
    (archive / "segments.tsv").write_text(f"{columns}\nA\t1\tp.csv\tv.mp4\tleft\t{fps}\n")
    made_videos.make(archive / "v.mp4")
    of_rates = [line for line in told(archive) if line.startswith("warning: fps:")]
    assert len(of_rates) == warned
    assert all("v.mp4: 25, the sheet 12.5; 1 were" in line for line in of_rates)


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
