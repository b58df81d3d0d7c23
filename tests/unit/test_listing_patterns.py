"""Patterns of paths, and the clock times that paths tell."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.listing import clock
from murid.listing.patterns import NAMES, AmbiguousError, parse
from murid.sheet import NAME

ZONES = ("UTC", "Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu")
FORMATS = {
    "%Y": ("year",), "%m": ("month",), "%d": ("day",), "%H": ("hour",), "%M": ("minute",),
    "%S": ("second",), "%f": ("microsecond",), "%b": ("month",), "%Y_%j": ("year", "month", "day"),
    "%Y-%m-%d": ("year", "month", "day"), "%Y%m%dT%H%M%S": ("year", "month", "day", "hour",
    "minute", "second"), "%H.%M": ("hour", "minute"), "%S.%f": ("second", "microsecond"),
    "%d%%%b": ("day", "month"),
}  # fmt: skip
times = st.datetimes(datetime(1970, 1, 1), datetime(2068, 1, 1))
separators = st.sampled_from(
    ["_", "-", "/", ".", "+", "(x)", "[a]", "^", "$", "\\d", " ", "|", "?"]
)


@st.composite
def written_paths(draw, values):
    """A pattern, a path of it, and the names and the time that the path was written from."""
    fields = draw(st.permutations([*NAMES, "date", "start", "any", "*"]))
    fields = fields[: draw(st.integers(1, len(fields)))]
    names, when, parts = {}, draw(times), {}
    text, path, of_time = "x", "x", ""
    for field in fields:
        sign = draw(separators)
        if "/" in sign + text[-1] and text[-1] == "/":
            sign = "_"
        text, path = text + sign, path + sign
        if field in ("date", "start"):
            form = draw(st.sampled_from(sorted(FORMATS)))
            if parts and "%Y_%j" in (form, of_time):
                form = "%H"
            text, path, of_time = text + f"{{{field}:{form}}}", path + when.strftime(form), form
            parts |= {part: getattr(when, part) for part in FORMATS[form]}
        elif field == "*":
            text, path = text + "*", path + draw(st.just("") | values)
        else:
            value = draw(values)
            text, path = text + f"{{{field}}}", path + value
            names |= {field: value} if field in NAMES else {}
    return text + "!", path + "!", names, parts


@given(written_paths(st.text("abcXYZ0123456789", min_size=1, max_size=5)))
def test_what_a_path_was_written_from_is_read_from_it(case):
    text, path, names, parts = case
    pattern = parse(text)
    told = pattern.match(path)
    assert (dict(told.names), dict(told.clock)) == (names, parts)
    assert pattern.names == {*names}
    assert pattern.parts == {*parts}
    assert pattern.match(path + "x") is None
    assert pattern.match(path.replace("!", "/!")) is None


@given(written_paths(st.text("a_-.1", min_size=1, max_size=5)))
def test_a_path_that_can_be_read_in_two_ways_is_never_read_in_the_wrong_one(case):
    text, path, names, parts = case
    try:
        told = parse(text).match(path)
    except AmbiguousError:
        return
    assert (dict(told.names), dict(told.clock)) == (names, parts)


def test_both_ways_to_read_a_path_are_told():
    pattern = parse("{cage}_{segment}.mp4")
    assert dict(pattern.match("rack1_7.mp4").names) == {"cage": "rack1", "segment": "7"}
    with pytest.raises(AmbiguousError) as caught:
        pattern.match("rack1_A_7.mp4")
    assert str(caught.value) == "cage rack1, segment A_7 or cage rack1_A, segment 7"
    assert dict(parse("rack1_{cage}_{segment}.mp4").match("rack1_A_7.mp4").names)["cage"] == "A"


def test_it_does_not_matter_in_how_many_ways_what_does_not_matter_can_be_read():
    assert dict(parse("*-*/{cage}.mp4").match("a-b-c/C1.mp4").names) == {"cage": "C1"}


@pytest.mark.parametrize(
    ("pattern", "path", "day"),
    [
        ("*{date:%Y%m%d}.csv", "log20260301.csv", 1),
        ("*{date:%Y%m%d}.csv", "20260302.csv", 2),
        ("{any}{date:%Y%m%d}.csv", "20260302.csv", None),  # {any} is one letter at least
        ("{date:%Y-%m-%d}*.csv", "2026-03-03.csv", 3),
        ("{date:%Y-%m-%d}{any}.csv", "2026-03-03 (1).csv", 3),
        ("*{date:%Y%m%d}*.csv", "cam 2 20260304 (1).csv", 4),
        ("*{date:%d%b}*.csv", "A04mar7.csv", 4),
        ("*{date:%Y%m%d}.csv", "cam120260301.csv", None),  # 1 2026 03 01 or 12 0260301: a number
        ("{date:%Y%m%d}*.csv", "202603011530.csv", None),
    ],
)
def test_what_does_not_matter_may_touch_a_time_that_is_no_part_of_a_longer_number(
    pattern, path, day
):
    told = parse(pattern).match(path)
    assert (told and told.clock["day"]) == day


def test_two_times_that_may_be_meant_are_ambiguous_beside_what_does_not_matter():
    with pytest.raises(AmbiguousError, match="date 20260301 or date 20260302"):
        parse("*{date:%Y%m%d}*.csv").match("20260301-20260302.csv")


def test_a_field_that_stands_twice_says_the_same_both_times():
    pattern = parse("{cage}/{cage}_{start:%H%M}.mp4")
    assert pattern.match("C1/C1_2030.mp4").names == {"cage": "C1"}
    assert pattern.match("C1/C2_2030.mp4") is None


def test_what_the_start_tells_wins_over_the_date_of_a_folder():
    pattern = parse("{date:%Y-%m-%d}/{cage}_{start:%Y%m%d_%H%M%S}.mp4")
    told = pattern.match("2026-03-29/C1_20260330_001500.mp4")
    assert clock.local(told.clock) == datetime(2026, 3, 30, 0, 15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/{cage}.mp4", "a path below the archive's folder"),
        ("../{cage}.mp4", "a path below the archive's folder"),
        ("a//{cage}.mp4", "a path below the archive's folder"),
        ("{cage}{start:%H%M}.mp4", "a sign between two fields, before '{start:%H%M}'"),
        ("{date:%Y}{start:%H%M}.mp4", "are one field, {start:%Y%m%d%H%M%S}"),
        ("{cage}*.mp4", "a sign between two fields, before '*'"),
        ("**/{cage}.mp4", "a sign between two fields"),
        ("*{any}/{cage}.mp4", "only {any} and * may touch a time"),
        ("{any}{date:%Y}{start:%H%M}.mp4", "a sign between two fields, before '{start:%H%M}'"),
        ("{mouse}.mp4", "{cage}, {segment}, {rig}, {date:FORMAT}, {start:FORMAT}, {any} or * in"),
        ("{}.mp4", "{any} or * in place of '{}'"),
        ("{cage.mp4", "braces around a field"),
        ("cage}.mp4", "braces around a field"),
        ("{cage:%Y}.mp4", "{cage} without a format"),
        ("{start}.mp4", "a format in '{start}', as {start:%Y-%m-%d}"),
        ("{start:}.mp4", "a format in '{start:}'"),
        ("{start:hour}.mp4", "%Y, %y, %m, %b, %d, %j, %H, %M, %S, %f, %z and %% in the format"),
        ("{start:%H%Q}.mp4", "in place of '%Q' in the format '%H%Q'"),
        ("{start:%H%}.mp4", "in place of '%' in the format '%H%'"),
        ("{start:%-d}.mp4", "in place of '%-'"),
        ("{start:%Y%y}.mp4", "the year once"),
        ("{start:%f%S}.mp4", "%f, not before digits"),
        ("{start:%j}.mp4", "the year, %Y, beside a day of the year"),
        ("{date:%Y_%j}/{start:%d}.mp4", "a day of the year, %j, or month and day, not both"),
        ("{date:%Y}/{date:%m}.mp4", "{date} with one format wherever it stands"),
        ("{cage}_*_*_{any}_{segment}_*.mp4", "5 fields of any length in a name at most"),
    ],
)
def test_what_is_no_pattern_is_refused_with_what_is_allowed(text, expected):
    with pytest.raises(ValueError, match=" ") as caught:
        parse(text)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    "path",
    ["2026-13-01/C1_000000.mp4", "2026-01-32/C1_000000.mp4", "2026-01-01/C1_240000.mp4",
     "2026-1-1/C1_000000.mp4", "٢٠٢٦-01-01/C1_000000.mp4", "2026-01-01/C1_000060.mp4",
     "2026-01-01/a/C1_000000.mp4", "2026-01-01/_000000.mp4", "2026-01-01/C1_000000.MP4",
     "2026-01-01/C1_000000.mp4\n"],
)  # fmt: skip
def test_what_is_no_time_or_stands_deeper_does_not_fit(path):
    assert parse("{date:%Y-%m-%d}/{cage}_{start:%H%M%S}.mp4").match(path) is None


@pytest.mark.parametrize("path", ["2026-02-30.txt", "2025-02-29.txt"])
def test_a_day_that_there_is_not_is_told(path):
    told = parse("{date:%Y-%m-%d}.txt").match(path)
    with pytest.raises(ValueError, match="a date that there is not"):
        clock.local(told.clock)


@pytest.mark.parametrize("path", ["2025_000.txt", "2025_366.txt"])
def test_a_day_of_the_year_that_there_is_not_is_told(path):
    with pytest.raises(ValueError, match="a date that there is not"):
        clock.local(parse("{date:%Y_%j}.txt").match(path).clock)


def test_names_may_tell_their_offset_themselves():
    pattern = parse("{cage}_{start:%Y%m%dT%H%M%S%z}.mp4")
    for offset, hour in (("Z", 1), ("+0100", 0), ("-05:30", 7)):
        told = pattern.match(f"C1_20261025T013000{offset}.mp4")
        start = clock.started(told.clock, "Europe/London")
        assert (start.hour, start.minute) == (hour, 0 if offset == "-05:30" else 30)


@given(st.sampled_from(ZONES), st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)))
def test_a_start_is_read_back_from_what_the_sheet_says(zone, when):
    start = when.replace(tzinfo=UTC)
    assert datetime.fromisoformat(clock.written(start, zone)).astimezone(UTC) == start


@given(
    st.sampled_from([
        ("Europe/London", datetime(2026, 10, 25, 0)),
        ("America/New_York", datetime(2026, 11, 1, 5)),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, 14)),
        ("Europe/London", datetime(2026, 3, 29, 0)), ("UTC", datetime(2026, 3, 29, 0)),
    ]),
    st.lists(st.integers(0, 3 * 3600), min_size=2, max_size=20, unique=True),
)  # fmt: skip
def test_no_two_segments_are_called_the_same_even_where_clocks_are_set_back(change, seconds):
    zone, begin = change
    starts = [begin.replace(tzinfo=UTC) + timedelta(seconds=after) for after in seconds]
    names = [clock.name_of(start, zone) for start in starts]
    assert len({*names}) == len(names)
    assert all(NAME.fullmatch(name) for name in names)


@given(st.sampled_from(ZONES), times, st.integers(1, 48))
def test_a_file_lasts_from_the_earliest_to_the_latest_that_its_clock_may_mean(zone, when, hours):
    lasts = timedelta(hours=hours)
    told = {part: getattr(when, part) for part in clock.PARTS}
    begin, end = clock.bounds(told, lasts, zone)
    for fold in (0, 1):
        shown = when.replace(tzinfo=ZoneInfo(zone), fold=fold)
        assert begin <= shown.astimezone(UTC)
        until = (when + lasts).replace(tzinfo=ZoneInfo(zone), fold=fold)
        assert end >= until.astimezone(UTC)


@pytest.mark.parametrize("text", ["", "30", "h", "-1h", "0s", "1e9d", "9999d", "1h30min", "1 week"])
def test_what_is_no_length_of_time_is_refused(text):
    with pytest.raises(ValueError, match="a length of time such as 90s, 30min, 1h or 1d"):
        clock.length(text)
