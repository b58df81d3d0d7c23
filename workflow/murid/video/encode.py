"""Writing H.264."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import av

from murid.files import replacing
from murid.video.grey import Frame


@contextmanager
def writing(
    path: str | Path, fps: float, crf: int = 20, portable: bool = False
) -> Iterator[Callable[[Frame], None]]:
    """Open an mp4 to encode frames into as H.264, and give what takes one frame after another.

    Parameters
    ----------
    path
        Where to; written under a temporary name, renamed when all frames are given.
    fps
        Frames per second.
    crf
        Constant rate factor of x264: lower is better and larger.
    portable
        Whether the same frames must give the same bytes on every processor, at three to four times
        the time.

    Notes
    -----
    A frame is of shape (height, width), grey, or (height, width, 3), RGB; uint8, even sides.
    """
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

        def add(array: Frame) -> None:
            if not stream.codec_context.is_open:
                stream.height, stream.width = array.shape[:2]
            kind = "gray" if array.ndim == 2 else "rgb24"
            for packet in stream.encode(av.VideoFrame.from_ndarray(array, format=kind)):
                container.mux(packet)

        yield add
        for packet in stream.encode():
            container.mux(packet)


def write(
    path: str | Path,
    frames: Iterable[Frame],
    fps: float,
    crf: int = 20,
    portable: bool = False,
) -> int:
    """Encode frames as H.264 in an mp4, as :func:`writing`, and return how many there were."""
    count = 0
    with writing(path, fps, crf, portable) as add:
        for array in frames:
            add(array)
            count += 1
    return count
