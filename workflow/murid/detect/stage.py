"""A segment's detections by the detector, if there is a segment to look at."""

from pathlib import Path

import pandas as pd

from murid import contracts, tables
from murid import video as videos
from murid.detect.foreign import FEW_FRAMES, judge_stretches
from murid.detect.select import for_cage, select
from murid.settings import Detect, Image
from murid.tables import Verdict


def run(
    video: Path,
    detector: Path,
    positions: Path,
    transforms: Path,
    rig: str,
    fps: float,
    frame_tolerance: int,
    output: Path,
    settings: Detect,
    image: Image,
) -> None:
    """Detect animals and tunnel in a segment's video.

    Parameters
    ----------
    video, detector, positions, transforms
        Video, trained detector, and tables to read.
    rig
        The segment's rig set-up.
    fps
        Frames per second of the segment.
    frame_tolerance
        Frames by which video and positions may differ in length.
    output
        Table of detections to write. A video of which nothing decodes, or that is of another length
        than the positions, more animals than boxes that may be kept, or a rig that could not be
        calibrated discard the segment, and so does a video in which nothing is found
        (:func:`judge_found`); the table then carries the reason. Frames that are missing, or that
        ``stride`` passes over, have no detections.
    settings
        What to keep, and how to run.
    image
        The frame of reference; a video of another size says so.

    Raises
    ------
    InputError
        If the detector or a table cannot be read, or nothing is known of the rig.
    """
    verdict = tables.read_segment_verdict(transforms, rig, positions)
    trace = tables.read(positions, "positions")
    settings, enough = for_cage(settings, trace)
    verdict |= enough
    if verdict.discarded:
        tables.write(tables.empty("detections"), output, "detections", verdict)
        return
    frames = trace["frame"]
    length = int(frames.max()) + 1 if len(frames) else 0
    matrix = tables.read_matrices(transforms, [rig])[rig]
    # Torch takes seconds and half a gigabyte: not where nothing is looked at.
    from murid.detect.infer import watch

    found, footage, said = watch(video, detector, length, frame_tolerance, fps, settings)
    verdict |= said
    if footage and footage.size:
        verdict |= videos.judge_size(footage.size, matrix, (image.width, image.height))
    if verdict.discarded:
        kept = tables.empty("detections")
    else:
        kept = select(found, matrix, settings)
        kept = kept[kept["frame"].isin(frames.unique())]
        verdict |= judge_found(len(found), kept, min(length, footage.length), settings)
    tables.write(kept, output, "detections", verdict)


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
    mice = kept[kept["label"] == contracts.LABELS[0]]
    if mice.empty:
        return Verdict(
            "discarded", f"the detector finds no mouse in {looked:,} frames, only tunnels"
        )
    verdict = judge_stretches(mice["frame"].to_numpy(), frames, most=1.0)
    found = mice["frame"].nunique()
    if not verdict.reason and found < FEW_FRAMES * looked:
        reason = f"the detector finds boxes in {found:,} of {looked:,} frames only"
        verdict = Verdict("repaired", f"{reason} (detect.score {settings.score:g})")
    return verdict
