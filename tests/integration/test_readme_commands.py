"""Each command of README.md and config/README.md, word for word, as a dry run where it takes long.

They run in a folder that has what the texts name: the sources, `my.yaml`, an archive, and what
stands for ``PATH``.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import av
import numpy as np
import pytest

import readme_blocks
from murid import schemas, tables
from pipeline import FRAMES, SHEET, Workflow, copy_sources, make_archive

ROOT = Path(__file__).parents[2]
TEXTS = readme_blocks.read(ROOT)
STANDS_FOR = {
    "archive=PATH": "archive=archive", "results=PATH": "results=results", " ...": "",
    "murid sheet PATH": "murid sheet lab",
    "murid frames PATH --out PATH": "murid frames waiting --out waiting",
}  # fmt: skip
"""What a user puts in the place of what the texts leave open; nothing else is changed."""
NOT_RUN = {
    "scancel --user=$USER": "it would cancel whatever its user has in the queue of this machine",
    "murid simulate trial --cages 4 --seconds 60": "it draws for a minute; test_simulate.py does",
    "murid train-detector --train IMAGES train.json --validate IMAGES validate.json "
    "--output detector.safetensors": "training has no dry run; test_detect_train.py trains so",
    "murid show results CAGE SEGMENT --from 20:41 --to 20:42": "it takes the results of a run with "
    "a video and a start; test_clip.py shows so",
    "murid export-detector CHECKPOINT OUT.onnx --width 1280 --height 720": "it takes a detector "
    "that is trained; test_onnx_export.py exports one",
}
"""Commands that stand in the texts and are not run here, and why."""
BATCHES = "--batch"
"""The last of several batches can be planned only where the others are made."""
LOOKED_UP = "murid corrections check "
"""Boxes are looked up only where there are results."""
SHELL = re.compile(r"(source|snakemake|murid|make|for) ")


def shell_blocks() -> list[str]:
    """Return the blocks that stand under no tool's name: those of tools test_recipes.py runs."""
    return [block for text in TEXTS.values() for block in readme_blocks.blocks(text)[""]]


