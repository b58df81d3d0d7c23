"""What the mice are up to: plans, and the ways on which they carry them out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from murid.simulate.scene import DEPTH, HOPPER_HIGH, HOPPER_LOW, WIDTH, Tunnel

Array = NDArray[np.float64]
Place = tuple[float, float]

MARGIN = 3.0
"""Nearest that the middle of a body comes to a wall, cm."""
CLEARANCE = 1.9
"""Nearest that it comes to the tunnel's side."""


class Animal(Protocol):
    """What a plan needs to know of an animal."""

    x: float
    y: float
    z: float
    heading: float


@dataclass(frozen=True)
class Leg:
    """One step of a plan: go to (x, y), then stay in a posture for some seconds."""

    x: float
    y: float
    seconds: float = 0.0
    posture: str = "still"
    speed: float = 5.0
    route: str = "floor"
    """floor, inside (the tunnel), or top (of it)."""
    heading: float | None = None
    """Where to look while staying."""


def anywhere(rng: np.random.Generator) -> Place:
    """Draw a place on the floor."""
    return float(rng.uniform(MARGIN, WIDTH - MARGIN)), float(rng.uniform(MARGIN, DEPTH - MARGIN))


def planner(
    index: int,
    mice: Sequence[Animal],
    tunnel: Tunnel,
    nest: Array,
    visits: Array,
    rng: np.random.Generator,
) -> Callable[[], list[Leg]]:
    """Return a function that draws an animal's next few legs."""
    mouse = mice[index]
    others = [other for other in mice if other is not mouse]

    def pause(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    def explore() -> list[Leg]:
        # Where nobody has been for long, and nobody is, is the most interesting.
        interest = 1.0 / (1.0 + visits.ravel())
        # Few squeeze in behind the tunnel.
        interest[:3] *= 0.4
        for other in others:
            row, column = min(int(other.y / 6), 2), min(int(other.x / 6), 5)
            interest[row * 6 + column] *= 0.1
        cell = rng.choice(visits.size, p=interest / interest.sum())
        x, y = (cell % 6 + rng.uniform(0.2, 0.8)) * 6, (cell // 6 + rng.uniform(0.2, 0.8)) * 6
        posture = str(rng.choice(["sniff", "still", "groom"], p=[0.5, 0.3, 0.2]))
        x, y = _beside(tunnel, x, y)
        return [_leg((x, y), pause(2.0, 14.0), posture, speed=pause(3.5, 6.0))]

    def rear() -> list[Leg]:
        x = rng.choice([MARGIN - 0.6, WIDTH - MARGIN + 0.6, rng.uniform(6, WIDTH - 6)])
        edge = x in (MARGIN - 0.6, WIDTH - MARGIN + 0.6)
        y = rng.uniform(4, DEPTH - 4) if edge else MARGIN - 0.4
        heading = math.pi * float(x < WIDTH / 2) if edge else -math.pi / 2
        return [_leg((x, y), pause(1.5, 4.0), "rear", heading=heading)]

    def through() -> list[Leg]:
        ends = tunnel.ends(beyond=2.4)
        inner = tunnel.ends(beyond=-1.0)
        if rng.random() < 0.5:
            ends, inner = ends[::-1], inner[::-1]
        rest = pause(2, 9) if rng.random() < 0.5 else 0.0
        return [
            _leg(ends[0]),
            _leg((tunnel.x, tunnel.y), rest, "still", speed=4.5, route="inside"),
            _leg(ends[1], pause(0.5, 2), "sniff", speed=4.5, route="inside"),
        ]

    def on_top() -> list[Leg]:
        side = 1.0 if tunnel.y < DEPTH / 2 else -1.0
        c, s = tunnel.axis
        foot = (tunnel.x - side * s * 5.0, tunnel.y + side * c * 5.0)
        return [
            _leg(foot),
            _leg((tunnel.x, tunnel.y), pause(3, 9), "sniff", 4.0, "top", tunnel.angle),
            _leg(foot, speed=4.0, route="top"),
        ]

    def hopper() -> list[Leg]:
        x = rng.uniform(HOPPER_LOW[0] + 2, HOPPER_HIGH[0] - 2)
        y = HOPPER_HIGH[1] + 1.6
        posture = "climb" if rng.random() < 0.4 else "rear"
        return [_leg((x, y), pause(2, 6), posture, heading=-math.pi / 2)]

    def below_hopper() -> list[Leg]:
        x = rng.uniform(HOPPER_LOW[0], HOPPER_HIGH[0])
        return [_leg((x, rng.uniform(MARGIN, 7)), pause(3, 9), str(rng.choice(["still", "groom"])))]

    def meet() -> list[Leg]:
        other = others[rng.integers(len(others))]
        angle = rng.uniform(-math.pi, math.pi)
        x, y = other.x + 4.5 * math.cos(angle), other.y + 4.5 * math.sin(angle)
        x, y = _beside(tunnel, x, y)
        look = math.atan2(other.y - y, other.x - x)
        return [_leg((x, y), pause(2, 8), "sniff", heading=look)]

    def sleep() -> list[Leg]:
        place = nest + rng.normal(0, 1.2, 2)
        return [_leg(place, pause(12, 28), "sleep", speed=4.5)]

    kinds = [explore, rear, through, on_top, hopper, below_hopper, sleep]
    odds = [0.44, 0.06, 0.06, 0.06, 0.06, 0.06, 0.07]
    if others:
        kinds.append(meet)
        odds.append(0.08)
    chances = np.array(odds) / sum(odds)

    def plan() -> list[Leg]:
        legs = _way_out(mouse, tunnel) + kinds[rng.choice(len(kinds), p=chances)]()
        return _with_ways(legs, (mouse.x, mouse.y), tunnel)

    return plan


def _with_ways(legs: list[Leg], start: Place, tunnel: Tunnel) -> list[Leg]:
    """Insert the corners by which each leg on the floor gets around the tunnel."""
    result = []
    for leg in legs:
        if leg.route == "floor":
            corners = _way_around(start, (leg.x, leg.y), tunnel)
            result += [_leg(corner, speed=leg.speed) for corner in corners]
        result.append(leg)
        start = (leg.x, leg.y)
    return result


def _way_around(start: Place, goal: Place, tunnel: Tunnel) -> Sequence[Place]:
    """Return the corners of the shortest way around the tunnel, none if it is not in the way."""
    if not _crosses(start, goal, tunnel):
        return ()
    reach, side = tunnel.length / 2 + CLEARANCE + 0.6, tunnel.radius + CLEARANCE + 0.3
    c, s = tunnel.axis
    corners = [
        (tunnel.x + a * reach * c - b * side * s, tunnel.y + a * reach * s + b * side * c)
        for a, b in product((-1, 1), repeat=2)
    ]
    best: Sequence[Place] = ()
    least = math.inf
    for count in (1, 2):
        for chosen in permutations(corners, count):
            way = (start, *chosen, goal)
            steps = list(pairwise(way))
            length = sum(math.dist(a, b) for a, b in steps)
            if length < least and not any(_crosses(a, b, tunnel) for a, b in steps):
                best, least = chosen, length
    return best


def _crosses(start: Place, goal: Place, tunnel: Tunnel) -> bool:
    """Tell whether a straight way leads through the tunnel's side or walls."""
    half = (tunnel.length / 2 + CLEARANCE, tunnel.radius + CLEARANCE)
    first = [float(value) for value in tunnel.along_across(*start)]
    last = [float(value) for value in tunnel.along_across(*goal)]
    low, high = 0.0, 1.0
    for a, b, reach in zip(first, last, half, strict=True):
        if abs(b - a) < 1e-9:
            if abs(a) >= reach:
                return False
            continue
        near, far = sorted(((-reach - a) / (b - a), (reach - a) / (b - a)))
        low, high = max(low, near), min(high, far)
    # A way that only starts or ends at the side does not lead through.
    return high - low > 0.02 and low < 0.98 and high > 0.02


def _way_out(mouse: Animal, tunnel: Tunnel) -> list[Leg]:
    """Leave the tunnel by the end ahead before anything else; nobody walks through its wall."""
    along, across = (float(value) for value in tunnel.along_across(mouse.x, mouse.y))
    if abs(along) > tunnel.length / 2 + 1 or abs(across) > tunnel.radius or mouse.z > 1:
        return []
    ahead = math.cos(mouse.heading - tunnel.angle) > 0
    return [_leg(tunnel.ends(beyond=2.4)[int(ahead)], speed=4.5, route="inside")]


def _beside(tunnel: Tunnel, x: float, y: float) -> Place:
    """Move a place that the tunnel covers to its side, towards the middle of the cage."""
    along, across = (float(value) for value in tunnel.along_across(x, y))
    side = tunnel.radius + 2.2
    if abs(along) > tunnel.length / 2 + 2 or abs(across) > side:
        return x, y
    c, s = tunnel.axis
    shift = (side if tunnel.y < DEPTH / 2 else -side) - across
    return x - s * shift, y + c * shift


def _leg(
    place: Sequence[float] | NDArray[np.float64],
    seconds: float = 0.0,
    posture: str = "still",
    speed: float = 5.0,
    route: str = "floor",
    heading: float | None = None,
) -> Leg:
    x, y = place
    x = float(min(max(x, MARGIN - 0.6), WIDTH - MARGIN + 0.6))
    y = float(min(max(y, MARGIN - 0.6), DEPTH - MARGIN + 0.6))
    return Leg(x, y, seconds, posture, speed, route, heading)
