"""One run at a time over a folder of results, also after a run that was killed.

Snakemake's own lock outlives a killed run and must be removed by hand; this one is the kernel's and
ends with the process, however that ends. Standard library only: read before every run.
"""

import fcntl
import os
import socket
from pathlib import Path

from murid.errors import InputError

NAME = ".murid.run.lock"


def acquire(results: str | Path) -> int:
    """Claim a folder of results, which is made if it is missing, until this process ends.

    Parameters
    ----------
    results
        The folder.

    Returns
    -------
    The descriptor of the lock file; the claim lasts as long as it is open.

    Raises
    ------
    InputError
        If the folder cannot be written to, or another run has claimed it.
    """
    path = Path(results, NAME)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(
            results, f"that it cannot be written ({error.strerror})",
            "a folder for results that can be",
            remedy="Give another one: results=PATH.",
        ) from error  # fmt: skip
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.read(lock, 200).decode(errors="replace").strip() or "a process unknown"
        os.close(lock)
        raise InputError(
            results, f"that another run is at work there ({owner})", "one run at a time",
            remedy="Wait for it, or stop it.",
        ) from error  # fmt: skip
    except OSError:
        # Some network file systems know no locks; a run without is better than none.
        return lock
    try:
        os.truncate(lock, 0)
        os.write(lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
    except OSError as error:
        raise InputError(
            results, f"that nothing can be written to it ({error.strerror})", "free space",
            remedy="Free some space or give another results folder, then run again.",
        ) from error  # fmt: skip
    return lock
