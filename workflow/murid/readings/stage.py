"""The stage that reads antenna logs: each once, however many segments it serves."""

from pathlib import Path

from murid import settings
from murid.stage import Stage, makes, takes


class ReadLog(Stage):
    """Read an antenna log, of any system, into a table of its reads by time in UTC."""

    of = "log"

    file: Path = takes("antenna log")
    cages: tuple[str, ...] = takes("a cage that it serves; repeatable", option="--cage", default=())
    output: Path = makes("readings")
    logs: settings.Logs = settings.Logs()

    def run(self) -> None:
        """Read; what cannot be read leaves an empty table that says why."""
        from murid.readings import log_table

        verdict = log_table.write(self.file, self.output, self.logs, self.cages)
        print(f"{self.file}: {verdict.status}{f' ({verdict.reason})' * bool(verdict.reason)}")
