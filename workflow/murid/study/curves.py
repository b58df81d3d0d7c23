"""Figures of the study of identification: the lag, and what was learnt of motion and scores."""

from collections.abc import Collection
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from murid.identify.fitted import Motion, Score
from murid.palette import BLUE, GREEN, LINES, PURPLE, SKY, VERMILION
from murid.report.figures import TEXT, style, to_svg

LOOKS: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-"},
    {"color": VERMILION, "linestyle": "--"},
    {"color": GREEN, "linestyle": "-."},
    {"color": PURPLE, "linestyle": ":"},
    {"color": SKY, "linestyle": (0, (6, 2, 1, 2, 1, 2))},
)
"""Lines are told apart by more than their colour."""
MOST = 10_000
"""Odds beyond which the worth of a score is not drawn."""
_SMALL = (4.4, 3.0)


def lag_curve(lag: pd.DataFrame) -> Markup:
    """Draw how well boxes fit readings against the lag, less what they fit without one.

    Parameters
    ----------
    lag
        As :func:`murid.study.identify.lag_table` gives; dots are full where a lag cannot be told
        from the best.
    """
    rigs = list(dict.fromkeys(lag["rig"]))
    with style():
        figure = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes = figure.add_subplot()
        axes.axvline(0, color=LINES, lw=1, ls=":")
        for rig, look in zip(rigs, cycle(LOOKS), strict=False):
            own = lag[lag["rig"] == rig]
            lags, gain = own["lag"].to_numpy(), own["log_likelihood"].to_numpy()
            gain = gain - gain[0]
            axes.plot(lags, gain, lw=1.6, label=rig, **look)
            near = own["possible"].to_numpy(dtype=bool)
            dots: dict[str, Any] = {"marker": "o", "ls": "none", "ms": 4.5, "mec": look["color"]}
            axes.plot(lags[near], gain[near], color=look["color"], **dots)
            axes.plot(lags[~near], gain[~near], color="none", **dots)
            at = own["chosen"].to_numpy().argmax()
            axes.plot(lags[at], gain[at], "o", ms=11, mfc="none", mec=TEXT, mew=1.4)
        axes.set_xlabel("seconds by which readings are taken to run late")
        axes.set_ylabel("log-likelihood of a box,\nabove that without a lag")
        _tidy(axes)
        if len(rigs) > 1:
            figure.legend(loc="outside lower center", ncols=4, frameon=False, labelcolor=TEXT)
        return to_svg(figure)


def spread_curve(motion: Motion) -> Markup:
    """Draw how far an animal moves from one tracklet to its next, by gap."""
    with style():
        figure, axes = _small()
        for column, label, look in zip(
            (0, 1), ("left and right", "up and down"), LOOKS, strict=False
        ):
            axes.plot(motion.seconds, motion.spread[:, column], lw=1.8, label=label, **look)
        axes.set_ylim(0, None)
        axes.set_ylabel("standard deviation, pixels")
        axes.legend(frameon=False, labelcolor=TEXT, loc="lower right")
        return to_svg(figure)


def near_curve(motion: Motion) -> Markup:
    """Draw how probable it is that an animal is still where it was, by gap."""
    with style():
        figure, axes = _small()
        axes.plot(motion.seconds, motion.near, lw=1.8, **LOOKS[0])
        axes.set_ylim(0, 1.02)
        axes.set_ylabel("probability that it is near")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        return to_svg(figure)


def begin_curve(motion: Motion) -> Markup:
    """Draw how likely an animal's next tracklet begins after a gap, against one of nobody."""
    with style():
        figure, axes = _small()
        axes.plot(motion.seconds, motion.gaps, lw=1.8, label="after this gap", **LOOKS[0])
        axes.axhline(motion.fresh, lw=1.8, label="after a longer absence", **LOOKS[1])
        _odds(axes, [*motion.gaps, motion.fresh])
        axes.set_ylabel("animal's next : nobody's")
        axes.legend(frameon=False, labelcolor=TEXT, loc="upper right")
        return to_svg(figure)


def score_curve(score: Score) -> Markup:
    """Draw what a score says of a box being an animal, not a false one; odds up to :data:`MOST`."""
    with style():
        figure = Figure(figsize=_SMALL, layout="constrained")
        axes = figure.add_subplot()
        scores = np.linspace(0, 1, 101)
        scores = scores[np.abs(score.log_odds(scores)) <= np.log(MOST)]
        odds = score.log_odds(scores)
        axes.axhline(0, color=LINES, lw=1, ls=":")
        axes.plot(scores, odds, lw=1.8, **LOOKS[0])
        _odds(axes, odds)
        axes.set_xlabel("score of the detection")
        axes.set_ylabel("animal : false box")
        _tidy(axes)
        return to_svg(figure)


def _small() -> tuple[Figure, Axes]:
    figure = Figure(figsize=_SMALL, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlim(0, None)
    axes.set_xlabel("seconds from one tracklet to the next")
    _tidy(axes)
    return figure, axes


def _odds(axes: Axes, values: Collection[float]) -> None:
    """Write log odds as odds, powers of ten."""
    low, high = np.floor(min(values) / np.log(10)), np.ceil(max(values) / np.log(10))
    step = max(1, round((high - low) / 6))
    powers = [power for power in range(int(low), int(high) + 1) if power % step == 0]
    axes.set_yticks([power * np.log(10) for power in powers], [_ratio(power) for power in powers])


def _ratio(power: int) -> str:
    """Write a power of ten as odds.

    Examples
    --------
    >>> _ratio(3), _ratio(-1), _ratio(0)
    ('1,000 : 1', '1 : 10', '1 : 1')
    """
    return f"{10**power:,} : 1" if power > 0 else f"1 : {10**-power:,}"


def _tidy(axes: Axes) -> None:
    axes.grid(color=LINES, alpha=0.35, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
