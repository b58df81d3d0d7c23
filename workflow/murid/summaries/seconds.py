"""The table of seconds: where each animal was, by the best answer."""

from datetime import datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import tables
from murid.summaries import periods as period
from murid.summaries.courses import Course
from murid.summaries.figures import followed_enough
from murid.summaries.known import Floats, Ints, Known
from murid.summaries.measures import Measured, Way
from murid.summaries.periods import Periods, means


def table(
    known: Known, course: Course, measured: Measured, way: Way, zones: list[str],
    begin: datetime | None,
) -> pd.DataFrame:  # fmt: skip
    """Return the table ``seconds``.

    Parameters
    ----------
    known
        What is known of the segment.
    course, measured, way
        The best answer, and what is measured of it.
    zones
        Names, in the order in which they were measured.
    begin
        When frame 0 was taken, if it is known.
    """
    if not known.animals:
        return tables.empty("seconds")
    periods = period.of("second", len(known.boxes), known.fps, begin)
    seen, there = periods.sums(course.seen), periods.sums(course.known)
    centres = means(
        periods.sums(np.nan_to_num(course.centres)),
        np.broadcast_to(there[..., None], (*there.shape, 2)),
    )
    heights = means(periods.sums(np.nan_to_num(course.boxes[..., 3])), seen)
    enough = followed_enough(measured, periods)[1]
    gone = np.where(enough, periods.sums(way.counted), np.nan)
    in_cm = np.where(enough, periods.sums(way.counted * way.scale), np.nan)
    inside = periods.sums(measured.inside > 0.5)
    frames = periods.frames
    parts = [
        pd.DataFrame(
            {
                "second": periods.start, "time": periods.times, "animal": animal, "frames": frames,
                "seen": seen[:, place] / frames,
                "inferred": (there - seen)[:, place] / frames,
                "unknown": 1 - there[:, place] / frames,
                "x": centres[:, place, 0], "y": centres[:, place, 1],
                "antenna": _most_read(known.read[:, place], periods),
                "distance": gone[:, place], "distance_cm": in_cm[:, place],
                "height": heights[:, place], "zone": _longest(inside[:, place], zones),
            }
        )
        for place, animal in enumerate(known.animals)
    ]  # fmt: skip
    return pd.concat(parts).sort_values(["second", "animal"], ignore_index=True)


def _most_read(read: Ints, periods: Periods) -> pd.Series:
    """Return the antenna that reads an animal most in each second, null where none does."""
    counts = np.stack(
        [periods.sums(read == antenna) for antenna in range(1, int(read.max(initial=1)) + 1)],
        axis=1,
    )
    antennas = pd.Series(counts.argmax(axis=1) + 1, dtype="Int16")
    return antennas.where(counts.max(axis=1) > 0)


def _longest(inside: Floats, zones: list[str]) -> NDArray[np.object_]:
    """Return the zone in which an animal is longest: (B, Z) frames -> (B,) names."""
    named = np.array([*zones, ""], dtype=object)
    if not zones:
        return np.full(len(inside), "", dtype=object)
    return named[np.where(inside.max(axis=1) > 0, inside.argmax(axis=1), -1)]
