"""The report: metrics as CSV and Parquet, what else is drawn as CSV, and a page.

A template lays the page out; it needs no network and no other file.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from markupsafe import Markup

from murid import __version__, rigs, schemas, spreadsheets, tables
from murid.alerts import days
from murid.alerts import tell as alerts
from murid.errors import InputError, NotFittedError
from murid.evaluate.cage import of_usable
from murid.evaluate.stage import JOINED
from murid.files import write_text
from murid.identify.registry import colours, in_order, methods
from murid.models import fitted_weights
from murid.report import calendar, glance, health, metric_words, soundness, views
from murid.report.animals import overview
from murid.report.animals.words import duration
from murid.report.diagrams import coverage_figure, reliability_diagram
from murid.report.figures import cage_bars, cages_of
from murid.report.metrics import SPLITS, everywhere, metrics_table
from murid.report.reliability import Reliability, assess, drawn
from murid.report.rigs import residual_rows, rig_figure
from murid.report.templates import environment, script, style
from murid.review.stretches import longest_first
from murid.run import failed

if TYPE_CHECKING:
    from murid.report.stage import Report

_OF_THE_RUN = (
    "detector_validation", "detector_metrics", "transforms", "calibration_points",
    "calibration_residuals", "clips",
)  # fmt: skip
"""Tables of which there is one."""


@dataclass(frozen=True)
class Section:
    """The results of one split."""

    split: str
    rates: views.ResultTable
    numbers: views.ResultTable
    trust: dict[str, dict[str, Reliability]]
    """How far each method's own confidence can be trusted, by kind of rows."""
    figures: dict[str, Markup]
    more_cages: int


def write(stage: "Report") -> None:
    """Write the page ``index.html`` and the files beside it.

    These are ``metrics.csv`` and ``metrics.parquet``, ``reliability.csv``, ``segments.csv``,
    ``review.csv``, ``cages.csv`` and ``alerts.csv``; of antenna logs also ``health.csv``.
    """
    given = {name: _joined(getattr(stage, name), name) for name in JOINED}
    given |= {
        name: _joined([path] if (path := getattr(stage, name)) else [], name)
        for name in _OF_THE_RUN
    }
    given |= {name: everywhere(given[name]) for name in ("counts", "reliability")}
    metrics, reliabilities = metrics_table(given["counts"]), assess(given["reliability"])
    segments = views.sort_segments(given["summaries"])
    stretches = longest_first(of_usable(given["stretches"], segments))
    unmade = {path.stem: reason for path in stage.pages if (reason := failed.of_page(path))}
    by_day = alerts.tell(given["summaries"], given["health"], stage.zone, stage.alerts, unmade)
    sound = soundness.checked(given["health"], stage.zone)
    given["health"] = health.told_once(given["health"])
    findings = health.findings(given["health"], stage.zone)
    hours = tables.read(stage.hours, "animal_figures") if stage.hours else None
    refused = rigs.read_refused(stage.transforms) if stage.transforms else {}
    splits, shown = _splits(metrics), in_order(metrics["method"])
    template = environment("report").get_template("page.html.j2")
    told = _urgent(by_day["alerts"]).to_dict("records")
    longest = views.longest(stretches, stage.report.max_stretches)
    proofread = os.path.relpath(stage.proofread, stage.output_dir) if stage.proofread else ""
    page = template.render(
        **given,
        settings=stage.report,
        wording=metric_words,
        css=style(),
        script=script(),
        version=__version__,
        glance=glance.tiles(segments, stretches, len(findings), len(told), hours, len(unmade)),
        todo=glance.to_do(segments, unmade, told, findings, longest, len(stretches), proofread),
        calendars=calendar.calendars(
            by_day["cages"],
            calendar.frames_missing(days.dated(given["summaries"], given["health"], stage.zone)),
            stage.report.max_cages,
        ),
        unmade=unmade,
        duration=duration,
        told_of_animals=hours is not None,
        animals=()
        if hours is None
        else overview.rows(
            hours,
            stage.figures,
            stage.pages,
            stage.output_dir,
            stage.report.dark,
            stage.report.max_cages,
        ),
        more_cages=0 if hours is None else max(hours["cage"].nunique() - stage.report.max_cages, 0),
        headline=views.headline(given["counts"], segments, splits),
        sections=[
            _section(metrics, reliabilities, split, stage.report.max_cages) for split in splits
        ],
        methods={name: methods().get(name) for name in shown},
        colours=colours(shown),
        reliability_diagram=reliability_diagram,
        coverage_figure=coverage_figure,
        longest=longest,
        all_stretches=len(stretches),
        review=tables.read_verdict(*stage.stretches),
        alerts=told,
        cage_pages={path.stem: os.path.relpath(path, stage.output_dir) for path in stage.pages},
        findings=findings[: stage.report.max_findings],
        all_findings=len(findings),
        sound=sound,
        logged=bool(stage.health),
        zone=stage.zone,
        health_verdict=tables.read_verdict(*stage.health),
        assessed=stage.detector_metrics is not None,
        refused=refused,
        rigs_tell=_rigs_tell(given["transforms"], refused),
        residuals=residual_rows(given["calibration_residuals"]),
        rig_figure=rig_figure(given["calibration_points"]),
        remarks=_remarks(stage.weights) if stage.weights else (),
        clips_folder=os.path.relpath(stage.clips.parent, stage.output_dir) if stage.clips else "",
        proofread=proofread,
        overview=views.status_overview(segments),
        unannotated=views.unannotated_overview(segments),
        reasons={
            status: views.reasons(segments[segments["status"] == status])
            for status in reversed(schemas.STATUSES)
            if status != "usable"
        },
        failed=int((segments["status"] == "failed").sum()),
        discarded=int((segments["status"] == "discarded").sum()),
        without_split=int(((segments["split"] == "") & (segments["evaluated_frames"] > 0)).sum()),
    )
    folder = stage.output_dir
    tables.write(metrics, folder / "metrics.parquet", "metrics")
    listed = {
        "metrics": metrics,
        "reliability": drawn(reliabilities),
        "segments": segments.assign(animals=segments["animals"].map(",".join)),
        "review": stretches,
        **by_day,
    }
    if stage.health:
        listed["health"] = health.worst_first(given["health"])
    for name, table in listed.items():
        write_text(folder / f"{name}.csv", spreadsheets.to_csv(table))
    write_text(folder / "index.html", page)


