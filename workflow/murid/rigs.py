"""The table ``transforms``: from raw pixels of a rig set-up to the frame of reference."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from murid import boxes, tables
from murid.errors import InputError
from murid.tables import Verdict

REFUSED, REMARK = "refused.", "remark."
"""Before the name of a rig in what ``transforms`` tells of how it was made: why it has no row, and
what may be wrong with its points."""


def read_matrices(path: str | Path, rigs: Iterable[str]) -> dict[str, np.ndarray]:
    """Read the table ``transforms`` as a (2, 3) float64 matrix, raw to reference pixels, by rig.

    Raises
    ------
    InputError
        If one of ``rigs`` has no transform, or one that cannot be undone, or as
        :func:`murid.tables.read`.
    """
    frame = tables.read(path, "transforms")
    values = frame[[f"m{row}{column}" for row in range(2) for column in range(3)]].to_numpy()
    matrices = dict(zip(frame["rig"], values.reshape(-1, 2, 3), strict=True))
    refused = read_refused(path)
    for rig in rigs:
        if rig not in matrices:
            known = ", ".join(matrices) or "(none)"
            raise InputError(
                path, f"transforms of {known}", f"also one of the rig set-up {rig!r}",
                remedy=refused.get(rig, "Add its calibration points."),
            )  # fmt: skip
        if not boxes.is_sane(matrices[rig]):
            low, high = boxes.scales(matrices[rig])
            raise InputError(
                path, f"a transform of the rig set-up {rig!r} that scales by {low:g} to {high:g}",
                f"{boxes.LEAST_SCALE:g} to {1 / boxes.LEAST_SCALE:g}",
                remedy="Remove the file and run again; see to the rig's calibration points.",
            )  # fmt: skip
    return matrices


def read_refused(path: str | Path) -> dict[str, str]:
    """Return why rig set-ups have no row in the table ``transforms`` at ``path``, by rig.

    Raises
    ------
    InputError
        If the file is missing or no Parquet.
    """
    about = tables.read_about(path)
    return {key[len(REFUSED) :]: about[key] for key in about if key.startswith(REFUSED)}


def read_segment_verdict(transforms: str | Path, rig: str, *paths: str | Path) -> Verdict:
    """Return the verdict on a segment: that of its tables, and of its rig where they are fit.

    Parameters
    ----------
    transforms
        The table ``transforms``; looked at only if the segment's own tables do not discard it.
    rig
        The segment's rig set-up; ``discarded`` if calibration refused it, ``repaired`` if it had a
        remark on it.
    paths
        The segment's tables.

    Raises
    ------
    InputError
        As :func:`murid.tables.read_verdict`, or if ``transforms`` is missing or no Parquet.
    """
    verdict = tables.read_verdict(*paths)
    if verdict.discarded:
        return verdict
    about = tables.read_about(transforms)
    if remark := about.get(f"{REMARK}{rig}"):
        verdict |= Verdict("repaired", remark)
    reason = about.get(f"{REFUSED}{rig}")
    if reason is None:
        return verdict
    return verdict | Verdict("discarded", f"the rig {rig} has no transform: {reason}")
