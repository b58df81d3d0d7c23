"""The page, laid out by a template; it needs no network and no other file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from murid import __version__, contracts, tables
from murid.identify.methods import colours, in_order, methods
from murid.report import views, wording
from murid.report.diagrams import coverage_figure, reliability_diagram
from murid.report.figures import cage_bars, cages_of
from murid.report.metrics import SPLITS
from murid.report.reliability import Reliability
from murid.report.rigs import residual_rows, rig_figure
from murid.report.templates import environment, style
from murid.settings import Report


@dataclass(frozen=True)
class Results:
    """What there is to show: tables of all cages, joined, and of the run; empty if not given."""

    counts: pd.DataFrame
    summaries: pd.DataFrame
    stretches: pd.DataFrame
    detector_validation: pd.DataFrame
    detector_metrics: pd.DataFrame
    transforms: pd.DataFrame
    calibration_points: pd.DataFrame
    calibration_residuals: pd.DataFrame
    clips: pd.DataFrame
    metrics: pd.DataFrame
    reliabilities: Sequence[Reliability]
    review: tables.Verdict
    """Whether all that can be told of uncertain stretches is."""
    refused: Mapping[str, str]
    """Why rig set-ups have no transform, by rig."""
    remarks: Sequence[str]
    """What is to be said of what the weights were fitted to."""
    clips_folder: str
    assessed: bool
    """Whether there is a detector of murid's to tell of."""


@dataclass(frozen=True)
class Trust:
    """How far a method's own confidence can be trusted on one split."""

    method: str
    kinds: dict[str, Reliability]
    diagram: Markup
    curve: Markup


@dataclass(frozen=True)
class Section:
    """The results of one split."""

    split: str
    rates: views.ResultTable
    numbers: views.ResultTable
    trust: list[Trust]
    figures: dict[str, Markup]
    more_cages: int


def render(results: Results, settings: Report) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    results
        What there is to show.
    settings
        Title, note, and how much is listed.
    """
    summaries = results.summaries
    splits = _splits(results.metrics)
    shown = in_order(results.metrics["method"])
    page = environment("report").get_template("page.html.j2")
    return page.render(
        results=results,
        settings=settings,
        wording=wording,
        css=style(),
        version=__version__,
        headline=views.headline(results.counts, summaries, splits),
        sections=[_section(results, split, settings.max_cages) for split in splits],
        methods={name: methods().get(name) for name in shown},
        colours=colours(shown),
        stretches=views.longest(results.stretches, settings.max_stretches),
        rigs_tell=_rigs_tell(results),
        residuals=residual_rows(results.calibration_residuals),
        rig_figure=rig_figure(results.calibration_points),
        overview=views.status_overview(summaries),
        unannotated=views.unannotated_overview(summaries),
        without_split=int(((summaries["split"] == "") & (summaries["evaluated_frames"] > 0)).sum()),
        segments={
            status: summaries[summaries["status"] == status].to_dict("records")
            for status in reversed(contracts.STATUSES)
        },
    )


def _splits(metrics: pd.DataFrame) -> list[str]:
    """Return the splits to show; the joined one only where it joins more than one."""
    given = set(metrics["split"])
    return [
        split
        for split in wording.SPLITS
        if split in given and (len(SPLITS[split]) == 1 or given.issuperset(SPLITS[split]))
    ]


def _section(results: Results, split: str, most_cages: int) -> Section:
    metrics = results.metrics
    cages = cages_of(metrics, split) if len(SPLITS[split]) == 1 else []
    figures = {
        name: cage_bars(metrics, split, name, cages[:most_cages]) for name in wording.FIGURES
    }
    here = [entry for entry in results.reliabilities if entry.split == split]
    return Section(
        split=split,
        rates=views.rates(metrics, split),
        numbers=views.numbers(metrics, split),
        trust=[
            _trust(method, [entry for entry in here if entry.method == method])
            for method in in_order(entry.method for entry in here)
        ],
        figures={name: svg for name, svg in figures.items() if svg is not None},
        more_cages=max(len(cages) - most_cages, 0),
    )


def _trust(method: str, reliabilities: Sequence[Reliability]) -> Trust:
    return Trust(
        method,
        {entry.kind: entry for entry in reliabilities},
        reliability_diagram(reliabilities),
        coverage_figure(reliabilities),
    )


def _rigs_tell(results: Results) -> bool:
    """Tell whether there is more than one rig, or a residual was measured."""
    transforms = results.transforms
    several = len(transforms) + len(results.refused) > 1
    return several or bool(transforms["fit_residual"].notna().any())
