"""The stage that writes the page of a cage."""

from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.readings.settings import Zone
from murid.stage import PAGE, Positive, Stage, makes, reads, same_as, takes


class Filmed(NamedTuple):
    """A segment of which a still may be taken."""

    video: Path
    fps: Positive
    rig: str


class ReportCage(Stage):
    """Write the page of a cage: whether to trust it, and what its animals did, where, with whom."""

    of = "cage"

    cage: str = takes("name of the cage")
    animal_figures: Path = reads("table of animal_figures of the cage")
    zone_figures: Path = reads("table of zone_figures of the cage")
    pair_figures: Path = reads("table of pair_figures of the cage")
    seconds: tuple[Path, ...] = reads("table of seconds of a segment; repeatable", default=())
    verdicts: Path = reads("table of summaries of the cage")
    health: Path | None = reads("table of health of the cage, if it has antenna logs", default=None)
    transforms: Path = reads("table of transforms")
    filmed: tuple[Filmed, ...] = takes(
        "a segment's video, its frames per second and rig set-up, to take a still of: the first "
        "that can be read; repeatable",
        default=(),
    )
    output: Path = makes(PAGE, "page to write (HTML)")
    zone: Zone = same_as(settings.Readings, "zone")
    image: settings.Image = settings.Image()
    hopper: settings.Hopper = same_as(settings.Detect, "hopper")
    summaries: settings.Summaries = settings.Summaries()
    report: settings.Report = settings.Report()
    alerts: settings.Alerts = settings.Alerts()

    def run(self) -> None:
        """Write; a cage of which nothing is known has a page that says so."""
        from murid.report.animals import page

        page.write(self)
