"""Static (C): the box nearest to the animal's antenna, frame by frame (Sect. 5.2)."""

from typing import TYPE_CHECKING

from murid import okabe_ito
from murid.identify.registry import Method

if TYPE_CHECKING:
    from murid.identify.answer import Answer
    from murid.identify.scene import Scene


def identify(scene: "Scene") -> "Answer":
    """Name every box by the distance to antennas."""
    from murid.identify import static
    from murid.identify.answer import Answer

    mice = scene.segment.mice
    named = static.by_centroid(mice, scene.trace, scene.weights.paper, scene.segment.matrix)
    return Answer(mice, named)


METHOD = Method(
    rank=1,
    label="Static (C)",
    words="every frame by itself; each mouse takes the box nearest to its antenna",
    colour=okabe_ito.ORANGE,
    identify=identify,
    step="Static (C)",
    step_words="every frame by itself: the box nearest to the animal's antenna",
)
