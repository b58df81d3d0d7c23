"""Whether a segment can be used: its parts compared, gaps filled or told, and a verdict given.

What can be repaired is repaired and marked; what cannot discards the segment, with a reason that
names the animal and the frames (Appendix A.1). Only a pickle that would run something stops the
run: that is an attack and no damage.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, settings, tables
from murid.archive import annotations, detections, logged, positions, traces
from murid.archive.annotation_types import SIZES
from murid.archive.columns import refused
from murid.archive.pickles import RefusedPickleError
from murid.errors import InputError, brief
from murid.grid import Antennas, antennas_of
from murid.readings.segment import UNREAD
from murid.sheet import MOST_ANIMALS
from murid.stretches import listed, stretches_of
from murid.tables import Verdict
from murid.timeline import ANNOTATED, BEGINS, FILMED, FRAMES, MISSING, compare_lengths, filmed
from murid.truth import contradictory_frames

if TYPE_CHECKING:
    from murid.archive.stage import Check

MAX_STRETCH = 2
"""Frame numbers may go this many times as far as there are frames, before they make no sense."""

EPOCH = 500_000_000
"""Frame numbers from which they are seconds since 1970: no recording is so long."""
MAX_CELLS, MAX_SPARSE = 2**21, 16
"""Frames times animals of any trace; and of a longer one, for each reading that there is."""


def check_segment(stage: "Check") -> Verdict:
    """Read a segment's parts, judge it, and write its tables with the verdict.

    Tracklets bring their own detections, unless there are others. The tables of a discarded segment
    are empty.

    Raises
    ------
    RefusedPickleError
        If a part is a pickle that would run something; all else that is wrong is a verdict.
    """
    grid = antennas_of(stage.grid.layout)
    animals = tuple(name.strip() for name in stage.animals.split(",") if name.strip())
    parts: dict[str, Any] = {}

    def size() -> tuple[int, int] | None:
        return None if parts.get("video") is None else parts["video"].size

    def rate() -> float:
        return (None if parts.get("video") is None else parts["video"].rate) or stage.fps

    def inspected(path: Path) -> tuple[object, Verdict]:
        from murid import video  # loads a large library, and many segments have none

        return video.inspect(path, stage.fps, stage.part), Verdict()

    # The video comes first: some formats tell boxes in shares of its picture, or by its seconds.
    readers: dict[str, Callable[[Path], tuple[object, Verdict]]] = {
        "video": inspected,
        "positions": lambda path: positions.read(path, animals, grid.size),
        "annotations": lambda path: annotations.read(
            path, stage.cage, stage.segment, rate(), size()
        ),
        "detections": lambda path: detections.read(path, size=size()),
        "tracklets": lambda path: detections.read(path, size=size()),
    }
    sources = {name: path for name in readers if (path := getattr(stage, name)) is not None}
    verdict = compare_files(sources)
    for text in stage.shared:
        verdict |= Verdict(
            "repaired", f"{text}: one of the two is wrong, or the same is counted twice"
        )
    if not (stage.positions or stage.readings):
        verdict |= Verdict("discarded", "neither positions nor readings; expected one of the two")
    for name, path in sources.items():
        try:
            parts[name], of_part = readers[name](path)
        except RefusedPickleError:
            raise
        except InputError as error:
            parts[name], of_part = None, refused(error)
        verdict |= of_part
    check = stage.check
    if stage.readings and not verdict.discarded:
        parts["positions"], of_part = logged.read(stage, animals, parts)
        verdict |= of_part
        check = check.model_copy(update={"max_missing": stage.of_logs.max_unread})
    made: dict[str, pd.DataFrame] = {}
    if not verdict.discarded:
        made, judged = judge(parts, grid, check, animals, stage.fps, bool(stage.readings))
        if stage.readings and judged.discarded and verdict.reason:
            # What is said of the logs may be why.
            judged = Verdict(judged.status, f"{judged.reason}; {verdict.reason}")
        verdict |= judged
    for name in ("positions", "annotations", "detections", "tracklets"):
        path = getattr(stage, f"output_{name}")
        if path is not None:
            table = tables.empty(name) if verdict.discarded else made.get(name, tables.empty(name))
            tables.write(table, path, name, verdict, _about(parts, sources))
    return verdict


def _about(parts: Mapping[str, Any], sources: Mapping[str, Path]) -> dict[str, str]:
    """Return what is to be known of a segment beside its tables."""
    about = {FRAMES: str(_length(parts))}
    if parts.get("annotations") is not None:
        about[ANNOTATED] = str(parts["annotations"]["frame"].nunique())
    readings, footage = parts.get("positions"), parts.get("video")
    before: dict[str, str] = {}
    if readings is not None and "positions" in sources and footage is None:
        # Tables that were checked before, without what they were checked with.
        table = sources["positions"]
        before = tables.read_about(table) if table.suffix == ".parquet" else {}
    if readings is not None and BEGINS in readings.attrs:
        before[BEGINS] = readings.attrs[BEGINS].isoformat()
    about |= {name: before[name] for name in (BEGINS, MISSING) if name in before}
    if footage is not None:
        about[MISSING] = str(footage.lost)
    if rate := footage.rate if footage is not None else filmed(before):
        about[FILMED] = repr(float(rate))
    return about


def _length(parts: Mapping[str, Any]) -> int:
    """Return how many frames a segment has, as far as it could be read; it may be discarded."""
    readings, footage = parts.get("positions"), parts.get("video")
    if readings is not None and len(readings):
        return int(readings["frame"].nunique())
    return footage.decoded if footage is not None else 0


def judge(
    parts: Mapping[str, Any],
    grid: Antennas,
    check: settings.Check,
    animals: Sequence[str] = (),
    fps: float = 25.0,
    logged: bool = False,
) -> tuple[dict[str, pd.DataFrame], Verdict]:
    """Judge a segment by its parts, each as its reader gives it.

    Parameters
    ----------
    parts
        ``positions``, and perhaps ``detections`` and ``tracklets``, as found; ``annotations``, the
        table; ``video``, what was found while it was decoded.
    grid, check, animals, fps
        As the settings and the sheet have them.
    logged
        Whether the positions are of antenna logs.

    Returns
    -------
    The tables ``positions``, ``detections``, ``tracklets`` and ``annotations`` as far as there are
    parts of them, and the verdict; where it is ``discarded``, some tables may be missing.
    """
    table, verdict = judge_positions(parts["positions"], grid, check.max_missing, animals, logged)
    if table.empty:
        return {}, verdict
    made = {"positions": table}
    verdict |= traces.judge(table, grid, fps)
    frames = int(table["frame"].iloc[-1]) + 1
    if "video" in parts:
        from murid import video

        verdict |= video.judge(
            parts["video"], frames, fps, check.frame_tolerance, check.max_missing_frames
        )
    for name in ("tracklets", "detections"):
        if name not in parts:
            continue
        boxes, beyond = _within(parts[name], name, frames, check, fps)
        boxes, empty = drop_empty_boxes(boxes)
        verdict |= beyond | empty | detections.judge_scores(boxes)
        try:
            made["detections"] = detections.as_table(boxes)
            if name == "tracklets":
                made[name] = detections.as_tracklets(boxes)
        except InputError as error:
            verdict |= refused(error)
    if "annotations" in parts:
        given = parts["annotations"]
        annotated, beyond = _within(given, "annotations", frames, check, fps)
        verdict |= beyond | compare_identities(annotated, list(table["animal"].unique()))
        verdict |= tell_contradictions(annotated)
        if given.empty:
            verdict |= Verdict("repaired", "the annotations are of no frame, and count as none")
        size = parts["video"].size if "video" in parts else None
        if size is not None:
            verdict |= annotations.compare_sizes(given.attrs.get(SIZES, ()), size)
        made["annotations"], unfit = annotations.judge_boxes(annotated, size)
        verdict |= unfit
    return made, verdict


def compare_files(sources: Mapping[str, Path]) -> Verdict:
    """Discard a segment two of whose parts are one file; its tracklets bring their detections."""
    verdict = Verdict()
    for (first, path), (second, other) in combinations(sources.items(), 2):
        if {first, second} == {"tracklets", "detections"}:
            continue
        try:
            same = path.samefile(other)
        except (OSError, ValueError):
            # What is missing or may not be looked at is told where it is read.
            same = path == other
        if same:
            reason = f"{path} is given as {first} and as {second}; expected two files"
            verdict |= Verdict("discarded", reason)
    return verdict


def judge_positions(
    readings: pd.DataFrame,
    grid: Antennas,
    max_missing: float = 0.0,
    animals: Sequence[str] = (),
    logged: bool = False,
) -> tuple[pd.DataFrame, Verdict]:
    """Judge antenna readings, and fill those that can be filled.

    Parameters
    ----------
    readings
        As :func:`murid.archive.positions.read` gives them.
    grid
        Numbers outside it count as missing.
    max_missing
        Share of readings that may stay missing.
    animals
        Those that there should be; none if unknown.
    logged
        Whether they are of antenna logs, so that frames without a reading are usual, and no reason
        unless they are too many.

    Returns
    -------
    The table ``positions`` with every animal at every frame from 0 to the last one, and the
    verdict; if ``discarded``, the table may be empty.
    """
    names = list(readings["animal"].unique())
    if reason := _no_trace(readings, names, animals):
        return tables.empty("positions"), Verdict("discarded", reason)
    frames = int(readings["frame"].max()) + 1
    antennas = np.zeros((frames, len(names)), dtype=np.int64)
    filled = np.zeros(antennas.shape, dtype=bool)
    cells = readings["frame"].to_numpy(), pd.Index(names).get_indexer(readings["animal"])
    antennas[cells] = readings["antenna"].fillna(0).to_numpy(dtype=np.int64)
    filled[cells] = readings["filled"].to_numpy(dtype=bool)
    outside = (antennas != 0) & ~grid.contains(antennas)
    antennas[outside] = 0
    now_filled = np.zeros(antennas.shape, dtype=bool)
    if not logged:
        # A read says for itself how long it holds.
        antennas, now_filled = fill(antennas)
    filled = (filled | now_filled) & (antennas != 0)
    verdict = _tell(names, outside, now_filled, antennas == 0, grid, max_missing, logged)
    if logged and not verdict.discarded:
        verdict = Verdict()
    elif cause := readings.attrs.get(UNREAD):
        verdict = Verdict(verdict.status, f"{cause}: {verdict.reason}")
    numbers = np.where(antennas == 0, np.nan, antennas)
    table = positions.as_rows(np.arange(frames), names, numbers, filled)
    return tables.conform(table, "positions"), verdict


def _no_trace(readings: pd.DataFrame, names: Sequence[str], animals: Sequence[str]) -> str:
    """Say why readings are none of the segment's animals at each of its frames; "" if they are."""
    if not names:
        return "no positions"
    if len(names) > MOST_ANIMALS:
        return f"positions of {len(names)} animals; expected {MOST_ANIMALS} at most"
    if animals and set(names) != set(animals):
        given, expected = (brief(", ".join(sorted(group)), 200) for group in (names, animals))
        return (
            f"positions of {given}; the sheet says {expected}. Name every animal there, have no "
            "column of anything else"
        )
    frames = int(readings["frame"].max()) + 1
    if frames > MAX_STRETCH * readings["frame"].nunique():
        return _sparse(readings)
    if frames * len(names) > max(MAX_CELLS, MAX_SPARSE * len(readings)):
        return (
            f"{len(readings)} readings of {len(names)} animals in {frames} frames; expected one of "
            "each animal in each frame"
        )
    return ""


