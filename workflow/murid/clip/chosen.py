"""The clips of the report: the best stretch of each kind in the whole archive, rendered."""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from murid import schemas, sheet, spreadsheets, tables
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
    parts = [best(moments[moments["kind"] == kind]).head(1) for kind in schemas.MOMENTS]
    return tables.concatenate(parts, "moments")


def passed_over(
    segments: Mapping[tuple[str, str], Segment], archive: Path
) -> dict[tuple[str, str], str]:
    """Return why no clip can be made of segments, by cage and segment."""
    reasons = {}
    for key, entry in segments.items():
        if not entry.video:
            reasons[key] = "no video"
        elif not (archive / entry.video).is_file():
            reasons[key] = f"the video {entry.video} is missing"
    return reasons


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
    filmed = segments.keys() - skipped.keys()
    if not filmed:
        raise InputError(
            stage.sample_sheet, "no segment with a video that is there", "at least one"
        )
    for kind in schemas.MOMENTS:
        (stage.output_dir / f"{kind}.mp4").unlink(missing_ok=True)
    chosen = choose(_read_moments(stage.segments_dir, sorted(filmed), skipped))
    methods = {
        kind: stage.compare if kind == "disagreement" else (stage.default,)
        for kind in schemas.MOMENTS
    }
    for row in chosen.itertuples():
        entry = segments[row.cage, row.segment]
        folder = stage.segments_dir / row.cage / row.segment
        clip = Clip(
            **stage.filmed(entry),
            positions=folder / f"{entry.positions_table}.parquet",
            identities=tuple(
                MethodTable(name, folder / "identities" / f"{name}.parquet")
                for name in methods[row.kind]
            ),
            weights=stage.weights,
            transforms=stage.transforms,
            clahe=stage.clahe,
            frames=Stretch(row.first_frame, row.last_frame),
            speed=stage.speed,
            output=stage.output_dir / f"{row.kind}.mp4",
        )
        clip.run()
        where = f"cage {row.cage} segment {row.segment}"
        log.info("%s: %s frames %d to %d", clip.output, where, *clip.frames)
    log.info("%d segments passed over: see skipped.csv", len(skipped))
    rows = [(*key, reason) for key, reason in skipped.items()]
    listed = pd.DataFrame(rows, columns=["cage", "segment", "reason"])
    write_text(stage.output_dir / "skipped.csv", spreadsheets.to_csv(listed))
    clips = chosen.assign(
        speed=stage.speed,
        methods=[methods[kind] for kind in chosen["kind"]],
        skipped=len(skipped),
    )
    tables.write(clips, stage.output_dir / "clips.parquet", "clips")


def _read_moments(
    folder: Path, keys: Iterable[tuple[str, str]], skipped: dict[tuple[str, str], str]
) -> pd.DataFrame:
    """Read the table ``moments`` of segments, and add those that are discarded to ``skipped``."""
    parts = []
    for cage, segment in keys:
        path = folder / cage / segment / "moments.parquet"
        verdict = tables.read_verdict(path)
        if verdict.discarded:
            skipped[cage, segment] = f"discarded: {verdict.reason}"
        parts.append(tables.read(path, "moments"))
    return tables.concatenate(parts, "moments")
