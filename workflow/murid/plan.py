"""What a run is made of: its settings, its segments, and which segment serves what.

Read by every cluster job before it starts, so nothing heavy is imported, and files are looked for
only when a segment is asked about.
"""

import functools
import hashlib
import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murid import files, provenance
from murid.errors import InputError, SeveralErrors
from murid.recordings import listed
from murid.settings import Settings, parse
from murid.settings_faults import Places, place_of
from murid.sheet import Segment, read_sheet

PARTS = ("positions", "annotations", "detections", "tracklets", "video")
"""Files that a segment may consist of, columns of the sheet."""
PATHS = ("results", "archive", "segments", "points", "detector", "weights", "path_model")
"""Settings that are paths, relative to the working directory."""
CAGES_A_BATCH = 50
"""Cages whose tables are joined by one job, so that no job opens thousands of files."""
Key = tuple[str, str]


@dataclass(frozen=True)
class Plan:
    """Settings and segments of a run, the latter by ``(cage, segment)``."""

    settings: Settings
    segments: Mapping[Key, Segment]

    @functools.cached_property
    def cages(self) -> dict[str, list[Key]]:
        """The segments of each cage, in the order of the sheet."""
        cages: dict[str, list[Key]] = {}
        for key in self.segments:
            cages.setdefault(key[0], []).append(key)
        return cages

    @functools.cached_property
    def batches(self) -> dict[str, list[str]]:
        """Cages by batch, whose tables are joined before the report reads them."""
        cages = list(self.cages)
        starts = range(0, len(cages), CAGES_A_BATCH)
        return {
            f"{number:04d}": cages[start : start + CAGES_A_BATCH]
            for number, start in enumerate(starts)
        }

    @functools.cached_property
    def rigs(self) -> list[str]:
        """Rig set-ups in use, sorted."""
        return sorted({segment.rig for segment in self.segments.values()})

    @functools.cached_property
    def recordings(self) -> list[str]:
        """Recordings of the checkerboard that rigs are calibrated by, if they are."""
        return [str(path) for _, path in listed(self.settings.points or "")]

    @functools.cached_property
    def animals(self) -> int:
        """Most animals in a cage as far as the sheet tells, at least one."""
        return max(1, *(len(segment.animals) for segment in self.segments.values()))

    def source(self, key: Key, part: str) -> str:
        """Return the path of a segment's part as the sheet names it, or "" if it names none."""
        path = getattr(self.segments[key], part)
        return os.path.join(self.settings.archive, path) if path else ""

    def sources(self, key: Key) -> dict[str, str]:
        """Return the paths of all parts that the sheet names, whether or not they exist."""
        return {part: path for part in PARTS if (path := self.source(key, part))}

    def shared(self, key: Key) -> list[str]:
        """Tell which parts of a segment the sheet names as another's, too; annotations may be."""
        told = []
        for part in PARTS:
            others = [
                other for other in self._users.get(self._named(key, part), []) if other != key
            ]
            if others and part != "annotations":
                more = f" and {len(others) - 1} more" if len(others) > 1 else ""
                told.append(f"the sheet names its {part} for {' '.join(others[0])}{more} too")
        return told

    @functools.cached_property
    def _users(self) -> dict[tuple[str, str], list[Key]]:
        users: dict[tuple[str, str], list[Key]] = {}
        for key in self.segments:
            for part in PARTS:
                users.setdefault(self._named(key, part), []).append(key)
        return users

    def _named(self, key: Key, part: str) -> tuple[str, str]:
        path = getattr(self.segments[key], part)
        # A segment that has no such part shares it with nobody.
        return (part, path) if path else (part, f"\0{key}")

    def exists(self, key: Key, part: str) -> bool:
        """Tell whether the sheet names this part of a segment and the file is there."""
        path = self.source(key, part)
        return bool(path) and _is_file(path)

    def filmed(self, key: Key) -> bool:
        """Tell whether a segment's detections are made from its video, not read."""
        return self._boxless(key) and self.detects

    def undetected(self, key: Key) -> bool:
        """Tell whether a segment has no boxes, and there is no detector to find any."""
        return self._boxless(key) and not self.detects

    @functools.cached_property
    def detects(self) -> bool:
        """Whether there is a detector, or one can be trained; or no segment can do without one.

        Otherwise segments of which there is a video only are discarded, and the others go on.
        """
        return (
            bool(self.settings.detector)
            or any(
                row.split == "Train" and self._shown(key) and self.exists(key, "annotations")
                for key, row in self.segments.items()
            )
            or all(map(self._boxless, self.segments))
        )

    def _boxless(self, key: Key) -> bool:
        segment = self.segments[key]
        return not segment.detections and not segment.tracklets

    def _shown(self, key: Key) -> bool:
        return self._boxless(key) and self.exists(key, "video")

    def tracked(self, key: Key) -> bool:
        """Tell whether a segment's tracklets are made from its detections, not read."""
        return not self.segments[key].tracklets

    def annotated(self, splits: Collection[str], *, filmed: bool = False) -> Iterator[Key]:
        """Yield the segments of ``splits`` that have annotations.

        Parameters
        ----------
        splits
            Splits of the sheet.
        filmed
            Whether only to yield those whose detections are made from a video that is there.
        """
        for key, segment in self.segments.items():
            if segment.split not in splits or not self.exists(key, "annotations"):
                continue
            if not filmed or (self.detects and self._shown(key)):
                yield key


