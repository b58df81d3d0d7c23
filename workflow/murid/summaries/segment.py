"""One segment: what its animals did, by the second, the minute and the hour."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from murid import rigs, start_times, tables, timeline
from murid.errors import naming
from murid.models import fitted_weights
from murid.models.fitted_weights import Affinity
from murid.summaries import courses, figures, known, measures, seconds, tracklet_names
from murid.summaries import periods as period
from murid.summaries.behind import Behind
from murid.summaries.known import Floats, Known
from murid.summaries.measures import How, Way
from murid.summaries.settings import HOPPER
from murid.summaries.traced import traced
from murid.summaries.zones import of_settings

if TYPE_CHECKING:
    from murid.summaries.stage import Summarise

KINDS = ("minute", "hour")


def summarise(stage: "Summarise") -> None:
    """Write what the animals of a segment did; of a discarded one empty tables, and why."""
    read = [stage.positions, stage.tracklets, stage.identities, stage.places, stage.posteriors]
    read += [stage.draws] if stage.draws else []
    verdict = rigs.read_segment_verdict(stage.transforms, stage.rig, *read)
    outputs = {
        "seconds": stage.output_seconds, "animal_figures": stage.output_animals,
        "zone_figures": stage.output_zones, "pair_figures": stage.output_pairs,
        "tracklet_names": stage.output_names,
    }  # fmt: skip
    made = {name: tables.empty(name) for name in outputs}
    if not verdict.discarded:
        made |= tables_of(stage)
    for name, path in outputs.items():
        table = made[name].assign(cage=stage.cage, segment=stage.segment)
        if "time" in table:
            table["local"] = period.local(table["time"], stage.zone)
        tables.write(table, path, name, verdict)


def tables_of(stage: "Summarise") -> dict[str, pd.DataFrame]:
    """Return the tables of a segment, by name, but for what it is called."""
    files = {
        name: getattr(stage, name)
        for name in ("positions", "tracklets", "identities", "places", "draws")
    }
    with naming(**{name: path for name, path in files.items() if path}):
        affinity = fitted_weights.read(stage.weights).lagged
        told = known.read(stage, affinity)
        # Times of its frames are known better than when it should have begun.
        begin = timeline.began(tables.read_about(stage.positions))
        begin = begin or start_times.known(stage.start, stage.zone)
        how = measuring(stage, told)
        linked = tables.read(stage.tracklets, "tracklets")
        made = {
            "tracklet_names": tracklet_names.table(
                linked, tables.read(stage.posteriors, "posteriors")
            )
        }
        if not told.animals:
            return made
        assignments: courses.Drawn | list[Floats] = [told.boxes]
        count = 1
        if stage.draws:
            matrix = rigs.read_matrices(stage.transforms, [stage.rig])[stage.rig]
            drawn = courses.Drawn(told, linked, tables.read(stage.draws, "draws"), matrix)
            if len(drawn.numbers):
                assignments, count = drawn, len(drawn.numbers)
        course = courses.best(told, behind=how.behind)
        way = Way(
            measures.ways(told.boxes, how), scale(stage, affinity, course), traced(told, told.boxes)
        )
        measured = measures.measure(course, way, how)
        made["seconds"] = seconds.table(told, course, measured, way, [*how.zones], begin)
        kinds = {kind: period.of(kind, len(told.boxes), told.fps, begin) for kind in KINDS}
        found = figures.of_courses(
            told, assignments, way.scale, how, kinds, -(-stage.summaries.samples // count),
            np.random.default_rng(stage.summaries.seed),
        )  # fmt: skip
        parts = [
            part
            for kind, periods in kinds.items()
            for part in figures.tables_of(told, course, found[kind], kind, periods, how.zones)
        ]
    for name in {name for name, _ in parts}:
        made[name] = pd.concat([table for of, table in parts if of == name], ignore_index=True)
    return made


def measuring(stage: "Summarise", told: Known) -> How:
    """Return how a segment is measured."""
    given = stage.summaries
    zones = of_settings(stage.hopper, given.zones)
    usual, touch = known.Usual.of(told.boxes, told.read), given.touch * told.length
    behind = Behind.of(told.boxes, zones[HOPPER], usual, touch) if HOPPER in zones else None
    return How(
        told.fps, given.smoothing, given.reach * told.length, usual, given.rearing, given.rest,
        touch, zones, behind,
    )  # fmt: skip


def scale(stage: "Summarise", affinity: Affinity, course: courses.Course) -> Floats:
    """Return centimetres a pixel (F, J), where nothing is known the usual; NaN if not known."""
    found = known.centimetres(affinity, stage.summaries.pitch, course.centres)
    if found is None:
        return np.full(course.known.shape, np.nan)
    usual = np.median(found[course.known]) if course.known.any() else np.nan
    return np.where(course.known, found, usual)
