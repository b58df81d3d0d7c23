"""The layout of a TIDe release, and its import as a sample sheet with tables.

``Segments/<cage>_<segment>/`` with ``Positions.df``, ``Detections.df`` or a video; beside
``Segments``, ``Annotations.df`` and ``Datasplits.df`` of all segments.
"""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console
from rich.progress import track

from murid import spreadsheets, tables
from murid.archive import columns, detections, positions
from murid.archive.annotated.tide import Key, from_release, key_name, read_release
from murid.archive.columns import Judged, refused
from murid.archive.pickles import RefusedPickleError
from murid.errors import InputError, brief
from murid.files import write_text
from murid.sheet import NAME, SPLITS, Segment, check_segment, is_path, write_sheet
from murid.tables import Verdict

if TYPE_CHECKING:
    from murid.archive.stage import ImportTide

FPS = 25.0
"""Of the recordings of TIDe (Section 5.1)."""
VIDEOS = (".mp4", ".avi", ".mkv")
LISTED = 10
"""Rows of the splits that make no sense of which there is a note each."""
SEGMENTS, SPLITS_FILE, ANNOTATIONS_FILE = "Segments", "Datasplits.df", "Annotations.df"


def import_release(stage: "ImportTide") -> list[str]:
    """Write ``segments.tsv`` and ``absent.tsv``, and the archive's tables.

    Parameters
    ----------
    stage
        Of a sheet only, paths are relative to the archive, else to the folder written to.

    Returns
    -------
    What the user should know: segments absent or not listed, files missing or damaged, rows and
    names that make no sense, which are left out one by one.

    Raises
    ------
    RefusedPickleError
        If a pickle would run something; where it is of one segment, after all others were written.
    InputError
        If the archive is not in this layout, or the files that all segments share are damaged.
    """
    archive, out = stage.archive, stage.out
    folders, notes = _folders(archive)
    splits = _read_splits(archive, notes)
    annotated = _read_annotations(archive, notes)
    absent = sorted(splits.keys() - folders.keys(), key=_order)
    unlisted = sorted(folders.keys() - splits.keys(), key=_order) if splits else []
    if absent:
        notes.append(
            f"listed in {SPLITS_FILE} but absent: {len(absent)} of {len(splits)} segments "
            f"({_shortened(absent)}); all are in {out / 'absent.tsv'}"
        )
    if unlisted:
        notes.append(
            f"not listed in {SPLITS_FILE}, so without a split: {len(unlisted)} of {len(folders)} "
            f"segments ({_shortened(unlisted)})"
        )
    segments = [
        _segment(archive, key, folders[key], splits.get(key, ""), key in annotated, notes)
        for key in sorted(folders, key=_order)
    ]
    segments = [segment for segment in segments if _listable(segment, notes)]
    alarms: list[RefusedPickleError] = []
    if not stage.sheet_only:
        quiet = not sys.stderr.isatty()
        shown = track(segments, "Importing", console=Console(stderr=True), disable=quiet)
        segments = [
            _import_segment(archive, out, segment, annotated, notes, alarms) for segment in shown
        ]
    rows = [("cage", "segment", "split"), *((*key, splits[key]) for key in absent)]
    lines = ["\t".join(map(spreadsheets.as_text, row)) + "\n" for row in rows]
    write_text(out / "absent.tsv", "".join(lines))
    write_sheet(out / "segments.tsv", segments)
    if alarms:
        raise alarms[0]
    return notes


def read_splits(path: str | Path) -> tuple[dict[Key, str], list[str]]:
    """Read which split each segment is of, "" for none; and what is wrong with rows of it.

    A segment whose split is unknown, or that has two, is of none.

    Raises
    ------
    InputError
        If the file is missing, damaged or of another kind.
    """
    names = ("cageid", "segment", "datasplit")
    source = columns.read(path, names)
    source.require(names, "the splits of a TIDe release: CageID, Segment, Datasplit")
    splits: dict[Key, str] = {}
    notes = []
    for row, cells in enumerate(source.frame[list(names)].itertuples(index=False)):
        key = (key_name(cells[0]), key_name(cells[1]))
        split = "" if pd.isna(cells[2]) else str(cells[2]).strip()
        where = f"{path}, {source.place(row, 'Datasplit')}: found"
        if split not in SPLITS:
            expected = "Train, Validate, Test or none; it gets none"
            notes.append(
                f"{where} the split {brief(split)!r} of {_label(key)}; expected {expected}"
            )
            split = ""
        if splits.setdefault(key, split) != split:
            notes.append(
                f"{where} {_label(key)} a second time, as {split or 'of none'} after "
                f"{splits[key] or 'of none'}; expected one split; it gets none"
            )
            splits[key] = ""
    return splits, notes


def _folders(archive: Path) -> tuple[dict[Key, Path], list[str]]:
    """Return the folder of each segment, and notes on folders that are none."""
    root = archive / SEGMENTS
    if not root.is_dir():
        raise InputError(
            archive, f"no folder {SEGMENTS}", "the layout of the TIDe release",
            remedy="Describe archives in other layouts by a sample sheet.",
        )  # fmt: skip
    folders: dict[Key, Path] = {}
    others = []
    for folder in _within(root):
        if folder.name.startswith(".") or not folder.is_dir():
            continue
        cage, _, segment = folder.name.rpartition("_")
        if NAME.fullmatch(cage) and NAME.fullmatch(segment):
            folders[cage, segment] = folder
        else:
            others.append(folder.name)
    notes = []
    if others:
        notes.append(
            f"left out, since not called <cage>_<segment> in letters, digits, '.', '_' and '-': "
            f"folders {', '.join(map(brief, others[:3]))}" + " and more" * (len(others) > 3)
        )
    if not folders:
        raise InputError(root, "no folder of a segment", "folders called <cage>_<segment>")
    return folders, notes


