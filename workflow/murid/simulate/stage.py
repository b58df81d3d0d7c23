"""The stage that makes the demo archive."""

from pathlib import Path

from murid import settings
from murid.stage import Stage, takes


class Simulate(Stage):
    """Make a demo archive in the folder OUT: videos, antenna traces, annotations, a sheet."""

    out: Path = takes("folder to write to", argument=True)
    simulate: settings.Simulate = settings.Simulate()

    def run(self) -> None:
        """Make it, and say what it holds."""
        from murid.sheet import read_sheet
        from murid.simulate import demo

        demo.make(self.out, self.simulate)
        sheet = self.out / "segments.tsv"
        segments = read_sheet(sheet)
        cages = {cage: row.split for (cage, _), row in segments.items()}
        splits = ", ".join(f"{cage} {split}" for cage, split in cages.items())
        print(f"made {sheet} and {len(segments)} segments of {len(cages)} cages ({splits})")
