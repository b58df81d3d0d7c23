"""What fitted models were made for, and whether it is what they are used for.

A model says so in its file, under ``made_for``. Imports nothing slow, since a plan asks before
anything runs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    TypeAdapter,
    ValidationError,
)

from murid.errors import InputError
from murid.layout import Layout
from murid.settings import Grid, Image, fault_of
from murid.settings_kinds import Lag
from murid.sheet import FASTEST, SLOWEST

MOST_ANIMALS = 64
"""Animals of a cage that any model can be made for."""
_LIKE = 1.25
"""Ratio up to which a frame rate is like another."""
_LATE = 1.0
"""Seconds by which lags may differ."""


# No text or truth value is taken for a number.
_Antennas = Annotated[int, Field(strict=True, ge=1, le=1_000)]
_Place = Annotated[float, Field(strict=True, ge=0, le=1_000_000)]
_Pixels = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
_Animals = Annotated[int, Field(strict=True, ge=1, le=MOST_ANIMALS)]
_Rate = Annotated[float, Field(strict=True, ge=SLOWEST, le=FASTEST)]
_RateOrNone = Annotated[float, Field(strict=True, ge=0, le=FASTEST)]
_Factor = Annotated[float, Field(strict=True, ge=0, le=1e6)]
_Seconds = Annotated[Lag, Field(strict=True)]
_Digests = Annotated[
    tuple[str, ...],
    # Models of before have one text: the digest of a file, which changes with how it is written.
    BeforeValidator(lambda value: value if isinstance(value, list | tuple) else ()),
]


@dataclass(frozen=True)
class MadeFor:
    """What a model was made for.

    Attributes
    ----------
    grid
        Rows and columns of antennas; those in no grid are one row.
    image
        Width and height of the frame of reference, pixels.
    animals
        Fewest and most animals of a cage.
    fps
        Lowest and highest frame rate of the segments that it was fitted to, a second; of a path
        model ``evidence_fps`` is within.
    weighing
        Of a path model: the settings that its confidence was learnt under.
    lags
        Of a path model: seconds by which its readings were put right, by rig set-up; ``""`` is any
        other.
    weights
        Of a path model: digests of the weights that it was fitted with, and of those that names
        were to rest on; none in models that do not say so.
    evidence_fps
        Of a path model: frames a second at which the factors of summed evidence hold as they are
        set; 0, as in models that do not say so: the highest of ``fps``.
    places
        x and y of each antenna in the frame of reference, pixels, where they are in no grid.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)

    grid: tuple[_Antennas, _Antennas]
    image: tuple[_Pixels, _Pixels]
    animals: tuple[_Animals, _Animals]
    fps: tuple[_Rate, _Rate]
    weighing: Mapping[str, StrictBool | _Factor] = field(default_factory=dict)
    lags: Mapping[str, _Seconds] = field(default_factory=dict)
    weights: _Digests = ()
    evidence_fps: _RateOrNone = 0.0
    places: tuple[tuple[_Place, _Place], ...] | None = None

    @property
    def layout(self) -> Layout:
        """How the antennas are laid out."""
        return Layout(*self.grid, self.places)

    @property
    def reference_fps(self) -> float:
        """Frames a second of which each counts as the factors of summed evidence say."""
        return self.evidence_fps or self.fps[1]

    def written(self) -> dict[str, Any]:
        """Return it as what JSON can hold."""
        written = asdict(self)
        if self.places is None:
            del written["places"]
        return written


_CONTENT = TypeAdapter(MadeFor)


def parse(content: Any) -> MadeFor:
    """Make it of what JSON holds.

    Raises
    ------
    ValueError
        If it is not as it must be.
    """
    try:
        made = _CONTENT.validate_python(content)
    except ValidationError as error:
        fault = fault_of(BaseModel, error.errors()[0], "made_for")
        raise ValueError(str(fault).rstrip(".")) from error
    for name in ("animals", "fps"):
        low, high = getattr(made, name)
        if low > high:
            raise ValueError(f"{name} of made_for are not in order")
    if made.places is not None and made.grid != (1, len(made.places)):
        raise ValueError("places of made_for are not one for each antenna")
    slowest, fastest = made.fps
    if made.evidence_fps and not slowest <= made.evidence_fps <= fastest:
        raise ValueError(
            f"evidence_fps of made_for is {made.evidence_fps:g}, not one of its fps, {slowest:g} "
            f"to {fastest:g}"
        )
    return made


