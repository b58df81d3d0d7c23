"""What options of the command say together: which patterns there are, and what they must tell."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from murid.errors import InputError, SeveralErrors
from murid.listing import by_cage, clock, patterns
from murid.listing.by_cage import Rule
from murid.listing.patterns import Pattern
from murid.listing.sorting import LOG, option_of

if TYPE_CHECKING:
    from murid.listing.stage import ListSegments

LEADING = ("video", "tracklets", "detections")
"""What recordings are found by: the first of these that has a pattern."""
EXAMPLE = "{date:%Y-%m-%d}/{cage}_{start:%H%M%S}.mp4"
"""A pattern that works, for messages."""
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
    SeveralErrors
        Naming every option at fault: the sheet is there and not to be extended, options contradict
        each other, or patterns lack what they must tell.
    """
    texts = {column: text for column in BESIDE if (text := getattr(stage, column))}
    texts |= {f"{LOG} {number}": text for number, text in enumerate(stage.log, start=1)}
    by_key = {key: patterns.parse(text) for key, text in texts.items()}
    lead = next((key for key in LEADING if key in by_key), None)
    faults = [*_of_files(stage, output), *_of_kinds(stage, lead), *_of_cut(stage, lead)]
    if lead:
        faults += _of_lead(stage, lead, by_key[lead])
    for key, pattern in by_key.items():
        faults += _of_other(stage, key, pattern, by_key[lead] if lead else None)
    faults += _of_cages(stage, by_key[lead] if lead else None)
    faults += _of_clock(stage, by_key, lead)
    if faults or lead is None:
        raise SeveralErrors(faults)
    by_name = stage.start == "name" and by_key[lead].parts >= clock.STARTED
    if by_name or not (stage.starts or stage.start == "container"):
        parts = by_key[lead].parts
    else:
        parts = frozenset(clock.PARTS)
    to_the_minute = by_name and "second" not in by_key[lead].parts
    return Patterns(by_key, lead, parts, to_the_minute)


def _of_files(stage: "ListSegments", output: Path) -> Iterator[InputError]:
    """Tell of files that are there already, or meant for two things."""
    if output.exists() and not stage.update:
        yield InputError(
            output, "a sheet that is there already", "a new file",
            remedy="Add to it with --update, or write another one with --output.",
        )  # fmt: skip
    same = stage.report and os.path.realpath(stage.report) in {
        os.path.realpath(path) for path in (output, stage.starts) if path
    }
    if same:
        yield _fault("--report", f"{stage.report}, which is another file of it", "one of its own")


def _of_kinds(stage: "ListSegments", lead: str | None) -> Iterator[InputError]:
    """Tell of kinds of files that no pattern is of, or that are of no use beside each other."""
    if lead is None:
        yield _fault(
            "--video", "no pattern", "one of videos, or of tracklets or detections",
            f"For instance --video '{EXAMPLE}'.",
        )  # fmt: skip
    if bool(stage.log) == bool(stage.positions):
        found = "both antenna logs and traces" if stage.log else "neither antenna logs nor traces"
        yield _fault(
            "--log", found, "patterns of one of them, --log or --positions",
            "A log is what the antenna system wrote, by the clock, as --log 'rfid/{date:%Y-%m-%d}"
            "*.csv'; a trace tells of one recording an antenna a frame.",
        )  # fmt: skip
    if lead not in (None, "video") and (stage.start == "container" or stage.durations):
        option = "--durations" if stage.durations else "--start container"
        yield _fault(option, "no pattern of videos", "one, --video, whose headers can be read")


def _of_cut(stage: "ListSegments", lead: str | None) -> Iterator[InputError]:
    """Tell what is not known of recordings that are to be cut, and that it takes."""
    if not stage.cut:
        return
    if lead not in (None, "video"):
        yield _fault("--cut", "no pattern of videos", "one, --video: only videos are cut")
    if stage.fps is None:
        yield _fault("--cut", "no --fps", "frames per second, by which parts are counted")
    if not (stage.durations or stage.segment_length):
        found = "neither --durations nor --segment-length"
        yield _fault("--cut", found, "one of them, which tells how long videos last")


