"""What `murid sheet` tells of the way on: settings of the folder, and the next commands."""

import shlex

import pytest
import yaml
from click.testing import CliRunner

from made_videos import make as make_video
from murid.cli import cli
from murid.settings import Settings

USUAL = ("--video", "{cage}_{segment}.mp4", "--positions", "{cage}_{segment}.csv")
LOGGED = ("--video", "{date:%Y-%m-%d}/{cage}_{start:%H%M}.mp4", "--log", "rfid/{date:%Y-%m-%d}.csv",
          "--zone", "Europe/London")  # fmt: skip


def make(archive, *paths, text="x"):
    for path in paths:
        (archive / path).parent.mkdir(parents=True, exist_ok=True)
        (archive / path).write_text(text)


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
        "segments": str(tmp_path / "mine.tsv"),
        "animals": str(archive / "tables/worn.tsv"),
        "points": str(archive / "marked.csv"),
        "antennas": str(archive / "numbers.csv"),
        "readings": {"zone": "Europe/London"},
    }
    assert {*settings} <= {*Settings.model_fields}
    # A video without a size is none that a setting can be told of.
    assert any("# image:" in line for line in lines)
    assert "All 2 cages have one rig" in before
    assert "marked.csv tells of left, right" in before
    words = shlex.split(lines[-1])
    assert words[:5] == ["snakemake", "--cores", "all", "--configfile", "my.yaml"]
    assert words[6] == f"archive={archive}"
    assert "murid preflight my.yaml --config" in lines[-2]


def test_the_size_is_that_of_the_first_video(tmp_path):
    make(tmp_path, "A_1.csv")
    make_video(tmp_path / "A_1.mp4")
    settings, _, _ = following(tmp_path, *USUAL)
    assert settings["image"] == {"width": 64, "height": 48}
    Settings.model_validate({"archive": "a", "results": "b", **settings})


@pytest.mark.parametrize("told", [("--rig", "left=A", "--rig", "right=B"), ("--rig", "left")])
def test_rigs_that_are_told_are_not_asked_for(tmp_path, told):
    make(tmp_path, "A_1.mp4", "A_1.csv", "B_1.mp4", "B_1.csv")
    _, _, before = following(tmp_path, *USUAL, *told)
    assert "one rig" not in before


def test_what_is_needed_and_not_found_is_told_as_a_comment(tmp_path):
    make(tmp_path, "2026-03-28/A_2030.mp4", "rfid/2026-03-28.csv")
    _, lines, _ = following(tmp_path, *LOGGED)
    comments = [line for line in lines if line.strip().startswith("# ")]
    assert [line.split(":")[0].strip() for line in comments] == ["# image", "# animals", "# points"]


def test_files_that_options_take_are_no_settings(tmp_path):
    make(tmp_path, "A_1.mp4", "B_1.mp4")
    make(tmp_path, "A_1.csv", "B_1.csv", text="cage,animal,tag\n")
    settings, _, _ = following(tmp_path, *USUAL)
    assert "animals" not in settings
