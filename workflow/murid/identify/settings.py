"""The settings of the methods of naming."""

from typing import Literal, Self

from pydantic import model_validator

from murid.identify import registry
from murid.settings_kinds import (
    Block,
    Count,
    EachOnce,
    Factor,
    Fraction,
    Method,
    NotNegative,
    Positive,
    PositiveFactor,
    setting,
)


class Solve(Block):
    """How the assignment is solved (Sect. 4.4)."""

    solver: Literal["auto", "dp", "cbc", "highs", "paper"] = setting(
        "auto",
        "dp = dynamic programme; cbc, highs = reduced integer programme; paper = the programme "
        "as printed; auto = dp for small groups, else highs; all give the same optimum",
    )
    time_limit: Positive | None = setting(
        None, "seconds for the solver; running out of them is an error"
    )


class Paths(Block):
    """What the methods beyond the paper's weigh, and how the path model is solved."""

    correct_lag: bool = setting(True, "put the readings right by the lag that was fitted")
    antenna_weight: PositiveFactor = setting(
        0.04,
        "factor of what the antennas say of who a box is, in a frame of a dwell of one second; a "
        "dwell lasts until the animal's reading changes; 1 = as if frames were independent",
        "It is for the frame rate of most segments that the path model is fitted to; at others "
        "evidence counts by the second: at twice the rate a frame counts half",
    )
    dwell_exponent: Fraction = setting(
        0.5,
        "a frame of a dwell of so many seconds counts as their power of minus this: an animal that "
        "rests says the same thing again and again; 0 = every frame counts alike, 1 = every dwell",
    )
    presence_weight: Factor = setting(
        0.02,
        "factor of what antennas and boxes say of a box being any animal's at all, whosoever; at "
        "other frame rates as antenna_weight",
    )
    reading_life: NotNegative = setting(
        0.0,
        "seconds after which a reading that is not repeated counts half; meanwhile it holds until "
        "the next, for antennas that are polled in turn or read once in a while, so that no "
        "reading says nothing; 0 = no reading is a reading like any other",
    )
    score_weight: Factor = setting(
        0.5,
        "factor of the summed evidence of the detections' scores; 0 = none; at other frame "
        "rates as antenna_weight",
    )
    transitions: bool = setting(True, "weigh how an animal gets from one tracklet to its next")
    doubt: Positive = setting(
        5.0,
        "a tracklet is cut where several animals in turn explain the antennas by so much better "
        "than one, natural logarithm",
    )
    link_weight: NotNegative = setting(
        10.0,
        "how much it speaks for one animal that two pieces are of one tracklet, natural logarithm",
    )
    most_states: Count = setting(400, "states of a path that are kept at once, at most", le=30_000)
    worst: Positive = setting(50.0, "states this far below the best are let go, natural logarithm")


class Identify(Solve, Paths):
    """How tracklets are named (Sect. 3.2, 5.2)."""

    methods: EachOnce[tuple[Method, ...]] = setting(
        registry.usual(),
        "methods to run and compare",
        "The oracle always runs. "
        + ". ".join(f"`{name}`: {registry.methods()[name].words}" for name in registry.chosen()),
        min_length=1,
    )
    default: Method = setting("path", "the method whose table is the pipeline's answer")

    @model_validator(mode="after")
    def _default_runs(self) -> Self:
        if self.default not in self.methods:
            raise ValueError(f"default is {self.default}, which is not among methods")
        return self
