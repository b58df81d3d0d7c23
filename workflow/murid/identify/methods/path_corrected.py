"""Path, corrected: what ``path`` is called where it obeys what people answered."""

from murid import palette
from murid.identify.methods import Method

METHOD = Method(
    rank=6.5,
    label="Path, corrected",
    words="the same, made to obey what people answered of single boxes; where nobody was asked it "
    "is the same. The frames that were answered are left out of the figures of all methods, so that "
    "they compare",
    colour=palette.WINE,
    after="path",
    chosen=False,
)
