"""What can be told of a run before it runs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from murid.cli.options import value_of
from murid.cli.root import cli
from murid.errors import InputError
from murid.numbers import counted

if TYPE_CHECKING:
    from murid.run import plan


CONFIG = click.option(
    "--config",
    "values",
    multiple=True,
    metavar="KEY=VALUE ...",
    help="values that win over those of the files, written as for snakemake",
)


def plan_of(configfiles: tuple[str, ...], values: tuple[str, ...]) -> "plan.Plan":
    """Return the plan of a run of configuration files, and of values that win over theirs.

    Raises
    ------
    InputError
        If a value is none, or as :func:`murid.run.plan.load`.
    """
    from snakemake.utils import update_config

    from murid.run import configuration, plan

    # Of several values after one --config all but the first come as arguments.
    more = [text for text in configfiles if "=" in text and not Path(text).exists()]
    values = (*values, *more)
    paths = [text for text in configfiles if text not in more]
    overriding: dict[str, Any] = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError("options", repr(text), "key=value", where="--config")
        update_config(overriding, {key: value_of("config", value)})
    places = configuration.places(paths, overriding)
    config: dict[str, Any] = {}
    for layer in (*map(configuration.read, paths), overriding):
        update_config(config, layer)
    plan.refresh_sheet(config, places)
    return plan.load(config, places)


@cli.command()
@click.argument("configfiles", nargs=-1, required=True)
@CONFIG
@click.option(
    "--cluster",
    is_flag=True,
    help="jobs run on other machines: that training does not fit on this one is a warning",
)
def preflight(configfiles: tuple[str, ...], values: tuple[str, ...], cluster: bool) -> None:
    """Tell all that can be known of a run of CONFIGFILES before anything runs."""
    from murid.run import preflight as stage

    made = plan_of(configfiles, values)
    click.echo(stage.summary(made))
    findings = stage.look(made, here=not cluster)
    for finding in findings:
        click.echo(finding)
    if any(finding.fatal for finding in findings):
        sys.exit(2)
    warnings = f", with {counted(len(findings), 'warning')}" if findings else ""
    click.echo(f"ready to run{warnings}")