def load(config: Mapping[str, Any], places: Places | None = None) -> Plan:
    """Make the plan of a run from its configuration, as read from ``config.yaml``.

    Parameters
    ----------
    config
        Keys and values.
    places
        Where keys stand, for messages.

    Raises
    ------
    InputError
        If a setting, a file that a setting names, or the sample sheet is wrong.
    """
    settings = _settings(config, places)
    made = Plan(settings, read_sheet(sheet_path(settings)))
    _check_boxes(made)
    return made


def _check_boxes(made: Plan) -> None:
    """Refuse to keep fewer boxes than a cage has animals, as far as the sheet names them."""
    most = made.settings.detect.max_mice
    for (cage, segment), row in made.segments.items():
        if most is not None and most < len(row.animals):
            raise InputError(
                "configuration", str(most),
                f"{len(row.animals)} at least, the animals of cage {cage} segment {segment}, or "
                "null", where="key detect.max_mice",
            )  # fmt: skip


def sheet_path(settings: Settings) -> Path:
    """Return where the sample sheet is, which for the TIDe layout is made from the archive."""
    if settings.segments:
        return Path(settings.segments)
    if settings.archive_format == "tide":
        return Path(settings.results, "archive", "segments.tsv")
    return Path(settings.archive, "segments.tsv")


def refresh_sheet(config: Mapping[str, Any], places: Places | None = None) -> None:
    """Make the sample sheet of an archive in TIDe layout, unless it is there and up to date.

    Up to date is a sheet made from the same folders of segments, the same tables of splits and
    annotations, and by the same code. The importer runs as a process of its own, since reading
    those tables needs libraries that a plan does without.

    Raises
    ------
    InputError
        If the configuration is wrong, or the archive cannot be read.
    """
    settings = _settings(config, places)
    if settings.archive_format != "tide" or settings.segments:
        return
    sheet = sheet_path(settings)
    stamp = sheet.with_name("segments.stamp")
    made_from = _archive_digest(Path(settings.archive))
    if sheet.is_file() and stamp.is_file() and stamp.read_text() == made_from:
        return
    command = [sys.executable, "-m", "murid", "import", "tide", settings.archive]
    environment = os.environ | {"PYTHONPATH": str(provenance.PACKAGE.parent)}
    done = subprocess.run(
        [*command, str(sheet.parent), "--sheet-only"],
        env=environment, stdout=sys.stderr, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise InputError(
            settings.archive,
            f"what the importer refuses ({done.stderr.strip().removeprefix('murid: ')})",
            "the layout of the TIDe release",
        )  # fmt: skip
    sys.stderr.write(done.stderr)
    files.write_text(stamp, made_from)


def _settings(config: Mapping[str, Any], places: Places | None) -> Settings:
    """Parse the settings, and refuse paths that cannot work before the first job fails on them."""
    settings = parse(Settings, config, places)
    paths = {key: _plain(path) for key in PATHS if (path := getattr(settings, key))}
    start = settings.train_detector.weights
    train = {"weights": _plain(start)} if start not in (None, "coco") else {}
    models = tuple(map(_plain, settings.visual.models))
    # Checked by name, and as far as they are used.
    named = list(paths.items())
    if not settings.detector:
        named += [("train_detector.weights", path) for path in train.values()]
    if settings.visual.enabled:
        named += [("visual.models", path) for path in models]
    if wrong := [error for key, path in named if (error := _wrong_path(key, path, places))]:
        raise SeveralErrors(wrong)
    blocks = {
        "train_detector": settings.train_detector.model_copy(update=train),
        "visual": settings.visual.model_copy(update={"models": models}),
    }
    return settings.model_copy(update=paths | blocks)


def _wrong_path(key: str, path: str, places: Places | None) -> InputError | None:
    """Tell why a setting's path cannot work, if it cannot."""
    found, expected = repr(path), ""
    if set(path) & set("{}<>"):
        expected = "a path without braces and angle brackets"
    elif key == "results":
        there = Path(path)
        while not os.path.lexists(there) and there != there.parent:
            there = there.parent
        if not there.is_dir():
            found, expected = f"{str(there)!r}, which is no folder", "a folder, or none yet"
    elif key == "archive":
        if not os.path.isdir(path):
            found, expected = f"{path!r}, which is no folder", "the archive's folder"
    elif not os.path.isfile(path):
        found, expected = f"{path!r}, which is no file", "a file that exists, or null"
    source = place_of(key.split("."), places)
    return InputError(source, found, expected, where=f"key {key}") if expected else None


def _plain(path: str) -> str:
    return os.path.normpath(os.path.expanduser(path))


def _archive_digest(archive: Path) -> str:
    total = hashlib.sha256(provenance.digest("import tide").encode())
    folder = archive / "Segments"
    entries: Iterable[os.DirEntry[str]] = os.scandir(folder) if folder.is_dir() else []
    # A folder's time of change tells whether a file in it came or went.
    for name, changed in sorted((entry.name, entry.stat().st_mtime_ns) for entry in entries):
        total.update(f"{name}\0{changed}\0".encode())
    for name in ("Datasplits.df", "Annotations.df"):
        path = archive / name
        total.update(path.read_bytes() if path.is_file() else b"\0")
    return total.hexdigest() + "\n"


def digest_file(path: str) -> str:
    """Return a digest of what a file holds, 16 hexadecimal digits."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


@functools.cache
def _is_file(path: str) -> bool:
    return os.path.isfile(path)
