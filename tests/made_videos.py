"""Videos that tests make: sound ones of which each frame tells its number, and odd ones."""

import struct
from fractions import Fraction

import av
import cv2
import numpy as np

from murid import video

SIZE = (48, 64)


def shade(number):
    return 10 + 4 * number


def drawn(level, size=SIZE):
    """A picture of that level, by its median, with a bright block in the corner."""
    grey = np.full(size, level, np.uint8)
    grey[: size[0] // 2, : size[1] // 3] = 250
    return grey


def make(
    path,
    numbers=range(50),
    codec="libx264",
    pixels="yuv420p",
    stamps=None,
    size=SIZE,
    pictures=None,
    **how,
):
    """Write frames whose grey level tells their number, at 25 a second, at given timestamps.

    ``pictures`` are shown in place of these, by their numbers.
    """
    how = {"g": "10", "bf": "0", "threads": "1"} | how
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25)
        stream.height, stream.width = size
        stream.pix_fmt = pixels
        tick = Fraction(1, 25 if path.suffix == ".avi" or codec == "mpeg2video" else 1000)
        stream.time_base = stream.codec_context.time_base = tick
        stream.options = how
        for place_, number in enumerate(numbers):
            picture = drawn(shade(number), size) if pictures is None else pictures[number]
            frame = av.VideoFrame.from_ndarray(picture, "gray")
            frame = frame.reformat(format=pixels)
            frame.pts = stamps[place_] if stamps else 40 * number
            frame.time_base = Fraction(1, 1000)
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


def damage(path, first, last):
    """Overwrite the packets from ``first`` to ``last`` with zeros."""
    with av.open(str(path)) as container:
        spans = [(p.pos, p.size) for p in container.demux(video=0) if p.size]
    data = bytearray(path.read_bytes())
    for start, size in spans[first : last + 1]:
        data[start : start + size] = bytes(size)
    path.write_bytes(data)


def turn(path, degrees):
    """Write a rotation tag, clockwise, into an mp4."""
    one, cos, sin = 1 << 16, round(np.cos(np.radians(degrees))), round(np.sin(np.radians(degrees)))
    unit = struct.pack(">9i", one, 0, 0, 0, one, 0, 0, 0, 1 << 30)
    matrix = struct.pack(">9i", cos * one, sin * one, 0, -sin * one, cos * one, 0, 0, 0, 1 << 30)
    data = path.read_bytes()
    start = data.index(unit, data.index(b"tkhd"))
    path.write_bytes(data[:start] + matrix + data[start + len(unit) :])


def sound_only(path):
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=48000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate = 48000
        for packet in [*stream.encode(frame), *stream.encode()]:
            container.mux(packet)


def picture():
    return cv2.imencode(".png", np.zeros(SIZE, np.uint8))[1].tobytes()


def scenes(count, noise=3.0):
    """Pictures of a cage in which something moves, with a sensor's noise."""
    random = np.random.default_rng(4)
    for number in range(count):
        picture = np.full((96, 128), 120.0)
        picture[30:60, 20 + number % 60 : 50 + number % 60] = 40
        yield np.clip(picture + random.normal(0, noise, picture.shape), 0, 255).astype(np.uint8)


def claiming(path, width, height):
    """Write a small file of which the header is changed to claim a size."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.height, stream.width, stream.pix_fmt = 48, 64, "gray"
        for packet in [*stream.encode(av.VideoFrame(64, 48, "gray")), *stream.encode()]:
            container.mux(packet)
    data = path.read_bytes()
    told = bytes.fromhex("b08140 ba8130 54b28104")  # width, height, order of fields
    assert data.count(told) == 1
    claimed = b"\xb0\x82" + width.to_bytes(2, "big") + b"\xba\x82" + height.to_bytes(2, "big")
    path.write_bytes(data.replace(told, claimed + b"\xec\x80"))
    return path


def seen(path, fps=25.0):
    """Return place -> number that the picture shows, and what was found."""
    reel = video.Reel(path, fps)
    shown = {place_: round((np.median(grey) - 10) / 4) for place_, grey in reel}
    return shown, reel.footage


def black(path):
    """Write a video of 300 frames that shows nothing."""
    video.write(path, np.zeros((300, 96, 128), np.uint8), 25.0)
    return path
