"""The cage: its geometry, the camera, and everything in the picture that does not move.

World coordinates are centimetres: x to the right, y from the back of the cage to the front, z up
from the floor. The camera stands before the front wall and looks slightly down.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Image = NDArray[np.float32]

WIDTH, DEPTH, HEIGHT = 36.0, 18.0, 18.0
"""The cage, cm."""
EYE = np.array([18.0, 42.0, 13.0])
TILT = np.radians(9.0)
FOCAL = 0.77
"""Focal length as a share of the picture's width."""
HOPPER_LOW, HOPPER_HIGH = np.array([19.5, 3.5, 3.8]), np.array([29.0, 10.0, 18.0])
"""Two corners of the food hopper, which hangs from the lid."""

RIGS = {"north": (1.0, 0.4, 1.5, -1.0), "south": (1.035, -1.3, -6.0, 1.0)}
"""How each rig's camera was moved: a scale, degrees, and pixels of a picture 320 wide, x and y.

The first is the smaller picture, hence the prototype: residuals count in its pixels.
"""

Put = Callable[[NDArray[np.bool_], Array, Array, int], None]
"""Draws where a mask is true, at a depth, with a tone and a label, unless something is nearer."""
NOTHING, FLOOR, WALL, HOPPER, TUNNEL = range(5)
"""What a pixel of the empty cage shows."""


