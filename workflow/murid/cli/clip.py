"""Pictures and clips for human eyes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from murid import settings
from murid.cli.options import PATH, POSITIVE, Table, identities, of_segment, value_of
from murid.cli.root import cli

SCALE = click.FloatRange(0.1, 16)
"""Beyond it, a picture is too small to see anything in, or too large for any memory."""


def clip_sources(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what a clip is made of."""
    options = [
        click.option("--video", type=PATH, required=True, help="video of the segment"),
        click.option("--positions", type=PATH, required=True, help="table of positions"),
        identities("table of identities of a method; several are shown side by side"),
        click.option("--weights", type=PATH, required=True, help="fitted model (JSON)"),
        click.option("--transforms", type=PATH, required=True, help="table of transforms"),
        click.option("--rig", required=True, help="rig set-up of the segment"),
        click.option("--fps", type=POSITIVE, required=True, help="frames per second"),
        click.option("--scale", type=SCALE, help="enlargement  [default: as names need it]"),
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
@of_segment
@click.option("--fps", type=POSITIVE, required=True, help="frames per second")
@identities("table of identities of a method to compare; repeatable")
@click.option("--default", required=True, help="method whose confidence counts")
@click.option("--seconds", type=POSITIVE, required=True, help="length of a stretch")
@click.option("--output", type=Table("moments"), required=True, help="table of moments to write")
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

    how = settings.parse(settings.Clips, {"clahe": value_of("clahe", clahe), "speed": speed})
    run(**options, settings=how)
