"""The log of PyMouseTracks (PSYCHO), a Raspberry Pi with USB readers below the cage.

Sources: the recorder's own source, ``RFID_reader.py`` and ``pts_picamera.py`` of tracker_rpi,
which write the two files, and ``RFID_readout`` of its analysis, which reads them.

Certain: a folder named by its start, ``%Y-%m-%d_%H-%M-%S``; ``RFID_reads.csv`` with the header
``Reader,datetime,timestamp,RFID``, all readers in one file; ``datetime`` as Python's ``str``
tells it, local, without a zone, and without a fraction where the microseconds are nought;
``timestamp`` as ``str(time.time())``, seconds since 1970; the tag as a decimal number, of the ten
hexadecimal digits of an ID-20LA; readers named by their port, ttyUSB0 is ``0``;
``timestamps.csv`` with a line ``StartTime: `` and seconds since 1970, then ``frame,Timestamp``,
then a frame's number and the camera's own microseconds, whose first need not be nought.

Not certain: a lab may name readers otherwise, as an older recorder did (letters); how late the
first frame is after ``StartTime``.
"""

from pathlib import Path

import pandas as pd

from log_writers.wall import local

RESOLUTION = 1
FRAMES_A_SECOND = 40


def write(folder: Path, reads: pd.DataFrame, zone: str) -> list[Path]:
    """Write a recording's two files; reader ``a - 1`` is antenna ``a``."""
    walls = local(reads["time"], zone)
    recording = folder / (
        walls[0].strftime("%Y-%m-%d_%H-%M-%S") if walls else "2024-01-01_00-00-00"
    )
    recording.mkdir(parents=True, exist_ok=True)
    return [
        _reads(recording / "RFID_reads.csv", reads, walls),
        _frames(recording / "timestamps.csv", reads),
    ]


def _reads(path: Path, reads: pd.DataFrame, walls: list) -> Path:
    with path.open("w", newline="") as file:
        file.write("Reader,datetime,timestamp,RFID\n")
        for wall, time, tag, antenna in zip(
            walls, reads["time"], reads["tag"], reads["antenna"], strict=True
        ):
            file.write(f"{antenna - 1},{wall},{time.value / 1e9},{tag}\n")
    return path


def _frames(path: Path, reads: pd.DataFrame) -> Path:
    start = reads["time"].min().value / 1e9 if len(reads) else 0.0
    with path.open("w", newline="") as file:
        file.write(f"StartTime: {start}\nframe,Timestamp\n")
        file.writelines(
            f"{frame},{2_173_015 + frame * 1_000_000 // FRAMES_A_SECOND}\n" for frame in range(200)
        )
    return path
