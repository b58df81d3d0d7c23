"""The page on which a human answers: questions of all segments, each with a clip and a still."""

import contextlib
import logging
import shutil
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from murid import __version__, corrections, schemas, sheet, tables, video
from murid.clip import draw
from murid.clip.chosen import passed_over
from murid.clip.render import Painter
from murid.clip.stage import Clip, Stretch
from murid.errors import InputError, SeveralErrors
from murid.files import replacing, write_text
from murid.report.templates import environment, style
from murid.stage import MethodTable

if TYPE_CHECKING:
    from murid.proofread.stage import Proofread

log = logging.getLogger(__name__)

Key = tuple[str, str]
_FOLDERS = ("clips", "stills")
_WIDTH = 640
"""Pixels of width of a clip."""
_JPEG = [cv2.IMWRITE_JPEG_QUALITY, 85]


def write(stage: "Proofread") -> None:
    """Write the page, and what it shows.

    Raises
    ------
    InputError
        If a table is missing, no segment has a video, or what was answered before cannot be read.
    """
    segments = sheet.read_sheet(stage.sample_sheet)
    filmed = sorted(segments.keys() - passed_over(segments, stage.archive).keys())
    if not filmed:
        raise InputError(
            stage.sample_sheet, "no segment with a video that is there", "at least one"
        )
    former = corrections.read(stage.corrections) if stage.corrections else None
    if former and former.faults:
        # What is saved anew would hold what is left of such rows.
        raise SeveralErrors(former.faults)
    asked = choose(_read(stage.segments_dir, filmed), stage.questions)
    for folder in _FOLDERS:
        shutil.rmtree(stage.output_dir / folder, ignore_errors=True)
        (stage.output_dir / folder).mkdir(parents=True)
    shown = []
    for key, rows in asked.groupby(["cage", "segment"], sort=False):
        shown += _of_segment(stage, segments[key], key, rows)
    shown.sort(key=lambda one: one["rank"])
    log.info("%d questions of %d segments", len(shown), len(filmed))
    report = stage.output_dir.parent / "index.html"
    there = "../index.html" if report.is_file() else ""
    write_text(stage.output_dir / "index.html", render(shown, stage.title, former, there))


def render(
    questions: list[dict[str, Any]],
    title: str,
    former: corrections.File | None = None,
    report: str = "",
) -> str:
    """Return the page as HTML, which needs no network and no other file but clips and stills.

    Parameters
    ----------
    questions
        Of each: ``key`` (of no other), ``cage, segment, frame, tracklet, fps, box, gain``, ``clip``
        and ``still`` (paths from the page), ``names`` (``animal, colour, probability``), and the
        probability of ``nobody``.
    title
        Of the archive.
    former
        What people answered before: what is saved holds it, too.
    report
        Path from the page to the report; empty: there is none.
    """
    page = environment("proofread").get_template("page.html.j2")
    return page.render(
        questions=questions,
        former=_saved_anew(former),
        report=report,
        title=title,
        nothing="no name is in such doubt that an answer is expected to put boxes right.",
        css=style() + _text("page.css"),
        script=_text("page.js"),
        version=__version__,
    )


def _saved_anew(former: corrections.File | None) -> dict[str, Any]:
    """Return what the page is told of the file that its answers are added to."""
    if former is None:
        return {"name": "corrections.csv", "separator": ",", "rows": []}
    name = former.path.name
    return {"name": name, "separator": former.separator, "rows": former.written}


def choose(questions: pd.DataFrame, most: int) -> pd.DataFrame:
    """Choose the best questions of all segments.

    Returns
    -------
    The table ``questions`` with a column ``rank``, from 0, the best first.
    """
    keys = ["cage", "segment", "question"]
    best = questions[[*keys, "gain"]].drop_duplicates()
    best = best.sort_values(["gain", *keys], ascending=[False, True, True, True], kind="stable")
    best = best.head(most).reset_index(drop=True).rename_axis("rank").reset_index()
    return questions.merge(best.drop(columns="gain"), on=keys).sort_values(["rank", "animal"])


def _read(folder: Path, keys: list[Key]) -> pd.DataFrame:
    paths = (folder / cage / segment / "questions.parquet" for cage, segment in keys)
    return tables.concatenate((tables.read(path, "questions") for path in paths), "questions")


def _text(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text("utf-8"))  # noqa: S704 - our own


