"""The tracks of a segment's animals: their sure boxes, and readings put right."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from murid import timeline
from murid.boxes import centroids_and_sizes, transform
from murid.errors import InputError
from murid.identify.fit_check import Fit
from murid.models.fitted_weights import Affinity
from murid.places.hypotheses import Floats, Ints
from murid.places.track import Antennas, Moments, Scale, Track, usual
from murid.schemas import BOX
from murid.segment import Segment
from murid.timeline import advance

SURE = 0.9
"""Probability of a name from which on its box says where the animal is."""


@dataclass(frozen=True)
class Tracks:
    """The animals of a segment.

    Attributes
    ----------
    animals
        (J,) names.
    each
        Their tracks.
    moments
        What is seen of them by antenna, and what was known before.
    tail
        Of the model of a box given an antenna.
    scale
        Spans and pixels.
    """

    animals: list[str]
    each: list[Track]
    moments: Moments
    tail: float
    scale: Scale

    def antennas(self, without: Moments | None = None) -> Antennas:
        """Return where animals are by antenna, as if some of what is seen had not been."""
        return Antennas(*(self.moments - without if without else self.moments).places(), self.tail)


def moments_of(track: Track, frames: Ints, antennas: int) -> Moments:
    """Return what is seen of an animal at some frames, by antenna."""
    return Moments.of(track.places[frames], track.read[frames], antennas)


def gather(
    segment: Segment, identities: pd.DataFrame, affinity: Affinity, fit: Fit, fps: float
) -> Tracks:
    """Gather what is known of where animals are.

    Parameters
    ----------
    segment
        Its positions and rig set-up.
    identities
        The table of a method.
    affinity
        The model of readings put right by the lag.
    fit
        How the trace fits the boxes.
    fps
        Frames per second.

    Raises
    ------
    InputError
        If the identities are of another number of frames or of other animals than the positions.
    """
    wide = timeline.trace(segment.positions, affinity.grid)
    antennas = fit.realign(wide.to_numpy(dtype=np.int64), fps)
    antennas = advance(antennas, affinity.lag_frames(segment.rig, fps))
    animals = [str(animal) for animal in wide.columns]
    _check(identities, animals, len(wide))
    scale = Scale.of(affinity)
    places = np.full((*antennas.shape, 2), np.nan)
    sure = identities["x"].notna() & ~(identities["confidence"] < SURE)
    named = identities[sure & identities["animal"].isin(animals)]
    column = pd.Index(animals).get_indexer(named["animal"])
    places[named["frame"].to_numpy(), column] = centres(named, segment.matrix, scale)
    each = [Track(places[:, place], antennas[:, place], fps) for place in range(len(animals))]
    seen = usual(affinity, scale)
    for track in each:
        seen += moments_of(track, track.sampled(0, len(antennas)), affinity.grid.size)
    return Tracks(animals, each, seen, affinity.tail, scale)


def _check(identities: pd.DataFrame, animals: list[str], frames: int) -> None:
    """Refuse identities that are not a row for each frame and animal that positions have."""
    found = sorted(identities["animal"].unique().tolist()), int(identities["frame"].nunique())
    if found != (sorted(animals), frames):
        raise InputError(
            "identities", f"{found[1]:,} frames of the animals {', '.join(found[0]) or '(none)'}",
            f"{frames:,} frames of {', '.join(sorted(animals)) or '(none)'}, as positions have",
            remedy="They are of different segments, or one was made anew: name the segment again.",
        )  # fmt: skip


def centres(boxes: pd.DataFrame, matrix: Floats, scale: Scale) -> Floats:
    """Return the centroids of boxes of raw frames, spans of the frame of reference: (n, 2)."""
    given = boxes[BOX].to_numpy(dtype=np.float64)
    return centroids_and_sizes(transform(given, matrix))[:, :2] @ scale.to_spans.T
