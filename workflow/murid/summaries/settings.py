"""The settings of what is told of animals by the second, the minute and the hour."""

from typing import Annotated

from pydantic import Field, field_validator

from murid.settings_kinds import Block, Fraction, NotNegative, Point, Positive, Seed, setting
from murid.sheet import NOTHINGS

Polygon = Annotated[tuple[Point, ...], Field(min_length=3, max_length=1_000)]
ZoneName = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^\w[\w .+-]*$")]
HOPPER = "hopper"
"""The zone that settings of the detector tell of."""


class Summaries(Block):
    """What is told of animals (``snakemake summaries``)."""

    zones: dict[ZoneName, Polygon] = setting(
        {},
        "corners [[x, y], ...] of each zone by its name, pixels in the frame of reference",
        "`{nest: [[900, 300], [1200, 300], [1200, 600]]}`. The hopper is one by itself where "
        "`detect.hopper` is set",
    )
    pitch: tuple[Positive, Positive] | None = setting(
        None,
        "centimetres from one antenna of the grid to the next, [right, front]; null = not known, "
        "and all is told in pixels",
    )
    smoothing: NotNegative = setting(
        0.8,
        "seconds: standard deviation of the Gaussian that boxes are smoothed by over time",
        le=10,
    )
    reach: Fraction = setting(
        0.15,
        "share of an animal's length by which it must leave a place, or a straight line, for its "
        "way to be counted so",
    )
    rearing: Positive = setting(
        1.68,
        "a box that is so many times higher than boxes usually are there and at its antenna shows "
        "one that rears",
    )
    touch: Fraction = setting(
        0.1,
        "share of an animal's length by which boxes may be apart of animals that touch, since "
        "boxes show what is not hidden",
    )
    rest: Positive = setting(
        5.0, "seconds in which a resting animal leaves no place; resting ones that touch huddle"
    )
    samples: Annotated[int, Field(ge=20, le=1_000)] = setting(
        40, "likely courses of events that intervals are made of, at least"
    )
    seed: Seed = setting(1, "seed of which they are")

    @field_validator("zones")
    @classmethod
    def _areas(cls, zones: dict[str, Polygon]) -> dict[str, Polygon]:
        """Refuse zones whose corners are in no order, or on a line, and names that are nothing."""
        for name, corners in zones.items():
            if name in NOTHINGS:
                raise ValueError(
                    f"zones of other names than {name!r}, which pandas or R read as nothing"
                )
            if _area(corners) == 0 or _crossed(corners):
                raise ValueError(
                    f"zones with corners in order around them, each once, unlike {name!r}"
                )
        return zones


def _area(corners: Polygon) -> float:
    around = [*corners[1:], corners[0]]
    return sum(x * v - u * y for (x, y), (u, v) in zip(corners, around, strict=True)) / 2


def _crossed(corners: Polygon) -> bool:
    """Tell whether two edges of a polygon that do not follow each other cross."""
    count = len(corners)
    edges = [(corners[place], corners[(place + 1) % count]) for place in range(count)]
    return any(
        _cross(edges[one], edges[other])
        for one in range(count)
        for other in range(one + 2, count - (one == 0))
    )


def _cross(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    def side(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    (a, b), (c, d) = one, other
    return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0
