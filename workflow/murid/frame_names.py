"""Which frame an image is, by what its annotator says of it or by its name.

Nothing is guessed: a name that could be read in several ways is refused.
"""

import re
from pathlib import PureWindowsPath
from typing import Any

from murid.errors import shown

LAST = 2**31 - 1
"""The highest frame number that tables hold."""
REMEDY = (
    "Tell the frame itself (VIA: file attribute frame; COCO: frame beside the image's id), or "
    "rename the images: frame_000010.jpg."
)
"""What to do about a name that tells no frame."""

_MEDIA = (
    "avi|bmp|gif|h264|h265|hevc|j2k|jp2|jpeg|jpg|m2ts|m4v|mjpeg|mkv|mov|mp4|mpeg|mpg|pgm|png|ppm|"
    "tif|tiff|ts|webm|webp|wmv"
)
_SUFFIX = re.compile(rf"(\.[a-z][a-z0-9]{{0,5}})?$|(\.({_MEDIA}))+(\.[a-z][a-z0-9]{{0,5}})?$", re.I)
_TIME = r"(?:[01]\d|2[0-3])([-_.:h]?)[0-5]\d(?:\{0}|m)[0-5]\d(?:s|[.,]\d{{1,6}})?"
_DATES = re.compile(
    "|".join(
        [
            r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])",  # a UUID
            r"(?<!\d)(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])"
            r"(?:[-_.T ]+" + _TIME.format(2) + r")?(?!\d)",
            r"(?<!\d)(?:0[1-9]|[12]\d|3[01])([-_.])(?:0[1-9]|1[0-2])\3(?:19|20)\d\d(?!\d)",
            r"(?<!\d)(?:[01]\d|2[0-3])([-:h])[0-5]\d(?:\4|m)[0-5]\ds?(?!\d)",
        ]
    ),
    re.I,
)
_COPY = re.compile(r"\(\s*\d+\s*\)\s*$|(?:copy|~)\s*\d+\s*$", re.I)
_NEGATIVE = re.compile(r"(?:^|[\s_=(-])-\d+\W*$")
_FRACTION = re.compile(r"(?:^|[^A-Za-z0-9.])\d+[.,]\d+\W*$")
_NAMED = re.compile(r"(?<![A-Za-z])(?:frame|frm)[\s_.=-]*(\d+)(?![A-Za-z0-9])", re.I)
_WORDS = ("frame", "frm", "fr", "image", "img", "im", "pic")


def frame_of(given: Any, name: str) -> int:
    """Return an image's frame: as it is given, or else as the image's name tells.

    Parameters
    ----------
    given
        What is said of the frame; None or an empty text: nothing.
    name
        The image's file name.

    Raises
    ------
    ValueError
        If that is no frame number from 0, or the name tells none beyond doubt; its text is what was
        found.
    """
    return in_name(name) if given is None or given == "" else as_number(given)


def as_number(given: Any) -> int:
    """Return a frame number that is given as a number or as digits.

    Raises
    ------
    ValueError
        If it is no whole number from 0 to :data:`LAST`.

    Examples
    --------
    >>> as_number("000012"), as_number(12.0)
    (12, 12)
    """
    if isinstance(given, str) and re.fullmatch("[0-9]+", given.strip()):
        return _number(given.strip())
    # Comparisons are safe at any size, conversions are not.
    whole = isinstance(given, int | float) and not isinstance(given, bool)
    if not whole or not 0 <= given <= LAST or given != int(given):
        raise ValueError(f"the frame {shown(given)}")
    return int(given)


def in_name(name: str) -> int:
    """Return the frame that the name of an image tells: its last number.

    Folders and suffixes do not count, nor do dates and times, nor what stands before ``frame`` with
    a number of its own.

    Raises
    ------
    ValueError
        If there is no number, or it is negative, has a fraction, may count copies, is part of a
        word or code, or belongs to something else (``000010_cam2``).

    Examples
    --------
    >>> in_name("videos/cam2_000010.jpg"), in_name("2023-05-01_clip.mp4_12.jp2")
    (10, 12)
    """
    stem = _SUFFIX.sub("", PureWindowsPath(name).name, count=1)
    text = _DATES.sub(" ", stem)
    tokens = [token for token in re.findall("[A-Za-z0-9]+", text) if re.search("[0-9]", token)]
    if not tokens:
        dated = "but in a date, time or code" if text != stem else ""
        raise ValueError(f"no frame number {dated}".strip())
    named = _NAMED.findall(text)
    if len(named) == 1:
        return _number(named[0])
    if _COPY.search(text) and len(tokens) > 1:
        raise ValueError("a number that may count copies, after another one")
    if _NEGATIVE.search(text):
        raise ValueError("a negative number")
    if _FRACTION.search(text):
        raise ValueError("a number with a fraction")
    parts = re.fullmatch(r"(.*?)([A-Za-z]*)([0-9]+)", tokens[-1])
    if parts is None:
        raise ValueError(f"{shown(tokens[-1])} in the place of a frame number")
    before, word, digits = parts.groups()
    if before and word.lower() not in _WORDS:
        raise ValueError(f"{shown(tokens[-1])} in the place of a frame number")
    if word and word.lower() not in (*_WORDS, "f") and any(map(str.isdigit, tokens[:-1])):
        raise ValueError(f"{shown(tokens[-1])} after another number")
    return _number(digits)


def _number(digits: str) -> int:
    significant = digits.lstrip("0")
    if len(significant) > len(str(LAST)) or int(significant or 0) > LAST:
        raise ValueError(f"a number of {len(significant)} digits")
    return int(significant or 0)
