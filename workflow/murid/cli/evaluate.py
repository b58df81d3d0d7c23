"""Figures: of a segment, of a cage, of all; the report, and the list for reviewers."""

from pathlib import Path
from typing import Any

import click

from murid import settings
from murid.cli.options import PATH, POSITIVE, SPLIT, Table, identities, of_segment, with_settings
from murid.cli.root import cli


@cli.command()
@of_segment
@click.option("--split", type=SPLIT, default="", help="Train, Validate, Test or nothing")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option("--tracklets", type=PATH, required=True, help="table of tracklets")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--annotations", type=PATH, required=True, help="table of annotations")
@identities("a method and its table; repeatable, with annotations also 'oracle'")
@click.option("--default", required=True, help="method whose table is the answer")
@click.option(
    "--output-animals",
    type=Table("animal_outcomes"),
    required=True,
    help="animal_outcomes to write",
)
@click.option(
    "--output-detections",
    type=Table("detection_outcomes"),
    required=True,
    help="detection_outcomes to write",
)
@click.option(
    "--output-summary", type=Table("summaries"), required=True, help="one row of summaries to write"
)
@with_settings(settings.Evaluate)
def evaluate(
    cage: str, segment: str, split: str, identities: tuple[tuple[str, Path], ...], **options: Any
) -> None:
    """Compare what each method says of a segment with its annotations."""
    from murid.evaluate.segment import run

    labels = {"cage": cage, "segment": segment, "split": split}
    run(labels, identities=dict(identities), settings=options.pop("evaluate"), **options)


@cli.command()
@click.option(
    "--segment",
    "members",
    type=(str, str, SPLIT, POSITIVE, PATH, PATH, PATH),
    multiple=True,
    metavar="CAGE SEGMENT SPLIT FPS ANIMALS DETECTIONS SUMMARY",
    help="a segment, and its animal_outcomes, detection_outcomes and summary; repeatable",
)
@click.option("--output-counts", type=Table("counts"), required=True, help="counts to write")
@click.option(
    "--output-reliability", type=Table("reliability"), required=True, help="reliability to write"
)
@click.option(
    "--output-summaries", type=Table("summaries"), required=True, help="summaries to write"
)
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
@click.option(
    "--output", type=Table("stretches"), required=True, help="stretches to write; FILE.csv: as CSV"
)
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
@click.option("--detector-validation", type=PATH, help="table of detector_validation")
@click.option("--detector-metrics", type=PATH, help="table of detector_metrics")
@click.option("--clips", type=PATH, help="table of clips, which lie beside it")
@click.option("--transforms", type=PATH, help="table of transforms")
@click.option("--weights", type=PATH, help="weights that names rest on, for their remarks")
@click.option("--calibration-points", type=PATH, help="table of calibration_points")
@click.option("--calibration-residuals", type=PATH, help="table of calibration_residuals")
@click.option("--output-dir", type=PATH, required=True, help="folder of the report")
@with_settings(settings.Report)
def report(report: settings.Report, **options: Any) -> None:
    """Write the metrics and a page that explains them."""
    from murid.report.stage import run

    run(**options, settings=report)
