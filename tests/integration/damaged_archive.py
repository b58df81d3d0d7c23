"""An archive of segments that are each bad in a way of their own, beside three that are sound.

``PYTHONPATH=tests .venv/bin/python tests/integration/damaged_archive.py FOLDER`` makes it anew.
"""

import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import hostile
import made_videos
from pipeline import ANIMALS, FRAMES, make_segment

SOUND = {("A", "sound"): "Train", ("B", "sound"): "Validate", ("C", "sound"): "Test"}
"""Segments that nothing may happen to, by split."""
BAD_CAGE = "D"
COLUMNS = ("cage", "segment", "positions", "detections", "tracklets", "video", "annotations",
           "split", "fps", "animals")  # fmt: skip
_PARTS = {"positions": "positions.parquet", "detections": "detections.parquet"}


@dataclass(frozen=True)
class Bad:
    """A segment that is bad in one way.

    Parameters
    ----------
    name
        Of the segment.
    make
        Spoils a sound segment's folder; returns cells of its row of the sheet that are other than
        those of a sound one: file names, relative to the folder, and values.
    reason
        Pattern that the reason of its verdict holds.
    status
        Its verdict.
    """

    name: str
    make: Callable[[Path], Mapping[str, str] | None]
    reason: str
    status: str = "discarded"
    row: Mapping[str, str] = field(default_factory=dict)


def table(folder: Path, part: str) -> pd.DataFrame:
    return pq.read_table(folder / f"{part}.parquet").to_pandas()


def wide(folder: Path) -> pd.DataFrame:
    """Return the antenna trace with a row a frame and a column an animal."""
    return table(folder, "positions").pivot(index="frame", columns="animal", values="antenna")


def boxes(folder: Path) -> pd.DataFrame:
    return table(folder, "detections")[["frame", "x", "y", "w", "h", "score", "label"]]


# What spoils a segment


def replaced(part: str, name: str, write: Callable[[Path], object]) -> Callable:
    """Put another file in the place of a part."""

    def make(folder: Path) -> dict[str, str]:
        write(folder / name)
        return {part: name}

    return make


def trace(change: Callable[[pd.DataFrame], pd.DataFrame], name: str = "trace.csv") -> Callable:
    """Change the antenna trace, and write it as a CSV."""

    def make(folder: Path) -> dict[str, str]:
        change(wide(folder)).to_csv(folder / name)
        return {"positions": name}

    return make


def found(change: Callable[[pd.DataFrame], pd.DataFrame], part: str = "detections") -> Callable:
    """Change the boxes, and write them as a CSV."""

    def make(folder: Path) -> dict[str, str]:
        change(boxes(folder)).to_csv(folder / "boxes.csv", index=False)
        return {"detections": "", part: "boxes.csv"}

    return make


def mot(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable:
    """Write the boxes as MOT text, changed."""

    def make(folder: Path) -> dict[str, str]:
        given = boxes(folder)
        rows = pd.DataFrame({"frame": given["frame"] + 1, "id": given.groupby("frame").cumcount()})
        rows = rows.join(given[["x", "y", "w", "h", "score"]])
        change(rows).to_csv(folder / "boxes.txt", index=False, header=False)
        return {"detections": "", "tracklets": "boxes.txt"}

    return make


def via(change: Callable[[dict], object], split: str = "Train") -> Callable:
    """Change the VIA project."""

    def make(folder: Path) -> dict[str, str]:
        project = json.loads((folder / "via.json").read_text())
        changed = change(project)
        limit = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)
        text = changed if isinstance(changed, str) else json.dumps(project)
        sys.set_int_max_str_digits(limit)
        (folder / "via.json").write_text(text)
        return {"annotations": "via.json", "split": split}

    return make


def first_region(project: dict) -> dict:
    return next(
        image["regions"][0] for image in project["_via_img_metadata"].values() if image["regions"]
    )


def with_box(value: object) -> Callable:
    return via(lambda project: first_region(project)["shape_attributes"].update(x=value))


