"""Oracle: the most that any naming of these detections could reach, by the annotations."""

from typing import TYPE_CHECKING

from murid.identify.registry import Method

if TYPE_CHECKING:
    from murid.identify.answer import Answer
    from murid.identify.scene import Scene


def identify(scene: "Scene") -> "Answer":
    """Name the detections of annotated frames by the annotations."""
    from murid.identify import oracle
    from murid.identify.answer import Answer

    mice, annotations = scene.segment.mice, scene.segment.annotations
    rows, named = oracle.named(mice, annotations, scene.stage.overlap, scene.trace.animals)
    return Answer(rows, named, frames=annotations["frame"].unique())


METHOD = Method(
    rank=100,
    label="Oracle",
    words="knows the hand-drawn boxes: the best that any naming of these detections could reach",
    colour="",
    identify=identify,
    needs=frozenset({"annotations"}),
    step="Oracle",
    step_words="knows the annotations: the most that any naming could reach",
    chosen=False,
)
