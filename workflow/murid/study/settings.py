"""The settings of the studies behind the settings."""

from murid.settings_kinds import (
    Block,
    Count,
    EachOnce,
    Fraction,
    NotNegative,
    PositiveFactor,
    setting,
)


class StudyWeights(Block):
    """How the choices behind the weights are compared (Appendix C.3)."""

    folds: int = setting(5, "folds of the cross-validation of predictors", ge=2)
    permutations: Count = setting(200, "shuffles that tell what information comes out by chance")
    significance: Fraction = setting(0.01, "p value below which box sizes count as different")


class StudyTracker(Block):
    """Which settings of the tracker are compared, and how (Appendix C.2)."""

    ious: EachOnce[tuple[Fraction, ...]] = setting(
        (0.65, 0.7, 0.75, 0.8, 0.85, 0.9), "values of track.iou to try", min_length=1
    )
    min_lengths: EachOnce[tuple[Count, ...]] = setting(
        (1, 2, 5, 7, 10, 15), "values of track.min_length to try", min_length=1
    )
    margin: NotNegative = setting(
        10.0, "seconds before and after each evaluated frame that are tracked"
    )


class StudyIdentify(Block):
    """How the antennas' evidence is weighed in comparison, by leaving cages out."""

    antenna_weights: EachOnce[tuple[PositiveFactor, ...]] = setting(
        (0.02, 0.04, 0.08), "values of identify.antenna_weight to try", min_length=1
    )
    dwell_exponents: EachOnce[tuple[Fraction, ...]] = setting(
        (0.0, 0.5, 1.0), "values of identify.dwell_exponent to try", min_length=1
    )


class Study(Block):
    """The studies behind the settings."""

    weights: StudyWeights = setting(
        StudyWeights(), "how the choices behind the weights are compared: snakemake weights_study"
    )
    tracker: StudyTracker = setting(
        StudyTracker(), "which settings of the tracker are compared: snakemake tune_tracker"
    )
    identify: StudyIdentify = setting(
        StudyIdentify(), "which factors of the evidence are compared: snakemake identify_study"
    )
