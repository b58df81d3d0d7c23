"""The settings of what is worth an alert: each limit has the name of its alert."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from murid.settings_kinds import Block, Count, Fraction, NotNegative, setting


class Alerts(Block):
    """From when on something is worth an alert."""

    failed: Fraction = setting(0.0, "share of the segments of a cage and day that may fail")
    discarded: Fraction = setting(0.1, "the same, that may be discarded")
    silent_antenna: NotNegative = setting(
        1.0,
        "hours for which an antenna may be silent while animals go about",
        "It takes some three hours of that to tell that a silence is no chance",
    )
    silent_tag: NotNegative = setting(
        1.0, "hours for which a tag may be silent while other animals go about"
    )
    missing_hours: NotNegative = setting(
        1.0, "hours for which no tag of a cage may be read while it is filmed"
    )
    missing_frames: Fraction = setting(0.05, "share of the frames of a segment that may be missing")
    contradicted: Fraction = setting(
        0.2,
        "share of the boxes that people named, by which fewer may be named alike than confidence "
        "expects",
        "Of less than 20 such boxes of a cage and day nothing is said",
    )
    low_coverage: Fraction = setting(
        0.3, "share of the time of its animals that must be named in a cage on a day"
    )
    falling_coverage: Fraction = setting(
        0.15, "part by which that may be lower than is usual for the cage"
    )
    low_confidence: Fraction = setting(
        0.8, "mean probability that the names of a cage and day must have"
    )
    falling_confidence: Fraction = setting(
        0.05, "part by which that may be lower than is usual for the cage"
    )
    fewer_boxes: Fraction = setting(
        0.25, "part by which boxes a frame may be fewer than is usual for the cage"
    )
    fewer_reads: Fraction = setting(
        0.5, "part by which reads an hour may be fewer than is usual for the cage"
    )
    unread: Fraction = setting(
        0.9, "share of the frames of a day in which an animal may be without a reading"
    )
    clock_offset: NotNegative = setting(
        10.0, "seconds by which the clock of a log may be off, before it is put right"
    )
    clock_drift: NotNegative = setting(
        100.0, "parts per million by which it may drift; clocks of quartz keep below that"
    )
    unknown_tag: Fraction = setting(
        0.01, "share of the reads of a log and day that may be of tags that no animal wears"
    )
    ghost_reads: Fraction = setting(0.01, "the same, of misread tags")
    past_days: Annotated[int, Field(ge=1, le=1000)] = setting(
        14, "days of a cage before a day whose median is what is usual for it"
    )
    least_days: Count = setting(
        5, "so many of these must tell, or nothing is said of what falls", "Days with less than "
        "half the hours of video that are usual neither count nor are compared",
    )  # fmt: skip

    @model_validator(mode="after")
    def _days_enough(self) -> Self:
        if self.least_days > self.past_days:
            raise ValueError(
                f"alerts.least_days of {self.past_days} at most, which are past_days, not "
                f"{self.least_days}"
            )
        return self
