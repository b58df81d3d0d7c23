"""Where each animal of a segment is in every frame: seen, inferred, or not known."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from murid import tables
from murid.errors import naming
from murid.identify.judge import judge
from murid.models import fitted_path, fitted_weights
from murid.places import hypotheses, model, region
from murid.places.hypotheses import Asked, Floats, Ints
from murid.places.model import PlacesModel
from murid.places.track import Antennas, Track
from murid.places.tracks import Tracks, gather
from murid.segment import Segment

if TYPE_CHECKING:
    from murid.places.stage import InferPlaces

SEEN, INFERRED, UNKNOWN = "seen", "inferred", "unknown"
_AT_ONCE = 4_000
"""Places that are summarised at once, so that memory stays small."""


def infer_segment(stage: "InferPlaces") -> None:
    """Write where the animals of a segment are; of a discarded one an empty table, and why."""
    segment = Segment.of(stage, stage.transforms)
    verdict = segment.verdict() | tables.read_verdict(stage.identities)
    if verdict.discarded:
        tables.write(tables.empty("places"), stage.output, "places", verdict)
        return
    with naming(identities=stage.identities, **segment.files):
        weights = fitted_weights.read(stage.weights)
        path_model = fitted_path.read(stage.path_model) if stage.path_model else None
        known = model.read(stage.places_model)
        identities = tables.read(stage.identities, "identities")
        fps, found = judge(segment, weights, path_model)
        tracks = gather(segment, identities, weights.lagged, found, fps)
        table = places(tracks, identities, known, segment.matrix)
        tables.write(table, stage.output, "places", verdict)


def places(
    tracks: Tracks, identities: pd.DataFrame, known: PlacesModel, matrix: Floats
) -> pd.DataFrame:
    """Return the table ``places``.

    Parameters
    ----------
    tracks
        Of the segment's animals.
    identities
        The table that they are of.
    known
        What was learnt.
    matrix
        (2, 3), raw pixels to the frame of reference.
    """
    antennas = tracks.antennas()
    rows = [
        _rows(animal, track, antennas, tracks.scale.to_pixels, known, matrix)
        for animal, track in zip(tracks.animals, tracks.each, strict=True)
    ]
    if not rows:
        return tables.empty("places")
    table = pd.concat(rows, ignore_index=True)
    keys = ["frame", "animal"]
    boxes = identities.dropna(subset=["x"])
    boxes = boxes.assign(seen_x=boxes["x"] + boxes["w"] / 2, seen_y=boxes["y"] + boxes["h"] / 2)[
        [*keys, "seen_x", "seen_y"]
    ]
    table = table.merge(boxes, how="left", on=keys)
    seen = table["seen_x"].notna()
    table["x"] = table["seen_x"].where(seen, table["x"])
    table["y"] = table["seen_y"].where(seen, table["y"])
    table.loc[seen, ["major", "minor", "angle"]] = np.nan
    table["state"] = np.where(seen, SEEN, np.where(table["x"].notna(), INFERRED, UNKNOWN))
    table = table.drop(columns=["seen_x", "seen_y"]).sort_values(keys, kind="stable")
    return tables.conform(table, "places")


class _Span(NamedTuple):
    """Frames that each time stands for, the last not included, and how many frames off a box is."""

    since: Ints
    until: Ints
    off: Ints


def _rows(
    animal: str, track: Track, antennas: Antennas, metric: Floats, known: PlacesModel,
    matrix: Floats,
) -> pd.DataFrame:  # fmt: skip
    """Return an animal's rows, with a place in each frame in which nothing shows it."""
    result = np.full((len(track.places), 5), np.nan)
    asked, spans = _ask(track, antennas)
    mixture = hypotheses.infer(asked, known.habits)
    for begin in range(0, len(asked.gap), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        found = region.summarise(hypotheses.Mixture(*(part[some] for part in mixture)), metric)
        values = _in_pixels(found, known.growth(spans.off[some] / track.fps), metric, matrix)
        for since, until, value in zip(spans.since[some], spans.until[some], values, strict=True):
            result[since:until] = value
    table = pd.DataFrame(result, columns=["x", "y", "major", "minor", "angle"])
    return table.assign(frame=np.arange(len(result)), animal=animal)


def _ask(track: Track, antennas: Antennas) -> tuple[Asked, _Span]:
    """Return the times at which it is asked where an animal is: one a tick within each gap."""
    ends = [(before, after) for before, after in track.gaps()]
    gaps = [track.gap(before, after, antennas) for before, after in ends]
    parts = [_times(track, before, after) for before, after in ends]
    number = np.repeat(np.arange(len(gaps)), [len(times) for times, _, _ in parts])
    times, shares, *spans = np.concatenate(
        [np.zeros((5, 0)), *(np.vstack([at, share, *span]) for at, share, span in parts)], axis=1
    )
    at = times.astype(np.int64)
    span = _Span(*(part.astype(np.int64) for part in spans))
    # Of an animal without any box nothing is known but what is read.
    known = (track.read[at] > 0) | track.seen.any()
    asked = Asked(gaps, number[known], shares[known], *antennas.of(track.read[at[known]]))
    return asked, _Span(*(part[known] for part in span))


def _times(track: Track, before: int, after: int) -> tuple[Ints, Floats, _Span]:
    """Return the times asked for in a gap, see :meth:`.Track.gaps`, and as shares of it."""
    frames, half = len(track.places), track.tick // 2
    times = np.minimum(np.arange(before + 1, after, track.tick) + half, after - 1)
    since = np.maximum(times - half, before + 1)
    to_before = times - before if before >= 0 else np.full(len(times), frames)
    to_after = after - times if after < frames else np.full(len(times), frames)
    first, last = max(before, 0), min(after, frames - 1)
    span = _Span(since, np.append(since[1:], after), np.minimum(to_before, to_after))
    return times, (times - first) / max(last - first, 1), span


def _in_pixels(found: region.Region, growth: Floats, metric: Floats, matrix: Floats) -> Floats:
    """Return place, semi-axes and angle of the major one in the raw frame: (n, 5)."""
    back = np.linalg.inv(matrix[:, :2])
    to_raw = back @ metric
    where = found.places @ metric.T - matrix[:, 2]
    shapes = to_raw @ (found.shapes * growth[:, None, None] ** 2) @ to_raw.T
    sizes, axes = np.linalg.eigh(shapes)
    lengths = np.sqrt(np.maximum(sizes, 0))
    angles = np.degrees(np.arctan2(axes[:, 1, 1], axes[:, 0, 1])) % 180
    return np.column_stack([where @ back.T, lengths[:, 1], lengths[:, 0], angles])
