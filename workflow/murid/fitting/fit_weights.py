"""The stage ``fit-weights``: annotated segments in, the models of a box given an antenna out."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from murid.errors import InputError
from murid.fitting import exchanged, gaussians, lag, offsets, refined, samples, visibility, whole
from murid.grid import Antennas
from murid.models.fitted_weights import Affinity, Weights
from murid.models.hidden import SHOWN
from murid.segment import Segment
from murid.settings import FitWeights, Image

if TYPE_CHECKING:
    from murid.fitting.stage import FitWeights as Stage

log = logging.getLogger(__name__)


def fit(
    rows: pd.DataFrame,
    animals: int,
    grid: Antennas,
    image: Image,
    settings: FitWeights,
    remarks: Sequence[str] = (),
    *,
    beyond: bool = False,
) -> Affinity:
    """Fit the model of a box given an antenna to samples (Sect. 4.3).

    Parameters
    ----------
    rows
        As :func:`murid.fitting.samples.collect` gives, of all segments together.
    animals
        Most animals that any cage holds.
    grid, image
        The antenna grid and the frame of reference.
    settings
        Forest and covariance.
    remarks
        What is to be said of the samples.
    beyond
        Whether to fit as :func:`murid.fitting.refined.fit`, to samples with a column ``stay``.

    Raises
    ------
    InputError
        If the samples do not suffice, naming what is missing.
    """
    visibilities = rows["visibility"]
    shown = rows[visibilities.isin(SHOWN)]
    boxed = rows[rows["x"].notna()]
    if shown.empty:
        raise _nothing_shown(len(boxed))
    boxes = (refined if beyond else gaussians).fit(shown, grid, settings.covariance)
    outlier_mean, outlier_covariance = gaussians.fit_outlier(boxed, image)
    forest = visibility.fit(rows, grid, settings)
    contexts, chances = visibility.tabulate(forest, grid, animals)
    # Laplace's rule keeps the share off 0 and 1.
    hidden = ((visibilities == "hidden").sum() + 1) / (len(rows) + 2)
    return Affinity(
        **vars(boxes),
        animals=animals,
        outlier_mean=outlier_mean,
        outlier_covariance=outlier_covariance,
        contexts=contexts,
        visibility=chances,
        hidden_share=float(hidden),
        provenance={
            "samples": len(rows),
            "visibility": visibilities.value_counts().sort_index().to_dict(),
            "remarks": [*remarks, *missing(visibilities)],
            "covariance": settings.covariance,
            "log_likelihood": float(gaussians.log_densities(shown, boxes).mean()),
            **visibility.leaves(forest),
        },
    )


def _nothing_shown(boxes: int) -> InputError:
    return InputError(
        "annotations",
        f"{boxes:,} boxes of single animals with a reading, in frames annotated beyond doubt, and "
        "none of them clear or truncated",
        "a hundred or more that are clear or truncated",
        remedy="Boxes whose visibility is marginal, NA or empty teach nothing: mark whole animals "
        "as clear, or take the attribute out of the file, and all are. Or annotate more frames of "
        "the splits in fit_weights.splits, or set weights.",
    )


def missing(visibility: pd.Series) -> list[str]:
    """Say what the model has to do without, since no sample shows it: (n,) visibilities."""
    remarks = [
        f"no annotated box is {shown}: such boxes are taken to be like the others, and rare"
        for shown in SHOWN
        if not (visibility == shown).any()
    ]
    if not (visibility == "hidden").any():
        remarks.append("no annotated animal is hidden: to be hidden is taken to be rare")
    return remarks


def estimate_lags(
    segments: Sequence[Segment], grid: Antennas, settings: FitWeights
) -> tuple[dict[str, float], dict[str, Any]]:
    """Tell how late readings run, by rig set-up and under ``""`` for any other.

    Where it rests on little, or on the bound of the search, the log says so.

    Returns
    -------
    The lags in seconds; and the curves that they were read from and what the log says, for the
    report.
    """
    if settings.lag is not None:
        return {"": settings.lag}, {}
    steps = lag.candidates(settings.max_lag, settings.lag_step)
    curves = lag.curves(segments, grid, settings.covariance, steps)
    lags = lag.choose(curves)
    remarks = lag.warn(curves, [segment.rig for segment in segments])
    for remark in remarks:
        log.warning("%s", remark)
    shown = {rig: lag.shown(curve, lags[rig]) for rig, curve in curves.items()}
    return lags, {"lag": shown, "lag_remarks": remarks}


def fit_both(
    segments: Sequence[Segment], animals: int, grid: Antennas, image: Image, settings: FitWeights
) -> Weights:
    """Fit the paper's model, and one beyond it to readings put right by the lag.

    Parameters
    ----------
    segments
        Annotated segments. Those of which names are exchanged are left out, and a remark says so.
    animals, grid, image, settings
        As for :func:`fit`.

    Raises
    ------
    InputError
        If the samples do not suffice, naming what is missing, or names are exchanged in most.
    """

    def gather(lags: Mapping[str, float]) -> pd.DataFrame:
        late = [round(lags.get(segment.rig, lags[""]) * segment.fps) for segment in segments]
        parts = []
        for number, (segment, frames) in enumerate(zip(segments, late, strict=True)):
            part = samples.collect(
                segment.positions, segment.annotations, segment.matrix, grid, frames
            )
            parts.append(part.assign(segment=number, time=part["frame"] / segment.fps))
        rows = pd.concat(parts, ignore_index=True)
        return rows.assign(stay=offsets.stays(rows))

    segments, left_out = exchanged.leave_out(segments, grid, image, settings)
    paper = fit(gather({"": 0.0}), animals, grid, image, settings, left_out)
    for remark in paper.provenance["remarks"]:
        log.warning("%s", remark)
    lags, shown = estimate_lags(segments, grid, settings)
    lagged = fit(gather(lags), animals, grid, image, settings, left_out, beyond=True)
    return whole.join(paper, lagged, lags, {"lag": {}, **shown}, segments, image)


def fit_segments(stage: "Stage") -> Weights:
    """Fit the models to the segments of a stage.

    A segment that cannot be used, since a table cannot be read, a reading lies outside the grid or
    its rig has no transform, is left out, and the log says so.

    Raises
    ------
    InputError
        If the segments do not suffice, naming what is missing.
    """

    def make(segments: Sequence[Segment], animals: int, grid: Antennas) -> Weights:
        return fit_both(segments, animals, grid, stage.image, stage.fit_weights)

    def no_model(found: str) -> InputError:
        return InputError(
            "annotations", found, "boxes of animals all over the cage",
            remedy="Annotate more frames of the splits in fit_weights.splits, or set weights.",
        )  # fmt: skip

    none_usable = InputError(
        "segments", "no usable segment with annotations", "some to fit to",
        remedy="Annotate frames of the splits in fit_weights.splits, or set weights.",
    )  # fmt: skip
    return whole.of_segments(stage, _is_annotated, make, none_usable, no_model)


def _is_annotated(segment: Segment) -> bool:
    """Tell whether a segment has annotations and readings."""
    verdict = segment.verdict_of_tables()
    if segment.annotations.empty and verdict.reason:
        # The reason of a segment's verdict, whatever of it is at fault.
        raise InputError(
            segment.files["annotations"], f"no annotations to fit to ({verdict.reason})",
            "annotations of the segment that can be used",
        )  # fmt: skip
    return not (segment.positions.empty or segment.annotations.empty)
