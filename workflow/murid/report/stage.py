"""The stage that tells how well names are given."""

from pathlib import Path

from murid import settings
from murid.readings.settings import Zone
from murid.stage import Stage, reads, same_as, takes


class Report(Stage):
    """Write the metrics, a page that explains them, and what got worse than its limits."""

    counts: tuple[Path, ...] = reads("counts of a cage; repeatable", default=())
    summaries: tuple[Path, ...] = reads("summaries of a cage; repeatable", default=())
    reliability: tuple[Path, ...] = reads("of a cage; repeatable", default=())
    stretches: tuple[Path, ...] = reads("of a cage; repeatable", default=())
    health: tuple[Path, ...] = reads("of a cage with antenna logs; repeatable", default=())
    hours: Path | None = reads("table animal_figures of hours, of all cages", default=None)
    figures: tuple[Path, ...] = reads("animal_figures of a cage; repeatable", default=())
    pages: tuple[Path, ...] = reads("page of a cage; repeatable", default=())
    detector_validation: Path | None = reads("table of detector_validation", default=None)
    detector_metrics: Path | None = reads("table of detector_metrics", default=None)
    clips: Path | None = reads("table of clips, which lie beside it", default=None)
    proofread: Path | None = reads("page that asks who is who, to link to", default=None)
    transforms: Path | None = reads("table of transforms", default=None)
    weights: Path | None = reads("weights that names rest on, for their remarks", default=None)
    calibration_points: Path | None = reads("table of calibration_points", default=None)
    calibration_residuals: Path | None = reads("table of calibration_residuals", default=None)
    output_dir: Path = takes("folder of the report")
    zone: Zone = same_as(settings.Readings, "zone")
    report: settings.Report = settings.Report()
    alerts: settings.Alerts = settings.Alerts()

    def run(self) -> None:
        """Write; what is not given is left out of the page."""
        from murid.report import page

        page.write(self)
