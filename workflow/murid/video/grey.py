"""The grey levels of a decoded frame, the same for training, detection and clips."""

import av
import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]

_LUMA_FIRST = frozenset(
    ["gray", "nv12", "nv21"] + [f"yuv{j}{s}p" for j in ("", "j") for s in (420, 422, 440, 444)]
)
"""Pixel formats of 8 bits whose first plane is the luma."""
_JPEG = 2
"""FFmpeg's number for luma that uses the full range from 0 to 255."""
_EXPAND = np.clip(np.rint((np.arange(256) - 16) * (255 / 219)), 0, 255).astype(np.uint8)
"""Luma of the range 16 to 235, as nearly all video stores it, brought to 0 to 255."""


def stored(frame: av.VideoFrame) -> Frame:
    """Return the luma of a frame as it is stored, (height, width) uint8.

    Where the first plane is the luma these are its bytes, which are the decoder's: the next frame
    may be written there.
    """
    if frame.format.name not in _LUMA_FIRST:
        return np.asarray(frame.to_ndarray(format="gray"), dtype=np.uint8)
    plane = frame.planes[0]
    # A plane is a buffer, of which NumPy's stubs know only the usual ones.
    levels = np.frombuffer(plane, np.uint8)  # type: ignore[call-overload]
    levels = levels.reshape(-1, plane.line_size)
    return levels[: frame.height, : frame.width]


def grey(frame: av.VideoFrame) -> Frame:
    """Return the grey levels of a frame, upright as its rotation tag says.

    Returns
    -------
    Shape (height, width), uint8, from 0 (black) to 255 (white) whichever range the file stores.
    Where the first plane is the luma it is taken as it is; other formats (10 bits, packed, colour)
    are converted by FFmpeg.
    """
    name = frame.format.name
    if name in _LUMA_FIRST:
        luma = stored(frame)
        full = name == "gray" or name.startswith("yuvj") or frame.color_range == _JPEG
        levels = luma.copy() if full else _EXPAND[luma]
    else:
        levels = frame.to_ndarray(format="gray")
    turns = round(frame.rotation / 90) % 4
    return np.ascontiguousarray(np.rot90(levels, turns)) if turns else levels
