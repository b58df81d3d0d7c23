"""What the mice are up to: plans, and the ways on which they carry them out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murid.simulate.scene import DEPTH, HOPPER_HIGH, HOPPER_LOW, WIDTH, Tunnel

if TYPE_CHECKING:
    from murid.simulate.motion import Mouse

Array = NDArray[np.float64]
Place = tuple[float, float]

MARGIN = 3.0
"""Nearest that the middle of a body comes to a wall, cm."""
CLEARANCE = 1.9
"""Nearest that it comes to the tunnel's side."""


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


def cell(x: float, y: float) -> tuple[int, int]:
    """Return row and column of a place, of those by which mice know where they have been."""
    return min(int(y / 6), 2), min(int(x / 6), 5)


@dataclass(frozen=True)
class Planner:
    """Draws the next few legs of a mouse, one thing that mice do at dusk after the other."""

    mouse: "Mouse"
    nest: Array
    """Where mice sleep, shape (2,)."""
    visits: Array
    """Seconds that any mouse has spent in each cell, shape (3, 6)."""
    rng: np.random.Generator

    def plan(self) -> list[Leg]:
        """Draw what it does next, and the ways there."""
        kinds = {
            self._explore: 0.44, self._rear: 0.06, self._through: 0.06, self._on_top: 0.06,
            self._hopper: 0.06, self._below_hopper: 0.06, self._sleep: 0.07,
        }  # fmt: skip
        if self.mouse.others:
            kinds[self._meet] = 0.08
        odds = list(kinds.values())
        draw = list(kinds)[self.rng.choice(len(kinds), p=np.array(odds) / sum(odds))]
        legs, start = [], (self.mouse.x, self.mouse.y)
        for leg in _way_out(self.mouse) + draw():
            if leg.route == "floor":
                corners = _way_around(start, (leg.x, leg.y), self.mouse.tunnel)
                legs += [_leg(corner, speed=leg.speed) for corner in corners]
            legs.append(leg)
            start = (leg.x, leg.y)
        return legs

    def _pause(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def _explore(self) -> list[Leg]:
        rng = self.rng
        # Where nobody has been for long, and nobody is, is the most interesting.
        interest = 1.0 / (1.0 + self.visits)
        # Few squeeze in behind the tunnel.
        interest[0, :3] *= 0.4
        for other in self.mouse.others:
            interest[cell(other.x, other.y)] *= 0.1
        row, column = divmod(rng.choice(interest.size, p=interest.ravel() / interest.sum()), 6)
        x, y = (column + rng.uniform(0.2, 0.8)) * 6, (row + rng.uniform(0.2, 0.8)) * 6
        posture = str(rng.choice(["sniff", "still", "groom"], p=[0.5, 0.3, 0.2]))
        place = _beside(self.mouse.tunnel, x, y)
        return [_leg(place, self._pause(2.0, 14.0), posture, speed=self._pause(3.5, 6.0))]

    def _rear(self) -> list[Leg]:
        left, right = MARGIN - 0.6, WIDTH - MARGIN + 0.6
        x = self.rng.choice([left, right, self.rng.uniform(6, WIDTH - 6)])
        edge = x in (left, right)
        y = self.rng.uniform(4, DEPTH - 4) if edge else MARGIN - 0.4
        heading = math.pi * float(x < WIDTH / 2) if edge else -math.pi / 2
        return [_leg((x, y), self._pause(1.5, 4.0), "rear", heading=heading)]

    def _through(self) -> list[Leg]:
        ends = self.mouse.tunnel.ends(beyond=2.4)
        if self.rng.random() < 0.5:
            ends = ends[::-1]
        rest = self._pause(2, 9) if self.rng.random() < 0.5 else 0.0
        middle = (self.mouse.tunnel.x, self.mouse.tunnel.y)
        return [
            _leg(ends[0]),
            _leg(middle, rest, speed=4.5, route="inside"),
            _leg(ends[1], self._pause(0.5, 2), "sniff", speed=4.5, route="inside"),
        ]

    def _on_top(self) -> list[Leg]:
        tunnel = self.mouse.tunnel
        side = 1.0 if tunnel.y < DEPTH / 2 else -1.0
        c, s = tunnel.axis
        foot = (tunnel.x - side * s * 5.0, tunnel.y + side * c * 5.0)
        look: dict[str, Any] = {"route": "top", "heading": tunnel.angle}
        return [
            _leg(foot),
            _leg((tunnel.x, tunnel.y), self._pause(3, 9), "sniff", speed=4.0, **look),
            _leg(foot, speed=4.0, route="top"),
        ]

    def _hopper(self) -> list[Leg]:
        x = self.rng.uniform(HOPPER_LOW[0] + 2, HOPPER_HIGH[0] - 2)
        posture = "climb" if self.rng.random() < 0.4 else "rear"
        place = (x, HOPPER_HIGH[1] + 1.6)
        return [_leg(place, self._pause(2, 6), posture, heading=-math.pi / 2)]

    def _below_hopper(self) -> list[Leg]:
        x = self.rng.uniform(HOPPER_LOW[0], HOPPER_HIGH[0])
        place = (x, self.rng.uniform(MARGIN, 7))
        return [_leg(place, self._pause(3, 9), str(self.rng.choice(["still", "groom"])))]

    def _meet(self) -> list[Leg]:
        other = self.mouse.others[int(self.rng.integers(len(self.mouse.others)))]
        angle = self.rng.uniform(-math.pi, math.pi)
        x, y = other.x + 4.5 * math.cos(angle), other.y + 4.5 * math.sin(angle)
        x, y = _beside(self.mouse.tunnel, x, y)
        look = math.atan2(other.y - y, other.x - x)
        return [_leg((x, y), self._pause(2, 8), "sniff", heading=look)]

    def _sleep(self) -> list[Leg]:
        place = self.nest + self.rng.normal(0, 1.2, 2)
        return [_leg(place, self._pause(12, 28), "sleep", speed=4.5)]


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


def _way_out(mouse: "Mouse") -> list[Leg]:
    """Leave the tunnel by the end ahead before anything else; nobody walks through its wall."""
    tunnel = mouse.tunnel
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
    place: Sequence[float] | Array, seconds: float = 0.0, posture: str = "still", **how: Any
) -> Leg:
    """Return a leg to a place, or to where a mouse comes nearest to it within the walls."""
    x, y = place
    x = float(min(max(x, MARGIN - 0.6), WIDTH - MARGIN + 0.6))
    y = float(min(max(y, MARGIN - 0.6), DEPTH - MARGIN + 0.6))
    return Leg(x, y, seconds, posture, **how)
