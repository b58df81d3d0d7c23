"""The clips of the report: the best stretch of each kind in the whole archive, rendered."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from murid import contracts, sheet, tables
from murid.clip.moments import best
from murid.clip.stage import Clip, Stretch
from murid.errors import InputError
from murid.files import write_text
from murid.sheet import Segment
from murid.stage import MethodTable

if TYPE_CHECKING:
    from murid.clip.stage import Clips

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


def render_best(stage: "Clips") -> None:
    """Render the best stretch of each kind, and tell which they are and what was passed over.

    The clips on confidence show the method ``default`` alone; the one on disagreement shows those
    of ``compare`` side by side, at most four.

    Raises
    ------
    InputError
        If a table is missing, or no segment has a video.
    """
    segments = sheet.read_sheet(stage.sample_sheet)
    skipped = passed_over(segments, stage.archive)
    filmed = segments.keys() - set(zip(skipped["cage"], skipped["segment"], strict=True))
    if not filmed:
        raise InputError(
            stage.sample_sheet, "no segment with a video that is there", "at least one"
        )
    for kind in contracts.MOMENTS:
        (stage.output_dir / f"{kind}.mp4").unlink(missing_ok=True)
    parts, unusable = [], []
    for cage, segment in sorted(filmed):
        path = stage.segments_dir / cage / segment / "moments.parquet"
        verdict = tables.read_verdict(path)
        if verdict.discarded:
            unusable.append((cage, segment, f"discarded: {verdict.reason}"))
        parts.append(tables.read(path, "moments"))
    chosen = choose(tables.concatenate(parts, "moments"))
    methods = {
        kind: stage.compare if kind == "disagreement" else (stage.default,)
        for kind in contracts.MOMENTS
    }
    for row in chosen.itertuples():
        frames = Stretch(int(row.first_frame), int(row.last_frame) + 1)
        clip = _clip(stage, segments[row.cage, row.segment], row.kind, methods[row.kind], frames)
        clip.run()
        where = f"cage {row.cage} segment {row.segment} frames {frames.first} to {frames.end}"
        log.info("%s: %s", clip.output, where)
    skipped = pd.concat([skipped, pd.DataFrame(unusable, columns=skipped.columns)])
    log.info("%d segments passed over: see skipped.csv", len(skipped))
    write_text(stage.output_dir / "skipped.csv", tables.to_csv(skipped))
    clips = chosen.assign(
        speed=stage.speed,
        methods=[methods[kind] for kind in chosen["kind"]],
        skipped=len(skipped),
    )
    tables.write(clips, stage.output_dir / "clips.parquet", "clips")


def _clip(
    stage: "Clips", segment: Segment, kind: str, methods: tuple[str, ...], frames: Stretch
) -> Clip:
    """Return the stage that renders a stretch of a segment."""
    folder = stage.segments_dir / segment.cage / segment.segment
    return Clip(
        video=stage.archive / segment.video,
        positions=folder / "positions.parquet",
        identities=tuple(
            MethodTable(name, folder / "identities" / f"{name}.parquet") for name in methods
        ),
        weights=stage.weights,
        transforms=stage.transforms,
        rig=segment.rig,
        fps=segment.fps,
        clahe=stage.clahe,
        frames=frames,
        speed=stage.speed,
        output=stage.output_dir / f"{kind}.mp4",
    )
