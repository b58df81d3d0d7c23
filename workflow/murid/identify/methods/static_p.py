"""Static (P): the most probable boxes, frame by frame (Sect. 5.2)."""

from typing import TYPE_CHECKING

from murid import okabe_ito
from murid.identify.registry import Method

if TYPE_CHECKING:
    from murid.identify.answer import Answer
    from murid.identify.scene import Scene


def identify(scene: "Scene") -> "Answer":
    """Name every box by the weights."""
    from murid.identify import static
    from murid.identify.answer import Answer

    mice = scene.segment.mice
    named = static.by_probability(mice, scene.trace, scene.weights.paper, scene.segment.matrix)
    return Answer(mice, named)


METHOD = Method(
    rank=2,
    label="Static (P)",
    words="every frame by itself; boxes are weighed by what a mouse above that antenna looks like",
    colour=okabe_ito.SKY,
    identify=identify,
    after="static_c",
    step="Static (P)",
    step_words="every frame by itself: boxes weighed by their probability",
)
