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
    frames, half = len(track.places), track.tick // 2
    gaps, numbers, shares, at, spans = [], [], [], [], []
    for before, after in track.gaps():
        times = np.minimum(np.arange(before + 1, after, track.tick) + half, after - 1)
        since = np.maximum(times - half, before + 1)
        until = np.append(since[1:], after)
        gap = track.gap(before, after, antennas)
        to_before = times - before if gap.before else np.full(len(times), frames)
        to_after = after - times if gap.after else np.full(len(times), frames)
        span = _Span(since, until, np.minimum(to_before, to_after))
        if gap.before is None and gap.after is None:
            # Nothing is known of it but what is read.
            read = track.read[times] > 0
            times, span = times[read], _Span(*(part[read] for part in span))
        first = max(before, 0)
        numbers.append(np.full(len(times), len(gaps)))
        shares.append((times - first) / max(min(after, frames - 1) - first, 1))
        gaps.append(gap)
        at.append(times)
        spans.append(span)
    empty = np.zeros(0, dtype=np.int64)
    joined = _Span(*(np.concatenate([empty, *parts]) for parts in zip(_NONE, *spans, strict=True)))
    read = track.read[np.concatenate([empty, *at])]
    return Asked(
        gaps, np.concatenate([empty, *numbers]), np.concatenate([np.zeros(0), *shares]),
        *antennas.of(read),
    ), joined  # fmt: skip


_NONE = _Span(*3 * (np.zeros(0, dtype=np.int64),))


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
