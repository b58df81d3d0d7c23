"""Which boxes are in no tracklet, so that methods that name tracklets cannot name them."""

from murid.tables import Verdict

NOT_FEW = 0.2
"""Share of a tool's tracklets' boxes from which it is worth a word that they are lost."""
UNLINKED = 1 / 8
"""Share of boxes from which it is worth a word that they are in no tracklet; on the released
archive 2 to 8% are. Animals whose boxes are in none are said to be hidden."""


def judge(mice: int, linked: int, remedy: str = "") -> Verdict:
    """Judge how many boxes are in no tracklet.

    Parameters
    ----------
    mice, linked
        Boxes of mice that are kept, and those of them that are in a tracklet.
    remedy
        What to add to the reason.

    Returns
    -------
    ``repaired`` if more than :data:`UNLINKED` are in none.
    """
    free = mice - linked
    if free <= UNLINKED * mice:
        return Verdict()
    share = f"{free:,} of {mice:,} boxes ({free / mice:.0%})"
    lost = "are in no tracklet: only the static methods name them"
    return Verdict("repaired", f"{share} {lost}{remedy}")
