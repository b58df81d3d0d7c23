"""The contracts between the stages: what each table must be, and the words that it may hold.

Frames are 0-based from the segment's start (seconds = frame / fps); boxes are ``x, y, w, h`` with
the top-left corner first, in pixels of the raw frame; antennas are numbered from 1 as on the rig.
"""

from murid.schemas.animals import ANIMALS
from murid.schemas.archive import ARCHIVE
from murid.schemas.contract import Column, Contract, contract
from murid.schemas.segments import SEGMENTS
from murid.schemas.words import (
    ALERTS,
    ANNOTATION_TYPES,
    BOX,
    CAUSES,
    CONFIDENCE_EDGES,
    DETECTION_METRICS,
    HEALTH,
    KINDS,
    LABELS,
    METRICS,
    MISSED,
    MOMENTS,
    NOBODY,
    OVERALL_METRICS,
    PERIODS,
    SOURCE,
    STATUSES,
    TUNNEL,
    UNUSABLE,
    VISIBILITIES,
)

CONTRACTS: dict[str, Contract] = {**SEGMENTS, **ANIMALS, **ARCHIVE}
"""Every table of murid by name."""
__all__ = [
    "ALERTS",
    "ANNOTATION_TYPES",
    "BOX",
    "CAUSES",
    "CONFIDENCE_EDGES",
    "CONTRACTS",
    "DETECTION_METRICS",
    "HEALTH",
    "KINDS",
    "LABELS",
    "METRICS",
    "MISSED",
    "MOMENTS",
    "NOBODY",
    "OVERALL_METRICS",
    "PERIODS",
    "SOURCE",
    "STATUSES",
    "TUNNEL",
    "UNUSABLE",
    "VISIBILITIES",
    "Column",
    "Contract",
    "contract",
]
