"""Makers of antenna logs as the systems write them, line by line, and the reads that they hold."""

import sqlite3
import zipfile
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

START = datetime(2025, 8, 13, 5, 39, 12, 999000)
TAGS = ("900215001234567", "900215001234568")


class Read(NamedTuple):
    time: datetime
    tag: str
    antenna: int


def some_reads(count: int = 6, antennas: int = 8, step: float = 1.25) -> list[Read]:
    return [
        Read(START + timedelta(seconds=step * n), TAGS[n % 2], 1 + n % antennas)
        for n in range(count)
    ]


def milliseconds(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def table(path: Path, reads: Iterable[Read], separator: str = ",") -> Path:
    lines = [separator.join(("time", "tag", "antenna"))]
    lines += [separator.join((milliseconds(r.time), r.tag, str(r.antenna))) for r in reads]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def grid12(path: Path, reads: Iterable[Read]) -> Path:
    lines = ["client_recieve_time,card_id,id,topic,raw,column,row"]
    for read in reads:
        row, column = divmod(read.antenna, 12)
        topic = f"/row/{row + 1}/column/{column + 1}/id/{read.antenna}/reader/response"
        lines.append(
            f"{milliseconds(read.time)},{read.tag},{read.antenna},{topic},"
            f"03030c03843d3c47{read.tag}0100000000b1cc,{column + 1},{row + 1}"
        )
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def ecohab_line(index: int, read: Read, duration: int, *, dated: bool = True) -> str:
    date = f"{read.time:%Y.%m.%d}\t" if dated else ""
    clock = read.time.strftime("%H:%M:%S.%f")[:-3]
    return f"{index}\t{date}{clock}\t{read.antenna}\t{duration}\t{read.tag}"


def uid_lines(reads: Iterable[Read], matrix: str = "M1") -> list[str]:
    return [f"{r.time:%Y/%m/%d %H:%M:%S},{r.tag},36.4,S1,{matrix},{r.antenna}" for r in reads]


UID_HEADER = "Date,RFID,Temperature,Session Name,Matrix Name,Zone"


def pymousetracks(path: Path, reads: Iterable[Read], offset: timedelta) -> Path:
    """Times of the reads are UTC; ``datetime`` is local, ahead of it by the offset."""
    lines = ["Reader,datetime,timestamp,RFID"]
    for read in reads:
        since = (read.time - datetime(1970, 1, 1)) / timedelta(seconds=1)
        lines.append(f"{read.antenna},{read.time + offset},{since},{read.tag}")
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


VISITS_HEADER = (
    "VisitID\tAnimalTag\tStart\tEnd\tModuleName\tCage\tCorner\tCornerCondition\tPlaceError\t"
    "AntennaNumber\tAntennaDuration\tPresenceNumber\tPresenceDuration\tVisitSolution"
)


def visits(reads: Iterable[Read], seconds: float, cage: int = 1, decimal: str = ".") -> list[str]:
    lines = []
    for number, read in enumerate(reads):
        end = read.time + timedelta(seconds=seconds)
        times = (milliseconds(time).replace(".", decimal) for time in (read.time, end))
        lines.append(
            "\t".join(
                [str(number + 1), read.tag, *times, "Adapt", str(cage), str(read.antenna), "1", "0",
                 "2", f"0{decimal}54", "1", f"{seconds:.3f}".replace(".", decimal), "0"]
            )
        )  # fmt: skip
    return lines


def zipped(path: Path, text: str, name: str = "IntelliCage/Visits.txt") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Animals.txt", "AnimalName\tAnimalTag\r\n")
        archive.writestr(name, text)
    return path


def lmt(
    path: Path, events: Iterable[tuple], frames: Iterable[tuple[int, int]] = (), animals: int = 4
) -> Path:
    """Events are RFID, TIME, X, Y; frames a number and ms since 1970."""
    database = sqlite3.connect(path)
    columns = ["ID INTEGER PRIMARY KEY", "RFID TEXT", "GENOTYPE TEXT", "NAME TEXT"]
    columns += [f"V{n} TEXT" for n in range(5)]
    database.execute(f"CREATE TABLE ANIMAL ({', '.join(columns[:animals])})")
    database.execute(
        "CREATE TABLE 'RFIDEVENT' ('ID' INTEGER PRIMARY KEY AUTOINCREMENT, 'RFID' TEXT, "
        "'TIME' INTEGER, 'X' INTEGER, 'Y' INTEGER )"
    )
    database.execute("CREATE TABLE FRAME (FRAMENUMBER INTEGER, TIMESTAMP INTEGER, PAUSED INTEGER)")
    database.executemany("INSERT INTO RFIDEVENT (RFID, TIME, X, Y) VALUES (?, ?, ?, ?)", events)
    database.executemany("INSERT INTO FRAME VALUES (?, ?, 0)", frames)
    database.commit()
    database.close()
    return path


def hca(
    path: Path,
    subjects: dict[str, tuple[np.ndarray, np.ndarray]],
    clock: np.ndarray | None = None,
    *,
    compound: bool = False,
) -> Path:
    """Each subject has its times, ms since the file's start, and its antennas."""
    with h5py.File(path, "w") as file:
        for tag, (t, antenna) in subjects.items():
            place = f"subjects/{tag}/antenna/ant1"
            if compound:
                rows = np.zeros(len(t), dtype=[("antenna", "i4"), ("bx", "f4"), ("t", "i8")])
                rows["t"], rows["antenna"] = t, antenna
                file[place] = rows
            else:
                group = file.create_group(place)
                group["t"], group["antenna"] = t, antenna
                for name in ("bx", "by", "distance", "separation", "temperature", "transition"):
                    group[name] = np.zeros(len(t))
        if clock is not None:
            file["data/0"] = clock
    return path
