"""The contracts between the stages: one Parquet schema a table, with units.

Every table is read and written through this module, and validated both times. The file's metadata
carry the table's name and version, and the segment's :class:`Verdict`, so that a discarded segment
flows through every stage as an empty, valid table that says why.

Frames are 0-based from the segment's start (seconds = frame / fps); boxes are ``x, y, w, h`` with
the top-left corner first, in pixels of the raw frame; antennas are numbered from 1 as on the rig.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from murid.errors import InputError
from murid.files import replacing

VERSION = "1"
ROW_GROUP = 25_000
BOX = ["x", "y", "w", "h"]
LABELS = ("mouse", "tunnel")
ANNOTATION_TYPES = ("single", "huddle", "tentative", "empty")
VISIBILITIES = ("clear", "truncated", "marginal")
TUNNEL = "tunnel"
"""The identity that stands for the tunnel in ``annotations``."""
KINDS = ("box", "hidden")
"""What a row of ``identities`` says of an animal."""
MOMENTS = ("most_confident", "least_confident", "disagreement")
"""What a stretch of a segment may be shown as in a clip."""
NOBODY = "nobody"
"""The name, in ``stretches``, of what is no animal."""
CONFIDENCE_EDGES = np.unique(
    np.concatenate(
        [np.linspace(0, 0.9, 19), *(1 - np.linspace(0.1, 0.01, 10) / 10**n for n in range(3)), [1]]
    ).round(6)
).astype(np.float32)
"""Borders of the bins of ``reliability``, ``edge[bin] <= confidence < edge[bin + 1]`` (the last bin
holds 1 as well): finer and finer towards 1, where most rows are, and all tenths are among them."""
OVERALL_METRICS = ("A_O", "IoU_O", "U_O", "FNR_O", "FPR_O")
DETECTION_METRICS = ("A_GD", "MisID_GD", "FNR_GD", "FPR_GD")
METRICS = OVERALL_METRICS + DETECTION_METRICS
"""The metrics of Section 5.3, overall and given detections, in the paper's order."""

Status = Literal["usable", "repaired", "discarded"]
_STATUSES: tuple[Status, ...] = ("usable", "repaired", "discarded")


@dataclass(frozen=True)
class Verdict:
    """What is known of a segment's fitness: ``usable``, ``repaired`` or ``discarded``, and why."""

    status: Status = "usable"
    reason: str = ""

    @property
    def discarded(self) -> bool:
        """Whether the segment is to flow through as empty tables."""
        return self.status == "discarded"

    def __or__(self, other: "Verdict") -> "Verdict":
        """Return the worse of two verdicts; at the same status the reasons are joined."""
        if self.status != other.status:
            return max(self, other, key=lambda verdict: _STATUSES.index(verdict.status))
        known = f"; {self.reason}; "
        new = other.reason if f"; {other.reason}; " not in known else ""
        return Verdict(self.status, "; ".join(part for part in (self.reason, new) if part))


