"""What got worse than its limits, printed from the report of a run."""

import sys
from pathlib import Path

import click

from murid.cli.root import cli

BEYOND = 3
"""Exit status where there are alerts, and these are to fail: 1 is a bug's, 2 that of bad input."""


@cli.command()
@click.argument("results", type=click.Path(path_type=Path, readable=False))
@click.option("--fail", is_flag=True, help=f"exit with status {BEYOND} if there is any alert")
@click.option(
    "--since",
    metavar="DAY",
    help="only what was so on this day or later, as 2026-03-01, and what has no day",
)
def alerts(results: Path, fail: bool, since: str | None) -> None:
    """Tell what got worse than its limits, by report/alerts.csv in RESULTS, a line each."""
    from murid.alerts import told

    lines = told.lines(results, since)
    for line in lines:
        click.echo(line)
    if fail and lines:
        sys.exit(BEYOND)
