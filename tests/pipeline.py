"""A workflow to run, and an archive to run it on: a few hundred frames without video."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import forked
from murid import schemas, tables

ANIMALS = ("R", "G", "B")
FRAMES = 300
SHEET = """\
cage\tsegment\tpositions\tdetections\tannotations\tsplit\tanimals
A\tgood\tA/good/positions.parquet\tA/good/detections.parquet\tA/good/via.json\tTrain\tR,G,B
B\tgood\tB/good/positions.parquet\tB/good/detections.parquet\tB/good/via.json\tTest\tR,G,B
B\tbad\tB/bad/positions.parquet\tB/bad/detections.parquet\t\tTest\tR,G,B
"""


@dataclass(frozen=True)
class Workflow:
    """A copy of the workflow's sources, which tests may edit, and a folder to run it in.

    Snakemake and its jobs start from a process that has loaded their libraries, but where it is to
    be as users have it, in processes of their own throughout.
    """

    sources: Path
    folder: Path
    forked: bool = True

    def command(self, *arguments: str, cores: str = "2") -> list[str]:
        """Return the command that runs Snakemake on all that is configured."""
        snakefile = str(self.sources / "Snakefile")
        command = [sys.executable, "-m", "snakemake", "--snakefile", snakefile]
        return [*command, "--cores", cores, "--show-failed-logs", *arguments]

    def run(
        self, *arguments: str, check: bool = True, cores: str = "2", before: Sequence[str] = ()
    ) -> str:
        """Run Snakemake on all that is configured; return what it said, on both streams.

        The words of the command ``before`` it, if any, run it in their turn.
        """
        command = self.command(*arguments, cores=cores)
        environment = os.environ | {"XDG_CACHE_HOME": str(self.folder / "cache")}
        if self.forked:
            words = command[command.index("snakemake") :]
            status, said = forked.run(words, self.folder, environment, before)
        else:
            done = subprocess.run(
                [*before, *command],
                cwd=self.folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            status, said = done.returncode, done.stdout
        assert not check or status == 0, said
        return said

    def would_run(self, *arguments: str) -> dict[str, int]:
        """Return how many jobs of each rule are stale."""
        said = self.run("--dry-run", *arguments)
        if "Nothing to be done" in said:
            return {}
        (stats,) = re.findall(r"Job stats:\njob +count\n[- ]+\n(.*?)\ntotal ", said, re.DOTALL)[:1]
        counts = {name: int(count) for name, count in re.findall(r"(\w+) +(\d+)", stats)}
        counts.pop("all", None)  # not there where single files are asked for
        return counts


def copy_sources(root: Path, target: Path) -> Path:
    """Copy what the workflow is made of to ``target``.

    With what was compiled of it, which goes by the dates of its sources, so that not every copy
    takes ten seconds to compile it again; but for what other processes are writing.
    """
    unfinished = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")
    for name in ("workflow", "config", "envs"):
        shutil.copytree(root / name, target / name, ignore=unfinished)
    shutil.copy(root / "Snakefile", target)
    # What animals did has tests of its own, and takes as many jobs again as to name them.
    configured = target / "config" / "config.yaml"
    text = configured.read_text()
    assert text.count("  animals: true") == 1
    configured.write_text(text.replace("  animals: true", "  animals: false"))
    return target


def make_archive(folder: Path) -> None:
    """Write the segments that ``SHEET`` names, of which B/bad has a trace that cannot be read."""
    for number, segment in enumerate(("A/good", "B/good", "B/bad")):
        make_segment(folder / segment, number)
    (folder / "B/bad/positions.parquet").write_bytes(b"PAR1 was here")
    (folder / "segments.tsv").write_text(SHEET)


JITTER = 3.0
"""Pixels by which boxes tremble; 1 to 6% of them are then in no tracklet, as on real cages."""


def make_segment(folder: Path, seed: int) -> None:
    """Write an antenna trace, detections and annotations that fit together."""
    rng = np.random.default_rng(seed)
    positions, detections, images = [], [], {}
    for frame in range(FRAMES):
        if frame % 20 == 0:
            antennas = rng.choice(18, size=3, replace=False) + 1
            visibility = rng.choice(["clear", "clear", "clear", "truncated", "hidden"], size=3)
        regions = []
        boxes = []
        for animal, antenna, seen in zip(ANIMALS, antennas, visibility, strict=True):
            positions.append((frame, animal, antenna, False))
            centre = np.array([120 + 200 * ((antenna - 1) // 3), 160 + 180 * ((antenna - 1) % 3)])
            size = np.array([150.0, 110.0]) * (0.7 if seen == "truncated" else 1.0)
            size += rng.normal(0, JITTER, size=2)
            x, y = centre - size / 2 + rng.normal(0, JITTER, size=2)
            if seen == "hidden":
                continue
            boxes.append((x, y, *size))
            regions.append(
                {
                    "shape_attributes": {
                        "name": "rect", "x": x, "y": y, "width": size[0], "height": size[1]
                    },
                    "region_attributes": {
                        "identity": animal, "type": "single", "visibility": str(seen)
                    },
                }
            )  # fmt: skip
        for rank, box in enumerate(boxes):
            detections.append((frame, rank, "mouse", *box, 0.9 - 0.1 * rank))
        if frame % 5 == 0:
            name = f"{frame:06d}.png"
            images[f"{name}-1"] = {
                "filename": name, "size": -1, "regions": regions,
                "file_attributes": {"frame": str(frame)},
            }  # fmt: skip
    columns = {name: list(schemas.CONTRACTS[name].schema.names) for name in schemas.CONTRACTS}
    for name, rows in (("positions", positions), ("detections", detections)):
        frame = pd.DataFrame(rows, columns=columns[name])
        tables.write(frame, folder / f"{name}.parquet", name)
    project = {"_via_settings": {}, "_via_img_metadata": images, "_via_attributes": {}}
    (folder / "via.json").write_text(json.dumps(project))
