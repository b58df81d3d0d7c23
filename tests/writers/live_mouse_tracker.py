"""The database of Live Mouse Tracker, with the tables that tell of animals and where they are.

Sources: lmt-analysis (fdechaumont/lmt-analysis, `Mask.py`, `Detection.py`) for what it reads, and
the recorder's statements in SQL (fdechaumont/LiveMouseTracker) for what is written. Facts were
taken, no code.

Certain, by these:

- `DETECTION` has a row for an animal in a frame; `ANIMALID` is NULL where it was not known who
  it is.
- `DATA` is XML, `root/ROI/boundsX`, `boundsY`, `boundsW`, `boundsH`, whole pixels, and the
  mask, a byte a pixel, row by row, as zlib in hexadecimal bytes with colons between and no
  leading zeros.
- Of a frame that was filled in there is no `ROI`. Points that were not found are -1. Lengths
  are pixels of the depth picture, with two decimals.
- `FRAME.TIMESTAMP` is milliseconds since 1970.

Not certain: the number of the first frame; `first` says it.
"""

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

from writers import Track, frame_count

START = 1_700_000_000_000  # ms since 1970
TAG = 900_000_000_000_000


def write(
    path: Path,
    tracks: list[Track],
    *,
    frames: int | None = None,
    first: int = 1,
    rate: float = 30.0,
    unmasked: frozenset[int] = frozenset(),
    anonymous: frozenset[int] = frozenset(),
) -> None:
    """Write a database; of the frames `unmasked` there is no mask, of `anonymous` no animal."""
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(
            "CREATE TABLE ANIMAL (ID INTEGER PRIMARY KEY AUTOINCREMENT, RFID TEXT, GENOTYPE TEXT,"
            " NAME TEXT)"
        )
        base.execute(
            "CREATE TABLE FRAME (FRAMENUMBER INTEGER PRIMARY KEY, TIMESTAMP INTEGER,"
            " NUMPARTICLE INTEGER, PAUSED INTEGER, TEMPERATURE REAL, HUMIDITY REAL, SOUND REAL,"
            " LIGHTVISIBLE REAL, LIGHTVISIBLEANDIR REAL)"
        )
        points = ", ".join(
            f"{point}_{axis} REAL" for point in ("MASS", "FRONT", "BACK") for axis in "XYZ"
        )
        base.execute(
            "CREATE TABLE DETECTION (ID INTEGER PRIMARY KEY AUTOINCREMENT, FRAMENUMBER INTEGER,"
            f" ANIMALID INTEGER, {points}, REARING INTEGER, LOOK_UP INTEGER, LOOK_DOWN INTEGER,"
            " DATA TEXT)"
        )
        for number, track in enumerate(tracks, start=1):
            base.execute(
                "INSERT INTO ANIMAL (ID, RFID, GENOTYPE, NAME) VALUES (?, ?, ?, ?)",
                (number, str(TAG + number), "WT", track.name),
            )
        for frame in range(frames or frame_count(tracks)):
            time = START + round(frame / rate * 1000)
            base.execute(
                "INSERT INTO FRAME VALUES (?, ?, 0, 0, 21.5, 50, 0.1, 100, 120)",
                (first + frame, time),
            )
        for number, track in enumerate(tracks, start=1):
            for frame, (x, y, width, height) in track.boxes.items():
                ends = (x, y, 10.0), (x + width, y + height, 10.0)
                row = [
                    first + frame,
                    None if frame in anonymous else number,
                    *(round(x + width / 2, 2), round(y + height / 2, 2), 12.0),
                    *(round(value, 2) for end in ends for value in end),
                    *(0, 0, 0),
                    _data(None if frame in unmasked else (x, y, width, height)),
                ]
                marks = ", ".join("?" * len(row))
                base.execute(f"INSERT INTO DETECTION VALUES (NULL, {marks})", row)


def _data(box: tuple[float, float, float, float] | None) -> str:
    """Give the XML of a detection; with a box, that of a mask which fills it."""
    data = '<DATA isLookingDown="false" isLookingUp="false" isRearing="false" t="1"/>'
    if box is None:
        return f"<root>{data}</root>"
    x, y, width, height = (round(value) for value in box)
    mask = zlib.compress(b"\x01" * (width * height))
    told = {
        "classname": "plugins.fab.livemousetracker.ROI2DAreaX",
        "boundsX": x,
        "boundsY": y,
        "boundsW": width,
        "boundsH": height,
        "boolMaskData": ":".join(f"{byte:x}" for byte in mask),
    }
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in told.items())
    return f"<root>{data}<ROI>{inner}</ROI></root>"
