"""What all commands belong to."""

import click

from murid.cli.commands import Stages


@click.group(
    cls=Stages,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="murid")
def cli() -> None:
    """Tell who is who in a cage of identical animals. One command a stage."""


@cli.group("import", cls=Stages, words="import ")
def import_() -> None:
    """Turn files of other formats into tables."""


@cli.group("study", cls=Stages, words="study ")
def study_() -> None:
    """Measure what settings rest on, on annotated segments."""
