"""Points that were marked by hand in images of the rigs: a CSV, or drawn with VIA.

Standard library only, since they are looked at before a run begins.
"""

import io
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from murid import files, separated, spelling, via
from murid.drawn import Image, Region
from murid.errors import InputError, brief

COLUMNS = ("rig", "antenna", "x", "y")
_ANTENNA = re.compile("0*[1-9][0-9]{0,4}")
_FAR = 1e6
"""Pixels; a number beyond is no place in a picture."""
_CSV = "calibration points: CSV in UTF-8 with the columns rig, antenna, x, y; or rig, recording"
_PROJECT = "a VIA 2 project or export"


@dataclass(frozen=True)
class Marks:
    """What a file of calibration points holds.

    Attributes
    ----------
    points
        Rig, antenna, x and y (pixels) of every point, of rigs without a fault.
    faults
        The first fault of each other rig that the file names; "" is the rig of rows without one.
    """

    points: list[tuple[str, int, float, float]]
    faults: Mapping[str, InputError]

    @property
    def rigs(self) -> set[str]:
        """Rigs that the file names, with a fault or without."""
        return {rig for rig, *_ in self.points} | self.faults.keys()


def read(path: str | Path) -> Marks:
    """Read calibration points, one an antenna, of every rig set-up.

    Parameters
    ----------
    path
        A CSV of ``rig, antenna, x, y``; or a VIA 2 project (JSON), or its export as JSON or CSV,
        with points whose region attribute ``antenna`` is the number, the image's file attribute
        ``rig`` the set-up (else the image's name without suffix), several images of a set-up being
        averaged.

    Raises
    ------
    InputError
        If the file cannot be read, or holds nothing of the kind.
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        return _read_via(path, via.from_json(files.read_json(path, _PROJECT), path, _PROJECT))
    text = files.read_text(path, _CSV)
    if via.SHAPE in text.partition("\n")[0]:
        return _read_via(path, via.from_csv(text, path, _PROJECT))
    return _read_csv(path, text)


def _read_via(path: Path, images: Iterable[Image]) -> Marks:
    places: defaultdict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
    faults: dict[str, InputError] = {}
    for image in images:
        rig = PureWindowsPath(image.name).stem
        try:
            about = spelling.by_name(image.attributes, ["rig"], path, image.where)
            rig = str(about.get("rig") or "").strip() or rig
            marked = _via_points(path, rig, image)
        except InputError as error:
            faults.setdefault(rig, error)
            continue
        for antenna, place in marked.items():
            places[rig, antenna].append(place)
    if not places and not faults:
        raise InputError(path, "no points", "points (shape point) with the attribute antenna")
    points = []
    for (rig, antenna), places_of in sorted(places.items()):
        x, y = (sum(side) / len(side) for side in zip(*places_of, strict=True))
        points.append((rig, antenna, x, y))
    return Marks([point for point in points if point[0] not in faults], faults)


def _via_points(path: Path, rig: str, image: Image) -> dict[int, tuple[float, float]]:
    """Return the place of each antenna in an image."""
    points: dict[int, tuple[float, float]] = {}
    for region in image.regions:
        if isinstance(region, InputError):
            raise region
        antenna = _via_antenna(path, region)
        if antenna in points:
            found = f"point {antenna} of rig {rig} a second time"
            raise InputError(path, found, "each once an image", where=region.where)
        if not all(type(side) in (int, float) and abs(side) < _FAR for side in region.sides):
            found = f"the point {list(region.sides)}"
            raise InputError(path, found, "numbers cx, cy, pixels", where=region.where)
        x, y = map(float, region.sides)
        points[antenna] = (x, y)
    return points


def _via_antenna(path: Path, region: Region) -> int:
    if region.shape != "point":
        found = f"the shape {region.shape}"
        raise InputError(path, found, "a point", where=region.where)
    attributes = spelling.by_name(region.attributes, ["antenna"], path, region.where)
    antenna = str(attributes.get("antenna") or "").strip()
    if not _ANTENNA.fullmatch(antenna):
        raise InputError(
            path, f"antenna {antenna!r}", "a number from 1", where=region.where,
            remedy="Give VIA the region attribute antenna, and every point its number.",
        )  # fmt: skip
    return int(antenna)


def _read_csv(path: Path, text: str) -> Marks:
    lines = separated.rows(path, io.StringIO(text, newline=""), _CSV)
    _, header = next(lines)
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        found = f"the columns {brief(', '.join(header), 200)}"
        raise InputError(
            path, found, f"a column {missing[0]}", where="line 1",
            remedy="Give rig, antenna, x, y; or rig, recording.",
        )  # fmt: skip
    rows: dict[tuple[str, int], tuple[float, float]] = {}
    faults: dict[str, InputError] = {}
    for line, row in lines:
        cells = dict(zip(header, row, strict=False))
        rig = cells.get("rig", "").strip()
        try:
            separated.check_count(path, line, row, header)
            antenna, x, y = _parse_row(path, f"line {line}", rig, cells)
            if (rig, antenna) in rows:
                found = f"point {antenna} of rig {rig} a second time"
                raise InputError(path, found, "each once", where=f"line {line}")
        except InputError as error:
            faults.setdefault(rig, error)
        else:
            rows[rig, antenna] = (x, y)
    if not rows and not faults:
        raise InputError(path, "no points", "a line a point below the header")
    return Marks([(*key, *place) for key, place in rows.items() if key[0] not in faults], faults)


def _parse_row(
    path: Path, where: str, rig: str, cells: Mapping[str, str]
) -> tuple[int, float, float]:
    if not rig:
        raise InputError(path, "no rig", "the name of a rig set-up", where=where)
    antenna, *place = (cells[name].strip() for name in COLUMNS[1:])
    if not _ANTENNA.fullmatch(antenna):
        raise InputError(path, f"antenna {antenna!r}", "a number from 1", where=where)
    try:
        x, y = map(float, place)
    except ValueError:
        x = y = math.nan
    if not (abs(x) < _FAR and abs(y) < _FAR):
        found = f"x {place[0]!r}, y {place[1]!r}"
        decimal = "Write decimals with a point: 10.5." if "," in "".join(place) else None
        raise InputError(path, found, "two finite numbers, pixels", where=where, remedy=decimal)
    return int(antenna), x, y
