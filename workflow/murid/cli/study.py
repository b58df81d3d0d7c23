"""The studies that settings rest on."""

from pathlib import Path
from typing import Any

import click

from murid import settings
from murid.cli.options import PATH, POSITIVE, SPLIT, Table, of_segment, with_settings
from murid.cli.root import cli


@cli.group("study")
def study_() -> None:
    """Measure what settings rest on, on annotated segments."""


@study_.command("weights")
@click.option(
    "--segment",
    "segments",
    type=(str, click.Choice(settings.SPLITS), PATH, PATH, str),
    multiple=True,
    required=True,
    metavar="CAGE SPLIT POSITIONS ANNOTATIONS RIG",
    help="a segment's cage, split, two tables and rig set-up; once for each segment",
)
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--output-dir", type=PATH, required=True, help="folder of the page and its CSV files")
@click.option("--note", help="remark on the data, shown under the heading")
@with_settings(settings.Grid, settings.FitWeights, settings.StudyWeights)
def study_weights_(
    segments: tuple[tuple[str, str, Path, Path, str], ...],
    transforms: Path,
    output_dir: Path,
    note: str | None,
    grid: settings.Grid,
    fit_weights: settings.FitWeights,
    study_weights: settings.StudyWeights,
) -> None:
    """Compare the choices behind the weights."""
    from murid.grid import Grid
    from murid.study import weights as stage

    antennas = Grid(grid.rows, grid.columns)
    stage.run(segments, transforms, output_dir, antennas, fit_weights, study_weights, note)


@study_.command("fold")
@click.option("--cage", required=True, help="the cage to leave out")
@click.option(
    "--segment",
    "segments",
    type=(str, str, SPLIT, POSITIVE, PATH, PATH, PATH, PATH, str),
    multiple=True,
    required=True,
    metavar="CAGE SEGMENT SPLIT FPS DETECTIONS TRACKLETS POSITIONS ANNOTATIONS RIG",
    help="an annotated segment, of any cage; once for each",
)
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--animals", type=click.IntRange(1), required=True, help="most animals in a cage")
@click.option("--output-counts", type=Table("counts"), required=True, help="counts to write")
@click.option(
    "--output-reliability", type=Table("reliability"), required=True, help="reliability to write"
)
@with_settings(
    settings.Grid,
    settings.Image,
    settings.FitWeights,
    settings.FitPath,
    settings.Solve,
    settings.Paths,
    settings.Evaluate,
    settings.StudyIdentify,
)
def study_fold_(
    cage: str,
    segments: tuple[tuple[Any, ...], ...],
    transforms: Path,
    animals: int,
    output_counts: Path,
    output_reliability: Path,
    grid: settings.Grid,
    study_identify: settings.StudyIdentify,
    **how: Any,
) -> None:
    """Leave a cage out, learn from the others, and evaluate every method on it."""
    from murid.grid import Grid
    from murid.study import fold

    settings_of_all = fold.How(Grid(grid.rows, grid.columns), study=study_identify, **how)
    fold.run(
        cage, segments, transforms, animals, output_counts, output_reliability, settings_of_all
    )


@study_.command("identify")
@click.option("--counts", type=PATH, multiple=True, required=True, help="of a fold; repeatable")
@click.option(
    "--reliability", type=PATH, multiple=True, required=True, help="of a fold; repeatable"
)
@click.option("--weights", type=PATH, required=True, help="fitted weights (JSON), for the lag")
@click.option("--path-model", type=PATH, required=True, help="fitted path model (JSON)")
@click.option("--output-dir", type=PATH, required=True, help="folder of the page and its CSV files")
@click.option("--note", help="remark on the data, shown under the heading")
@with_settings(settings.Paths, settings.StudyIdentify)
def study_identify_(
    counts: tuple[Path, ...],
    reliability: tuple[Path, ...],
    weights: Path,
    path_model: Path,
    output_dir: Path,
    note: str | None,
    paths: settings.Paths,
    study_identify: settings.StudyIdentify,
) -> None:
    """Sum up the folds of all cages as a page."""
    from murid.study.identify import run

    run(counts, reliability, weights, path_model, output_dir, paths, study_identify, note)


@study_.command("sweep")
@of_segment
@click.option("--split", type=SPLIT, default="", help="Train, Validate, Test or nothing")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--annotations", type=PATH, required=True, help="table of annotations")
@click.option("--weights", type=PATH, required=True, help="fitted model (JSON)")
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--rig", required=True, help="rig set-up of the segment")
@click.option("--max-age", type=click.IntRange(0), default=0, help="as for murid track")
@click.option("--output", type=Table("counts"), required=True, help="counts to write")
@with_settings(settings.Solve, settings.Evaluate, settings.StudyTracker)
def study_sweep(cage: str, segment: str, split: str, **options: Any) -> None:
    """Track, identify and evaluate a segment under every pair of the tracker's settings."""
    from murid.study.sweep import run

    labels = {"cage": cage, "segment": segment, "split": split}
    run(labels, grid=options.pop("study_tracker"), **options)


@study_.command("tracker")
@click.option("--counts", type=PATH, multiple=True, required=True, help="of a sweep; repeatable")
@click.option("--output-dir", type=PATH, required=True, help="folder of the page and its CSV file")
@click.option("--note", help="remark on the data, shown under the heading")
@with_settings(settings.Track, settings.StudyTracker)
def study_tracker_(
    counts: tuple[Path, ...],
    output_dir: Path,
    note: str | None,
    track: settings.Track,
    study_tracker: settings.StudyTracker,
) -> None:
    """Sum up the sweeps of all segments as a page."""
    from murid.study.tracker import run

    run(counts, output_dir, track, study_tracker, note)
