"""The body of a mouse: ellipsoids that follow its pose, and their outline in the picture."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from murid.simulate.scene import EYE, Camera

Array = NDArray[np.float64]

# name: centre standing, centre curled up, half axes (forward, left, up; cm), grey tone,
# share of the body's pitch that it follows, whether it follows the head's turns
_PARTS: dict[
    str, tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...], float, float, bool]
]
_PARTS = {
    "rump": ((-1.7, 0, 1.65), (-0.9, 0, 1.65), (2.45, 1.65, 1.65), 40, 0.55, False),
    "back": ((0.1, 0, 1.75), (0.2, 0.2, 1.6), (2.2, 1.45, 1.5), 40, 0.8, False),
    "chest": ((1.5, 0, 1.45), (1.1, 0.6, 1.4), (1.9, 1.2, 1.25), 42, 1.0, False),
    "head": ((3.5, 0, 1.75), (1.9, 1.7, 1.0), (1.45, 0.85, 0.9), 44, 0.8, True),
    "snout": ((4.75, 0, 1.4), (2.2, 2.7, 0.7), (0.8, 0.42, 0.42), 56, 0.8, True),
    "nose": ((5.45, 0, 1.3), (2.3, 3.3, 0.6), (0.2, 0.2, 0.18), 96, 0.8, True),
    "left ear": ((2.85, 0.8, 2.65), (1.2, 1.9, 1.9), (0.28, 0.6, 0.7), 84, 0.8, True),
    "right ear": ((2.85, -0.8, 2.65), (2.1, 1.0, 1.9), (0.28, 0.6, 0.7), 84, 0.8, True),
    "left eye": ((3.95, 0.72, 2.0), (1.7, 2.4, 1.3), (0.2, 0.2, 0.2), 150, 0.8, True),
    "right eye": ((3.95, -0.72, 2.0), (2.6, 1.8, 1.3), (0.2, 0.2, 0.2), 150, 0.8, True),
    "left hind foot": ((-1.9, 1.15, 0.25), (-0.6, 1.0, 0.25), (0.95, 0.32, 0.25), 108, 0.0, False),
    "right hind foot": ((-1.9, -1.15, 0.25), (-0.6, -1, 0.25), (0.95, 0.32, 0.25), 108, 0.0, False),
    "left fore foot": ((2.1, 0.75, 0.3), (1.5, 0.6, 0.4), (0.5, 0.24, 0.35), 104, 1.0, False),
    "right fore foot": ((2.1, -0.75, 0.3), (1.5, -0.4, 0.4), (0.5, 0.24, 0.35), 104, 1.0, False),
}
TONES = np.array([part[3] for part in _PARTS.values()], dtype=np.float32)
BODY_PARTS = np.array(["foot" not in name for name in _PARTS])
"""The parts within an annotator's box; feet and tail are not (Appendix A.2)."""
LARGE, SMALL = np.arange(4), np.arange(4, len(_PARTS))
"""Parts drawn in a window as large as the animal, and parts drawn in small ones of their own."""
TAIL = 9
"""Points along the tail."""
HIP = np.array([-1.9, 0.0, 1.3])
NECK = np.array([2.4, 0.0, 1.6])


@dataclass(frozen=True)
class Pose:
    """One animal over T frames; arrays of shape (T,), cm and radians."""

    x: Array
    y: Array
    z: Array
    """Height of what it stands on, or hangs from."""
    heading: Array
    pitch: Array
    """How far the front of the body is raised."""
    curl: Array
    """0 standing, 1 asleep in a ball."""
    head_yaw: Array
    head_pitch: Array
    gait: Array
    """Phase of the steps."""
    stride: Array
    """Length of the steps, cm."""
    tail: Array
    """Heading of the tail, which trails behind."""


@dataclass(frozen=True)
class Body:
    """Ellipsoids of one animal: points ``p`` with ``|shape @ (p - centre)| <= 1``."""

    centre: Array
    """Shape (T, parts, 3), cm."""
    shape: Array
    """Shape (T, parts, 3, 3), per cm."""
    tail: Array
    """Shape (T, TAIL, 3), cm."""


