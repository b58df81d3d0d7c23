"""From the segments of a stage to weights, whatever their models are fitted to."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from murid import timeline
from murid.errors import InputError, LeftOut, naming
from murid.grid import Antennas, antennas_of
from murid.models import fitted_weights
from murid.models.fitted_weights import Affinity, Weights
from murid.segment import Segment
from murid.settings import Image

if TYPE_CHECKING:
    from murid.fitting.stage import Modelling

log = logging.getLogger(__name__)


def of_segments(
    stage: "Modelling",
    has_enough: Callable[[Segment], bool],
    make: Callable[[Sequence[Segment], int, Antennas], Weights],
    none_usable: InputError,
    no_model: Callable[[str], InputError],
) -> Weights:
    """Make the models of the segments of a stage.

    A segment that cannot be used, since a table cannot be read, a reading lies outside the grid or
    its rig has no transform, is left out, and the log says so.

    Parameters
    ----------
    stage
        The stage.
    has_enough
        Tells whether a segment has what models are made of; may raise :class:`InputError`.
    make
        Makes the models of segments, of so many animals at most.
    none_usable
        What to raise if no segment has enough, and none has a fault.
    no_model
        Returns what to raise if what was made is no model that can be kept, told why.

    Raises
    ------
    InputError
        If the segments do not suffice, naming what is missing.
    """
    grid = antennas_of(stage.grid.layout)
    segments: list[Segment] = []
    others = LeftOut(log)
    for row in stage.segments:
        with others.if_faulty(row.positions), naming(positions=row.positions):
            segment = Segment.of(row, stage.transforms)
            timeline.trace(segment.positions, grid)
            if has_enough(segment):
                segment.matrix  # noqa: B018 - raises
                segments.append(segment)
    if not segments:
        others.raise_if_all()
        raise none_usable
    largest = max(stage.animals, *(segment.positions["animal"].nunique() for segment in segments))
    weights = make(segments, largest, grid)
    try:
        fitted_weights.check(weights)
    except ValueError as error:
        raise no_model(f"boxes to which no model can be fitted ({error})") from error
    return weights


def join(
    paper: Affinity,
    lagged: Affinity,
    lags: Mapping[str, float],
    told: Mapping[str, Any],
    segments: Sequence[Segment],
    image: Image,
) -> Weights:
    """Join the models of readings as they are, and of those put right by the lag.

    Parameters
    ----------
    paper, lagged
        The models.
    lags
        Seconds by which readings run late, as :class:`.Affinity` has them.
    told
        What is told of the lags, for the report.
    segments, image
        What they were fitted to, and the frame of reference.
    """
    rates = [segment.fps for segment in segments]
    return Weights(
        paper,
        replace(lagged, lags=dict(lags), provenance={**lagged.provenance, **told}),
        image=(image.width, image.height),
        fps=(min(rates), max(rates)),
    )
