"""ILP + lag + tempering: evidence that frames repeat counts less, and detections' scores count."""

from typing import TYPE_CHECKING

from murid import okabe_ito
from murid.identify.registry import Method

if TYPE_CHECKING:
    from murid.identify.answer import Answer
    from murid.identify.scene import Scene


def identify(scene: "Scene") -> "Answer":
    """Name tracklets by evidence weighed down."""
    from murid.identify import continuity, solvers
    from murid.identify.answer import Answer

    whole = scene.whole
    weighed = continuity.gains(whole, scene.needed_path_model.score, scene.stage.paths)
    task = whole.task.with_gains(weighed)
    named = solvers.name_rows(task, whole.tracklets.rank, scene.stage.solve)
    return Answer(scene.segment.tracklets, named)


METHOD = Method(
    rank=5,
    label="ILP + lag + tempering",
    words="the best joint naming of whole tracklets over the segment, by antenna readings put "
    "right by how late they are; a long tracklet does not count as so many independent looks, "
    "since frames that follow each other say nearly the same thing, and boxes that the detector is "
    "less sure of are more easily nobody's",
    colour=okabe_ito.PURPLE,
    identify=identify,
    needs=frozenset({"path_model"}),
    after="ilp_lag",
    step="+\N{NO-BREAK SPACE}tempering and scores",
    step_words="evidence weighed down, the detections' scores added",
)
