"""The command line: ``murid STAGE ...``, paths and plain options in, paths out; no logic.

Commands are made of what stages declare (:mod:`murid.stage`), and what a stage works with is
imported only when it runs, so that starting is quick. Values of settings are written as in YAML.
"""

import contextlib
import logging
import os
import resource
import signal
import sys
import textwrap
import time
from types import FrameType

import click

# Importing them is what makes their commands known.
from murid.cli import alerts, corrections, guard, preflight  # noqa: F401
from murid.cli.root import cli
from murid.errors import InputError, PartialError, UnwritableError

__all__ = ["cli", "main"]

WAITED = 1.0
"""Seconds below which nobody who sits in front of it need be told what a command took."""
CONSOLE = "MURID_CONSOLE"
"""Environment variable: descriptor of the stream that whoever started a job reads."""


def main() -> None:
    """Run the command line; bad input ends with its message and status 2, a bug in a traceback.

    The last line of a log tells what the command took, which is what a job must ask for.
    """
    logging.basicConfig(format="%(message)s")
    logging.getLogger("murid").setLevel(logging.INFO)
    signal.signal(signal.SIGTERM, _end)
    start = time.perf_counter()
    try:
        # Nothing comes back from a command, but from a page of help.
        if cli.main(standalone_mode=False) is None:
            _tell(time.perf_counter() - start)
    except UnwritableError as error:
        _tell_console(f"murid: {error}")
        sys.exit(2)
    except (InputError, PartialError) as error:
        click.echo(textwrap.indent(str(error), "murid: "), err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)


def _end(number: int, frame: FrameType | None) -> None:
    """End in the way that lets what is half written be removed."""
    sys.exit(128 + number)


def _tell_console(message: str) -> None:
    """Tell the log, and who started the job: a log on a full disk keeps nothing."""
    with contextlib.suppress(OSError):
        click.echo(message, err=True)
    if CONSOLE in os.environ:
        with contextlib.suppress(OSError, ValueError):
            os.write(int(os.environ[CONSOLE]), f"{message}\n".encode())


def _tell(seconds: float) -> None:
    """Tell how long a command took, and its peak memory: every log, and whoever had to wait."""
    if seconds < WAITED and sys.stderr.isatty():
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (2**20 if sys.platform == "darwin" else 2**10)
    click.echo(f"took {seconds:.1f} s and at most {megabytes:,.0f} MB of memory", err=True)
