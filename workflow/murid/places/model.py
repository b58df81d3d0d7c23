"""What is learnt to infer places with, an artefact fitted by ``murid fit-places``, kept as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from murid.files import write_text
from murid.models.stored import Part, read_model
from murid.places.hypotheses import Floats, Habits

FORMAT = "murid places model 1"

_Positive = Annotated[float, Field(ge=1e-6, le=1e6)]
_Log = Annotated[float, Field(ge=-50, le=0)]


@dataclass(frozen=True)
class Growth:
    """By what factor regions must grow to hold as many true places as they say.

    Attributes
    ----------
    seconds
        To the nearest sure box, ascending.
    factors
        Of the regions' semi-axes there; in between they are interpolated over log seconds.
    """

    seconds: tuple[float, ...] = (1.0,)
    factors: tuple[float, ...] = (1.0,)

    def __call__(self, seconds: Floats) -> Floats:
        """Return the factors so far from a box: same shape."""
        at = np.log(np.maximum(seconds, self.seconds[0]))
        return np.interp(at, np.log(self.seconds), self.factors)


@dataclass(frozen=True)
class PlacesModel:
    """How animals stay and roam, and how large regions must be.

    Attributes
    ----------
    habits, growth
        See there.
    provenance
        What it was fitted to; not used.
    """

    habits: Habits = field(default_factory=Habits)
    growth: Growth = field(default_factory=Growth)
    provenance: Mapping[str, Any] = field(default_factory=dict)


class HabitsContent(Part):
    """:class:`Habits` in a file."""

    shape: _Positive
    onset: _Positive
    speed: _Positive
    restless: _Positive
    settling: _Positive
    jitter: _Positive
    astray: _Log
    weight: _Positive


class GrowthContent(Part):
    """:class:`Growth` in a file."""

    seconds: list[_Positive]
    factors: list[_Positive]


class Content(Part):
    """:class:`PlacesModel` in a file."""

    habits: HabitsContent
    growth: GrowthContent
    provenance: dict[str, Any]


def write(model: PlacesModel, path: str | Path) -> None:
    """Write the model as JSON."""
    content = {"format": FORMAT, **asdict(model)}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()]
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def read(path: str | Path) -> PlacesModel:
    """Read a model written by :func:`write`.

    Raises
    ------
    InputError
        If the file is missing, is no such JSON, or a value is none that a fit can give.
    """
    return read_model(path, "a model of places", FORMAT, _model)


def _model(content: Mapping[str, Any]) -> PlacesModel:
    kept = Content.model_validate({name: content[name] for name in Content.model_fields})
    growth = Growth(tuple(kept.growth.seconds), tuple(kept.growth.factors))
    if not growth.seconds or len(growth.seconds) != len(growth.factors):
        raise ValueError("growth does not have as many factors as times")
    if (np.diff(growth.seconds) <= 0).any():
        raise ValueError("times of growth are not ascending")
    return PlacesModel(Habits(**vars(kept.habits)), growth, kept.provenance)
