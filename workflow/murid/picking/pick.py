"""From a sample sheet to a folder of pictures to annotate."""

import math
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import animals as worn
from murid import files, sheet, tables
from murid.archive import positions
from murid.detect import enough
from murid.errors import InputError, UnwritableError
from murid.numbers import counted
from murid.picking import doubt, project, sheet_column, spread
from murid.sheet import Segment
from murid.spreadsheets import to_csv
from murid.video import Frame, single

if TYPE_CHECKING:
    from murid.picking.stage import PickFrames

A_SEGMENT = 5
"""Frames of a segment at least, if it has them: a project for one frame is a chore."""
CANDIDATES = 8
"""Pictures to choose from for each that is picked."""
MOST_CANDIDATES = 2000
"""Of a segment, unless more are picked."""
APART = 2.0
"""Seconds between frames that are picked by what the detector says."""
SPREAD = "spread"
"""Why a frame was picked that nothing is known of."""
DETECTIONS = ("detections.video.parquet", "detections.archive.parquet")
"""What a run calls a segment's boxes: the detector's, or those that it was given."""
PROJECT = "annotations.json"
LISTED = "segments_annotations.tsv"
REASONS = "frames.csv"
SHOWN = 5
"""Segments that are told one by one, at most."""


@dataclass
class _Picked:
    """What was picked so far."""

    reasons: dict[tuple[str, str], dict[int, str]] = field(default_factory=dict)
    """Why each frame was, by cage and segment."""
    faults: list[str] = field(default_factory=list)
    """Segments that could not be used, and why."""
    detected: bool = False
    """Whether boxes were found of any of them."""
    seen: dict[str, list[spread.Features]] = field(default_factory=dict)
    """Thumbnails of the pictures of a cage."""

    @property
    def count(self) -> int:
        return sum(map(len, self.reasons.values()))


def pick_frames(stage: "PickFrames") -> tuple[str, list[str]]:
    """Pick frames and write their pictures.

    Returns
    -------
    What was done in a sentence, and what else the user should know.

    Raises
    ------
    InputError
        If the sheet cannot be read or filled, no segment has a video and no annotations, not one
        such video can be read, or the folder is there already.
    """
    path = stage.archive / "segments.tsv" if stage.archive.is_dir() else stage.archive
    archive = stage.folder or path.parent
    rows = sheet.read_sheet(path)
    _check(stage, path)
    waiting = spread.order(row for row in rows.values() if row.video and not row.annotations)
    if not waiting:
        raise InputError(
            path, "no segment that has a video and no annotations", "one at least to pick from"
        )
    names = _names(stage, rows.values())
    picked = _Picked()
    with _made_whole(stage.out) as partial:
        chosen = [
            (_with_animals(segment, names, archive), index)
            for segment, index in _chosen(waiting, archive, stage.count, picked.faults)
        ]
        _pick_all(stage, chosen, partial, picked)
        if not picked.count:
            raise InputError(
                path, f"no video of which frames can be read. {'; '.join(picked.faults[:SHOWN])}",
                "one at least that decodes",
            )  # fmt: skip
        listed = _write_lists(partial, stage.out, archive, picked)
        if stage.update_sheet:
            sheet_column.refuse_strange(path, listed)
    if stage.update_sheet:
        sheet_column.fill(path, listed)
    return _told(stage, picked, sum(len(index.places) for _, index in chosen))


def _check(stage: "PickFrames", path: Path) -> None:
    """Refuse what would fail only after frames were picked."""
    if stage.update_sheet:
        sheet_column.check(path)
    if os.path.lexists(stage.out):
        raise InputError(
            stage.out, "a file or folder that is there already", "a new folder",
            remedy="Nothing is written over what may be annotated: name another one.",
        )  # fmt: skip
    if stage.results and not (stage.results / "segments").is_dir():
        raise InputError(
            stage.results, "no folder segments", "the folder of results of a run",
            where="--results",
        )  # fmt: skip


