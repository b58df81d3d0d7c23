"""Animals that wander among antennas in no grid, of whom it is known who is who."""

import numpy as np
import pandas as pd
import pytest

from murid import settings, tables
from murid.errors import InputError
from murid.fitting.stage import FitPath, FitWeights, LearnWeights
from murid.identify.stage import Identify
from murid.models import fitted_path, fitted_weights
from placed_cage import CORNERS, FPS, ODD, film, nearest, right

METHODS = ("static_c", "static_p", "ilp", "path")
TUNNEL = ((300.0, 420.0), (980.0, 430.0))


def make(folder, places, held):
    """Write three segments, two to learn from and one to name; return the truth of that one."""
    filmed = {}
    for number, name in enumerate(("train", "validate", "test")):
        filmed[name] = film(places, 150, number, held)
        (folder / name).mkdir()
        for table in ("positions", "detections", "tracklets", "annotations"):
            tables.write(getattr(filmed[name], table), folder / name / f"{table}.parquet", table)
    still = {f"m{row}{column}": [float(row == column)] for row in range(2) for column in range(3)}
    residuals = {"fit_residual": [np.nan], "validation_residual": [np.nan]}
    transform = pd.DataFrame({"rig": ["rig"], "prototype": [True], **still, **residuals})
    tables.write(transform, folder / "transforms.parquet", "transforms")
    return filmed["test"]


def fit(folder, places, **how):
    """Fit both models, to annotations or without."""
    grid = settings.Grid(places=places)
    segments = [folder / "train", folder / "validate"]
    told = {"transforms": folder / "transforms.parquet", "grid": grid}
    if how.get("annotations") == "none":
        rows = [
            (FPS, *(each / f"{name}.parquet" for name in ("detections", "tracklets", "positions")),
             "rig")
            for each in segments
        ]  # fmt: skip
        stage = LearnWeights
    else:
        rows = [
            (FPS, each / "positions.parquet", each / "annotations.parquet", "rig")
            for each in segments
        ]
        stage = FitWeights
    stage(
        segments=tuple(rows), animals=3, output=folder / "weights.json",
        fit_weights=settings.FitWeights(lag=0, trees=20), **told,
    ).run()  # fmt: skip
    names = ("detections", "tracklets", "positions", "annotations")
    FitPath(
        segments=tuple(
            (split, FPS, *(each / f"{name}.parquet" for name in names), "rig")
            for split, each in zip(("Train", "Validate"), segments, strict=True)
        ),
        weights=folder / "weights.json", output=folder / "path_model.json", **told,
    ).run()  # fmt: skip


def name(folder, places):
    """Name the third segment by every method."""
    segment = folder / "test"
    Identify(
        **{name: segment / f"{name}.parquet" for name in ("detections", "tracklets", "positions")},
        transforms=folder / "transforms.parquet", weights=folder / "weights.json",
        path_model=folder / "path_model.json", rig="rig", fps=FPS,
        grid=settings.Grid(places=places),
        outputs=tuple((method, segment / f"{method}.parquet") for method in METHODS),
    ).run()  # fmt: skip
    return {method: tables.read(segment / f"{method}.parquet", "identities") for method in METHODS}


@pytest.mark.parametrize(
    ("places", "annotations"),
    [(ODD, "use"), (CORNERS, "use"), (TUNNEL, "use"), (ODD, "none"), (CORNERS, "none")],
)
def test_they_are_named_by_all_that_is_known_of_them(tmp_path, places, annotations):
    # Where nobody annotated, a reading that outlasts the visit would teach what is not so.
    truth = make(tmp_path, places, held=annotations == "use")
    fit(tmp_path, places, annotations=annotations)
    named = name(tmp_path, places)
    by_place = nearest(places, truth)
    shares = {method: right(table, truth) for method, table in named.items()}
    told = {method: right(table, truth, told=True) for method, table in named.items()}
    assert told["static_c"] > max(right(by_place, truth, told=True) - 0.01, 0.9)
    assert shares["static_p"] > 0.45
    for method in ("ilp", "path"):
        assert shares[method] > max(right(by_place, truth), 0.95)
    weights = fitted_weights.read(tmp_path / "weights.json")
    assert weights.made_for.places == places
    assert fitted_path.read(tmp_path / "path_model.json").made_for.places == places
    seen = weights.lagged.means(weights.lagged.grid.antennas)[:, 0, :2]
    away = np.linalg.norm(seen[:, None] - np.array(places), axis=-1)
    assert away.argmin(axis=1).tolist() == [*range(len(places))]


def test_a_model_of_other_places_names_nobody(tmp_path):
    make(tmp_path, ODD, held=True)
    fit(tmp_path, ODD)
    moved = ((ODD[0][0] + 40.0, ODD[0][1]), *ODD[1:])
    with pytest.raises(InputError, match="antennas in no grid, of which 1 at"):
        name(tmp_path, moved)
