"""Run a command; print its seconds, by the clock and of processor time, its peak memory and exit.

A process of its own: what Linux tells of a child's peak memory includes that of the process which
started it, so that one must be small.
"""

import json
import os
import sys
import time

begin = time.perf_counter()
child = os.posix_spawn(
    sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)]
)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - begin
found = {
    "seconds": seconds,
    "processor": usage.ru_utime + usage.ru_stime,
    "megabytes": usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3),
    "exit": os.waitstatus_to_exitcode(status),
}
json.dump(found, sys.stdout)
