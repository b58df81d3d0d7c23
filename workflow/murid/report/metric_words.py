"""What metrics and splits are called on the page, in words that need no paper at hand.

What methods are called stands with the methods, in :mod:`murid.identify.methods`.
"""

from dataclasses import dataclass
from typing import Literal

from murid.intervals import FEWEST_CAGES, Estimate


@dataclass(frozen=True)
class MetricWords:
    """How a metric is shown: what is better, a word, and a sentence."""

    better: Literal["higher", "lower"]
    word: str
    meaning: str

    @property
    def arrow(self) -> str:
        """Up where higher is better, else down."""
        return "↑" if self.better == "higher" else "↓"


METRICS = {
    "A_O": MetricWords(
        "higher", "right",
        "Of all mice in all frames: those put where they are (the box overlaps the hand-drawn one "
        "enough), or rightly said to be hidden.",
    ),
    "IoU_O": MetricWords(
        "higher", "overlap",
        "For mice that can be seen: how much the given and the hand-drawn box overlap on average "
        "(shared area over joint area; 1 is a perfect fit, no box is 0).",
    ),
    "U_O": MetricWords(
        "lower", "uncovered",
        "Of the mice that can be seen: those given a box that lies elsewhere or covers too little.",
    ),
    "FNR_O": MetricWords(
        "lower", "missed", "Of the mice that can be seen: those said to be hidden."
    ),
    "FPR_O": MetricWords(
        "lower", "false alarm", "Of the mice that are hidden: those given a box nevertheless."
    ),
    "A_GD": MetricWords(
        "higher", "right",
        "Of all boxes that the detector found: those given the right name, or rightly none.",
    ),
    "MisID_GD": MetricWords(
        "lower", "wrong name", "Of the boxes that are a mouse: those given another mouse's name."
    ),
    "FNR_GD": MetricWords(
        "lower", "no name", "Of the boxes that are a mouse: those left without a name."
    ),
    "FPR_GD": MetricWords(
        "lower", "false name",
        "Of the boxes that are no mouse (a shadow, a second box on the same mouse): those given a "
        "name.",
    ),
}  # fmt: skip
"""By name: the paper's letters, and its index after the underscore."""

_SUREST = "Certainty of the least certain mouse, on average"
_DIFFERENT = "Mice that are not given the same box by all, on average"
CLIPS = {
    "most_confident": ("Clear", "in which it is most certain who is who", _SUREST),
    "least_confident": ("Unclear", "in which it is least certain who is who", _SUREST),
    "disagreement": ("Disputed", "in which the methods disagree most, side by side", _DIFFERENT),
}
"""Heading, what stretch it is, and what the figure beside it is, of each kind of clip."""

FIGURES = {
    "A_O": ("share of mice rightly placed or hidden", "n: mice times frames"),
    "A_GD": ("share of detected boxes named rightly", "n: detected boxes"),
}
"""Heading of each metric that is drawn by cage, and what its rows are."""

ROWS = {"all": "all rows", "box": "boxes alone"}
"""Which rows the page looks at to tell what confidence is worth."""

HUDDLED = "Huddled: resting while touching another that rests."
"""What the figure of animals is, which is less than being in contact."""

SPLITS = {
    "Test": ("test set", "Cages set aside: nothing should have been fitted or tuned on them."),
    "Tune": ("tuning set", "Training and validation sets together, as in the paper."),
    "Validate": (
        "validation set", "Weights may have been fitted, and settings chosen, on these cages."
    ),
    "Train": ("training set", "Detector and weights are usually fitted on these cages."),
}  # fmt: skip
"""What each is called, and what to keep in mind; in the order of the page."""

INTERVALS = (
    "Every figure is worked out again without each cage in turn; how much it then changes tells, "
    "by Student's t, how far it may be off on other cages like these (the jackknife). However many "
    "stretches and frames it has, a cage is one observation. With fewer than "
    f"{FEWEST_CAGES} cages, or where one of them has nearly all the frames, there is no interval."
)
"""What the intervals of all pages are."""


WIDE = 50
"""Points from which on an interval says more of the number of cages than of the figure."""


def interval(estimate: Estimate, unit: str = "%") -> str:
    """Say how sure a share is.

    Examples
    --------
    >>> interval(Estimate(0.85, (0.808, 0.8821), 6, 54))
    '95% interval 80.8 to 88.2%'
    >>> interval(Estimate(0.85, None, 2, 18))
    'too few cages to tell the interval'
    """
    if estimate.interval is None:
        return "too few cages to tell the interval"
    low, high = (100 * end for end in estimate.interval)
    wide = f", which {estimate.cages} cages cannot tell more closely" * (high - low > WIDE)
    return f"95% interval {low:.1f} to {high:.1f}{unit}{wide}"
