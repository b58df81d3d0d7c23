"""Drawing mice into the empty cage, nearest surface first, and noting what stays visible."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from murid.simulate.body import BODY_PARTS, LARGE, SMALL, TONES, Body, outlines
from murid.simulate.scene import EYE, Backdrop, Camera

Array = NDArray[np.float64]
Plane = NDArray[np.float32]
Owner = NDArray[np.uint8]
Ints = NDArray[np.intp]

_LIGHT = np.array([-0.25, 0.45, 0.86])
_NOISE = 2.0
"""Standard deviation of the sensor's noise, grey levels."""
_SLIVER = 2
"""Pixels that a row or column must show to count as visible extent."""
_DETAIL = 0.066
"""Side of the window around a small part, as a share of the picture's width."""


class Animal:
    """A body over T frames as a camera sees it, each part as a sphere of radius 1 around 0.

    Attributes
    ----------
    number
        From 1.
    outlines
        Shape (T, parts, 4): left, top, right, bottom of each part, pixels.
    tail
        Shape (T, TAIL, 2), pixels.
    rays, starts
        Shapes (T, parts, 3, 3) and (T, parts, 3): pixel to ray, and the eye.
    lit
        Shape (T, parts, 3): towards the light, of the length of a grey level.
    """

    def __init__(self, number: int, body: Body, camera: Camera) -> None:
        self.number, self.body = number, body
        self.outlines = outlines(body, camera)
        self.tail = camera.project(body.tail)
        self.rays = (body.shape @ camera.rays).astype(np.float32)
        self.starts = np.einsum("tpij,tpj->tpi", body.shape, EYE - body.centre).astype(np.float32)
        lit = np.einsum("tpij,j->tpi", body.shape, _LIGHT)
        lit /= np.linalg.norm(body.shape, axis=2).mean(axis=2, keepdims=True)
        self.lit = lit.astype(np.float32)

    def whole(self) -> Array:
        """Return left, top, right, bottom of all of the body, seen or not: (T, 4)."""
        parts = self.outlines[:, BODY_PARTS]
        return np.concatenate([parts[..., :2].min(axis=1), parts[..., 2:].max(axis=1)], axis=1)


