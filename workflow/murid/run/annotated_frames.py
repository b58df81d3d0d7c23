"""How many frames are annotated that a detector is to be trained on, as far as it matters."""

from murid.detect import enough
from murid.errors import InputError
from murid.run.plan import Key, Plan


def lacking(plan: Plan) -> str:
    """Tell that a plan trains a detector on too few frames or cages; nothing if it does not.

    Files are read until there are enough, so that a large archive costs no more than a small one.
    """
    frames, cages = 0, set[str]()
    keys = list(plan.annotated(("Train",), filmed=True))
    for key in keys:
        if frames < enough.FRAMES or (key[0] not in cages and len(cages) < enough.CAGES):
            found = _count(plan, key)
            frames += found
            cages |= {key[0]} if found else set()
    # That no file is there at all is an error of its own.
    return enough.lacking(frames, len(cages)) if keys else ""


def _count(plan: Plan, key: Key) -> int:
    """Count the annotated frames of a segment; what cannot be read is told when it is judged."""
    # Needs pandas, which is only worth its while where there is something to count.
    from murid.archive import annotations

    image = plan.settings.image
    path, fps = plan.source(key, "annotations"), plan.segments[key].fps
    try:
        table, _ = annotations.read(path, *key, fps, (image.width, image.height))
    except InputError:
        return 0
    return int(table["frame"].nunique())
