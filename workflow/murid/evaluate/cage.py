"""One cage: the outcomes of its segments joined, and whether all show the same animals."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from murid import schemas, start_times, tables
from murid.errors import InputError, PartialError
from murid.evaluate.counts import count_metrics, count_reliability
from murid.run import failed

if TYPE_CHECKING:
    from murid.evaluate.stage import Aggregate

_READ = ("animal_outcomes", "detection_outcomes", "summaries")
"""What there is of each segment."""
_KEY = ["cage", "segment"]
_MOMENTS = "datetime64[us, UTC]"


def join(stage: "Aggregate") -> None:
    """Join the segments of a cage and write its counts, reliability and summaries.

    Raises
    ------
    PartialError
        If tables of a segment could not be read; all is written.
    """
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in _READ}
    lost = []
    for member in stage.members:
        paths = (member.animals, member.detections, member.summary)
        try:
            read = [tables.read(path, name) for path, name in zip(paths, _READ, strict=True)]
        except InputError as error:
            reason = f"aggregate failed: {' '.join(str(error).split())}"
            row = failed.summary(failed.Named(*member[:4]), tables.Verdict("failed", reason))
            parts["summaries"].append(tables.conform(pd.DataFrame([row]), "summaries"))
            lost.append(row["reason"])
            continue
        for name, table in zip(_READ, read, strict=True):
            parts[name].append(table)
    by_animal, by_detection, summaries = (
        tables.concatenate(several, name) for name, several in parts.items()
    )
    segments = discard_strangers(summaries.sort_values(_KEY, ignore_index=True))
    starts = {(row.cage, row.segment): row.start for row in stage.members}
    segments = started(segments, starts, stage.zone)
    by_animal, by_detection = (of_usable(part, segments) for part in (by_animal, by_detection))
    tables.write(count_metrics(by_animal, by_detection), stage.output_counts, "counts")
    tables.write(count_reliability(by_animal), stage.output_reliability, "reliability")
    tables.write(segments, stage.output_summaries, "summaries")
    if lost:
        raise PartialError("; ".join(lost))


def discard_strangers(summaries: pd.DataFrame) -> pd.DataFrame:
    """Discard every segment whose animals are not those of most segments of its cage.

    The same animals must be seen in all recordings of a cage (Appendix A.1). Where no set of
    animals is the most frequent one, nobody can say which is right: all stay, and say so.

    Parameters
    ----------
    summaries
        The table ``summaries``.

    Returns
    -------
    The same rows; of those discarded, ``status`` and ``reason`` say so, ``evaluated_frames`` is 0.
    """
    judged = summaries.copy()
    for _, cage in summaries[usable(summaries)].groupby("cage"):
        for row, stranger in strangers(cage["animals"].map(frozenset).to_dict()).items():
            verdict = tables.Verdict(cage["status"][row], cage["reason"][row]) | stranger
            judged.loc[row, ["status", "reason"]] = [verdict.status, verdict.reason]
            if verdict.discarded:
                judged.loc[row, "evaluated_frames"] = 0
    return judged


def strangers(animals: Mapping[Any, frozenset[str]]) -> dict[Any, tables.Verdict]:
    """Judge the segments of a cage that show other animals than most; all, if none is most often.

    Parameters
    ----------
    animals
        Of each segment that can be used.
    """
    often = Counter(animals.values()).most_common(2)
    if len(often) < 2:
        return {}
    (most, count), (_, next_count) = often
    usual = most if count > next_count else None
    return {key: _verdict(names, usual) for key, names in animals.items() if names != usual}


def started(
    summaries: pd.DataFrame, starts: Mapping[tuple[str, str], str], zone: str
) -> pd.DataFrame:
    """Fill in when segments begin of which nothing else tells it, as the sheet has it.

    Parameters
    ----------
    summaries
        The table ``summaries``.
    starts
        By cage and segment, as they stand in the sheet: there any text may, where it is only for
        the record.
    zone
        Of the clock, where that does not say.
    """
    keys = zip(summaries["cage"], summaries["segment"], strict=True)
    told = [start_times.known(starts.get(key, ""), zone) for key in keys]
    there = pd.Series(pd.to_datetime(told, utc=True), summaries.index, dtype=_MOMENTS)
    return summaries.assign(begins=summaries["begins"].astype(_MOMENTS).fillna(there))


def _verdict(names: frozenset[str], most: frozenset[str] | None) -> tables.Verdict:
    shown = f"animals {', '.join(sorted(names)) or 'none'}"
    if most is None:
        return tables.Verdict(
            "repaired",
            f"{shown}; other segments of the cage show others, as often: "
            "name those of the cage in the sheet's column animals",
        )
    expected = ", ".join(sorted(most)) or "none"
    return tables.Verdict("discarded", f"{shown}; most segments of the cage show {expected}")


def usable(summaries: pd.DataFrame) -> pd.Series:
    """Tell which segments of the table ``summaries`` are neither discarded nor failed."""
    return ~summaries["status"].isin(schemas.UNUSABLE)


def of_usable(table: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table, in their order, whose segments can be used."""
    return table.merge(summaries.loc[usable(summaries), _KEY], on=_KEY)
