"""Patterns of paths: what the path of a file tells of the recording that it belongs to.

A pattern is a path relative to the archive with fields in braces. It becomes a regular expression
in which all else is escaped. Standard library only, since options are checked by it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

NAMES = ("cage", "segment", "rig")
"""Fields that are names."""
TIMES = ("date", "start")
"""Fields that tell a time, in parts: what ``start`` tells wins over ``date``."""
ANY = "any"
FIELDS = "{cage}, {segment}, {rig}, {date:FORMAT}, {start:FORMAT}, {any} or *"
"""For messages."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DIGITS = {
    "Y": ("year", "(?:19|20)[0-9][0-9]"),
    "y": ("year", "[0-9][0-9]"),
    "m": ("month", "(?:0[1-9]|1[0-2])"),
    "b": ("month", "(?i:" + "|".join(MONTHS) + ")"),
    "d": ("day", "(?:0[1-9]|[12][0-9]|3[01])"),
    "j": ("day_of_year", "(?:[0-2][0-9][0-9]|3[0-5][0-9]|36[0-6])"),
    "H": ("hour", "(?:[01][0-9]|2[0-3])"),
    "M": ("minute", "[0-5][0-9]"),
    "S": ("second", "[0-5][0-9]"),
    "f": ("microsecond", "[0-9]{1,6}"),
    "z": ("offset", "(?:Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])"),
}
"""What each directive of a format tells, and how that is written."""
DIRECTIVES = ", ".join(f"%{letter}" for letter in _DIGITS) + " and %%"
"""For messages."""
MOST_FREE = 5
"""Fields of any length in the name of a file or folder, at most: more take ages to tell apart."""
_WHOLE_NUMBER = "(?:(?<![0-9])|(?![0-9]))"
"""Where a time meets what does not matter: no digit of a longer number is taken for its own."""
_TOKEN = re.compile(
    r"\{(?P<field>[^{}:]*)(?::(?P<format>[^{}]*))?\}|(?P<star>\*)|(?P<text>[^{}*]+)|(?P<brace>[{}])"
)
_DIRECTIVE = re.compile(r"%(.?)", re.DOTALL)


class AmbiguousError(ValueError):
    """A path fits a pattern in two ways."""


@dataclass(frozen=True)
class Told:
    """What a path tells.

    Attributes
    ----------
    names
        Of :data:`NAMES` those that the pattern has.
    clock
        Parts of a time, as :class:`datetime.datetime` calls them, and ``offset``, as +01:00 or Z.
    """

    names: Mapping[str, str]
    clock: Mapping[str, int | str]


@dataclass(frozen=True)
class Pattern:
    """A pattern of paths; made by :func:`parse`.

    Attributes
    ----------
    text
        As it was given.
    names
        Fields of :data:`NAMES` that it has.
    parts
        Parts of a time that it tells, as in :class:`Told`.
    """

    text: str
    names: frozenset[str]
    parts: frozenset[str]
    _shortest: re.Pattern[str]
    _longest: re.Pattern[str]

    def match(self, path: str) -> Told | None:
        """Return what a path tells, None if it does not fit.

        Raises
        ------
        AmbiguousError
            If it fits in two ways, saying which.
        """
        first = self._shortest.fullmatch(path)
        last = self._longest.fullmatch(path) if first else None
        if not (first and last):
            return None
        # With fields as short, and as long as may be, from the left: where both say the same, there
        # is no choice between them.
        if any(first.span(group) != last.span(group) for group in first.re.groupindex):
            ways = (self._named(way) for way in (first, last))
            raise AmbiguousError(" or ".join(", ".join(way) for way in ways))
        names = {name: first[name] for name in NAMES if name in self.names}
        return Told(names, _clock(first.groupdict()))

    def _named(self, way: re.Match[str]) -> Iterator[str]:
        for name in (*NAMES, *TIMES):
            if name in way.groupdict():
                yield f"{name} {way[name]}"


def parse(text: str) -> Pattern:
    """Return the pattern that a text is.

    Raises
    ------
    ValueError
        Saying what is allowed in place of what was found.

    Examples
    --------
    >>> pattern = parse("{date:%Y-%m-%d}/{cage}_{start:%H%M}.mp4")
    >>> told = pattern.match("2026-03-29/C1_2030.mp4")
    >>> told.names, told.clock["day"], told.clock["hour"]
    ({'cage': 'C1'}, 29, 20)
    >>> pattern.match("notes.txt")
    """
    if text.startswith("/") or {"", ".", ".."} & {*text.split("/")}:
        raise ValueError("a path below the archive's folder, without . and .. or an empty part")
    expressions: list[tuple[str, str]] = []
    formats: dict[str, str | None] = {}
    free, before = 0, ""
    for token in _TOKEN.finditer(text):
        if token["text"] is not None:
            expressions.append((re.escape(token["text"]),) * 2)
            free = 0 if "/" in token["text"] else free
            before = ""
            continue
        field, form = ANY if token["star"] else token["field"], token["format"]
        if before:
            _check_beside(token, before, field)
            expressions.append((_WHOLE_NUMBER,) * 2)
        before = field
        _check_field(token, field, form, formats)
        if field in formats:
            expressions.append((f"(?P={field})",) * 2)
            continue
        if field != ANY:
            formats[field] = form
        expressions.append(_expressions(field, form, least="*" if token["star"] else "+"))
        free += field not in TIMES
        if free > MOST_FREE:
            raise ValueError(f"{MOST_FREE} fields of any length in a name at most: join some to *")
    shortest, longest = (
        re.compile("".join(way), re.DOTALL) for way in zip(*expressions, strict=True)
    )
    names = frozenset(formats) & {*NAMES}
    return Pattern(text, names, _parts(shortest.groupindex), shortest, longest)


