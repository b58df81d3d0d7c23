"""Opening a video: plain files only, real containers only, of a size that a camera gives.

FFmpeg also opens lists of other files, patterns of file names, and texts, which it draws. Here it
gets an open file without a name, may follow nothing, and reads formats that hold pictures only.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import av
from av.stream import Disposition

from murid.errors import InputError
from murid.files import regular
from murid.video.claims import check_claims

THREADS = 4
"""Of the decoder; a fixed number, since damaged files may decode differently with another."""
CONTAINERS = (
    "asf", "av1", "avi", "dv", "flv", "gif", "h264", "hevc", "ivf", "m4v", "matroska", "mjpeg",
    "mov", "mpeg", "mpegts", "mpegvideo", "mxf", "nut", "obu", "ogg", "yuv4mpegpipe",
    "bmp_pipe", "jpeg_pipe", "pgm_pipe", "png_pipe", "ppm_pipe", "tiff_pipe", "webp_pipe",
)  # fmt: skip
"""FFmpeg's names of the formats that are read: videos, and single pictures."""
LEAST_SIDE = 16
"""Pixels of the shorter side, at least: no detector sees anything in less."""
MOST_SIDE = 2**13
"""Pixels of the longer side, at most."""
MOST_PIXELS = 2**24
"""Pixels of a frame, at most: twice 4K. Decoders hold some twenty frames at once."""
SIZELESS = f"frames of no size, or of more than {MOST_PIXELS / 1e6:.1f} million pixels"
"""What FFmpeg makes of a header that claims more than it may decode."""
EXPECTED = "a video"


@contextmanager
def opened(
    path: Path, expected: str = EXPECTED
) -> Iterator[tuple[av.container.InputContainer, av.VideoStream]]:
    """Open a video (or a picture) for reading, and give its container and its stream of pictures.

    ``expected`` says in messages what the file should be.

    Raises
    ------
    InputError
        If it is no plain file that can be read, is empty, is no video, or is of a size that no
        camera gives.
    """
    regular(path, expected)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb", buffering=0))
            check_claims(path, file)
            container = stack.enter_context(
                av.open("fd:", options=_options(file.fileno()), metadata_errors="replace")
            )
        except (av.FFmpegError, OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                path, f"data that cannot be decoded ({reason})", expected,
                remedy="It may be cut off before its index was written, or be no video at all.",
            ) from error  # fmt: skip
        yield container, _pictures(path, container)


def packets(container: av.container.InputContainer, stream: av.VideoStream) -> Iterator[av.Packet]:
    """Yield the packets of a stream, and an empty one at the end."""
    while True:
        try:
            yield from container.demux(stream)
            return
        except IndexError:
            # One of a stream that appears later, where damage makes one up; PyAV trips over it.
            continue


def _options(descriptor: int) -> dict[str, str]:
    return {
        "fd": str(descriptor),
        "protocol_whitelist": "fd",
        "format_whitelist": ",".join(CONTAINERS),
        "max_pixels": str(MOST_PIXELS),
    }


def size(path: Path, expected: str = EXPECTED) -> tuple[int, int]:
    """Return width and height of a video or picture by its header.

    Raises
    ------
    InputError
        As :func:`opened`.
    """
    with opened(Path(path), expected) as (_, stream):
        sides = stream.codec_context.width, stream.codec_context.height
    if not min(sides):
        raise InputError(path, SIZELESS, expected)
    return sides


class Header(NamedTuple):
    """What the header of a video tells.

    Attributes
    ----------
    created
        When it was made, as it is written there: the time in UTC, if the camera keeps to the
        standard; empty if untold.
    seconds
        How long it lasts, None if untold.
    rate
        Frames per second on average, None if untold.
    """

    created: str
    seconds: float | None
    rate: float | None


def header(path: Path) -> Header:
    """Return what the header of a video tells, of which nothing is decoded.

    Raises
    ------
    InputError
        As :func:`opened`.
    """
    with opened(path) as (container, stream):
        tags = {**stream.metadata, **container.metadata}
        lasts, rate = container.duration, stream.average_rate
    seconds = lasts / av.time_base if lasts and lasts > 0 else None
    return Header(tags.get("creation_time", ""), seconds, float(rate) if rate else None)


def _pictures(path: Path, container: av.container.InputContainer) -> av.VideoStream:
    """Return the stream to decode: the first that is no cover picture."""
    for stream in container.streams.video:
        if stream.disposition & Disposition.attached_pic:
            continue
        codec = stream.codec_context
        if codec is None:
            raise InputError(path, "a codec that cannot be decoded", "a video that FFmpeg decodes")
        _check_size(path, codec.width, codec.height)
        codec.thread_type = "AUTO"
        codec.thread_count = THREADS
        codec.options = {"max_pixels": str(MOST_PIXELS)}
        return stream
    kinds = ", ".join(sorted({stream.type for stream in container.streams}))
    raise InputError(path, f"no video stream (only: {kinds or 'nothing'})", EXPECTED)


def _check_size(path: Path, width: int, height: int) -> None:
    sides = sorted((width, height))
    # A header may not tell; then the decoder finds out, within the bounds that it is given.
    known = min(sides) > 0
    if known and (sides[0] < LEAST_SIDE or sides[1] > MOST_SIDE or width * height > MOST_PIXELS):
        raise InputError(
            path,
            f"frames of {width} x {height} pixels",
            f"sides of {LEAST_SIDE} to {MOST_SIDE} pixels, and {MOST_PIXELS / 1e6:.1f} million "
            "pixels at most",
        )
