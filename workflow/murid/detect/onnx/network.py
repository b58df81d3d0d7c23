"""A network of others as a detector: frames in, boxes out, in murid's labels and pixels."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from murid.detect.candidates import Candidates
from murid.detect.given_detector import runs_onnx
from murid.detect.model import CLASSES, LOW_SCORE, MAX_BOXES
from murid.detect.onnx import session as sessions
from murid.detect.onnx.fit import Fit, fit_of, free_size
from murid.detect.onnx.layouts import Boxes, decode, refuse_other_units
from murid.errors import InputError, brief
from murid.settings import Onnx

log = logging.getLogger(__name__)


class OnnxDetector:
    """A detector that onnxruntime runs.

    Parameters
    ----------
    path
        The ONNX file.
    device
        ``auto``, ``cpu`` or ``cuda``.
    settings
        What the network takes and gives.

    Raises
    ------
    InputError
        As :func:`murid.detect.onnx.session.open_network` and ``about``; or if CUDA is asked for and
        is not there.
    """

    def __init__(self, path: Path, device: str, settings: Onnx) -> None:
        self.score_thresh, self.nms_thresh, self.detections_per_img = LOW_SCORE, 0.6, MAX_BOXES
        self._path, self._width = path, settings.input_width
        providers = _providers(device)
        self._session = sessions.open_network(path, providers, torch.get_num_threads())
        sessions.refuse_fallback(device, self._session.get_providers(), providers)
        self.told = sessions.about(path, self._session, settings)
        log.info(
            "%s: layout %s, told by the outputs %s; classes %s; on %s", path,
            self.told.layout.name, "; ".join(map(str, self.told.outputs)),
            "; ".join(f"{label} {[*numbers]}" for label, numbers in self.told.classes.items()),
            self._session.get_providers()[0],
        )  # fmt: skip

    def propose(self, grey: NDArray[np.uint8]) -> Candidates:
        """Return the boxes of frames of shape (n, h, w) that score, in their pixels.

        Raises
        ------
        InputError
            If the network does not run on them, or what it gives is not of its layout.
        """
        fit = self._fit(grey.shape[2], grey.shape[1])
        images = self._images(fit.apply(grey))
        together = self._together(len(images))
        parts = [
            self._candidates(self._found(images[start : start + together], together), start, fit)
            for start in range(0, len(images), together)
        ]
        return Candidates(*(torch.cat(columns) for columns in zip(*parts, strict=True)))

    def _fit(self, width: int, height: int) -> Fit:
        told = self.told
        free = free_size((width, height), self._width, told.layout.step)
        high, wide = told.picture.size
        size = (wide or free[0], high or free[1])
        return fit_of((width, height), size, told.layout.border, stretch=told.stretch)

    def _images(self, seen: NDArray[np.uint8]) -> NDArray[Any]:
        """Turn grey pictures (n, h, w) into what the network takes, (n, channels, h, w)."""
        told = self.told
        if told.picture.dtype == "uint8":
            planes: list[NDArray[Any]] = [seen] * 3
        else:
            scaling = [*zip(told.mean, told.deviation, strict=True)]
            # Most networks take all channels alike.
            made = {pair: (seen - np.float32(pair[0])) / np.float32(pair[1]) for pair in {*scaling}}
            planes = [made[pair] for pair in scaling]
        stacked = np.stack(planes[: told.picture.channels], axis=1)
        return stacked.astype(told.picture.dtype, copy=False)

    def _together(self, images: int) -> int:
        """Return how many images the network sees at once."""
        boxes = self.told.outputs[self.told.places[0]]
        # Boxes without an axis of images are those of one.
        return 1 if len(boxes.shape) == 2 else self.told.picture.batch or images

    def _found(self, images: NDArray[Any], together: int) -> Boxes:
        """Run the network on as many images as it sees at once, or fewer."""
        missing = together - len(images)
        given = np.concatenate([images, np.repeat(images[-1:], missing, axis=0)])
        picture, names = self.told.picture, [port.name for port in self.told.outputs]
        wanted = [names[place] for place in self.told.places]
        try:
            arrays = self._session.run(wanted, {picture.name: given[0] if picture.alone else given})
        except Exception as error:  # onnxruntime's errors have no other base
            raise _not_run(self._path, given.shape, error) from error
        found = decode(self._path, self.told.layout, arrays, together)
        refuse_other_units(self._path, found, self.told.shares)
        count = len(images)
        return Boxes(found.corners[:count], found.scores[:count], found.classes[:count])

    def _candidates(self, found: Boxes, first: int, fit: Fit) -> Candidates:
        """Keep the boxes that score, of classes that are known, in pixels of the frame."""
        labels = np.zeros(found.classes.shape, np.int64)
        for label, numbers in self.told.classes.items():
            labels[np.isin(found.classes, numbers)] = CLASSES.index(label)
        kept = (found.scores > self.score_thresh) & (labels > 0)
        corners = found.corners[kept]
        if self.told.shares:
            corners = corners * np.array(fit.size * 2, np.float32)
        boxes = fit.undo(corners)
        # What lies beside the frame is cut down to nothing.
        inside = (boxes[:, 2:] > boxes[:, :2]).all(axis=1)
        columns = (boxes, found.scores[kept], labels[kept], first + np.nonzero(kept)[0])
        return Candidates(*(torch.from_numpy(column[inside]) for column in columns))


def _providers(device: str) -> list[str]:
    """Return what is to run the network, once CUDA's libraries are found that torch brings."""
    if not runs_onnx():
        return []
    import onnxruntime

    there = onnxruntime.get_available_providers()
    providers = sessions.providers_of(device, there, torch.cuda.is_available())
    if len(providers) > 1:
        onnxruntime.preload_dlls()
    return providers


def _not_run(path: Path, shape: tuple[int, ...], error: Exception) -> Exception:
    reason = " ".join(str(error).split())
    if "Failed to allocate memory" in reason or "out of memory" in reason.lower():
        return MemoryError(f"{path}: {brief(reason, 300)}")
    return InputError(
        path, f"that it does not run on an input of {list(shape)} ({brief(reason, 300)})",
        "a network that does",
        remedy="Set onnx.input_width, if it takes some sizes only, or export it for one size.",
    )  # fmt: skip
