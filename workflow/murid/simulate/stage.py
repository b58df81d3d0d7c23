"""The stage that makes the demo archive."""

from pathlib import Path

from murid import settings
from murid.numbers import counted
from murid.stage import Stage, takes


class Simulate(Stage):
    """Make a demo archive in the folder OUT: videos, antenna traces, annotations, a sheet."""

    out: Path = takes("folder to write to", argument=True)
    lab: Path | None = takes(
        "folder to write the same archive to as a lab would have it, with antenna logs whose clock "
        "is off",
        default=None,
    )
    simulate: settings.Simulate = settings.Simulate()

    def run(self) -> None:
        """Make it, and say what it holds."""
        from murid.errors import InputError
        from murid.sheet import read_sheet
        from murid.simulate import demo, lab

        sheet = self.out / "segments.tsv"
        if sheet.exists() and not (self.out / "truth").is_dir():
            raise InputError(
                sheet, "a sample sheet of another archive", "a folder without one",
                remedy="Give the demo archive a folder of its own.",
            )  # fmt: skip
        demo.make(self.out, self.simulate)
        if self.lab:
            lab.make(self.out, self.lab)
        segments = read_sheet(sheet)
        cages = {cage: row.split for (cage, _), row in segments.items()}
        told = f"{counted(len(segments), 'segment')} of {counted(len(cages), 'cage')}"
        splits = ", ".join(f"{cage} {split}" for cage, split in cages.items())
        print(f"made {sheet} and {told} ({splits})")
