"""The figures of *How it works*, drawn of the run that the notebooks look at."""

import io
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from murid import tables
from murid.identify import registry
from murid.okabe_ito import BLUE, COLOURS, GREEN, GREY, PALE, VERMILION

CAGE, SEGMENT = "N1", "0500"
"""The segment that is drawn, filmed at night."""
FPS = 12.5
FIRST, LAST = 1350, 1750
"""Its frames that are drawn."""
COLUMN = 1280 / 6
"""Pixels from one column of antennas to the next."""
OF_ANIMAL = {"B": BLUE, "G": GREEN, "R": VERMILION}
STEPS = (
    ("video", "boxes", "detect"),
    ("boxes", "tracklets", "track"),
    ("tracklets", "evidence", "fit, weigh"),
    ("evidence", "names", "identify"),
    ("names", "places,\nfigures, report", "infer, sum up"),
)
"""What comes in, what comes out, and what is done in between."""


def drawn(run: Path) -> dict[str, bytes]:
    """Return each figure as SVG, by its path within the site.

    Parameters
    ----------
    run
        Folder of the run, in which ``results`` is.
    """
    segment = run / "results" / "segments" / CAGE / SEGMENT
    read = {
        name: _stretch(tables.read(segment / f"{path}.parquet", table))
        for name, path, table in (
            ("positions", "positions", "positions"),
            ("tracklets", "tracklets", "tracklets"),
            ("identities", "identities/path", "identities"),
            ("places", "places", "places"),
        )
    }
    metrics = pd.read_csv(run / "results" / "report" / "metrics.csv")
    figures = {
        "steps": _steps(),
        "sources": _sources(read),
        "tracklets": _tracklets(read),
        "names": _names(read),
        "methods": _methods(metrics),
    }
    return {f"figures/{name}.svg": _svg(figure) for name, figure in figures.items()}


def _stretch(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the stretch that is drawn, with ``seconds``."""
    inside = table[table["frame"].between(FIRST, LAST)].copy()
    inside["seconds"] = inside["frame"] / FPS
    return inside


def _svg(figure: Figure) -> bytes:
    file = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "murid"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _canvas(height: float = 3.2) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7.2, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _over_time(axes: Axes) -> None:
    axes.set(xlabel="seconds", ylabel="place, left to right, pixels", ylim=(0, 1280))
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)


def _steps() -> Figure:
    """Draw what becomes of the data, from the left to the right."""
    figure = Figure(figsize=(8, 1.9))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 12), ylim=(0, 2.8))
    axes.axis("off")
    names = [STEPS[0][0], *(made for _, made, _ in STEPS)]
    for number, name in enumerate(names):
        box = FancyBboxPatch(
            (2 * number + 0.1, 1.4), 1.4, 0.9, boxstyle="round,pad=0.05", fc="white", ec=GREY
        )
        axes.add_patch(box)
        axes.text(2 * number + 0.8, 1.85, name, ha="center", va="center", fontsize=9)
    for number, (_, _, done) in enumerate(STEPS):
        axes.annotate(
            "", (2 * number + 2.05, 1.85), (2 * number + 1.6, 1.85), arrowprops={"arrowstyle": "->"}
        )
        axes.text(2 * number + 1.8, 1.15, done, ha="center", fontsize=8, style="italic")
    axes.text(6.8, 0.3, "antenna readings, put right by how late they are", ha="center", fontsize=9)
    axes.annotate("", (6.8, 1.3), (6.8, 0.6), arrowprops={"arrowstyle": "->"})
    return figure


def _sources(read: dict[str, pd.DataFrame]) -> Figure:
    """Draw what the camera and the antennas tell."""
    figure, axes = _canvas()
    boxes, positions = read["tracklets"], read["positions"]
    axes.plot(
        boxes["seconds"],
        boxes["x"] + boxes["w"] / 2,
        ".",
        color=GREY,
        ms=2,
        label="boxes, without names",
    )
    for animal, own in positions.groupby("animal"):
        column = (own["antenna"].astype("float64") - 1) // 3
        axes.step(
            own["seconds"],
            (column + 0.5) * COLUMN,
            where="post",
            color=OF_ANIMAL[str(animal)],
            lw=1,
            label=f"antenna of {animal}",
        )
    _over_time(axes)
    return figure


def _tracklets(read: dict[str, pd.DataFrame]) -> Figure:
    """Draw each tracklet in a colour, the same again after some."""
    figure, axes = _canvas()
    for number, (_, own) in enumerate(read["tracklets"].groupby("tracklet")):
        axes.plot(
            own["seconds"], own["x"] + own["w"] / 2, color=COLOURS[number % len(COLOURS)], lw=1.5
        )
        axes.plot(own["seconds"].iloc[[0]], (own["x"] + own["w"] / 2).iloc[[0]], "k|", ms=8)
    axes.plot([], [], "k|", label="a tracklet begins")
    _over_time(axes)
    return figure


def _names(read: dict[str, pd.DataFrame]) -> Figure:
    """Draw who is where, and where who is hidden probably is."""
    figure, axes = _canvas()
    seen = read["identities"].dropna(subset=["x"])
    for animal, own in read["places"].groupby("animal"):
        colour = OF_ANIMAL[str(animal)]
        boxes = seen[seen["animal"] == animal]
        axes.plot(
            boxes["seconds"], boxes["x"] + boxes["w"] / 2, ".", color=colour, ms=3, label=animal
        )
        hidden = own.set_index("frame")
        hidden = hidden.where(hidden["state"] == "inferred").reset_index()
        seconds, half = hidden["frame"] / FPS, hidden["major"].astype("float64")
        place = hidden["x"].astype("float64")
        axes.fill_between(seconds, place - half, place + half, color=colour, alpha=0.2, lw=0)
    axes.fill_between([], [], [], color=PALE, label="hidden:\nwithin this, nine\ntimes of ten")
    _over_time(axes)
    return figure


def _methods(metrics: pd.DataFrame) -> Figure:
    """Draw how often each method is right, of animals times annotated frames."""
    figure, axes = _canvas(2.0)
    shown = metrics.query("split == 'Test' and group == 'all' and metric == 'A_O'")
    shown = shown[shown["method"] != "oracle"]
    colours = registry.colours(shown["method"])
    axes.barh(shown["method"], shown["value"], color=[colours[name] for name in shown["method"]])
    for place, value in enumerate(shown["value"]):
        axes.text(value, place, f" {value:.3f}", va="center")
    axes.set(xlim=(0, 1.1), xlabel="share of animals and annotated frames that are right")
    return figure
