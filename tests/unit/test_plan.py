"""What a run is made of: paths, segments, and which segment serves what."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from murid.errors import InputError
from murid.picking import project as via_project
from murid.run import plan, provenance, sharing
from murid.run.plan import Plan

SHEET = """\
cage\tsegment\tpositions\tdetections\tvideo\tannotations\tsplit\trig\tanimals
A\t1\tp.csv\td.csv\t\ta.csv\tTrain\tleft\tR,G,B
A\t2\tp.csv\td.csv\tv.mp4\ta.csv\tTest\tleft\tR,G,B
B\t1\tp.csv\t\tv.mp4\ta.csv\tTrain\tright\tR,G
B\t2\tp.csv\t\tmissing.mp4\ta.csv\tTrain\tright\tR,G
B\t3\tp.csv\t\tv.mp4\tmissing.csv\tValidate\tright\tR,G
B\t4\tp.csv\t\tv.mp4\t\tValidate\tright\tR,G
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "segments.tsv").write_text(SHEET)
    for name in ("p.csv", "d.csv", "v.mp4", "a.csv"):
        (folder / name).touch()
    return folder


@pytest.fixture
def made(archive: Path) -> plan.Plan:
    return plan.load({"archive": str(archive)})


def test_planning_imports_nothing_heavy() -> None:
    heavy = ("numpy", "pandas", "pyarrow", "torch", "sklearn", "click")
    code = (
        f"import sys; from murid.run import plan; print([m for m in {heavy} if m in sys.modules])"
    )
    environment = {"PYTHONPATH": str(provenance.PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_cages_rigs_and_animals(made: plan.Plan) -> None:
    assert made.cages == {
        "A": [("A", "1"), ("A", "2")],
        "B": [("B", "1"), ("B", "2"), ("B", "3"), ("B", "4")],
    }
    assert made.rigs == ["left", "right"]
    assert made.animals == 3


def test_sources_are_named_whether_or_not_they_exist(made: plan.Plan, archive: Path) -> None:
    key = ("B", "2")
    assert made.source(key, "video") == str(archive / "missing.mp4")
    assert made.source(key, "detections") == ""
    assert made.source(key, "annotations") == str(archive / "a.csv")
    assert made.exists(key, "positions")
    assert not made.exists(key, "video")
    assert not made.exists(key, "detections")


def test_parts_of_two_segments_are_told_but_for_annotations(made: plan.Plan) -> None:
    assert sharing.shared(made, ("A", "2")) == [
        "the sheet names its positions for A 1 and 4 more too",
        "the sheet names its detections for A 1 too",
        "the sheet names its video for B 1 and 2 more too",
    ]
    assert sharing.shared(made, ("B", "2")) == [
        "the sheet names its positions for A 1 and 4 more too"
    ]


CUT = """\
cage\tsegment\tpositions\tvideo\tfirst_frame\tlast_frame
A\t1\tp1.csv\tday.mp4\t\t99
A\t2\tp2.csv\tday.mp4\t100\t199
B\t1\tp3.csv\tday.mp4\t150\t
B\t2\tp4.csv\tday.mp4\t500\t599
B\t3\tp5.csv\tother/day.mp4\t200\t
B\t4\tp6.csv\twhole.mp4\t\t
"""


def test_parts_of_a_video_are_shared_only_where_they_overlap(archive: Path) -> None:
    (archive / "segments.tsv").write_text(CUT)
    made = plan.load({"archive": str(archive)})
    said = {" ".join(key): sharing.shared(made, key) for key in made.segments}
    named = "the sheet names some of its frames"
    assert said == {
        "A 1": [],
        "A 2": [f"{named} 100 to 199 of the video for B 1 too"],
        "B 1": [f"{named} 150 to the end of the video for A 2 and 1 more too"],
        "B 2": [f"{named} 500 to 599 of the video for B 1 too"],
        "B 3": [],
        "B 4": [],
    }


def test_a_whole_video_overlaps_with_each_of_its_parts(archive: Path) -> None:
    rows = CUT.splitlines()
    (archive / "segments.tsv").write_text("\n".join([*rows[:2], "A\t2\tp2.csv\tday.mp4\t\t"]))
    made = plan.load({"archive": str(archive)})
    assert sharing.shared(made, ("A", "2")) == ["the sheet names its video for A 1 too"]
    assert len(sharing.shared(made, ("A", "1"))) == 1


@pytest.mark.parametrize(
    "spelling", ["./day.mp4", "x/../day.mp4", "x//../day.mp4", "{archive}/day.mp4"]
)
def test_a_file_is_one_however_its_path_is_spelled(archive: Path, spelling: str) -> None:
    row = f"A\t2\tp2.csv\t{spelling.format(archive=archive)}\t50\t199"
    (archive / "segments.tsv").write_text("\n".join([*CUT.splitlines()[:2], row]))
    made = plan.load({"archive": os.path.relpath(archive)})
    assert sharing.shared(made, ("A", "1")) == [
        "the sheet names some of its frames 0 to 99 of the video for A 2 too"
    ]
    assert len(sharing.shared(made, ("A", "2"))) == len([*sharing.all_shared(made)]) == 1


def test_a_video_that_is_cut_is_surveyed_once(archive: Path) -> None:
    (archive / "segments.tsv").write_text(CUT)
    made = plan.load({"archive": str(archive)})
    assert [*made.cut.values()] == [str(archive / "day.mp4"), str(archive / "other" / "day.mp4")]
    surveys = [made.survey_of(key) for key in made.segments]
    assert surveys[0] == surveys[1] == surveys[2] == surveys[3] != surveys[4]
    assert surveys[5] is None
    assert {*surveys[:5]} == {*made.cut}


def test_detections_of_the_archive_go_before_its_video(made: plan.Plan) -> None:
    filmed = [key for key in made.segments if made.filmed(key)]
    assert filmed == [("B", "1"), ("B", "2"), ("B", "3"), ("B", "4")]


@pytest.mark.parametrize(
    ("change", "detects"),
    [
        (lambda row: row, True),
        (lambda row: row.replace("v.mp4\ta.csv", "v.mp4\t"), False),
        (
            lambda row: (
                row.replace("d.csv\t\ta", "\tv.mp4\ta")
                .replace("\td.csv\tv", "\t\tv")
                .replace("v.mp4\ta.csv", "v.mp4\t")
            ),
            True,
        ),
    ],
)
def test_a_video_is_looked_at_if_there_can_be_a_detector_or_nothing_else_is_there(
    archive: Path, change: Callable[[str], str], detects: bool
) -> None:
    (archive / "segments.tsv").write_text("\n".join(map(change, SHEET.splitlines())))
    made = plan.load({"archive": str(archive)})
    assert made.detects == detects
    assert made.filmed(("B", "4")) == detects
    assert made.undetected(("B", "4")) != detects
    assert not made.undetected(("A", "1"))
    (archive / "detector").touch()
    assert plan.load({"archive": str(archive), "detector": str(archive / "detector")}).detects


def test_annotated_segments_have_files(made: plan.Plan) -> None:
    assert list(made.annotated(["Train"])) == [("A", "1"), ("B", "1"), ("B", "2")]
    assert list(made.annotated(["Train", "Validate"], filmed=True)) == [("B", "1")]
    assert list(made.annotated(["Validate"])) == []


def test_pictures_that_wait_to_be_annotated_are_no_annotations_yet(archive: Path) -> None:
    project = archive / "a.json"
    via_project.write(project, "A 1", {7: ("7.png", 99), 8: ("8.png", 99)}, ["R", "G"])
    (archive / "segments.tsv").write_text(SHEET.replace("a.csv", "a.json"))

    def annotated() -> list[tuple[str, str]]:
        plan._waits.cache_clear()
        return list(plan.load({"archive": str(archive)}).annotated(["Train"]))

    made = plan.load({"archive": str(archive)})
    assert annotated() == []
    assert made.awaits_annotations(("B", "1"))
    text = project.read_text()
    project.write_text(text.replace('"annotated": "no"', '"annotated": "yes"', 1))
    assert ("B", "1") in annotated()
    region = '"regions": [{"shape_attributes": {}, "region_attributes": {}}]'
    project.write_text(text.replace('"regions": []', region, 1))
    assert ("B", "1") in annotated()
    project.write_text(json.dumps(json.loads(text), separators=(",", ":")))  # as VIA saves it
    assert annotated() == []
    project.write_text(text[:-9])  # what is damaged is told where it is read
    assert ("B", "1") in annotated()


def test_paths_are_made_plain(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(archive.parent))
    settings = plan.load({"archive": "~/./archive/", "results": "a//b/../c/"}).settings
    assert settings.archive == str(archive)
    assert settings.results == "a/c"


@pytest.mark.parametrize("key", ["points", "detector", "weights", "path_model"])
def test_files_that_settings_name_must_exist(archive: Path, key: str) -> None:
    with pytest.raises(InputError, match=f"key {key}: found '.*nowhere', which is no file"):
        plan.load({"archive": str(archive), key: str(archive / "nowhere")})


def test_every_path_is_expanded_and_looked_for(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(archive.parent))
    for name in ("x.json", "n.onnx"):
        (archive / name).touch()
    visual = {"enabled": True, "tracker": "vit", "models": ["~/archive/n.onnx"]}
    config = {
        "archive": str(archive), "path_model": "~/archive/x.json", "visual": visual,
        "train_detector": {"weights": "~/archive/./x.json"},
    }  # fmt: skip
    settings = plan.load(config).settings
    assert settings.path_model == settings.train_detector.weights == str(archive / "x.json")
    assert settings.visual.models == (str(archive / "n.onnx"),)
    (archive / "n.onnx").unlink()
    with pytest.raises(InputError, match=r"key visual.models: found .*n.onnx', which is no file"):
        plan.load(config)
    (archive / "x.json").unlink()
    with pytest.raises(InputError, match="key path_model: found"):
        plan.load(config)
    with pytest.raises(InputError, match=r"key train_detector.weights: found"):
        plan.load(config | {"path_model": None})


def test_results_may_not_be_a_file(archive: Path) -> None:
    with pytest.raises(InputError, match=r"key results: found .* which is no folder"):
        plan.load({"archive": str(archive), "results": str(archive / "p.csv")})


@pytest.mark.parametrize("target", ["itself", "nowhere", "p.csv"])
@pytest.mark.parametrize("below", ["", "below/it"])
def test_results_may_not_be_a_link_to_no_folder(archive: Path, target: str, below: str) -> None:
    (archive / "itself").symlink_to(target)
    with pytest.raises(InputError, match=r"key results: found '.*itself', which is no folder"):
        plan.load({"archive": str(archive), "results": str(archive / "itself" / below)})


@pytest.mark.parametrize("most", [1, 2])
def test_fewer_boxes_than_the_sheet_has_animals_are_refused(archive: Path, most: int) -> None:
    message = rf"key detect.max_mice: found {most}; expected 3 at least, .* cage A segment 1"
    with pytest.raises(InputError, match=message):
        plan.load({"archive": str(archive), "detect": {"max_mice": most}})
    plan.load({"archive": str(archive), "detect": {"max_mice": 3}})


def with_antennas(archive: Path, *lines: str, **settings: object) -> Plan:
    table = archive / "antennas.csv"
    table.write_text("\n".join(lines) + "\n")
    return plan.load({"archive": str(archive), "antennas": str(table), **settings})


def test_antennas_in_no_grid_are_where_their_table_has_them(archive: Path) -> None:
    placed = with_antennas(archive, "antenna,x,y", "nest,10,20", "door,300.5,400")
    assert placed.settings.grid.places == ((10, 20), (300.5, 400))
    grid = with_antennas(archive, "antenna,row,column", "nest,1,1", "door,2,1")
    assert grid.settings.grid.places is None
    same = {"places": [[10, 20], [300.5, 400]]}
    told = with_antennas(archive, "antenna,x,y", "nest,10,20", "door,300.5,400", grid=same)
    assert told.settings == placed.settings
    assert plan.load({"archive": str(archive), "grid": same}).settings.grid == told.settings.grid


@pytest.mark.parametrize(
    ("lines", "settings", "found"),
    [
        (("antenna,x,y", "1,10,20", "2,1281,20"), {}, "line 3: found x '1281'"),
        (("antenna,x,y", "1,10,20", "2,400,20"), {"image": {"width": 320}}, "x from 0 to 320"),
        (("antenna,x,y,row,column", "1,10,20,1,1"), {}, "either row and column of a grid"),
        (("antenna,row,column", "1,1,1", "2,0,1"), {}, "line 3: found row '0'"),
        (("antenna,row,column", "1,1,1", "2,1,9"), {}, "columns 1 to 6"),
        (("antenna,row,column", "1,one,1"), {}, "line 2: found row 'one'"),
        (("antenna,row,column", "1,1,1", "1,1,2"), {}, "the antenna 1 a second time"),
        (("antenna,row,column", "1,3,1"), {"grid": {"rows": 2, "columns": 2}}, "rows 1 to 2"),
        (
            ("antenna,x,y", "1,10,20", "2,40,20"),
            {"grid": {"places": [[10, 20], [41, 20]]}},
            "key grid.places: found places beside a table",
        ),
        (
            ("antenna,row,column", "1,1,1"),
            {"grid": {"places": [[10, 20], [41, 20]]}},
            "Leave grid.places out",
        ),
    ],
)
def test_places_of_antennas_that_cannot_be_stop_a_run(
    archive: Path, lines: tuple[str, ...], settings: dict[str, object], found: str
) -> None:
    with pytest.raises(InputError) as refused:
        with_antennas(archive, *lines, **settings)
    assert found in str(refused.value)


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ([[10, 20]], "2 items"),
        ([[10, 20], [10, 20]], "each value once"),
        ([[10, 20], [1300, 20]], "1300, 20 of antenna 2"),
        ([[10, 20], [10, float("nan")]], "finite"),
        ([[10, 20], ["left", 20]], "number"),
        ([[10, 20], [10]], "places"),
    ],
)
def test_so_do_those_that_settings_have(archive: Path, places: object, found: str) -> None:
    with pytest.raises(InputError, match=r"grid\.places") as refused:
        plan.load({"archive": str(archive), "grid": {"places": places}})
    assert found in str(refused.value)


