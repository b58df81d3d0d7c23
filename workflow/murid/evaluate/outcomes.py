"""What each method got right: one row a frame and animal, and one a frame and detection."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from murid import boxes, schemas, tables
from murid.errors import InputError
from murid.identify.registry import ORACLE
from murid.settings import Evaluate

_TRUTH = ["true_x", "true_y", "true_w", "true_h"]


def animal_outcomes(
    frames: pd.DataFrame,
    animals: Sequence[str],
    truth: pd.DataFrame,
    identities: Mapping[str, pd.DataFrame],
    settings: Evaluate,
) -> pd.DataFrame:
    """Compare every animal's box with its annotation in every evaluated frame (Sect. 5.3).

    Parameters
    ----------
    frames
        Columns ``frame``, ``snippet``.
    animals
        The animals of the segment; one that has no row in ``truth`` is hidden.
    truth
        Columns ``frame``, ``animal``, ``x``, ``y``, ``w``, ``h``, ``difficult``.
    identities
        The table ``identities`` of each method; a frame and animal without a row is hidden.
    settings
        The IoU above which a box covers an annotation.

    Returns
    -------
    Columns of the table ``animal_outcomes`` but ``cage``, ``segment`` and ``split``. ``correct`` is
    Delta of Eq. 6 (IoU *above* the threshold), ``uncovered`` the summand of U_O (IoU *below* it).
    """
    grid = frames.merge(pd.DataFrame({"animal": sorted(animals)}, dtype=object), how="cross")
    truth = truth.rename(columns=dict(zip(schemas.BOX, _TRUTH, strict=True)))
    grid = grid.merge(truth, how="left", on=["frame", "animal"])
    visible = grid["true_x"].notna().to_numpy()
    difficult = grid["difficult"].eq(True).to_numpy(dtype=bool)
    threshold = np.where(difficult, settings.iou_difficult, settings.iou)
    parts = []
    for method, table in identities.items():
        given = grid[["frame", "animal"]].merge(table, how="left", on=["frame", "animal"])
        assigned = given["x"].notna().to_numpy()
        both = visible & assigned
        iou = np.zeros(len(grid))
        iou[both] = boxes.paired_iou(given.loc[both, schemas.BOX], grid.loc[both, _TRUTH])
        parts.append(
            grid[["snippet", "frame", "animal"]].assign(
                method=method,
                visible=visible,
                assigned=assigned,
                iou=iou.astype(np.float32),
                correct=np.where(visible, iou > threshold, ~assigned),
                uncovered=both & (iou < threshold),
                difficult=difficult,
                confidence=given["confidence"].to_numpy(dtype=np.float32, na_value=np.nan),
            )
        )
    return pd.concat(parts, ignore_index=True)


def detection_outcomes(
    frames: pd.DataFrame, detections: pd.DataFrame, identities: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Compare the name of every mouse detection with the oracle's (Sect. 5.3, given detections).

    Parameters
    ----------
    frames
        Columns ``frame``, ``snippet``.
    detections
        The table ``detections``; all rows labelled mouse count.
    identities
        The table ``identities`` of each method, among them ``oracle``, which is compared with but
        not judged. A method whose boxes are no detections (a visual tracker's) is not judged.

    Returns
    -------
    Columns of the table ``detection_outcomes`` but ``cage``, ``segment`` and ``split``.

    Raises
    ------
    InputError
        If a method names one detection twice, or one that is no mouse detection of the frame.
    """
    mice = detections.loc[detections["label"] == "mouse", ["frame", "detection"]]
    mice = mice.merge(frames, on="frame").sort_values(["frame", "detection"], ignore_index=True)
    oracle = _names(ORACLE, identities[ORACLE], mice)
    parts = [
        mice[["snippet", "frame", "detection"]].assign(
            method=method, identity=_names(method, table, mice), oracle=oracle
        )
        for method, table in identities.items()
        if method != ORACLE and _names_detections(table)
    ]
    if not parts:
        return tables.empty("detection_outcomes").drop(columns=["cage", "segment", "split"])
    return pd.concat(parts, ignore_index=True)


def _names_detections(table: pd.DataFrame) -> bool:
    return bool(table["detection"].notna().any() or table["x"].isna().all())


def _names(method: str, table: pd.DataFrame, mice: pd.DataFrame) -> np.ndarray:
    """Return the animal that ``method`` names each row of ``mice``, None where it names none."""
    named = table.loc[table["detection"].notna(), ["frame", "detection", "animal"]]
    named = named[named["frame"].isin(mice["frame"])]
    key = ["frame", "detection"]
    named = named.astype(dict.fromkeys(key, np.int64))
    wrong = named.duplicated(key).to_numpy()
    expected = "each detection named at most once"
    if not wrong.any():
        wrong = ~pd.MultiIndex.from_frame(named[key]).isin(pd.MultiIndex.from_frame(mice[key]))
        expected = "a mouse detection of that frame"
    if wrong.any():
        row = named[wrong].iloc[0]
        raise InputError(
            f"identities of {method}", f"detection {row['detection']} for {row['animal']!r}",
            expected, where=f"frame {row['frame']}",
        )  # fmt: skip
    names = mice[key].astype(np.int64).merge(named, how="left", on=key)["animal"]
    return names.astype(object).where(names.notna(), None).to_numpy()
