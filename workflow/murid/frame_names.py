"""Which frame an image is, by what its annotator says of it or by its name.

Names are read in three forms only, and all others are refused, since a wrong frame would go unseen
while a frame is easily told. Folders and suffixes do not count, nor what Roboflow
(``_jpg.rf.<code>``) and Label Studio (``1a2b3c4d-``) put around a name.

1. ``frame`` and a number at the end, once in the name, whatever is before:
   ``2023-05-01_cam2_frame_10``.
2. The only number of the name, at its end: it alone, or behind ``f``, ``img`` or the like
   (:data:`_WORD`), or, if it has five digits or more, behind any words of letters, each with one
   ``_``, ``-``, ``.`` or blank. ``rec_0930`` may be a time, ``clip_3`` a clip, and ``cam_00002``,
   ``ms_01200`` and their like number something else: :data:`_OTHERS`.
3. A number of five digits or more with leading zeros, beside one shorter number that says what it
   numbers: ``cam2_000010``, ``000010_640x480``, ``000010_1080p``.

In forms 2 and 3 it has at most six digits after leading zeros: more may be a date or seconds since
1970. Where it has six with them, and in each such name of a file may be a time of day or a date
(``rec_093010``), none counts.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from murid.errors import brief, shown

KEYS = ("frame", "frame_number", "frame_id")
"""Where an image of a COCO file may say which frame it is."""
LAST = 2**31 - 1
"""The highest frame number that tables hold."""
REMEDY = (
    "Tell the frame itself (VIA: file attribute frame; COCO: frame beside the image's id), or "
    "rename the images: frame_000010.jpg."
)
"""What to do about a name that tells no frame."""

_MEDIA = (
    "avi|bmp|dng|gif|h264|h265|heic|hevc|j2k|jp2|jpeg|jpg|m2ts|m4v|mjpeg|mkv|mov|mp4|mpeg|mpg|npy|"
    "pgm|png|ppm|raw|tif|tiff|ts|webm|webp|wmv"
)
_AROUND = re.compile(
    rf"(?:_(?:{_MEDIA})\.rf\.[0-9a-z]+)?(?:\.(?:{_MEDIA}))*$|\.(?:{_MEDIA})(?=_)"
    r"|^(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8}-",
    re.I,
)
"""What is no part of the name: suffixes, Roboflow's code and Label Studio's."""
_NUMBERED = "animal|cam|camera|crop|day|fps|part|rig|run|session|trial|v"
"""Words beside a number that is theirs, attached to it or not."""
_OTHERS = (
    rf"{_NUMBERED}|"
    "copy|count|counter|id|index|no|nr|number|of|offset|pos|position|rate|repeat|size|take|ver|"
    "version|[a-z]+frames?|frames|hz|"
    "(?:m|u|n|micro|milli|nano)?s(?:ecs?|econds?)?|millis|micros|nanos|m|min|minutes?|h|hours?|am|pm|"
    "out|output|snap|snapshot|screenshot|thumb|thumbnail|vlcsnap|"
    "date|epoch|t|time|timestamp|ts|unix|week|year|"
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
"""Words before a number that is no frame, however long it is: times, places, counts of pictures."""
_WORD = "(?:frame(?:[_ .-]?(?:id|idx|index|no|nr|num|number))?|frm|fr|f|image|img|im|pic)"
"""Words before the number of a frame."""
_WORDS = rf"(?:(?!(?:{_OTHERS})[_ .-][0-9])[^\W\d_]+[_ .-])*"
_LONG = rf"{_WORD}?(0[0-9]{{4,}})"
_SHORT = (
    rf"(?:(?:{_NUMBERED}|box|cage|clip|mouse|video)[0-9]{{1,3}}|[0-9]{{1,3}}(?:fps|hz)|"
    "[0-9]{2,4}(?:p|x[0-9]{2,4}))"
)
_FRAME = re.compile(r"(?:.*[^a-z])?frame[_ .-]?([0-9]+)", re.I | re.S)
_FRAME_WORDS = re.compile(r"frame[\W_]*[0-9]", re.I)
_ONLY = re.compile(
    rf"([0-9]+)|(?:[^\W\d_]+[_ .-])*{_WORD}[_ .-]?([0-9]+)|{_WORDS}([0-9]{{5,}})", re.I
)
_BESIDE = re.compile(rf"{_WORDS}(?:{_SHORT}_{_WORDS}{_LONG}|{_LONG}_{_SHORT})", re.I)
_MONTH = "(?:0[1-9]|1[0-2])"
_DAY = "(?:0[1-9]|[12][0-9]|3[01])"
_TIME = re.compile(
    rf"(?:[01][0-9]|2[0-3])(?:[0-5][0-9]){{2}}|[0-9]{{2}}{_MONTH}{_DAY}|{_DAY}{_MONTH}[0-9]{{2}}"
)
_MOST_DIGITS = 6
_LONGEST_NAME = 255
"""Letters of a file name, at most: patterns are matched with no more."""


def frames_of(images: Iterable[tuple[Any, str]]) -> list[int | ValueError]:
    """Return the frames of a file's images: as they are given, or else as their names tell.

    Parameters
    ----------
    images
        What is said of each image's frame (None or blanks: nothing), and its file name.

    Returns
    -------
    The frame of each image; or, where that is no frame number from 0 or the name tells none beyond
    doubt, an error whose text is what was found.

    Examples
    --------
    >>> frames_of([(None, "cam2_000050.png"), (" ", "frame_75.png"), ("7", "a.png")])
    [50, 75, 7]
    """
    images = [(None if _blank(given) else given, name) for given, name in images]
    times = _times({name for given, name in images if given is None})
    return [
        _or_error(as_number, given)
        if given is not None
        else _unclear(name, "whose number may be a time or date")
        if name in times
        else _or_error(in_name, name)
        for given, name in images
    ]


def as_number(given: Any) -> int:
    """Return a frame number that is given as a number or as digits.

    Raises
    ------
    ValueError
        If it is no whole number from 0 to :data:`LAST`.

    Examples
    --------
    >>> as_number("000012"), as_number(12.0), as_number("12.0")
    (12, 12, 12)
    """
    if isinstance(given, str) and re.fullmatch(r"[0-9]+(\.0*)?", given.strip()):
        return _number(given.strip().partition(".")[0])
    # Comparisons are safe at any size, conversions are not.
    whole = isinstance(given, int | float) and not isinstance(given, bool)
    if not whole or not 0 <= given <= LAST or given != int(given):
        raise ValueError(f"the frame {shown(given)}")
    return int(given)


def in_name(name: str) -> int:
    """Return the frame that the name of an image tells in one of the accepted forms.

    Raises
    ------
    ValueError
        If it is of another form, or its number too high.

    Examples
    --------
    >>> in_name("videos/cam2_000010.jpg"), in_name("2023-05-01_frame12.jp2")
    (10, 12)
    """
    stem = _stem(name)
    if not re.search("[0-9]", stem):
        raise _unclear(name, "which holds no frame number")
    named = _FRAME.fullmatch(stem)
    if named and _is_named(stem):
        return _number(named[1])
    digits = _digits(stem)
    if digits is None:
        raise _unclear(name, "which does not plainly tell a frame")
    if len(digits.lstrip("0")) > _MOST_DIGITS:
        raise _unclear(name, "whose number may be a time or date")
    return _number(digits)


def _stem(name: str) -> str:
    return _AROUND.sub("", re.split(r"[\\/]", name)[-1])


def _is_named(stem: str) -> bool:
    """Tell whether a name is of the first form."""
    return bool(_FRAME.fullmatch(stem)) and len(_FRAME_WORDS.findall(stem)) == 1


def _digits(stem: str) -> str | None:
    """Return the digits of the frame in a name of the second or third form."""
    if len(stem) > _LONGEST_NAME:
        return None
    found = _ONLY.fullmatch(stem) or _BESIDE.fullmatch(stem)
    return found and next(filter(None, found.groups()))


def _times(names: set[str]) -> set[str]:
    """Return the names read without ``frame``, if all may tell a time, not all just past 0 h."""
    stems = {name: _stem(name) for name in names}
    told = {name: _digits(stem) for name, stem in stems.items() if not _is_named(stem)}
    read = {name: digits for name, digits in told.items() if digits}
    late = any(digits[:2] != "00" for digits in read.values())
    return set(read) if late and all(map(_TIME.fullmatch, read.values())) else set()


def _blank(given: Any) -> bool:
    return given is None or (isinstance(given, str) and not given.strip())


def _unclear(name: str, why: str) -> ValueError:
    return ValueError(f"the name {shown(brief(name))}, {why}")


def _or_error(read: Callable[[Any], int], value: Any) -> int | ValueError:
    try:
        return read(value)
    except ValueError as error:
        return error


def _number(digits: str) -> int:
    significant = digits.lstrip("0")
    if len(significant) > len(str(LAST)) or int(significant or 0) > LAST:
        raise ValueError(f"a number of {len(significant)} digits")
    return int(significant or 0)
