"""How a log is to be read, as far as it does not say so itself.

Standard library only, since what plans a run imports it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class How:
    """How a log is to be read.

    Attributes
    ----------
    system
        The format, a key of :func:`murid.readings.logs.formats`; None: told by suffix and content.
    zone
        IANA name of the time zone of clocks that say none.
    time_column, tag_column, antenna_column
        Names of the columns of a table of reads of no known system.
    time_format
        How its times are written, as ``strptime`` has it; None: ISO 8601, or numbers since 1970.
    """

    system: str | None = None
    zone: str = "UTC"
    time_column: str = "time"
    tag_column: str = "tag"
    antenna_column: str = "antenna"
    time_format: str | None = None
