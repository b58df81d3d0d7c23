"""The archive that IntelliCage Plus makes of a session: tables in a zip, visits of four corners.

Sources: PyMICE (its loader's names of columns and its test archives of versions "legacy", 2.2, 3
and 3.1), TSE Analytics' loaders of versions 1 and 2 (types of columns, which files an archive
has), names of the archives of PyMICE's tutorial.

Certain: ``2012-08-28 13.44.51.zip``, or what it holds as a folder, or all without the folder
``IntelliCage``; ``Animals.txt``, ``Groups.txt``, ``DataDescriptor.xml`` and
``IntelliCage/Visits.txt``, ``Nosepokes.txt``, ``Environment.txt``, ``HardwareEvents.txt``,
``Log.txt``; ``Sessions.xml`` beside them or in ``IntelliCage``; tab-separated, a header; older
archives call ``VisitID, AnimalTag, ModuleName`` ``ID, Animal, Module`` (``Animal`` is the tag all
the same) and ``AnimalName, AnimalTag, GroupName`` ``Name, Tag, Group``, and lack
``VisitSolution``; newer ones end visits with ``LickNumber, LickContactTime, LickDuration``; times
are local, without a zone, with three digits of a fraction, two, one or none; durations in seconds
with a decimal comma on some computers; rows come in the order in which visits *end*;
``AntennaNumber`` counts how often a corner's antenna found the tag, and names none: the antenna
is the ``Corner``. ``Sessions.xml`` has a ``TimeZoneOffset`` (legacy: none) and ``Start`` and
``End``, with an offset of their own (version 3.1: without).

Not certain: CRLF and the byte order mark (TSE reads the XML as ``utf-8-sig``); which offset
``End`` has where the clocks change in a session (here its own, as .NET writes local times).
"""

import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pandas as pd

from log_writers.wall import local

RESOLUTION = 1
VISITS = (
    "VisitID", "AnimalTag", "Start", "End", "ModuleName", "Cage", "Corner", "CornerCondition",
    "PlaceError", "AntennaNumber", "AntennaDuration", "PresenceNumber", "PresenceDuration",
    "VisitSolution",
)  # fmt: skip
LEGACY = {
    "VisitID": "ID", "AnimalTag": "Animal", "ModuleName": "Module",
    "AnimalName": "Name", "GroupName": "Group", "AnimalNotes": "Notes",
}  # fmt: skip
SESSION = """<?xml version="1.0" encoding="utf-8"?>
<ArrayOfSession xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:xsd="http://www.w3.org/2001/XMLSchema">
  <Session Id="0">
{offset}    <Interval>
      <Start>{start}</Start>
      <End>{end}</End>
    </Interval>
    <ExperimentFileName>Dicer mice.experiment</ExperimentFileName>
    <VisitMode>Mode2</VisitMode>
    <VisitDurationLimit>10</VisitDurationLimit>
    <SoftwareVersion>3.3.7.0</SoftwareVersion>
  </Session>
</ArrayOfSession>"""
DESCRIPTOR = """<?xml version="1.0" encoding="utf-8"?>
<DataDescriptor xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <ProductName>IntelliCage</ProductName>
  <CompanyName>NewBehavior</CompanyName>
  <Version>Version_2_2</Version>
</DataDescriptor>"""


