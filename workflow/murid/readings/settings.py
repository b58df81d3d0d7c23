"""The settings of antenna logs: how they are read, and how reads become an animal's reading."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from murid.settings_kinds import Block, Fraction, Lag, Positive, Some, setting
from murid.sheet import allowed
from murid.start_times import is_zone, near_zones

SYSTEMS = sorted(path.stem for path in (Path(__file__).parent / "logs").glob("[!_]*.py"))
"""Names of the formats of logs; the modules are not imported, which is slow."""
FARTHEST = 100 * 366 * 86_400.0
"""Seconds by which clocks may differ: one that was never set may be decades off."""
System = Annotated[
    str, allowed(SYSTEMS.__contains__, f"one of {', '.join(SYSTEMS)}"),
    Field(json_schema_extra={"enum": SYSTEMS}),
]  # fmt: skip


def _zone(name: str) -> str:
    """Refuse what is no time zone, with names that are near."""
    if not is_zone(name):
        near = ", ".join(near_zones(name)) or "its region and city, as Europe/London, or UTC"
        raise ValueError(f"a time zone by its name in the IANA database: {near}")
    return name


Zone = Annotated[str, AfterValidator(_zone)]

Numbering = Literal["columns", "rows", "columns0", "rows0", "serpentine", "eeehive"]
"""How the antennas of a grid are numbered: down each column or along each row, from 1 or 0; along
rows, every other one backwards; or on four boards of 4 x 6, those at the right turned by half."""


class Logs(Block):
    """How antenna logs are read."""

    system: System | None = setting(
        None, "antenna system whose logs they are; null = told by what is in them"
    )
    zone: Zone = setting(
        "UTC",
        "time zone of the clocks of logs, of start in the sheet, and of other times, where they do "
        "not tell theirs",
        "Its daylight saving is kept: `Europe/London`; without any, `Etc/GMT-1` is an hour ahead "
        "of UTC",
    )
    time_column: Some = setting("time", "of a log that is a plain table: column of the time")
    tag_column: Some = setting("tag", "the same, of the tag")
    antenna_column: Some = setting("antenna", "the same, of the antenna")
    time_format: Some | None = setting(
        None,
        "how times are written there, as Python's strptime has it; null = year first, or seconds "
        "since 1970",
    )


class Readings(Logs):
    """How reads become the antenna that each animal is over at each frame."""

    offset: float = setting(
        0.0,
        "seconds to add to the times of logs, so that they are those of the video",
        ge=-FARTHEST, le=FARTHEST,
    )  # fmt: skip
    one_clock: bool = setting(
        False,
        "whether all logs are by the clock of one machine, so that all cages tell how far it is "
        "off; otherwise each cage has its own, but for those that share a log",
    )
    lag: Lag | None = setting(
        None,
        "seconds by which the system tells late where an animal is; what readings are later than "
        "that is the clock's; null = not known, and counted as the clock's",
        "Both are found by the data together, and put right together: only what is told of the "
        "clock depends on it",
    )
    numbering: Numbering | None = setting(
        None,
        "how the system numbers its antennas: columns = down each column, from 1; rows = along "
        "each row, from 1; columns0, rows0 = the same, from 0; serpentine = along rows, every "
        "second one from right to left; eeehive = four boards of 4 x 6, those at the right turned "
        "by half; null = as the system does, and down each column, from 1, of a plain table",
        "The table `antennas` stands above it",
    )
    hold: Positive | None = setting(
        None,
        "seconds for which a read stays the animal's reading, unless another follows; null = as "
        "the system reads",
        "Afterwards it has none: not read is not known, and `identify.reading_life` tells for how "
        "long what was read before counts",
    )
    max_unread: Fraction = setting(
        0.9,
        "share of the frames of a segment in which its animals may be without a reading, in place "
        "of check.max_missing; above it the segment is discarded",
    )
    ghost_share: Fraction = setting(
        0.02,
        "a tag that is not known is a misread one if it has fewer reads than this share of those "
        "of the known ones, by their median; above it the report says that it is not known",
    )