def refuse(
    path: object,
    setting: str,
    made: MadeFor,
    grid: Grid | None = None,
    image: Image | None = None,
    animals: int | None = None,
) -> None:
    """Refuse a model that cannot be used.

    Parameters
    ----------
    path, setting
        The model's file, and the setting that names it.
    made
        What it was made for.
    grid, image
        What it is to be used for, if known.
    animals
        Most animals of a cage, if the model must know about so many.

    Raises
    ------
    InputError
        Naming the first contradiction.
    """
    if grid and made.layout != grid.layout:
        found, expected = made.layout.told_from(grid.layout)
        found, expected = f"a model made for {found}", f"one for {expected}, as is set"
    elif image and made.image != (image.width, image.height):
        width, height = made.image
        found = f"a model made for a frame of reference of {width} x {height} pixels"
        expected = f"one for {image.width} x {image.height}, as image is set"
    elif animals and animals > made.animals[1]:
        found = f"a model made for up to {made.animals[1]} animals"
        expected = f"one for {animals}, as a cage holds"
    else:
        return
    raise InputError(path, found, expected, remedy=remedy(setting))


def remedy(setting: str) -> str:
    """Say what to do about a model that was made for something else."""
    return f"Set {setting}: to null to fit one on this archive, or name one that was made for it."


def differences(
    made: MadeFor,
    animals: int,
    fps: float,
    weighing: Mapping[str, float],
    lag: tuple[str, float] | None = None,
    weights: str = "",
) -> list[str]:
    """Tell in what the use of a path model differs from what its confidence was learnt under.

    Parameters
    ----------
    made
        What it was made for.
    animals, fps
        Of the segment.
    weighing
        The settings in use.
    lag
        The segment's rig set-up, and the seconds by which its readings are put right.
    weights
        Digest of the weights in use, "" if they are not known.
    """
    differing = []
    if weights and made.weights and weights not in made.weights:
        differing.append(
            "other weights than those of its own run (give both of one run, or set path_model: to "
            "null)"
        )
    fewest, most = made.animals
    if animals and not fewest <= animals <= most:
        differing.append(f"{animals} animals, not {_span(fewest, most)}")
    slowest, fastest = made.fps
    if not slowest / _LIKE <= fps <= fastest * _LIKE:
        differing.append(f"{fps:g} frames a second, not {_span(slowest, fastest)}")
    for name, value in _weighing(made).items():
        if name in weighing and weighing[name] != value:
            used = _written(weighing[name])
            differing.append(f"identify.{name} of {used}, not {_written(value)}")
    if lag and made.lags:
        rig, seconds = lag
        learnt = made.lags.get(rig, made.lags.get("", seconds))
        if abs(seconds - learnt) > _LATE:
            differing.append(f"readings put right by {seconds:g} s, not {learnt:g}")
    return differing


def _weighing(made: MadeFor) -> Mapping[str, float]:
    """Return the settings of a model; of one of before dwells counted, what it took for granted."""
    if "antenna_weight" not in made.weighing:
        return made.weighing
    constant = {
        "dwell_exponent": 0.0,
        "presence_weight": made.weighing["antenna_weight"],
        "reading_life": 0.0,
    }
    return {**constant, **made.weighing}


def alike(fps: float, other: float) -> bool:
    """Tell whether two frame rates are like each other.

    Examples
    --------
    >>> alike(25, 30), alike(25, 50)
    (True, False)
    """
    return other / _LIKE <= fps <= other * _LIKE


def _span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _written(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def remark(differing: Iterable[str]) -> str:
    """Say in a sentence what :func:`differences` tells, or nothing if they are none."""
    listed = "; ".join(differing)
    return f"confidence was learnt under other conditions: {listed}" if listed else ""


def problems(
    models: Mapping[str, tuple[str, MadeFor]],
    grid: Grid,
    image: Image,
    weighing: Mapping[str, float],
    groups: Iterable[tuple[int, float]],
    weights: str = "",
) -> tuple[list[str], list[str]]:
    """Compare the models that the settings name with what they are to be used for.

    Parameters
    ----------
    models
        Path of a model, and what it was made for, by the setting that names it: ``weights``,
        ``path_model``.
    grid, image
        Settings of the same name.
    weighing
        Settings of ``identify``.
    groups
        Number of animals, 0 if unknown, and frame rate of each segment.
    weights
        Digest of the weights, "" if they are yet to be fitted.

    Returns
    -------
    What makes a model useless, and in what the conditions differ from those that confidence was
    learnt under.
    """
    wrong, remarks = [], []
    groups = set(groups)
    most = max((animals for animals, _ in groups), default=0)
    for setting, (path, made) in models.items():
        try:
            refuse(path, setting, made, grid, image, most if setting == "weights" else None)
        except InputError as error:
            wrong.append(str(error))
            continue
        if setting == "path_model":
            differing = dict.fromkeys(
                difference
                for group in sorted(groups)
                for difference in differences(made, *group, weighing, weights=weights)
            )
            remarks += [f"{path}: {remark(differing)}"] if differing else []
    return wrong, remarks
