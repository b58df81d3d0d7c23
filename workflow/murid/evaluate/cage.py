"""One cage: the outcomes of its segments joined, and whether all show the same animals."""

from typing import TYPE_CHECKING

import pandas as pd

from murid import contracts, failed, tables
from murid.errors import InputError, PartialError
from murid.evaluate.counts import count_metrics
from murid.evaluate.reliability import count_reliability

if TYPE_CHECKING:
    from murid.evaluate.stage import Aggregate, Member


def join(stage: "Aggregate") -> None:
    """Join the segments of a cage and write its counts, reliability and summaries.

    Raises
    ------
    PartialError
        If tables of a segment could not be read; all is written.
    """
    read = [_read(member) for member in stage.members]
    by_animal, by_detection, summaries = (
        tables.concatenate((part[place] for part in read), name)
        for place, name in enumerate(("animal_outcomes", "detection_outcomes", "summaries"))
    )
    segments = discard_strangers(summaries.sort_values(["cage", "segment"], ignore_index=True))
    by_animal, by_detection = (_usable(part, segments) for part in (by_animal, by_detection))
    tables.write(count_metrics(by_animal, by_detection), stage.output_counts, "counts")
    tables.write(count_reliability(by_animal), stage.output_reliability, "reliability")
    tables.write(segments, stage.output_summaries, "summaries")
    if lost := [verdict.reason for *_, verdict in read if verdict.discarded]:
        raise PartialError("; ".join(lost))


def _read(member: "Member") -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, tables.Verdict]:
    """Read outcomes by animal and by detection and the summary of a segment, if that can be."""
    try:
        return (
            tables.read(member.animals, "animal_outcomes"),
            tables.read(member.detections, "detection_outcomes"),
            tables.read(member.summary, "summaries"),
            tables.Verdict(),
        )
    except InputError as error:
        verdict = tables.Verdict("failed", f"aggregate failed: {' '.join(str(error).split())}")
        row = failed.summary(failed.Named(*member[:4]), verdict)
        empty = (tables.empty(name) for name in ("animal_outcomes", "detection_outcomes"))
        return *empty, tables.conform(pd.DataFrame([row]), "summaries"), verdict


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
    usable = ~summaries["status"].isin(contracts.UNUSABLE)
    for _, cage in summaries[usable].groupby("cage"):
        sets = cage["animals"].map(frozenset)
        frequency = sets.value_counts()
        if len(frequency) == 1:
            continue
        winners = frequency.index[frequency == frequency.max()]
        most = winners[0] if len(winners) == 1 else None
        for row in cage.index[[names != most for names in sets]]:
            verdict = tables.Verdict(cage["status"][row], cage["reason"][row])
            verdict |= _verdict(sets[row], most)
            judged.loc[row, ["status", "reason"]] = [verdict.status, verdict.reason]
            if verdict.discarded:
                judged.loc[row, "evaluated_frames"] = 0
    return judged


def _verdict(names: frozenset[str], most: frozenset[str] | None) -> tables.Verdict:
    found = ", ".join(sorted(names)) or "none"
    if most is None:
        return tables.Verdict(
            "repaired",
            f"animals {found}; other segments of the cage show others, as often: "
            "name those of the cage in the sheet's column animals",
        )
    expected = ", ".join(sorted(most)) or "none"
    return tables.Verdict(
        "discarded", f"animals {found}; most segments of the cage show {expected}"
    )


def _usable(outcomes: pd.DataFrame, segments: pd.DataFrame) -> pd.DataFrame:
    """Return outcomes without those of segments that cannot be used."""
    usable = ~segments["status"].isin(contracts.UNUSABLE)
    wanted = pd.MultiIndex.from_frame(segments.loc[usable, ["cage", "segment"]])
    return outcomes[pd.MultiIndex.from_frame(outcomes[["cage", "segment"]]).isin(wanted)]
