"""How many annotated frames a detector needs; standard library only, since a plan asks."""

FRAMES = 100
"""Annotated frames to train on, at least."""
CAGES = 3
"""Cages that they are of, at least."""


def lacking(frames: int, cages: int | None = None) -> str:
    """Tell that frames are too few to train a detector on; nothing if they are enough.

    Parameters
    ----------
    frames
        Annotated frames.
    cages
        Cages that they are of; None: unknown.

    Examples
    --------
    >>> lacking(100, 3)
    ''
    >>> lacking(100, 2).partition(":")[0]
    '100 or more annotated frames of 2 cages'
    """
    if frames >= FRAMES and (cages is None or cages >= CAGES):
        return ""
    # Whoever asks may have stopped counting there.
    counted = f"{frames:,}" if frames < FRAMES else f"{FRAMES} or more"
    of_cages = f" of {cages:,} cage{'s' * (cages != 1)}" if cages is not None else ""
    return (
        f"{counted} annotated frame{'s' * (frames != 1)}{of_cages}: too few to train a detector "
        f"that works elsewhere, which takes {FRAMES} of {CAGES} cages at least (fifteen "
        "gave an average precision of .97 on themselves, and .31 elsewhere)"
    )
