"""The demo archive as a lab would have it: folders by day, antenna logs by the day, other clocks.

The same recordings, so that the same names must come out.
"""

import dataclasses
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from murid.files import replacing, write_text
from murid.sheet import Segment, read_sheet, write_sheet

ZONE = "Europe/London"
"""Of the clocks: on the second day they are put forward by an hour."""
DAYS = (datetime(2024, 3, 30, tzinfo=UTC), datetime(2024, 3, 31, tzinfo=UTC))
FIRST_HOUR, APART = 1.0, 4.0
"""Hour of the first recording of a day, and hours from each to the next."""
OFFSET = 3.7
"""Seconds by which the logs' clock is behind the video's on the first midnight."""
DRIFT = 40e-6
"""Seconds a second by which it falls behind."""
SCAN = 0.5
"""Seconds between reads of an animal that stays."""
LOST = 3
"""Hour of the first day of which the log has nothing."""
AGAIN = (9.0, 13.0)
"""Hours of the first day that were sent twice."""
TAGS = 900_215_001_366_000
"""The first tag, of fifteen digits as they are written everywhere."""
STEP = 0.04
"""Seconds between the rows of a file of the Home Cage Analyser, which has an hour."""
GHOST = 400
"""Reads of a tag from one that is misread to the next."""


def make(archive: Path, out: Path) -> None:
    """Write the demo archive that lies in ``archive`` to ``out`` as a lab would have it."""
    rows = read_sheet(archive / "segments.tsv")
    starts = _starts(rows)
    tags = {
        (cage, animal): f"{TAGS + 97 * place + 331 * int(cage[1:])}"
        for cage, row in {key[0]: row for key, row in rows.items()}.items()
        for place, animal in enumerate(row.animals)
    }
    traces = {
        key: pd.read_csv(archive / row.positions, index_col="frame") for key, row in rows.items()
    }
    reads = pd.concat([_reads(traces[key], starts[key], row, tags) for key, row in rows.items()])
    logs = _write_logs(out, reads)
    listed, recorded = [], []
    for key, row in rows.items():
        local = starts[key].astimezone(ZoneInfo(ZONE))
        day = f"{local:%Y-%m-%d}"
        video = f"{day}/{row.cage}_{local:%H%M%S}.mp4"
        annotations = f"annotations/{row.cage}_{local:%Y%m%d_%H%M%S}.json"
        for there, here in ((row.video, video), (row.annotations, annotations)):
            _copy(archive / there, out / here)
        truth = f"{row.cage}_{row.segment}.parquet"
        _copy(archive / "truth" / truth, out / "truth" / truth)
        listed.append(
            Segment(
                cage=row.cage,
                segment=row.segment,
                rig=row.rig,
                video=video,
                readings=tuple(logs[day]),
                annotations=annotations,
                split=row.split,
                fps=row.fps,
                start=local.isoformat(),
            )
        )
        hours = tuple(_hca(row.cage, hour) for hour in _hours(traces[key], starts[key], row))
        recorded.append(dataclasses.replace(listed[-1], readings=hours))
    for cage in dict.fromkeys(row.cage for row in rows.values()):
        of_cage = [row for row in rows.values() if row.cage == cage]
        _write_hca(out, traces, starts, of_cage, tags)
    _copy(archive / "points.csv", out / "points.csv")
    lines = [f"{cage}\t{animal}\t{tag}" for (cage, animal), tag in tags.items()]
    write_text(out / "animals.tsv", "\n".join(["cage\tanimal\ttag", *lines]) + "\n")
    write_sheet(out / "segments_hca.tsv", recorded)
    write_sheet(out / "segments.tsv", listed)


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as temporary:
        shutil.copyfile(source, temporary)


