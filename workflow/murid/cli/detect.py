"""Rigs and detectors: where the antennas are in the picture, and where the animals."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from murid import settings
from murid.cli.options import MODEL, PATH, POSITIVE, Command, Table, with_settings
from murid.cli.root import cli

RATES = click.option(
    "--fps",
    type=(PATH, POSITIVE),
    multiple=True,
    metavar="VIDEO FPS",
    help="frames per second of a video, needed where its own rate varies; repeatable",
)


def annotated_segments(metavar: str, help: str) -> Callable[[Command], Command]:
    """Give a command annotated segments: the split of each, and two files."""
    return click.option(
        "--segment",
        "segments",
        type=(click.Choice(settings.SPLITS), PATH, PATH),
        multiple=True,
        required=True,
        metavar=metavar,
        help=help,
    )


@cli.command("calibrate")
@click.option(
    "--points",
    type=PATH,
    help="CSV of rig, antenna, x, y; points of VIA; or CSV of rig, recording (of the "
    "checkerboard); without it, one rig only",
)
@click.option("--rig", "rigs", multiple=True, required=True, help="set-up in use; repeatable")
@click.option("--output", type=Table("transforms"), required=True, help="transforms.parquet")
@click.option(
    "--output-points", type=Table("calibration_points"), help="calibration_points to write"
)
@click.option(
    "--output-residuals", type=Table("calibration_residuals"), help="calibration_residuals to write"
)
@with_settings(settings.Grid, settings.Image, settings.Calibrate)
def calibrate_(
    points: Path | None,
    rigs: tuple[str, ...],
    output: Path,
    output_points: Path | None,
    output_residuals: Path | None,
    grid: settings.Grid,
    image: settings.Image,
    calibrate: settings.Calibrate,
) -> None:
    """Bring every rig set-up into one frame of reference."""
    from murid.calibrate import run
    from murid.grid import Grid

    antennas = Grid(grid.rows, grid.columns)
    run(points, rigs, output, calibrate, antennas, output_points, output_residuals, image)


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
@RATES
@click.option("--output", type=MODEL, required=True, help="trained detector (safetensors) to write")
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
@click.option(
    "--output", type=Table("detections"), required=True, help="table of detections to write"
)
@with_settings(settings.Image, settings.Detect)
def detect_(detect: settings.Detect, **options: Any) -> None:
    """Find mice and tunnel in every frame of a video."""
    from murid.detect.stage import run

    run(**options, settings=detect)


@cli.command("adopt-detections")
@click.option("--detections", type=PATH, required=True, help="table of detections by another tool")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--transforms", type=PATH, required=True, help="table of transforms")
@click.option("--rig", required=True, help="rig set-up of the segment")
@click.option(
    "--output", type=Table("detections"), required=True, help="table of detections to write"
)
@click.option(
    "--max-missing-frames",
    type=click.FloatRange(0, 1),
    default=0.75,
    show_default=True,
    help="share of the segment that a stretch without any box may take",
)
@click.option(
    "--no-detector", is_flag=True, help="there are none for want of a detector: discard the segment"
)
@with_settings(settings.Image, settings.Detect)
def adopt_detections(**options: Any) -> None:
    """Filter detections made elsewhere as the detector's own would be, and judge them."""
    from murid.detect.foreign import run

    run(**options)


@cli.command("compare-annotations")
@click.option("--annotations", type=PATH, required=True, help="table of annotations")
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--transforms", type=PATH, required=True, help="table of transforms")
@click.option("--rig", required=True, help="rig set-up of the segment")
@click.option(
    "--output", type=Table("annotations"), required=True, help="table of annotations to write"
)
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@with_settings(settings.Image)
def compare_annotations(**options: Any) -> None:
    """Judge annotations by the detections of the same frames, and keep those that fit."""
    from murid.detect.annotated import run

    run(**options)


@cli.command("assess-detector")
@annotated_segments(
    "SPLIT DETECTIONS ANNOTATIONS", "split of a segment and its two tables; repeatable"
)
@click.option(
    "--iou",
    type=click.FloatRange(0, 1),
    default=settings.Track().iou,
    show_default=True,
    help="IoU at which the tracker links boxes, measured beside the usual one",
)
@click.option(
    "--output",
    type=Table("detector_metrics"),
    required=True,
    help="table of detector_metrics to write",
)
def assess_detector(segments: tuple[tuple[str, Path, Path], ...], iou: float, output: Path) -> None:
    """Measure precision and recall of detections against annotations."""
    from murid.detect.assess import run

    run(segments, output, iou)


@cli.command("validate-detector")
@annotated_segments(
    "SPLIT VIDEO ANNOTATIONS",
    "split of a segment, its video and its table of annotations; repeatable",
)
@RATES
@click.option("--detector", type=PATH, required=True, help="trained detector (safetensors)")
@click.option(
    "--output",
    type=Table("detector_validation"),
    required=True,
    help="table of detector_validation to write",
)
@with_settings(settings.Proposals)
def validate_detector_(
    segments: tuple[tuple[str, Path, Path], ...],
    fps: tuple[tuple[Path, float], ...],
    detector: Path,
    output: Path,
    proposals: settings.Proposals,
) -> None:
    """Measure all boxes of a detector against annotations, by the COCO protocol."""
    from murid.detect.validate import run

    run(segments, detector, output, proposals, dict(fps))
