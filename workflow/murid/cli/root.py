"""What all commands belong to."""

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="murid")
def cli() -> None:
    """Tell who is who in a cage of identical animals. One command a stage."""
