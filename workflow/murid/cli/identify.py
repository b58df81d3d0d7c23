"""The models, and the names that they give to tracklets."""

from pathlib import Path
from typing import Any

import click

from murid import settings
from murid.cli.options import MODEL, PATH, POSITIVE, Table, with_settings
from murid.cli.root import cli


@cli.command()
@click.option(
    "--segment",
    "segments",
    type=(POSITIVE, PATH, PATH, str),
    multiple=True,
    required=True,
    metavar="FPS POSITIONS ANNOTATIONS RIG",
    help="a segment's frames per second, its tables and rig set-up; once for each segment",
)
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--animals", type=click.IntRange(1), required=True, help="most animals in a cage")
@click.option("--output", type=MODEL, required=True, help="model to write (JSON)")
@with_settings(settings.Grid, settings.Image, settings.FitWeights)
def fit_weights(
    segments: tuple[tuple[float, Path, Path, str], ...],
    transforms: Path,
    animals: int,
    output: Path,
    grid: settings.Grid,
    image: settings.Image,
    fit_weights: settings.FitWeights,
) -> None:
    """Fit the model of a box given an antenna to annotated segments."""
    from murid.grid import Grid
    from murid.weights import fit as stage

    antennas = Grid(grid.rows, grid.columns)
    stage.run(segments, transforms, output, animals, antennas, image, fit_weights)


@cli.command()
@click.option(
    "--segment",
    "segments",
    type=(click.Choice(settings.SPLITS), POSITIVE, PATH, PATH, PATH, PATH, str),
    multiple=True,
    required=True,
    metavar="SPLIT FPS DETECTIONS TRACKLETS POSITIONS ANNOTATIONS RIG",
    help="a segment's split and frames per second, its tables and rig set-up; once for each",
)
@click.option("--weights", type=PATH, required=True, help="weights fitted without the validation")
@click.option("--naming-weights", type=PATH, help="weights that names are to rest on, if others")
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--output", type=MODEL, required=True, help="path model to write (JSON)")
@with_settings(settings.Grid, settings.Image, settings.Paths, settings.FitPath, settings.Overlap)
def fit_path(
    segments: tuple[tuple[str, float, Path, Path, Path, Path, str], ...],
    weights: Path,
    naming_weights: Path | None,
    transforms: Path,
    output: Path,
    grid: settings.Grid,
    image: settings.Image,
    paths: settings.Paths,
    fit_path: settings.FitPath,
    overlap: settings.Overlap,
) -> None:
    """Fit how animals get from one tracklet to the next, and how sure names are."""
    from murid.identify.fit_path import run

    run(
        segments, weights, transforms, output, paths, fit_path, overlap, grid, image, naming_weights
    )


@cli.command()
@click.option(
    "--model",
    "models",
    type=(PATH, PATH),
    multiple=True,
    required=True,
    metavar="MODEL COPY",
    help="a fitted model, and its copy to write; once for each",
)
@click.option("--output", type=PATH, required=True, help="list of the models' digests to write")
def publish_models(models: tuple[tuple[Path, Path], ...], output: Path) -> None:
    """Copy the models that names rest on to where every segment takes them from."""
    from murid import publish

    publish.run(models, output)


@cli.command()
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option("--tracklets", type=PATH, required=True, help="table of tracklets")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--annotations", type=PATH, help="table of annotations, for the oracle")
@click.option("--weights", type=PATH, required=True, help="fitted weights (JSON)")
@click.option("--path-model", type=PATH, help="fitted path model (JSON), for methods that need it")
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--rig", required=True, help="rig set-up of the segment")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option(
    "--output",
    "outputs",
    type=(str, Table("identities")),
    multiple=True,
    required=True,
    metavar="METHOD PATH",
    help="table of identities to write by a method; once for each method",
)
@click.option(
    "--output-posteriors", type=Table("posteriors"), help="posteriors to write (of the method path)"
)
@with_settings(settings.Grid, settings.Image, settings.Solve, settings.Paths, settings.Overlap)
def identify(
    solve: settings.Solve, paths: settings.Paths, overlap: settings.Overlap, **options: Any
) -> None:
    """Name the tracklets of a segment by one or several methods."""
    from murid.identify.stage import run

    run(**options, settings=solve, weighing=paths, overlap=overlap)
