"""The clips of the report: the best stretch of each kind in the whole archive, rendered."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from murid import contracts, sheet, tables
from murid.clip import stage
from murid.clip.moments import best
from murid.errors import InputError
from murid.files import write_text
from murid.settings import Clips
from murid.sheet import Segment

log = logging.getLogger(__name__)


def choose(moments: pd.DataFrame) -> pd.DataFrame:
    """Return the best stretch of each kind: the table ``moments``, a row a kind in their order."""
    parts = [best(moments[moments["kind"] == kind]).head(1) for kind in contracts.MOMENTS]
    return tables.concatenate(parts, "moments")


def passed_over(segments: Mapping[tuple[str, str], Segment], archive: Path) -> pd.DataFrame:
    """Return the segments that no clip can be made of: columns ``cage, segment, reason``."""
    rows = []
    for (cage, segment), entry in segments.items():
        if not entry.video:
            rows.append((cage, segment, "no video"))
        elif not (archive / entry.video).is_file():
            rows.append((cage, segment, f"the video {entry.video} is missing"))
    return pd.DataFrame(rows, columns=["cage", "segment", "reason"])


def run(
    sample_sheet: Path,
    archive: Path,
    segments_dir: Path,
    weights: Path,
    transforms: Path,
    default: str,
    compare: Sequence[str],
    output_dir: Path,
    settings: Clips,
) -> None:
    """Render the clips, and write ``clips.parquet`` and ``skipped.csv`` beside them.

    Parameters
    ----------
    sample_sheet, archive
        What segments there are, and the folder that the sheet's paths start at.
    segments_dir
        The folder of their tables, ``CAGE/SEGMENT/``.
    weights, transforms
        The fitted model (JSON), and the table of the rigs' transforms.
    default
        The method that the clips on confidence show.
    compare
        The methods that the clip on their disagreement shows side by side, at most four.
    output_dir
        Where the clips go.
    settings
        How they look.

    Raises
    ------
    InputError
        If a table is missing, or no segment has a video.
    """
    segments = sheet.read_sheet(sample_sheet)
    skipped = passed_over(segments, archive)
    filmed = segments.keys() - set(zip(skipped["cage"], skipped["segment"], strict=True))
    if not filmed:
        raise InputError(sample_sheet, "no segment with a video that is there", "at least one")
    for kind in contracts.MOMENTS:
        (output_dir / f"{kind}.mp4").unlink(missing_ok=True)
    parts, unusable = [], []
    for cage, segment in sorted(filmed):
        path = segments_dir / cage / segment / "moments.parquet"
        verdict = tables.read_verdict(path)
        if verdict.discarded:
            unusable.append((cage, segment, f"discarded: {verdict.reason}"))
        parts.append(tables.read(path, "moments"))
    chosen = choose(tables.concatenate(parts, "moments"))
    for row in chosen.itertuples():
        entry = segments[row.cage, row.segment]
        folder = segments_dir / row.cage / row.segment
        methods = list(compare) if row.kind == "disagreement" else [default]
        sources = stage.Sources(
            video=archive / entry.video,
            positions=folder / "positions.parquet",
            identities=[(name, folder / "identities" / f"{name}.parquet") for name in methods],
            weights=weights,
            transforms=transforms,
            rig=entry.rig,
            fps=entry.fps,
        )
        span = (int(row.first_frame), int(row.last_frame) + 1)
        path = output_dir / f"{row.kind}.mp4"
        stage.run_clip(sources, span, path, clahe=settings.clahe, speed=settings.speed)
        log.info("%s: cage %s segment %s frames %d to %d", path, row.cage, row.segment, *span)
    skipped = pd.concat([skipped, pd.DataFrame(unusable, columns=skipped.columns)])
    log.info("%d segments passed over: see skipped.csv", len(skipped))
    write_text(output_dir / "skipped.csv", tables.to_csv(skipped))
    clips = chosen.assign(
        speed=settings.speed,
        methods=[tuple(compare) if k == "disagreement" else (default,) for k in chosen["kind"]],
        skipped=len(skipped),
    )
    tables.write(clips, output_dir / "clips.parquet", "clips")
