"""Tables of reads of no known system: a line a read, with columns of the user's own names."""

from pathlib import Path

from murid.archive.columns import Judged
from murid.readings import headed
from murid.readings.how import How
from murid.readings.log_format import LogFormat


def read(path: Path, how: How) -> Judged:
    """Read a table of reads, as :func:`murid.readings.headed.read`."""
    layout = headed.Layout(
        f"a table with a header: {how.time_column}, {how.tag_column}, {how.antenna_column}",
        time=(how.time_column,),
        tag=(how.tag_column,),
        antenna=(how.antenna_column,),
        duration=("duration",),
    )
    return headed.read(path, layout, how.time_format)


FORMAT = LogFormat(
    name="a table of reads (.csv, .tsv, .txt)",
    words="a line a read, columns `time`, `tag`, `antenna` (or of the names that you give), "
    "perhaps `duration` (s), separated by commas, semicolons, tabs or bars. Times are in ISO 8601, "
    "as you say, or numbers since 1970, whose size tells whether they are s, ms, µs or ns",
    suffixes=(".csv", ".tsv", ".txt"),
    read=read,
    holds=None,
    example="time,tag,antenna\n"
    "2025-08-13T05:39:12.999+02:00,900215001234567,14\n"
    "2025-08-13T05:39:13.120+02:00,900215001234568,3",
    clock="the zone in the text, else yours; numbers are UTC",
    hold=1.0,
    kind="polled",
    numbering="columns",
)
