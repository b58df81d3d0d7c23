"""The report's files: metrics as CSV and Parquet, all segments as CSV, and the page."""

from collections.abc import Sequence
from pathlib import Path

from murid import tables
from murid.files import write_text
from murid.report.metrics import metrics_table
from murid.report.page import render
from murid.report.views import sort_segments
from murid.settings import Report

DIGITS = "%.12g"
"""Enough to tell all counts, and few enough to hide the last bit of a sum."""


def run(
    counts: Sequence[Path],
    summaries: Sequence[Path],
    detector_metrics: Path | None,
    transforms: Path | None,
    output_dir: Path,
    settings: Report,
) -> None:
    """Write ``metrics.csv``, ``metrics.parquet``, ``segments.csv`` and ``index.html``.

    Parameters
    ----------
    counts, summaries
        The tables ``counts`` and ``summaries`` of every cage.
    detector_metrics, transforms
        The tables, if there are any.
    output_dir
        The folder of the report.
    settings
        How it looks.
    """
    counted = tables.concatenate((tables.read(path, "counts") for path in counts), "counts")
    segments = sort_segments(
        tables.concatenate((tables.read(path, "summaries") for path in summaries), "summaries")
    )
    metrics = metrics_table(counted)
    page = render(
        metrics,
        counted,
        segments,
        tables.read(detector_metrics, "detector_metrics") if detector_metrics else None,
        tables.read(transforms, "transforms") if transforms else None,
        settings,
    )
    tables.write(metrics, output_dir / "metrics.parquet", "metrics")
    write_text(
        output_dir / "metrics.csv",
        metrics.to_csv(index=False, float_format=DIGITS, lineterminator="\n"),
    )
    listed = segments.assign(animals=segments["animals"].map(",".join))
    write_text(
        output_dir / "segments.csv",
        listed.to_csv(index=False, float_format=DIGITS, lineterminator="\n"),
    )
    write_text(output_dir / "index.html", page)
