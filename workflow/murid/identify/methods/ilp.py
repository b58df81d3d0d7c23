"""ILP: whole tracklets, by the paper's integer linear programme (Sect. 4.4)."""

from typing import TYPE_CHECKING

from murid import okabe_ito
from murid.identify.registry import Method

if TYPE_CHECKING:
    from murid.identify.answer import Answer
    from murid.identify.scene import Scene


def identify(scene: "Scene") -> "Answer":
    """Name tracklets by the paper's weights."""
    from murid.identify import problem, solvers
    from murid.identify.answer import Answer
    from murid.identify.evidence import weigh

    segment = scene.segment
    evidence = weigh(segment.tracklets, scene.trace, scene.weights.paper, segment.matrix)
    task = problem.build(segment.linked, evidence, scene.trace)
    named = solvers.name_rows(task, segment.linked.rank, scene.stage.solve)
    return Answer(segment.tracklets, named)


METHOD = Method(
    rank=3,
    label="ILP",
    words="whole tracklets at once, weighed by what a mouse above that antenna looks like; the "
    "best joint naming over the segment",
    colour=okabe_ito.BLUE,
    identify=identify,
    after="static_p",
    step="ILP",
    step_words="the paper's: whole tracklets, the best joint naming of a segment",
)