def _read_splits(archive: Path, notes: list[str]) -> dict[Key, str]:
    if not (archive / SPLITS_FILE).exists():
        notes.append(f"{archive / SPLITS_FILE} is missing: no segment gets a split")
        return {}
    splits, wrong = read_splits(archive / SPLITS_FILE)
    notes += wrong[:LISTED]
    if len(wrong) > LISTED:
        notes.append(f"{archive / SPLITS_FILE}: {len(wrong) - LISTED} more rows that make no sense")
    return splits


def _read_annotations(archive: Path, notes: list[str]) -> dict[Key, pd.DataFrame]:
    if not (archive / ANNOTATIONS_FILE).exists():
        notes.append(f"{archive / ANNOTATIONS_FILE} is missing: no segment is annotated")
        return {}
    return read_release(archive / ANNOTATIONS_FILE)


def _segment(
    archive: Path, key: Key, folder: Path, split: str, annotated: bool, notes: list[str]
) -> Segment:
    """Describe a segment by paths relative to the archive."""
    within = folder.relative_to(archive)
    try:
        files = _within(folder)
    except InputError as error:
        # Its files are missing then, which is told of it.
        notes.append(str(error))
        files = []
    videos = [path.name for path in files if path.suffix.lower() in VIDEOS]
    nameable = [name for name in videos if is_path(name)]
    if len(nameable) < len(videos):
        strange = next(name for name in videos if name not in nameable)
        notes.append(
            f"{_label(key)}: the video {strange!r} is left out; expected a name without braces, "
            "angle brackets and control characters: rename it"
        )
    if len(nameable) > 1:
        notes.append(f"{_label(key)}: found {len(nameable)} videos; {nameable[0]} is taken")
    # Without either, the sheet names the detections that should be there, so that the segment is
    # judged by its missing file and told of, not left out.
    detected = any(path.name == "Detections.df" for path in files) or not nameable
    return Segment(
        cage=key[0],
        segment=key[1],
        positions=str(within / "Positions.df"),
        video=str(within / nameable[0]) if nameable else "",
        detections=str(within / "Detections.df") if detected else "",
        annotations=ANNOTATIONS_FILE if annotated else "",
        split=split,
        fps=FPS,
    )


def _within(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted.

    Raises
    ------
    InputError
        If it may not be looked into.
    """
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise InputError(
            folder, f"that it cannot be read ({error.strerror})", "a folder that may be looked into"
        ) from error


def _listable(segment: Segment, notes: list[str]) -> bool:
    """Tell whether a sheet may list a segment; make a note of why not."""
    try:
        check_segment(segment)
    except InputError as error:
        notes.append(f"{_label((segment.cage, segment.segment))} is left out: {error}")
        return False
    return True


def _import_segment(
    archive: Path,
    out: Path,
    segment: Segment,
    annotated: dict[Key, pd.DataFrame],
    notes: list[str],
    alarms: list[RefusedPickleError],
) -> Segment:
    """Write a segment's tables to ``out``, and describe it by paths relative to it.

    An alarm discards the segment, and is kept for when all is done.
    """
    key = (segment.cage, segment.segment)
    sources = {
        name: archive / getattr(segment, name)
        for name in ("positions", "detections", "annotations")
        if getattr(segment, name)
    }
    readers = {
        "positions": positions.read_table,
        "detections": detections.read_table,
        "annotations": lambda path: Judged(from_release(annotated[key], path), Verdict()),
    }
    paths: dict[str, Any] = {}
    for name, source in sources.items():
        paths[name] = str(Path("segments", *key, f"{name}.parquet"))
        verdict = _write(readers[name], source, out / paths[name], name, alarms)
        if verdict.discarded:
            notes.append(f"{_label(key)} is discarded: {verdict.reason}")
    if segment.video:
        paths["video"] = os.path.relpath((archive / segment.video).resolve(), out.resolve())
    return replace(segment, **paths)


def _write(
    read: Callable[[Path], Judged],
    source: Path,
    path: Path,
    name: str,
    alarms: list[RefusedPickleError],
) -> Verdict:
    """Write a table, or an empty one that says why there is nothing to write."""
    try:
        table, verdict = read(source)
    except InputError as error:
        if isinstance(error, RefusedPickleError):
            alarms.append(error)
        table, verdict = tables.empty(name), refused(error)
    tables.write(table, path, name, verdict)
    return verdict


def _order(key: Key) -> tuple[tuple[bool, int, str], ...]:
    """Sort names that are numbers as numbers, before others."""
    return tuple((not name.isdecimal(), int(name) if name.isdecimal() else 0, name) for name in key)


def _label(key: Key) -> str:
    return "_".join(key)


def _shortened(keys: Iterable[Key], limit: int = 5) -> str:
    names = [_label(key) for key in keys]
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