@dataclass(frozen=True)
class Contract:
    """What a table must be: its schema, its key, and the values that columns may take."""

    schema: pa.Schema
    key: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    boxes: bool = False
    boxless: tuple[str, str] | None = None
    """Column and value of the rows that have no box, where all others must have one."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def _schema(*fields: tuple[str, pa.DataType, bool, str]) -> pa.Schema:
    """Build a schema from ``(name, type, nullable, unit)``; the unit is kept as field metadata."""
    return pa.schema(
        [pa.field(name, kind, nullable, {"unit": unit}) for name, kind, nullable, unit in fields]
    )


def _box_fields(nullable: bool) -> list[tuple[str, pa.DataType, bool, str]]:
    return [(name, pa.float32(), nullable, "pixels of the raw frame") for name in BOX]


_FRAME = ("frame", pa.int32(), False, "frames from the segment's start")
_SEGMENT = (("cage", pa.string(), False, "name"), ("segment", pa.string(), False, "name"))
_FRAMES = {"frame": (0, 2**31 - 1)}

_MOMENT = (
    ("kind", pa.string(), False, "most_confident, least_confident, disagreement"),
    *_SEGMENT,
    ("first_frame", pa.int32(), False, "frames from the segment's start"),
    ("last_frame", pa.int32(), False, "the same, included"),
    ("score", pa.float64(), False, "mean confidence of the least certain animal; for "
     "disagreement the share of animals whose boxes differ"),
    ("shown", pa.float64(), False, "share of animals that have a box"),
    ("motion", pa.float64(), False, "pixels a frame"),
    ("answered", pa.float64(), False, "share of frames of which every method says something"),
)  # fmt: skip

CONTRACTS: dict[str, Contract] = {
    "detections": Contract(
        _schema(
            _FRAME,
            ("detection", pa.int8(), False, "rank by score within the frame"),
            ("label", pa.string(), False, "mouse, tunnel"),
            *_box_fields(False),
            ("score", pa.float32(), False, "0 to 1"),
        ),
        key=("frame", "detection"),
        choices={"label": LABELS},
        boxes=True,
        ranges={**_FRAMES, "detection": (0, 127), "score": (0.0, 1.0)},
    ),
    "positions": Contract(
        _schema(
            _FRAME,
            ("animal", pa.string(), False, "name"),
            ("antenna", pa.int16(), True, "1-based number on the rig; null = no reading"),
            ("filled", pa.bool_(), False, "whether the reading was missing and filled in"),
        ),
        key=("frame", "animal"),
        ranges={**_FRAMES, "antenna": (1, 2**15 - 1)},
    ),
    "annotations": Contract(
        _schema(
            _FRAME,
            ("object", pa.int16(), False, "number within the frame"),
            ("type", pa.string(), False, "single, huddle, tentative; empty = nothing is visible"),
            ("identities", pa.list_(pa.string()), False, "animals, or 'tunnel'; [] if empty"),
            *_box_fields(True),
            ("visibility", pa.string(), False, "clear, truncated, marginal"),
            ("difficult", pa.bool_(), False, "hard to make out even for a human"),
        ),
        key=("frame", "object"),
        choices={"type": ANNOTATION_TYPES, "visibility": VISIBILITIES},
        boxes=True,
        boxless=("type", "empty"),
        ranges=_FRAMES,
    ),
    "tracklets": Contract(
        _schema(
            _FRAME,
            ("detection", pa.int8(), False, "as in detections"),
            ("tracklet", pa.int32(), False, "number within the segment"),
            *_box_fields(False),
        ),
        key=("frame", "detection"),
        boxes=True,
        ranges={**_FRAMES, "detection": (0, 127), "tracklet": (0, 2**31 - 1)},
    ),
    "identities": Contract(
        _schema(
            _FRAME,
            ("animal", pa.string(), False, "name"),
            ("tracklet", pa.int32(), True, "as in tracklets; null = hidden, or named by itself"),
            ("detection", pa.int8(), True, "as in detections; null = hidden"),
            *_box_fields(True),
            ("confidence", pa.float32(), True, "posterior probability; null = not estimated"),
        ),
        key=("frame", "animal"),
        boxes=True,
        ranges={**_FRAMES, "confidence": (0.0, 1.0)},
    ),
    "posteriors": Contract(
        _schema(
            ("tracklet", pa.int32(), False, "as in tracklets"),
            ("animal", pa.string(), False, "name"),
            ("probability", pa.float32(), False, "that it is the animal; the rest is nobody's"),
        ),
        key=("tracklet", "animal"),
        ranges={"tracklet": (0, 2**31 - 1), "probability": (0.0, 1.0)},
    ),
    "stretches": Contract(
        _schema(
            *_SEGMENT,
            ("first_frame", pa.int32(), False, "frames from the segment's start"),
            ("last_frame", pa.int32(), False, "the same, included"),
            ("seconds", pa.float64(), False, "length"),
            ("candidate", pa.string(), False, "likeliest animal, or 'nobody'"),
            ("probability", pa.float32(), False, "mean over the boxes of its tracklets"),
            ("other", pa.string(), False, "next likeliest animal, or 'nobody'"),
            ("other_probability", pa.float32(), False, "mean over the boxes of its tracklets"),
            ("tracklets", pa.int32(), False, "count"),
        ),
        key=("cage", "segment", "first_frame", "candidate", "other"),
        ranges={
            "first_frame": (0, 2**31 - 1),
            "last_frame": (0, 2**31 - 1),
            "probability": (0.0, 1.0),
            "other_probability": (0.0, 1.0),
        },
    ),
    "moments": Contract(
        _schema(*_MOMENT), key=("kind", "cage", "segment"), choices={"kind": MOMENTS}
    ),
    "clips": Contract(
        _schema(
            *_MOMENT,
            ("speed", pa.float64(), False, "of playing; 1 = as recorded"),
            ("methods", pa.list_(pa.string()), False, "shown, row by row"),
            ("skipped", pa.int32(), False, "segments that no clip could be made of"),
        ),
        key=("kind",),
        choices={"kind": MOMENTS},
    ),
    "transforms": Contract(
        _schema(
            ("rig", pa.string(), False, "name of the rig set-up"),
            ("prototype", pa.bool_(), False, "whether it is the frame of reference"),
            *[
                (f"m{row}{column}", pa.float64(), False, "raw pixels to reference pixels")
                for row in range(2)
                for column in range(3)
            ],
            ("fit_residual", pa.float64(), True, "pixels, root mean square over odd points"),
            ("validation_residual", pa.float64(), True, "pixels, root mean square, even points"),
        ),
        key=("rig",),
    ),
    "calibration_points": Contract(
        _schema(
            ("rig", pa.string(), False, "name of the rig set-up"),
            ("antenna", pa.int16(), False, "1-based number of the point"),
            ("x", pa.float64(), False, "pixels of the raw frame"),
            ("y", pa.float64(), False, "pixels of the raw frame"),
            ("reference_x", pa.float64(), False, "pixels of the frame of reference"),
            ("reference_y", pa.float64(), False, "pixels of the frame of reference"),
        ),
        key=("rig", "antenna"),
        ranges={"antenna": (1, 2**15 - 1)},
    ),
    "calibration_residuals": Contract(
        _schema(
            ("rig", pa.string(), False, "name of the rig set-up, mapped to the prototype"),
            ("transform", pa.string(), False, "translation, similarity, affine, homography"),
            ("used", pa.bool_(), False, "whether it is the kind that boxes are mapped by"),
            ("fit_residual", pa.float64(), True, "pixels, root mean square over odd points"),
            ("validation_residual", pa.float64(), True, "pixels, root mean square, even points"),
        ),
        key=("rig", "transform"),
        choices={"transform": ("translation", "similarity", "affine", "homography")},
    ),
    "animal_outcomes": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("snippet", pa.int16(), False, "number of the evaluated stretch within the segment"),
            _FRAME,
            ("animal", pa.string(), False, "name"),
            ("method", pa.string(), False, "identifier"),
            ("visible", pa.bool_(), False, "whether the annotation shows it"),
            ("assigned", pa.bool_(), False, "whether the method gave it a box"),
            ("iou", pa.float32(), False, "0 to 1; 0 if either box is missing"),
            ("correct", pa.bool_(), False, "covered above the threshold, or rightly hidden"),
            ("uncovered", pa.bool_(), False, "visible, but its box covers it below the threshold"),
            ("difficult", pa.bool_(), False, "as annotated"),
            ("confidence", pa.float32(), True, "as in identities"),
        ),
        key=("cage", "segment", "frame", "animal", "method"),
        ranges={**_FRAMES, "iou": (0.0, 1.0)},
    ),
    "detection_outcomes": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("snippet", pa.int16(), False, "number of the evaluated stretch within the segment"),
            _FRAME,
            ("detection", pa.int8(), False, "as in detections"),
            ("method", pa.string(), False, "identifier"),
            ("identity", pa.string(), True, "animal named by the method; null = none"),
            ("oracle", pa.string(), True, "animal that the oracle names; null = none"),
        ),
        key=("cage", "segment", "frame", "detection", "method"),
        ranges=_FRAMES,
    ),
    "summaries": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("status", pa.string(), False, "usable, repaired, discarded"),
            ("reason", pa.string(), False, "why, if not usable"),
            ("animals", pa.list_(pa.string()), False, "names, sorted"),
            ("frames", pa.int32(), False, "frames with positions"),
            ("fps", pa.float64(), False, "frames per second"),
            ("detections", pa.int32(), False, "count of mouse detections"),
            ("tracklets", pa.int32(), False, "count"),
            ("method", pa.string(), False, "identifier whose table is the answer"),
            ("identified", pa.float64(), True, "its share of frame-animals that have a box"),
            ("annotated_frames", pa.int32(), False, "count"),
            ("evaluated_frames", pa.int32(), False, "count"),
        ),
        key=("cage", "segment"),
        choices={"status": _STATUSES},
    ),
    "counts": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("snippet", pa.int16(), False, "number of the evaluated stretch within the segment"),
            ("method", pa.string(), False, "identifier"),
            ("metric", pa.string(), False, "name as in metrics.csv"),
            ("count", pa.float64(), False, "count, or sum of IoU"),
            ("normaliser", pa.int64(), False, "count"),
        ),
        key=("cage", "segment", "snippet", "method", "metric"),
        choices={"metric": METRICS},
    ),
    "reliability": Contract(
        _schema(
            *_SEGMENT,
            ("split", pa.string(), False, "Train, Validate, Test or empty"),
            ("snippet", pa.int16(), False, "number of the evaluated stretch within the segment"),
            ("method", pa.string(), False, "identifier"),
            ("kind", pa.string(), False, "box, hidden: what the rows say of the animal"),
            ("bin", pa.int16(), False, "number of the confidence's bin, from 0"),
            ("rows", pa.int64(), False, "count of animals times frames"),
            ("right", pa.int64(), False, "count of those that are correct"),
            ("confidence", pa.float64(), False, "sum over the rows"),
        ),
        key=("cage", "segment", "snippet", "method", "kind", "bin"),
        choices={"kind": KINDS},
        ranges={"bin": (0, len(CONFIDENCE_EDGES) - 2)},
    ),
    "metrics": Contract(
        _schema(
            ("split", pa.string(), False, "Train, Validate, Test, or Tune = Train + Validate"),
            ("method", pa.string(), False, "identifier"),
            ("group", pa.string(), False, "'all' or a cage"),
            ("metric", pa.string(), False, "name, Section 5.3"),
            ("count", pa.float64(), False, "count, or sum of IoU"),
            ("normaliser", pa.int64(), False, "count"),
            ("value", pa.float64(), True, "count / normaliser; null where nothing counts"),
        ),
        key=("split", "method", "group", "metric"),
        choices={"metric": METRICS},
    ),
    "detector_validation": Contract(
        _schema(
            ("split", pa.string(), False, "Train, Validate, Test"),
            ("label", pa.string(), False, "mouse, tunnel"),
            ("images", pa.int32(), False, "annotated frames"),
            ("annotations", pa.int32(), False, "boxes to find"),
            ("AP", pa.float64(), False, "average precision, mean over IoU 0.5 to 0.95 (COCO)"),
            ("AP50", pa.float64(), False, "average precision at IoU 0.5"),
            ("AP75", pa.float64(), False, "average precision at IoU 0.75"),
            ("recall", pa.float64(), False, "share of the boxes to find that are found, IoU 0.5"),
            ("precision80", pa.float64(), False, "share of the well-scored boxes right at IoU 0.8"),
        ),
        key=("split", "label"),
        choices={"label": LABELS},
    ),
    "detector_metrics": Contract(
        _schema(
            ("split", pa.string(), False, "Train, Validate, Test"),
            ("label", pa.string(), False, "mouse, tunnel"),
            ("iou", pa.float64(), False, "threshold of a match"),
            ("images", pa.int32(), False, "annotated frames"),
            ("annotations", pa.int32(), False, "boxes to find"),
            ("detections", pa.int32(), False, "boxes found"),
            ("matched", pa.int32(), False, "boxes found that match"),
            ("precision", pa.float64(), True, "matched / detections"),
            ("recall", pa.float64(), True, "matched / annotations"),
            ("average_precision", pa.float64(), True, "area under precision against recall"),
        ),
        key=("split", "label", "iou"),
        choices={"label": LABELS},
    ),
}
"""Every table of murid by name."""

_PANDAS_TYPES = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
}


def empty(name: str) -> pd.DataFrame:
    """Return the table ``name`` without rows, with the dtypes that :func:`read` gives."""
    return _to_pandas(CONTRACTS[name].schema.empty_table())


def conform(frame: pd.DataFrame, name: str, source: object = "table") -> pd.DataFrame:
    """Return ``frame`` with the columns, order of columns and dtypes of table ``name``, validated.

    Parameters
    ----------
    frame
        Any frame that has the table's columns; further columns are dropped.
    name
        The table, a key of :data:`CONTRACTS`.
    source
        Named in the error as the file at fault.

    Raises
    ------
    InputError
        If a column is missing or of the wrong type, a required value is null, a key is not unique,
        or a value lies outside its range; the error names the row.
    """
    return _to_pandas(_to_arrow(frame, name, source))


def write(frame: pd.DataFrame, path: str | Path, name: str, verdict: Verdict | None = None) -> None:
    """Validate ``frame`` as table ``name`` and write it to ``path`` with the segment's verdict.

    Raises
    ------
    InputError
        As :func:`conform`, or if the file cannot be written.
    """
    table = _to_arrow(frame, name, path)
    verdict = verdict or Verdict()
    metadata = {"murid.table": name, "murid.version": VERSION}
    metadata |= {f"murid.{key}": value for key, value in asdict(verdict).items()}
    table = table.replace_schema_metadata(metadata)
    floats = [column.name for column in table.schema if pa.types.is_floating(column.type)]
    strings = [
        column.name
        for column in table.schema
        if pa.types.is_string(column.type) or pa.types.is_integer(column.type)
    ]
    with replacing(path) as temporary:
        pq.write_table(
            table,
            temporary,
            compression="zstd",
            compression_level=3,
            row_group_size=ROW_GROUP,
            use_dictionary=[column for column in strings if column not in ("frame", "tracklet")],
            column_encoding=dict.fromkeys(floats, "BYTE_STREAM_SPLIT"),
        )


def read(path: str | Path, name: str, frames: tuple[int, int] | None = None) -> pd.DataFrame:
    """Read table ``name`` from ``path``, validated.

    Columns that may be null come as pandas' nullable integers; boxes as float32 with NaN; lists as
    tuples.

    Parameters
    ----------
    path
        A Parquet file written by :func:`write`, or by another tool in the same columns.
    name
        The table, a key of :data:`CONTRACTS`.
    frames
        If given, only rows with ``frames[0] <= frame < frames[1]`` are read.

    Raises
    ------
    InputError
        If the file is missing, is no Parquet file, or does not fulfil the contract.
    """
    metadata = _metadata(path)
    stored = metadata.get("murid.table", name)
    if stored != name:
        raise InputError(path, f"a table of {stored}", f"a table of {name}")
    if metadata.get("murid.version", VERSION) != VERSION:
        raise InputError(
            path,
            f"version {metadata['murid.version']} of the table {name}",
            f"version {VERSION}",
            remedy="Remove the file and run again.",
        )
    filters = None
    if frames is not None:
        filters = [("frame", ">=", frames[0]), ("frame", "<", frames[1])]
    table = pq.read_table(path, filters=filters)
    return _to_pandas(_to_arrow(table, name, path))


def read_verdict(*paths: str | Path) -> Verdict:
    """Return the worst of the verdicts that the tables at ``paths`` carry."""
    verdict = Verdict()
    for path in paths:
        metadata = _metadata(path)
        verdict |= Verdict(
            metadata.get("murid.status", "usable"),  # type: ignore[arg-type]
            metadata.get("murid.reason", ""),
        )
    return verdict


def _metadata(path: str | Path) -> dict[str, str]:
    try:
        raw = pq.read_schema(path).metadata or {}
    except FileNotFoundError as error:
        raise InputError(path, "no file", "a Parquet table") from error
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(path, f"no readable Parquet ({error})", "a Parquet table") from error
    return {key.decode(): value.decode() for key, value in raw.items() if key.startswith(b"murid.")}


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    nullable = {column.name for column in table.schema if column.nullable}
    frame = table.to_pandas(types_mapper=None, integer_object_nulls=False, ignore_metadata=True)
    for column in table.schema:
        if column.name in nullable and column.type in _PANDAS_TYPES:
            values = table[column.name].to_pandas(types_mapper=_PANDAS_TYPES.get)
            frame[column.name] = values
        elif pa.types.is_list(column.type):
            items = [
                None if item is None else tuple(item) for item in table[column.name].to_pylist()
            ]
            frame[column.name] = pd.Series(items, dtype=object)
    return frame


def _to_arrow(data: pd.DataFrame | pa.Table, name: str, source: object) -> pa.Table:
    contract = CONTRACTS[name]
    names = data.column_names if isinstance(data, pa.Table) else list(data.columns)
    missing = [column for column in contract.schema.names if column not in names]
    if missing:
        raise InputError(
            source,
            f"the columns {', '.join(map(str, names)) or '(none)'}",
            f"a table of {name} with the columns {', '.join(contract.schema.names)}",
            where=f"column {missing[0]}",
        )
    arrays = []
    for column in contract.schema:
        try:
            if isinstance(data, pa.Table):
                array = data[column.name].combine_chunks().cast(column.type)
            else:
                array = pa.Array.from_pandas(data[column.name], type=column.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise InputError(
                source,
                f"values that do not fit ({error})",
                f"{column.type}",
                where=f"column {column.name}",
            ) from error
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if not column.nullable and array.null_count:
            row = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
            raise InputError(
                source,
                "no value",
                f"{column.type}, {column.metadata[b'unit'].decode()}",
                where=f"column {column.name}, row {row}",
            )
        arrays.append(array)
    table = pa.Table.from_arrays(arrays, schema=contract.schema)
    _check_values(table, contract, source)
    return table


def _check_values(table: pa.Table, contract: Contract, source: object) -> None:
    for column, allowed in contract.choices.items():
        values = table[column].to_pandas()
        wrong = ~values.isin(allowed)
        _refuse_first(table, wrong.to_numpy(), column, source, f"one of {', '.join(allowed)}")
    for column, (low, high) in contract.ranges.items():
        values = table[column].to_numpy(zero_copy_only=False).astype(np.float64)
        wrong = (values < low) | (values > high)
        if not contract.schema.field(column).nullable:
            wrong |= ~np.isfinite(values)
        _refuse_first(table, wrong, column, source, f"a value from {low} to {high}")
    if contract.boxes:
        _check_boxes(table, contract, source)
    if len(table) and set(contract.key) <= set(table.column_names):
        key = table.select(contract.key).to_pandas()
        wrong = key.duplicated().to_numpy()
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            place = ", ".join(f"{column} {key.iloc[row][column]}" for column in contract.key)
            raise InputError(source, f"{place} a second time", "each once", where=f"row {row}")


def _check_boxes(table: pa.Table, contract: Contract, source: object) -> None:
    boxes = np.column_stack(
        [table[column].to_numpy(zero_copy_only=False) for column in BOX]
    ).reshape(-1, 4)
    finite = np.isfinite(boxes)
    whole = finite.all(axis=1)
    wrong = ~whole
    if contract.boxless:
        column, value = contract.boxless
        wrong = whole == (table[column].to_pandas() == value).to_numpy(dtype=bool)
    elif contract.schema.field("x").nullable:
        wrong &= finite.any(axis=1)
    with np.errstate(invalid="ignore"):
        wrong |= whole & ((boxes[:, 2] <= 0) | (boxes[:, 3] <= 0))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        frame = table["frame"][row].as_py()
        raise InputError(
            source,
            f"the box {', '.join(f'{value:g}' for value in boxes[row])}",
            "finite x, y and w, h above 0",
            where=f"row {row} (frame {frame})",
        )


def _refuse_first(
    table: pa.Table, wrong: np.ndarray, column: str, source: object, expected: str
) -> None:
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            source, f"{table[column][row].as_py()!r}", expected, where=f"column {column}, row {row}"
        )


def concatenate(frames: Iterable[pd.DataFrame], name: str) -> pd.DataFrame:
    """Stack tables of the kind ``name``; with none, the empty table."""
    frames = [frame for frame in frames if len(frame)]
    return pd.concat(frames, ignore_index=True) if frames else empty(name)


def to_csv(frame: pd.DataFrame) -> str:
    """Return a table as CSV, with enough digits to tell its values, and few enough to hide noise.

    Examples
    --------
    >>> to_csv(pd.DataFrame({"a": np.array([0.9], dtype=np.float32), "b": [1 / 3]}))
    'a,b\\n0.9,0.333333333333\\n'
    """
    singles = {
        name: [float(f"{value:.6g}") for value in frame[name]]
        for name in frame.select_dtypes("float32")
    }
    return frame.assign(**singles).to_csv(index=False, float_format="%.12g", lineterminator="\n")


def read_matrices(path: str | Path, rigs: Iterable[str]) -> dict[str, np.ndarray]:
    """Read the table ``transforms`` as a (2, 3) float64 matrix, raw to reference pixels, by rig.

    Raises
    ------
    InputError
        If one of ``rigs`` has no transform, or as :func:`read`.
    """
    frame = read(path, "transforms")
    values = frame[[f"m{row}{column}" for row in range(2) for column in range(3)]].to_numpy()
    matrices = dict(zip(frame["rig"], values.reshape(-1, 2, 3), strict=True))
    for rig in rigs:
        if rig not in matrices:
            known = ", ".join(matrices) or "(none)"
            raise InputError(
                path, f"transforms of {known}", f"also one of the rig set-up {rig!r}",
                remedy="Add its calibration points.",
            )  # fmt: skip
    return matrices
