"""Detections, linked into tracklets; and the visual tracker that murid is compared with."""

from pathlib import Path
from typing import Any

import click

from murid import settings
from murid.cli.options import PATH, POSITIVE, Table, with_settings
from murid.cli.root import cli


@cli.command()
@click.option("--detections", type=PATH, required=True, help="table of detections")
@click.option(
    "--output", type=Table("tracklets"), required=True, help="table of tracklets to write"
)
@with_settings(settings.Track)
def track(detections: Path, output: Path, track: settings.Track) -> None:
    """Link detections into tracklets (SORT)."""
    from murid import track as stage

    stage.run(detections, output, track)


@cli.command("adopt-tracklets")
@click.option("--tracklets", type=PATH, required=True, help="table of tracklets by another tool")
@click.option("--detections", type=PATH, required=True, help="table of the detections kept")
@click.option(
    "--output", type=Table("tracklets"), required=True, help="table of tracklets to write"
)
def adopt_tracklets(tracklets: Path, detections: Path, output: Path) -> None:
    """Adopt tracklets made elsewhere, as far as their detections are kept."""
    from murid.adopt import run

    run(tracklets, detections, output)


@cli.command("track-visually")
@click.option("--video", "footage", type=PATH, required=True, help="video of the segment")
@click.option("--positions", type=PATH, required=True, help="table of positions")
@click.option("--annotations", type=PATH, required=True, help="table of annotations")
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@click.option(
    "--output", type=Table("identities"), required=True, help="table of identities to write"
)
@with_settings(settings.TrackVisually, settings.Evaluate)
def track_visually_(track_visually: settings.TrackVisually, **options: Any) -> None:
    """Track each animal from an annotated frame in the middle of every snippet, both ways."""
    from murid.visual import run

    run(**options, settings=track_visually)
