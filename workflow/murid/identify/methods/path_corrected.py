"""Path, corrected: what ``path`` is called where it obeys what people answered."""

from murid import palette
from murid.identify.methods import Method

METHOD = Method(
    rank=6.5,
    label="Path, corrected",
    words="path where it obeys what people answered of single boxes; where nobody was asked, path "
    "as it is. The frames that were answered are left out of the figures of all methods, so that "
    "these compare",
    colour=palette.WINE,
    after="path",
    chosen=False,
)
