"""What is told of the animals of a cage over all of its hours, and over their light and dark ones.

Figures of hours are added up here. So are the ends of their intervals, as if all hours were wrong
on the same side.
"""

from collections.abc import Mapping

import pandas as pd

from murid.report.metrics import natural, natural_ranks

STATES = ("seen", "inferred", "unknown")
ENDS = ("", "_low", "_high")
SHARES = {"resting": ("seen", "inferred"), "huddled": ("seen", "inferred"), "rearing": ("seen",)}
"""Figures that are shares, and which states together are the time that each is a share of."""


def hours(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are of hours, sorted by when they begin.

    Parameters
    ----------
    figures
        Any of the tables ``animal_figures``, ``zone_figures`` and ``pair_figures``.
    """
    chosen = figures[figures["period"] == "hour"]
    return chosen.sort_values(["local", "segment", "start"], kind="stable", ignore_index=True)


def animals(
    figures: pd.DataFrame, phases: Mapping[str, pd.DataFrame] | None = None
) -> pd.DataFrame:
    """Add up what is told of each animal.

    Parameters
    ----------
    figures
        Rows of the table ``animal_figures``, of one kind of period.
    phases
        Rows of each phase, as :func:`murid.report.animals.phases.parts` gives them; None if that
        is not known.

    Returns
    -------
    A row an animal, with ``seconds``, shares ``seen``, ``inferred`` and ``unknown`` of them,
    ``followed``, the share of the time with a known place in which its way is known, too, for
    ``distance`` and ``distance_cm`` and each of :data:`SHARES` the figure and its ends ``_low`` and
    ``_high``, and ``dark`` and ``light``, its way an hour in these, in the unit of :func:`unit`,
    with their ends, and ``dark_seconds`` and ``light_seconds``, how long was filmed then; NaN where
    nothing is known.
    """
    rows = []
    for name in sorted(figures["animal"].unique(), key=natural):
        own = {phase: part[part["animal"] == name] for phase, part in (phases or {}).items()}
        whole = _whole(figures[figures["animal"] == name])
        rows.append({"animal": name, **whole, **_by_phase(own, unit(figures))})
    return pd.DataFrame(rows)


def unit(figures: pd.DataFrame) -> str:
    """Return the column of ways: centimetres where the scale is known throughout, else pixels."""
    known = figures["distance"].notna()
    return (
        "distance_cm"
        if figures.loc[known, "distance_cm"].notna().all() and known.any()
        else ("distance")
    )


def with_ways(figures: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Return the rows of ``animal_figures`` of which any of the way is known, in a unit."""
    return figures[figures[unit].notna() & (figures["unknown"] < 1)]


def rates(figures: pd.DataFrame, keys: list[str], unit: str) -> pd.DataFrame:
    """Return ways an hour, of the time in which they are known.

    Parameters
    ----------
    figures
        Rows of the table ``animal_figures``, of one kind of period.
    keys
        Columns whose values make a row each.
    unit
        Column of ways.

    Returns
    -------
    Columns ``value``, ``low`` and ``high``, by ``keys``; groups in which no way is known are left
    out.
    """
    ways = [unit + end for end in ENDS]
    known = with_ways(figures, unit)
    known = known.assign(followed=_followed(known))
    sums = known.groupby(keys, sort=True)[[*ways, "followed"]].sum()
    sums = sums[sums["followed"] > 0]
    told = sums[ways].mul(3600 / sums["followed"], axis=0)
    return told.set_axis(["value", "low", "high"], axis=1)


def shares(figures: pd.DataFrame, keys: list[str], name: str) -> pd.DataFrame:
    """Return a share of zones or pairs over all periods, weighed by the time that is known.

    Parameters
    ----------
    figures
        Rows of ``zone_figures`` or ``pair_figures``, of one kind of period.
    keys
        Columns whose values make a row each.
    name
        Column of the share.

    Returns
    -------
    Columns ``keys``, ``value``, ``low``, ``high`` and ``seconds``, the time that is known, sorted
    by names as people sort them; rows of which nothing is known are left out.
    """
    known = figures.assign(weight=figures["seconds"] * figures["known"])
    known = known[known[name].notna() & (known["weight"] > 0)]
    rows = []
    for key, part in known.groupby(keys, sort=True):
        weight = part["weight"]
        ends = (
            float((part[f"{name}{end}"] * weight).sum(skipna=False) / weight.sum()) for end in ENDS
        )
        row = dict(zip(keys, key, strict=True)) | dict(
            zip(("value", "low", "high"), ends, strict=True)
        )
        rows.append(row | {"seconds": float(weight.sum())})
    told = pd.DataFrame(rows, columns=[*keys, "value", "low", "high", "seconds"])
    return told.sort_values(keys, key=natural_ranks, kind="stable", ignore_index=True)


def _followed(figures: pd.DataFrame) -> pd.Series:
    """Return the seconds of each row in which the way is known: those that the speed is of."""
    placed = figures["seconds"] * (1 - figures["unknown"])
    moved = figures["speed"] > 0
    return (figures["distance"] / figures["speed"].where(moved)).where(moved, placed)


def _whole(own: pd.DataFrame) -> dict[str, float]:
    seconds = own["seconds"]
    told = {"seconds": float(seconds.sum())}
    told |= {state: _weighed(own[state], seconds) for state in STATES}
    placed = (seconds * (1 - own["unknown"])).to_numpy()
    followed = placed[own["distance"].notna().to_numpy()].sum()
    told["followed"] = float(followed / placed.sum()) if placed.sum() else float("nan")
    for name in ("distance", "distance_cm"):
        for end in ENDS:
            told[name + end] = float(own[name + end].sum(min_count=1))
    for name, states in SHARES.items():
        weight = seconds * own[[*states]].sum(axis=1)
        told |= {name + end: _weighed(own[name + end], weight) for end in ENDS}
    return told


def _by_phase(own: dict[str, pd.DataFrame], unit: str) -> dict[str, float]:
    """Return the way an hour in each phase, and how long was filmed in it."""
    told = {}
    for phase, rows in own.items():
        told[f"{phase}_seconds"] = float(rows["seconds"].sum())
        rate = rates(rows, ["animal"], unit)
        for end, column in zip(ENDS, rate.columns, strict=True):
            told[phase + end] = float(rate[column].iloc[0]) if len(rate) else float("nan")
    return told


def _weighed(values: pd.Series, weight: pd.Series) -> float:
    there = values.notna() & (weight > 0)
    total = float(weight[there].sum())
    return float((values[there] * weight[there]).sum() / total) if total else float("nan")