def _of_segment(
    stage: "Proofread", entry: sheet.Segment, key: Key, rows: pd.DataFrame
) -> list[dict[str, Any]]:
    """Render what is shown of a segment's questions, and tell what the page says of them."""
    folder = stage.segments_dir.joinpath(*key)
    colours = draw.animal_colours(sorted(rows["animal"].unique()))
    shown, spans = [], {}
    for rank, names in rows.groupby("rank"):
        first = names.iloc[0]
        around = round(stage.seconds * entry.fps / 2)
        spans[rank] = first, max(first["frame"] - around, 0), first["frame"] + around
        stem = f"{rank:04d}"
        shown.append(
            {
                "rank": rank,
                "key": f"{key[0]}/{key[1]}/{first['frame']}/{first['tracklet']}",
                "cage": key[0],
                "segment": key[1],
                "frame": int(first["frame"]),
                "tracklet": int(first["tracklet"]),
                "fps": entry.fps,
                "box": _corners(first),
                "gain": float(first["gain"]),
                "clip": f"clips/{stem}.mp4",
                "still": f"stills/{stem}.jpg",
                "nobody": max(1.0 - float(names["probability"].sum()), 0.0),
                "names": [
                    {
                        "animal": animal,
                        "probability": float(probability),
                        "colour": "#{:02x}{:02x}{:02x}".format(*colours[animal]),
                    }
                    for animal, probability in zip(
                        names["animal"], names["probability"], strict=True
                    )
                ],
            }
        )
    _render(stage, entry, folder, spans)
    return shown


def _corners(question: pd.Series) -> list[float]:
    """Return left, top, right and bottom of a box, to the tenth of a pixel."""
    x, y, w, h = (float(question[name]) for name in schemas.BOX)
    return [round(value, 1) for value in (x, y, x + w, y + h)]


def _render(
    stage: "Proofread",
    entry: sheet.Segment,
    folder: Path,
    spans: Mapping[int, tuple[pd.Series, int, int]],
) -> None:
    """Render clips and stills of a segment in one go through its video.

    ``spans`` are, by rank, a question and the first and last frame of its clip.
    """
    first = min(begin for _, begin, _ in spans.values())
    last = max(end for _, _, end in spans.values())
    frames = sorted({n for _, begin, end in spans.values() for n in range(begin, end + 1)})
    positions = folder / f"{entry.positions_table}.parquet"
    sources = Clip(
        **stage.filmed(entry),
        positions=positions,
        identities=(MethodTable(stage.method, folder / "identities" / f"{stage.method}.parquet"),),
        weights=stage.weights,
        transforms=stage.transforms,
        clahe=stage.clahe,
        frames=Stretch(first, last),
        speed=1,
        output=stage.output_dir / "clips" / "of.mp4",
    )
    painter = Painter(sources, first, last + 1)
    count = int(tables.read(positions, "positions")["frame"].max()) + 1
    boxes = _boxes_asked(folder / f"tracklets{'.archive' * bool(entry.tracklets)}.parquet", spans)
    with contextlib.ExitStack() as open_clips:
        clips: dict[int, Any] = {}
        for number, grey in video.read_frames(sources.video, frames, entry.fps, sources.part):
            if number >= count:
                break
            for rank, (question, begin, end) in spans.items():
                if not begin <= number <= end:
                    continue
                picture = painter.paint(number, grey, boxes.get((rank, number)))
                if rank not in clips:
                    path = stage.output_dir / "clips" / f"{rank:04d}.mp4"
                    clips[rank] = open_clips.enter_context(video.writing(path, entry.fps, crf=26))
                clips[rank](_narrowed(picture))
                if number == question["frame"]:
                    _write_still(stage.output_dir / "stills" / f"{rank:04d}.jpg", picture)


def _boxes_asked(
    path: Path, spans: Mapping[int, tuple[pd.Series, int, int]]
) -> dict[tuple[int, int], NDArray[np.float64]]:
    """Return, by rank and frame, the boxes that are asked about: (4,) each."""
    tracklets = tables.read(path, "tracklets")
    boxes = {}
    for rank, (question, _, _) in spans.items():
        asked = (tracklets["tracklet"] == question["tracklet"]) & tracklets["frame"].between(
            question["first_frame"], question["last_frame"]
        )
        for frame, *box in tracklets.loc[asked, ["frame", *schemas.BOX]].itertuples(index=False):
            boxes[rank, frame] = np.array(box, dtype=np.float64)
    return boxes


def _narrowed(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Shrink a picture to the width of a clip; even sides."""
    height, width = picture.shape[:2]
    if width <= _WIDTH:
        return picture
    size = _WIDTH, 2 * round(height * _WIDTH / width / 2)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _write_still(path: Path, picture: NDArray[np.uint8]) -> None:
    with replacing(path) as temporary:
        cv2.imwrite(str(temporary), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), _JPEG)
