"""Starts of Snakemake and murid in processes that need not load libraries any more.

To load them takes most of the time of a small job, and half of that of a small dry run; tests make
many of both. Run with the path of a socket alone, this loads them, does nothing else, and forks for
each start that is asked for on the socket: the fork takes over the arguments, the environment and
the streams of whoever asks, and finds murid where their ``PYTHONPATH`` says. Run with more, as jobs
do in place of ``python``, it asks, waits, and ends as the fork has ended.

Standard library only: jobs read it.
"""

import atexit
import contextlib
import fcntl
import gc
import json
import os
import runpy
import select
import shlex
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path

LOADED = (
    "click", "jinja2", "numpy", "pandas", "pyarrow.parquet", "pydantic", "yaml", "scipy.optimize",
    "scipy.sparse", "scipy.special", "sklearn.ensemble", "snakemake.cli",
)  # fmt: skip
MODULES = ("snakemake", "murid")
STREAMS = (0, 1, 2, 3)
"""Input, output, errors, and the one that jobs tell their console by."""
HIGH = 100
"""Above every descriptor that is in use."""


def run(
    words: list[str], folder: Path, environment: dict[str, str], before: Sequence[str] = ()
) -> tuple[int, str]:
    """Run ``python -m`` and these words, its jobs in forks as well.

    What they are forked from is run by the words of the command ``before`` it, if any.

    Returns
    -------
    Its exit status, and what it said on both streams.
    """
    import tempfile

    before = tuple(before)
    name = str(_server(before))
    # Bash takes functions from the environment: what is called python there is this.
    function = f'() {{ {shlex.join(python(before))} "$@"; }}'
    environment = environment | {"BASH_FUNC_python%%": function}
    with tempfile.TemporaryFile() as said, open(os.devnull) as silent:
        streams = {0: silent.fileno(), 1: said.fileno(), 2: said.fileno()}
        status = _ask(name, words, str(folder), environment, streams)
        said.seek(0)
        return status, said.read().decode()


def python(before: tuple[str, ...] = ()) -> list[str]:
    """Return words that stand for ``python``: what they run, if it can, is forked."""
    return [sys.executable, "-I", "-S", __file__, str(_server(before))]


@cache
def _server(before: tuple[str, ...]) -> Path:
    import subprocess
    import tempfile

    name = Path(tempfile.mkdtemp(prefix="forked"), "socket")
    command = [*before, sys.executable, __file__, str(name)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdout.readline(), "the process that others are forked from is gone"

    def end() -> None:
        server.communicate()  # nothing more to read ends it
        name.unlink(missing_ok=True)
        name.parent.rmdir()

    atexit.register(end)
    return name


def _ask(
    name: str, words: list[str], folder: str, environment: dict[str, str], streams: dict[int, int]
) -> int:
    request = {
        "words": words, "folder": folder, "environment": environment, "streams": [*streams],
    }  # fmt: skip
    text = json.dumps(request).encode()
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(name)
        socket.send_fds(asking, [struct.pack("=I", len(text))], [*streams.values()])
        asking.sendall(text)
        answer = asking.recv(1)
    assert answer, "the process that waits for the fork is gone"
    return answer[0]


def _serve(name: str) -> dict | None:
    """Fork for each start that is asked for; return in forks, with what is to be started."""
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # as the workflow sets it for its jobs
    os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"  # forks would lack the thread
    for module in LOADED:
        __import__(module)
    gc.collect()
    gc.freeze()
    if os.path.isdir("/proc/self/task"):
        assert len(os.listdir("/proc/self/task")) == 1, "a process with threads must not fork"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(name)
    listening.listen(64)
    print("ready", flush=True)
    return _fork(listening)


def _fork(listening: socket.socket) -> dict | None:
    """Fork for each that asks, and tell who asked how it ended; ends with standard input."""
    ended, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes)
    under_way: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([listening, sys.stdin, ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            _tell_ended(under_way)
        if sys.stdin in ready:
            return None
        if listening in ready:
            asking, _ = listening.accept()
            request, streams = _read(asking)
            child = os.fork()
            if child == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for one in (listening, asking, *under_way.values()):
                    one.detach()  # closed with the others
                _become(request, streams)
                return request
            under_way[child] = asking
            for stream in streams:
                os.close(stream)


def _tell_ended(under_way: dict[int, socket.socket]) -> None:
    for child in [*under_way]:
        found, ended = os.waitpid(child, os.WNOHANG)
        if found:
            status = os.waitstatus_to_exitcode(ended)
            with under_way.pop(child) as asking, contextlib.suppress(BrokenPipeError):
                asking.sendall(bytes([status if status >= 0 else 128 - status]))


def _read(asking: socket.socket) -> tuple[dict, list[int]]:
    """Return what is asked for, and the streams that it is to have."""
    head, streams, _, _ = socket.recv_fds(asking, 4, len(STREAMS))
    (length,) = struct.unpack("=I", head)
    text = b""
    while len(text) < length:
        text += asking.recv(length - len(text))
    return json.loads(text), streams


def _become(request: dict, streams: list[int]) -> None:
    """Stand where the command would be started, and as it would be."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ |= request["environment"]
    # Two steps, since those that are given may have the numbers of others.
    high = [fcntl.fcntl(stream, fcntl.F_DUPFD, HIGH) for stream in streams]
    os.closerange(min(STREAMS), HIGH)
    for stream, given in zip(request["streams"], high, strict=True):
        os.dup2(given, stream)
        os.close(given)
    own = os.path.dirname(os.path.abspath(__file__))
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    first = [] if os.environ.get("PYTHONSAFEPATH") else [request["folder"]]
    # What was there when the server was started is not what the command would find there.
    inherited = {own, *_PYTHONPATH}
    rest = [path for path in sys.path if path not in inherited]
    sys.path[:] = [*first, *filter(None, paths), *rest]


_PYTHONPATH = os.environ.get("PYTHONPATH", "").split(os.pathsep)


def _start(words: list[str]) -> None:
    """Run ``python -m`` and these words, and end.

    Without taking apart what was loaded, which takes longer than a small job.
    """
    sys.argv = words
    status = 0
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status & 255)


def _main(name: str, *words: str) -> None:
    if not words:
        if request := _serve(name):
            _start(request["words"])
    elif words[0] == "-m" and words[1] in MODULES:
        streams = {stream: stream for stream in STREAMS if _is_open(stream)}
        sys.exit(_ask(name, [*words[1:]], os.getcwd(), dict(os.environ), streams))
    else:
        os.execv(sys.executable, [sys.executable, *words])


def _is_open(stream: int) -> bool:
    with contextlib.suppress(OSError):
        return fcntl.fcntl(stream, fcntl.F_GETFD) >= 0
    return False


if __name__ == "__main__":
    _main(*sys.argv[1:])