INLINE = list(dict.fromkeys(c for text in TEXTS.values() for c in readme_blocks.inline(text)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with an archive of three segments in it, and a home of its own."""
    place = tmp_path_factory.mktemp("clone")
    copy_sources(ROOT, place)
    shutil.copytree(ROOT / "profiles", place / "profiles")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, place)
    (place / ".venv" / "bin").mkdir(parents=True)
    (place / ".venv" / "bin" / "activate").write_text("")
    for name in ("2026-03-29/A_090000.mp4", "rfid/2026-03-29.csv"):
        (place / "lab" / name).parent.mkdir(parents=True)
        (place / "lab" / name).write_text("not looked into\n")
    (place / "waiting").mkdir()
    write_video(place / "waiting" / "video.mp4")
    waiting = "cage\tsegment\tvideo\tpositions\tannotations\nA\t1\tvideo.mp4\tp.csv\t\n"
    (place / "waiting" / "segments.tsv").write_text(waiting)
    archive = place / "archive"
    make_archive(archive)
    write_video(archive / "A" / "good" / "video.mp4")
    sheet = SHEET.replace("via.json\tTest", "via.json\tValidate").splitlines()
    videos = ["video", "A/good/video.mp4", "", ""]
    lines = [f"{line}\t{video}" for line, video in zip(sheet, videos, strict=True)]
    (archive / "segments.tsv").write_text("\n".join(lines) + "\n")
    (place / "demo").mkdir()
    (archive / "points.csv").write_text("rig,antenna,x,y\nrig,1,0,0\n")
    for name in ("demo/archive", "trial"):
        (place / name).symlink_to(archive)
    said = "cage,segment,frame,tracklet,animal\nA,good,3,0,R\n"
    (place / "corrections.csv").write_text(said)
    (place / "my.yaml").write_text("track:\n  min_length: 3\n")
    (place / "results" / "report").mkdir(parents=True)
    columns = ",".join(schemas.CONTRACTS["alerts"].schema.names)
    (place / "results" / "report" / "alerts.csv").write_text(f"{columns}\n")
    return place


def write_video(path: Path) -> None:
    """Write as many grey frames as a segment has."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        picture = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 128, np.uint8), format="rgb24")
        for frame in range(FRAMES):
            picture.pts = frame
            container.mux(stream.encode(picture))
        container.mux(stream.encode())


def typed(folder: Path, home: Path, lines: str, before: str = "") -> str:
    """Run what a user types in the folder, dry; return what was said, on both streams."""
    for left_open, value in STANDS_FOR.items():
        lines = lines.replace(left_open, value)
    environment = os.environ | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "PYTHONPATH": str(ROOT / "workflow"),
    }
    done = subprocess.run(
        readme_blocks.in_shell(before + lines, dry=True), cwd=folder, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def plans(said: str) -> int:
    """Return how many plans were shown to their end."""
    return said.count("This was a dry-run")


def link_profile(home: Path) -> None:
    """Let Snakemake find the profile of a cluster, as ``make profile`` does."""
    pytest.importorskip("snakemake_executor_plugin_slurm")
    profiles = home / ".config" / "snakemake"
    profiles.mkdir(parents=True, exist_ok=True)
    if not (profiles / "slurm").exists():
        (profiles / "slurm").symlink_to(ROOT / "profiles" / "slurm")


def test_every_block_and_command_is_run_or_listed() -> None:
    for block in shell_blocks():
        assert SHELL.match(block), block
    assert set(readme_blocks.blocks(TEXTS["README.md"])) == {""}
    assert sum(BATCHES in block for block in shell_blocks()) == 1
    assert set(NOT_RUN) <= set(INLINE)


@pytest.mark.parametrize(
    "block",
    [block for block in shell_blocks() if BATCHES not in block and LOOKED_UP not in block],
    ids=lambda block: block.split("\n")[0][:60],
)
def test_block(folder: Path, tmp_path: Path, request: pytest.FixtureRequest, block: str) -> None:
    if "--profile slurm" in block and "make profile" not in block:
        link_profile(tmp_path)
    if "tide.yaml" in block:
        tide = request.getfixturevalue("shared") / "tide"
        block = block.replace("archive=PATH", f"archive={shlex.quote(str(tide))}")
    said = typed(folder, tmp_path, block)
    assert plans(said) == block.count("snakemake --")
    assert ("pytest -n" in said) == ("make test" in block)


def test_batches(finished: Workflow, tmp_path: Path) -> None:
    (block,) = [block for block in shell_blocks() if BATCHES in block]
    link_profile(tmp_path)
    (tmp_path / "my.yaml").write_text("archive: archive\nresults: results\n")
    block = block.replace("my.yaml", shlex.quote(str(tmp_path / "my.yaml")))
    snakefile = shlex.quote(str(finished.sources / "Snakefile"))
    said = typed(
        finished.folder, tmp_path, block.replace("snakemake ", f"snakemake -s {snakefile} ")
    )
    for part in range(1, 5):
        assert f"Considering only batch {part}/4 (rule report)" in said
    assert said.count("Nothing to be done") == 4


def test_corrections_are_checked(finished: Workflow, folder: Path, tmp_path: Path) -> None:
    (block,) = [block for block in shell_blocks() if LOOKED_UP in block]
    tracklets = tables.read(
        finished.folder / "results/segments/A/good/tracklets.parquet", "tracklets"
    )
    said = tmp_path / "corrections.csv"
    said.write_text(
        "cage,segment,frame,tracklet,animal\n"
        f"A,good,{tracklets['frame'].iloc[0]},{tracklets['tracklet'].iloc[0]},R\n"
    )
    for name, path in {"my.yaml": folder / "my.yaml", "corrections.csv": said}.items():
        block = block.replace(f" {name}", f" {shlex.quote(str(path))}")
    told = typed(finished.folder, tmp_path, block)
    assert "1 of 1 corrections are sound" in told.splitlines()


@pytest.mark.parametrize("command", [c for c in INLINE if c not in NOT_RUN])
def test_command_within_a_sentence(folder: Path, tmp_path: Path, command: str) -> None:
    if re.fullmatch(r"murid [a-z-]+", command) and "--" not in command:
        command += " --help"  # the name of a stage
    said = typed(folder, tmp_path, command)
    assert plans(said) == command.startswith("snakemake ")
