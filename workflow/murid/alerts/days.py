"""Cages by day: what segments and health tell of each, in one row."""

import pandas as pd

from murid import schemas, tables
from murid.evaluate.cage import usable
from murid.report.metrics import natural, natural_ranks

KEY = ["cage", "day"]


def dated(summaries: pd.DataFrame, health: pd.DataFrame, zone: str) -> pd.DataFrame:
    """Return the table ``summaries`` with the days of segments, and what their frames lack.

    Parameters
    ----------
    summaries, health
        The tables, of any number of cages.
    zone
        IANA name.

    Returns
    -------
    The same rows with ``day``, empty where it is not known when a segment began; ``lacking``,
    frames that were dropped or do not decode, of a segment that can be used, NaN where nothing
    tells; and ``expected``, frames that there should be.
    """
    days = summaries["begins"].dt.tz_convert(zone).dt.strftime("%Y-%m-%d").fillna("")
    rows = health.loc[health["kind"] == "frames_missing", ["cage", "subject", "value"]]
    rows = rows.rename(columns={"subject": "segment", "value": "dropped"})
    of_clock = summaries[["cage", "segment"]].merge(rows, how="left", on=["cage", "segment"])
    dropped = of_clock["dropped"].set_axis(summaries.index)
    lacking = summaries["missing_frames"].astype("float64").add(dropped, fill_value=0)
    return summaries.assign(
        day=days.astype(object),
        lacking=lacking.where(usable(summaries)),
        expected=summaries["frames"] + dropped.fillna(0),
    )


def cages(segments: pd.DataFrame, health: pd.DataFrame) -> pd.DataFrame:
    """Sum up each cage and day.

    Parameters
    ----------
    segments
        As :func:`dated` gives them.
    health
        The table.

    Returns
    -------
    The table ``cages``, by cage and day; days on which there is a log only are among them.
    """
    of_days = health[health["day"] != ""]
    parts = [_counted(segments), _measured(segments), _median(segments), _worst(segments)]
    parts += [_of_logs(of_days), *_listed(of_days)]
    table = pd.concat(parts, axis=1)
    counts = ["segments", *_STATUSES]
    table = table.assign(**table[[*counts, "hours"]].fillna(0)).astype(dict.fromkeys(counts, int))
    lists = [*_LISTS, "worst_reason"]
    table = table.assign(**table[lists].astype(object).fillna("")).reset_index()
    table = table.sort_values(["cage", "day"], key=_ranks, ignore_index=True)
    return tables.conform(table, "cages")


_STATUSES = ("usable", "discarded", "failed")
_LISTS = {
    "dead_antennas": "dead_antenna", "silent_antennas": "silent_antenna",
    "silent_tags": "silent_tag",
}  # fmt: skip
"""Columns that list what is silent, and the kind of ``health`` of each."""


def _ranks(column: pd.Series) -> pd.Series:
    return natural_ranks(column) if column.name == "cage" else column


def _counted(segments: pd.DataFrame) -> pd.DataFrame:
    """Count segments, of each status too, and hours of video."""
    status = segments["status"].replace("repaired", "usable")
    columns = {name: status == name for name in _STATUSES}
    hours = segments["frames"] / segments["fps"] / 3600
    counts = segments[KEY].assign(segments=1, hours=hours, **columns)
    return counts.groupby(KEY).sum()


def _measured(segments: pd.DataFrame) -> pd.DataFrame:
    """Return what is measured on segments that can be used, each weighted by its length."""
    rows = segments[usable(segments)]
    whole = _animal_frames(rows)
    named = whole * rows["identified"]
    terms = {
        "coverage": (named, whole.where(named.notna())),
        "confidence": (named * rows["confidence"], named.where(rows["confidence"].notna())),
        "unread": (whole * rows["unread"], whole.where(rows["unread"].notna())),
        "boxes_per_frame": (rows["detections"], rows["frames"]),
    }
    sums = {
        name: [part.astype("float64").groupby([rows[key] for key in KEY]).sum() for part in parts]
        for name, parts in terms.items()
    }
    lacking = rows["lacking"].groupby([rows[key] for key in KEY]).sum(min_count=1)
    shares = {name: count / of.where(of > 0) for name, (count, of) in sums.items()}
    return pd.DataFrame(shares | {"missing_frames": lacking}).rename_axis(KEY)


def _animal_frames(segments: pd.DataFrame) -> pd.Series:
    return segments["frames"] * segments["animals"].map(len).astype("float64")


def _median(segments: pd.DataFrame) -> pd.DataFrame:
    """Return the median of the medians of segments, each counted as often as it has named boxes."""
    rows = segments[usable(segments) & segments["median_confidence"].notna()]
    weight = _animal_frames(rows) * rows["identified"]
    rows = rows[[*KEY, "median_confidence"]].assign(weight=weight)
    rows = rows.sort_values([*KEY, "median_confidence"], kind="stable")
    by_day = rows.groupby(KEY)["weight"]
    half = by_day.cumsum() >= by_day.transform("sum") / 2
    return rows[half].drop_duplicates(KEY).set_index(KEY)[["median_confidence"]]


def _worst(segments: pd.DataFrame) -> pd.Series:
    """Return the reason that most of the worst segments give, with their verdict."""
    rows = segments[segments["reason"] != ""]
    rank = rows["status"].map(schemas.STATUSES.index).astype(int)
    rows = rows[rank == rank.groupby([rows[key] for key in KEY]).transform("max")]
    status = rows.drop_duplicates(KEY).set_index(KEY)["status"]
    return (status + ": " + commonest(rows)).rename("worst_reason")


def commonest(segments: pd.DataFrame) -> pd.Series:
    """Return the reason that most of some segments give, by cage and day; of two, the first."""
    counts = segments.groupby([*KEY, "reason"]).size().rename("count").reset_index()
    counts = counts.sort_values([*KEY, "count", "reason"], ascending=[True, True, False, True])
    return counts.drop_duplicates(KEY).set_index(KEY)["reason"]


def _of_logs(health: pd.DataFrame) -> pd.DataFrame:
    """Return what the logs of each day tell; on days without any there is no row."""

    def of(kind: str, chosen: pd.Series | bool = True) -> pd.DataFrame:
        return health[(health["kind"] == kind) & chosen].set_index(KEY)

    reads = of("reads").groupby(KEY)[["value", "out_of"]].sum()
    made = {"reads_per_hour": reads["value"] / reads["out_of"].where(reads["out_of"] > 0)}
    for name, rows in (
        ("ghost_reads", of("ghost_reads")),
        ("missing_hours", of("missing_hours", health["finding"] | health["value"].isna())),
    ):
        # What is not known of a part is not known of the day.
        sums = rows["value"].groupby(KEY).agg(lambda each: each.sum(skipna=False))
        made[name] = sums.reindex(reads.index, fill_value=0.0)
    for name in ("clock_offset", "clock_drift"):
        rows = of(name, (health["log"] != "") & health["value"].notna())
        rows = rows.assign(size=-rows["value"].abs()).sort_values("size", kind="stable")
        made[name] = rows["value"].groupby(KEY).first()
    return pd.DataFrame(made).rename_axis(KEY)


def _listed(health: pd.DataFrame) -> list[pd.Series]:
    """Return the names of what is silent on each day, with commas."""
    named = []
    for name, kind in _LISTS.items():
        rows = health.loc[health["kind"] == kind, [*KEY, "subject"]].drop_duplicates()
        texts = rows.groupby(KEY)["subject"].agg(lambda each: ", ".join(sorted(each, key=natural)))
        named.append(texts.rename(name).astype(object))
    return named
