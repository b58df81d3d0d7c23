"""The settings of what is fitted: weights, and the path model."""

from typing import Literal

from murid.settings_kinds import Block, Count, EachOnce, Lag, Positive, Seed, Split, setting


class FitWeights(Block):
    """The model of a box given an antenna (Sect. 3.3, 4.3, Appendix C.3)."""

    annotations: Literal["use", "none"] = setting(
        "use",
        "use = fit to annotated boxes; none = learn from detections and antennas alone",
        "It needs no annotation then, and nothing tells how right the weights are",
    )
    learnt_segments: Count = setting(
        24, "segments that are learnt from without annotations at most, spread over all"
    )
    splits: EachOnce[tuple[Split, ...]] = setting(
        ("Train", "Validate"), "splits whose annotations are fitted to", min_length=1
    )
    covariance: Literal["spherical", "pooled", "per_visibility", "per_row"] = setting(
        "per_row",
        "what the covariance of a box depends on: spherical, pooled, per_visibility or per_row",
    )
    trees: Count = setting(100, "trees of the visibility forest")
    max_depth: Count = setting(12, "depth of a tree at most")
    min_samples_split: int = setting(5, "samples that a node needs to be split", ge=2)
    min_samples_leaf: Count = setting(2, "samples that a leaf keeps")
    seed: Seed = setting(1, "seed of the forest")
    lag: Lag | None = setting(
        None,
        "seconds by which antenna readings run late; null = estimate it",
        "The estimate, for each rig set-up, rests on how well the annotated boxes fit later "
        "readings: it is the smallest lag that cannot be told from the best",
    )
    max_lag: Lag = setting(4.0, "largest lag to try, seconds")
    lag_step: float = setting(0.2, "seconds from one lag that is tried to the next", ge=0.01, le=2)


class FitPath(Block):
    """How the path model is fitted."""

    reach: Positive = setting(
        1.2, "seconds without a tracklet for which an animal's place is remembered", le=10
    )
    rounds: Count = setting(2, "times that tracklets are named and motion is fitted")
    max_segments: Count = setting(
        12,
        "segments of a split that are used at most, spread over all; of all splits together where "
        "none is annotated",
    )
