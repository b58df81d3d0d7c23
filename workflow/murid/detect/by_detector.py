"""A segment's detections by the detector, if there is a segment to look at."""

from typing import TYPE_CHECKING

import pandas as pd

from murid import rigs, schemas, tables
from murid import video as videos
from murid.detect.foreign import FEW_FRAMES, judge_stretches
from murid.detect.select import for_cage, select
from murid.settings import Detect
from murid.tables import Verdict

if TYPE_CHECKING:
    from murid.detect.stage import Detect as Stage


def find(stage: "Stage") -> tuple[pd.DataFrame, Verdict]:
    """Detect animals and tunnel in a segment's video.

    Returns
    -------
    The table ``detections``, and its verdict. A video of which nothing decodes, or that is of
    another length than the positions, more animals than boxes that may be kept, or a rig that could
    not be calibrated discard the segment, and so does a video in which nothing is found
    (:func:`judge_found`). Frames that are missing, or that ``stride`` passes over, have no
    detections.

    Raises
    ------
    InputError
        If the detector or a table cannot be read, or nothing is known of the rig.
    """
    verdict = rigs.read_segment_verdict(stage.transforms, stage.rig, stage.positions)
    trace = tables.read(stage.positions, "positions")
    settings, enough = for_cage(stage.detect, trace)
    verdict |= enough
    if verdict.discarded:
        return tables.empty("detections"), verdict
    frames = trace["frame"]
    length = int(frames.max()) + 1 if len(frames) else 0
    matrix = rigs.read_matrices(stage.transforms, [stage.rig])[stage.rig]
    # Torch takes seconds and half a gigabyte: not where nothing is looked at.
    from murid.detect.infer import watch
    from murid.detect.loaded import load

    detector = load(stage.detector, settings.device, stage.onnx, settings.half, settings.compile)
    boxes, footage, watched = watch(
        stage.video, detector, length, stage.frame_tolerance, stage.fps, settings, stage.part
    )
    verdict |= watched
    if footage and footage.size:
        size = stage.image.width, stage.image.height
        verdict |= videos.judge_size(footage.size, matrix, size)
    if footage is None or verdict.discarded:
        return tables.empty("detections"), verdict
    kept = select(boxes, matrix, settings)
    kept = kept[kept["frame"].isin(frames.unique())]
    verdict |= judge_found(len(boxes), kept, min(length, footage.length), settings)
    return kept, verdict


def judge_found(boxes: int, kept: pd.DataFrame, frames: int, settings: Detect) -> Verdict:
    """Judge how much the detector finds, as boxes by others are judged.

    Parameters
    ----------
    boxes
        How many scored enough.
    kept
        The table ``detections`` of what the filters leave.
    frames
        Number of frames that the video has of the segment.
    settings
        What to keep; only every ``stride``-th frame was looked at.

    Returns
    -------
    ``discarded`` without a box; ``repaired`` if a long stretch, or most frames, have none.
    """
    looked = len(range(0, frames, settings.stride))
    if kept.empty:
        lost = f", after detect.hopper and detect.max_mice took {boxes:,}" if boxes else ""
        return Verdict(
            "discarded",
            f"the detector finds no boxes at all in {looked:,} frames (detect.score "
            f"{settings.score:g}){lost}: nobody could be named. Look at what it was trained on",
        )
    mice = kept[kept["label"] == schemas.LABELS[0]]
    if mice.empty:
        return Verdict(
            "discarded", f"the detector finds no mouse in {looked:,} frames, only tunnels"
        )
    verdict = judge_stretches(mice["frame"].to_numpy(), frames, most=1.0)
    boxed = mice["frame"].nunique()
    if not verdict.reason and boxed < FEW_FRAMES * looked:
        reason = f"the detector finds boxes in {boxed:,} of {looked:,} frames only"
        verdict = Verdict("repaired", f"{reason} (detect.score {settings.score:g})")
    return verdict
