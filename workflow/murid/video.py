"""Reading and writing video, one grey frame at a time, so that memory does not grow with length."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from murid.errors import InputError
from murid.files import replacing

Frame = NDArray[np.uint8]


def read(path: str | Path) -> Iterator[Frame]:
    """Decode a video, frame by frame.

    Parameters
    ----------
    path
        Any container and codec that FFmpeg decodes.

    Yields
    ------
    The luma plane of each frame that decodes, shape (height, width), uint8.

    Raises
    ------
    InputError
        If the file is missing or empty, is no video, or has no video stream.
    """
    if not Path(path).is_file():
        raise InputError(path, "no file", "a video")
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError(path, "no video stream", "a video")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            for frame in container.decode(stream):
                yield frame.to_ndarray(format="gray")
    except av.FFmpegError as error:
        raise InputError(path, f"a video that cannot be decoded ({error})", "a video") from error


def count_frames(path: str | Path) -> int:
    """Count the video's packets without decoding them: quick, and true unless it is damaged.

    Raises
    ------
    InputError
        As :func:`read`.
    """
    if not Path(path).is_file():
        raise InputError(path, "no file", "a video")
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError(path, "no video stream", "a video")
            return sum(packet.size > 0 for packet in container.demux(video=0))
    except av.FFmpegError as error:
        raise InputError(path, f"a video that cannot be opened ({error})", "a video") from error


def write(path: str | Path, frames: Iterable[Frame], fps: float, crf: int = 20) -> int:
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
    """
    count = 0
    with replacing(path) as temporary, av.open(str(temporary), "w") as container:
        rate = Fraction(fps).limit_denominator(1001)
        stream = container.add_stream("libx264", rate=rate)
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": str(crf), "preset": "veryfast"}
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
