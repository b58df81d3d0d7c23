"""The report's files: metrics as CSV and Parquet, what else is drawn as CSV, and the page."""

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from murid import affinity, tables
from murid.errors import InputError, NotFittedError
from murid.files import write_text
from murid.report.metrics import metrics_table
from murid.report.page import Results, render
from murid.report.reliability import assess, drawn
from murid.report.views import sort_segments, sort_stretches
from murid.settings import Report


def run(
    counts: Sequence[Path],
    summaries: Sequence[Path],
    reliability: Sequence[Path],
    stretches: Sequence[Path],
    detector_metrics: Path | None,
    transforms: Path | None,
    clips: Path | None,
    output_dir: Path,
    settings: Report,
    calibration_points: Path | None = None,
    calibration_residuals: Path | None = None,
    detector_validation: Path | None = None,
    weights: Path | None = None,
) -> None:
    """Write the page ``index.html`` and the files beside it.

    These are ``metrics.csv`` and ``metrics.parquet``, ``reliability.csv``, ``segments.csv`` and
    ``review.csv``.

    Parameters
    ----------
    counts, summaries, reliability, stretches
        The tables of these names of every cage; the last two may be left out.
    calibration_points, calibration_residuals, detector_metrics, transforms, clips,
    detector_validation
        The tables, if there are any; the clips lie in a folder within ``output_dir``.
    weights
        The weights that names rest on, whose remarks are shown.
    output_dir
        The folder of the report.
    settings
        How it looks.
    """
    counted = _joined(counts, "counts")
    segments = sort_segments(_joined(summaries, "summaries"))
    results = Results(
        metrics=metrics_table(counted),
        counts=counted,
        summaries=segments,
        reliabilities=assess(_joined(reliability, "reliability")),
        stretches=sort_stretches(_joined(stretches, "stretches"), segments),
        review=tables.read_verdict(*stretches),
        detector_validation=_read_or_empty(detector_validation, "detector_validation"),
        detector_metrics=(
            tables.read(detector_metrics, "detector_metrics") if detector_metrics else None
        ),
        transforms=tables.read(transforms, "transforms") if transforms else None,
        refused=tables.read_refused(transforms) if transforms else {},
        points=_read_or_empty(calibration_points, "calibration_points"),
        residuals=_read_or_empty(calibration_residuals, "calibration_residuals"),
        clips=tables.read(clips, "clips") if clips else None,
        remarks=_remarks(weights) if weights else (),
        clips_folder=os.path.relpath(clips.parent, output_dir) if clips else "",
    )
    page = render(results, settings)
    tables.write(results.metrics, output_dir / "metrics.parquet", "metrics")
    for name, table in {
        "metrics": results.metrics,
        "reliability": drawn(results.reliabilities),
        "segments": segments.assign(animals=segments["animals"].map(",".join)),
        "review": results.stretches,
    }.items():
        write_text(output_dir / f"{name}.csv", tables.to_csv(table))
    write_text(output_dir / "index.html", page)


def _read_or_empty(path: Path | None, name: str) -> pd.DataFrame:
    return tables.read(path, name) if path else tables.empty(name)


def _joined(paths: Sequence[Path], name: str) -> pd.DataFrame:
    return tables.concatenate((tables.read(path, name) for path in paths), name)


def _remarks(weights: Path) -> list[str]:
    """Return what is to be said of what weights were fitted to, each remark once."""
    try:
        models = affinity.read(weights)
    except NotFittedError as error:
        return [error.reason]
    except InputError as error:
        # The report is made whatever is wrong: it tells the segments that cannot be named.
        return [str(error)]
    told = [
        str(remark)
        for model in (models.paper, models.lagged)
        for kind in ("remarks", "lag_remarks")
        for remark in model.provenance.get(kind, ())
    ]
    return list(dict.fromkeys(told))
