"""ILP + lag: the paper's programme, of readings put right by how late they run."""

from typing import TYPE_CHECKING

from murid import okabe_ito
from murid.identify.registry import Method

if TYPE_CHECKING:
    from murid.identify.answer import Answer
    from murid.identify.scene import Scene


def identify(scene: "Scene") -> "Answer":
    """Name tracklets by readings put right."""
    from murid.identify import solvers
    from murid.identify.answer import Answer

    whole = scene.whole
    named = solvers.name_rows(whole.task, whole.tracklets.rank, scene.stage.solve)
    return Answer(scene.segment.tracklets, named)


METHOD = Method(
    rank=4,
    label="ILP + lag",
    words="the best joint naming of whole tracklets over the segment, by antenna readings, which "
    "run late, put right by how late they are",
    colour=okabe_ito.GREEN,
    identify=identify,
    after="ilp",
    step="+\N{NO-BREAK SPACE}lag",
    step_words="readings put right by how late they run",
)