def _chosen(
    waiting: Sequence[Segment], archive: Path, count: int, faults: list[str]
) -> list[tuple[Segment, single.Index]]:
    """Return segments to pick from that hold enough frames, and where these are.

    Parameters
    ----------
    waiting
        Segments to choose from, in order.
    archive
        Folder that their videos are below.
    count
        Frames to pick of all.
    faults
        Gets what is to be said of videos that cannot be read.
    """
    cages = len({segment.cage for segment in waiting})
    enough_segments = max(cages, math.ceil(count / A_SEGMENT))
    chosen: list[tuple[Segment, single.Index]] = []
    held = 0
    for segment in waiting:
        if len(chosen) >= enough_segments and held >= count:
            break
        try:
            index = single.index(archive / segment.video, segment.fps, segment.part)
        except InputError as error:
            faults.append(_passed_over(segment, error))
            continue
        chosen.append((segment, index))
        held += len(index.places)
    return chosen


def _passed_over(segment: Segment, error: InputError) -> str:
    return f"{segment.cage} {segment.segment} is passed over: {error}"


def _pick_all(
    stage: "PickFrames",
    chosen: Sequence[tuple[Segment, single.Index]],
    partial: Path,
    picked: _Picked,
) -> None:
    """Pick frames of all segments, and write what is to be annotated."""
    held = [len(index.places) for _, index in chosen]
    for (segment, index), quota in zip(chosen, spread.shares(held, stage.count), strict=True):
        if not quota:
            continue
        try:
            _pick_segment(stage, segment, index, quota, partial, picked)
        except UnwritableError:
            raise
        except InputError as error:
            # Pictures without a project would be no use.
            shutil.rmtree(partial / segment.cage / segment.segment, ignore_errors=True)
            picked.faults.append(_passed_over(segment, error))
            continue
        _write_project(partial, segment)


