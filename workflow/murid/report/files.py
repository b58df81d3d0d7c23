"""The report's files: metrics as CSV and Parquet, what else is drawn as CSV, and the page."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from murid import affinity, tables
from murid.errors import InputError, NotFittedError
from murid.evaluate.stage import JOINED
from murid.files import write_text
from murid.report.metrics import metrics_table
from murid.report.page import Results, render
from murid.report.reliability import assess, drawn
from murid.report.views import sort_segments, sort_stretches

if TYPE_CHECKING:
    from murid.report.stage import Report

_OF_THE_RUN = (
    "detector_validation", "detector_metrics", "transforms", "calibration_points",
    "calibration_residuals", "clips",
)  # fmt: skip
"""Tables of which there is one."""


def write(stage: "Report") -> None:
    """Write the page ``index.html`` and the files beside it.

    These are ``metrics.csv`` and ``metrics.parquet``, ``reliability.csv``, ``segments.csv`` and
    ``review.csv``.
    """
    results, folder = _results(stage), stage.output_dir
    page = render(results, stage.report)
    tables.write(results.metrics, folder / "metrics.parquet", "metrics")
    segments = results.summaries
    for name, table in {
        "metrics": results.metrics,
        "reliability": drawn(results.reliabilities),
        "segments": segments.assign(animals=segments["animals"].map(",".join)),
        "review": results.stretches,
    }.items():
        write_text(folder / f"{name}.csv", tables.to_csv(table))
    write_text(folder / "index.html", page)


def _results(stage: "Report") -> Results:
    """Read and join what there is to show."""
    joined = {
        name: tables.concatenate((tables.read(path, name) for path in getattr(stage, name)), name)
        for name in JOINED
    }
    segments = sort_segments(joined["summaries"])
    return Results(
        counts=joined["counts"],
        summaries=segments,
        stretches=sort_stretches(joined["stretches"], segments),
        metrics=metrics_table(joined["counts"]),
        reliabilities=assess(joined["reliability"]),
        review=tables.read_verdict(*stage.stretches),
        refused=tables.read_refused(stage.transforms) if stage.transforms else {},
        remarks=_remarks(stage.weights) if stage.weights else (),
        clips_folder=os.path.relpath(stage.clips.parent, stage.output_dir) if stage.clips else "",
        assessed=stage.detector_metrics is not None,
        **{name: _read(getattr(stage, name), name) for name in _OF_THE_RUN},
    )


def _read(path: Path | None, name: str) -> pd.DataFrame:
    return tables.read(path, name) if path else tables.empty(name)


def _remarks(weights: Path) -> list[str]:
    """Return what is to be said of what weights were fitted to, each remark once."""
    try:
        models = affinity.read(weights)
    except NotFittedError as error:
        return [error.reason]
    except InputError as error:
        # The report is made whatever is wrong: it tells the segments that cannot be named.
        return [str(error)]
    remarks = [
        str(remark)
        for model in (models.paper, models.lagged)
        for kind in ("remarks", "lag_remarks")
        for remark in model.provenance.get(kind, ())
    ]
    return list(dict.fromkeys(remarks))
