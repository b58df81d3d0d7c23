"""ILP: whole tracklets, by the paper's integer linear programme (Sect. 4.4)."""

from typing import TYPE_CHECKING

from murid import palette
from murid.identify.methods import Method

if TYPE_CHECKING:
    from murid.identify.scene import Answer, Scene


def identify(scene: "Scene") -> "Answer":
    """Name tracklets by the paper's weights."""
    from murid.identify import problem, solvers
    from murid.identify.evidence import weigh
    from murid.identify.scene import Answer

    linked = scene.tracklets
    evidence = weigh(linked, scene.trace, scene.weights.paper, scene.matrix)
    task = problem.build(linked, evidence, scene.trace)
    return Answer(linked, solvers.name_rows(task, problem.ranks(linked), scene.solve))


METHOD = Method(
    rank=3,
    label="ILP",
    words="whole tracklets at once, weighed by what a mouse above that antenna looks like; the "
    "best joint naming over the segment",
    colour=palette.BLUE,
    identify=identify,
    after="static_p",
    step="ILP",
    step_words="the paper's: whole tracklets, the best joint naming of a segment",
)