def test_the_archive_must_exist() -> None:
    with pytest.raises(InputError, match="key archive: found '/no/where', which is no folder"):
        plan.load({"archive": "/no/where"})


@pytest.mark.parametrize("results", ["a{b}", "<results>"])
def test_results_must_be_a_path_that_rules_can_hold(archive: Path, results: str) -> None:
    with pytest.raises(InputError, match="without braces"):
        plan.load({"archive": str(archive), "results": results})


@pytest.mark.parametrize("name", ["v{1}.mp4", "<v>.mp4"])
def test_so_must_the_files_of_the_sheet(archive: Path, name: str) -> None:
    (archive / "segments.tsv").write_text(SHEET.replace("missing.mp4", name))
    with pytest.raises(InputError, match=r"line 5: found .* in column video"):
        plan.load({"archive": str(archive)})


def test_a_missing_sheet_is_named(archive: Path) -> None:
    (archive / "segments.tsv").unlink()
    with pytest.raises(InputError, match=r"segments.tsv: found no file; expected a sample sheet"):
        plan.load({"archive": str(archive)})


def test_only_the_tide_layout_has_its_sheet_made(archive: Path, tmp_path: Path) -> None:
    plan.refresh_sheet({"archive": str(archive), "results": str(tmp_path / "results")})
    assert not (tmp_path / "results").exists()


