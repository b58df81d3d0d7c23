"""Archives on which the report is read as a biologist reads it, and looked at as pictures.

``python tests/bench/troubled_archive.py FOLDER`` writes one of three days, in which

- antenna 8 of cage 1 is dead from the second day's recording at 14:00 on;
- the tag of the mouse G of cage 2 is silent from the second day's recording at 20:00 on;
- the clock of the antennas of cage 3 is 25 s ahead at first, and gains 11 s a day;
- the camera of cage 3 drops a quarter of the frames of the second day's recording at 20:00.

Cages 4 to 6, of which nothing is wrong, are learnt from. ``--annotated-little`` writes instead one
of eight cages and five evenings, of which a human annotated one recording in forty.

Either is run by ``snakemake animals all --cores 2 --configfile FOLDER/my.yaml``.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from lived_cages import detect
from murid import schemas, tables
from murid.settings import Simulate
from murid.sheet import Segment, write_sheet
from murid.simulate.annotate import View
from murid.simulate.recording import Recording, record

FIRST = datetime(2026, 3, 2)
TIMES = (timedelta(hours=14), timedelta(hours=20))
OPTIONS = Simulate(seed=5)
SPLITS = {"1": "Test", "2": "Test", "3": "Test", "4": "Train", "5": "Train", "6": "Validate"}
LEARNT_DAYS = 1
SECONDS, SHORT = 300.0, 60.0
DEAD, DEAD_SINCE = 8, FIRST + timedelta(days=1, hours=14)
SILENT, SILENT_SINCE = "G", FIRST + timedelta(days=1, hours=20)
AHEAD, GAIN = 25.0, 11.0
"""Seconds that the clock of cage 3 is ahead at first, and that it gains a day."""
DROPPED, DROPS_AT = 0.25, FIRST + timedelta(days=1, hours=20)
SCAN = 0.48
"""Seconds between the reads of a mouse: six frames."""
TURNED_ON, TURNED_OFF = timedelta(hours=12), timedelta(hours=23)
"""When antennas read, filmed or not."""
MOMENT = 40
"""Scans of a stretch of what mice do."""
SETTINGS = {
    "image": {"width": OPTIONS.width, "height": OPTIONS.height},
    "detect": {"hopper": [[174.1, 6.0], [250.0, 6.5], [243.3, 116.4], [172.5, 115.9]]},
    "evaluate": {"snippets": None},
    "readings": {"zone": "Europe/Berlin"},
    "summaries": {
        "pitch": [6.0, 6.0], "zones": {"nest": [[20, 90], [90, 90], [90, 170], [20, 170]]},
    },
    "report": {"dark": "19:00-07:00"},
}  # fmt: skip


@dataclass(frozen=True)
class Filmed:
    """A recording, and when it began."""

    recording: Recording
    begun: datetime
    annotated: bool = True


def make(out: Path, filmed: list[Filmed], *, logs: bool) -> None:
    """Write an archive to a folder, and ``my.yaml`` for it."""
    archive = out / "archive"
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_film, [archive] * len(filmed), filmed))
    settings = {"archive": str(archive), "results": str(out / "results"), **SETTINGS}
    if logs:
        _write_logs(archive, filmed)
        settings["animals"] = str(archive / "animals.tsv")
    (out / "my.yaml").write_text(yaml.safe_dump(settings))
    write_sheet(archive / "segments.tsv", [_row(each, logs=logs) for each in filmed])


def troubled() -> Iterator[Filmed]:
    """Yield the recordings of the archive in which much is wrong."""
    for cage, split in SPLITS.items():
        for day in range(3 if split == "Test" else LEARNT_DAYS):
            for number, hour in enumerate(TIMES):
                segment = f"{day + 1}{'ab'[number]}"
                recording = Recording(cage, segment, split, "north", SECONDS)
                yield Filmed(recording, FIRST + timedelta(days=day) + hour)


def annotated_little() -> Iterator[Filmed]:
    """Yield the recordings of the archive of which hardly any is annotated."""
    for cage in range(1, 9):
        for day in range(5):
            recording = Recording(f"K{cage}", f"{day + 1}", "", "north", SHORT)
            yield Filmed(recording, FIRST + timedelta(days=day, hours=20), (cage, day) == (2, 1))


def _film(archive: Path, filmed: Filmed) -> None:
    recording = filmed.recording
    record(archive, recording, OPTIONS)
    random = np.random.default_rng([1, *recording.name.encode()])
    view = _view(tables.read(archive / "truth" / f"{recording.name}.parquet", "identities"))
    boxes = detect(view, random)
    if (recording.cage, filmed.begun) == ("3", DROPS_AT):
        kept = _kept(len(view.boxes), random)
        boxes = boxes[kept[boxes["frame"]]].reset_index(drop=True)
        _drop(archive / "videos" / f"{recording.name}.mp4", kept)
    path = archive / "detections" / f"{recording.name}.parquet"
    path.parent.mkdir(exist_ok=True)
    tables.write(boxes, path, "detections")


def _view(truth: pd.DataFrame) -> View:
    """Return what the camera sees of mice, all of it well."""
    animals = list(OPTIONS.animals)
    frames = int(truth["frame"].max()) + 1
    truth = truth.set_index(["frame", "animal"])
    index = pd.MultiIndex.from_product([range(frames), animals])
    boxes = truth.loc[index, schemas.BOX].to_numpy(np.float64).reshape(frames, len(animals), 4)
    view = View.unseen(frames, len(animals))
    view.boxes[:] = boxes
    view.share[:] = np.where(np.isnan(boxes[..., 0]), 0.0, 1.0)
    return view


def _kept(frames: int, random: np.random.Generator) -> NDArray[np.bool_]:
    """Tell which frames the camera kept: it drops up to ten at once."""
    kept = np.ones(frames, dtype=bool)
    while (~kept).mean() < DROPPED:
        at = int(random.integers(1, frames - 11))
        kept[at : at + int(random.integers(1, 11))] = False
    return kept


def _drop(path: Path, kept: NDArray[np.bool_]) -> None:
    """Leave frames out of a video; the others keep their times."""
    whole = path.with_suffix(".whole.mp4")
    path.rename(whole)
    with av.open(str(whole)) as source, av.open(str(path), "w") as target:
        (shown,) = source.streams.video
        stream = target.add_stream("libx264", rate=Fraction(25, 2), options={"crf": "21"})
        stream.width, stream.height, stream.pix_fmt = shown.width, shown.height, "yuv420p"
        assert shown.time_base is not None
        stream.time_base = stream.codec_context.time_base = shown.time_base
        for number, frame in enumerate(source.decode(shown)):
            if kept[number]:
                frame.pict_type = av.video.frame.PictureType.NONE
                target.mux(stream.encode(frame))
        target.mux(stream.encode())
    whole.unlink()


def _row(filmed: Filmed, *, logs: bool) -> Segment:
    recording = filmed.recording
    name = recording.name
    read = {"readings": (f"rfid/{recording.cage}_{filmed.begun:%Y-%m-%d}.csv",)}
    return Segment(
        cage=recording.cage, segment=recording.segment, rig=recording.rig, fps=OPTIONS.fps,
        video=f"videos/{name}.mp4", detections=f"detections/{name}.parquet",
        annotations=f"annotations/{name}.json" if filmed.annotated else "",
        split=recording.split, start=filmed.begun.isoformat(),
        **(read if logs else {"positions": f"positions/{name}.csv", "animals": OPTIONS.animals}),
    )  # fmt: skip


def _write_logs(archive: Path, filmed: list[Filmed]) -> None:
    """Write a log a cage and day, and the table of tags."""
    (archive / "rfid").mkdir(exist_ok=True)
    days: dict[tuple[str, datetime], list[Filmed]] = {}
    for each in filmed:
        midnight = datetime.combine(each.begun.date(), time())
        days.setdefault((each.recording.cage, midnight), []).append(each)
    for (cage, midnight), recorded in days.items():
        reads = _damaged(cage, _reads(archive, midnight, recorded))
        times = reads["time"].dt.strftime("%Y-%m-%d %H:%M:%S.%f").str[:-3]
        table = reads.assign(time=times)[["time", "tag", "antenna"]]
        table.to_csv(archive / "rfid" / f"{cage}_{midnight:%Y-%m-%d}.csv", index=False)
    lines = [f"{cage}\t{a}\t{_tag(cage, a)}" for cage in SPLITS for a in OPTIONS.animals]
    (archive / "animals.tsv").write_text("\n".join(["cage\tanimal\ttag", *lines]) + "\n")


def _reads(archive: Path, midnight: datetime, recorded: list[Filmed]) -> pd.DataFrame:
    """Return what the plate of a cage reads in the half of a day in which it is filmed.

    Between recordings mice do what they do in them, moment by moment in another order.
    """
    every = round(SCAN * OPTIONS.fps)
    traces = [
        pd.read_csv(archive / "positions" / f"{each.recording.name}.csv", index_col="frame")
        for each in recorded
    ]
    scans = [trace.iloc[::every].reset_index(drop=True) for trace in traces]
    known = pd.concat(scans, ignore_index=True)
    random = np.random.default_rng([7, *recorded[0].recording.name.encode()])
    count = round((TURNED_OFF - TURNED_ON) / timedelta(seconds=SCAN))
    begun = random.integers(0, len(known) - MOMENT, -(-count // MOMENT))
    order = (begun[:, None] + np.arange(MOMENT)).ravel()[:count]
    whole = known.iloc[order].reset_index(drop=True)
    seconds = TURNED_ON.total_seconds() + SCAN * np.arange(count)
    for each, scanned in zip(recorded, scans, strict=True):
        since = each.begun - midnight - TURNED_ON
        first = round(since / timedelta(seconds=SCAN))
        whole.iloc[first : first + len(scanned)] = scanned.to_numpy()
        # So that reads are of the frames that they are of.
        seconds[first : first + len(scanned)] = (each.begun - midnight).total_seconds() + np.arange(
            len(scanned)
        ) * every / OPTIONS.fps
    times = pd.Timestamp(midnight) + pd.to_timedelta(seconds, unit="s")
    reads = whole.assign(time=times).melt("time", var_name="animal", value_name="antenna")
    return reads.dropna().sort_values("time", kind="stable").astype({"antenna": int})


def _damaged(cage: str, reads: pd.DataFrame) -> pd.DataFrame:
    """Return reads by the plate's own clock, without those of what is dead or silent."""
    dead = (cage == "1") & (reads["antenna"] == DEAD) & (reads["time"] >= DEAD_SINCE)
    silent = (cage == "2") & (reads["animal"] == SILENT) & (reads["time"] >= SILENT_SINCE)
    days = (reads["time"] - pd.Timestamp(FIRST)) / pd.Timedelta(days=1)
    off = pd.to_timedelta((AHEAD + GAIN * days) * (cage == "3"), unit="s")
    tags = [_tag(cage, animal) for animal in reads["animal"]]
    return reads.assign(time=(reads["time"] + off).dt.round("ms"), tag=tags)[~(dead | silent)]


def _tag(cage: str, animal: str) -> str:
    return f"{900_215_001_366_000 + 97 * OPTIONS.animals.index(animal) + 331 * int(cage)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--annotated-little", action="store_true")
    given = parser.parse_args()
    chosen = annotated_little() if given.annotated_little else troubled()
    make(given.folder.resolve(), list(chosen), logs=not given.annotated_little)
