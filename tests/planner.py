"""Dry runs of Snakemake, each in a process of its own that need not load Snakemake any more.

Loading it takes half the time of a small dry run, and tests make many. Run as a script, this reads
a request a line, forks, and writes the exit status of the fork a line; what a fork starts from has
loaded Snakemake and has done nothing else.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path


def plan(arguments: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run Snakemake with these arguments; return its exit status and what it said."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as kept:
        said = Path(kept, "said")
        request = {
            "arguments": arguments, "folder": str(folder), "environment": environment,
            "said": str(said),
        }  # fmt: skip
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        assert answer, "the process that plans runs is gone"
        return int(answer), said.read_text()


@cache
def _server() -> subprocess.Popen[str]:
    command = [sys.executable, __file__]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)  # nothing more to read ends it
    return server


def _serve() -> None:
    from snakemake.cli import main

    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            request = json.loads(line)
            _become(request)
            main()  # ends the process, as it does that of the command
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(request: dict) -> None:
    """Stand where the command would be started, and as it would be."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ |= request["environment"]
    sys.argv = ["snakemake", *request["arguments"]]
    sys.path[0] = request["folder"]
    said = os.open(request["said"], os.O_WRONLY | os.O_CREAT)
    silent = os.open(os.devnull, os.O_RDONLY)
    for stream, descriptor in enumerate((silent, said, said)):
        os.dup2(descriptor, stream)


if __name__ == "__main__":
    _serve()
