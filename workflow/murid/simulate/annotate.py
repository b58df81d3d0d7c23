"""Annotations as a human would draw them, in the form of a VIA 2 project (Appendix A.2)."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import NDArray

from murid import boxes, schemas

Array = NDArray[np.float64]

CLEAR, TRUNCATED = 0.86, 0.78
"""Share of the whole extent that is visible: from here clear, below here truncated."""
HARDLY = 0.12
"""Share of the silhouette below which a mouse is difficult to make out."""


@dataclass(frozen=True)
class View:
    """What is visible of the animals over T frames; boxes are ``x, y, w, h`` in pixels."""

    boxes: Array
    """Shape (T, animals, 4); NaN where hidden."""
    whole: Array
    """The same for all of the body within the picture, seen or not."""
    share: Array
    """Share of the silhouette that is visible, shape (T, animals)."""
    tunnel: Array
    """Shape (T, 4); NaN where hidden."""

    @classmethod
    def unseen(cls, frames: int, animals: int) -> Self:
        """Return a view of nothing, to be filled in."""
        shapes = (frames, animals, 4), (frames, animals, 4), (frames, animals), (frames, 4)
        return cls(*(np.full(shape, np.nan) for shape in shapes))


@dataclass(frozen=True)
class Region:
    """One box of an annotated frame."""

    box: Array
    identities: tuple[str, ...]
    kind: str = "single"
    visibility: str = "clear"
    difficult: bool = False


def huddles(
    view: View, asleep: NDArray[np.bool_], rng: np.random.Generator, chance: float = 0.35
) -> NDArray[np.bool_]:
    """Decide which pairs of sleepers are one blob to the annotator.

    Parameters
    ----------
    view
        What is visible.
    asleep
        Shape (T, animals).
    rng
        Decides once for each time that two animals lie together.
    chance
        That such a pair is annotated as a huddle.

    Returns
    -------
    Shape (T, pairs), pairs as :func:`itertools.combinations` gives them.
    """
    pairs = list(combinations(range(asleep.shape[1]), 2))
    result = np.zeros((len(asleep), len(pairs)), dtype=bool)
    for number, (a, b) in enumerate(pairs):
        touching = boxes.overlap_of_smaller(view.boxes[:, a], view.boxes[:, b]) > 0.3
        together = asleep[:, a] & asleep[:, b] & touching
        for start, end in runs(together):
            if together[start]:
                result[start:end, number] = rng.random() < chance
    return result


def runs(values: NDArray[np.generic]) -> list[tuple[int, int]]:
    """Return start and end of each run of equal values: (T,)."""
    edges = np.flatnonzero(values[1:] != values[:-1]) + 1
    return list(zip([0, *edges], [*edges, len(values)], strict=True))


def annotate(
    frame: int,
    view: View,
    huddled: NDArray[np.bool_],
    animals: Sequence[str],
    size: tuple[int, int],
    rng: np.random.Generator,
) -> list[Region]:
    """Draw the boxes of one frame with a hand that is about half a pixel unsteady.

    Parameters
    ----------
    frame
        Which frame of ``view``.
    view, huddled
        What is visible, and which pairs are one blob, shape (pairs,).
    animals
        Names.
    size
        Width and height of the picture.
    rng
        Moves the hand.
    """
    regions = []
    names: tuple[str, ...]
    taken: set[int] = set()
    visible = view.boxes[frame]
    unsteady = 0.5 * size[0] / 320

    def drawn(box: Array) -> Array:
        low = np.clip(box[:2] + rng.normal(0, unsteady, 2), 0, None)
        high = np.clip(box[:2] + box[2:] + rng.normal(0, unsteady, 2), low + 1, size)
        return np.round(np.concatenate([low, high - low]), 1)

    for (a, b), together in zip(combinations(range(len(animals)), 2), huddled, strict=True):
        if together and not {a, b} & taken:
            taken |= {a, b}
            low = np.minimum(visible[a, :2], visible[b, :2])
            high = np.maximum(visible[a, :2] + visible[a, 2:], visible[b, :2] + visible[b, 2:])
            names = (animals[a], animals[b])
            regions.append(Region(drawn(np.concatenate([low, high - low])), names, "huddle"))
    for animal, name in enumerate(animals):
        if animal in taken or np.isnan(visible[animal]).any():
            continue
        difficult = bool(view.share[frame, animal] < HARDLY)
        extent = float(np.prod(visible[animal, 2:]) / np.prod(view.whole[frame, animal, 2:]))
        extent += rng.normal(0, 0.02)
        visibility = (
            "clear" if extent >= CLEAR else "truncated" if extent < TRUNCATED else "marginal"
        )
        names, kind = (name,), "single"
        others = [other for other in range(len(animals)) if other != animal]
        if difficult and others and rng.random() < 0.12:
            gaps = [_distance(visible[animal], view.whole[frame, other]) for other in others]
            names, kind = (name, animals[others[int(np.argmin(gaps))]]), "tentative"
        regions.append(Region(drawn(visible[animal]), names, kind, visibility, difficult))
    if not np.isnan(view.tunnel[frame]).any():
        regions.append(Region(drawn(view.tunnel[frame]), (schemas.TUNNEL,)))
    return regions


def _distance(first: Array, second: Array) -> float:
    return float(np.hypot(*(first[:2] + first[2:] / 2 - second[:2] - second[2:] / 2)))


def via_project(
    name: str, frames: Iterable[tuple[int, list[Region]]], animals: Sequence[str]
) -> str:
    """Write annotated frames as a VIA 2 project, an image a frame.

    Parameters
    ----------
    name
        Of the segment; images are called ``<name>_<frame>.png``.
    frames
        Frame numbers and their regions; a frame without any was looked at and shows nothing.
    animals
        Names that the annotator can choose from.
    """
    images = {}
    for frame, regions in frames:
        file = f"{name}_{frame:06d}.png"
        images[f"{file}-1"] = {
            "filename": file,
            "size": -1,
            "regions": [_region(region) for region in regions],
            "file_attributes": {"frame": str(frame)},
        }
    identity = {
        "type": "text",
        "description": f"{', '.join(animals)} or {schemas.TUNNEL}; several with commas",
        "default_value": "",
    }
    project = {
        "_via_settings": {"project": {"name": name}},
        "_via_img_metadata": images,
        "_via_attributes": {
            "region": {
                "identity": identity,
                "type": _choice("dropdown", schemas.ANNOTATION_TYPES[:3]),
                "visibility": _choice("dropdown", schemas.VISIBILITIES),
                "difficult": _choice("checkbox", ("difficult",)),
            },
            "file": {"frame": {"type": "text", "description": "from 0", "default_value": ""}},
        },
        "_via_data_format_version": "2.0.10",
        "_via_image_id_list": list(images),
    }
    return json.dumps(project, indent=1) + "\n"


def _choice(kind: str, options: Iterable[str]) -> dict[str, object]:
    listed = dict.fromkeys(options, "")
    return {"type": kind, "description": "", "options": listed, "default_options": {}}


def _region(region: Region) -> dict[str, object]:
    x, y, width, height = (float(value) for value in region.box)
    return {
        "shape_attributes": {"name": "rect", "x": x, "y": y, "width": width, "height": height},
        "region_attributes": {
            "identity": ",".join(region.identities),
            "type": region.kind,
            "visibility": region.visibility,
            "difficult": {"difficult": True} if region.difficult else {},
        },
    }
