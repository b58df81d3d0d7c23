"""What can be told of antenna logs, and of those who wear tags, before anything runs."""

import math
import os
from collections.abc import Iterator

from murid.animals import contradictions
from murid.numbers import counted
from murid.readings import antenna_table
from murid.run.findings import SHOWN, Finding, error, some, warning
from murid.run.plan import Plan

AS_ONE = 2
"""Pixels within which antennas are as good as in one place, as are shares of a picture."""


def of_logs(plan: Plan) -> Iterator[Finding]:
    """Look for antenna logs, and for the animals of the cages that have some."""
    if lost := [path for path in plan.logs.values() if not os.path.isfile(path)]:
        yield warning(
            f"readings: {len(lost):,} of {len(plan.logs):,} antenna logs are not there "
            f"({some(lost)}): segments that need their minutes lack these"
        )
    yield from _of_places(plan)
    yield from _of_antennas(plan)
    yield from _of_unreadable(plan)
    yield from _of_wearers(plan)
    logged = dict.fromkeys(key[0] for key, row in plan.segments.items() if row.readings)
    if logged and plan.settings.grid.places and not plan.settings.antennas:
        yield error(
            "grid.places: antennas in no grid, and nothing tells what logs call them: set "
            "antennas: to a table of antenna, x and y in their place"
        )
    table = plan.settings.animals
    if table and not logged:
        yield warning("animals: no segment has readings, so that nobody asks for tags")
    unnamed = [
        key for key, row in plan.segments.items() if row.readings and not (table or row.animals)
    ]
    if unnamed:
        yield warning(
            f"animals: no table of who wears which tag, and of {counted(len(unnamed), 'segment')} "
            "with logs "
            f"the sheet names no animals ({some(map(' '.join, unnamed))}): tags are taken for "
            "their names. Set animals: to a table of cage, animal and tag"
        )
    serving: dict[str, set[str]] = {}
    for cage, name in unnamed:
        for path in plan.segments[cage, name].readings:
            serving.setdefault(path, set()).add(cage)
    if shared := [path for path, cages in serving.items() if len(cages) > 1]:
        yield error(
            f"readings: {counted(len(shared), 'log serves', 'logs serve')} several cages "
            f"({some(shared)}), and nothing "
            "says who lives where: set animals: to a table of cage, animal and tag"
        )
    assumed = [
        " ".join(key)
        for key, row in plan.segments.items()
        if row.readings and row.fps_assumed and not row.frame_times
    ]
    if assumed:
        yield warning(
            f"fps: {counted(len(assumed), 'segment with logs has', 'segments with logs have')} "
            f"none ({some(assumed)}), and 25 is "
            "taken: where their videos say otherwise, they are discarded. Write it in the sheet"
        )
    absent = {each.cage: each.line for each in reversed(plan.worn) if each.cage not in plan.cages}
    if logged and absent:
        lines = [f"{cage} in line {line}" for cage, line in reversed(absent.items())]
        yield warning(
            f"{table}: the sheet has no segment of the cages {some(lines)}. If a name is misspelt, "
            "its animal lacks in the cage that it lives in, and others are named in its place"
        )
    strange = [cage for cage in logged if table and cage not in {each.cage for each in plan.worn}]
    if strange:
        yield warning(
            f"{table}: no animal lives in the cages {some(strange)}, of which there are antenna "
            "logs: their segments are discarded. Add their animals and tags"
        )


def _of_places(plan: Plan) -> Iterator[Finding]:
    """Look for places of antennas that are hardly pixels."""
    settings = plan.settings
    places = settings.grid.places
    if places is None:
        return
    span = max(max(values) - min(values) for values in zip(*places, strict=True))
    if span <= AS_ONE:
        pixels = f"{(most := math.ceil(span))} pixel{'s' * (most != 1)}"
        yield warning(
            f"{settings.antennas or 'grid.places'}: all antennas are within {pixels} of each "
            f"other; pixels of the picture of {settings.image.width} x {settings.image.height} "
            "(image) are expected: are these shares of it, or another unit? Convert them"
        )


def _of_antennas(plan: Plan) -> Iterator[Finding]:
    """Compare the cages of the table of antennas with those that have logs."""
    table = plan.settings.antennas
    cages = antenna_table.cages(table) if table else {"": 0}
    if lacking := [cage for cage in plan.logged if not {"", cage} & cages.keys()]:
        yield warning(
            f"{table}: no antenna is of the cages {some(lacking)}, of which there are antenna "
            "logs: their segments are discarded. Mend the column cage"
        )
    strange = [(cage, line) for cage, line in cages.items() if cage and cage not in plan.cages]
    if strange:
        lines = [f"{cage} in line {line}" for cage, line in strange]
        yield warning(f"{table}: antennas of cages that the sheet lacks ({some(lines)})")


def _of_unreadable(plan: Plan) -> Iterator[Finding]:
    """Look for rows of the table of animals that say nothing."""
    for faults, what in (
        ([each for each in plan.wearers.faults if each.cage],
         "Segments of the cages {} are discarded where logs are read by that"),
        ([each for each in plan.wearers.faults if not each.cage],
         "Nobody knows whose animal that is: it lacks in the cage that it lives in"),
    ):  # fmt: skip
        if faults:
            told = " ".join(str(each.error) for each in faults[:SHOWN])
            more = f" And {len(faults) - SHOWN:,} more." if len(faults) > SHOWN else ""
            yield warning(f"{told}{more} {what.format(some(sorted({f.cage for f in faults})))}")


def _of_wearers(plan: Plan) -> Iterator[Finding]:
    """Look for what the table of animals says against itself."""
    table = plan.settings.animals
    if table and (wrong := contradictions(plan.worn)):
        cages = sorted({row.cage for each in wrong for row in (each.former, each.later)})
        faults = " ".join(str(each.error(table)) for each in wrong[:SHOWN])
        more = f" And {len(wrong) - SHOWN:,} more." if len(wrong) > SHOWN else ""
        yield warning(
            f"{faults}{more} Segments of the cages {some(cages)} are discarded where logs are read "
            "by that"
        )
