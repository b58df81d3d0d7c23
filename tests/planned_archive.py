"""Archives of which nothing but the plan is looked at, and what is told of them beforehand."""

from dataclasses import replace
from pathlib import Path

from murid.models import fitted_path, fitted_weights
from murid.run import plan, preflight
from small_rig import MODEL, simple_model

HEADER = "cage\tsegment\tpositions\tdetections\tvideo\tannotations\tsplit\trig\tanimals"
"""Columns of the sheet."""
ROWS = [
    "A\t1\tp1.csv\td1.csv\t\ta.csv\tTrain\tleft\tR,G,B",
    "A\t2\tp2.csv\td2.csv\t\t\tTest\tleft\tR,G,B",
    "B\t1\tp3.csv\td3.csv\t\ta.csv\tValidate\tright\tR,G",
]
"""Its segments."""
USES = {"grid": {"rows": 1, "columns": 4}, "image": {"width": 320, "height": 180}}
"""Settings that the models of :func:`write_models` are made for."""


def make(folder: Path) -> Path:
    """Make an archive with which nothing is wrong."""
    folder.mkdir()
    for name in ("p1", "p2", "p3", "d1", "d2", "d3", "a"):
        (folder / f"{name}.csv").touch()
    (folder / "v.mp4").touch()
    points = ["rig,antenna,x,y", "left,1,0,0", "right,1,0,0"]
    (folder / "points.csv").write_text("\n".join(points) + "\n")
    write(folder, ROWS)
    return folder


def write(folder: Path, rows: list[str]) -> None:
    """Write the sheet anew, of these rows."""
    (folder / "segments.tsv").write_text("\n".join([HEADER, *rows]) + "\n")


def told(folder: Path, **config: object) -> list[str]:
    """Return what is told of it beforehand, by these settings."""
    given = {"archive": str(folder), "points": str(folder / "points.csv")} | config
    return [str(finding) for finding in preflight.look(plan.load(given))]


def write_models(folder: Path, most: int = 2) -> dict[str, str]:
    """Write weights and a path model for 1 x 4 antennas, 320 x 180 pixels and up to ``most``."""
    model = simple_model(animals=most)
    models = {name: str(folder / f"{name}.json") for name in ("weights", "path_model")}
    fitted_weights.write(fitted_weights.Weights(model, model, (320, 180)), models["weights"])
    made = replace(MODEL.made_for, image=(320, 180), animals=(1, 2))
    fitted_path.write(replace(MODEL, made_for=made), models["path_model"])
    return models
