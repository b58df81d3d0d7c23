"""A named segment to export, of odd numbers and gaps, and its tables."""

from pathlib import Path

import numpy as np
import pandas as pd
from click.testing import CliRunner

from murid import schemas, tables
from murid.cli import cli
from murid.exports.files import FORMATS, files

FPS, FRAMES = 12.5, 60
ANIMALS = ("R", "G", "9.b_-")
"""Not in the order of the alphabet."""
NAMES = sorted(ANIMALS)
Paths = dict[str, Path]
"""Files of an export, by format and ending."""


def named(frames: int = FRAMES, seed: int = 1, sure: bool = True) -> tuple[pd.DataFrame, ...]:
    """Return tables of identities and positions; R is never seen at first, and G rarely.

    Of an answer that is not ``sure`` nobody estimated how probable it is.
    """
    random = np.random.default_rng(seed)
    rows, read = [], []
    for frame in range(frames):
        for place, animal in enumerate(ANIMALS):
            seen = random.random() < (0.9, 0.3, 0.7)[place] and (place or frame >= frames // 4)
            box = [*random.uniform(-5, 900, 2), *random.uniform(0.5, 200, 2)]
            rows.append(
                [frame, animal, 7, place, *box, random.random() if sure else None]
                if seen
                else [frame, animal, None, None, *[np.nan] * 4, 0.5 if sure else None]
            )
            antenna = int(random.integers(1, 5)) if random.random() < 0.8 else None
            read.append([frame, animal, antenna, False])
    return tuple(
        tables.conform(pd.DataFrame(made, columns=schemas.CONTRACTS[name].schema.names), name)
        for name, made in (("identities", rows), ("positions", read))
    )


def write(
    folder: Path,
    verdict: tables.Verdict | None = None,
    frames: int = FRAMES,
    sure: bool = True,
) -> list[str]:
    """Write the tables of such a segment; return the options of a command that name them."""
    made = named(frames, sure=sure)
    words = []
    for name, table in zip(("identities", "positions"), made, strict=True):
        if verdict and verdict.discarded:
            table = tables.empty(name)
        tables.write(table, folder / f"{name}.parquet", name, verdict)
        words += [f"--{name}", str(folder / f"{name}.parquet")]
    return words


def boxes_of(identities: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a box, by frame and animal."""
    seen = identities[identities["x"].notna()]
    return seen.sort_values(["frame", "animal"], ignore_index=True)


def export(folder: Path, tables_of: list[str], *more: str, formats: tuple = FORMATS) -> Paths:
    """Export as the command does; return the files by format and ending."""
    words = ["export", *tables_of, "--cage=c.1", "--segment=s_1.x", f"--fps={FPS}", *more]
    paths = {}
    for name, suffix in files(formats):
        paths[name + suffix] = folder / name / "c.1" / f"s_1.x{suffix}"
        words += ["--output", name, str(paths[name + suffix])]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return paths
