"""The stages that find by how much clocks are off, and put the readings of logs right."""

from pathlib import Path

from murid.readings.logged import Logged
from murid.stage import Stage, makes, reads


class WatchClock(Logged):
    """Find by how much the logged readings of a segment run late, by its boxes."""

    positions: Path = reads("table of positions")
    detections: Path = reads("table of detections")
    output: Path = makes("lateness", "one row of lateness to write")

    def run(self) -> None:
        """Find; of a segment that cannot be used, nothing is known."""
        from murid.clocks import watch

        print(watch.watch(self))


class SetClock(Stage):
    """Lay lines through what the segments of a day, and of days before, tell of their clock."""

    of = "clock"

    segments: tuple[Path, ...] = reads("lateness of a segment; repeatable", option="--lateness")
    before: tuple[Path, ...] = reads(
        "the same of a day before; repeatable", option="--before", default=()
    )
    output: Path = makes("clocks")

    def run(self) -> None:
        """Lay them; each segment is told how late its readings run."""
        from murid.clocks import day

        print(day.set_clock(self.segments, self.before, self.output))


class Align(Logged):
    """Read a segment's logs again, by a clock that is put right."""

    positions: Path = reads("table of positions, by the clock as it is")
    clocks: Path = reads("table of clocks, that of the segment's day")
    output: Path = makes("positions")

    def run(self) -> None:
        """Align; what is to be said of the clock is said in the verdict."""
        from murid.clocks import align

        verdict = align.align(self)
        reason = f" ({verdict.reason})" * bool(verdict.reason)
        print(f"{self.cage} {self.segment}: {verdict.status}{reason}")
