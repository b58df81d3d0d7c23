"""Which frame an image is, by what its annotator says of it or by its name.

Nothing is guessed: a name that could be read in several ways is refused. Where several numbers in a
name may be the frame, the names of a file tell together: it is the only one that differs.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PureWindowsPath
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


class _SeveralNumbersError(ValueError):
    """Several numbers of a name may be the frame, for all that the name alone tells."""


def frames_of(images: Iterable[tuple[Any, str]]) -> list[int | ValueError]:
    """Return the frames of a file's images: as they are given, or else as their names tell.

    Parameters
    ----------
    images
        What is said of each image's frame (None or an empty text: nothing), and its file name.

    Returns
    -------
    The frame of each image; or, where that is no frame number from 0 or the name tells none beyond
    doubt, an error whose text is what was found.

    Examples
    --------
    >>> frames_of([(None, "mouse50_v2.png"), (None, "mouse75_v2.png"), ("7", "a.png")])
    [50, 75, 7]
    """
    images = list(images)
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for given, name in images:
        if given is None or given == "":
            alike[_form(name)].add(name)
    frames = {name: frame for names in alike.values() for name, frame in _in_names(names).items()}
    return [
        frames[name] if given is None or given == "" else _or_error(as_number, given)
        for given, name in images
    ]


def _in_names(names: set[str]) -> dict[str, int | ValueError]:
    """Return what names tell that are alike but for their numbers."""
    alone = {name: _or_error(in_name, name) for name in names}
    if not any(isinstance(frame, _SeveralNumbersError) for frame in alone.values()):
        return alone
    numbers = {name: re.findall("[0-9]+", _undated(name)) for name in names}
    places = zip(*numbers.values(), strict=True)
    differ = [n for n, found in enumerate(places) if len({run.lstrip("0") for run in found}) > 1]
    for name, frame in alone.items():
        if isinstance(frame, ValueError) and not isinstance(frame, _SeveralNumbersError):
            continue
        if len(differ) == 1 and _may_count(name, numbers[name], differ[0]):
            alone[name] = _or_error(_number, numbers[name][differ[0]])
        elif len(differ) == 1:
            alone[name] = _SeveralNumbersError(
                f"the numbers {brief(', '.join(numbers[name]))}, of which only "
                f"{shown(numbers[name][differ[0]])} differs, a part of a word"
            )
        else:
            several = f"{len(differ)} of them differ" if differ else "none of them differs"
            alone[name] = _SeveralNumbersError(
                f"the numbers {brief(', '.join(numbers[name]))}, of which any may be the frame: "
                f"{several} from image to image"
            )
    return alone


def _may_count(name: str, numbers: list[str], place: int) -> bool:
    """Tell whether a number that alone differs may be the frame: ``cam1``, ``cam2`` are cameras.

    It stands by itself, or has more digits than each of the others.
    """
    around = re.split("[0-9]+", _undated(name))
    by_itself = not re.search("[A-Za-z]$", around[place]) and not around[place + 1][:1].isalpha()
    others = [len(run) for at, run in enumerate(numbers) if at != place]
    return by_itself or len(numbers[place]) > max(others)


def _or_error(read: Any, value: Any) -> int | ValueError:
    try:
        return int(read(value))
    except ValueError as error:
        return error


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
    """Return the frame that the name of an image tells by itself.

    That is its only number; or the one behind ``frame``, ``img`` or the like; or the last one, if
    it has more digits than each other one. Folders and suffixes do not count, nor do dates and
    times.

    Raises
    ------
    ValueError
        If there is no number, or it is negative, has a fraction, may count copies, is part of a
        word or code, or another one may be the frame as well (``000010_cam2``).

    Examples
    --------
    >>> in_name("videos/cam2_000010.jpg"), in_name("2023-05-01_clip.mp4_12.jp2")
    (10, 12)
    """
    stem, text = _stem(name), _undated(name)
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
    *others, last = tokens
    doubt = _SeveralNumbersError if others else ValueError
    parts = re.fullmatch(r"(.*?)([A-Za-z]*)([0-9]+)", last)
    if parts is None:
        raise doubt(f"{shown(last)} in the place of a frame number")
    before, word, digits = parts.groups()
    if before and word.lower() not in _WORDS:
        raise ValueError(f"{shown(last)} in the place of a frame number")
    if word and word.lower() not in (*_WORDS, "f") and others:
        raise _SeveralNumbersError(f"{shown(last)} after another number")
    if len(named) > 1 or (not word and _rivalled(digits, others)):
        raise _SeveralNumbersError(f"the number {shown(digits)} after another one")
    return _number(digits)


def _rivalled(digits: str, others: list[str]) -> bool:
    """Tell whether a name's last number is not plainly the frame, among what else has digits."""
    longest = max((len(run) for token in others for run in re.findall("[0-9]+", token)), default=0)
    bare = any(map(str.isdigit, others)) and not digits.startswith("0")
    return len(digits) <= longest or bare


def _stem(name: str) -> str:
    return _SUFFIX.sub("", PureWindowsPath(name).name, count=1)


def _undated(name: str) -> str:
    """Return what a name tells without its folder, suffix, dates and times."""
    return _DATES.sub(" ", _stem(name))


def _form(name: str) -> str:
    return re.sub("[0-9]+", "0", _undated(name))


def _number(digits: str) -> int:
    significant = digits.lstrip("0")
    if len(significant) > len(str(LAST)) or int(significant or 0) > LAST:
        raise ValueError(f"a number of {len(significant)} digits")
    return int(significant or 0)