def coco(change: Callable[[dict], object]) -> Callable:
    """Write the annotations as COCO JSON, changed."""

    def make(folder: Path) -> dict[str, str]:
        project = json.loads((folder / "via.json").read_text())
        images, entries = [], []
        for number, image in enumerate(project["_via_img_metadata"].values()):
            images.append({"id": number, "file_name": image["filename"]})
            for region in image["regions"]:
                box = region["shape_attributes"]
                name = region["region_attributes"]["identity"]
                entries.append(
                    {
                        "id": len(entries), "image_id": number,
                        "category_id": ANIMALS.index(name),
                        "bbox": [box[key] for key in ("x", "y", "width", "height")],
                    }
                )  # fmt: skip
        categories = [{"id": number, "name": name} for number, name in enumerate(ANIMALS)]
        content = {"images": images, "annotations": entries, "categories": categories}
        change(content)
        (folder / "coco.json").write_text(json.dumps(content))
        return {"annotations": "coco.json", "split": "Train"}

    return make


def parquet(part: str, change: Callable[[pa.Table], pa.Table]) -> Callable:
    """Change a part's Parquet."""

    def make(folder: Path) -> None:
        path = folder / f"{part}.parquet"
        pq.write_table(change(pq.read_table(path)), path)

    return make


def about(key: str, value: bytes | str) -> Callable:
    """Change the metadata of the positions' Parquet."""
    return parquet(
        "positions", lambda t: t.replace_schema_metadata({**(t.schema.metadata or {}), key: value})
    )


def flipped(part: str) -> Callable:
    """Flip bits of a Parquet's pages, of which the footer stays whole."""

    def make(folder: Path) -> dict[str, str] | None:
        path = folder / f"{part}.parquet"
        data = bytearray(path.read_bytes())
        footer = int.from_bytes(data[-8:-4], "little") + 8
        for place in np.random.default_rng(3).integers(4, len(data) - footer, 12):
            data[place] ^= 1 << int(place % 8)
        path.write_bytes(data)

    return make


def filmed(write: Callable[[Path], object], name: str = "video.mp4") -> Callable:
    """Give a video in place of detections."""

    def make(folder: Path) -> dict[str, str]:
        write(folder / name)
        return {"detections": "", "video": name}

    return make


def pickled(content: object) -> Callable:
    return replaced("positions", "trace.df", lambda path: path.write_bytes(pickle.dumps(content)))


class Attack:
    def __reduce__(self) -> tuple:
        return os.system, ("touch attacked",)


