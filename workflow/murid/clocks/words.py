"""A clock in words, the same wherever it is told: early or late, gains or loses.

What a log stamps too early is by a clock that is behind; it loses if that grows.
"""

A_DAY = 0.0864
"""Seconds a day that a part per million is."""


def offset(late: float, lag: float | None) -> str:
    """Say by how much the times of a log are off.

    Parameters
    ----------
    late
        Seconds by which readings run late, the system's lag included.
    lag
        Seconds of it that are the system's; None if that is not known.

    Examples
    --------
    >>> offset(-1.71, None)
    "1.7 s early, the system's lag included"
    >>> offset(2.5, 0.5)
    "2.0 s late beyond the system's lag"
    """
    of_lag = ", the system's lag included" if lag is None else " beyond the system's lag"
    return side(late - (lag or 0.0)) + of_lag


def side(late: float) -> str:
    """Say by how much, and on which side, times are off by some seconds.

    Examples
    --------
    >>> side(-1.71)
    '1.7 s early'
    """
    return f"{abs(late):,.1f} s {'late' if late > 0 else 'early'}"


def drift(ppm: float, spread: float) -> str:
    """Say by how much a clock gains or loses; "" if no drift is told.

    Parameters
    ----------
    ppm
        Parts per million by which readings run later and later; 0 where that is not told.
    spread
        Its standard error, parts per million.

    Examples
    --------
    >>> drift(-39.5, 3.96)
    'its clock loses 3.4 s a day (-40 +/- 4 ppm)'
    >>> drift(0.0, 0.0)
    ''
    """
    if not ppm:
        return ""
    moves = "gains" if ppm > 0 else "loses"
    return f"its clock {moves} {abs(ppm) * A_DAY:.1f} s a day ({ppm:+.0f} +/- {spread:.0f} ppm)"


def told_by(standing: int, segments: int) -> str:
    """Say how many segments of a clock's day tell that.

    Examples
    --------
    >>> told_by(4, 8), told_by(1, 1)
    ('told by 4 of 8 segments', 'told by 1 of 1 segment')
    """
    return f"told by {standing} of {segments} segment{'s' * (segments != 1)}"
