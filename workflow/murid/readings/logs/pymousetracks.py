"""Logs of PyMouseTracks: single readers below a cage, at places of the user's own."""

from pathlib import Path

from murid.archive.columns import Judged
from murid.readings import headed
from murid.readings.how import How
from murid.readings.log_format import LogFormat

LAYOUT = headed.Layout(
    "RFID_reads.csv of PyMouseTracks: Reader,datetime,timestamp,RFID",
    time=("timestamp",),
    tag=("RFID",),
    antenna=("Reader",),
)


def read(path: Path, how: How) -> Judged:
    """Read the reads of PyMouseTracks, as :func:`murid.readings.headed.read`.

    ``timestamp`` is seconds since 1970; in older files, local time.
    """
    return headed.read(path, LAYOUT)


FORMAT = LogFormat(
    name="RFID_reads.csv of PyMouseTracks",
    words="columns `Reader` (the antenna), `timestamp` (s since 1970, in older files local time), "
    "`RFID` (the tag), and others, which are passed over",
    suffixes=(".csv",),
    read=read,
    holds=lambda path: headed.holds(path, LAYOUT),
    example="Reader,datetime,timestamp,RFID\n"
    "1,2022-07-14 15:32:10.512345,1657834330.512345,801010270",
    clock="UTC (older files: local, without a zone)",
    hold=1.0,
    kind="passing",
)
