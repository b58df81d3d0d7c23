"""Running the detector over a video: streamed, in batches, while a thread decodes ahead."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from murid import schemas, tables
from murid import video as videos
from murid.detect import model as models
from murid.detect import predict as network
from murid.detect.memory import give_back_large_blocks
from murid.detect.progress import progress
from murid.errors import InputError
from murid.settings import Detect
from murid.sheet import MOST_ANIMALS
from murid.tables import Verdict


def detect(
    detector: network.Detector,
    frames: Iterable[videos.Frame],
    batch_size: int = 8,
    show: Callable[[int], None] = lambda count: None,
) -> tuple[pd.DataFrame, int]:
    """Run a detector over frames, batch by batch.

    Parameters
    ----------
    detector
        A network is in evaluation mode.
    frames
        Grey frames of shape (h, w), uint8; numbered from 0 in the order they come.
    batch_size
        Frames that the model sees at once.
    show
        Called with the number of frames done, after each batch.

    Returns
    -------
    Columns ``frame, label, x, y, w, h, score`` of every box above the detector's ``score_thresh``;
    and the number of frames.
    """
    parts = [(np.empty(0, np.int64), *_joined([]))]
    count = 0
    for batch in _batches(frames, batch_size):
        seen = network.predict(detector, batch)
        number = np.repeat(np.arange(count, count + len(seen)), [len(each.scores) for each in seen])
        # One array a batch: thousands of small ones would take more memory than they hold.
        parts.append((number, *_joined(seen)))
        count += len(seen)
        show(count)
    number, boxes, labels, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    table = pd.DataFrame(boxes, columns=schemas.BOX)
    table["frame"] = number
    table["label"] = np.array(models.CLASSES, dtype=object)[labels]
    table["score"] = scores
    return table, count


def _joined(frames: Sequence[network.Detections]) -> network.Detections:
    """Join the detections of several frames."""
    none = np.empty((0, 4), np.float32), np.empty(0, np.int64), np.empty(0, np.float32)
    columns = zip(none, *frames, strict=True)
    return network.Detections(*(np.concatenate(column) for column in columns))


def watch(
    path: Path,
    detector: network.Detector,
    length: int,
    tolerance: int,
    fps: float,
    settings: Detect,
    part: videos.Part = videos.WHOLE,
) -> tuple[pd.DataFrame, videos.Footage | None, Verdict]:
    """Detect in the frames of a video below ``length``, decode the others too, and judge it.

    Parameters
    ----------
    path
        The video.
    detector
        What finds the boxes; how many of them, the settings say.
    length
        Frames of the segment.
    tolerance
        Frames by which the video may differ from it.
    fps
        Frames per second of the segment.
    settings
        What to keep, and how to run.
    part
        Which part of the video is the segment's.

    Returns
    -------
    Every box above ``settings.score``, columns as of :func:`detect`; what was found of the video,
    None if nothing decodes; and the verdict on it.

    Raises
    ------
    InputError
        If the detector is at fault.
    """
    give_back_large_blocks()
    detector.score_thresh, detector.nms_thresh = settings.score, settings.nms
    # Of mice and tunnels; the network keeps no more than that by itself.
    detector.detections_per_img = max(models.MAX_BOXES, 2 * (settings.max_mice or MOST_ANIMALS))
    reel = videos.Reel(path, fps, part)
    numbers: list[int] = []
    looks = len(range(0, length, settings.stride))
    try:
        with (
            closing(videos.ahead(_every(reel, settings.stride))) as decoded,
            progress(path.name, "frames", looks) as show,
        ):
            wanted = _within(decoded, length, numbers)
            detections, _ = detect(detector, wanted, settings.batch_size, show)
            for _ in decoded:
                pass
    except InputError as error:
        if error.file != str(path):
            raise  # no fault of the video
        reason = " ".join(str(error).split())
        return tables.empty("detections"), None, Verdict("discarded", reason)
    places = np.asarray(numbers, dtype=np.int64)[detections["frame"].to_numpy(np.int64)]
    footage = reel.footage
    return detections.assign(frame=places), footage, videos.judge(footage, length, fps, tolerance)


def _every(reel: videos.Reel, stride: int) -> Iterator[tuple[int, videos.Frame]]:
    """Decode all frames, since only so the video can be judged; give those in every n-th place."""
    for number, frame in reel.decode():
        if number % stride == 0:
            yield number, videos.grey(frame)


def _within(
    placed: Iterable[tuple[int, videos.Frame]], length: int, numbers: list[int]
) -> Iterator[videos.Frame]:
    """Yield the frames placed below ``length`` and write down where each belongs."""
    for number, frame in placed:
        if number >= length:
            return
        numbers.append(number)
        yield frame


def _batches(frames: Iterable[videos.Frame], size: int) -> Iterator[list[videos.Frame]]:
    waiting = iter(frames)
    while batch := list(islice(waiting, size)):
        yield batch
