"""Reading and writing video, one grey frame at a time, so that memory does not grow with length.

The number of a frame is its place among those that decode, from 0: headers are not to be trusted.
"""

import queue
import threading
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import av
import numpy as np
from numpy.typing import NDArray

from murid.errors import InputError
from murid.files import replacing

Frame = NDArray[np.uint8]
Item = TypeVar("Item")

_LUMA_FIRST = frozenset(
    ["gray", "nv12", "nv21"] + [f"yuv{j}{s}p" for j in ("", "j") for s in (420, 422, 440, 444)]
)
"""Pixel formats of 8 bits whose first plane is the luma."""
_JPEG = 2
"""FFmpeg's number for luma that uses the full range from 0 to 255."""
_EXPAND = np.clip(np.rint((np.arange(256) - 16) * (255 / 219)), 0, 255).astype(np.uint8)
"""Luma of the range 16 to 235, as nearly all video stores it, brought to 0 to 255."""


def read(path: str | Path) -> Iterator[Frame]:
    """Decode a video, frame by frame.

    Parameters
    ----------
    path
        Any container and codec that FFmpeg decodes.

    Yields
    ------
    The grey levels of each frame, upright (a rotation tag is honoured), shape (height, width),
    uint8, from 0 (black) to 255 (white) whichever range the file stores.

    Raises
    ------
    InputError
        If the file is missing or empty, is no video, has no video stream, or a part of it cannot be
        decoded; the frames before that part have been given by then.
    """
    return map(_grey, _decode(path))


def read_frames(path: str | Path, frames: Iterable[int]) -> Iterator[tuple[int, Frame]]:
    """Give some frames of a video, as :func:`read` does, each with its number, in order.

    Everything before the last of them is decoded, since only so a frame's number is certain, but
    nothing else is converted. Frames that the video does not have are left out.

    Raises
    ------
    InputError
        As :func:`read`, up to the last of ``frames``.
    """
    wanted = set(frames)
    if not wanted:
        return
    last = max(wanted)
    for number, frame in enumerate(_decode(path)):
        if number in wanted:
            yield number, _grey(frame)
        if number >= last:
            break


def ahead(items: Iterable[Item], depth: int = 32) -> Iterator[Item]:
    """Give ``items`` in order, made by a thread that is at most ``depth`` of them ahead.

    What the making of an item raises is raised here, in its place. The thread ends when the
    iterator is used up, closed or forgotten.
    """
    done = object()
    ready: queue.Queue[tuple[object, BaseException | None]] = queue.Queue(depth)
    closed = threading.Event()

    def put(item: object, error: BaseException | None = None) -> None:
        while not closed.is_set():
            try:
                ready.put((item, error), timeout=0.1)
                return
            except queue.Full:
                continue

    def make() -> None:
        try:
            for item in items:
                put(item)
                if closed.is_set():
                    return
            put(done)
        except BaseException as error:
            put(done, error)

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            if item is done:
                return
            yield item  # type: ignore[misc]
    finally:
        closed.set()
        thread.join()


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


def _decode(path: str | Path) -> Iterator[av.VideoFrame]:
    if not Path(path).is_file():
        raise InputError(path, "no file", "a video")
    if not Path(path).stat().st_size:
        raise InputError(path, "an empty file", "a video")
    count = 0
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError(path, "no video stream", "a video")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            for frame in container.decode(stream):
                yield frame
                count += 1
    except av.FFmpegError as error:
        found = f"{count} frames and then data" if count else "data"
        raise InputError(
            path, f"{found} that cannot be decoded ({error.strerror})", "a video"
        ) from error


def _grey(frame: av.VideoFrame) -> Frame:
    name = frame.format.name
    if name in _LUMA_FIRST:
        plane = frame.planes[0]
        stored = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
        luma = stored[: frame.height, : frame.width]
        full = name == "gray" or name.startswith("yuvj") or frame.color_range == _JPEG
        grey = luma.copy() if full else _EXPAND[luma]
    else:
        grey = frame.to_ndarray(format="gray")
    turns = round(frame.rotation / 90) % 4
    return np.ascontiguousarray(np.rot90(grey, turns)) if turns else grey