def _pick_segment(
    stage: "PickFrames",
    segment: Segment,
    index: single.Index,
    quota: int,
    partial: Path,
    picked: _Picked,
) -> None:
    """Pick frames of a segment, and write their pictures.

    Raises
    ------
    InputError
        If its video or its detections cannot be read.
    """
    may = np.zeros(int(index.places.max()) + 1, dtype=bool)
    may[index.places] = True
    # Of a short video, few frames could be picked that are seconds apart.
    apart = min(round(APART * segment.fps), len(index.places) // (4 * quota))
    reasons: dict[int, str] = {}
    if stage.results and (detections := _detections(stage.results, segment)) is not None:
        picked.detected = True
        reasons = _by_detector(detections, segment, quota, may.copy(), apart)
    may[[*reasons]] = False
    seen = picked.seen.setdefault(segment.cage, [])
    for place in _by_looks(index, quota - len(reasons), may, seen):
        reasons[place] = SPREAD
    written = {}
    folder = partial / segment.cage / segment.segment
    for place, grey in single.read(index, reasons):
        folder.mkdir(parents=True, exist_ok=True)
        _write_picture(folder / f"frame_{place:06d}.png", grey)
        seen.append(spread.thumbnail(grey))
        written[place] = reasons[place]
    if not written:
        raise InputError(index.path, "no frame that decodes", "one at least")
    picked.reasons[segment.cage, segment.segment] = written


def _detections(results: Path, segment: Segment) -> pd.DataFrame | None:
    """Return the boxes that a run found in a segment; None if it has none."""
    folder = results / "segments" / segment.cage / segment.segment
    for name in DETECTIONS:
        if (folder / name).is_file():
            table = tables.read(folder / name, "detections")
            return table if len(table) else None
    return None


def _by_detector(
    detections: pd.DataFrame, segment: Segment, quota: int, may: NDArray[np.bool_], apart: int
) -> dict[int, str]:
    """Pick a third each of rare postures, which come first, and of doubts."""
    animals = len(segment.animals) or None
    rare = doubt.pick(doubt.postures(detections, animals), (quota + 1) // 3, may, apart)
    return rare | doubt.pick(doubt.doubts(detections), (quota + 1) // 3, may, apart)


def _by_looks(
    index: single.Index, count: int, may: NDArray[np.bool_], seen: Sequence[spread.Features]
) -> list[int]:
    """Pick frames that are spread over time and look different."""
    free = np.flatnonzero(may)
    if count <= 0 or not len(free):
        return []
    keys = index.keys[may[index.keys]]
    # Key frames are quick to reach; where there are few, those between them are decoded, too.
    among = keys if len(keys) >= 2 * count else free
    candidates = max(count, min(CANDIDATES * count, MOST_CANDIDATES))
    steps = np.linspace(0, len(among) - 1, min(len(among), candidates))
    looks = {
        place: spread.thumbnail(grey)
        for place, grey in single.read(index, among[np.rint(steps).astype(int)])
    }
    if not looks:
        return []
    places, features = [*looks], np.array([*looks.values()])
    return [places[n] for n in spread.differing(features, count, np.array(seen))]


def _write_picture(path: Path, grey: Frame) -> None:
    _, encoded = cv2.imencode(".png", grey)
    try:
        path.write_bytes(encoded.tobytes())
    except OSError as error:
        raise UnwritableError(path, error) from error


def _write_project(partial: Path, segment: Segment) -> None:
    folder = partial / segment.cage / segment.segment
    pictures = {
        int(path.stem.removeprefix("frame_")): (path.name, path.stat().st_size)
        for path in folder.glob("frame_*.png")
    }
    name = f"{segment.cage} {segment.segment}"
    project.write(folder / PROJECT, name, pictures, segment.animals)


def _names(stage: "PickFrames", rows: Iterable[Segment]) -> dict[str, Sequence[str]]:
    """Return the animals of cages, as far as the sheet or the table of tags tells them."""
    names: dict[str, Sequence[str]] = {}
    # Of the time zone only hours depend, not who lives where.
    table = worn.read(stage.animals, "UTC") if stage.animals else worn.Table([], [])
    unknown = {fault.cage for fault in table.faults}
    for each in table.worn:
        if each.cage not in unknown:
            names[each.cage] = sorted({*names.get(each.cage, ()), each.animal})
    return names | {row.cage: row.animals for row in rows if row.animals}


def _with_animals(segment: Segment, names: Mapping[str, Sequence[str]], archive: Path) -> Segment:
    """Return a segment with its animals, as far as anything tells them."""
    animals = segment.animals or names.get(segment.cage) or _of_trace(archive, segment)
    return replace(segment, animals=tuple(animals))


def _of_trace(archive: Path, segment: Segment) -> Sequence[str]:
    """Return the animals of an antenna trace; none if it tells none."""
    try:
        trace = positions.read(archive / segment.positions).table if segment.positions else None
    except InputError:
        return ()
    return () if trace is None else list(map(str, trace["animal"].unique()))


def _write_lists(
    partial: Path, out: Path, archive: Path, picked: _Picked
) -> dict[tuple[str, str], str]:
    """Write which project each segment has, and why each frame was picked; return the former."""
    projects = {
        (cage, segment): os.path.relpath(out / cage / segment / PROJECT, archive)
        for cage, segment in picked.reasons
    }
    rows = [("cage", "segment", "annotations"), *((*key, path) for key, path in projects.items())]
    files.write_text(partial / LISTED, sheet.lines_of(rows, "\n"))
    reasons = pd.DataFrame(
        [
            (*key, frame, reason)
            for key, of_segment in picked.reasons.items()
            for frame, reason in sorted(of_segment.items())
        ],
        columns=["cage", "segment", "frame", "reason"],
    )
    files.write_text(partial / REASONS, to_csv(reasons))
    return projects


@contextmanager
def _made_whole(out: Path) -> Iterator[Path]:
    """Give a folder beside ``out``, which is renamed to it when all is written."""
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        yield partial
        os.rename(partial, out)
    except OSError as error:
        raise UnwritableError(out, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _told(stage: "PickFrames", picked: _Picked, held: int) -> tuple[str, list[str]]:
    """Say what was done, and what else the user should know; ``held``: frames to pick from."""
    notes = picked.faults[:SHOWN]
    if more := len(picked.faults) - len(notes):
        notes.append(f"and {more:,} more segments are passed over")
    if picked.count < stage.count:
        why = "some do not decode"
        if held < stage.count:
            why = f"segments that have a video and no annotations hold {held:,}"
        notes.append(f"{picked.count:,} of {stage.count:,} frames were picked: {why}")
    if stage.results and not picked.detected:
        notes.append(
            f"{stage.results} has no boxes of these segments: frames were picked by their looks"
        )
    cages = {cage for cage, _ in picked.reasons}
    if few := enough.lacking(picked.count, len(cages)):
        notes.append(f"{few}. Pick more, or count those that are annotated already")
    done = (
        f"{counted(picked.count, 'frame')} of {counted(len(picked.reasons), 'segment')} of "
        f"{counted(len(cages), 'cage')} "
        f"in {stage.out}"
    )
    return done, notes
