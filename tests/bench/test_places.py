"""Places that are known, blanked: how near inference comes, and how often its regions hold them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from murid import tables
from murid.identify.judge import judge
from murid.models import fitted_path, fitted_weights
from murid.places import fit, hypotheses, region
from murid.places.blanked import LENGTHS, hide, joined
from murid.places.tracks import Tracks, gather
from murid.segment import Segment
from pipeline import Workflow, copy_sources

COUNT = 60
"""Stretches of each length and segment."""
COLUMNS = (
    "blanked, s", "places", "inferred, px", "interpolated", "antenna", "nearest box",
    "mean inferred", "mean interpolated", "in 90 % region, %", "region, px",
)  # fmt: skip


@pytest.mark.bench
@pytest.mark.parametrize("stream", ["tide", "tide_hard"])
def test_blanked_places_of_cages_that_nothing_was_learnt_from(
    root: Path, shared: Path, tmp_path: Path, stream: str, print_table: Callable[..., None]
) -> None:
    workflow = Workflow(copy_sources(root, tmp_path / "sources"), tmp_path, forked=False)
    settings = ("--configfile", str(root / "config" / "tide.yaml"))
    archive = ("--config", f"archive={shared / stream}", "results=results")
    workflow.run("identities", *settings, *archive)
    every = {
        (folder.parent.name, folder.name): tracks_of(tmp_path / "results", folder)
        for folder in sorted((tmp_path / "results" / "segments").glob("*/*"))
    }
    cages = sorted({cage for cage, _ in every})
    parts = [judged(every, cage) for cage in cages]
    rows = []
    for length in LENGTHS:
        of_length = np.concatenate([part[length] for part in parts])
        off = np.median(of_length[:, :4], axis=0)
        mean = of_length[:, :2].mean(axis=0)
        held, size = 100 * of_length[:, 4].mean(), np.median(of_length[:, 5])
        rows.append((length, len(of_length), *off, *mean, held, size))
    print_table(
        f"{stream}: places that are known, blanked; habits learnt from the other cages; medians",
        COLUMNS,
        rows,
    )
    for length, _, inferred, interpolated, antenna, *_, held, _ in rows:
        assert inferred < antenna
        assert inferred < interpolated, f"{length} s"
        assert 85 <= held <= 95, f"{length} s"


def tracks_of(results: Path, folder: Path) -> Tracks:
    """Gather a segment's tracks from what a run left."""
    models = results / "models"
    weights = fitted_weights.read(models / "weights.json").lagged
    files = {
        "detections": next(folder.glob("detections.*.parquet")),
        "positions": folder / "positions.parquet",
        "transforms": models / "transforms.parquet",
    }
    segment = Segment(files, "rig", 25.0)
    fps, found = judge(
        segment, fitted_weights.read(models / "weights.json"),
        fitted_path.read(models / "path_model.json"),
    )  # fmt: skip
    identities = tables.read(folder / "identities" / "path.parquet", "identities")
    return gather(segment, identities, weights, found, fps)


def judged(every: dict[tuple[str, str], Tracks], cage: str) -> dict[float, np.ndarray]:
    """Blank places of a cage by what others teach.

    Returns
    -------
    By seconds blanked, a row a place: by how many pixels inference, interpolation, the antenna and
    the nearest box are off; whether the region holds it, and its radius in pixels.
    """
    random = np.random.default_rng(1)
    others = [tracks for (other, _), tracks in every.items() if other != cage]
    count = max(1, 1_400 // (len(LENGTHS) * len(others)))
    metric = others[0].scale.to_pixels
    known = fit.fit([blank for tracks in others for blank in hide(tracks, count, random)], metric)
    blanks = [
        blank
        for (own, _), tracks in every.items()
        if own == cage
        for blank in hide(tracks, COUNT, np.random.default_rng(99))
    ]
    result = {}
    for length in LENGTHS:
        asked, truth, nearest = joined([blank for blank in blanks if blank.length == length])
        found = region.summarise(hypotheses.infer(asked, known.habits), metric)
        growth = known.growth(nearest)
        before, after = (
            np.array([getattr(gap, end).place for gap in asked.gaps])[asked.gap]
            for end in ("before", "after")
        )
        way = asked.shares[:, None]
        off = [
            np.linalg.norm((places - truth) @ metric.T, axis=1)
            for places in (
                found.places, before * (1 - way) + after * way, asked.means,
                np.where(way < 0.5, before, after),
            )
        ]  # fmt: skip
        held = region.oddness(found, truth) <= growth
        size = np.sqrt(np.sqrt(np.linalg.det(metric @ found.shapes @ metric.T))) * growth
        read = ~np.isnan(off[2])
        result[length] = np.column_stack([*off, held, size])[read]
    return result
