"""How times are written on pages of cages."""

MINUTE, HOUR = 60, 3600
LONG = 100
"""Hours from which on minutes are of no account."""


def duration(seconds: float) -> str:
    """Write how long something lasts, in its two greatest units.

    Examples
    --------
    >>> duration(45), duration(200), duration(720), duration(27_000), duration(7200)
    ('45 s', '3 min 20 s', '12 min', '7 h 30 min', '2 h')
    >>> duration(59.7), duration(3599.6), duration(3_600_000)
    ('1 min', '1 h', '1,000 h')
    """
    whole = round(seconds)
    if whole < HOUR:
        parts = ((whole // MINUTE, "min"), (whole % MINUTE, "s"))
    else:
        minutes = round(seconds / MINUTE)
        hours = minutes // MINUTE
        parts = ((hours, "h"), (minutes % MINUTE if hours < LONG else 0, "min"))
    return " ".join(f"{count:,} {unit}" for count, unit in parts if count) or "0 s"