def _of_lead(stage: "ListSegments", lead: str, pattern: Pattern) -> Iterator[InputError]:
    """Tell what the pattern that recordings are found by leaves untold."""
    option = option_of(lead)
    if "cage" not in pattern.names:
        yield _fault(
            option, f"{pattern.text}, without {{cage}}", "a pattern that tells the cage",
            "Where there is one cage only, put its recordings into a folder that is called so.",
        )  # fmt: skip
    told = stage.starts or stage.start == "container" or pattern.parts >= clock.STARTED
    if "segment" not in pattern.names and not told:
        yield _fault(
            option, f"{pattern.text}, which tells neither {{segment}} nor when recordings start",
            "{segment}, or date, hour and minute by {date:FORMAT} and {start:FORMAT}",
            f"For instance {EXAMPLE}. Or tell starts by --starts or --start container.",
        )  # fmt: skip


def _of_other(
    stage: "ListSegments", key: str, pattern: Pattern, lead: Pattern | None
) -> Iterator[InputError]:
    """Tell of a pattern that says what nobody knows of recordings, or a time without its date."""
    option = option_of(key)
    if lead and "rig" in pattern.names - lead.names:
        yield _fault(
            option, f"{pattern.text}, with {{rig}}", f"one without, as {lead.text}",
            "Write {any} in its place.",
        )  # fmt: skip
    told = [part for part in clock.PARTS if part in pattern.parts]
    if key.startswith(LOG) and told != [*clock.PARTS[: len(told)]]:
        yield _fault(
            option, f"{pattern.text}, which tells {', '.join(told)}",
            "a time with its date, by which logs are put in order",
        )  # fmt: skip


def _of_cages(stage: "ListSegments", lead: Pattern | None) -> Iterator[InputError]:
    """Tell of rules of rigs and splits that contradict each other."""
    for option, rules in (("--rig", rigs_of(stage)), ("--split", splits_of(stage))):
        for found, expected in by_cage.faults(rules):
            yield _fault(option, found, expected)
    if stage.rig and lead and "rig" in lead.names:
        yield _fault("--rig", f"{{rig}} in {lead.text}, too", "one of the two")


def rigs_of(stage: "ListSegments") -> list[Rule]:
    """Return what the command says of rigs."""
    return [by_cage.rig(text) for text in stage.rig]


def splits_of(stage: "ListSegments") -> list[Rule]:
    """Return what the command says of splits."""
    return [by_cage.split(text) for text in stage.split]


def _of_clock(
    stage: "ListSegments", by_key: Mapping[str, Pattern], lead: str | None
) -> Iterator[InputError]:
    """Tell of clock times that are of no zone."""
    timed = [
        pattern.text
        for key, pattern in by_key.items()
        if "offset" not in pattern.parts
        and (
            (key.startswith(LOG) and pattern.parts)
            or (key == lead and stage.start == "name" and _starts(stage, pattern))
        )
    ]
    if timed and stage.zone is None:
        yield _fault(
            "--zone", f"none, and clock times in {' and '.join(timed)}",
            "the time zone of the clock that files are called by, as Europe/London",
            "A clock that is never set to summer time is of a zone such as UTC or Etc/GMT-1, which "
            "is one hour ahead of UTC.",
        )  # fmt: skip


def _starts(stage: "ListSegments", pattern: Pattern) -> bool:
    """Tell whether names tell when recordings start, or are to once the pattern is mended."""
    meant = pattern.parts and "segment" not in pattern.names and not stage.starts
    return pattern.parts >= clock.STARTED or bool(meant)


def _fault(option: str, found: str, expected: str, remedy: str | None = None) -> InputError:
    return InputError("options", found, expected, where=option, remedy=remedy)
