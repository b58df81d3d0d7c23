"""Detections made elsewhere, by a detector or a tracker: boxes with scores, perhaps in tracklets.

The formats are in :mod:`murid.archive.detected`. Boxes have their top-left corner first, in pixels.
With the column ``tracklet``, which is empty or -1 for a box that belongs to none, they are
tracklets too, and need no score.

Each box keeps where it comes from (:data:`murid.schemas.SOURCE`), so that what is said of it in the
end can be said of the file's own rows: its track there, be it a tracklet or not, and its row, which
is that of messages unless the format has one that is of use within a frame.

A score that is empty (in MOT text: -1) is one that nobody estimated, and counts as 1.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables
from murid.archive import columns, formats
from murid.archive.columns import Columns, Judged
from murid.archive.detected import formats as detected_formats
from murid.archive.detected.table import KNOWN
from murid.errors import InputError, brief
from murid.tables import Verdict

COLUMNS = ("frame", *schemas.BOX, "score")
CLASSES = (
    "class", "cls", "class_id", "class_name", "classname", "classes", "category", "category_id",
    "category_name", "labels", "label_name", "label_id", "species",
)  # fmt: skip
"""What others call the column ``label``."""
NAMES = ("name", "names", "object", "type", "kind")
"""What they may also call it, or else an individual or how it was found."""


def read(
    path: str | Path, images: Path | None = None, size: tuple[int, int] | None = None
) -> Judged:
    """Read detections as they are found, also boxes without an area.

    Parameters
    ----------
    path
        The file, in any format of :mod:`murid.archive.detected`.
    images
        The COCO file that tells the images of COCO results, if they do not do so themselves.
    size
        Width and height of the raw frames in pixels, for boxes in shares of the picture.

    Returns
    -------
    Columns ``frame`` (int64), ``label``, ``x, y, w, h``, ``score`` (float64, NaN = not estimated),
    and if the file has tracklets ``tracklet`` (Int64, null = none). A tunnel belongs to no
    tracklet. Then ``source_row`` (int64) and ``source_track`` (text, None = none). If boxes have no
    area, ``attrs["no area"]`` tells where that of the lowest frame stands in the file, and its
    value. And ``repaired`` if columns of a table were passed over, naming them, or a box stood
    twice in its frame, which then counts once.

    Raises
    ------
    InputError
        If the file is missing, damaged or of another kind, a frame or tracklet is no whole number,
        a score is not from 0 to 1, a label is unknown, a tracklet has two boxes in a frame, or
        classes are told in another column than ``label``; naming the row or column.
    """
    given = formats.Source(Path(path), images=images, size=size)
    source: Columns = formats.read(detected_formats(), given)
    linked = "tracklet" in source.names
    needed = COLUMNS[:-1] if linked else COLUMNS
    source.require(needed, f"detections: {', '.join(COLUMNS)}, and perhaps label, tracklet")
    detections = pd.DataFrame({"frame": source.frames()})
    detections["label"] = _labels(source)
    for name in (*schemas.BOX, "score"):
        detections[name] = source.numbers(name) if name in source.names else np.nan
    scores = detections["score"]
    source.refuse(
        (scores.notna() & ~scores.between(0, 1)).to_numpy(), "score", "a score from 0 to 1",
        lambda row: f"the score {scores[row]:g}",
        remedy="If scores are percent, divide them by 100.",
    )  # fmt: skip
    numbers = None
    if linked:
        numbers = source.integers("tracklet", required=False).reset_index(drop=True)
        detections["tracklet"] = _tracklets(source, detections, numbers)
    detections = detections.assign(**_origin(source, numbers))
    if not (sound := have_area(detections)).all():
        first = detections.loc[detections["frame"][~sound].idxmin()]
        detections.attrs["no area"] = _place_without_area(source, first)
    detections, repeated = _each_once(detections, source.path)
    return Judged(detections, source.verdict | source.passed_over(KNOWN) | repeated)


def read_table(
    path: Path, images: Path | None = None, size: tuple[int, int] | None = None
) -> Judged:
    """Read detections as the table ``detections``; see :func:`read` and :func:`as_table`."""
    detections, verdict = read(path, images, size)
    return Judged(as_table(detections, path), verdict)


def _each_once(detections: pd.DataFrame, path: Path) -> Judged:
    """Leave out boxes that stand twice in a frame, of each but the surest; those would be two."""
    surest_first = detections.sort_values("score", ascending=False, kind="stable")
    same = [name for name in detections if name not in ("score", *schemas.SOURCE)]
    twice = surest_first.duplicated(same).sort_index() & have_area(detections)
    if not twice.any():
        return Judged(detections, Verdict())
    first = detections["frame"][twice].min()
    reason = (
        f"{path.name}: {twice.sum():,} boxes stand a second time in their frame (the first in "
        f"frame {first}), and count once"
    )
    return Judged(detections[~twice].reset_index(drop=True), Verdict("repaired", reason))


def _place_without_area(source: Columns, box: pd.Series) -> str:
    name = _sound_sides(box.to_frame().T).iloc[0].idxmin()
    value = "nothing" if np.isnan(box[name]) else f"{box[name]:g}"
    return f"{source.path.name}, {source.place(box.name, name)}: {value}"


def _tracklets(source: Columns, detections: pd.DataFrame, numbers: pd.Series) -> pd.Series:
    negative = (numbers < -1).fillna(False).to_numpy(dtype=bool)
    numbers = numbers.mask((detections["label"] != schemas.LABELS[0]) | (numbers == -1))
    twice = detections.assign(tracklet=numbers).duplicated(["frame", "tracklet"]) & numbers.notna()

    def found(row: int) -> str:
        return f"tracklet {source.frame['tracklet'].iloc[row]} in frame {detections['frame'][row]}"

    source.refuse(negative, "tracklet", "a number from 0; -1 or nothing for none", found)
    repeated = twice.to_numpy(dtype=bool)
    source.refuse(repeated, "tracklet", "one box of a tracklet in a frame", found)
    return numbers


def _origin(
    source: Columns, numbers: pd.Series | None
) -> dict[str, pd.Series | NDArray[np.int64] | None]:
    """Return ``source_track`` and ``source_row`` of every row."""
    track: pd.Series | None = None
    if "source_track" in source.names:
        names = source.texts("source_track").reset_index(drop=True)
        track = names.where(names != "", None)
    elif numbers is not None:
        track = numbers.mask(numbers < 0).astype("string").astype(object)
    if "source_row" in source.names:
        row = source.integers("source_row", required=True).to_numpy(dtype=np.int64)
    else:
        row = source.frame.index.to_numpy(dtype=np.int64) + source.first
    return {"source_track": track, "source_row": row}


def as_table(detections: pd.DataFrame, source: object = "detections") -> pd.DataFrame:
    """Return detections as the table ``detections``, ranked by score within each frame.

    Raises
    ------
    InputError
        If a box has no area, or a frame more than 128 boxes.
    """
    return tables.conform(_ranked(detections, source), "detections", source)


def as_tracklets(detections: pd.DataFrame, source: object = "tracklets") -> pd.DataFrame:
    """Return the table ``tracklets`` that goes with :func:`as_table` of the same detections.

    Raises
    ------
    InputError
        If there are no tracklets, or as :func:`as_table`.
    """
    if "tracklet" not in detections or (len(detections) and detections["tracklet"].isna().all()):
        raise InputError(
            source, f"{len(detections):,} boxes without tracklets",
            "a column tracklet, or MOT text of ids, with a number from 0 for some box",
            remedy="Boxes without tracklets go into the column detections of the sheet.",
        )  # fmt: skip
    ranked = _ranked(detections, source)
    return tables.conform(ranked[ranked["tracklet"].notna()], "tracklets", source)


def judge_scores(detections: pd.DataFrame) -> Verdict:
    """Judge whether all detections have a score, or none has; a mixture is worth a word."""
    empty = detections["score"].isna()
    if empty.all() or not empty.any():
        return Verdict()
    first = detections["frame"][empty].min()
    reason = f"{empty.sum():,} of {len(empty):,} scores are empty (the first at frame {first})"
    return Verdict("repaired", f"{reason}, and count as 1")


def _ranked(detections: pd.DataFrame, source: object) -> pd.DataFrame:
    ranked = detections.fillna({"score": 1.0}).sort_values(
        ["frame", "score"], ascending=[True, False], kind="stable", ignore_index=True
    )
    rank = ranked.groupby("frame").cumcount()
    if (rank > 127).any():
        frame = ranked["frame"][(rank > 127).idxmax()]
        raise InputError(source, "more than 128 boxes", "128 at most", where=f"frame {frame}")
    return ranked.assign(detection=rank)


def have_area(detections: pd.DataFrame) -> pd.Series:
    """Tell which boxes are finite and wider and higher than 0 in single precision."""
    return _sound_sides(detections).all(axis=1)


def _sound_sides(detections: pd.DataFrame) -> pd.DataFrame:
    with np.errstate(over="ignore"):
        boxes = detections[schemas.BOX].astype(np.float32)
    return np.isfinite(boxes) & (boxes > [-np.inf, -np.inf, 0, 0])


def _labels(source: Columns) -> np.ndarray | str:
    if "label" not in source.names:
        _refuse_classes(source)
        return schemas.LABELS[0]
    return source.choices("label", schemas.LABELS, None).to_numpy(dtype=object)


def _refuse_classes(source: Columns) -> None:
    """Refuse columns without ``label`` of which another tells boxes apart, or calls them tunnel."""
    for name in source.names:
        if name.lower() not in (*CLASSES, *NAMES):
            continue
        values = list(dict.fromkeys(source.texts(name)))
        tunnel = any(value.lower() == schemas.TUNNEL for value in values)
        several = name.lower() in CLASSES and 1 < len(values) <= columns.MOST_CLASSES
        if tunnel or several:
            found = f"no column label, but {name} with {brief(', '.join(values))}"
            allowed = " or ".join(schemas.LABELS)
            raise InputError(
                source.path, found, f"a column label with {allowed}", where=f"column {name}",
                remedy=f"Rename {name} to label, with {allowed} in each row. If it tells something "
                "else, remove it.",
            )  # fmt: skip
