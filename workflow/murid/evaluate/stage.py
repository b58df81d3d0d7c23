"""The stages that compare names with annotations: of a segment, of a cage, of many cages."""

from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.readings.settings import Zone
from murid.stage import (
    Cage,
    MethodTable,
    Positive,
    Rate,
    Segment,
    Split,
    Stage,
    Start,
    makes,
    reads,
    same_as,
    takes,
)

JOINED = ("counts", "reliability", "summaries", "stretches", "health")
"""Tables of a cage that the report is made of."""
STACKED = (*JOINED, "animal_figures", "zone_figures", "pair_figures", "tracklet_names")
"""Those that are stacked."""


class Evaluate(Stage):
    """Compare what each method says of a segment with its annotations."""

    of = "segment"

    cage: Cage
    segment: Segment
    split: Split = ""
    fps: Rate
    detections: Path = reads("table of detections")
    tracklets: Path = reads("table of tracklets")
    positions: Path = reads("table of positions")
    annotations: Path = reads("table of annotations")
    identities: tuple[MethodTable, ...] = reads(
        "a method and its table; repeatable, with annotations also 'oracle'"
    )
    corrections: Path | None = reads(
        "table of corrections, whose frames are not evaluated", default=None
    )
    default: str = takes("method whose table is the answer")
    output_animals: Path = makes("animal_outcomes", "animal_outcomes to write")
    output_detections: Path = makes("detection_outcomes", "detection_outcomes to write")
    output_summary: Path = makes("summaries", "one row of summaries to write")
    evaluate: settings.Evaluate = settings.Evaluate()

    def run(self) -> None:
        """Compare; of a segment that cannot be used, the outcomes have no rows."""
        from murid.evaluate import segment

        segment.evaluate(self)


class Member(NamedTuple):
    """A segment of a cage, and what was found of it."""

    cage: str
    segment: str
    split: Split
    fps: Positive
    start: Start
    animals: Path
    detections: Path
    summary: Path


class Aggregate(Stage):
    """Join the segments of a cage, and discard those that show other animals."""

    of = "cage"

    members: tuple[Member, ...] = takes(
        "a segment, and its animal_outcomes, detection_outcomes and summary; repeatable",
        option="--segment",
        default=(),
    )
    output_counts: Path = makes("counts", "counts to write")
    output_reliability: Path = makes("reliability", "reliability to write")
    output_summaries: Path = makes("summaries", "summaries to write")
    zone: Zone = same_as(settings.Readings, "zone")

    def run(self) -> None:
        """Join; a segment whose tables cannot be read has failed, and does not stop the others."""
        from murid.evaluate import cage

        cage.join(self)


class Named(NamedTuple):
    """A table, by its name among the contracts."""

    name: str
    path: Path


class Join(Stage):
    """Stack the tables of several cages."""

    parts: tuple[Named, ...] = takes("a table of a cage; once for each", option="--table")
    outputs: tuple[Named, ...] = takes("a stacked table to write; repeatable", option="--output")

    def run(self) -> None:
        """Stack the tables of each name in the order given."""
        from murid import tables
        from murid.errors import InputError

        for name in {name for name, _ in (*self.parts, *self.outputs)} - set(STACKED):
            raise InputError("options", f"the table {name!r}", f"one of {', '.join(STACKED)}")
        for name, output in self.outputs:
            paths = [path for given, path in self.parts if given == name]
            table = tables.concatenate((tables.read(path, name) for path in paths), name)
            tables.write(table, output, name, tables.read_verdict(*paths))
