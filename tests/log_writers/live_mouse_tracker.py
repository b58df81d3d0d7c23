"""The database of Live Mouse Tracker (LMT): SQLite, a file an experiment.

Sources: the tracker's own source, ``Experiment.java`` (tables, what is written into them),
``RFIDAntenna.java``, ``AntennaReadEvent.java`` and ``RFIDSolver2.java`` (what becomes of a read),
``MultiArenaClient`` (where antennas are), its ``AGENTS.md`` (which columns tools add), and a
published description of its sample experiment (rows of each table).

Certain: the tables and their columns; ``FRAME.TIMESTAMP`` in epoch ms, 30 frames a second; frame
numbers are unique in a database; a tag is text of 12 digits, ``001040953473``, whose leading
noughts belong to it; an animal without a tag yet has none or a made name; detections without an
animal; ``DATA`` is XML; 16 antennas whose centres are at x 133, 214, 296, 378 and y 81, 166, 249,
324 of a 512 x 424 image, a few pixels off from rig to rig; tools add columns to ``ANIMAL`` and a
table ``LOG``.

**No source ever fills RFIDEVENT.** The tracker creates it, and nothing in its source inserts into
it; in the published sample it has no row. What is left of a read is an ``EVENT`` named ``RFID
MATCH``, ``RFID MISMATCH`` or ``RFID ASSIGN ANONYMOUS TRACK``: a frame and an animal, no antenna,
and only where one body was near.

Not certain, therefore: what ``TIME``, ``X`` and ``Y`` are where a rig's own build fills the
table. ``DETECTION`` once had ``TIME, X, Y`` too (a query that is commented out): the frame's
number, and the place in pixels, cut to whole numbers; ``AntennaReadEvent`` holds the frame's
number and the antenna's place in pixels. So ``write`` has ``TIME`` in frames and ``X, Y`` in
pixels; ``time="milliseconds"`` has epoch ms instead.
"""

import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd

from log_writers.wall import epoch

RESOLUTION = 1
FRAME = 1000 / 30
XS = (133, 214, 296, 378)
YS = (81, 166, 249, 324)
TABLES = """
CREATE TABLE ANIMAL (ID INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, RFID TEXT, GENOTYPE TEXT,
    NAME TEXT, AGE TEXT, SEX TEXT, STRAIN TEXT, SETUP TEXT);
CREATE TABLE DETECTION (ID INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, FRAMENUMBER INTEGER,
    ANIMALID INTEGER, MASS_X REAL, MASS_Y REAL, MASS_Z REAL, FRONT_X REAL, FRONT_Y REAL, FRONT_Z
    REAL, BACK_X REAL, BACK_Y REAL, BACK_Z REAL, REARING INTEGER, LOOK_UP INTEGER, LOOK_DOWN
    INTEGER, DATA TEXT NOT NULL, FOREIGN KEY (ANIMALID) REFERENCES ANIMAL (ID), FOREIGN KEY
    (FRAMENUMBER) REFERENCES FRAME (FRAMENUMBER));
CREATE TABLE RFIDEVENT (ID INTEGER PRIMARY KEY AUTOINCREMENT, RFID TEXT, TIME INTEGER,
    X INTEGER, Y INTEGER);
CREATE TABLE FRAME (FRAMENUMBER INTEGER NOT NULL UNIQUE, TIMESTAMP INTEGER, NUMPARTICLE INTEGER,
    PAUSED INTEGER, TEMPERATURE REAL, HUMIDITY REAL, SOUND REAL, LIGHTVISIBLE REAL,
    LIGHTVISIBLEANDIR REAL, PRIMARY KEY (FRAMENUMBER));
CREATE TABLE EVENT (ID INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, NAME TEXT, DESCRIPTION TEXT,
    STARTFRAME INTEGER, ENDFRAME INTEGER, IDANIMALA INTEGER, IDANIMALB INTEGER, IDANIMALC INTEGER,
    IDANIMALD INTEGER, METADATA TEXT);
CREATE TABLE LOG (process TEXT, version TEXT, date TEXT, tmin INTEGER, tmax INTEGER);
CREATE INDEX detframenumberIndex ON DETECTION (FRAMENUMBER ASC);
"""


def write(folder: Path, reads: pd.DataFrame, zone: str, time: str = "frames") -> list[Path]:
    """Write an experiment; ``time`` "none" leaves RFIDEVENT empty, as the public tracker does.

    Reads are told by the frame that they fall into: only ``in_frames(reads)`` can be had back.
    """
    path = folder / "20240101_cage_Experiment_6644.sqlite"
    times = np.array(epoch(reads["time"]))
    stamps = frame_times(reads)
    frames = np.searchsorted(stamps, times, side="right")
    tags = sorted(set(reads["tag"]))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")  # nobody waits for the disk
    with connection:
        connection.executescript(TABLES)
        connection.executemany(
            "INSERT INTO ANIMAL (RFID, NAME) VALUES (?, ?)",
            [(tag, chr(65 + i)) for i, tag in enumerate(tags)],
        )
        connection.execute("INSERT INTO ANIMAL (RFID, NAME) VALUES ('RFID_Z', 'Z')")
        connection.executemany(
            "INSERT INTO FRAME VALUES (?, ?, ?, 0, 22.5, 41.0, 0.0, 120.0, 180.0)",
            [(number + 1, int(stamp), len(tags)) for number, stamp in enumerate(stamps)],
        )
        connection.executemany(
            "INSERT INTO DETECTION (FRAMENUMBER, ANIMALID, MASS_X, MASS_Y, FRONT_X, BACK_X, DATA) "
            "VALUES (?, ?, 363.92, 330.41, -1, -1, '<root><DATA/></root>')",
            [
                (int(frame), None if i % 3 == 2 else tags.index(tag) + 1)
                for i, (frame, tag) in enumerate(zip(frames, reads["tag"], strict=True))
            ],
        )
        connection.executemany(
            "INSERT INTO EVENT (NAME, DESCRIPTION, STARTFRAME, ENDFRAME, IDANIMALA) "
            "VALUES ('RFID MATCH', '', ?, ?, ?)",
            [
                (int(f), int(f), tags.index(tag) + 1)
                for f, tag in zip(frames, reads["tag"], strict=True)
            ],
        )
        told = {
            "frames": frames,
            "milliseconds": stamps[frames - 1] if len(frames) else frames,
            "none": [],
        }[time]
        connection.executemany(
            "INSERT INTO RFIDEVENT (RFID, TIME, X, Y) VALUES (?, ?, ?, ?)",
            [
                (tag, int(when), XS[(antenna - 1) % 4], YS[(antenna - 1) // 4])
                for when, tag, antenna in zip(told, reads["tag"], reads["antenna"], strict=False)
            ],
        )
    connection.close()
    return [path]


def frame_times(reads: pd.DataFrame) -> np.ndarray:
    """Return when each frame was taken, epoch ms, from the first read to past the last."""
    times = epoch(reads["time"])
    if not times:
        return np.zeros(0, int)
    return times[0] + np.floor(np.arange(0, times[-1] - times[0] + 1000, FRAME)).astype(int)


def in_frames(reads: pd.DataFrame) -> pd.DataFrame:
    """Return reads with the time of the frame that each falls into: what the database can tell."""
    stamps = frame_times(reads)
    found = stamps[np.searchsorted(stamps, epoch(reads["time"]), side="right") - 1]
    return reads.assign(time=pd.to_datetime(found, unit="ms", utc=True).as_unit("ns"))
