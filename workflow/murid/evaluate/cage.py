"""One cage: the outcomes of its segments joined, and whether all show the same animals."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from murid import tables
from murid.evaluate.counts import count_metrics
from murid.evaluate.reliability import count_reliability


def run(
    animals: Sequence[Path],
    detections: Sequence[Path],
    summaries: Sequence[Path],
    output_counts: Path,
    output_reliability: Path,
    output_summaries: Path,
) -> None:
    """Join the segments of a cage and write its counts, reliability and summaries.

    Parameters
    ----------
    animals, detections, summaries
        The tables ``animal_outcomes``, ``detection_outcomes`` and ``summaries`` of every segment.
    output_counts, output_reliability, output_summaries
        Where the tables ``counts``, ``reliability`` and ``summaries`` go.
    """
    segments = tables.concatenate(
        (tables.read(path, "summaries") for path in summaries), "summaries"
    )
    segments = discard_strangers(segments.sort_values(["cage", "segment"], ignore_index=True))
    by_animal = _join(animals, "animal_outcomes", segments)
    by_detection = _join(detections, "detection_outcomes", segments)
    tables.write(count_metrics(by_animal, by_detection), output_counts, "counts")
    tables.write(count_reliability(by_animal), output_reliability, "reliability")
    tables.write(segments, output_summaries, "summaries")


def discard_strangers(summaries: pd.DataFrame) -> pd.DataFrame:
    """Discard every segment whose animals are not those of most segments of its cage.

    The same animals must be seen in all recordings of a cage (Appendix A.1). Where no set of
    animals is the most frequent one, nobody can say which is right, and all that disagree go.

    Parameters
    ----------
    summaries
        The table ``summaries``.

    Returns
    -------
    The same rows; of those discarded, ``status`` and ``reason`` say so, ``evaluated_frames`` is 0.
    """
    judged = summaries.copy()
    for _, cage in summaries[summaries["status"] != "discarded"].groupby("cage"):
        sets = cage["animals"].map(frozenset)
        frequency = sets.value_counts()
        if len(frequency) == 1:
            continue
        winners = frequency.index[frequency == frequency.max()]
        most = winners[0] if len(winners) == 1 else None
        for row in cage.index[[names != most for names in sets]]:
            judged.loc[row, ["status", "reason", "evaluated_frames"]] = [
                "discarded",
                _reason(sets[row], most),
                0,
            ]
    return judged


def _reason(names: frozenset[str], most: frozenset[str] | None) -> str:
    found = ", ".join(sorted(names)) or "none"
    if most is None:
        return f"animals {found}; other segments of the cage show others, equally often"
    return f"animals {found}; most segments of the cage show {', '.join(sorted(most)) or 'none'}"


def _join(paths: Sequence[Path], name: str, segments: pd.DataFrame) -> pd.DataFrame:
    """Stack outcomes, without those of discarded segments."""
    outcomes = tables.concatenate((tables.read(path, name) for path in paths), name)
    kept = segments.loc[segments["status"] != "discarded", ["cage", "segment"]]
    wanted = pd.MultiIndex.from_frame(kept)
    return outcomes[pd.MultiIndex.from_frame(outcomes[["cage", "segment"]]).isin(wanted)]