def _urgent(alerts: pd.DataFrame) -> pd.DataFrame:
    """Sort alerts: those that were so last before others, and of these the worst kinds."""
    rank = alerts["what"].map(schemas.ALERTS.index)
    ordered = alerts.assign(rank=rank).sort_values(
        ["last_day", "rank"], ascending=[False, True], kind="stable"
    )
    return ordered.drop(columns="rank")


def _joined(paths: Sequence[Path], name: str) -> pd.DataFrame:
    return tables.concatenate((tables.read(path, name) for path in paths), name)


def _remarks(weights: Path) -> list[str]:
    """Return what is to be said of what weights were fitted to, each remark once."""
    try:
        models = fitted_weights.read(weights)
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


def _splits(metrics: pd.DataFrame) -> list[str]:
    """Return the splits to show; the joined one only where it joins more than one."""
    given = set(metrics["split"])
    return [
        split
        for split in metric_words.SPLITS
        if split in given and (len(SPLITS[split]) == 1 or given.issuperset(SPLITS[split]))
    ]


def _section(
    metrics: pd.DataFrame, reliabilities: Sequence[Reliability], split: str, most_cages: int
) -> Section:
    cages = cages_of(metrics, split) if len(SPLITS[split]) == 1 else []
    shown = cages[:most_cages]
    figures = {name: cage_bars(metrics, split, name, shown) for name in metric_words.FIGURES}
    here = [entry for entry in reliabilities if entry.split == split]
    return Section(
        split=split,
        rates=views.rates(metrics, split),
        numbers=views.numbers(metrics, split),
        trust={
            method: {entry.kind: entry for entry in here if entry.method == method}
            for method in in_order(entry.method for entry in here)
        },
        figures={name: svg for name, svg in figures.items() if svg is not None},
        more_cages=len(cages) - len(shown),
    )


def _rigs_tell(transforms: pd.DataFrame, refused: dict[str, str]) -> bool:
    """Tell whether there is more than one rig, or a residual was measured."""
    several = len(transforms) + len(refused) > 1
    return several or bool(transforms["fit_residual"].notna().any())