class Painter:
    """Draws the frames of one segment.

    Parameters
    ----------
    camera, backdrop
        The view, and the empty cage in it.
    bodies
        The animals.
    rng
        Decides over fur and sensor noise.
    """

    def __init__(
        self, camera: Camera, backdrop: Backdrop, bodies: Sequence[Body], rng: np.random.Generator
    ) -> None:
        self.camera, self.backdrop = camera, backdrop
        height, width = camera.height, camera.width
        fur = rng.normal(0, 1, (2 * height, 2 * width))
        fur += cv2.GaussianBlur(rng.normal(0, 3, fur.shape), (0, 0), 2.0)
        self.fur = (fur * (0.06 / fur.std())).astype(np.float32)
        self.noise = rng.normal(0, _NOISE, (8, 2 * height, 2 * width)).astype(np.float32)
        frames = len(bodies[0].tail)
        self.shifts = rng.integers(0, [len(self.noise), height, width], (frames, 3))
        self.thickness = max(1, round(camera.width / 200))
        self.animals = [Animal(number, body, camera) for number, body in enumerate(bodies, 1)]

    def draw(self, frame: int) -> tuple[NDArray[np.uint8], Owner]:
        """Draw one frame.

        Returns
        -------
        The picture, and which animal each pixel shows (0 none, 1 the first, ...); both of shape
        (height, width).
        """
        image = self.backdrop.image.copy()
        depth = self.backdrop.depth.copy()
        owner: Owner = np.zeros(depth.shape, dtype=np.uint8)
        for animal in self.animals:
            self._shadow(image, animal, frame)
        for animal in self.animals:
            self._tail(image, animal, frame)
        for animal in self.animals:
            self._mouse(image, depth, owner, animal, frame)
        bank, down, right = self.shifts[frame]
        height, width = image.shape
        image += self.noise[bank, down : down + height, right : right + width]
        picture = np.clip(image, 0, 255, out=image).astype(np.uint8)
        return np.asarray(cv2.GaussianBlur(picture, (3, 3), 0.6), dtype=np.uint8), owner

    def _patch(self, points: Array, margin: float = 0.0) -> tuple[slice, slice]:
        """Return the part of the picture around points, (n, 2); empty if none is in it."""
        low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
        left, top = max(int(low[0]) - 1, 0), max(int(low[1]) - 1, 0)
        right = min(int(high[0]) + 2, self.camera.width)
        bottom = min(int(high[1]) + 2, self.camera.height)
        return slice(top, max(bottom, top)), slice(left, max(right, left))

    def _shadow(self, image: Plane, animal: Animal, frame: int) -> None:
        """Darken the bedding below and around the body."""
        rump, middle, chest = animal.body.centre[frame, :3]
        corners = [[middle[0] + dx, middle[1] + dy, 0] for dx in (-5, 5) for dy in (-5, 5)]
        patch = self._patch(self.camera.project(corners))
        reach = (chest - rump)[:2]
        c, s = (reach / max(float(np.hypot(*reach)), 1.0)).astype(np.float32)
        x, y = self.backdrop.ground[0][patch], self.backdrop.ground[1][patch]
        along = (x - np.float32(middle[0])) * (c / 3.9) + (y - np.float32(middle[1])) * (s / 3.9)
        across = (y - np.float32(middle[1])) * (c / 2.1) - (x - np.float32(middle[0])) * (s / 2.1)
        strength = np.float32(0.42 * np.exp(-0.35 * max(float(rump[2]) - 1.6, 0.0)))
        gap = along * along + across * across
        gap *= gap
        gap += 1
        image[patch] *= 1 - strength * self.backdrop.floor[patch] / gap

    def _tail(self, image: Plane, animal: Animal, frame: int) -> None:
        """Draw the tail in front of what lies behind it; bodies cover it later if they are near."""
        pixels = animal.tail[frame]
        patch = self._patch(pixels, margin=2)
        image, floor, depth, light = (
            plane[patch]
            for plane in (image, self.backdrop.floor, self.backdrop.depth, self.backdrop.light)
        )
        if not image.size:
            return
        depths = (animal.body.tail[frame] - EYE) @ self.camera.rotation[2]
        corner = [patch[1].start + 0.5, patch[0].start + 0.5]
        points = np.round((pixels - corner) * 16).astype(np.int32)
        for first in range(0, len(points) - 1, 4):
            mask = np.zeros(image.shape, np.uint8)
            piece = points[first : first + 5]
            cv2.polylines(mask, [piece], False, 255, self.thickness, cv2.LINE_AA, 4)
            at = np.nonzero(mask)
            cover = mask[at] * np.float32(0.9 / 255)
            # A tail that lies on the floor would sink into it by the depth test.
            cover *= (floor[at] > 0) | (depth[at] > depths[first + 2])
            image[at] += cover * (62 * light[at] - image[at])

    def _mouse(self, image: Plane, depth: Plane, owner: Owner, animal: Animal, frame: int) -> None:
        """Find the animal's nearest surface in every pixel, light it, and put it into the scene."""
        boxes = animal.outlines[frame]
        patch = self._patch(boxes.reshape(-1, 2))
        part, at, within = self._surface(patch, boxes, animal, frame)
        image, depth, owner = image[patch], depth[patch], owner[patch]
        seen = np.nonzero((within > -0.5) & (at < depth))
        part, at, within = part[seen], at[seen], within[seen]
        tone = self._shade(
            seen[0] + patch[0].start, seen[1] + patch[1].start, part, at, animal, frame
        )
        image[seen] += np.minimum(within + 0.5, 1) * (tone - image[seen])
        solid = within > 0
        inside = seen[0][solid], seen[1][solid]
        depth[inside] = at[solid]
        names = np.where(BODY_PARTS, animal.number, 0).astype(np.uint8)
        owner[inside] = names[part[solid]]

    def _surface(
        self, patch: tuple[slice, slice], boxes: Array, animal: Animal, frame: int
    ) -> tuple[Ints, Plane, Plane]:
        """Return the nearest part, its depth, and how many pixels within the outline it is."""
        rays, starts = animal.rays[frame], animal.starts[frame]
        radii = 0.5 * np.sqrt(np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)).astype(np.float32)
        top, left = patch[0].start, patch[1].start
        height, width = patch[0].stop - top, patch[1].stop - left
        middle = np.array([left + width // 2, top + height // 2])
        u = np.arange(left, left + width, dtype=np.float32)[None, None] + (0.5 - middle[0])
        v = np.arange(top, top + height, dtype=np.float32)[None, :, None] + (0.5 - middle[1])
        at, within = _intersect(rays[LARGE], starts[LARGE], radii[LARGE], u, v, middle[None])
        nearest = at.argmin(axis=0)
        part = LARGE[nearest]
        at, within = at.min(axis=0), within.max(axis=0)
        # Small parts each in a window of their own.
        side = int(np.ceil(_DETAIL * self.camera.width))
        corners = ((boxes[SMALL, :2] + boxes[SMALL, 2:] - side) / 2).astype(np.int64)
        steps = np.arange(side, dtype=np.float32)[None, None] + 0.5
        details, withins = _intersect(
            rays[SMALL], starts[SMALL], radii[SMALL], steps, steps.swapaxes(1, 2), corners
        )
        number, down, right = np.nonzero(withins > -0.5)
        rows, columns = corners[number, 1] - top + down, corners[number, 0] - left + right
        kept = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        depths = np.where(kept, details[number, down, right], np.inf)
        # From far to near: where two small parts meet, the nearer is written last.
        order = np.argsort(-depths, kind="stable")[np.count_nonzero(~kept) :]
        rows, columns, depths = rows[order], columns[order], depths[order]
        within[rows, columns] = np.maximum(
            within[rows, columns], withins[number, down, right][order]
        )
        nearer = depths < at[rows, columns]
        rows, columns = rows[nearer], columns[nearer]
        at[rows, columns] = depths[nearer]
        part[rows, columns] = SMALL[number[order][nearer]]
        return part, at, within

    def _shade(
        self, rows: Ints, columns: Ints, part: Ints, at: Plane, animal: Animal, frame: int
    ) -> Plane:
        """Light from above and from the camera's lamps, on fur that moves with the body: (n,)."""
        rays, starts = animal.rays[frame], animal.starts[frame]
        # The normal is shape.T @ (start + at * ray), hence linear in the pixel for a given part.
        lit = animal.lit[frame]
        origin = (lit * starts).sum(axis=1)
        lines = (lit[:, None] @ rays)[:, 0]
        x, y = columns.astype(np.float32) + 0.5, rows.astype(np.float32) + 0.5
        bright = lines[:, 0][part] * x + lines[:, 1][part] * y + lines[:, 2][part]
        bright *= at
        bright += origin[part]
        corner = animal.outlines[frame, 1, :2].astype(np.int64)
        height, width = self.backdrop.depth.shape
        fur = self.fur[(rows - corner[1]) % height, (columns - corner[0]) % width]
        tone = 0.88 + 0.4 * np.clip(bright, -0.9, 1.1) + fur
        return tone * TONES[part] * self.backdrop.light[rows, columns]


def _intersect(
    rays: Plane, starts: Plane, radii: Plane, u: Plane, v: Plane, origins: NDArray[np.integer]
) -> tuple[Plane, Plane]:
    """Intersect the rays of pixels with unit spheres.

    Parameters
    ----------
    rays, starts, radii
        Shapes (P, 3, 3), (P, 3), (P,): pixel to ray, the eye, and the size in pixels.
    u, v
        Columns (1, 1, W) and rows (1, H, 1) of the pixels, counted from
    origins
        Shape (P or 1, 2).

    Returns
    -------
    Depth where a ray enters (infinite where it misses), and how many pixels within the outline it
    is, both (P, H, W).
    """
    # Squared lengths of rays, and what they cover towards the sphere, as polynomials of the pixel.
    local = rays.copy()
    local[..., 2] += (rays[..., :2] @ origins[..., None].astype(np.float32))[..., 0]
    square = (local.swapaxes(1, 2) @ local)[..., None, None]
    line = -(starts[:, None] @ local)[:, 0, :, None, None]
    squared = u * (2 * square[:, 0, 1] * v + 2 * square[:, 0, 2])
    squared += square[:, 0, 0] * u * u
    squared += square[:, 1, 1] * v * v + 2 * square[:, 1, 2] * v + square[:, 2, 2]
    at = line[:, 0] * u + (line[:, 1] * v + line[:, 2])
    inside = at * at
    inside /= squared
    inside += (1 - (starts * starts).sum(axis=1))[:, None, None]
    at /= squared
    within = inside * (0.5 * radii)[:, None, None]
    np.maximum(inside, 0, out=inside)
    inside /= squared
    at -= np.sqrt(inside, out=inside)
    np.copyto(at, np.float32(np.inf), where=within < -0.5)
    return at, within


def visible_box(owner: Owner, number: int, around: Array) -> tuple[Array, int] | None:
    """Return the extent of what is visible of an object, and its number of pixels.

    Parameters
    ----------
    owner
        What each pixel shows, shape (height, width).
    number
        The object.
    around
        Left, top, right, bottom of a box that holds all of it.

    Returns
    -------
    ``x, y, w, h`` and the count; None where no row or no column shows more than a sliver.
    """
    left, top = max(int(around[0]) - 1, 0), max(int(around[1]) - 1, 0)
    right, bottom = max(int(around[2]) + 2, 0), max(int(around[3]) + 2, 0)
    mask = (owner[top:bottom, left:right] == number).view(np.uint8)
    if not mask.size:
        return None
    columns = np.flatnonzero(cv2.reduce(mask, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S) >= _SLIVER)
    rows = np.flatnonzero(cv2.reduce(mask, 1, cv2.REDUCE_SUM, dtype=cv2.CV_32S) >= _SLIVER)
    if not len(columns) or not len(rows):
        return None
    box = [left + columns[0], top + rows[0], np.ptp(columns) + 1, np.ptp(rows) + 1]
    return np.array(box, dtype=np.float64), cv2.countNonZero(mask)
