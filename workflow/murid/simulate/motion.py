"""What the mice do: a plan of legs for each, carried out with the smooth motion of an animal."""

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from murid.simulate.body import Pose
from murid.simulate.plans import MARGIN, Leg, Planner, anywhere, cell
from murid.simulate.scene import DEPTH, WIDTH, Tunnel

Array = NDArray[np.float64]

TURN = math.radians(110)
"""Fastest turn, per second."""
ACCELERATION = 9.0
NOSE = 5.4
"""From the middle of a body to the nose, cm."""
PATIENCE = 3.5
"""Seconds without coming nearer after which a mouse gives up a place."""
APART = 4.6
"""Distance from which mice on their way make room for each other, cm."""


# posture: pitch, height above ground, curl
_POSTURES = {
    "still": (0.0, 0.0, 0.0),
    "sniff": (0.06, 0.0, 0.0),
    "groom": (0.75, 0.0, 0.25),
    "rear": (1.15, 0.0, 0.0),
    "climb": (1.35, 6.5, 0.0),
    "sleep": (0.0, 0.0, 1.0),
}
_BUSY = ("", "groom", "sniff", "climb")
"""Postures in which head and paws move by themselves, by the number that states have of them."""


@dataclass(eq=False)
class Mouse:
    """The state of one animal at one instant, and who and what else is in its cage."""

    x: float
    y: float
    heading: float
    tunnel: Tunnel
    others: list["Mouse"] = field(default_factory=list)
    speed: float = 0.0
    turn: float = 0.0
    z: float = 0.0
    pitch: float = 0.0
    curl: float = 0.0
    gait: float = 0.0
    tail: float = 0.0
    clock: float = 0.0
    """Seconds since this leg began."""
    waited: float = 0.0
    """Seconds since it arrived."""
    nearest: float = math.inf
    """Least distance to the place of this leg so far."""
    stuck: float = 0.0
    """Seconds since it came nearer."""
    legs: deque[Leg] = field(default_factory=deque)


@dataclass(frozen=True)
class Track:
    """One animal over T frames: its pose, and what the antennas can make of it."""

    pose: Pose
    speed: Array
    """cm per second, shape (T,)."""
    asleep: NDArray[np.bool_]
    """Whether it lies still in a ball, shape (T,)."""


def roam(
    frames: int, fps: float, animals: int, tunnel: Tunnel, rng: np.random.Generator
) -> list[Track]:
    """Let mice live in the cage for a number of frames.

    The plans are drawn one after the other from what mice do at dusk: explore, pause, groom, rear,
    pass through the tunnel, climb on it or on the hopper, meet, follow, and sleep in a huddle.
    """
    nest = np.array([rng.uniform(4.0, 9.0), rng.uniform(3.5, 6.0)])
    if abs(float(tunnel.along_across(*nest)[1])) < tunnel.radius + 2.5:
        nest[0] = WIDTH - nest[0]
    mice = [
        Mouse(*anywhere(rng), float(rng.uniform(-math.pi, math.pi)), tunnel) for _ in range(animals)
    ]
    for mouse in mice:
        mouse.others = [other for other in mice if other is not mouse]
    visits = np.zeros((3, 6))
    planners = [Planner(mouse, nest, visits, rng) for mouse in mice]
    step = 1.0 / fps
    settle = round(4 * fps)
    states = np.empty((frames, animals, 11))
    for frame in range(-settle, frames):
        for index, mouse in enumerate(mice):
            if not mouse.legs:
                mouse.legs.extend(planners[index].plan())
            moment = _advance(mouse, step)
            visits[cell(mouse.x, mouse.y)] += step
            if frame >= 0:
                states[frame, index] = moment
    return [_track(states[:, index], fps, rng) for index in range(animals)]