def _starts(rows: dict[tuple[str, str], Segment]) -> dict[tuple[str, str], datetime]:
    """Return when each segment begins: the whole ones spread over days, others in between."""
    starts: dict[tuple[str, str], datetime] = {}
    counts = {"1": 0, "2": 0}
    a_day = int((24 - FIRST_HOUR) // APART) + 1
    for key in rows:
        day, place = divmod(counts[key[1]], a_day)
        counts[key[1]] += 1
        hour = FIRST_HOUR + place * APART + (1.0 if key[1] == "2" else 0.0)
        starts[key] = DAYS[day % len(DAYS)] + timedelta(hours=hour)
    return starts


def _reads(
    trace: pd.DataFrame, start: datetime, row: Segment, tags: dict[tuple[str, str], str]
) -> pd.DataFrame:
    """Return the reads that a trace is made of, by the logs' clock in UTC."""
    parts = []
    for animal in row.animals:
        scans = _scans(trace[animal].to_numpy(dtype=np.float64), row.fps)
        part = pd.DataFrame(scans, columns=["frame", "antenna"])
        parts.append(part.assign(time=part["frame"] / row.fps, tag=tags[row.cage, animal]))
    reads = pd.concat(parts, ignore_index=True)
    since = (start - DAYS[0]).total_seconds() + reads["time"]
    told = since - OFFSET - DRIFT * since
    reads["time"] = pd.Timestamp(DAYS[0]) + pd.to_timedelta(told.round(3), unit="s")
    return reads


def _scans(trace: np.ndarray, fps: float) -> Iterator[tuple[int, int]]:
    """Yield frame and antenna of each read: where a trace changes, and as long as it stays."""
    every = max(1, round(SCAN * fps))
    begun = 0
    for frame, antenna in enumerate(trace):
        if frame == 0 or antenna != trace[frame - 1]:
            begun = frame
        if not np.isnan(antenna) and (frame - begun) % every == 0:
            yield frame, int(antenna)


def _write_logs(out: Path, reads: pd.DataFrame) -> dict[str, list[str]]:
    """Write a log a day, one part of which was sent twice, and return their paths by day."""
    reads = reads.sort_values("time", kind="stable").reset_index(drop=True)
    ghosts = reads.iloc[::GHOST].copy()
    ghosts["tag"] = [
        f"{tag[:-1]}{(int(tag[-1]) + 1 + n) % 10}" for n, tag in enumerate(ghosts["tag"])
    ]
    reads = pd.concat([reads, ghosts]).sort_values("time", kind="stable")
    local = reads["time"].dt.tz_convert(ZONE)
    reads = reads.assign(day=local.dt.strftime("%Y-%m-%d"), hour=local.dt.hour, local=local)
    logs: dict[str, list[str]] = {}
    first = f"{DAYS[0]:%Y-%m-%d}"
    for day, rows in reads.groupby("day"):
        name = str(day)
        rows = rows[(rows["day"] != first) | (rows["hour"] != LOST)]
        logs[name] = [f"rfid/{name}.csv"]
        parts = {logs[name][0]: rows}
        if name == first:
            again = f"rfid/{name} (1).csv"
            parts[again] = rows[rows["hour"].between(*AGAIN)]
            logs[name].append(again)
        for path, part in parts.items():
            times = part["local"].dt.strftime("%Y-%m-%d %H:%M:%S.%f").str[:-3]
            table = part.assign(time=times)[["time", "tag", "antenna"]]
            write_text(out / path, table.to_csv(index=False, lineterminator="\n"))
    return logs


def _hca(cage: str, hour: float) -> str:
    """Return the path of the file of an hour, in seconds by the logs' clock since the first day."""
    study = round(DAYS[0].timestamp() * 1000)
    return f"hca/{cage}/{study}_000001_study@{cage}_{round(hour * 1000):013d}.hdf5"


def _told(since: float) -> float:
    """Return what the logs' clock tells, in seconds since the first day."""
    return since - OFFSET - DRIFT * since


def _hours(trace: pd.DataFrame, start: datetime, row: Segment) -> list[float]:
    """Return the hours of the logs' clock in which a segment lies, each as its first second."""
    since = (start - DAYS[0]).total_seconds()
    ends = (_told(since), _told(since + (len(trace) - 1) / row.fps))
    return sorted({each // 3600 * 3600 for each in ends})


def _write_hca(
    out: Path,
    traces: dict[tuple[str, str], pd.DataFrame],
    starts: dict[tuple[str, str], datetime],
    rows: list[Segment],
    tags: dict[tuple[str, str], str],
) -> None:
    """Write the hours of a cage's segments as the Home Cage Analyser does."""
    import h5py

    hours = {
        hour for row in rows
        for hour in _hours(traces[row.cage, row.segment], starts[row.cage, row.segment], row)
    }  # fmt: skip
    animals = dict.fromkeys(animal for row in rows for animal in row.animals)
    study = round(DAYS[0].timestamp() * 1000)
    for hour in hours:
        told = hour + np.arange(0, 3600, STEP)
        read = {animal: np.zeros(len(told), dtype=np.int32) for animal in animals}
        for row in rows:
            trace = traces[row.cage, row.segment]
            since = (starts[row.cage, row.segment] - DAYS[0]).total_seconds()
            # The clock that tells these times is behind.
            true = (told + OFFSET) / (1 - DRIFT)
            frame = np.floor((true - since) * row.fps + 1e-6).astype(np.int64)
            inside = (frame >= 0) & (frame < len(trace))
            for animal in row.animals:
                antennas = trace[animal].to_numpy(dtype=np.float64)[frame[inside]]
                read[animal][inside] = np.nan_to_num(antennas).astype(np.int32)
        path = out / _hca(rows[0].cage, hour)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary, h5py.File(temporary, "w") as file:
            for animal, antennas in read.items():
                group = file.create_group(f"subjects/{tags[rows[0].cage, animal]}/antenna/ant1")
                group["t"] = (told - hour) * 1000
                group["antenna"] = antennas
            file["data/0"] = study + told * 1000
