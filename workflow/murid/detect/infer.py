"""Running the detector over a video: streamed, in batches, while a thread decodes ahead."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
from torchvision.models.detection import FCOS

from murid import contracts, tables
from murid import video as videos
from murid.detect import model as models
from murid.detect import predict as network
from murid.detect.memory import give_back_large_blocks
from murid.detect.progress import progress
from murid.detect.select import for_cage, select
from murid.errors import InputError
from murid.settings import Detect, Image
from murid.tables import Verdict


def detect(
    model: FCOS,
    frames: Iterable[videos.Frame],
    batch_size: int = 8,
    told: Callable[[int], None] = lambda count: None,
) -> tuple[pd.DataFrame, int]:
    """Run a detector over frames, batch by batch.

    Parameters
    ----------
    model
        In evaluation mode.
    frames
        Grey frames of shape (h, w), uint8; numbered from 0 in the order they come.
    batch_size
        Frames that the model sees at once.
    told
        Called with the number of frames done, after each batch.

    Returns
    -------
    Columns ``frame, label, x, y, w, h, score`` of every box above the model's ``score_thresh``; and
    the number of frames.
    """
    parts = [(np.empty(0, np.int64), *_joined([]))]
    count = 0
    for batch in _batches(frames, batch_size):
        found = network.predict(model, batch)
        number = np.repeat(np.arange(count, count + len(found)), [len(f.scores) for f in found])
        if len(number):
            # One array a batch: thousands of small ones would take more memory than they hold.
            parts.append((number, *_joined(found)))
        count += len(found)
        told(count)
    number, boxes, labels, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    table = pd.DataFrame(boxes, columns=contracts.BOX)
    table["frame"] = number
    table["label"] = np.array(models.CLASSES, dtype=object)[labels]
    table["score"] = scores
    return table, count


def _joined(found: Sequence[network.Found]) -> network.Found:
    """Join what was found in several frames."""
    none = network.Found(
        np.empty((0, 4), np.float32), np.empty(0, np.int64), np.empty(0, np.float32)
    )
    return network.Found(*(np.concatenate(column) for column in zip(none, *found, strict=True)))


def run(
    video: Path,
    detector: Path,
    positions: Path,
    transforms: Path,
    rig: str,
    fps: float,
    frame_tolerance: int,
    output: Path,
    settings: Detect,
    image: Image,
) -> None:
    """Detect animals and tunnel in a segment's video.

    Parameters
    ----------
    video, detector, positions, transforms
        Video, trained detector, and tables to read.
    rig
        The segment's rig set-up.
    fps
        Frames per second of the segment.
    frame_tolerance
        Frames by which video and positions may differ in length.
    output
        Table of detections to write. A video of which nothing decodes, or that is of another length
        than the positions, or more animals than boxes that may be kept, discard the segment; the
        table then carries the reason. Frames that are missing, or that ``stride`` passes over, have
        no detections.
    settings
        What to keep, and how to run.
    image
        The frame of reference; a video of another size says so.

    Raises
    ------
    InputError
        If the detector or a table cannot be read, or the rig has no transform.
    """
    verdict = tables.read_verdict(positions)
    trace = tables.read(positions, "positions")
    settings, enough = for_cage(settings, trace)
    verdict |= enough
    if verdict.discarded:
        tables.write(tables.empty("detections"), output, "detections", verdict)
        return
    frames = trace["frame"]
    length = int(frames.max()) + 1 if len(frames) else 0
    matrix = tables.read_matrices(transforms, [rig])[rig]
    give_back_large_blocks()
    device = models.device_of(settings.device)
    model, _ = models.load(detector, device, settings.half, settings.compile)
    model.score_thresh, model.nms_thresh = settings.score, settings.nms
    # Of mice and tunnels; the network keeps no more than that by itself.
    model.detections_per_img = max(models.MAX_BOXES, 2 * settings.max_mice)
    found, footage, said = _watch(model, video, length, frame_tolerance, fps, settings)
    verdict |= said
    if footage and footage.size:
        verdict |= videos.judge_size(footage.size, matrix, (image.width, image.height))
    if verdict.discarded:
        kept = tables.empty("detections")
    else:
        kept = select(found, matrix, settings)
        kept = kept[kept["frame"].isin(frames.unique())]
    tables.write(kept, output, "detections", verdict)


def _watch(
    model: FCOS, path: Path, length: int, tolerance: int, fps: float, settings: Detect
) -> tuple[pd.DataFrame, videos.Footage | None, Verdict]:
    """Detect in the frames below ``length``, decode the others too, and judge the video."""
    reel = videos.Reel(path, fps)
    numbers: list[int] = []
    looks = len(range(0, length, settings.stride))
    try:
        with (
            closing(videos.ahead(_every(reel, settings.stride))) as decoded,
            progress(path.name, "frames", looks) as told,
        ):
            wanted = _within(decoded, length, numbers)
            found, _ = detect(model, wanted, settings.batch_size, told)
            for _ in decoded:
                pass
    except InputError as error:
        reason = " ".join(str(error).split())
        return tables.empty("detections"), None, Verdict("discarded", reason)
    places = np.asarray(numbers, dtype=np.int64)[found["frame"].to_numpy(np.int64)]
    footage = reel.footage
    return found.assign(frame=places), footage, videos.judge(footage, length, fps, tolerance)


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
