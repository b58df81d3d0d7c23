"""The stages that tell what animals did: of a segment, of a cage, and of all of them."""

from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.stage import Cage, Rate, Rig, Segment, Stage, Start, makes, reads, same_as, takes

FIGURES = ("animal_figures", "zone_figures", "pair_figures")
"""Tables of figures by the minute and by the hour."""


class Summarise(Stage):
    """Tell what the animals of a segment did by the second, the minute and the hour."""

    of = "segment"

    cage: Cage
    segment: Segment
    rig: Rig
    fps: Rate
    start: Start = ""
    positions: Path = reads("table of positions")
    tracklets: Path = reads("table of tracklets")
    identities: Path = reads("table of identities")
    places: Path = reads("table of places")
    posteriors: Path = reads("table of posteriors")
    draws: Path | None = reads("table of draws; without, names are taken to be sure", default=None)
    weights: Path = reads("fitted weights (JSON)")
    transforms: Path = reads("table of the rigs' transforms")
    zone: str = same_as(settings.Logs, "zone")
    hopper: settings.Hopper = same_as(settings.Detect, "hopper")
    output_seconds: Path = makes("seconds")
    output_animals: Path = makes("animal_figures")
    output_zones: Path = makes("zone_figures")
    output_pairs: Path = makes("pair_figures")
    output_names: Path = makes("tracklet_names")
    summaries: settings.Summaries = settings.Summaries()

    def run(self) -> None:
        """Tell; of a segment that cannot be used, the tables are empty and say why."""
        from murid.summaries import segment

        segment.summarise(self)


class Member(NamedTuple):
    """Tables of a segment of a cage."""

    cage: str
    segment: str
    animals: Path
    zones: Path
    pairs: Path
    names: Path


class SummariseCage(Stage):
    """Join what is told of the segments of a cage, an hour that several have a part of as one."""

    of = "cage"

    segments: tuple[Member, ...] = takes(
        "a segment, and its tables: animal_figures, zone_figures, pair_figures and tracklet_names; "
        "repeatable",
        option="--segment",
        default=(),
    )
    output_animals: Path = makes("animal_figures")
    output_zones: Path = makes("zone_figures")
    output_pairs: Path = makes("pair_figures")
    output_names: Path = makes("tracklet_names")

    def run(self) -> None:
        """Join; a segment whose tables cannot be read has failed, and does not stop the others."""
        from murid.summaries import cage

        cage.join(self)


class SummariseAll(Stage):
    """Write what is told of all cages, as Parquet and CSV."""

    animals: tuple[Path, ...] = reads("table of animal_figures of a cage; repeatable")
    zones: tuple[Path, ...] = reads("table of zone_figures of a cage; repeatable")
    pairs: tuple[Path, ...] = reads("table of pair_figures of a cage; repeatable")
    names: tuple[Path, ...] = reads("table of tracklet_names of a cage; repeatable")
    output_dir: Path = takes("folder to write to", metavar="FOLDER")

    def run(self) -> None:
        """Write minutes, hours, and names of tracklets."""
        from murid.summaries import archive

        archive.write(self)
