"""What the path model knows besides the weights, an artefact fitted by ``murid fit-path``.

How an animal's next box follows from its last, how much a detection's score says, and how probable
it is that a name is right when the model says so. Kept as JSON, never a pickle.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from murid.files import write_text
from murid.models import made_for
from murid.models.made_for import MadeFor
from murid.models.norm import DEFAULT, Norm
from murid.models.stored import BY_KEYS, Part, Share, nested, read_model
from murid.sheet import SLOWEST

FORMAT = "murid path model 2"
_A_HAIR = 1e-6
"""What seconds times frames a second may fall short of a whole number of frames."""
_SURE = 1e-9
"""How far probabilities are kept from 0 and 1 before they are put right."""

_Gap = Annotated[float, Field(gt=0, le=1 / SLOWEST)]
_Deviation = Annotated[float, Field(ge=1e-6, le=65_536)]
_Odds = Annotated[float, Field(ge=-100, le=100)]
_Absence = Annotated[float, Field(gt=0, le=1e7)]
_Slope = Annotated[float, Field(ge=0, le=1e6)]
_Intercept = Annotated[float, Field(ge=-1e6, le=1e6)]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Motion:
    """How an animal gets from one tracklet to its next.

    A change is that of ``x, y, log w, log h`` from the last box of one tracklet to the first of the
    next, centroids in the frame of reference; a gap is from the last frame to the first. Gaps are
    kept in seconds, so that a model serves segments of other frame rates; between those tabulated
    it is interpolated.

    Attributes
    ----------
    seconds
        (k,) gaps, ascending.
    near
        (k,) probability that the animal is still where it was.
    spread
        (k, 4) standard deviation of the change if it is.
    anywhere
        (4,) standard deviation of the change between boxes that have nothing to do with each other.
    gaps
        (k,) log ratio of the density of the gap to the next tracklet to the rate at which tracklets
        of nobody begin, both a second.
    fresh
        The same of a tracklet that begins after a longer absence.
    """

    seconds: Annotated[Floats, nested(_Gap, 1)]
    near: Annotated[Floats, nested(Share, 1)]
    spread: Annotated[Floats, nested(_Deviation, 2)]
    anywhere: Annotated[Floats, nested(_Deviation, 1)]
    gaps: Annotated[Floats, nested(_Odds, 1)]
    fresh: _Odds

    @property
    def reach(self) -> float:
        """Longest gap, seconds."""
        return float(self.seconds[-1])

    def reach_frames(self, fps: float) -> int:
        """Longest gap, frames of a segment of so many a second."""
        return int(self.reach * fps + _A_HAIR)

    def moves(self, change: Floats, gap: Ints, fps: float) -> Floats:
        """Weigh transitions: (P, 4) changes, (P,) gaps in frames -> (P,) log ratios.

        The ratio is of the probability that the animal's next tracklet begins so, given how its
        last one ended, to that of a tracklet of nobody beginning there and then.
        """
        every = np.arange(1, self.reach_frames(fps) + 1) / fps
        columns = [self.near, self.gaps, *self.spread.T]
        table = np.array([np.interp(every, self.seconds, column) for column in columns])
        near, gaps, *spread = table[:, gap - 1]
        ratio = log_normal(change, np.array(spread).T) - log_normal(change, self.anywhere)
        with np.errstate(divide="ignore"):
            return np.logaddexp(np.log(near) + ratio, np.log1p(-near)) + gaps


@dataclass(frozen=True)
class Score:
    """What a detection's score says: the log odds of an animal against a false box are linear."""

    slope: float = 0.0
    intercept: float = 0.0

    def log_odds(self, scores: Floats) -> Floats:
        """Return the log likelihood ratio of scores: same shape."""
        return self.intercept + self.slope * scores


@dataclass(frozen=True)
class Calibration:
    """Puts probabilities right: the log odds that a name is right are linear in those stated."""

    slope: float = 1.0
    intercept: float = 0.0

    def __call__(self, probabilities: Floats) -> Floats:
        """Return the share of rows so stated that are right: same shape, 0 to 1."""
        return logistic(self.intercept + self.slope * log_odds(probabilities))


@dataclass(frozen=True)
class Missed:
    """Tells the hidden from the missed: an animal that has no box for long is hidden.

    Attributes
    ----------
    seconds
        Lengths of absences, ascending, above 0.
    hidden
        Of animals that have no box for so long, by how much the share truly hidden falls short of
        the stated probability of their absence: a factor, 0 to 1; in between it is interpolated
        over the logarithm of the length.
    """

    seconds: tuple[float, ...] = (1.0,)
    hidden: tuple[float, ...] = (1.0,)

    def __call__(self, seconds: Floats) -> Floats:
        """Return what the stated probability of absence is multiplied by: same shape."""
        shortest = self.seconds[0]
        return np.interp(np.log(np.maximum(seconds, shortest)), np.log(self.seconds), self.hidden)


