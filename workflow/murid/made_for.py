"""What fitted models were made for, and whether it is what they are used for.

A model says so in its file, under ``made_for``. Standard library only, since a plan asks before
anything runs.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from murid.errors import InputError, shown
from murid.sheet import FASTEST, SLOWEST

MOST_ANIMALS = 64
"""Animals of a cage that any model can be made for."""
LATEST = 10.0
"""Seconds by which readings may run late."""
_LIKE = 1.25
"""Ratio up to which a frame rate is like another."""
_LATE = 1.0
"""Seconds by which lags may differ."""


@dataclass(frozen=True)
class MadeFor:
    """What a model was made for.

    Attributes
    ----------
    grid
        Rows and columns of antennas.
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
    """

    grid: tuple[int, int]
    image: tuple[int, int]
    animals: tuple[int, int]
    fps: tuple[float, float]
    weighing: Mapping[str, float] = field(default_factory=dict)
    lags: Mapping[str, float] = field(default_factory=dict)
    weights: tuple[str, ...] = ()
    evidence_fps: float = 0.0

    @property
    def reference_fps(self) -> float:
        """Frames a second of which each counts as the factors of summed evidence say."""
        return self.evidence_fps or self.fps[1]

    def written(self) -> dict[str, Any]:
        """Return it as what JSON can hold."""
        return asdict(self)


class Sides(Protocol):
    """Settings of the antenna grid."""

    @property
    def rows(self) -> int:
        """Rows of antennas."""

    @property
    def columns(self) -> int:
        """Columns of antennas."""


class Size(Protocol):
    """Settings of the frame of reference."""

    @property
    def width(self) -> int:
        """Pixels across."""

    @property
    def height(self) -> int:
        """Pixels down."""


def parse(content: Any) -> MadeFor:
    """Make it of what JSON holds.

    Raises
    ------
    ValueError
        If it is not as it must be.
    """
    if not isinstance(content, Mapping):
        raise ValueError("made_for is no object")
    weighing, lags = content.get("weighing", {}), content.get("lags", {})
    if not isinstance(weighing, Mapping) or not isinstance(lags, Mapping):
        raise ValueError("weighing or lags of made_for are no objects")
    made = MadeFor(
        grid=_whole(content, "grid", 1_000),
        image=_whole(content, "image", 1_000_000),
        animals=_whole(content, "animals", MOST_ANIMALS),
        fps=_pair(content, "fps", SLOWEST, FASTEST),
        weighing={
            str(name): value if isinstance(value, bool) else _number(name, value, 0, 1e6)
            for name, value in weighing.items()
        },
        lags={str(rig): _number("lags", value, 0, LATEST) for rig, value in lags.items()},
        weights=_digests(content.get("weights")),
        evidence_fps=_number("evidence_fps", content.get("evidence_fps", 0.0), 0, FASTEST),
    )
    for name in ("animals", "fps"):
        low, high = getattr(made, name)
        if low > high:
            raise ValueError(f"{name} of made_for are not in order")
    slowest, fastest = made.fps
    if made.evidence_fps and not slowest <= made.evidence_fps <= fastest:
        raise ValueError(
            f"evidence_fps of made_for is {made.evidence_fps:g}, not one of its fps, {slowest:g} "
            f"to {fastest:g}"
        )
    return made


def _number(name: str, value: Any, low: float, high: float) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise ValueError(
            f"{name} of made_for holds {shown(value)}, not a number from {low:g} to {high:g}"
        )
    return value


def _pair(content: Mapping[str, Any], name: str, least: float, most: float) -> tuple[float, float]:
    values = content.get(name)
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise ValueError(f"{name} of made_for are not two numbers")
    low, high = (_number(name, value, least, most) for value in values)
    return low, high


def _whole(content: Mapping[str, Any], name: str, most: int) -> tuple[int, int]:
    low, high = _pair(content, name, 1, most)
    if low != int(low) or high != int(high):
        raise ValueError(f"{name} of made_for are not whole numbers")
    return int(low), int(high)


def _digests(value: Any) -> tuple[str, ...]:
    # Before, one text: the digest of a file, which changes with how it is written.
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def contradictions(
    made: MadeFor, grid: Sides | None, image: Size | None, animals: int | None
) -> Iterator[tuple[str, str]]:
    """Tell why a model cannot be used.

    Parameters
    ----------
    made
        What it was made for.
    grid, image
        What it is to be used for, if known.
    animals
        Most animals of a cage, if the model must know about so many.

    Yields
    ------
    What was found, and what was expected.
    """
    if grid and made.grid != (grid.rows, grid.columns):
        yield (
            f"a model made for {made.grid[0]} x {made.grid[1]} antennas (rows x columns)",
            f"one for {grid.rows} x {grid.columns}, as grid is set",
        )
    if image and made.image != (image.width, image.height):
        yield (
            f"a model made for a frame of reference of {made.image[0]} x {made.image[1]} pixels",
            f"one for {image.width} x {image.height}, as image is set",
        )
    if animals and animals > made.animals[1]:
        yield (
            f"a model made for up to {made.animals[1]} animals",
            f"one for {animals}, as a cage holds",
        )


def refuse(
    path: object,
    setting: str,
    made: MadeFor,
    grid: Sides | None = None,
    image: Size | None = None,
    animals: int | None = None,
) -> None:
    """Refuse a model that cannot be used.

    Raises
    ------
    InputError
        Naming the first contradiction; ``setting`` is the one that names the model.
    """
    for found, expected in contradictions(made, grid, image, animals):
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
    found = []
    if weights and made.weights and weights not in made.weights:
        found.append(
            "other weights than those of its own run (give both of one run, or set path_model: to "
            "null)"
        )
    fewest, most = made.animals
    if animals and not fewest <= animals <= most:
        known = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        found.append(f"{animals} animals, not {known}")
    slowest, fastest = made.fps
    if not slowest / _LIKE <= fps <= fastest * _LIKE:
        known = f"{slowest:g}" if slowest == fastest else f"{slowest:g} to {fastest:g}"
        found.append(f"{fps:g} frames a second, not {known}")
    for name, value in made.weighing.items():
        if name in weighing and weighing[name] != value:
            found.append(f"identify.{name} of {_said(weighing[name])}, not {_said(value)}")
    if lag and made.lags:
        rig, seconds = lag
        known_lag = made.lags.get(rig, made.lags.get("", seconds))
        if abs(seconds - known_lag) > _LATE:
            found.append(f"readings put right by {seconds:g} s, not {known_lag:g}")
    return found


def alike(fps: float, other: float) -> bool:
    """Tell whether two frame rates are like each other.

    Examples
    --------
    >>> alike(25, 30), alike(25, 50)
    (True, False)
    """
    return other / _LIKE <= fps <= other * _LIKE


def _said(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def remark(found: Iterable[str]) -> str:
    """Say in a sentence what :func:`differences` tells, or nothing if they are none."""
    listed = "; ".join(found)
    return f"confidence was learnt under other conditions: {listed}" if listed else ""


def problems(
    models: Mapping[str, tuple[str, MadeFor]],
    grid: Sides,
    image: Size,
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
            found = (
                differences(made, *group, weighing, weights=weights) for group in sorted(groups)
            )
            told = remark(dict.fromkeys(item for items in found for item in items))
            remarks += [f"{path}: {told}"] if told else []
    return wrong, remarks
