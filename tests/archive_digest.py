"""Digests of a simulated archive, which must not depend on the processor that drew it.

    python tests/archive_digest.py                 simulate a small archive three times and compare
    python tests/archive_digest.py demo/archive    the digest of an archive that is there

The three: with all that the processor can do, with nothing newer than AVX2, and without AVX. To
restrict another command to AVX2 in the same way, put what ``--environment`` prints before it.
"""

import argparse
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np

SIZE = ["--cages", "2", "--seconds", "1", "--damaged-seconds", "1", "--width", "160"]


def digest(folder: Path) -> str:
    """Return one digest of the names and contents of all files below a folder."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        total.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def restricted(to_avx2: bool) -> dict[str, str]:
    """Return the environment in which libraries leave out AVX-512, or all of AVX."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return {}
    found = np.show_config("dicts")["SIMD Extensions"].get("found", [])
    listed = [name[1:] for name in cv2.getCPUFeaturesLine().split() if name[0] == "*"]
    known = [name for name in [*found, *listed] if not name.endswith("?")]
    newer = [name for name in known if "512" in name or "V4" in name]
    off = newer if to_avx2 else known
    cpu = ["AVX512F", "AVX512VL", "AVX512BW", "AVX512DQ", "AVX512CD"]
    cpu += [] if to_avx2 else ["AVX", "AVX2", "FMA", "FMA4"]
    environment = {
        "NPY_DISABLE_CPU_FEATURES": ",".join(name for name in off if name in found),
        "OPENCV_CPU_DISABLE": ",".join(name for name in off if name in listed),
        "OPENCV_IPP": "avx2" if to_avx2 else "sse42",
        "OPENBLAS_CORETYPE": "Haswell" if to_avx2 else "Prescott",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in cpu),
        "NUMBA_CPU_NAME": "haswell" if to_avx2 else "nehalem",
    }
    return {name: value for name, value in environment.items() if value}


def simulated(environment: dict[str, str]) -> str:
    """Simulate a small archive in an environment and return its digest."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "murid", "simulate", folder, *SIZE]
        subprocess.run(command, env=os.environ | environment, check=True, capture_output=True)
        return digest(Path(folder))


def main() -> int:
    """Print what is asked for; the exit status is 1 where digests differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="an archive that is there")
    parser.add_argument("--environment", action="store_true", help="print that of AVX2")
    options = parser.parse_args()
    if options.environment:
        print(" ".join(f"{name}={value}" for name, value in restricted(True).items()))
        return 0
    if options.folder:
        print(digest(options.folder), options.folder)
        return 0
    ways = {"as it is": {}, "AVX2": restricted(True), "without AVX": restricted(False)}
    found = {name: simulated(environment) for name, environment in ways.items()}
    for name, value in found.items():
        print(value, name)
    return int(len(set(found.values())) > 1)


if __name__ == "__main__":
    sys.exit(main())
