"""What options of the command say together: which patterns there are, and what they must tell."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from murid.errors import InputError
from murid.listing import clock, patterns
from murid.listing.patterns import Pattern
from murid.listing.sorting import LOG, option_of

if TYPE_CHECKING:
    from murid.listing.stage import ListSegments

LEADING = ("video", "tracklets", "detections")
"""What recordings are found by: the first of these that has a pattern."""
BESIDE = ("video", "detections", "tracklets", "positions", "frame_times", "annotations")
"""Columns of files that belong to one recording each."""


@dataclass(frozen=True)
class Patterns:
    """The patterns of a command.

    Attributes
    ----------
    by_key
        All of them, by the column that they are of, or ``log`` and a number.
    lead
        Key of the one that recordings are found by.
    parts
        Parts of a time that are known of recordings.
    to_the_minute
        Whether names tell when recordings start, but not to the second.
    """

    by_key: Mapping[str, Pattern]
    lead: str
    parts: frozenset[str]
    to_the_minute: bool

    @property
    def beside(self) -> list[str]:
        """Columns of the files that belong to one recording each, but for those of ``lead``."""
        return [column for column in BESIDE if column in self.by_key and column != self.lead]


def check(stage: "ListSegments", output: Path) -> Patterns:
    """Return the patterns of a command.

    Raises
    ------
    InputError
        If the sheet is there and not to be extended, options contradict each other, or patterns
        lack what they must tell.
    """
    _check_files(stage, output)
    texts = {column: text for column in BESIDE if (text := getattr(stage, column))}
    texts |= {f"{LOG} {number}": text for number, text in enumerate(stage.log, start=1)}
    by_key = {key: patterns.parse(text) for key, text in texts.items()}
    lead = next((key for key in LEADING if key in by_key), None)
    if lead is None:
        raise _refused("--video", "no pattern", "one of videos, or of tracklets or detections")
    if bool(stage.log) == bool(stage.positions):
        found = "both antenna logs and traces" if stage.log else "neither antenna logs nor traces"
        raise _refused("--log", found, "patterns of one of them, --log or --positions")
    if lead != "video" and (stage.start == "container" or stage.durations):
        option = "--durations" if stage.durations else "--start container"
        raise _refused(option, "no pattern of videos", "one, --video, whose headers can be read")
    _check_cut(stage, lead)
    _check_lead(stage, lead, by_key[lead])
    for key, pattern in by_key.items():
        _check_other(stage, key, pattern, by_key[lead])
    by_name = stage.start == "name" and by_key[lead].parts >= clock.STARTED
    if by_name or not (stage.starts or stage.start == "container"):
        parts = by_key[lead].parts
    else:
        parts = frozenset(clock.PARTS)
    to_the_minute = by_name and "second" not in by_key[lead].parts
    return Patterns(by_key, lead, parts, to_the_minute)


def _check_files(stage: "ListSegments", output: Path) -> None:
    if output.exists() and not stage.update:
        raise InputError(
            output, "a sheet that is there already", "a new file",
            remedy="Add to it with --update, or write another one with --output.",
        )  # fmt: skip
    same = stage.report and os.path.realpath(stage.report) in {
        os.path.realpath(path) for path in (output, stage.starts) if path
    }
    if same:
        raise _refused("--report", f"{stage.report}, which is another file of it", "one of its own")


def _check_cut(stage: "ListSegments", lead: str) -> None:
    """Refuse to cut recordings of which not all is known that it takes."""
    if not stage.cut:
        return
    if lead != "video":
        raise _refused("--cut", "no pattern of videos", "one, --video: only videos are cut")
    if stage.fps is None:
        raise _refused("--cut", "no --fps", "frames per second, by which parts are counted")
    if not (stage.durations or stage.segment_length):
        found = "neither --durations nor --segment-length"
        raise _refused("--cut", found, "one of them, which tells how long videos last")


def _check_lead(stage: "ListSegments", lead: str, pattern: Pattern) -> None:
    option = option_of(lead)
    if "cage" not in pattern.names:
        raise _refused(
            option, f"{pattern.text}, without {{cage}}", "a pattern that tells the cage",
            "Where there is one cage only, put its recordings into a folder that is called so.",
        )  # fmt: skip
    told = stage.starts or stage.start == "container" or pattern.parts >= clock.STARTED
    if "segment" not in pattern.names and not told:
        raise _refused(
            option, f"{pattern.text}, which tells neither {{segment}} nor when recordings start",
            "{segment}, or date, hour and minute by {date:FORMAT} and {start:FORMAT}",
            "Or tell starts by --starts or --start container.",
        )  # fmt: skip


def _check_other(stage: "ListSegments", key: str, pattern: Pattern, lead: Pattern) -> None:
    """Refuse a pattern that tells what nobody knows of recordings, or a clock of no zone."""
    option = option_of(key)
    if "rig" in pattern.names - lead.names:
        raise _refused(
            option, f"{pattern.text}, with {{rig}}", f"one without, as {lead.text}",
            "Write {any} in its place.",
        )  # fmt: skip
    is_log = key.startswith(LOG)
    if is_log:
        told = [part for part in clock.PARTS if part in pattern.parts]
        if told != [*clock.PARTS[: len(told)]]:
            raise _refused(
                option, f"{pattern.text}, which tells {', '.join(told)}",
                "a time with its date, by which logs are put in order",
            )  # fmt: skip
    names_tell = pattern is lead and stage.start == "name" and pattern.parts >= clock.STARTED
    if stage.zone is None and "offset" not in pattern.parts and (
        names_tell or (is_log and pattern.parts)
    ):  # fmt: skip
        raise _refused(
            "--zone", f"none, and clock times in {pattern.text}",
            "the time zone of the clock that files are called by, as Europe/London",
        )  # fmt: skip


def _refused(option: str, found: str, expected: str, remedy: str | None = None) -> InputError:
    return InputError("options", found, expected, where=option, remedy=remedy)
