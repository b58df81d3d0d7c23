"""The stage that lists what became of each segment."""

from pathlib import Path

from murid.stage import Stage, takes


class Verdicts(Stage):
    """List every segment of the RESULTS of a run with its verdict: usable, repaired or why not."""

    results: Path = takes("folder of the results of a run", argument=True)
    output: Path = takes("CSV to write, a segment a line")

    def run(self) -> None:
        """List them; a segment whose table is missing or damaged is among them as failed."""
        from murid import spreadsheets
        from murid.files import write_text
        from murid.verdicts import collected

        write_text(self.output, spreadsheets.to_csv(collected.collect(self.results)))
