"""Half an hour of three animals, exported: time and memory of each format, from the start."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import exported_segment
from murid.exports.files import FORMATS, files

MEASURE = Path(__file__).with_name("measure.py")
FRAMES = 45_000


@pytest.fixture(scope="module")
def tables_of(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return exported_segment.write(tmp_path_factory.mktemp("segment"), frames=FRAMES)


@pytest.mark.bench
def test_half_an_hour_of_three_animals(
    tables_of: list[str], tmp_path: Path, print_table: Callable[..., None]
) -> None:
    rows = []
    for formats in (*[(name,) for name in FORMATS], FORMATS):
        words, paths = [], [tmp_path / f"{name}{suffix}" for name, suffix in files(formats)]
        for (name, _), path in zip(files(formats), paths, strict=True):
            words += ["--output", name, str(path)]
        about = ["--cage=c", "--segment=s", "--fps=25", "--start=2026-03-29 00:30"]
        stage = ["-m", "murid", "export", *tables_of, *about, *words]
        command = [sys.executable, str(MEASURE), sys.executable, *stage]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        assert found["exit"] == 0
        size = sum(path.stat().st_size for path in paths) / 1e6
        label = formats[0] if len(formats) == 1 else "all"
        rows.append((label, found["seconds"], found["processor"], found["megabytes"], size))
    columns = ("format", "seconds", "of processor", "MB of memory", "MB of files")
    print_table(f"{FRAMES:,} frames of {len(exported_segment.ANIMALS)} animals", columns, rows)
