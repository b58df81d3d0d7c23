"""Logs of a grid of 12 x 12 readers that send what they read over MQTT."""

from pathlib import Path

from murid.archive.columns import Judged
from murid.readings import headed
from murid.readings.how import How
from murid.readings.log_format import LogFormat

LAYOUT = headed.Layout(
    "a log of a 12 x 12 grid: client_recieve_time,card_id,id,topic,raw,column,row",
    time=("client_recieve_time",),
    tag=("card_id",),
    antenna=("id",),
)


def read(path: Path, how: How) -> Judged:
    """Read a log of the grid, as :func:`murid.readings.headed.read`."""
    return headed.read(path, LAYOUT)


FORMAT = LogFormat(
    name="a log of a 12 x 12 grid (.csv)",
    words="columns `client_recieve_time` (to the ms), `card_id` (the tag), `id` (the antenna, from "
    "0, row by row), and others, which are passed over",
    suffixes=(".csv",),
    read=read,
    holds=lambda path: headed.holds(path, LAYOUT),
    example="client_recieve_time,card_id,id,topic,raw,column,row\n"
    "2025-08-13 05:39:12.999,696f,14,/row/2/column/3/id/14/reader/response,"
    "03030c03843d3c47696f0100000000b1cc,3,2",
    clock="local, without a zone",
    hold=0.5,
    kind="polled",
    numbering="rows0",
)