def _turn(angle: Array, axis: int) -> Array:
    """Return rotations about the left (1) or the up axis (2): (...,) -> (..., 3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    zero, one = np.zeros_like(c), np.ones_like(c)
    rows = (
        [[c, zero, -s], [zero, one, zero], [s, zero, c]]
        if axis == 1
        else [[c, -s, zero], [s, c, zero], [zero, zero, one]]
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def body(pose: Pose, size: float = 1.0) -> Body:
    """Place the ellipsoids and the tail of a mouse of relative ``size``."""
    frames, parts = len(pose.x), len(_PARTS)
    standing, curled, half, _, follows, turns = (
        np.array(column, dtype=np.float64) for column in zip(*_PARTS.values(), strict=True)
    )
    curl = pose.curl[:, None, None]
    local = standing + (curled - standing) * curl
    local = local + _steps(pose)
    yaw, pitch = pose.head_yaw * (1 - pose.curl), pose.head_pitch * (1 - pose.curl)
    head = _turn(yaw, 2) @ _turn(pitch, 1)
    moves = turns.astype(bool)
    neck = NECK * (1 - curl) + np.array([1.4, 0.8, 1.2]) * curl
    local[:, moves] = np.einsum("tij,tpj->tpi", head, local[:, moves] - neck) + neck
    raise_ = _turn(pose.pitch[:, None] * follows, 1)
    local = np.einsum("tpij,tpj->tpi", raise_, local - HIP) + HIP
    rotation = raise_.copy()
    curled_head = _turn(yaw + pose.curl * 1.2, 2) @ _turn(pitch - 0.5 * pose.curl, 1)
    rotation[:, moves] = rotation[:, moves] @ curled_head[:, None]
    heading = _turn(pose.heading, 2)
    centre = size * np.einsum("tij,tpj->tpi", heading, local)
    centre += np.stack([pose.x, pose.y, pose.z], axis=-1)[:, None]
    # Asleep the trunk is rounder; awake and slow it is a little hunched.
    half = np.broadcast_to(size * half, (frames, parts, 3)).copy()
    half[:, 0] *= 1 + curl[:, 0] * np.array([-0.12, 0.1, 0.02])
    half[:, 1] *= 1 + curl[:, 0] * np.array([-0.1, 0.15, 0.0])
    shape = np.swapaxes(heading[:, None] @ rotation, -1, -2) / half[..., None]
    return Body(centre, shape, _tail(pose, size))


def _steps(pose: Pose) -> Array:
    """Return how far the gait moves each part, shape (T, parts, 3)."""
    names = list(_PARTS)
    moved = np.zeros((len(pose.x), len(names), 3))
    for name, phase in (
        ("left hind foot", 0.0), ("right hind foot", np.pi),
        ("left fore foot", np.pi), ("right fore foot", 0.0),
    ):  # fmt: skip
        swing = pose.gait + phase
        moved[:, names.index(name), 0] = pose.stride * np.sin(swing)
        moved[:, names.index(name), 2] = 0.3 * pose.stride * np.maximum(np.cos(swing), 0)
    bob = 0.1 * pose.stride * np.sin(2 * pose.gait)
    for name in ("back", "chest", "head", "snout", "nose"):
        moved[:, names.index(name), 2] += bob
    return moved


def _tail(pose: Pose, size: float) -> Array:
    """A tail that trails behind, sways, and is wound around a sleeper."""
    along = np.linspace(0, 1, TAIL)
    root = _turn(pose.heading, 2) @ np.array([-3.7, 0.0, 1.1])
    root[:, 2] += 1.2 * np.clip(-np.sin(pose.pitch), 0, 1)
    bend = np.angle(np.exp(1j * (pose.tail - pose.heading)))
    sway = 0.35 * np.sin(0.5 * pose.gait)[:, None] * along
    angle = pose.heading[:, None] + bend[:, None] * along**0.5 + sway
    angle = angle + 2.6 * pose.curl[:, None] * along
    step = size * 7.5 / (TAIL - 1)
    offset = np.cumsum(-step * np.stack([np.cos(angle), np.sin(angle)], axis=-1), axis=1)
    points = np.empty((len(pose.x), TAIL, 3))
    points[..., :2] = (size * root[:, :2] + np.stack([pose.x, pose.y], axis=-1))[:, None] + offset
    fall = np.exp(-3 * along) * (size * root[:, 2] - 0.2)[:, None] + 0.2
    points[..., 2] = fall + pose.z[:, None]
    return points


def outlines(parts: Body, camera: Camera) -> Array:
    """Return the box around the projection of each ellipsoid, exactly, by its dual conic.

    Returns
    -------
    Shape (T, parts, 4): left, top, right, bottom in pixels.
    """
    inverse = np.linalg.inv(parts.shape)
    offset = parts.centre - EYE
    # Planes that touch the ellipsoid, and so lines that touch its outline.
    dual = offset[..., :, None] * offset[..., None, :] - inverse @ np.swapaxes(inverse, -1, -2)
    conic = camera.matrix @ dual @ camera.matrix.T
    edges = []
    for axis in (0, 1):
        middle, scale = conic[..., axis, 2], conic[..., 2, 2]
        root = np.sqrt(np.maximum(middle**2 - conic[..., axis, axis] * scale, 0))
        edges += [(middle - root) / scale, (middle + root) / scale]
    return np.stack([edges[0], edges[2], edges[1], edges[3]], axis=-1)
