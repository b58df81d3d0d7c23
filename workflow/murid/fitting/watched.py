"""Boxes and readings of frames that nobody annotated."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from murid import timeline
from murid.grid import Antennas
from murid.identify.evidence import reference_boxes
from murid.segment import Segment

STEP = 2.0
"""Seconds between the frames that are learnt from."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Seen:
    """Frames of several segments, of which there are N, with B boxes and J animals at most.

    Attributes
    ----------
    boxes
        (N, B, 4) in the frame of reference, centroid first; NaN where there are fewer.
    segment, frame, time
        (N,) place of the segment, number of the frame, and seconds.
    """

    boxes: Floats
    segment: Ints
    frame: Ints
    time: Floats


def look(segments: Sequence[Segment]) -> Seen:
    """Take the boxes of mice from a frame every two seconds of several segments.

    Frames without a box are left out: nobody may have looked.
    """
    parts = []
    most = 1
    for number, segment in enumerate(segments):
        frames = np.unique(segment.mice["frame"].to_numpy(dtype=np.int64))
        frames = frames[frames <= segment.positions["frame"].max()]
        bins = (frames / (STEP * segment.fps)).astype(np.int64)
        chosen = frames[np.unique(bins, return_index=True)[1]]
        mice = segment.mice[segment.mice["frame"].isin(chosen)]
        place = mice.groupby("frame").cumcount().to_numpy()
        row = np.searchsorted(chosen, mice["frame"].to_numpy())
        parts.append((number, segment, chosen, row, place, reference_boxes(mice, segment.matrix)))
        most = max(most, int(place.max(initial=0)) + 1)
    boxes, which, frame, time = [], [], [], []
    for number, segment, chosen, row, place, seen in parts:
        table = np.full((len(chosen), most, 4), np.nan)
        table[row, place] = seen
        boxes.append(table)
        which.append(np.full(len(chosen), number))
        frame.append(chosen)
        time.append(chosen / segment.fps)
    return Seen(*(np.concatenate(part) for part in (boxes, which, frame, time)))


def readings(segments: Sequence[Segment], seen: Seen, grid: Antennas, seconds: float) -> Ints:
    """Return the antennas of the animals in each frame, put right by a lag: (N, J), 0 = none."""
    traces = [
        timeline.advance(
            timeline.trace(segment.positions, grid).to_numpy(dtype=np.int64),
            round(seconds * segment.fps),
        )
        for segment in segments
    ]
    antennas = np.zeros((len(seen.frame), max(trace.shape[1] for trace in traces)), dtype=np.int64)
    for number, trace in enumerate(traces):
        here = seen.segment == number
        antennas[here, : trace.shape[1]] = trace[seen.frame[here]]
    return antennas
