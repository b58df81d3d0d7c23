"""One segment: outcomes of every method in its evaluated frames, and a summary."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from murid import tables, timeline
from murid.evaluate.outcomes import ORACLE, animal_outcomes, detection_outcomes
from murid.identify.registry import require
from murid.timeline import ANNOTATED, FRAMES, MISSING
from murid.truth import evaluated_frames, ground_truth

if TYPE_CHECKING:
    from murid.evaluate.stage import Evaluate


AGREEMENT = ("compared", "alike", "expected_alike")
"""Columns of ``summaries`` that tell whether names are what people said."""


def evaluate(stage: "Evaluate") -> None:
    """Evaluate a segment and write its outcomes and its summary.

    Raises
    ------
    InputError
        If the default method or, with frames to evaluate, the oracle is not among the methods,
        annotations or identities contradict the other tables, or a table does not fulfil its
        contract.
    """
    identities = dict(stage.identities)
    require(stage.default, identities)
    verdict = tables.read_verdict(
        stage.detections, stage.tracklets, stage.positions, stage.annotations,
        *identities.values(),
    )  # fmt: skip
    detections = tables.read(stage.detections, "detections")
    marks = tables.read(stage.annotations, "annotations")
    trace = tables.read(stage.positions, "positions")
    about = tables.read_about(stage.positions)
    named = {method: tables.read(path, "identities") for method, path in identities.items()}
    animals = sorted(trace["animal"].unique())

    frames = evaluated_frames(marks, stage.fps, stage.evaluate)
    if stage.corrections:
        # What people said of a frame is no merit of the method that obeys it.
        answered = tables.read(stage.corrections, "corrections")["frame"]
        frames = frames[~frames["frame"].isin(answered)].reset_index(drop=True)
    if verdict.discarded:
        frames = frames.iloc[:0]
    if len(frames):
        require(ORACLE, identities)
    truth = ground_truth(marks, frames["frame"].to_numpy(), animals, stage.annotations)
    by_animal = animal_outcomes(frames, animals, truth, named, stage.evaluate)
    by_detection = tables.empty("detection_outcomes")
    if len(frames):
        by_detection = detection_outcomes(frames, detections, named)
    annotated = marks["frame"].nunique()
    if verdict.discarded:
        annotated = annotated or _checked(about, ANNOTATED) or 0
    labels = {"cage": stage.cage, "segment": stage.segment, "split": stage.split}
    summary = {
        **dict.fromkeys(AGREEMENT),
        **labels,
        "status": verdict.status,
        "reason": verdict.reason,
        "animals": tuple(animals),
        "frames": trace["frame"].nunique() or _checked(about, FRAMES) or 0,
        "fps": stage.fps,
        "detections": int((detections["label"] == "mouse").sum()),
        "tracklets": tables.read(stage.tracklets, "tracklets")["tracklet"].nunique(),
        "method": stage.default,
        "identified": share_identified(named[stage.default], trace),
        **_confidence(named[stage.default]),
        "unread": float(trace["antenna"].isna().mean()) if len(trace) else None,
        "missing_frames": _checked(about, MISSING),
        "begins": timeline.began(about),
        "annotated_frames": annotated,
        "evaluated_frames": len(frames),
        **_agreement(by_animal, by_detection, stage.default),
    }
    by_animal, by_detection = by_animal.assign(**labels), by_detection.assign(**labels)
    tables.write(by_animal, stage.output_animals, "animal_outcomes", verdict)
    tables.write(by_detection, stage.output_detections, "detection_outcomes", verdict)
    tables.write(pd.DataFrame([summary]), stage.output_summary, "summaries", verdict)


def _checked(about: Mapping[str, str], what: str) -> int | None:
    """Return how many frames of a kind a segment has by what the check found, if it told."""
    count = about.get(what, "")
    return int(count) if count.isascii() and count.isdigit() and len(count) < 10 else None


def _confidence(identities: pd.DataFrame) -> dict[str, Any]:
    """Return mean and median of how probable the names of boxes are; None if nobody estimated."""
    sure = identities.loc[identities["x"].notna(), "confidence"].dropna().astype("float64")
    names = {"confidence": sure.mean(), "median_confidence": sure.median()}
    return {name: float(value) if len(sure) else None for name, value in names.items()}


def _agreement(
    by_animal: pd.DataFrame, by_detection: pd.DataFrame, method: str
) -> dict[str, float | None]:
    """Count the boxes that people and a method name, and those named alike; None of no boxes."""
    boxes = by_detection[by_detection["method"] == method].dropna(subset=["identity", "oracle"])
    if boxes.empty:
        return {}
    sure = by_animal.loc[by_animal["method"] == method, ["frame", "animal", "confidence"]]
    boxes = boxes.merge(sure.rename(columns={"animal": "identity"}), on=["frame", "identity"])
    return {
        "compared": len(boxes),
        "alike": int((boxes["identity"] == boxes["oracle"]).sum()),
        "expected_alike": float(boxes["confidence"].astype("float64").sum(skipna=False)),
    }


def share_identified(identities: pd.DataFrame, positions: pd.DataFrame) -> float | None:
    """Return the share of a segment's frames and animals that have a box; None without any."""
    total = len(positions)
    return int(identities["x"].notna().sum()) / total if total else None