@dataclass(frozen=True)
class Tunnel:
    """A tube of cardboard on the floor."""

    x: float
    y: float
    angle: float
    """Radians between its axis and the x axis."""
    length: float = 11.0
    radius: float = 2.7

    @property
    def axis(self) -> Array:
        """Unit vector along the tube in the floor plane, shape (2,)."""
        return np.array([np.cos(self.angle), np.sin(self.angle)])

    def ends(self, beyond: float = 0.0) -> tuple[Array, Array]:
        """Return the two ends, or points ``beyond`` them, shapes (2,)."""
        reach = self.axis * (self.length / 2 + beyond)
        middle = np.array([self.x, self.y])
        return middle - reach, middle + reach

    def along_across(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """Return positions along and across the axis from the tube's middle, cm."""
        dx, dy = np.asarray(x) - self.x, np.asarray(y) - self.y
        c, s = self.axis
        return dx * c + dy * s, -dx * s + dy * c


class Camera:
    """A pinhole camera with an upright picture, moved a little by how the rig was set up.

    Parameters
    ----------
    width, height
        Pixels.
    moved
        Scale, degrees, and pixels of a picture 320 wide, x and y, by which its picture differs from
        that of a perfectly placed camera; as in :data:`RIGS`.
    """

    def __init__(
        self, width: int, height: int, moved: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    ) -> None:
        self.width, self.height = width, height
        forward = np.array([0.0, -np.cos(TILT), -np.sin(TILT)])
        down = np.array([0.0, np.sin(TILT), -np.cos(TILT)])
        self.rotation = np.stack([[1.0, 0.0, 0.0], down, forward])
        focal = FOCAL * width
        inner = np.array([[focal, 0, width / 2], [0, focal, 0.48 * height], [0, 0, 1.0]])
        scale, degrees, *pixels = moved
        c, s = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
        linear = np.array([[c, -s], [s, c]])
        middle = np.array([width, height]) / 2
        shift = middle - linear @ middle + width / 320 * np.array(pixels)
        inner = np.vstack([np.column_stack([linear, shift]), [0, 0, 1]]) @ inner
        self.matrix = inner @ self.rotation
        self.rays = np.linalg.inv(self.matrix)
        """Maps ``[u, v, 1]`` to the ray's direction, whose length in depth is one."""

    def project(self, points: ArrayLike) -> Array:
        """Map points of the world to pixels: (..., 3) -> (..., 2)."""
        image = (np.asarray(points, dtype=np.float64) - EYE) @ self.matrix.T
        return image[..., :2] / image[..., 2:]

    def directions(self) -> Array:
        """Return the ray through the middle of every pixel, shape (height, width, 3)."""
        u, v = np.meshgrid(np.arange(self.width) + 0.5, np.arange(self.height) + 0.5)
        return np.stack([u, v, np.ones_like(u)], axis=-1) @ self.rays.T


@dataclass(frozen=True)
class Backdrop:
    """The empty cage as the camera sees it; arrays of shape (height, width)."""

    image: Image
    depth: Image
    kind: NDArray[np.uint8]
    """What is seen: FLOOR, WALL, HOPPER, TUNNEL."""
    floor: Image
    """1 where the floor is seen, else 0."""
    ground: tuple[Image, Image]
    """Where the ray meets the floor: x and y, cm."""
    light: Image
    """Share of light that reaches the sensor."""


def backdrop(camera: Camera, tunnel: Tunnel, rng: np.random.Generator) -> Backdrop:
    """Draw the empty cage: walls, bedding, hopper and tunnel, in uneven light."""
    rays = camera.directions()
    shape = rays.shape[:2]
    depth = np.full(shape, np.inf)
    tone = np.full(shape, 30.0)
    kind = np.zeros(shape, dtype=np.uint8)

    def put(where: NDArray[np.bool_], at: Array, shade: Array, label: int) -> None:
        nearer = where & (at > 0) & (at < depth)
        depth[nearer] = at[nearer]
        tone[nearer] = shade[nearer]
        kind[nearer] = label

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        _walls(rays, rng, put)
        ground = _floor(rays, rng, put)
        _hopper(rays, rng, put)
        _tunnel(rays, tunnel, put)
    light = _light(shape, rng)
    _shade_ground(tone, kind, ground, tunnel)
    return Backdrop(
        image=(tone * light).astype(np.float32),
        depth=depth.astype(np.float32),
        kind=kind,
        floor=(kind == FLOOR).astype(np.float32),
        ground=(ground[..., 0].astype(np.float32), ground[..., 1].astype(np.float32)),
        light=light.astype(np.float32),
    )


def _noise(rng: np.random.Generator, size: tuple[int, int], blur: float) -> Array:
    """Return smooth noise of unit variance that wraps around, shape ``size``."""
    field = cv2.GaussianBlur(np.pad(rng.normal(size=size), 16, mode="wrap"), (0, 0), blur)
    field = field[16:-16, 16:-16]
    return (field - field.mean()) / field.std()


def _sample(texture: Array, x: Array, y: Array, per_cm: float) -> Array:
    """Look up a texture that repeats at world positions."""
    rows = np.nan_to_num(y * per_cm, posinf=0, neginf=0).astype(np.int64) % texture.shape[0]
    columns = np.nan_to_num(x * per_cm, posinf=0, neginf=0).astype(np.int64) % texture.shape[1]
    return texture[rows, columns]


def _walls(rays: Array, rng: np.random.Generator, put: Put) -> None:
    smear = _noise(rng, (256, 512), 6.0)
    dx, dy, dz = np.moveaxis(rays, -1, 0)
    at = -EYE[1] / dy
    x, z = EYE[0] + at * dx, EYE[2] + at * dz
    shade = 128 + 0.9 * z + 4 * _sample(smear, x, z, 8)
    shade -= 24 * np.exp(-np.minimum(x, WIDTH - x) / 0.7) + 20 * np.exp(-z / 1.0)
    shade = np.where(z > HEIGHT - 0.6, 66, shade)
    put((x > 0) & (x < WIDTH) & (z > 0) & (z < HEIGHT), at, shade, WALL)
    for side in (0.0, WIDTH):
        at = (side - EYE[0]) / dx
        y, z = EYE[1] + at * dy, EYE[2] + at * dz
        shade = 108 + 1.2 * y + 0.7 * z + 3 * _sample(smear, y, z, 8)
        shade -= 20 * np.exp(-y / 0.7) + 18 * np.exp(-z / 1.0)
        shade = np.where(z > HEIGHT - 0.6, 60, shade)
        put((y > 0) & (y < DEPTH) & (z > 0) & (z < HEIGHT), at, shade, WALL)
    at = (HEIGHT - EYE[2]) / dz
    x, y = EYE[0] + at * dx, EYE[1] + at * dy
    bars = 34 + 52 * (np.abs(x % 1.5 - 0.75) < 0.28) + 20 * (np.abs(y % 6 - 3) < 0.3)
    put((x > 0) & (x < WIDTH) & (y > 0) & (y < DEPTH), at, bars, WALL)


def _floor(rays: Array, rng: np.random.Generator, put: Put) -> Array:
    """Bedding: chips of several sizes, heaps, and a trodden path along the middle."""
    dx, dy, dz = np.moveaxis(rays, -1, 0)
    at = -EYE[2] / dz
    x, y = EYE[0] + at * dx, EYE[1] + at * dy
    chips = np.maximum(_noise(rng, (512, 512), 1.1), -1.2)
    coarse, heaps = _noise(rng, (512, 512), 3.5), _noise(rng, (256, 256), 7.0)
    shade = 164 + 13 * _sample(chips, x, y, 7) + 9 * _sample(coarse, x, y, 7)
    shade += 8 * _sample(heaps, x, y, 2) - 5 * np.exp(-(((y - 9) / 5) ** 2))
    edge = np.minimum(np.minimum(x, WIDTH - x), y)
    shade -= 26 * np.exp(-np.maximum(edge, 0) / 0.9)
    put((dz < 0) & (x > 0) & (x < WIDTH) & (y > 0) & (y < DEPTH), at, shade, FLOOR)
    # Below the front wall the tray's rim hides what is nearer than the cage.
    put((dz < 0) & (y >= DEPTH), at, np.where(y < DEPTH + 0.5, 92.0, 48.0), NOTHING)
    return np.stack([x, y], axis=-1)


def _hopper(rays: Array, rng: np.random.Generator, put: Put) -> None:
    """A wire basket full of pellets: front, side and bottom face."""
    low, high = HOPPER_LOW, HOPPER_HIGH
    pellets = _noise(rng, (256, 256), 4.0)
    for axis, side, base in ((1, high[1], 122.0), (0, low[0], 98.0), (2, low[2], 82.0)):
        at = (side - EYE[axis]) / rays[..., axis]
        spot = EYE + at[..., None] * rays
        inside = np.ones(at.shape, dtype=bool)
        for other in {0, 1, 2} - {axis}:
            inside &= (spot[..., other] > low[other]) & (spot[..., other] < high[other])
        along, up = (spot[..., 1] if axis == 0 else spot[..., 0]), spot[..., 2]
        shade = base + 16 * np.clip(_sample(pellets, along, up, 9), -1.6, 1.6)
        shade = np.where(np.abs(along % 0.95 - 0.475) < 0.13, base + 42, shade)
        rim = (up < low[2] + 0.35) | (np.abs(up - 11) < 0.2)
        shade = np.where(rim & (axis != 2), base + 55, shade)
        put(inside, at, shade, HOPPER)


def _tunnel(rays: Array, tunnel: Tunnel, put: Put) -> None:
    """A thin tube: its outside where the ray meets it first, else the far inside of the opening."""
    c, s = tunnel.axis
    eye = EYE - [tunnel.x, tunnel.y, tunnel.radius - 0.4]
    across, up = -s * eye[0] + c * eye[1], eye[2]
    ray_across, ray_up = -s * rays[..., 0] + c * rays[..., 1], rays[..., 2]
    a = ray_across**2 + ray_up**2
    b = across * ray_across + up * ray_up
    root = np.sqrt(b**2 - a * (across**2 + up**2 - tunnel.radius**2))
    for sign, inner in ((-1, False), (1, True)):
        at = (-b + sign * root) / a
        along = (eye[0] + at * rays[..., 0]) * c + (eye[1] + at * rays[..., 1]) * s
        level = (up + at * ray_up) / tunnel.radius
        facing = (across + at * ray_across) / tunnel.radius
        lit = np.clip(0.75 * level + 0.45 * facing, 0, 1)
        shade = 118 + 62 * lit + 38 * np.exp(-(((level - 0.8) / 0.09) ** 2))
        shade -= 10 * (np.abs(along % 2.2 - 1.1) < 0.12)
        rim = np.abs(along) > tunnel.length / 2 - 0.35
        shade = np.where(rim, shade + 22, shade)
        if inner:
            shade = 84 + 16 * np.abs(along) / tunnel.length + 10 * rim
        put((np.abs(along) < tunnel.length / 2) & np.isfinite(at), at, shade, TUNNEL)


def _shade_ground(tone: Array, kind: NDArray[np.uint8], ground: Array, tunnel: Tunnel) -> None:
    """Darken the bedding around the tunnel and below the hopper."""
    floor = kind == FLOOR
    x, y = np.moveaxis(ground, -1, 0)
    along, across = tunnel.along_across(x, y)
    gap = np.hypot(
        np.maximum(np.abs(along) - tunnel.length / 2, 0),
        np.maximum(np.abs(across) - tunnel.radius * 0.7, 0),
    )
    dark = 0.34 * np.exp(-((gap / 1.3) ** 2))
    middle = (HOPPER_LOW + HOPPER_HIGH)[:2] / 2
    gap = np.hypot((x - middle[0]) / 6.5, (y - middle[1]) / 5.0)
    dark = np.maximum(dark, 0.26 * np.exp(-(gap**3)))
    tone[floor] *= 1 - dark[floor]


def _light(shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Two infra-red lamps of unlike strength, a vignette, and a faint glare on the front wall."""
    height, width = shape
    v, u = np.mgrid[0:height, 0:width].astype(np.float64)
    u, v = u / width - 0.5, v / height - 0.5
    left, right = rng.uniform(0.1, 0.24, size=2)
    lamps = left * np.exp(-((u + 0.3) ** 2 + v**2) / 0.09)
    lamps += right * np.exp(-((u - 0.32) ** 2 + v**2) / 0.09)
    vignette = 1 - 0.75 * (u**2 + 0.6 * v**2) - 0.35 * (u**2 + v**2) ** 2
    spot_u, spot_v = rng.uniform(-0.35, 0.35), rng.uniform(-0.4, -0.2)
    glare = 0.1 * np.exp(-((u - spot_u) ** 2 / 0.004 + (v - spot_v) ** 2 / 0.02))
    return 0.95 * vignette + lamps + glare
