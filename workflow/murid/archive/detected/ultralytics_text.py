"""Results of Ultralytics as text (``save_txt``): its folder ``labels``, packed as a zip archive.

A file a frame that has boxes, ``NAME_12.txt``; frames count from 1. A line is a box: class, centre,
width and height in shares of the picture, then the score (``save_conf``), then the number that the
tracker knows it by. Of six numbers the last is a score, if any line has seven, or any such number
is not whole. The row that leads back to a box is its line in the file of its frame, from 1.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from murid import files, schemas, zipped
from murid.archive.columns import Columns
from murid.archive.detected.ultralytics import labelled
from murid.archive.formats import Format, Source
from murid.errors import InputError, brief, shown

_EXPECTED = "a zip archive of Ultralytics' labels: files NAME_12.txt, one a frame"
_NAME = re.compile(r"(?:.*/)?([^/]*)_([0-9]{1,9})\.txt", re.DOTALL)
_NAMES = ["source_row", "frame", "class", "cx", "cy", "w", "h", "sixth", "seventh"]
MOST_FILES = 2**20
"""Files of an archive, at most."""
MOST_BYTES = 2**26
"""Bytes of all of them, at most: thirty boxes in each frame of half an hour."""


def read(source: Source) -> Columns:
    """Return the boxes of all frames, in pixels.

    Raises
    ------
    InputError
        If the file is missing or no such archive, the size of the picture is not known, or a line
        has no five to seven numbers; naming the file within and the line.
    """
    path = source.path
    if source.size is None:
        raise InputError(
            path, "boxes in shares of a picture whose size is not told", "the segment's video",
            remedy="Name the video, too; or give the summary() of each result as JSON.",
        )  # fmt: skip
    rows = list(_lines(path))
    table = pd.DataFrame(rows, columns=_NAMES)
    sixth, seventh = table["sixth"], table["seventh"]
    scored = seventh.notna().any() or (sixth.dropna() % 1 != 0).any()
    table["score"] = sixth if scored else np.nan
    table["tracklet"] = seventh if scored else sixth
    width, height = source.size
    table["x"], table["w"] = (table["cx"] - table["w"] / 2) * width, table["w"] * width
    table["y"], table["h"] = (table["cy"] - table["h"] / 2) * height, table["h"] * height
    kept = ["frame", "class", *schemas.BOX, "score", "tracklet", "source_row"]
    if table["tracklet"].isna().all():
        kept.remove("tracklet")
    return Columns(path, labelled(table[kept]), unit="box")


def _lines(path: Path) -> Iterator[list[float]]:
    """Yield number, frame and numbers of every line, NaN for those that it lacks."""
    called: set[str] = set()
    for member, text in _texts(path):
        named = _NAME.fullmatch(member)
        if named is None or int(named[2]) < 1:
            raise InputError(
                path, f"the file {shown(brief(member))}", "NAME_12.txt, by frames from 1",
                remedy="Pack only the labels of a video, not those of pictures.",
            )  # fmt: skip
        called.add(named[1])
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{brief(member)}, line {number}"
            try:
                numbers = [float(cell) for cell in line.split()]
            except ValueError:
                numbers = []
            if not 5 <= len(numbers) <= 7 or not np.isfinite(numbers).all():
                expected = "class, x, y, w, h, and perhaps score and number"
                raise InputError(path, shown(line), expected, where=where)
            yield [number, int(named[2]) - 1, *numbers, *[np.nan] * (7 - len(numbers))]
    if len(called) > 1:
        found = f"labels of {len(called)} videos ({brief(', '.join(sorted(called)))})"
        raise InputError(path, found, "those of one")


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every file in the archive."""
    left = MOST_BYTES
    with zipped.opened(path, _EXPECTED, files.LARGEST) as archive:
        members = [each for each in archive.infolist() if not each.is_dir()]
        if len(members) > MOST_FILES or not members:
            raise InputError(path, f"{len(members):,} files", f"1 to {MOST_FILES:,}")
        for member in members:
            text = zipped.text(path, archive, member, left, _EXPECTED)
            left -= len(text)
            yield member.filename, text


FORMAT = Format(
    name="a zip archive of Ultralytics' labels",
    words="Ultralytics' folder `labels` (`save_txt`) of one video, packed as zip. Its track "
    "numbers are tracklets. Boxes are shares of the picture: name the segment's `video`",
    suffixes=(".zip",),
    read=read,
)
