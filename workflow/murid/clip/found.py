"""A stretch of a segment, shown from the results of a run, which tell all that it takes."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from murid import sheet, tables
from murid.clip import when
from murid.clip.stage import Clip, Shown, Stretch
from murid.errors import InputError
from murid.run import record
from murid.sheet import Segment
from murid.stage import MethodTable

if TYPE_CHECKING:
    from murid.clip.stage import Show

log = logging.getLogger(__name__)

MINUTE = 60.0
"""Seconds that are shown where nobody says how many."""


def clip_of(stage: "Show") -> Clip:
    """Return the clip that is asked for.

    Raises
    ------
    InputError
        If the results, the segment, its video or a method are not there, or the stretch is none of
        the segment's.
    """
    told = record.read(stage.results)
    entry = _entry(stage, told)
    folder = stage.results / "segments" / entry.cage / entry.segment
    named = [folder / "identities" / f"{name}.parquet" for name in stage.method or (told.method,)]
    positions = folder / f"{entry.positions_table}.parquet"
    _check_there(stage, folder, [*named, positions])
    frames = _stretch(stage, entry, int(tables.read(positions, "positions")["frame"].max()) + 1)
    first, last = frames
    name = f"{entry.cage}_{entry.segment}_{first}-{last}.mp4"
    shown = Shown(
        sample_sheet=Path(told.sheet),
        archive=Path(told.archive),
        segments_dir=stage.results / "segments",
        weights=stage.results / "models" / "weights.json",
        transforms=stage.results / "models" / "transforms.parquet",
        surveys=_surveys(stage.results, entry),
        output_dir=Path(),
    )
    return Clip(
        **shown.filmed(entry),
        positions=positions,
        identities=tuple(MethodTable(path.stem, path) for path in named),
        weights=shown.weights,
        transforms=shown.transforms,
        scale=stage.scale,
        clahe=stage.clahe,
        frames=frames,
        speed=stage.speed,
        output=stage.output or Path(name),
    )


def _entry(stage: "Show", told: record.Record) -> Segment:
    """Return the row of the segment, which has a video."""
    segments = sheet.read_sheet(told.sheet)
    entry = segments.get((stage.cage, stage.segment))
    if entry is None:
        of_cage = [segment for cage, segment in segments if cage == stage.cage]
        those = of_cage or list(dict.fromkeys(cage for cage, _ in segments))
        raise InputError(
            told.sheet, f"no segment {stage.segment} of cage {stage.cage}",
            f"one of the {'segments' if of_cage else 'cages'} {', '.join(those[:10])}"
            + " ..." * (len(those) > 10),
        )  # fmt: skip
    if not entry.video:
        raise InputError(
            told.sheet,
            "no video",
            "one to show",
            where=f"cage {stage.cage} segment {stage.segment}",
        )
    return entry


def _check_there(stage: "Show", folder: Path, needed: list[Path]) -> None:
    """Refuse a segment that was not named, or by another method."""
    for path in needed:
        if not path.is_file():
            there = sorted(found.stem for found in (folder / "identities").glob("*.parquet"))
            raise InputError(
                path, "no file", f"names by one of the methods run: {', '.join(there) or 'none'}",
                remedy="Without annotations, only the default method is run."
                if there else "Run snakemake first.",
            )  # fmt: skip
        verdict = tables.read_verdict(path)
        if verdict.discarded:
            raise InputError(
                path, f"a segment that is discarded ({verdict.reason})", "one with names to show"
            )


def _stretch(stage: "Show", entry: Segment, count: int) -> Stretch:
    """Return first and last frame to show of ``count`` frames, both included."""
    first = _frame("--from", stage.begin, entry)
    if first >= count:
        meant = when.elapsed(stage.begin)
        within = meant is not None and meant * entry.fps < count
        raise InputError(
            "options", f"{stage.begin}, frame {first:,}", _lasts(entry, count), where="--from",
            remedy=f"That is a time of day; from the start, it is {meant:g}s." if within else "",
        )  # fmt: skip
    last = first + round(MINUTE * entry.fps) - 1
    if stage.end is not None:
        last = _frame("--to", stage.end, entry)
        if last < first:
            raise InputError(
                "options", f"{stage.end}, frame {last:,}", f"frame {first:,}, --from, or later",
                where="--to",
            )  # fmt: skip
        if last >= count:
            log.info("shown up to the end: expected %s", _lasts(entry, count))
    return Stretch(first, min(last, count - 1))


def _frame(option: str, text: str, entry: Segment) -> int:
    # Where each frame has a time of its own, the rate does not tell which one was then.
    start = "" if entry.frame_times else entry.start
    try:
        return when.frame_of(text, start, entry.fps)
    except ValueError as error:
        raise InputError(
            "options", f"{text}, and {error}", "seconds, as 90s, or a frame", where=option
        ) from error


def _lasts(entry: Segment, count: int) -> str:
    begun = f" from {entry.start} on" * bool(entry.start)
    return f"a moment of the segment, which has {count:,} frames, {count / entry.fps:,.0f} s{begun}"


def _surveys(results: Path, entry: Segment) -> tuple[Path, ...]:
    """Return the table of the key frames of a video that the segment is a part of."""
    path = results / "videos" / f"{sheet.table_name(entry.video)}.parquet"
    return (path,) if not entry.part.whole and path.is_file() else ()
