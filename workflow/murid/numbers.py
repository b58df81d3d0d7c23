"""Numbers of things, as sentences have them. Standard library only."""


def counted(number: int, word: str, words: str = "") -> str:
    """Write a number of things.

    Parameters
    ----------
    number
        How many.
    word, words
        What one is called, and what several are; without ``words``, with an s behind. A verb may
        follow in both.

    Examples
    --------
    >>> counted(1, "cage"), counted(2000, "mouse", "mice")
    ('1 cage', '2,000 mice')
    >>> counted(1, "segment has", "segments have")
    '1 segment has'
    """
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def lasting(hours: float) -> str:
    """Write how long something lasts, in hours, or in minutes if it is less than one.

    Examples
    --------
    >>> lasting(1.5), lasting(0.1)
    ('1.5 h', '6.0 min')
    """
    return f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.1f} min"
