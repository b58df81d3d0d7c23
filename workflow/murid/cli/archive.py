"""What comes in: archives of other formats, the check of a segment, the demo archive."""

from pathlib import Path

import click

from murid import settings
from murid.cli.options import PATH, POSITIVE, Table, of_segment, with_settings
from murid.cli.root import cli


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
@click.option(
    "--output-detections",
    type=Table("detections"),
    help="table of the tracklets' detections to write",
)
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
@of_segment
@click.option("--positions", type=PATH, required=True, help="antenna readings, any format")
@click.option("--annotations", type=PATH, help="annotated frames, any format")
@click.option("--detections", type=PATH, help="boxes made elsewhere, any format")
@click.option("--tracklets", type=PATH, help="tracklets made elsewhere, any format")
@click.option("--video", type=PATH, help="recording, to compare its length")
@click.option("--animals", default="", help="names of the cage's animals, with commas")
@click.option("--fps", type=POSITIVE, default=25.0, show_default=True, help="frames per second")
@click.option("--shared", multiple=True, help="what the sheet names for another segment, too")
@click.option(
    "--output-positions", type=Table("positions"), required=True, help="table of positions to write"
)
@click.option(
    "--output-annotations", type=Table("annotations"), required=True, help="annotations to write"
)
@click.option(
    "--output-detections", type=Table("detections"), help="table of the given detections to write"
)
@click.option(
    "--output-tracklets", type=Table("tracklets"), help="table of the given tracklets to write"
)
@with_settings(settings.Grid, settings.Check)
def check_(
    cage: str,
    segment: str,
    animals: str,
    fps: float,
    shared: tuple[str, ...],
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
        shared,
    )
    click.echo(
        f"{cage} {segment}: {verdict.status}" + f" ({verdict.reason})" * bool(verdict.reason)
    )


@cli.command("simulate")
@click.argument("out", type=PATH)
@with_settings(settings.Simulate)
def simulate_(out: Path, simulate: settings.Simulate) -> None:
    """Make a demo archive in the folder OUT: videos, antenna traces, annotations, a sheet."""
    from murid.sheet import read_sheet
    from murid.simulate import run

    run(out, simulate)
    sheet = out / "segments.tsv"
    segments = read_sheet(sheet)
    cages = {cage: row.split for (cage, _), row in segments.items()}
    splits = ", ".join(f"{cage} {split}" for cage, split in cages.items())
    click.echo(f"made {sheet} and {len(segments)} segments of {len(cages)} cages ({splits})")
