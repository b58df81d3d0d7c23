"""Visual: a tracker that annotations seed, which is a stage of its own (Sect. 5.2)."""

from murid import okabe_ito
from murid.identify.registry import Method

METHOD = Method(
    rank=90,
    label="Visual",
    words="a visual tracker, started by hand in one frame of each stretch and run to both its "
    "ends; it knows no antennas and no detections, and is run only where there is a video",
    colour=okabe_ito.GREY,
    chosen=False,
)