def _expressions(field: str, form: str | None, least: str) -> tuple[str, str]:
    """Return the regular expressions of a field: as short, and as long as may be."""
    if field in TIMES:
        return (f"(?P<{field}>{_of_format(field, str(form))})",) * 2
    group = "([^/]" if field == ANY else f"(?P<{field}>[^/]"
    return f"{group}{least}?)", f"{group}{least})"


def _parts(groups: Iterable[str]) -> frozenset[str]:
    """Return the parts of a time that groups are of, which together tell one."""
    parts = {part for group in groups if (part := _part(group))}
    if "day_of_year" in parts:
        if "year" not in parts:
            raise ValueError("the year, %Y, beside a day of the year, %j")
        if parts & {"month", "day"}:
            raise ValueError("a day of the year, %j, or month and day, not both")
        parts = parts - {"day_of_year"} | {"month", "day"}
    return frozenset(parts)


def _check_beside(token: re.Match[str], before: str, field: str) -> None:
    """Refuse fields side by side of which nobody knows where one ends and the other begins."""
    if (before in TIMES and field == ANY) or (before == ANY and field in TIMES):
        return
    raise ValueError(
        f"a sign between two fields, before {token[0]!r}; a date and a time side by side are one "
        "field, {start:%Y%m%d%H%M%S}, and only {any} and * may touch a time"
    )


def _check_field(
    token: re.Match[str], field: str, form: str | None, formats: Mapping[str, str | None]
) -> None:
    """Refuse what is no field, or one that stands for two things."""
    if token["brace"]:
        raise ValueError(f"braces around a field, {FIELDS}; a path with others cannot be listed")
    if field not in (*NAMES, *TIMES, ANY):
        raise ValueError(f"{FIELDS} in place of {token[0]!r}")
    if field in TIMES and not form:
        raise ValueError(f"a format in {token[0]!r}, as {{{field}:%Y-%m-%d}}")
    if field not in TIMES and form is not None:
        raise ValueError(f"{{{field}}} without a format in place of {token[0]!r}")
    if field in formats and formats[field] != form:
        raise ValueError(f"{{{field}}} with one format wherever it stands")


def _of_format(field: str, form: str) -> str:
    """Return the regular expression of a format of times."""
    if not any(letter != "%" for letter in _DIRECTIVE.findall(form)):
        raise ValueError(f"{DIRECTIVES} in the format {form!r}")
    told = Counter(_DIGITS[letter][0] for letter in _DIRECTIVE.findall(form) if letter in _DIGITS)
    if again := [part for part, count in told.items() if count > 1]:
        raise ValueError(f"the {again[0]} once in the format {form!r}")
    if re.search("%f(%[^%]|[0-9])", form):
        raise ValueError(f"parts of a second, %f, not before digits in the format {form!r}")

    def group(letter: str) -> str:
        if letter == "%":
            return "%"
        if letter not in _DIGITS:
            raise ValueError(f"{DIRECTIVES} in place of {'%' + letter!r} in the format {form!r}")
        return f"(?P<{field}_{letter}>{_DIGITS[letter][1]})"

    texts = _DIRECTIVE.split(form)
    return "".join(
        group(text) if number % 2 else re.escape(text) for number, text in enumerate(texts)
    )


def _part(group: str) -> str:
    """Return which part of a time a group is of; empty for one of another field."""
    field, _, letter = group.partition("_")
    return _DIGITS[letter][0] if field in TIMES and letter else ""


def _clock(groups: Mapping[str, str]) -> dict[str, int | str]:
    """Return the parts of a time, of which those of ``start`` win."""
    clock: dict[str, int | str] = {}
    for field in TIMES:
        told: dict[str, int | str] = {
            _part(group): _value(group[-1], text)
            for group, text in groups.items()
            if group.startswith(f"{field}_")
        }
        clock |= told
    if "day_of_year" in clock:
        year = int(clock["year"])
        day = date(year, 1, 1) + timedelta(int(clock.pop("day_of_year")) - 1)
        if day.year != year:  # day 0, or 366 of a short year: there is no such day
            return clock | {"month": 0, "day": 0}
        clock |= {"month": day.month, "day": day.day}
    return clock


def _value(letter: str, text: str) -> int | str:
    match letter:
        case "z":
            return text
        case "b":
            return MONTHS.index(text.lower()) + 1
        case "f":
            return int(text.ljust(6, "0"))
        case "y":  # as strptime has it
            return int(text) + (2000 if int(text) < 69 else 1900)
        case _:
            return int(text)
