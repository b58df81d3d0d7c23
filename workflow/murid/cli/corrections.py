"""What people answered, looked at before a run obeys it."""

import logging
import sys
from pathlib import Path

import click

from murid.cli.preflight import CONFIG, plan_of
from murid.cli.root import cli


@cli.group("corrections")
def corrections_() -> None:
    """Look at what people answered of single boxes."""


@corrections_.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.argument("configfiles", nargs=-1)
@CONFIG
def check(file: Path, configfiles: tuple[str, ...], values: tuple[str, ...]) -> None:
    """Tell which rows of FILE are sound, what each names, and what it would change.

    Boxes are looked up in the results of a run of CONFIGFILES, as if FILE took the place of the
    corrections that these name, beside those of the sheet; without any, rows are judged by
    themselves. Nothing is written.
    """
    from murid.review import corrections

    # How names are searched is for the logs of jobs.
    logging.getLogger("murid").setLevel(logging.ERROR)
    made = plan_of(configfiles, values) if configfiles or values else None
    checked = corrections.check(file, made)
    for line in checked.lines:
        click.echo(line)
    if checked.wrong:
        sys.exit(2)
