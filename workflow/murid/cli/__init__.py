"""The command line: ``murid STAGE ...``, paths and plain options in, paths out; no logic.

Each command imports its stage only when it runs, so that starting is quick. The options that are
settings come from the stage's model in :mod:`murid.settings`; values are written as in YAML.
"""

import logging
import sys

import click

# Importing them is what makes their commands known.
from murid.cli import archive, clip, detect, evaluate, identify, study, track  # noqa: F401
from murid.cli.root import cli
from murid.errors import InputError

__all__ = ["cli", "main"]


def main() -> None:
    """Run the command line; bad input ends with its message and status 2, a bug in a traceback."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("murid").setLevel(logging.INFO)
    try:
        cli.main(standalone_mode=False)
    except InputError as error:
        click.echo(f"murid: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)
