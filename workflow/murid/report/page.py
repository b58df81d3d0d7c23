"""The page, laid out by a template; it needs no network and no other file."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import jinja2
import pandas as pd
from markupsafe import Markup

from murid import __version__
from murid.report import views, wording
from murid.report.figures import cage_bars, cages_of, colours
from murid.report.metrics import SPLITS, in_order
from murid.settings import Report

FIGURES = {
    "A_O": ("share of mice rightly placed or hidden", "n: mice times frames"),
    "A_GD": ("share of detected boxes named rightly", "n: detected boxes"),
}


@dataclass(frozen=True)
class Section:
    """The results of one split."""

    split: str
    rates: views.ResultTable
    numbers: views.ResultTable
    figures: dict[str, Markup]
    more_cages: int


def render(
    metrics: pd.DataFrame,
    counts: pd.DataFrame,
    summaries: pd.DataFrame,
    detector_metrics: pd.DataFrame | None,
    transforms: pd.DataFrame | None,
    settings: Report,
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    metrics, counts, summaries
        The tables of all cages.
    detector_metrics, transforms
        The tables, if there is a detector that was measured, or more than one rig.
    settings
        Title, note, and how much is listed.
    """
    splits = _splits(metrics)
    return _template().render(
        title=settings.title,
        note=settings.note,
        css=Markup(files(__package__).joinpath("page.css").read_text("utf-8")),  # noqa: S704
        version=__version__,
        headline=_headline(counts, summaries, splits, settings),
        sections=[_section(metrics, split, settings) for split in splits],
        methods=in_order(metrics["method"]),
        colours=colours(in_order(metrics["method"])),
        words=wording.METRICS,
        method_words=wording.METHODS,
        split_words=wording.SPLITS,
        figure_words=FIGURES,
        detector=_records(detector_metrics),
        transforms=_records(transforms) if _tells(transforms) else None,
        overview=views.status_overview(summaries),
        unannotated=views.unannotated_overview(summaries),
        without_split=int(((summaries["split"] == "") & (summaries["evaluated_frames"] > 0)).sum()),
        lists=[
            _list("Segments discarded", summaries, "discarded", settings.max_segments),
            _list("Segments repaired", summaries, "repaired", settings.max_segments),
        ],
    )


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("murid", "report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["method_label"] = wording.method_label
    environment.filters["figure"] = lambda value, form: "–" if pd.isna(value) else form % value
    return environment.get_template("page.html.j2")


def _splits(metrics: pd.DataFrame) -> list[str]:
    """Return the splits to show; the joined one only where it joins more than one."""
    found = set(metrics["split"])
    return [
        split
        for split in wording.SPLITS
        if split in found and (len(SPLITS[split]) == 1 or found.issuperset(SPLITS[split]))
    ]


def _headline(
    counts: pd.DataFrame, summaries: pd.DataFrame, splits: Sequence[str], settings: Report
) -> views.Headline | None:
    single = [split for split in splits if len(SPLITS[split]) == 1]
    return views.headline(counts, summaries, single[0], settings) if single else None


def _section(metrics: pd.DataFrame, split: str, settings: Report) -> Section:
    cages = cages_of(metrics, split) if len(SPLITS[split]) == 1 else []
    drawn = cages[: settings.max_cages]
    figures = {name: cage_bars(metrics, split, name, drawn) for name in FIGURES} if drawn else {}
    return Section(
        split=split,
        rates=views.rates(metrics, split),
        numbers=views.numbers(metrics, split),
        figures={name: svg for name, svg in figures.items() if svg is not None},
        more_cages=len(cages) - len(drawn),
    )


def _list(
    title: str, summaries: pd.DataFrame, status: str, most: int
) -> tuple[str, list[dict[str, object]], int]:
    rows = summaries[summaries["status"] == status]
    shown = rows.head(most)[["cage", "segment", "split", "reason"]]
    return f"{title} ({len(rows):,})", shown.to_dict("records"), len(rows) - len(shown)


def _tells(transforms: pd.DataFrame | None) -> bool:
    """Tell whether there is more than one rig, or a residual was measured."""
    return transforms is not None and (
        len(transforms) > 1 or bool(transforms["fit_residual"].notna().any())
    )


def _records(table: pd.DataFrame | None) -> list[dict[str, object]] | None:
    return None if table is None else table.to_dict("records")
