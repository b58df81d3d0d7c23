"""Path, corrected: what ``path`` is called where it obeys what people answered."""

from murid import okabe_ito
from murid.identify.registry import Method

METHOD = Method(
    rank=6.5,
    label="Path, corrected",
    words="the most probable paths of all mice that agree with what people answered of single "
    "boxes; where nobody was asked, the most probable ones of all. The frames that were answered "
    "count for no method, so that all compare",
    colour=okabe_ito.WINE,
    after="path",
    chosen=False,
)
