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

from murid import corrections, files, via
from murid.animals import Table as Wearers
from murid.animals import Worn, by_cage
from murid.animals import read as read_animals
from murid.errors import InputError, SeveralErrors
from murid.identify import registry
from murid.recordings import listed
from murid.run import provenance
from murid.run.antennas_told import with_places
from murid.run.clocks import Clock, by_clock
from murid.settings import Settings, parse
from murid.settings_faults import Places, place_of
from murid.sheet import Segment, read_sheet, table_name

PARTS = ("positions", "frame_times", "annotations", "detections", "tracklets", "video")
"""Files that a segment may consist of, columns of the sheet."""
UNSHARED = tuple(part for part in PARTS if part != "annotations")
"""Those of one segment each; a file of annotations may hold those of several."""
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
    def lacking(self) -> dict[str, str]:
        """What to say where nothing is there to fit a model to, by the setting that names one."""
        splits = " or ".join(self.settings.fit_weights.splits)
        needing = " and ".join(registry.needing("path_model"))
        return {
            "weights": f"no segment of split {splits} has annotations to fit weights to: annotate "
            "one, set fit_weights.annotations: none to learn them without, or weights: to fitted "
            "ones",
            "path_model": "no segment of split Train or Validate has annotations to fit the path "
            "model to: annotate one, learn it and the weights without (fit_weights.annotations: "
            "none, weights: null), set path_model: to a fitted one, or leave the methods "
            f"{needing} out of identify: methods and default",
            "draws": f"whole assignments can be drawn of {' and '.join(registry.drawn())} alone, "
            f"and identify.default is {self.settings.identify.default}, which does not tell how "
            "probable others than its own are",
            "detector": "no segment of split Train has both a video and annotations to train the "
            "detector on: annotate one, or set detector: to a trained one",
        }

    @functools.cached_property
    def animals(self) -> int:
        """Most animals in a cage as far as the sheet tells, at least one."""
        return max(1, *(len(segment.animals) for segment in self.segments.values()))

    @property
    def unannotated(self) -> bool:
        """Whether weights are learnt without annotations."""
        return not self.settings.weights and self.settings.fit_weights.annotations == "none"

    def source(self, key: Key, part: str) -> str:
        """Return the path of a segment's part as the sheet names it, or "" if it names none."""
        path = getattr(self.segments[key], part)
        return os.path.join(self.settings.archive, path) if path else ""

    def place(self, key: Key, part: str) -> str:
        """Return the path of a segment's part, however the sheet spells it, or "".

        It is told without looking at the disk: links, and disks to which capitals are the same, are
        :func:`murid.run.sharing.on_disk`'s.
        """
        path = self.source(key, part)
        return os.path.abspath(path) if path else ""

    @functools.cached_property
    def users(self) -> dict[tuple[str, str], list[Key]]:
        """The segments that a file is of, by part and place; of parts that are not shared."""
        users: dict[tuple[str, str], list[Key]] = {}
        for part in UNSHARED:
            for key in self.segments:
                if place := self.place(key, part):
                    users.setdefault((part, place), []).append(key)
        return users

    @functools.cached_property
    def answers(self) -> corrections.File | None:
        """What the settings name as people's answers, of any segments.

        Raises
        ------
        InputError
            If it cannot be read, or does not tell which segments it is of.
        """
        path = self.settings.corrections
        return corrections.read(path, ("cage", "segment")) if path else None

    @functools.cached_property
    def corrected(self) -> dict[Key, list[str]]:
        """The files that say something of a segment, by segment; others nobody was asked about.

        Of a file that the sheet names and that cannot be read the segment itself must tell.
        """
        found: dict[Key, list[str]] = {}
        for key in self.answers.segments() if self.answers else ():
            if key in self.segments:
                found[key] = [str(self.settings.corrections)]
        for key in self.segments:
            if (path := self.source(key, "corrections")) and _says(path, key) != _NOTHING:
                found.setdefault(key, []).append(path)
        return found

    @functools.cached_property
    def unheard(self) -> dict[str, tuple[list[Key], list[str]]]:
        """The files of the sheet with rows of other segments than the sheet names them for.

        By path, the segments that it names them for, and those of the rows, which nobody hears.
        """
        namers: dict[str, list[Key]] = {}
        for key in self.segments:
            path = self.source(key, "corrections")
            if path and path != self.settings.corrections:
                namers.setdefault(path, []).append(key)
        unheard = {}
        for path, keys in namers.items():
            file = _read_corrections(path)
            if isinstance(file, InputError):
                continue
            heard = {row.line for key in keys for row in file.of(key)}
            others = dict.fromkeys(file.key(row) for row in file.rows if row.line not in heard)
            if others:
                unheard[path] = keys, [" ".join(key).strip() for key in others]
        return unheard

    def said(self, key: Key) -> list[str]:
        """Return texts that change with what people said of a segment, one a file."""
        return [_says(path, key) for path in self.corrected.get(key, ())]

    @functools.cached_property
    def logs(self) -> dict[str, str]:
        """Paths of the antenna logs that segments have, by the names of their tables."""
        return {name: path for key in self.segments for name, path in self._logs(key)}

    def logs_of(self, key: Key) -> list[str]:
        """Return the names of the tables of the logs that serve a segment."""
        return [name for name, _ in self._logs(key)]

    def _logs(self, key: Key) -> Iterator[tuple[str, str]]:
        for path in self.segments[key].readings:
            yield table_name(path), os.path.join(self.settings.archive, path)

    @functools.cached_property
    def cut(self) -> dict[str, str]:
        """Paths of the videos of which segments are parts, by the names of their surveys."""
        named = ((self.survey_of(key), key) for key in self.segments)
        return {name: self.source(key, "video") for name, key in named if name}

    def survey_of(self, key: Key) -> str | None:
        """Return the name of the survey of the video that a segment is a part of, if it is."""
        row = self.segments[key]
        return None if row.part.whole else table_name(row.video)

    @functools.cached_property
    def clocks(self) -> dict[str, Clock]:
        """The segments whose readings are by one clock on one day, by its name."""
        return by_clock(self.segments, self.settings.readings.one_clock)

    @functools.cached_property
    def logged(self) -> dict[str, list[Key]]:
        """The segments of each cage whose readings are in antenna logs; no cage without any."""
        logged: dict[str, list[Key]] = {}
        for key, row in self.segments.items():
            if row.readings:
                logged.setdefault(key[0], []).append(key)
        return logged

    @functools.cached_property
    def clock_of(self) -> dict[Key, str]:
        """The name of the clock of each segment's day."""
        return {key: name for name, clock in self.clocks.items() for key in clock.segments}

    @functools.cached_property
    def wearers(self) -> Wearers:
        """Who wears which tag, and the rows that cannot be read, if there is a table of that.

        Raises
        ------
        InputError
            As :func:`murid.animals.read`.
        """
        path = self.settings.animals
        return read_animals(path, self.settings.readings.zone) if path else Wearers([], [])

    @property
    def worn(self) -> list[Worn]:
        """Who wears which tag, if there is a table of that."""
        return self.wearers.worn

    @functools.cached_property
    def worn_in(self) -> dict[str, list[str]]:
        """Texts that change with who wears which tag in a cage, and when, by cage."""
        return by_cage(self.wearers)

    def exists(self, key: Key, part: str) -> bool:
        """Tell whether the sheet names this part of a segment and the file is there."""
        path = self.source(key, part)
        return bool(path) and _is_file(path)

    def has_annotations(self, key: Key) -> bool:
        """Tell whether a segment has a file of annotations in which anybody has annotated any."""
        return self.exists(key, "annotations") and not self.awaits_annotations(key)

    def awaits_annotations(self, key: Key) -> bool:
        """Tell whether a segment has a project of pictures, all of which wait to be annotated."""
        return self.exists(key, "annotations") and _waits(Path(self.source(key, "annotations")))

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
                row.split == "Train" and self._shown(key) and self.has_annotations(key)
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
            if segment.split not in splits or not self.has_annotations(key):
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
    made.corrected  # noqa: B018 - raises
    made.wearers  # noqa: B018 - raises
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
    start = settings.train_detector.weights
    unused: dict[tuple[str, ...], object] = {
        ("train_detector", "weights"): settings.detector or start == "coco",
        ("visual", "models"): not settings.visual.enabled,
    }
    wrong = [
        InputError(place_of(key, places), found, expected, where=f"key {'.'.join(key)}")
        for key, kind, path in settings.paths()
        if not unused.get(key)
        for found, expected in _wrong_path(kind, path)
    ]
    if wrong:
        raise SeveralErrors(wrong)
    return with_places(settings)


def _wrong_path(kind: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield what is found, and what is expected, where a path cannot work."""
    there = Path(path)
    while kind == "made" and not os.path.lexists(there) and there != there.parent:
        there = there.parent
    if set(path) & set("{}<>"):
        yield repr(path), "a path without braces and angle brackets"
    elif kind == "made" and not there.is_dir():
        yield f"{str(there)!r}, which is no folder", "a folder, or none yet"
    elif kind == "folder" and not there.is_dir():
        yield f"{path!r}, which is no folder", "the archive's folder"
    elif kind == "file" and not there.is_file():
        yield f"{path!r}, which is no file", "a file that exists, or null"


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


_NOTHING = "nothing"


@functools.cache
def _read_corrections(path: str) -> corrections.File | InputError:
    try:
        return corrections.read(path)
    except InputError as error:
        return error


@functools.cache
def _says(path: str, key: Key) -> str:
    """Return a text that changes with what a file of corrections says of a segment."""
    file = _read_corrections(path)
    if isinstance(file, InputError):
        return str(file)
    return corrections.digest(file, key) if file.of(key) else _NOTHING


_waits = functools.cache(via.waits)


@functools.cache
def _is_file(path: str) -> bool:
    return os.path.isfile(path)
