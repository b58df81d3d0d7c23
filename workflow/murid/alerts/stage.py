"""The stage that tells what got worse than its limits."""

from pathlib import Path

from murid import settings
from murid.readings.settings import Zone
from murid.stage import Stage, makes, reads, same_as


class TellAlerts(Stage):
    """Sum up each cage and day, and tell what of it is worse than its limits."""

    summaries: tuple[Path, ...] = reads("summaries of a cage; repeatable", default=())
    health: tuple[Path, ...] = reads("of a cage with antenna logs; repeatable", default=())
    output_cages: Path = makes("cages", "cages to write, as Parquet, and as CSV beside it")
    output_alerts: Path = makes("alerts", "alerts to write, in the same way")
    zone: Zone = same_as(settings.Readings, "zone")
    alerts: settings.Alerts = settings.Alerts()

    def run(self) -> None:
        """Tell; what was not measured is worse than no limit."""
        from murid.alerts import tell

        print(tell.tell(self))
