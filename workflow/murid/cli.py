"""The command line: ``murid STAGE ...``, paths and plain options in, paths out; no logic.

Each command imports its stage only when it runs, so that starting is quick. The options that are
settings come from the stage's model in :mod:`murid.settings`; values are written as in YAML.
"""

import functools
import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import yaml
from pydantic import BaseModel

from murid import settings
from murid.errors import InputError

PATH = click.Path(path_type=Path)
POSITIVE = click.FloatRange(min=0, min_open=True)
SPLIT = click.Choice(["Train", "Validate", "Test", ""])


def with_settings(*models: type[BaseModel]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command one option a setting; it receives each model by its name in snake case."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def call(**options: Any) -> Any:
            for model in models:
                given = {name: options.pop(name) for name in model.model_fields}
                values = {
                    name: _value(name, text) for name, text in given.items() if text is not None
                }
                name = re.sub(r"(?<!^)(?=[A-Z])", "_", model.__name__).lower()
                options[name] = settings.parse(model, values, f"options of {name}")
            return command(**options)

        for model in reversed(models):
            for name, field in reversed(model.model_fields.items()):
                default = json.dumps(field.default)
                call = click.option(
                    "--" + name.replace("_", "-"),
                    name,
                    metavar="VALUE",
                    help=f"{field.description}  [default: {default}]",
                )(call)
        return call

    return decorate


def _value(name: str, text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        option = "--" + name.replace("_", "-")
        raise InputError("options", repr(text), "a value as in YAML", where=option) from error


def main() -> None:
    """Run the command line; bad input ends with its message and status 2, a bug in a traceback."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("murid").setLevel(logging.INFO)
    try:
        cli.main(standalone_mode=False)
    except InputError as error:
        click.echo(f"murid: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="murid")
def cli() -> None:
    """Tell who is who in a cage of identical animals. One command a stage."""


@cli.group("import")
def import_() -> None:
    """Turn files of other formats into tables."""


@import_.command("tide")
@click.argument("archive", type=PATH)
@click.argument("out", type=PATH)
@click.option("--sheet-only", is_flag=True, help="write no tables; the sheet refers to ARCHIVE")
def import_tide(archive: Path, out: Path, sheet_only: bool) -> None:
    """Write segments.tsv and tables of an ARCHIVE in the layout of a TIDe release to OUT."""
    from murid.archive.tide import run

    for note in run(archive, out, sheet_only):
        click.echo(f"murid: {note}", err=True)


@import_.command("positions")
@click.argument("file", type=PATH)
@click.argument("output", type=PATH)
def import_positions(file: Path, output: Path) -> None:
    """Turn antenna readings (CSV, Parquet, pickled frame) into a table of positions."""
    from murid.archive.convert import run

    run("positions", file, output)


@import_.command("detections")
@click.argument("file", type=PATH)
@click.argument("output", type=PATH)
@click.option("--images", type=PATH, help="COCO file that tells the images of COCO results")
def import_detections(file: Path, output: Path, images: Path | None) -> None:
    """Turn boxes with scores (CSV, Parquet, MOT text, COCO results) into a table of detections."""
    from murid.archive.convert import run

    run("detections", file, output, images=images)


@import_.command("tracklets")
@click.argument("file", type=PATH)
@click.argument("output", type=PATH)
@click.option("--images", type=PATH, help="COCO file that tells the images of COCO results")
@click.option("--output-detections", type=PATH, help="table of the tracklets' detections to write")
def import_tracklets(
    file: Path, output: Path, images: Path | None, output_detections: Path | None
) -> None:
    """Turn a tracker's boxes (CSV, Parquet, MOT text, COCO results) into a table of tracklets."""
    from murid.archive.convert import run

    run("tracklets", file, output, images=images, output_detections=output_detections)


@import_.command("annotations")
@click.argument("file", type=PATH)
@click.argument("output", type=PATH)
@click.option("--cage", help="which cage, where the file holds several segments")
@click.option("--segment", help="which segment of it")
def import_annotations(file: Path, output: Path, cage: str | None, segment: str | None) -> None:
    """Turn annotated frames (VIA, Parquet, pickled frame) into a table of annotations."""
    from murid.archive.convert import run

    run("annotations", file, output, cage, segment)


@cli.command("check")
@click.option("--cage", required=True, help="name of the cage")
@click.option("--segment", required=True, help="name of the segment")
@click.option("--positions", type=PATH, required=True, help="antenna readings, any format")
@click.option("--annotations", type=PATH, help="annotated frames, any format")
@click.option("--detections", type=PATH, help="boxes made elsewhere, any format")
@click.option("--tracklets", type=PATH, help="tracklets made elsewhere, any format")
@click.option("--video", type=PATH, help="recording, to compare its length")
@click.option("--animals", default="", help="names of the cage's animals, with commas")
@click.option("--fps", type=POSITIVE, default=25.0, show_default=True, help="frames per second")
@click.option("--output-positions", type=PATH, required=True, help="table of positions to write")
@click.option("--output-annotations", type=PATH, required=True, help="annotations to write")
@click.option("--output-detections", type=PATH, help="table of the given detections to write")
@click.option("--output-tracklets", type=PATH, help="table of the given tracklets to write")
@with_settings(settings.Grid, settings.Check)
def check_(
    cage: str,
    segment: str,
    animals: str,
    fps: float,
    grid: settings.Grid,
    check: settings.Check,
    **paths: Path | None,
) -> None:
    """Judge a segment by its files, and write them as tables that carry the verdict."""
    from murid.archive.check import run

    prefix = "output_"
    given = {name: path for name, path in paths.items() if path is not None}
    verdict = run(
        (cage, segment),
        {name: path for name, path in given.items() if not name.startswith(prefix)},
        {
            name.removeprefix(prefix): path
            for name, path in given.items()
            if name.startswith(prefix)
        },
        grid,
        check,
        tuple(name.strip() for name in animals.split(",") if name.strip()),
        fps,
    )
    click.echo(
        f"{cage} {segment}: {verdict.status}" + f" ({verdict.reason})" * bool(verdict.reason)
    )


@cli.command()
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option("--output", type=PATH, required=True, help="table of tracklets to write")
@with_settings(settings.Track)
def track(detections: Path, output: Path, track: settings.Track) -> None:
    """Link detections into tracklets (SORT)."""
    from murid import track as stage

    stage.run(detections, output, track)


@cli.command("calibrate")
@click.option(
    "--points",
    type=PATH,
    help="CSV of rig, antenna, x, y; points of VIA; or CSV of rig, recording (of the "
    "checkerboard); without it, one rig only",
)
@click.option("--rig", "rigs", multiple=True, required=True, help="set-up in use; repeatable")
@click.option("--output", type=PATH, required=True, help="transforms.parquet")
@click.option("--output-points", type=PATH, help="calibration_points to write")
@click.option("--output-residuals", type=PATH, help="calibration_residuals to write")
@with_settings(settings.Grid, settings.Calibrate)
def calibrate_(
    points: Path | None,
    rigs: tuple[str, ...],
    output: Path,
    output_points: Path | None,
    output_residuals: Path | None,
    grid: settings.Grid,
    calibrate: settings.Calibrate,
) -> None:
    """Bring every rig set-up into one frame of reference."""
    from murid.calibrate import run
    from murid.grid import Grid

    antennas = Grid(grid.rows, grid.columns)
    run(points, rigs, output, calibrate, antennas, output_points, output_residuals)


@cli.command()
@click.option("--cage", required=True, help="name of the cage")
@click.option("--segment", required=True, help="name of the segment")
@click.option("--split", type=SPLIT, default="", help="Train, Validate, Test or nothing")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option("--tracklets", type=PATH, required=True, help="table of tracklets")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--annotations", type=PATH, required=True, help="table of annotations")
@click.option(
    "--identities",
    type=(str, PATH),
    multiple=True,
    required=True,
    metavar="METHOD PATH",
    help="a method and its table; repeatable, with annotations also 'oracle'",
)
@click.option("--default", required=True, help="method whose table is the answer")
@click.option("--output-animals", type=PATH, required=True, help="animal_outcomes to write")
@click.option("--output-detections", type=PATH, required=True, help="detection_outcomes to write")
@click.option("--output-summary", type=PATH, required=True, help="one row of summaries to write")
@with_settings(settings.Evaluate)
def evaluate(
    cage: str, segment: str, split: str, identities: tuple[tuple[str, Path], ...], **options: Any
) -> None:
    """Compare what each method says of a segment with its annotations."""
    from murid.evaluate.segment import run

    labels = {"cage": cage, "segment": segment, "split": split}
    run(labels, identities=dict(identities), settings=options.pop("evaluate"), **options)


@cli.command()
@click.option("--animals", type=PATH, multiple=True, help="animal_outcomes; repeatable")
@click.option("--detections", type=PATH, multiple=True, help="detection_outcomes; repeatable")
@click.option("--summaries", type=PATH, multiple=True, help="summary of a segment; repeatable")
@click.option("--output-counts", type=PATH, required=True, help="counts to write")
@click.option("--output-reliability", type=PATH, required=True, help="reliability to write")
@click.option("--output-summaries", type=PATH, required=True, help="summaries to write")
def aggregate(**options: Any) -> None:
    """Join the segments of a cage, and discard those that show other animals."""
    from murid.evaluate.cage import run

    run(**options)


@cli.command("join")
@click.option(
    "parts", "--table", type=(str, PATH), multiple=True, required=True, metavar="NAME PATH"
)
@click.option(
    "outputs", "--output", type=(str, PATH), multiple=True, required=True, metavar="NAME PATH"
)
def join(**options: Any) -> None:
    """Stack the tables of several cages."""
    from murid.evaluate.join import run

    run(**options)


@cli.command("review")
@click.option(
    "--segment",
    "segments",
    type=(str, str, PATH, PATH, POSITIVE),
    multiple=True,
    metavar="CAGE SEGMENT TRACKLETS POSTERIORS FPS",
    help="a segment, its two tables and its frames per second; once for each segment",
)
@click.option("--output", type=PATH, required=True, help="stretches to write; FILE.csv: as CSV")
@with_settings(settings.Review)
def review_(
    segments: tuple[tuple[str, str, Path, Path, float], ...], output: Path, review: settings.Review
) -> None:
    """List the stretches in which it is uncertain who is who, the longest first."""
    from murid.review import run

    run(segments, output, review)


@cli.command()
@click.option("--counts", type=PATH, multiple=True, help="counts of a cage; repeatable")
@click.option("--summaries", type=PATH, multiple=True, help="summaries of a cage; repeatable")
@click.option("--reliability", type=PATH, multiple=True, help="of a cage; repeatable")
@click.option("--stretches", type=PATH, multiple=True, help="of a cage; repeatable")
@click.option("--detector-metrics", type=PATH, help="table of detector_metrics")
@click.option("--clips", type=PATH, help="table of clips, which lie beside it")
@click.option("--transforms", type=PATH, help="table of transforms")
@click.option("--calibration-points", type=PATH, help="table of calibration_points")
@click.option("--calibration-residuals", type=PATH, help="table of calibration_residuals")
@click.option("--output-dir", type=PATH, required=True, help="folder of the report")
@with_settings(settings.Report)
def report(report: settings.Report, **options: Any) -> None:
    """Write the metrics and a page that explains them."""
    from murid.report.stage import run

    run(**options, settings=report)


@cli.command("simulate")
@click.argument("out", type=PATH)
@with_settings(settings.Simulate)
def simulate_(out: Path, simulate: settings.Simulate) -> None:
    """Make a demo archive in the folder OUT: videos, antenna traces, annotations, a sheet."""
    from murid.simulate import run

    run(out, simulate)


@cli.command()
@click.option(
    "--segment",
    "segments",
    type=(PATH, PATH, str),
    multiple=True,
    required=True,
    metavar="POSITIONS ANNOTATIONS RIG",
    help="tables of a segment and its rig set-up; once for each segment",
)
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--animals", type=click.IntRange(1), required=True, help="most animals in a cage")
@click.option("--output", type=PATH, required=True, help="model to write (JSON)")
@with_settings(settings.Grid, settings.Image, settings.FitWeights)
def fit_weights(
    segments: tuple[tuple[Path, Path, str], ...],
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
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option("--tracklets", type=PATH, required=True, help="table of tracklets")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--annotations", type=PATH, help="table of annotations, for the oracle")
@click.option("--weights", type=PATH, required=True, help="fitted weights (JSON)")
@click.option("--path-model", type=PATH, help="fitted path model (JSON), for methods that need it")
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--rig", required=True, help="rig set-up of the segment")
@click.option(
    "--output",
    "outputs",
    type=(str, PATH),
    multiple=True,
    required=True,
    metavar="METHOD PATH",
    help="table of identities to write by a method; once for each method",
)
@click.option("--output-posteriors", type=PATH, help="posteriors to write (of the method path)")
@with_settings(settings.Solve, settings.Paths)
def identify(solve: settings.Solve, paths: settings.Paths, **options: Any) -> None:
    """Name the tracklets of a segment by one or several methods."""
    from murid.identify.stage import run

    run(**options, settings=solve, weighing=paths)


@cli.command()
@click.option(
    "--segment",
    "segments",
    type=(click.Choice(settings.SPLITS), PATH, PATH, PATH, PATH, str),
    multiple=True,
    required=True,
    metavar="SPLIT DETECTIONS TRACKLETS POSITIONS ANNOTATIONS RIG",
    help="a segment's split, its tables and rig set-up; once for each segment",
)
@click.option("--weights", type=PATH, required=True, help="weights fitted without the validation")
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--output", type=PATH, required=True, help="path model to write (JSON)")
@with_settings(settings.Paths, settings.FitPath)
def fit_path(
    segments: tuple[tuple[str, Path, Path, Path, Path, str], ...],
    weights: Path,
    transforms: Path,
    output: Path,
    paths: settings.Paths,
    fit_path: settings.FitPath,
) -> None:
    """Fit how animals get from one tracklet to the next, and how sure names are."""
    from murid.identify.fit_path import run

    run(segments, weights, transforms, output, paths, fit_path)


@cli.command("train-detector")
@click.option(
    "--train",
    type=(PATH, PATH),
    multiple=True,
    required=True,
    metavar="VIDEO ANNOTATIONS",
    help="a video and its table of annotations, or a video or folder of images and COCO JSON; "
    "repeatable",
)
@click.option(
    "--validate",
    type=(PATH, PATH),
    multiple=True,
    metavar="VIDEO ANNOTATIONS",
    help="the same, for choosing the best checkpoint; repeatable",
)
@click.option(
    "--fps",
    type=(PATH, POSITIVE),
    multiple=True,
    metavar="VIDEO FPS",
    help="frames per second of a video, needed where its own rate varies; repeatable",
)
@click.option("--output", type=PATH, required=True, help="trained detector (safetensors) to write")
@with_settings(settings.TrainDetector)
def train_detector_(
    train: tuple[tuple[Path, Path], ...],
    validate: tuple[tuple[Path, Path], ...],
    fps: tuple[tuple[Path, float], ...],
    output: Path,
    train_detector: settings.TrainDetector,
) -> None:
    """Train the detector on annotated frames; a killed training goes on where it was."""
    from murid.detect.train import run

    run(train, validate, output, train_detector, dict(fps))


@cli.command("detect")
@click.option("--video", type=PATH, required=True, help="video of the segment")
@click.option("--detector", type=PATH, required=True, help="trained detector (safetensors)")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--transforms", type=PATH, required=True, help="table of transforms")
@click.option("--rig", required=True, help="rig set-up of the segment")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option(
    "--frame-tolerance",
    type=int,
    default=2,
    show_default=True,
    help="frames by which video and positions may differ in length",
)
@click.option("--output", type=PATH, required=True, help="table of detections to write")
@with_settings(settings.Detect)
def detect_(detect: settings.Detect, **options: Any) -> None:
    """Find mice and tunnel in every frame of a video."""
    from murid.detect.infer import run

    run(**options, settings=detect)


@cli.command("adopt-detections")
@click.option("--detections", type=PATH, required=True, help="table of detections by another tool")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--transforms", type=PATH, required=True, help="table of transforms")
@click.option("--rig", required=True, help="rig set-up of the segment")
@click.option("--output", type=PATH, required=True, help="table of detections to write")
@with_settings(settings.Detect)
def adopt_detections(detect: settings.Detect, **options: Any) -> None:
    """Filter detections made elsewhere as the detector's own would be."""
    from murid.detect.select import run

    run(**options, settings=detect)


@cli.command("adopt-tracklets")
@click.option("--tracklets", type=PATH, required=True, help="table of tracklets by another tool")
@click.option("--detections", type=PATH, required=True, help="table of the detections kept")
@click.option("--output", type=PATH, required=True, help="table of tracklets to write")
def adopt_tracklets(tracklets: Path, detections: Path, output: Path) -> None:
    """Adopt tracklets made elsewhere, as far as their detections are kept."""
    from murid.adopt import run

    run(tracklets, detections, output)


@cli.command("assess-detector")
@click.option(
    "--segment",
    "segments",
    type=(click.Choice(settings.SPLITS), PATH, PATH),
    multiple=True,
    required=True,
    metavar="SPLIT DETECTIONS ANNOTATIONS",
    help="split of a segment and its two tables; repeatable",
)
@click.option("--output", type=PATH, required=True, help="table of detector_metrics to write")
def assess_detector(segments: tuple[tuple[str, Path, Path], ...], output: Path) -> None:
    """Measure precision and recall of detections against annotations."""
    from murid.detect.assess import run

    run(segments, output)


@cli.command("track-visually")
@click.option("--video", "footage", type=PATH, required=True, help="video of the segment")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--annotations", type=PATH, required=True, help="table of annotations")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option("--output", type=PATH, required=True, help="table of identities to write")
@with_settings(settings.TrackVisually, settings.Evaluate)
def track_visually_(track_visually: settings.TrackVisually, **options: Any) -> None:
    """Track each animal from an annotated frame in the middle of every snippet, both ways."""
    from murid.visual import run

    run(**options, settings=track_visually)


def clip_sources(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what a clip is made of."""
    options = [
        click.option("--video", type=PATH, required=True, help="video of the segment"),
        click.option("--positions", type=PATH, required=True, help="table of positions"),
        click.option(
            "--identities",
            type=(str, PATH),
            multiple=True,
            required=True,
            metavar="METHOD PATH",
            help="table of identities of a method; several are shown side by side",
        ),
        click.option("--weights", type=PATH, required=True, help="fitted model (JSON)"),
        click.option("--transforms", type=PATH, required=True, help="table of transforms"),
        click.option("--rig", required=True, help="rig set-up of the segment"),
        click.option("--fps", type=POSITIVE, required=True, help="frames per second"),
        click.option("--scale", type=POSITIVE, help="enlargement  [default: as names need it]"),
        click.option("--clahe", is_flag=True, help="even out the contrast for human eyes"),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@cli.command()
@clip_sources
@click.option("--frame", type=click.IntRange(0), required=True, help="which frame, from 0")
@click.option("--output", type=PATH, required=True, help="PNG to write")
def picture(frame: int, output: Path, scale: float | None, clahe: bool, **sources: Any) -> None:
    """Draw one frame with its boxes, antenna crosses, frame number and time."""
    from murid.clip import stage

    stage.run_picture(stage.Sources(**sources), frame, output, scale, clahe)


@cli.command()
@clip_sources
@click.option("--frames", type=(int, int), required=True, help="first frame and one after the last")
@click.option("--speed", type=POSITIVE, default=1.0, help="of playing  [default: 1]")
@click.option("--output", type=PATH, required=True, help="mp4 to write")
def clip(
    frames: tuple[int, int],
    output: Path,
    scale: float | None,
    clahe: bool,
    speed: float,
    **sources: Any,
) -> None:
    """Render a stretch of a segment as a video with boxes, antenna crosses and time."""
    from murid.clip import stage

    stage.run_clip(stage.Sources(**sources), frames, output, scale, clahe, speed)


@cli.command("moments")
@click.option("--cage", required=True, help="name of the cage")
@click.option("--segment", required=True, help="name of the segment")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option(
    "--identities",
    type=(str, PATH),
    multiple=True,
    required=True,
    metavar="METHOD PATH",
    help="table of identities of a method to compare; repeatable",
)
@click.option("--default", required=True, help="method whose confidence counts")
@click.option("--seconds", type=POSITIVE, required=True, help="length of a stretch")
@click.option("--output", type=PATH, required=True, help="table of moments to write")
def moments_(cage: str, segment: str, **options: Any) -> None:
    """Find the stretches of a segment that are worth a clip."""
    from murid.clip.moments import run

    run((cage, segment), **options)


@cli.command("clips")
@click.option("--sheet", "sample_sheet", type=PATH, required=True, help="sample sheet")
@click.option("--archive", type=PATH, required=True, help="folder that its paths start at")
@click.option("--segments-dir", type=PATH, required=True, help="folder of the segments' tables")
@click.option("--weights", type=PATH, required=True, help="fitted model (JSON)")
@click.option("--transforms", type=PATH, required=True, help="table of transforms")
@click.option("--default", required=True, help="method to show alone")
@click.option("--compare", multiple=True, required=True, help="method to show beside others")
@click.option("--clahe", default="false", help="even out the contrast  [default: false]")
@click.option("--speed", type=POSITIVE, default=0.5, help="of playing  [default: 0.5]")
@click.option("--output-dir", type=PATH, required=True, help="folder of the clips")
def clips_(clahe: str, speed: float, **options: Any) -> None:
    """Render the clips of the report: where it is clear who is who, and where it is not."""
    from murid.clip.chosen import run

    how = settings.parse(settings.Clips, {"clahe": _value("clahe", clahe), "speed": speed})
    run(**options, settings=how)


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
@click.option("--output-counts", type=PATH, required=True, help="counts to write")
@click.option("--output-reliability", type=PATH, required=True, help="reliability to write")
@with_settings(
    settings.Grid,
    settings.Image,
    settings.FitWeights,
    settings.FitPath,
    settings.Solve,
    settings.Paths,
    settings.Evaluate,
    settings.StudyFold,
)
def study_fold_(
    cage: str,
    segments: tuple[tuple[Any, ...], ...],
    transforms: Path,
    animals: int,
    output_counts: Path,
    output_reliability: Path,
    grid: settings.Grid,
    study_fold: settings.StudyFold,
    **how: Any,
) -> None:
    """Leave a cage out, learn from the others, and evaluate every method on it."""
    from murid.grid import Grid
    from murid.study import fold

    settings_of_all = fold.How(Grid(grid.rows, grid.columns), study=study_fold, **how)
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
@click.option("--fps", type=POSITIVE, help="frames per second, if it is the same everywhere")
@click.option("--note", help="remark on the data, shown under the heading")
@with_settings(settings.Paths, settings.StudyIdentify)
def study_identify_(
    counts: tuple[Path, ...],
    reliability: tuple[Path, ...],
    weights: Path,
    path_model: Path,
    output_dir: Path,
    fps: float | None,
    note: str | None,
    paths: settings.Paths,
    study_identify: settings.StudyIdentify,
) -> None:
    """Sum up the folds of all cages as a page."""
    from murid.study.identify import run

    run(counts, reliability, weights, path_model, output_dir, paths, study_identify, fps, note)


@study_.command("sweep")
@click.option("--cage", required=True, help="name of the cage")
@click.option("--segment", required=True, help="name of the segment")
@click.option("--split", type=SPLIT, default="", help="Train, Validate, Test or nothing")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--annotations", type=PATH, required=True, help="table of annotations")
@click.option("--weights", type=PATH, required=True, help="fitted model (JSON)")
@click.option("--transforms", type=PATH, required=True, help="table of the rigs' transforms")
@click.option("--rig", required=True, help="rig set-up of the segment")
@click.option("--max-age", type=click.IntRange(0), default=0, help="as for murid track")
@click.option("--output", type=PATH, required=True, help="counts to write")
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
