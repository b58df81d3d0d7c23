"""Logs of UID matrices: plates of eight zones under a cage that also read temperatures."""

from pathlib import Path

from murid.archive.columns import Judged
from murid.readings import headed
from murid.readings.how import How
from murid.readings.log_format import LogFormat

LAYOUT = headed.Layout(
    "a log of UID matrices: Date,RFID,Temperature,Session Name,Matrix Name,Zone",
    time=("Date",),
    tag=("RFID",),
    antenna=("Zone",),
    place=("Matrix Name",),
)
_TIME = "%Y/%m/%d %H:%M:%S"


def read(path: Path, how: How) -> Judged:
    """Read a log of UID matrices, as :func:`murid.readings.headed.read`.

    Zones of several matrices in one file are named by both, ``MATRIX_ZONE``.
    """
    return headed.read(path, LAYOUT, _TIME)


FORMAT = LogFormat(
    name="a log of UID matrices (.csv)",
    words="columns `Date` (whole seconds), `RFID` (the tag), `Matrix Name`, `Zone` (the antenna, "
    "from 1, every other row backwards; `MATRIX_ZONE` where a file has several matrices), and "
    "others, which are passed over. Parts (`_1_of_n`) are files of their own",
    suffixes=(".csv",),
    read=read,
    holds=lambda path: headed.holds(path, LAYOUT),
    example="Date,RFID,Temperature,Session Name,Matrix Name,Zone\n"
    "2022/06/27 13:49:58,900215001234567,36.4,S1,M1,3",
    clock="local, without a zone",
    hold=2.0,
    kind="polled",
    numbering="serpentine",
)