def _sparse(readings: pd.DataFrame) -> str:
    """Tell of positions whose frame numbers go much further than there are frames."""
    numbers = np.unique(readings["frame"].to_numpy())
    step = float(np.median(np.diff(numbers))) if len(numbers) > 1 else 0.0
    looks = ""
    if numbers[0] >= EPOCH:
        looks = ": these look like seconds since 1970"
    elif step > MAX_STRETCH:
        looks = f": in steps of {step:g}, these look like times, in milliseconds or the like"
    elif numbers[0] >= len(numbers):
        looks = ": these look like a part of a longer recording"
    return (
        f"{readings.attrs.get('file', 'the antenna trace')}: positions of {len(numbers)} frames "
        f"only, from number {numbers[0]} on, with numbers up to {numbers[-1]}{looks}; expected "
        "numbers of the video's frames, 0, 1, 2 and so on. Number them anew in the column frame "
        "(frame = seconds from the segment's start x fps)"
    )


def fill(antennas: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Fill missing readings of animals that did not move in between (Appendix A.1).

    Parameters
    ----------
    antennas
        Shape (frames, animals); 0 = missing.

    Returns
    -------
    The same with every stretch of missing readings filled that has the same antenna before and
    after it, and which readings were filled; both of shape (frames, animals).
    """
    frames = np.arange(len(antennas))[:, None]
    given = antennas > 0
    before = np.maximum.accumulate(np.where(given, frames, -1), axis=0)
    after = np.minimum.accumulate(np.where(given, frames, len(antennas))[::-1], axis=0)[::-1]
    between = ~given & (before >= 0) & (after < len(antennas))
    last = np.take_along_axis(antennas, np.where(between, before, 0), axis=0)
    following = np.take_along_axis(antennas, np.where(between, after, 0), axis=0)
    filled = between & (last == following)
    return np.where(filled, last, antennas), filled


def drop_empty_boxes(boxes: pd.DataFrame) -> tuple[pd.DataFrame, Verdict]:
    """Drop detections whose box has no area, and say so."""
    sound = detections.have_area(boxes)
    if sound.all():
        return boxes, Verdict()
    first = boxes["frame"][~sound].min()
    place = f"; {boxes.attrs['no area']}" if "no area" in boxes.attrs else ""
    count = (~sound).sum()
    reason = f"{count} detections without an area left out (the first at frame {first}{place})"
    kept = boxes[sound]
    kept.attrs.clear()
    return kept, Verdict("repaired", reason)


def compare_identities(annotated: pd.DataFrame, animals: Sequence[str]) -> Verdict:
    """Judge whether the annotations (the table) are of the segment's animals, or of others."""
    named = annotated[["frame", "identities"]].explode("identities").dropna()
    strange = named[~named["identities"].isin([*animals, schemas.TUNNEL])]
    if strange.empty:
        return Verdict()
    names = ", ".join(sorted(strange["identities"].unique()))
    return Verdict(
        "discarded",
        f"annotations of {names} (the first at frame {strange['frame'].min()}); "
        f"the animals are {', '.join(animals)}",
    )


def tell_contradictions(annotated: pd.DataFrame) -> Verdict:
    """Say which annotated frames (of the table) cannot be right as they are; nobody uses them."""
    frames = contradictory_frames(annotated)
    if not len(frames):
        return Verdict()
    shown = ", ".join(map(str, frames[:5])) + " and more" * (len(frames) > 5)
    return Verdict(
        "repaired",
        f"{len(frames)} annotated frames left out, in which one animal has two boxes, or a box of "
        f"type single names no animal or several ({shown}): correct the annotations",
    )


def _within(
    rows: pd.DataFrame, name: str, frames: int, check: settings.Check, fps: float
) -> tuple[pd.DataFrame, Verdict]:
    """Keep the rows within the positions' frames; too many beyond discard the segment."""
    beyond = rows["frame"] >= frames
    if not beyond.any():
        return rows, Verdict()
    length = int(rows["frame"].max()) + 1
    verdict = compare_lengths({"positions": frames, name: length}, check.frame_tolerance, fps)
    reason = f"{beyond.sum()} {name} after the last position left out"
    return rows[~beyond].reset_index(drop=True), verdict | Verdict("repaired", reason)


def _tell(
    names: list[str],
    outside: NDArray[np.bool_],
    filled: NDArray[np.bool_],
    missing: NDArray[np.bool_],
    grid: Antennas,
    max_missing: float,
    logged: bool,
) -> Verdict:
    """Give the verdict on readings from what is outside the grid, was filled, or is missing."""
    reasons = []
    if outside.any():
        reasons.append(
            f"{outside.sum()} readings outside antennas 1 to {grid.size} count as missing "
            f"({_where(outside, names)})"
        )
    if filled.any():
        reasons.append(
            f"{filled.sum()} missing readings filled, since the same antenna stands before and "
            f"after ({_where(filled, names)})"
        )
    silent = [name for name, gone in zip(names, missing.T, strict=True) if gone.all()]
    if silent:
        reasons.append(f"{', '.join(silent)} without any reading")
    lacking = missing & ~missing.all(axis=0)
    if lacking.any():
        why = "and cannot be filled"
        if logged:
            why = "in the antenna logs"
            if lacking.mean() > max_missing:
                why += f", more than readings.max_unread allows ({max_missing:.0%})"
        reasons.append(
            f"{lacking.sum()} of {missing.size} readings ({lacking.mean():.2%}) are missing {why} "
            f"({_where(lacking, names)})"
        )
    if missing.any() and missing[0].all() and not logged:
        reasons.append("frame 0 has none: frames are numbered from 0")
    if silent or missing.mean() > max_missing:
        return Verdict("discarded", "; ".join(reasons))
    return Verdict("repaired" if reasons else "usable", "; ".join(reasons))


def _where(cells: NDArray[np.bool_], names: list[str]) -> str:
    """Name the frames of each animal: ``R: 3, 10-25 and 2 more stretches``."""
    return "frames of " + "; ".join(
        f"{name}: {listed(stretches_of(np.flatnonzero(column)), 3)}"
        for name, column in zip(names, cells.T, strict=True)
        if column.any()
    )
