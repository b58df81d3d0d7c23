"""That what stages of a segment work with loads nothing that takes longer than most of their work.

Every stage of every segment starts a process of its own.
"""

import subprocess
import sys

import pytest

SLOW = {
    "scipy.optimize", "scipy.signal", "scipy.stats", "scipy.special", "sklearn", "torch",
    "matplotlib", "mip", "av", "numba",
}  # fmt: skip
COMPILED = {"numba"}
"""What loops over boxes are compiled with."""
WORKING = {
    "archive.check": (),
    "clocks.align": (),
    "clocks.day": (),
    "clocks.watch": (),
    "detect.foreign": (),
    "detect.annotated": (),
    "draws.assignments": (),
    "evaluate.cage": (),
    "evaluate.segment": (),
    "exports.content": (),
    "health.cage": (),
    "identify.oracle": (),
    "identify.static": (),
    "places.infer": COMPILED,
    "readings.log_table": (),
    "review.stretches": (),
    "summaries.archive": (),
    "summaries.cage": (),
    "summaries.segment": COMPILED,
    "tracking.adopt": (),
    "tracking.link": (),
}


@pytest.mark.parametrize("module", WORKING)
def test_a_stage_of_a_segment_loads_nothing_slow(module: str) -> None:
    code = f"import sys, murid.{module}; print(*sys.modules.keys() & {SLOW})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= set(WORKING[module])
