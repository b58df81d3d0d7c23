"""Writing H.264."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av

from murid.files import replacing
from murid.video.grey import Frame


def write(
    path: str | Path,
    frames: Iterable[Frame],
    fps: float,
    crf: int = 20,
    portable: bool = False,
) -> int:
    """Encode frames as H.264 in an mp4 and return how many there were.

    Parameters
    ----------
    path
        Where to; written under a temporary name, then renamed.
    frames
        Each of shape (height, width), grey, or (height, width, 3), RGB; uint8, even sides.
    fps
        Frames per second.
    crf
        Constant rate factor of x264: lower is better and larger.
    portable
        Whether the same frames must give the same bytes on every processor, at three to four times
        the time.
    """
    count = 0
    with replacing(path) as temporary, av.open(str(temporary), "w") as container:
        rate = Fraction(fps).limit_denominator(1001)
        stream = container.add_stream("libx264", rate=rate)
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": str(crf), "preset": "veryfast"}
        if portable:
            # Its assembly rounds otherwise than its C, by processor, and with AVX-512 by chance.
            stream.options |= {"x264-params": "asm=0"}
        # What x264 writes depends on its number of threads, which would be that of the cores.
        stream.codec_context.thread_count = 1
        for array in frames:
            if count == 0:
                stream.height, stream.width = array.shape[:2]
            kind = "gray" if array.ndim == 2 else "rgb24"
            for packet in stream.encode(av.VideoFrame.from_ndarray(array, format=kind)):
                container.mux(packet)
            count += 1
        for packet in stream.encode():
            container.mux(packet)
    return count
