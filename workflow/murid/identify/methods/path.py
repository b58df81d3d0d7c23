"""Path: the most probable paths of all animals over pieces of tracklets, and how sure each is."""

import logging
from typing import TYPE_CHECKING

from murid import okabe_ito
from murid.identify.registry import Method

if TYPE_CHECKING:
    from murid.identify.answer import Answer
    from murid.identify.paths import Paths
    from murid.identify.scene import Scene
    from murid.tables import Verdict

log = logging.getLogger(__name__)

LOST = 1e-3
"""Share of the weight of all paths that may be let go without a word."""


def identify(scene: "Scene") -> "Answer":
    """Name pieces of tracklets, and tell how sure each name is."""
    from murid.identify import continuity
    from murid.identify.answer import Answer

    pieces, model, paths = scene.pieces, scene.needed_path_model, scene.stage.paths
    answer = continuity.solve(pieces, model, paths)
    boxed, hidden = continuity.confidence(pieces, answer, model, scene.trace.frames)
    beliefs = continuity.of_tracklets(pieces, continuity.posteriors(answer, model))
    animals = len(scene.trace.animals)
    boxed, hidden = (scene.fit.temper(sure, animals) for sure in (boxed, hidden))
    searched = {
        "pieces": str(len(pieces)),
        "tracklet_cuts": str(pieces.cuts),
        "most_states": str(answer.most_states),
        "steps_cut_short": str(answer.cut),
        "weight_let_go": f"{answer.lost:.2g}",
    }
    if scene.answered is not None:
        boxed[scene.answered.rows] = 1.0
        searched["answers"] = str(len(scene.answered))
    log.info("path: %s", ", ".join(f"{name} {value}" for name, value in searched.items()))
    return Answer(
        scene.segment.tracklets,
        answer.named[pieces.tracklets.rank],
        confidence=(boxed, hidden),
        beliefs=scene.fit.temper(beliefs, animals),
        verdict=_cut_short(answer, paths.most_states) | _conditions(scene) | scene.not_obeyed(),
        about=searched,
    )


def _cut_short(answer: "Paths", most_states: int) -> "Verdict":
    """Say so if what the search let go could have changed names or how sure they are."""
    from murid.tables import Verdict

    if answer.lost <= LOST:
        return Verdict()
    reason = (
        f"the search for names let go of {answer.lost:.2g} of the weight of all that is possible, "
        f"where at most {LOST:g} is negligible: more than identify.most_states {most_states} "
        f"states were worth keeping at {answer.cut} tracklets; raise it"
    )
    log.warning("%s", reason)
    return Verdict("repaired", reason)


def _conditions(scene: "Scene") -> "Verdict":
    """Say in what a segment differs from those that confidence was learnt from."""
    from murid.models import made_for
    from murid.tables import Verdict

    made = scene.needed_path_model.made_for
    if made is None:
        return Verdict()
    segment, paths = scene.segment, scene.stage.paths
    lag = scene.weights.lagged.lag(segment.rig) if paths.correct_lag else 0.0
    differences = made_for.differences(
        made, len(scene.trace.animals), segment.fps, paths.model_dump(), (segment.rig, lag),
        scene.weights.digest,
    )  # fmt: skip
    remark = made_for.remark(differences)
    if not remark:
        return Verdict()
    log.warning("%s", remark)
    return Verdict("repaired", remark)


METHOD = Method(
    rank=6,
    label="Path",
    words="the most probable paths of all mice, by antenna readings put right by how late they "
    "are, by how sure the detector is of a box, and by whether a mouse can have got from one "
    "tracklet to its next; says how sure it is of each name",
    colour=okabe_ito.VERMILION,
    identify=identify,
    needs=frozenset({"path_model"}),
    after="ilp_tempered",
    step="+\N{NO-BREAK SPACE}path",
    step_words="and whether an animal can have got from one tracklet to its next",
    obeys="path_corrected",
    drawn=True,
)
