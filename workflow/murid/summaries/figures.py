"""Figures of periods with their intervals: of several likely courses of events, and of the best."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.summaries import courses, measures
from murid.summaries.known import Floats, Known
from murid.summaries.measures import How, Measured, Way, pairs
from murid.summaries.periods import Periods, means
from murid.summaries.traced import traced

ENDS = (0.05, 0.95)
"""Quantiles that are the ends of intervals."""
OFF_WAY, OFF_STEP, OFF_APART = 0.018, 0.22, 0.025
OFF = {
    "inside": (0.04, 0.62),
    "contact": (0.006, 0.4),
    "resting": (0.022, 1.15),
    "huddled": (0.018, 1.05),
    "rearing": (0.03, 0.8),
}
"""Standard deviations, beside those of names and places, since the box of an animal that is hidden
in part is smaller and moves otherwise than the animal: of a way, a share of it, and of the root of
it times the animal's length; of how far animals are apart, a share; of each share p, a part of the
root of p (1 - p), and as much more as that of independent moments, by the root of the seconds.
Learnt on fourteen simulated cages filmed for an hour, of which none is one of Test: there, nine of
ten hours and minutes are held."""
FOLLOWED = 0.8
"""Share of the time in which an animal's place is known of which its way must be, to be told."""
REPEATED = 5
"""Times that each drawn course is made unsure so, for ends of intervals to be steadier."""
ANIMAL = ("distance", "distance_cm", "speed", "rearing", "resting", "huddled")


@dataclass(frozen=True)
class Figures:
    """Figures of B periods: by name, value and ends of the interval, each (B, ...); NaN = unknown.

    Those of animals are (B, J), ``inside`` is (B, J, Z), those of pairs are (B, P).
    """

    value: dict[str, Floats]
    low: dict[str, Floats]
    high: dict[str, Floats]

    def columns(self, names: Iterable[str], *place: int) -> dict[str, Floats]:
        """Return columns of a table: of an animal or pair, and perhaps a zone, (B,) each."""
        where: tuple[Any, ...] = (slice(None), *place)
        return {
            f"{name}{end}": of[name][where]
            for name in names
            for end, of in (("", self.value), ("_low", self.low), ("_high", self.high))
        }


def totals(measured: Measured, way: Way, known: Known, periods: Periods) -> dict[str, Floats]:
    """Return the figures of one course of events, by name; NaN where too little is known."""
    seen, there = periods.sums(measured.seen), periods.sums(measured.known)
    followed, enough = followed_enough(measured, periods)
    both, inside = periods.sums(measured.both), periods.sums(measured.inside)
    gone = np.where(enough, periods.sums(way.counted), np.nan)
    in_cm = np.where(enough, periods.sums(way.counted * way.scale), np.nan)
    judged = np.where(enough, followed, 0.0)
    # An animal alone cannot huddle, rather than never does.
    beside = there.shape[1] > 1
    judged_of_company = np.where(enough & beside, followed - periods.sums(measured.unsure), 0.0)
    scale = way.scale[:, [first for first, _ in pairs(there.shape[1])]]
    return {
        "distance": gone,
        "distance_cm": in_cm,
        "speed": means(gone, np.where(enough, periods.sums(way.traced), 0.0)) * known.fps,
        "rearing": means(periods.sums(measured.rearing), seen),
        "resting": means(periods.sums(measured.resting), judged),
        "huddled": means(periods.sums(measured.huddled), judged_of_company),
        "inside": means(inside, np.broadcast_to(there[..., None], inside.shape)),
        "apart": means(periods.sums(measured.apart), both),
        "apart_cm": means(periods.sums(measured.apart * scale), both),
        "contact": means(periods.sums(measured.contact), periods.sums(measured.met)),
    }


def followed_enough(measured: Measured, periods: Periods) -> tuple[Floats, NDArray[np.bool_]]:
    """Return in how many frames ways are known, and whether they are in nearly all with a place.

    Of an animal of which neither is known so, a way would be told that is far too short.
    """
    followed, there = periods.sums(measured.traced), periods.sums(measured.known)
    return followed, (followed > 0) & (followed >= FOLLOWED * there)


def of_courses(
    known: Known, assignments: Iterable[Floats], scale: Floats, how: How, kinds: dict[str, Periods],
    samples: int, random: np.random.Generator,
) -> dict[str, Figures]:  # fmt: skip
    """Work out figures, and how sure they are.

    Parameters
    ----------
    known
        What is known of F frames and J animals.
    assignments
        Boxes (F, J, 4) of several whole assignments.
    scale
        (F, J) centimetres a pixel; NaN where not known.
    how
        How it is measured.
    kinds
        Periods, by their kind.
    samples
        How many courses are drawn of each assignment.
    random
        Draws them.

    Returns
    -------
    Figures by kind of period; a value is the mean over the assignments.
    """
    values: dict[str, list[dict[str, Floats]]] = {kind: [] for kind in kinds}
    drawn: dict[str, list[dict[str, Floats]]] = {kind: [] for kind in kinds}
    for boxes in assignments:
        way = Way(measures.ways(boxes, how), scale, traced(known, boxes))
        plain = measures.measure(courses.best(known, boxes, how.behind), way, how)
        for kind, periods in kinds.items():
            values[kind].append(totals(plain, way, known, periods))
        for _ in range(samples):
            course = courses.drawn(known, boxes, random, how.behind)
            moved = measures.measure(course, way, how)
            for kind, periods in kinds.items():
                found = totals(moved, way, known, periods)
                long = periods.frames / known.fps
                drawn[kind] += [_unsure(found, known.length, long, random) for _ in range(REPEATED)]
    return {kind: _summed_up(values[kind], drawn[kind]) for kind in kinds}


