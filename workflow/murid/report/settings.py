"""The settings of the report."""

import re
from typing import Any

from pydantic import field_validator

from murid.settings_kinds import Block, Count, setting

DARK = r"^(([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)?$"
"""How a dark phase is written."""


class Report(Block):
    """How the report looks."""

    title: str = setting("Who is who in the cage", "heading of the page")
    note: str | None = setting(None, "a remark on the data, shown under the heading; null = none")
    animals: bool = setting(
        True,
        "tell what animals did: activity, places, contacts, a page a cage; false = of names alone",
        "It takes some ten seconds of processor for half an hour of video. `snakemake animals` "
        "tells it without a report",
    )
    dark: str = setting(
        "",
        "when the light goes out and on again, as 19:00-07:00 by the clock of readings.zone; empty "
        "= not known",
        "Pages of cages shade it, and tell what mice do in it",
        pattern=DARK,
    )
    max_segments: Count = setting(
        200,
        "reasons of segments of a status that the page lists at most; report/segments.csv has all",
        "There `identified` is the share of frames and animals with a box, and "
        "`evaluated_frames` are those of the `annotated_frames` that count",
    )
    max_cages: Count = setting(60, "cages of a split that are drawn at most")
    max_stretches: Count = setting(
        20, "uncertain stretches that the page lists at most; report/review.csv has them all"
    )
    max_findings: Count = setting(
        50,
        "findings about antennas and clocks that the page lists at most; report/health.csv has "
        "them all, day by day",
    )

    @field_validator("dark", mode="before")
    @classmethod
    def _phase(cls, dark: Any) -> Any:
        """Refuse what is no time from one minute of the day to another."""
        if not isinstance(dark, str) or not dark:
            return dark
        if not re.fullmatch(DARK, dark) or dark[:5] == dark[6:]:
            raise ValueError("two times of day, as 19:00-07:00, that are not the same")
        return dark