@pytest.fixture
def release(tmp_path: Path, shared: Path) -> Path:
    """An archive in the layout of the TIDe release, with two segments of the shared one."""
    folder = tmp_path / "release"
    for name in ("F_68", "M_19"):
        (folder / "Segments" / name).mkdir(parents=True)
        for table in ("Positions.df", "Detections.df"):
            (folder / "Segments" / name / table).touch()
    for name in ("Annotations.df", "Datasplits.df"):
        shutil.copy(shared / "tide" / name, folder)
    return folder


def test_the_sheet_of_a_release_is_made_and_kept_up_to_date(
    release: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = {
        "archive": str(release), "results": str(tmp_path / "a b"), "archive_format": "tide"
    }  # fmt: skip
    plan.refresh_sheet(config)
    assert "absent" in capfd.readouterr().err
    assert set(plan.load(config).segments) == {("F", "68"), ("M", "19")}
    sheet = tmp_path / "a b" / "archive" / "segments.tsv"
    before = sheet.stat().st_mtime_ns
    plan.refresh_sheet(config)
    assert sheet.stat().st_mtime_ns == before
    shutil.copytree(release / "Segments" / "F_68", release / "Segments" / "F_69")
    plan.refresh_sheet(config)
    assert ("F", "69") in plan.load(config).segments


def test_a_release_that_cannot_be_read_is_one_error(release: Path, tmp_path: Path) -> None:
    (release / "Datasplits.df").write_bytes(b"no pickle")
    config = {"archive": str(release), "results": str(tmp_path / "r"), "archive_format": "tide"}
    with pytest.raises(InputError, match=r"what the importer refuses \(.*Datasplits.df"):
        plan.refresh_sheet(config)
    assert not (tmp_path / "r" / "archive" / "segments.stamp").exists()


def test_every_path_that_cannot_work_is_told_at_once(tmp_path):
    with pytest.raises(InputError) as caught:
        plan.load({"archive": str(tmp_path / "a"), "weights": "w.json", "detector": "d{1}"})
    told = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in told] == [
        "configuration, key archive", "configuration, key detector", "configuration, key weights",
    ]  # fmt: skip


