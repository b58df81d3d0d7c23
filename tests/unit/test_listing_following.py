"""What `murid sheet` tells of the way on: settings of the folder, and the next commands."""

import shlex

import pytest
import yaml
from click.testing import CliRunner

from made_videos import make as make_video
from murid.cli import cli
from murid.detect import cost
from murid.listing import following as stage
from murid.settings import Settings

USUAL = ("--video", "{cage}_{segment}.mp4", "--positions", "{cage}_{segment}.csv")
LOGGED = ("--video", "{date:%Y-%m-%d}/{cage}_{start:%H%M}.mp4", "--log", "rfid/{date:%Y-%m-%d}.csv",
          "--zone", "Europe/London")  # fmt: skip


def make(archive, *paths, text="x"):
    for path in paths:
        (archive / path).parent.mkdir(parents=True, exist_ok=True)
        (archive / path).write_text(text)


@pytest.fixture(autouse=True)
def with_gpu(monkeypatch):
    monkeypatch.setattr(cost, "has_gpu", lambda: True)


def following(archive, *options):
    """Return the settings that the command tells, all of its last lines, and what came before."""
    done = CliRunner().invoke(
        cli, ["sheet", str(archive), *map(str, options)], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    before, _, rest = done.stdout.partition("Next, ")
    lines = rest.splitlines()
    end = next(place for place, line in enumerate(lines) if line.startswith("Look whether"))
    return yaml.safe_load("\n".join(lines[1:end])) or {}, lines, before


def test_settings_are_told_as_far_as_the_folder_tells_them(tmp_path):
    archive = tmp_path / "a lab's folder"
    make(archive, "2026-03-28/A_2030.mp4", "2026-03-28/B_2030.mp4", "rfid/2026-03-28.csv")
    make(archive, "tables/worn.tsv", text="cage\tanimal\ttag\nA\tR\t1\n")
    make(archive, "marked.csv", text="rig,antenna,x,y\nleft,1,2,3\nright,1,2,3\n")
    make(archive, "numbers.csv", text="antenna,row,column\n7,1,1\n")
    settings, lines, before = following(archive, *LOGGED, "--output", tmp_path / "mine.tsv")
    assert settings == {
        "archive": str(archive),
        "results": "results",
        "segments": str(tmp_path / "mine.tsv"),
        "animals": str(archive / "tables/worn.tsv"),
        "antennas": str(archive / "numbers.csv"),
        "readings": {"zone": "Europe/London"},
    }
    assert {*settings} <= {*Settings.model_fields}
    # A video without a size is none that a setting can be told of.
    assert any("# image:" in line for line in lines)
    assert "All 2 cages have one rig" in before
    assert "marked.csv tells of left, right" in before
    words = shlex.split(lines[-1])
    assert words[:3] == ["snakemake", "--cores", "all"]
    assert words[-2:] == ["--configfile", "my.yaml"], "which tells the results, too"
    assert lines[-2].strip() == "murid preflight my.yaml"


@pytest.mark.parametrize("rigs", [("--rig", "all"), ("--rig", "left=A", "--rig", "right=B")])
def test_points_are_a_setting_where_there_are_several_rigs(tmp_path, rigs):
    make(tmp_path, "A_1.mp4", "A_1.csv", "B_1.mp4", "B_1.csv")
    make(tmp_path, "marked.csv", text="rig,antenna,x,y\nleft,1,2,3\nright,1,2,3\n")
    settings, lines, _ = following(tmp_path, *USUAL, *rigs)
    assert ("points" in settings) == (len(rigs) > 2)
    (line,) = [line.strip() for line in lines if "points:" in line]
    assert line.endswith(f"points: {tmp_path / 'marked.csv'}")
    assert line.startswith("points:" if len(rigs) > 2 else "# with several rigs only: ")


@pytest.mark.parametrize("place", ["clone", "beside", "elsewhere/far/below"])
@pytest.mark.parametrize("gpu", [True, False])
def test_commands_name_the_files_of_the_clone_from_wherever_they_are_run(
    tmp_path, monkeypatch, place, gpu
):
    clone = tmp_path / "clone"
    make(clone, "Snakefile", "config/cpu.yaml")
    monkeypatch.setattr(stage, "CLONE", clone)
    monkeypatch.setattr(cost, "has_gpu", lambda: gpu)
    here, archive = tmp_path / place, tmp_path / "archive"
    here.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(here)
    make(archive, "A_1.mp4", "A_1.csv")
    _, lines, _ = following(archive, *USUAL)
    look, run = (shlex.split(line) for line in lines[-2:])
    assert ("-s" in run) == (place != "clone"), "Snakemake finds the Snakefile of its folder"
    if "-s" in run:
        assert (here / run[run.index("-s") + 1]).samefile(clone / "Snakefile")
    files = run[run.index("--configfile") + 1 :]
    assert look[2:] == files
    assert files[-1] == "my.yaml", "which wins"
    assert len(files) == (1 if gpu else 2)
    if not gpu:
        assert (here / files[0]).samefile(clone / "config/cpu.yaml")


@pytest.mark.parametrize(
    "name", ["a #b", "2026-03-01", "123", "1:30", "true", "null", "1e3", "a: b", "!tag", "o'brien"]
)
def test_a_folder_of_any_name_is_told_as_settings_take_it(tmp_path, monkeypatch, name):
    make(tmp_path / name, "A_1.mp4", "A_1.csv")
    monkeypatch.chdir(tmp_path)
    settings, _, _ = following(name, *USUAL)
    assert settings["archive"] == name


def test_where_nothing_is_detected_no_gpu_is_missed(tmp_path, monkeypatch):
    monkeypatch.setattr(cost, "has_gpu", lambda: False)
    make(tmp_path, "A_1.mp4", "A_1.csv", "A_1.txt")
    _, lines, _ = following(tmp_path, *USUAL, "--detections", "{cage}_{segment}.txt")
    assert "cpu.yaml" not in lines[-1]


def test_installed_without_its_snakefile_murid_tells_where_to_run(tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "CLONE", tmp_path / "none")
    make(tmp_path, "A_1.mp4", "A_1.csv")
    _, lines, _ = following(tmp_path, *USUAL)
    assert "from the folder of murid's Snakefile" in lines[-3]
    assert "-s" not in shlex.split(lines[-1])


def test_the_size_is_that_of_the_first_video(tmp_path):
    make(tmp_path, "A_1.csv")
    make_video(tmp_path / "A_1.mp4")
    settings, _, _ = following(tmp_path, *USUAL)
    assert settings["image"] == {"width": 64, "height": 48}
    Settings.model_validate(settings)


@pytest.mark.parametrize("told", [("--rig", "left=A", "--rig", "right=B"), ("--rig", "left")])
def test_rigs_that_are_told_are_not_asked_for(tmp_path, told):
    make(tmp_path, "A_1.mp4", "A_1.csv", "B_1.mp4", "B_1.csv")
    _, _, before = following(tmp_path, *USUAL, *told)
    assert "one rig" not in before


HEADERS = {
    "animals": "cage,animal,tag",
    "points": "rig,antenna,x,y",
    "antennas": "antenna,row,column",
}
ROW = {"animals": "A,R,1", "points": "left,1,2,3", "antennas": "7,1,1"}


@pytest.mark.parametrize("setting", HEADERS)
@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n,,\n"])
def test_a_table_without_rows_gives_way_to_one_with_rows_and_is_told(tmp_path, setting, end):
    make(tmp_path, "2026-03-28/A_2030.mp4", "2026-03-28/B_2030.mp4", "rfid/2026-03-28.csv")
    options = (*LOGGED, "--rig", "left=A", "--rig", "right=B")
    make(tmp_path, "a.csv", text=HEADERS[setting] + end)
    settings, lines, _ = following(tmp_path, *options)
    assert setting not in settings
    (line,) = [line.strip() for line in lines if line.strip().startswith(f"# {setting}")]
    assert line.startswith(f"# {setting}: {tmp_path / 'a.csv'} has no rows")
    make(tmp_path, "below/b.csv", text=f"{HEADERS[setting]}\n{ROW[setting]}\n")
    settings, lines, _ = following(tmp_path, *options, "--output", tmp_path / "again.tsv")
    assert settings[setting] == str(tmp_path / "below/b.csv")
    assert not any("has no rows" in line for line in lines)


def test_an_annotation_table_without_rows_waits_to_be_written(tmp_path):
    make(tmp_path, "A_1.mp4", "A_1.csv", "B_1.mp4", "B_1.csv")
    make(tmp_path, "A_1.tsv", text="frame\tanimal\tx\ty\tw\th\n")
    make(tmp_path, "B_1.tsv", text="frame\tanimal\tx\ty\tw\th\n1\tR\t1\t1\t5\t5\n")
    _, _, before = following(tmp_path, *USUAL, "--annotations", "{cage}_{segment}.tsv")
    assert "1 of 2 segments annotated, 1 waiting to be" in before


def test_what_is_needed_and_not_found_is_told_as_a_comment(tmp_path):
    make(tmp_path, "2026-03-28/A_2030.mp4", "rfid/2026-03-28.csv")
    _, lines, _ = following(tmp_path, *LOGGED)
    comments = [line for line in lines if line.strip().startswith("# ")]
    assert [line.split(":")[0].strip() for line in comments] == ["# image", "# animals"]


def test_files_that_options_take_are_no_settings(tmp_path):
    make(tmp_path, "A_1.mp4", "B_1.mp4")
    make(tmp_path, "A_1.csv", "B_1.csv", text="cage,animal,tag\n")
    settings, _, _ = following(tmp_path, *USUAL)
    assert "animals" not in settings


def test_tables_that_settings_name_and_sheets_are_no_files_without_use(tmp_path):
    make(tmp_path, "A_1.mp4", "A_1.csv")
    make(tmp_path, "worn.csv", text="cage,animal,tag\nA,R,1\n")
    make(tmp_path, "points.tsv", text="rig\tantenna\tx\ty\n\t1\t2\t3\n")
    make(tmp_path, "told.csv", text="cage,segment,mood\nA,1,good\n")
    options = ("sheet", str(tmp_path), *USUAL, "--output")
    for output in ("first.tsv", "second.tsv"):
        done = CliRunner().invoke(cli, [*options, str(tmp_path / output)], catch_exceptions=False)
        unused = [line for line in done.stderr.splitlines() if "fit no pattern" in line]
        assert len(unused) == 1
        assert unused[0].partition("alike:")[2].endswith(": 1 (told.csv: beside A_1.csv of "
                                                         "--positions)")  # fmt: skip
