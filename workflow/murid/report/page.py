"""The page, laid out by a template; it needs no network and no other file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import jinja2
import pandas as pd
from markupsafe import Markup

from murid import __version__, tables
from murid.identify.methods import methods as known_methods
from murid.report import views, wording
from murid.report.diagrams import coverage_figure, reliability_diagram
from murid.report.figures import cage_bars, cages_of, colours
from murid.report.metrics import SPLITS, in_order
from murid.report.reliability import Reliability
from murid.report.rigs import residual_rows, rig_figure
from murid.report.templates import environment, style
from murid.settings import Report

FIGURES = {
    "A_O": ("share of mice rightly placed or hidden", "n: mice times frames"),
    "A_GD": ("share of detected boxes named rightly", "n: detected boxes"),
}


@dataclass(frozen=True)
class Results:
    """The tables of all cages, joined; those on detector and rigs only where there are any."""

    metrics: pd.DataFrame
    counts: pd.DataFrame
    summaries: pd.DataFrame
    reliabilities: Sequence[Reliability]
    stretches: pd.DataFrame
    review: tables.Verdict = field(default_factory=tables.Verdict)
    """Whether all that can be told of uncertain stretches is."""
    detector_metrics: pd.DataFrame | None = None
    detector_validation: pd.DataFrame = field(
        default_factory=lambda: tables.empty("detector_validation")
    )
    transforms: pd.DataFrame | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    """Why rig set-ups have no transform, by rig."""
    points: pd.DataFrame = field(default_factory=lambda: tables.empty("calibration_points"))
    residuals: pd.DataFrame = field(default_factory=lambda: tables.empty("calibration_residuals"))
    clips: pd.DataFrame | None = None
    clips_folder: str = ""
    remarks: Sequence[str] = ()
    """What is to be said of what the weights were fitted to."""


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
    metrics, summaries = results.metrics, results.summaries
    splits = _splits(metrics)
    return _template().render(
        title=settings.title,
        note=settings.note,
        css=style(),
        version=__version__,
        headline=_headline(results.counts, summaries, splits),
        sections=[_section(results, split, settings) for split in splits],
        methods=in_order(metrics["method"]),
        colours=colours(in_order(metrics["method"])),
        words=wording.METRICS,
        method_words=known_methods(),
        split_words=wording.SPLITS,
        figure_words=FIGURES,
        row_words=wording.ROWS,
        interval_words=wording.INTERVALS,
        stretches=views.longest(results.stretches, settings.max_stretches),
        all_stretches=len(results.stretches),
        review=results.review,
        failed=int((summaries["status"] == "failed").sum()),
        lost=int(summaries["status"].isin(["failed", "discarded"]).sum()),
        network=_records(results.detector_validation),
        detector=_records(results.detector_metrics),
        transforms=_records(results.transforms) if _tells(results) else None,
        refused=results.refused,
        remarks=results.remarks,
        clips=_records(results.clips),
        clips_folder=results.clips_folder,
        clip_words=wording.CLIPS,
        residuals=residual_rows(results.residuals),
        rig_figure=rig_figure(results.points),
        overview=views.status_overview(summaries),
        unannotated=views.unannotated_overview(summaries),
        without_split=int(((summaries["split"] == "") & (summaries["evaluated_frames"] > 0)).sum()),
        lists=[
            _list("Segments failed", summaries, "failed", settings.max_segments),
            _list("Segments discarded", summaries, "discarded", settings.max_segments),
            _list("Segments repaired", summaries, "repaired", settings.max_segments),
        ],
    )


def _template() -> jinja2.Template:
    made = environment("report")
    made.filters["method_label"] = wording.method_label
    return made.get_template("page.html.j2")


def _splits(metrics: pd.DataFrame) -> list[str]:
    """Return the splits to show; the joined one only where it joins more than one."""
    found = set(metrics["split"])
    return [
        split
        for split in wording.SPLITS
        if split in found and (len(SPLITS[split]) == 1 or found.issuperset(SPLITS[split]))
    ]


def _headline(
    counts: pd.DataFrame, summaries: pd.DataFrame, splits: Sequence[str]
) -> views.Headline | None:
    single = [split for split in splits if len(SPLITS[split]) == 1]
    return views.headline(counts, summaries, single[0]) if single else None


def _section(results: Results, split: str, settings: Report) -> Section:
    metrics = results.metrics
    cages = cages_of(metrics, split) if len(SPLITS[split]) == 1 else []
    drawn = cages[: settings.max_cages]
    figures = {name: cage_bars(metrics, split, name, drawn) for name in FIGURES} if drawn else {}
    return Section(
        split=split,
        rates=views.rates(metrics, split),
        numbers=views.numbers(metrics, split),
        trust=_trust([entry for entry in results.reliabilities if entry.split == split]),
        figures={name: svg for name, svg in figures.items() if svg is not None},
        more_cages=len(cages) - len(drawn),
    )


def _trust(reliabilities: Sequence[Reliability]) -> list[Trust]:
    found = []
    for method in in_order(entry.method for entry in reliabilities):
        own = [entry for entry in reliabilities if entry.method == method]
        kinds = {entry.kind: entry for entry in own}
        found.append(Trust(method, kinds, reliability_diagram(own), coverage_figure(own)))
    return found


def _list(
    title: str, summaries: pd.DataFrame, status: str, most: int
) -> tuple[str, list[dict[str, object]], int]:
    rows = summaries[summaries["status"] == status]
    shown = rows.head(most)[["cage", "segment", "split", "reason"]]
    return f"{title} ({len(rows):,})", shown.to_dict("records"), len(rows) - len(shown)


def _tells(results: Results) -> bool:
    """Tell whether there is more than one rig, or a residual was measured."""
    transforms = results.transforms
    return transforms is not None and (
        len(transforms) + len(results.refused) > 1 or bool(transforms["fit_residual"].notna().any())
    )


def _records(table: pd.DataFrame | None) -> list[dict[str, object]] | None:
    return None if table is None else table.to_dict("records")