SAID = "cage,segment,frame,tracklet,animal\n"


def test_segments_that_people_were_asked_about_are_known_by_what_was_said(archive: Path) -> None:
    said = archive / "said.csv"
    said.write_text(SAID + "A,2,3,0,R\nB,9,3,0,R\nB,1,3,0,G\n")
    made = plan.load({"archive": str(archive), "corrections": str(said)})
    assert made.corrected == {("A", "2"): [str(said)], ("B", "1"): [str(said)]}
    assert [len(made.said(key)) for key in (("A", "2"), ("A", "1"))] == [1, 0]
    assert plan.load({"archive": str(archive)}).corrected == {}


def test_the_sheet_may_name_what_people_said_of_a_segment(archive: Path) -> None:
    names = ["corrections", "a2.csv", "", "gone.csv", "", "", "empty.csv"]
    lines = [f"{row}\t{name}" for row, name in zip(SHEET.splitlines(), names, strict=True)]
    (archive / "segments.tsv").write_text("\n".join(lines) + "\n")
    (archive / "a2.csv").write_text("frame,tracklet,animal\n3,0,R\n")
    (archive / "empty.csv").write_text("frame,tracklet,animal\n")
    of_run = archive / "said.csv"
    of_run.write_text(SAID + "A,1,9,0,G\n")
    made = plan.load({"archive": str(archive), "corrections": str(of_run)})
    # A file that is not there is for its segment to tell.
    assert made.corrected == {
        ("A", "1"): [str(of_run), str(archive / "a2.csv")],
        ("B", "1"): [str(archive / "gone.csv")],
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [("frame,tracklet,animal\n3,0,R\n", "a column cage"), ("", "an empty file")],
)
def test_corrections_of_the_settings_that_cannot_be_read_end_the_run(
    archive: Path, text: str, told: str
) -> None:
    (archive / "said.csv").write_text(text)
    with pytest.raises(InputError, match=told):
        plan.load({"archive": str(archive), "corrections": str(archive / "said.csv")})