@dataclass(frozen=True)
class PathModel:
    """Everything that is fitted for the path model.

    Attributes
    ----------
    motion, score
        See there.
    boxed
        Calibration of names.
    hidden
        What the length of an animal's absence says.
    norm
        What readings tell of boxes in a sound segment.
    made_for
        What its confidence holds for; there is none until it was learnt.
    provenance
        What it was fitted to; not used by the model.
    """

    motion: Motion
    score: Score = Score()
    boxed: Calibration = Calibration()
    hidden: Missed = Missed()
    norm: Norm = DEFAULT
    made_for: MadeFor | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)


def logistic(odds: Floats) -> Floats:
    """Return the probabilities of log odds: same shape."""
    return (1 + np.tanh(odds / 2)) / 2


def log_odds(probabilities: Floats) -> Floats:
    """Return the log odds of probabilities, which are kept off 0 and 1: same shape."""
    sure = np.clip(probabilities, _SURE, 1 - _SURE)
    return np.log(sure) - np.log1p(-sure)


def log_normal(values: Floats, spread: Floats) -> Floats:
    """Return the log density of independent zero-mean normals: (n, d), (d,) or (n, d) -> (n,)."""
    spread = np.broadcast_to(spread, values.shape)
    return -(np.log(spread) + (values / spread) ** 2 / 2 + np.log(2 * np.pi) / 2).sum(axis=1)


class LineContent(Part):
    """A line in a file; what is surer is no less probable, so that it never falls."""

    slope: _Slope
    intercept: _Intercept


class MissedContent(Part):
    """:class:`Missed` in a file."""

    seconds: list[_Absence]
    hidden: list[Share]


class PathModelContent(Part):
    """:class:`PathModel` in a file."""

    made_for: dict[str, Any]
    motion: Annotated[Motion, BY_KEYS]
    score: LineContent
    boxed: LineContent
    hidden: MissedContent
    norm: Annotated[Norm, BY_KEYS]
    provenance: dict[str, Any]


def write(model: PathModel, path: str | Path) -> None:
    """Write the model as JSON.

    Raises
    ------
    ValueError
        If it does not say what it was made for.
    """
    if model.made_for is None:
        raise ValueError("a path model must say what it was made for")
    motion = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(model.motion).items()
    }
    content = {
        "format": FORMAT,
        "made_for": model.made_for.written(),
        "motion": motion,
        "score": asdict(model.score),
        "boxed": asdict(model.boxed),
        "hidden": asdict(model.hidden),
        "norm": asdict(model.norm),
        "provenance": dict(model.provenance),
    }
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()]
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def read(path: str | Path) -> PathModel:
    """Read a model written by :func:`write`.

    Raises
    ------
    InputError
        If the file is missing, is no such JSON, a value is none that a fit can give, or its parts
        do not fit each other.
    """
    return read_model(path, "parts of a path model", FORMAT, _path_model)


def _path_model(content: Mapping[str, Any]) -> PathModel:
    kept = PathModelContent.model_validate(content)
    model = PathModel(
        motion=kept.motion,
        score=Score(**vars(kept.score)),
        boxed=Calibration(**vars(kept.boxed)),
        hidden=Missed(tuple(kept.hidden.seconds), tuple(kept.hidden.hidden)),
        norm=kept.norm,
        made_for=made_for.parse(kept.made_for),
        provenance=kept.provenance,
    )
    _check(model.motion)
    _check_missed(model.hidden)
    return model


def _check(motion: Motion) -> None:
    """Refuse arrays that do not fit each other."""
    count = motion.seconds.size
    shapes = {
        "seconds": (count,), "near": (count,), "spread": (count, 4), "anywhere": (4,),
        "gaps": (count,),
    }  # fmt: skip
    for name, shape in shapes.items():
        array = getattr(motion, name)
        if not count or array.shape != shape:
            raise ValueError(f"{name} is {array.shape} numbers, not {shape}")
    if (np.diff(motion.seconds) <= 0).any():
        raise ValueError("seconds are not ascending")


def _check_missed(missed: Missed) -> None:
    seconds = np.array(missed.seconds)
    if not len(seconds) or len(seconds) != len(missed.hidden):
        raise ValueError("hidden does not have as many shares as lengths")
    if (np.diff(seconds) <= 0).any():
        raise ValueError("lengths of hidden are not ascending")