def _unsure(
    found: dict[str, Floats], length: float, seconds: Floats, random: np.random.Generator
) -> dict[str, Floats]:
    """Let figures be as much larger or smaller as they may be, since boxes show parts of animals.

    Of shares of none or all it is left, too, that they are so by half a second.
    """
    result = {}
    for name, value in found.items():
        by = random.standard_normal(value.shape)
        if name in OFF:
            always, moment = OFF[name]
            long = seconds.reshape(-1, *[1] * (value.ndim - 1))
            likely = (value * long + 0.5) / (long + 1)
            error = np.sqrt((always**2 + moment**2 / long) * likely * (1 - likely))
        elif name in ("apart", "apart_cm"):
            error = OFF_APART * value
        else:
            gone = found["distance"]
            step = np.divide(length, gone, out=np.zeros(gone.shape), where=gone > 0)
            error = value * np.sqrt(OFF_WAY**2 + OFF_STEP**2 * step)
        result[name] = value + by * error
    return result


def _summed_up(values: list[dict[str, Floats]], drawn: list[dict[str, Floats]]) -> Figures:
    value, low, high = {}, {}, {}
    for name in values[0]:
        middle = _mean([each[name] for each in values])
        several = np.stack([each[name] for each in drawn])
        centre = _mean([*several])
        told = ~np.isnan(middle) & ~np.isnan(centre)
        middle = np.where(told, middle, np.nan)
        ends = _quantiles(several)
        most = 1.0 if name in OFF else np.inf
        value[name] = middle
        # Boxes that are moved touch less often: what that changes throughout is no uncertainty.
        low[name] = np.clip(np.minimum(middle + ends[0] - centre, middle), 0, most)
        high[name] = np.clip(np.maximum(middle + ends[1] - centre, middle), 0, most)
    return Figures(value, low, high)


def _mean(parts: list[Floats]) -> Floats:
    """Return the mean of what is known, NaN where half of the courses or more know nothing."""
    several = np.stack(parts)
    count = (~np.isnan(several)).sum(axis=0)
    total = np.nansum(several, axis=0)
    told = count > len(parts) / 2
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=told)


def _quantiles(several: Floats) -> Floats:
    """Return the quantiles :data:`ENDS` of what is known: (n, ...) -> (2, ...)."""
    lost = np.isnan(several).all(axis=0)
    filled = np.where(lost, 0.0, several)
    if np.isnan(filled).any():
        found = np.nanquantile(filled, ENDS, axis=0)
    else:
        found = np.quantile(filled, ENDS, axis=0)
    result: Floats = np.where(lost, np.nan, found)
    return result


def rows(periods: Periods, kind: str, fps: float, animal: str, **columns: object) -> pd.DataFrame:
    """Return a row for each period of an animal."""
    return pd.DataFrame(
        {
            "period": kind, "start": periods.start, "time": periods.times,
            "seconds": periods.frames / fps, "animal": animal, **columns,
        }
    )  # fmt: skip


def tables_of(
    known: Known, course: courses.Course, figures: Figures, kind: str, periods: Periods,
    zones: Iterable[str],
) -> Iterator[tuple[str, pd.DataFrame]]:  # fmt: skip
    """Yield tables by name: the rows of one animal, of it in one zone, or of a pair."""

    def shares(truths: measures.Truths) -> Floats:
        return periods.sums(truths) / periods.frames

    for place, animal in enumerate(known.animals):
        seen, there = shares(course.seen[:, place]), shares(course.known[:, place])
        states = {"seen": seen, "inferred": there - seen, "unknown": 1 - there}
        own = figures.columns(ANIMAL, place)
        yield "animal_figures", rows(periods, kind, known.fps, animal, **states, **own)
        for number, zone in enumerate(zones):
            within = figures.columns(["inside"], place, number)
            table = rows(periods, kind, known.fps, animal, zone=zone, known=there, **within)
            yield "zone_figures", table
    for number, (one, other) in enumerate(pairs(len(known.animals))):
        both = shares(course.known[:, one] & course.known[:, other])
        own = figures.columns(["apart", "apart_cm", "contact"], number)
        table = rows(
            periods, kind, known.fps, known.animals[one], other=known.animals[other], known=both,
            **own,
        )  # fmt: skip
        yield "pair_figures", table
