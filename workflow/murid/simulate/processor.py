"""Arithmetic that is the same on every x86-64 processor, so that an archive is, byte for byte.

NumPy, OpenBLAS, OpenCV and the C library choose their code by what the processor can do, and round
the last digit differently. They choose when they are loaded, so that drawing is left to processes
of its own, which start with all of it switched off that not every such processor has.
"""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np

_BLAS = {"x86_64": "Nehalem", "amd64": "Nehalem"}
"""OpenBLAS's kernels, by architecture; Nehalem has what NumPy itself asks for and no more."""
_C_LIBRARY = ("AVX", "AVX2", "AVX512F", "FMA", "FMA4", "AVX2_Usable", "FMA_Usable", "FMA4_Usable")
"""What glibc's mathematical functions look at, by its names of today and of before 2.33."""


def plain() -> dict[str, str]:
    """Return the environment in which a new process calculates as on any other processor.

    What the environment switches off already stays switched off.
    """
    numpy: Any = np.show_config("dicts")
    extensions = numpy.get("SIMD Extensions", {}).get("found", [])
    # OpenCV lists what it chooses from with a star, and what the processor lacks with a mark.
    opencv = [name[1:] for name in cv2.getCPUFeaturesLine().split() if name[0] == "*"]
    opencv = [name for name in opencv if not name.endswith("?")]
    switches = {
        "NPY_DISABLE_CPU_FEATURES": _joined("NPY_DISABLE_CPU_FEATURES", extensions),
        "OPENCV_CPU_DISABLE": _joined("OPENCV_CPU_DISABLE", opencv),
        "OPENCV_IPP": "disabled",
        "OPENCV_LOG_LEVEL": "ERROR",  # without a warning that it is
        "OPENCV_FOR_THREADS_NUM": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_CBWR": "COMPATIBLE",
    }
    machine = platform.machine().lower()
    if machine in _BLAS:
        without = ",".join(f"-{name}" for name in _C_LIBRARY)
        tunables = [os.environ.get("GLIBC_TUNABLES", ""), f"glibc.cpu.hwcaps={without}"]
        switches["OPENBLAS_CORETYPE"] = _BLAS[machine]
        switches["GLIBC_TUNABLES"] = ":".join(filter(None, tunables))
    return switches


@contextmanager
def plain_processes() -> Iterator[None]:
    """Let processes that are started within calculate as on any other processor."""
    before = dict(os.environ)
    switches = plain()
    os.environ.update(switches)
    try:
        yield
    finally:
        for name in switches:
            if name in before:
                os.environ[name] = before[name]
            else:
                del os.environ[name]


def _joined(name: str, features: list[str]) -> str:
    given = os.environ.get(name, "").replace(",", " ").split()
    return ",".join(dict.fromkeys([*given, *features]))
