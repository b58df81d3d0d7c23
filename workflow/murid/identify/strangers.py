"""Whether each animal's own readings belong to the segment's boxes.

Where the trace of one animal alone is another's, as when tags were mixed up, those of the others
still fit, and the trace as a whole passes. Held against the boxes by itself, it does not. Only
frames with as many boxes as animals tell: in others the animal may be out of sight, in the nest.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from murid.identify.fit_check import FEWEST, Fit, Ints, Sampled, figures
from murid.models.norm import Norm
from murid.tables import Verdict

LIKELY = 0.5
"""Probability below which an animal's readings are told. Of 36 animals of the released archive and
18 of the demo none had less than .87; of those with the readings of another segment 46 of 54."""


def judge(
    weighed: tuple[Sampled, Ints, float], fit: Fit, norm: Norm, animals: Sequence[str]
) -> Fit:
    """Tell of animals whose readings do not fit the boxes, though those of others do.

    Parameters
    ----------
    weighed
        What :func:`murid.identify.fit_check.judge` needs.
    fit
        How the trace fits as a whole.
    norm
        What is to be expected.
    animals
        Names of the J animals, in the order of the readings' columns.

    Returns
    -------
    The same, or one that is probable as the share of animals is whose readings are their own.
    """
    if fit.windows < FEWEST or fit.verdict.discarded or len(animals) < 2:
        return fit
    sampled, antennas, lag = weighed
    sampled = sampled.only(sampled.boxes >= len(animals))
    antennas = fit.realign(antennas, sampled.fps)
    own = np.ones(len(animals))
    for place in range(len(animals)):
        level, peak, windows = figures(sampled, antennas[:, [place]], lag)
        if windows >= FEWEST:
            own[place] = norm.probability(level, peak, windows * sampled.window)
    strange = [str(name) for name, chance in zip(animals, own, strict=True) if chance < LIKELY]
    if not strange:
        return fit
    reason = (
        f"the readings of {', '.join(strange)} do not fit the boxes, though those of the others "
        f"do: they are the animal's own with a probability of {own.min():.2g}. Does it wear "
        "another's tag, or is the column of another file? No name is surer than "
        f"{own.mean():.2f}"
    )
    probability = min(fit.probability, float(own.mean()))
    return replace(fit, probability=probability, verdict=fit.verdict | Verdict("repaired", reason))