def write(
    folder: Path,
    reads: pd.DataFrame,
    zone: str,
    legacy: bool = False,
    comma: bool = False,
    zipped: bool = True,
    flat: bool = False,
    offsets: bool = True,
) -> list[Path]:
    """Write a session; the antenna is the corner, ``end`` that of the visit (else a second on)."""
    ends = reads["end"] if "end" in reads else reads["time"] + pd.Timedelta(seconds=1)
    visits = pd.DataFrame(
        {"start": reads["time"], "end": ends, "tag": reads["tag"], "corner": reads["antenna"]}
    )
    inside = "" if flat else "IntelliCage/"
    files = {
        "Animals.txt": _table(_animals(visits), legacy),
        "Groups.txt": _table([("Name",), ("Default",)], False),
        "DataDescriptor.xml": DESCRIPTOR,
        f"{inside}Visits.txt": _table(_visits(visits, zone, comma, legacy), legacy),
        f"{inside}Nosepokes.txt": _table(
            [("VisitID", "Start", "End", "Side", "LickNumber", "LickDuration")], False
        ),
        f"{inside}Environment.txt": _table(
            [("DateTime", "Temperature", "Illumination", "Cage")], False
        ),
        f"{inside}HardwareEvents.txt": _table(
            [("DateTime", "HardwareType", "Cage", "Corner", "Side", "State")], False
        ),
        f"{inside}Log.txt": _table(
            [("DateTime", "LogCategory", "LogType", "Cage", "Corner", "Side", "LogNotes")], False
        ),
        "Sessions.xml": "\ufeff" + _session(visits, zone, legacy, offsets),
    }
    name = (
        f"{local(visits['start'], zone)[0]:%Y-%m-%d %H.%M.%S}"
        if len(visits)
        else "2024-01-01 00.00.00"
    )
    if zipped:
        path = folder / f"{name}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file, text in files.items():
                archive.writestr(file, text)
        return [path]
    for file, text in files.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return [folder / name]


def _animals(visits: pd.DataFrame) -> Iterator[tuple]:
    yield ("AnimalName", "AnimalTag", "Sex", "GroupName", "AnimalNotes")
    for number, tag in enumerate(sorted(set(visits["tag"])), 1):
        yield (f"Animal {number}", tag, "Female", "Default", "")


def _visits(visits: pd.DataFrame, zone: str, comma: bool, legacy: bool) -> Iterator[tuple]:
    columns = VISITS[:-1] if legacy else (*VISITS, "LickNumber", "LickContactTime", "LickDuration")
    yield columns
    numbered = visits.assign(number=range(len(visits))).sort_values("end", kind="stable")
    walls = zip(local(numbered["start"], zone), local(numbered["end"], zone), strict=True)
    for (start, end), visit in zip(walls, numbered.itertuples(), strict=True):
        spent = f"{(visit.end - visit.start).total_seconds():.6g}".replace(
            ".", "," if comma else "."
        )
        row = (
            visit.number,
            visit.tag,
            _stamp(start, legacy),
            _stamp(end, legacy),
            "Default",
            1,
            visit.corner,
        )
        rest = (1, 0, visit.number % 3, spent, 1, spent)
        yield row + rest if legacy else (*row, *rest, 0, 0, 0, 0)


def _stamp(wall: datetime, legacy: bool) -> str:
    """Return a time as it stands in a row: older archives leave off noughts at the end."""
    text = wall.isoformat(sep=" ", timespec="milliseconds")
    return text.rstrip("0").rstrip(".") if legacy else text


def _session(visits: pd.DataFrame, zone: str, legacy: bool, offsets: bool) -> str:
    margin = pd.Timedelta(minutes=5)
    if not len(visits):
        return SESSION.format(offset="", start="2024-01-01T00:00:00", end="0001-01-01T00:00:00")
    start, end = (
        time.tz_convert(ZoneInfo(zone)).to_pydatetime()
        for time in (visits["start"].min() - margin, visits["end"].max() + margin)
    )
    seconds = int(start.utcoffset().total_seconds())
    sign, minutes = "-" if seconds < 0 else "", abs(seconds) // 60
    offset = (
        f"    <TimeZoneOffset>{sign}{minutes // 60:02d}:{minutes % 60:02d}:00</TimeZoneOffset>\n"
    )
    if not offsets:
        start, end = start.replace(tzinfo=None), end.replace(tzinfo=None)
    return SESSION.format(
        offset="" if legacy else offset, start=start.isoformat(), end=end.isoformat()
    )


def _table(rows: Iterator[tuple] | list[tuple], legacy: bool) -> str:
    header, *body = rows
    if legacy:
        header = tuple(
            "Tag" if "AnimalName" in header and c == "AnimalTag" else LEGACY.get(c, c)
            for c in header
        )
    return "".join("\t".join(map(str, row)) + "\r\n" for row in (header, *body))
