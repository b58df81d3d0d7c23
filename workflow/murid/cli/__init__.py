"""The command line: ``murid STAGE ...``, paths and plain options in, paths out; no logic.

Each command imports its stage only when it runs, so that starting is quick. The options that are
settings come from the stage's model in :mod:`murid.settings`; values are written as in YAML.
"""

import logging
import resource
import sys
import time

import click

# Importing them is what makes their commands known.
from murid.cli import archive, clip, detect, evaluate, identify, preflight, study, track  # noqa: F401
from murid.cli.root import cli
from murid.errors import InputError

__all__ = ["cli", "main"]


def main() -> None:
    """Run the command line; bad input ends with its message and status 2, a bug in a traceback.

    The last line of a log tells what the command took, which is what a job must ask for.
    """
    logging.basicConfig(format="%(message)s")
    logging.getLogger("murid").setLevel(logging.INFO)
    start = time.perf_counter()
    try:
        # Nothing comes back from a command, but from a page of help.
        if cli.main(standalone_mode=False) is None:
            _tell(time.perf_counter() - start)
    except InputError as error:
        click.echo(f"murid: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)


def _tell(seconds: float) -> None:
    """Tell how long a command took, and its peak memory."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (2**20 if sys.platform == "darwin" else 2**10)
    click.echo(f"{seconds:.1f} s, {megabytes:,.0f} MB", err=True)