def text(content: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(content)


def one_size(given: pd.DataFrame) -> pd.DataFrame:
    return given.assign(w=150.0, h=110.0)


def blank_score(given: pd.DataFrame) -> pd.DataFrame:
    given = given.astype({"score": object})
    given.loc[50, "score"] = ""
    return given


def of_future(folder: Path) -> None:
    for path in folder.iterdir():
        os.utime(path, (time.time() + 86_400,) * 2)


def folder_for_file(folder: Path) -> None:
    (folder / "detections.parquet").unlink()
    (folder / "detections.parquet").mkdir()


def twice(part: str, column: str) -> Callable:
    return parquet(part, lambda t: t.append_column(column, t.column(column)))


VIA_CSV = "filename,file_size,file_attributes,region_count,region_id\n1.png,-1,{}\n"

BAD = [
    # The file system
    Bad("missing-trace", lambda folder: (folder / "positions.parquet").unlink(), "no file"),
    Bad("missing-boxes", lambda folder: (folder / "detections.parquet").unlink(), "no file"),
    Bad("folder-for-file", folder_for_file, "a folder"),
    Bad("long-file-name", lambda folder: {"positions": "x" * 300 + ".csv"}, "name"),
    Bad("future", of_future, "", "usable"),
    Bad("pipe", replaced("positions", "p.csv", hostile.pipe), "a named pipe"),
    Bad("device", replaced("detections", "d.csv", hostile.device), "a device"),
    Bad("kernel", replaced("positions", "k.csv", hostile.kernel), "system makes up"),
    Bad("sparse", replaced("positions", "s.csv", hostile.sparse), "bytes|MiB|GiB|large"),
    # Damage behind an intact footer, and of it
    Bad("flipped-trace", flipped("positions"), "positions.parquet"),
    Bad("flipped-boxes", flipped("detections"), "detections.parquet"),
    Bad("cut-trace", replaced("positions", "p.parquet", text("PAR1 was here")), "Parquet"),
    Bad("pandas-empty", about("pandas", ""), "", "usable"),
    Bad("pandas-list", about("pandas", "[]"), "", "usable"),
    Bad("pandas-no-json", about("pandas", "{no"), "", "usable"),
    Bad("pandas-index", about("pandas", '{"index_columns": ["nowhere"], "columns": []}'), "",
        "usable"),
    Bad("status-unknown", about("murid.status", "fine"), "", "usable"),
    Bad("not-utf-8", about("murid.reason", b"\xff\xfe"), "", "usable"),
    Bad("column-twice", twice("positions", "antenna"), "twice|antenna"),
    # Values past the checks
    Bad("big-number", trace(lambda t: t.astype(object).replace(5, 10**400)), "trace.csv"),
    Bad("via-big-number", with_box(10**400), "via.json"),
    Bad("via-1e308", with_box(1e308), "via.json"),
    Bad("via-not-a-number", with_box(float("nan")), "via.json"),
    Bad("via-surrogate", via(lambda project: first_region(project)["region_attributes"].update(
        identity="\ud800")), "via.json"),
    Bad("via-nested", via(lambda project: "[" * 100_000 + "]" * 100_000), "via.json"),
    Bad("via-digits", via(lambda project: next(iter(project["_via_img_metadata"].values())).update(
        filename="9" * 5000 + ".png", file_attributes={})), "via.json"),
    Bad("via-row-short", replaced("annotations", "via.csv", text(VIA_CSV)), "via.csv",
        row={"split": "Train"}),
    Bad("via-frame-copy", via(lambda project: next(iter(
        project["_via_img_metadata"].values())).update(
        filename="f_000010 (1).jpg", file_attributes={})), r"f_000010 \(1\)\.jpg"),
    Bad("coco-frame-nan", coco(lambda c: c["images"][0].update(frame=float("nan"))), "image 0"),
    Bad("coco-frame-infinity", coco(lambda c: c["images"][0].update(frame=float("inf"))),
        "image 0"),
    Bad("coco-category-list", coco(lambda c: c["annotations"][0].update(category_id=[1])),
        "annotation 0"),
    Bad("coco-image-twice", coco(lambda c: c["images"][1].update(id=0)), "image 1"),
    # Pickles
    Bad("pickle-series", pickled(pd.Series([1, 2])), "Series"),
    Bad("pickle-dates", pickled(pd.date_range("2020", periods=3)), "DatetimeIndex"),
    Bad("pickle-periods", pickled(pd.period_range("2020", periods=3)), "_new_Index"),
    Bad("pickle-path", pickled(Path("nowhere")), "Path"),
    Bad("pickle-attack", pickled(Attack()), "system", "failed"),
    # Size
    Bad("bz2-bomb", replaced("positions", "t.df", hostile.streams), "MiB after decompression"),
    Bad("blocks-bomb", replaced("positions", "t.df", hostile.blocks), "than the file can hold"),
    Bad("rows-bomb", replaced("positions", "t.df", hostile.rows), "than the file can hold"),
    Bad("columns-bomb", replaced("positions", "t.csv", hostile.columns_of_csv), "columns"),
    Bad("animals-bomb", replaced("positions", "t.csv", hostile.animals), "animals"),
    Bad("texts-bomb", replaced("positions", "t.parquet", hostile.texts), "bytes of text"),
    Bad("name-bomb", replaced("positions", "t.parquet", hostile.long_name), "bytes of text"),
    Bad("reason-bomb", replaced("positions", "t.parquet", hostile.long_reason), "letters"),
    Bad("cells-bomb", replaced("positions", "t.parquet", hostile.cells), "cells"),
    Bad("one-size", found(one_size), "", "usable"),
    # Videos
    Bad("video-empty", filmed(text("")), "an empty file"),
    Bad("video-text", filmed(text("cage,segment\n" * 200)), "cannot be decoded"),
    Bad("video-list", filmed(text("ffconcat version 1.0\nfile other.mp4\n")), "cannot be decoded"),
    Bad("video-playlist", filmed(text("#EXTM3U\n#EXTINF:2,\nother.mp4\n")), "cannot be decoded"),
    Bad("video-pattern", filmed(text("cage\n" * 200), "img_%03d.png"), "cannot be decoded"),
    Bad("video-sound", filmed(made_videos.sound_only), "no video stream"),
    Bad("video-flat", filmed(lambda path: made_videos.claiming(path, 2000, 2), "video.mkv"),
        "2000 x 2"),
    Bad("video-huge", filmed(lambda path: made_videos.claiming(path, 16_000, 16_000), "video.mkv"),
        "16000 x 16000|pixels"),
    Bad("video-tiny", filmed(lambda path: made_videos.claiming(path, 1, 1), "video.mkv"), "1 x 1"),
    Bad("video-black", filmed(made_videos.black), "show nothing"),
    Bad("video-short", filmed(lambda path: made_videos.make(path)), "lengths in frames differ"),
    # What is said twice, or otherwise than meant
    Bad("mot-score-0", mot(lambda rows: rows.assign(score=0)), "score|confidence"),
    Bad("mot-no-ids", mot(lambda rows: rows.assign(id=-1)), "-1|tracklet"),
    Bad("mot-empty", replaced("tracklets", "t.txt", text("")), "empty", row={"detections": ""}),
    Bad("csv-empty", replaced("detections", "d.csv", text("")), "empty"),
    Bad("normalised", found(lambda t: t.assign(x=t.x / 1280, w=t.w / 1280, y=t.y / 720,
        h=t.h / 720)), "normalised|pixels|picture"),
    Bad("corners", found(lambda t: t.assign(w=t.x + t.w, h=t.y + t.h)),
        "x2, y2 of the other corner"),
    Bad("first-100", found(lambda t: t.head(100)), "no box in frames 3[0-9] to 299 of 300"),
    Bad("boxes-twice", found(lambda t: pd.concat([t, t])), "7[0-9]{2} boxes stand a second",
        "repaired"),
    Bad("no-boxes", found(lambda t: t.head(0)), "no|without"),
    Bad("score-blank", found(blank_score), "scores are empty", "repaired"),
    Bad("light", trace(lambda t: t.assign(light=1)), "light", "repaired"),
    Bad("booleans", trace(lambda t: t > 9), "True|False|boolean"),
    Bad("same-tags", trace(lambda t: t.assign(G=t["R"])), "same"),
    Bad("trace-short", trace(lambda t: t.iloc[: FRAMES - 8]), "frames", "repaired"),
    Bad("formula", replaced("positions", "=cmd.csv", text("nonsense\n1\n")), "=cmd"),
]  # fmt: skip
"""At least sixty."""


def make_detector(path: Path) -> None:
    """Write a detector that has learnt nothing: no video of the archive is fit to be looked at."""
    from murid.detect import model

    about = {"backbone": "slim", "width": 96, "classes": list(model.CLASSES)}
    model.save(path, model.build("slim", 96).state_dict(), about)


def make_archive(folder: Path, bad: bool = True) -> None:
    """Write the sound segments and, if wanted, the bad ones, and a sheet of all."""
    rows = []
    for number, ((cage, segment), split) in enumerate(SOUND.items()):
        make_segment(folder / cage / segment, number)
        rows.append(_row(f"{cage}/{segment}", cage=cage, segment=segment, split=split,
                         annotations="via.json", **_PARTS))  # fmt: skip
    for number, each in enumerate(BAD if bad else [], len(SOUND)):
        place = folder / BAD_CAGE / each.name
        make_segment(place, number)
        cells = {"cage": BAD_CAGE, "segment": each.name, **_PARTS, **each.row}
        rows.append(_row(f"{BAD_CAGE}/{each.name}", **cells | dict(each.make(place) or {})))
    make_detector(folder / "detector.safetensors")
    lines = ["\t".join(COLUMNS), *("\t".join(row) for row in rows)]
    (folder / "segments.tsv").write_text("\n".join(lines) + "\n")


def _row(place: str, **cells: str) -> list[str]:
    files = ("positions", "detections", "tracklets", "video", "annotations")
    cells = {"split": "Test", "animals": ",".join(ANIMALS)} | cells
    return [
        f"{place}/{cells[column]}"
        if column in files and cells.get(column)
        else cells.get(column, "")
        for column in COLUMNS
    ]


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True)
    make_archive(Path(sys.argv[1]))