def _wrap(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi


def _advance(mouse: Mouse, step: float) -> tuple[float, ...]:
    """Move one animal on by one frame and return its state."""
    leg = mouse.legs[0]
    mouse.clock += step
    dx, dy = leg.x - mouse.x, leg.y - mouse.y
    away = math.hypot(dx, dy)
    # A corner on the way is passed near by; and whoever cannot get to the very place, since a wall
    # or another mouse is there, settles beside it.
    near = (1.0 if leg.seconds > 0 else 2.0) + 0.6 * max(mouse.clock - 2.5 - 0.2 * away, 0.0)
    arrived = away < near or mouse.waited > 0
    if not arrived:
        dx, dy = _around(mouse, leg, dx / away, dy / away)
        wanted, limit = math.atan2(dy, dx), min(leg.speed, 1.2 + 1.6 * away)
    else:
        wanted, limit = (mouse.heading if leg.heading is None else leg.heading), 0.0
        mouse.waited += step
    error = _wrap(wanted - mouse.heading)
    limit *= max(math.cos(error), 0.0) ** 1.5
    turn = min(max(2.6 * error, -TURN), TURN)
    mouse.turn += min(max(turn - mouse.turn, -9 * step), 9 * step)
    change = ACCELERATION * step
    mouse.speed += min(max(limit - mouse.speed, -1.6 * change), change)
    mouse.heading = _wrap(mouse.heading + mouse.turn * step)
    mouse.x += mouse.speed * math.cos(mouse.heading) * step
    mouse.y += mouse.speed * math.sin(mouse.heading) * step
    _make_room(mouse, step)
    _keep_off_the_walls(mouse, leg, step)
    mouse.x = min(max(mouse.x, MARGIN - 1), WIDTH - MARGIN + 1)
    mouse.y = min(max(mouse.y, MARGIN - 1), DEPTH - MARGIN + 1)
    posture = leg.posture if arrived and abs(error) < 0.5 else "still"
    _take_posture(mouse, posture, leg.route, step)
    if arrived or away < mouse.nearest - 0.3:
        mouse.nearest, mouse.stuck = away, 0.0
    else:
        mouse.stuck += step
    _finish(mouse, leg)
    busy = float(_BUSY.index(posture)) if posture in _BUSY else 0.0
    return (
        mouse.x, mouse.y, mouse.z, mouse.heading, mouse.pitch, mouse.curl, mouse.gait,
        mouse.speed, mouse.turn, mouse.tail, busy,
    )  # fmt: skip


def _take_posture(mouse: Mouse, posture: str, route: str, step: float) -> None:
    """Ease the body into a posture, and onto the tunnel if the way leads there."""
    tunnel = mouse.tunnel
    pitch, height, curl = _POSTURES[posture]
    if route == "top":
        along, across = tunnel.along_across(mouse.x, mouse.y)
        if abs(float(along)) < tunnel.length / 2 + 1:
            rise = min(max((tunnel.radius + 2.6 - abs(float(across))) / 3.0, 0.0), 1.0)
            height = (2 * tunnel.radius - 0.5) * rise * rise * (3 - 2 * rise)
            pitch += 0.5 * rise * (1 - rise) * 4 if mouse.speed > 0.5 else 0.0
    ease = 1 - math.exp(-step / 0.35)
    mouse.pitch += (pitch - mouse.pitch) * ease
    mouse.curl += (curl - mouse.curl) * ease * 0.5
    mouse.z += min(max(height - mouse.z, -5 * step), 5 * step)
    mouse.gait += 2 * math.pi * step * mouse.speed / 3.2
    mouse.tail += _wrap(mouse.heading - mouse.tail) * (1 - math.exp(-step / 0.5))


def _finish(mouse: Mouse, leg: Leg) -> None:
    """Go on to the next leg after this one, or drop the whole plan if it leads nowhere."""
    if mouse.stuck > PATIENCE:
        mouse.legs.clear()
    elif mouse.waited > leg.seconds:
        mouse.legs.popleft()
    else:
        return
    mouse.waited = mouse.stuck = mouse.clock = 0.0
    mouse.nearest = math.inf


def _around(mouse: Mouse, leg: Leg, dx: float, dy: float) -> tuple[float, float]:
    """Bend a direction so that it leads around the tunnel and other mice."""
    tunnel = mouse.tunnel
    if leg.route == "floor":
        along, across = (float(value) for value in tunnel.along_across(mouse.x, mouse.y))
        side = tunnel.radius + 1.6
        if abs(along) < tunnel.length / 2 + 1 and abs(across) < side:
            push = math.copysign(min(side - abs(across), 1.0), across)
            c, s = tunnel.axis
            dx, dy = dx - s * push, dy + c * push
    if leg.posture != "sleep":
        for other in mouse.others:
            gap_x, gap_y = mouse.x - other.x, mouse.y - other.y
            gap = math.hypot(gap_x, gap_y)
            ahead = -(gap_x * dx + gap_y * dy)
            if 0.1 < gap < APART + 1.5 and ahead > 0 and abs(other.z - mouse.z) < 2:
                push = 1.4 * (APART + 1.5 - gap) / APART
                sign = 1.0 if gap_x * dy - gap_y * dx < 0 else -1.0
                dx, dy = dx - sign * dy * push, dy + sign * dx * push
    if (mouse.x < MARGIN and dx < 0) or (mouse.x > WIDTH - MARGIN and dx > 0):
        dx *= 0.1
    if (mouse.y < MARGIN and dy < 0) or (mouse.y > DEPTH - MARGIN and dy > 0):
        dy *= 0.1
    return dx, dy


def _make_room(mouse: Mouse, step: float) -> None:
    """Shift bodies apart that would pass through each other, and noses off the walls."""
    for other in mouse.others:
        gap_x, gap_y = mouse.x - other.x, mouse.y - other.y
        gap = math.hypot(gap_x, gap_y)
        least = 2.6 if mouse.curl > 0.3 or other.curl > 0.3 else 3.4
        if 0.01 < gap < least and abs(other.z - mouse.z) < 2:
            shift = min(least - gap, 4.0 * step)
            mouse.x += gap_x / gap * shift
            mouse.y += gap_y / gap * shift
    reach = NOSE * math.cos(mouse.pitch) * (1 - 0.6 * mouse.curl)
    nose_x = mouse.x + reach * math.cos(mouse.heading)
    nose_y = mouse.y + reach * math.sin(mouse.heading)
    mouse.x += min(max(-nose_x, 0.0), 3 * step) - min(max(nose_x - WIDTH, 0.0), 3 * step)
    mouse.y += min(max(-nose_y, 0.0), 3 * step) - min(max(nose_y - DEPTH, 0.0), 3 * step)


def _keep_off_the_walls(mouse: Mouse, leg: Leg, step: float) -> None:
    """Centre whoever is in the tunnel; shift whoever is beside it out of its side."""
    tunnel = mouse.tunnel
    along, across = (float(value) for value in tunnel.along_across(mouse.x, mouse.y))
    beside = tunnel.radius + 1.3
    if leg.route == "top" or mouse.z > 1 or abs(along) > tunnel.length / 2 + 0.5:
        return
    if leg.route == "inside" and abs(across) < tunnel.radius:
        shift = -across * min(4 * step, 1.0)
    elif leg.route == "floor" and abs(across) < beside:
        shift = math.copysign(min(beside - abs(across), 8 * step), across)
    else:
        return
    mouse.x -= shift * tunnel.axis[1]
    mouse.y += shift * tunnel.axis[0]


def _track(states: Array, fps: float, rng: np.random.Generator) -> Track:
    """Add the small movements of head and paws to what an animal does."""
    x, y, z, heading, pitch, curl, gait, speed, turn, tail, busy = states.T
    time = np.arange(len(x)) / fps
    groom, sniff, climb = (busy == number for number in (1, 2, 3))
    a, b, c = rng.uniform(0, 2 * np.pi, 3)
    slow = np.sin(0.9 * time + a) + 0.6 * np.sin(2.1 * time + b)
    fast = np.sin(2 * np.pi * 3.1 * time + c)
    yaw = 0.3 * np.clip(turn, -2, 2) + np.where(sniff, 0.3, 0.08) * slow
    yaw += np.where(groom, 0.12, 0.0) * fast
    nod = np.where(
        groom, -0.7 + 0.12 * fast, -0.05 + np.where(sniff, 0.1, 0.03) * np.sin(1.7 * time)
    )
    nod = _smooth(np.where(climb, 0.2, nod), fps, 0.25)
    pose = Pose(
        x=x, y=y, z=z, heading=heading, pitch=pitch, curl=curl, head_yaw=_smooth(yaw, fps, 0.2),
        head_pitch=nod, gait=gait, stride=np.clip(speed / 8, 0, 0.8), tail=tail,
    )  # fmt: skip
    return Track(pose, speed, asleep=(curl > 0.8) & (speed < 0.3))


def _smooth(values: Array, fps: float, seconds: float) -> Array:
    reach = max(1, round(fps * seconds))
    kernel = np.hanning(2 * reach + 3)[1:-1]
    padded = np.pad(values, reach, mode="edge")
    return np.convolve(padded, kernel / kernel.sum(), mode="valid")
