"""Visits of an IntelliCage: four corners, each of which knows who is in it, and for how long."""

import zipfile
import zlib
from pathlib import Path

from murid.archive.columns import Judged
from murid.errors import InputError, shown
from murid.readings import headed, lines
from murid.readings.how import How
from murid.readings.log_format import LogFormat

LAYOUT = headed.Layout(
    "visits of an IntelliCage: VisitID, AnimalTag, Start, End, ..., Cage, Corner, ...",
    time=("Start",),
    tag=("AnimalTag", "Tag", "Animal"),
    antenna=("Corner",),
    place=("Cage", "DeviceId"),
    end=("End",),
)
_VISITS = ("visits.txt", "visit.txt")
_MOST_MEMBERS = 10_000
_KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCKED = 0x61
"""Flags of what is encrypted, or patches another file."""


def read(path: Path, how: How) -> Judged:
    """Read the visits in an archive or a text file, as :func:`murid.readings.headed.read`.

    ``duration`` is from start to end. Corners of several cages in one file are named by both,
    ``CAGE_CORNER``; in ``Visit.txt`` of an IntelliMaze, ``DeviceId`` is the cage (so TSE Analytics
    reads it).

    Raises
    ------
    InputError
        Also if the archive is damaged, protected by a password, has not one file of visits, or they
        are larger than any log.
    """
    if not zipfile.is_zipfile(path):
        return headed.read(path, LAYOUT)
    try:
        with zipfile.ZipFile(path) as archive:
            member = _visits(path, archive)
            with archive.open(member) as stream:
                return headed.read(path, LAYOUT, stream=stream)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise _unpackable(path, f"is damaged: {error}") from error


def _unpackable(path: Path, why: str) -> InputError:
    return InputError(
        path, f"an archive that {why}", LAYOUT.expected, remedy="Export it again, without password."
    )


def _visits(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the member of an archive that has the visits."""
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS:
        raise InputError(path, f"an archive of {len(members):,} files", LAYOUT.expected)
    found = [each for each in members if each.filename.lower().rpartition("/")[2] in _VISITS]
    if len(found) != 1:
        some = ", ".join(shown(each.filename) for each in (found or members)[:5])
        raise InputError(
            path, f"an archive with {len(found)} files of visits (it has {some or 'nothing'})",
            "one, Visits.txt",
        )  # fmt: skip
    if found[0].flag_bits & _LOCKED or found[0].compress_type not in _KNOWN:
        raise _unpackable(path, "has a password, or is packed in another way")
    if found[0].file_size > lines.LARGEST_LOG:
        raise InputError(
            path, f"visits of {found[0].file_size / 2**20:,.0f} MiB",
            f"{lines.LARGEST_LOG / 2**20:,.0f} MiB at most",
        )  # fmt: skip
    return found[0]


def _holds(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return headed.holds(path, LAYOUT)
    return path.suffix.lower() == ".zip"


FORMAT = LogFormat(
    name="visits of an IntelliCage (.zip, or its Visits.txt)",
    words="`Visits.txt`, alone or in the archive that is exported: columns `Start`, `End`, "
    "`AnimalTag` (older: `Animal`), `Corner` (the antenna, from 1; `CAGE_CORNER` where a file has "
    "several cages: the table `antennas` then has a column `cage`), and others, which are passed "
    "over. A visit holds from its start to its end",
    suffixes=(".zip", ".txt"),
    read=read,
    holds=_holds,
    example="VisitID\tAnimalTag\tStart\tEnd\tModuleName\tCage\tCorner\n"
    "1\t900215001234567\t2012-12-18 12:30:02.360\t2012-12-18 12:30:09.110\tAdapt\t1\t4",
    clock="local, without a zone",
    hold=1.0,
    kind="presence",
)
