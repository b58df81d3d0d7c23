"""Keeping memory from growing while frames come and go."""

import ctypes
import sys

_MMAP_THRESHOLD = -3
"""``M_MMAP_THRESHOLD`` of glibc's ``mallopt``."""
LARGE = 2**20
"""Bytes."""


def give_back_large_blocks() -> None:
    """Have what is larger than a mebibyte go back to the system when freed, where glibc allocates.

    By default glibc learns from large blocks that are freed to keep even larger ones, up to 32 MiB,
    in heaps that fill up with holes as batches of boxes come and go.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, LARGE)
