"""One segment: outcomes of every method in its evaluated frames, and a summary."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from murid import tables
from murid.errors import InputError
from murid.evaluate.outcomes import ORACLE, animal_outcomes, detection_outcomes
from murid.settings import Evaluate
from murid.truth import evaluated_frames, ground_truth

_LABELS = ["cage", "segment", "split"]


def run(
    labels: Mapping[str, str],
    fps: float,
    detections: Path,
    tracklets: Path,
    positions: Path,
    annotations: Path,
    identities: Mapping[str, Path],
    default: str,
    output_animals: Path,
    output_detections: Path,
    output_summary: Path,
    settings: Evaluate,
) -> None:
    """Evaluate a segment and write its outcomes and its summary.

    Parameters
    ----------
    labels
        ``cage``, ``segment`` and ``split`` (empty if it belongs to none).
    fps
        Frames per second.
    detections, tracklets, positions, annotations
        The segment's tables; annotations may be empty.
    identities
        The table ``identities`` of each method, among them ``default``, and ``oracle`` if there are
        frames to evaluate.
    default
        The method whose table is the pipeline's answer.
    output_animals, output_detections, output_summary
        Where ``animal_outcomes``, ``detection_outcomes`` and ``summaries`` (one row) go.
    settings
        What counts.

    Raises
    ------
    InputError
        If ``default`` or, with frames to evaluate, ``oracle`` is not among the methods, annotations
        or identities contradict the other tables, or a table does not fulfil its contract.
    """
    _require(default, identities)
    verdict = tables.read_verdict(
        detections, tracklets, positions, annotations, *identities.values()
    )
    found = tables.read(detections, "detections")
    marks = tables.read(annotations, "annotations")
    trace = tables.read(positions, "positions")
    named = {method: tables.read(path, "identities") for method, path in identities.items()}
    animals = sorted(trace["animal"].unique())

    frames = evaluated_frames(marks, fps, settings)
    if verdict.discarded:
        frames = frames.iloc[:0]
    if len(frames):
        _require(ORACLE, identities)
    truth = ground_truth(marks, frames["frame"].to_numpy(), animals, annotations)
    by_animal = animal_outcomes(frames, animals, truth, named, settings)
    by_detection = (
        detection_outcomes(frames, found, named)
        if len(frames)
        else tables.empty("detection_outcomes")
    )
    summary = {
        **labels,
        "status": verdict.status,
        "reason": verdict.reason,
        "animals": tuple(animals),
        "frames": trace["frame"].nunique() or _found(positions),
        "fps": fps,
        "detections": int((found["label"] == "mouse").sum()),
        "tracklets": tables.read(tracklets, "tracklets")["tracklet"].nunique(),
        "method": default,
        "identified": share_identified(named[default], trace),
        "annotated_frames": marks["frame"].nunique(),
        "evaluated_frames": len(frames),
    }
    tables.write(_label(by_animal, labels), output_animals, "animal_outcomes", verdict)
    tables.write(_label(by_detection, labels), output_detections, "detection_outcomes", verdict)
    tables.write(pd.DataFrame([summary]), output_summary, "summaries", verdict)


def _require(method: str, identities: Mapping[str, Path]) -> None:
    if method not in identities:
        raise InputError(
            "identities", f"the methods {', '.join(identities) or '(none)'}", f"also {method}"
        )


def _found(positions: Path) -> int:
    """Return how many frames a segment without positions has, by what the check found."""
    count = tables.read_about(positions).get("frames", "0")
    return int(count) if count.isascii() and count.isdigit() and len(count) < 10 else 0


def share_identified(identities: pd.DataFrame, positions: pd.DataFrame) -> float | None:
    """Return the share of a segment's frames and animals that have a box; None without any."""
    total = len(positions)
    return int(identities["x"].notna().sum()) / total if total else None


def _label(outcomes: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    return outcomes.assign(**{name: labels[name] for name in _LABELS})
