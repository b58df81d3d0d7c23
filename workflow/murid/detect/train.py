"""Training the detector on annotated frames (Appendix C.1), and going on after a kill."""

import hashlib
import json
import logging
import math
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torchvision.models.detection import FCOS, FCOS_ResNet50_FPN_Weights
from torchvision.ops import box_convert

from murid import video
from murid.detect import cost, data, enough
from murid.detect import model as detector
from murid.detect.progress import progress
from murid.detect.protocol import scenes_of_samples, summary
from murid.detect.sample import Sample
from murid.errors import InputError, LeftOut
from murid.settings import TrainDetector

if TYPE_CHECKING:
    from murid.detect.stage import TrainDetector as Stage

log = logging.getLogger(__name__)

MAX_GRADIENT = 10.0
"""Norm to which gradients are clipped; only the first steps from scratch come near it."""
TIMED = 3
"""Steps after which it is told how long all will take."""
KEPT_SCORE = 0.4
"""Score above which boxes count for the precision of a checkpoint: fixed, since what is kept later
(``detect.score``) is chosen for the detector that is trained."""


def learning_rate(step: int, settings: TrainDetector) -> float:
    """Return the rate of a step, from 0: rising for ``warm_up`` steps, then as scheduled."""
    rate = settings.learning_rate * min(1.0, (step + 1) / (settings.warm_up + 1))
    if settings.schedule == "cosine":
        rate *= 0.5 * (1 + math.cos(math.pi * step / settings.iterations))
    return rate


def train(stage: "Stage") -> None:
    """Train a detector, and keep the checkpoint that does best on the validation frames.

    Without validation frames the last checkpoint is kept. What is written is safetensors, whose
    metadata holds all settings and the metrics of every checkpoint. A folder ``<output>.partial``
    holds what a killed run had reached; a run with the same data and settings goes on from there,
    to the same result as if it had never been killed.

    Raises
    ------
    InputError
        If there are no annotated frames, the weights to start from do not fit, or training on a CPU
        would take more memory than there is. A segment of which the video or table cannot be read
        is left out, and the log says so.
    """
    settings, output, fps = stage.train_detector, stage.output, dict(stage.fps)
    others = LeftOut(log)
    parts = data.parts_of(stage.parts)
    samples = data.load(stage.train, settings.skip_difficult, fps, others, parts)
    held_back = data.load(stage.validating, fps=fps, others=others, parts=parts)
    if not any(len(sample.wanted.boxes) for sample in samples):
        others.raise_if_all()
        raise InputError(
            "the training segments", "no annotated box", "some to learn from",
            remedy="Annotate more, or set skip_difficult to false.",
        )  # fmt: skip
    log.info("%d frames to train on, %d to validate on", len(samples), len(held_back))
    if few := enough.lacking(len(samples)):
        log.warning("%s", few)
    if detector.device_of(settings.device).type == "cpu":
        # The largest frame decides what the network sees.
        height, width = max((sample.grey.shape for sample in samples), key=math.prod)
        log.info("%s", cost.check(settings, width, height, len(samples) + len(held_back)))
    folder = output.with_name(f"{output.name}.partial")
    with _deterministic(settings.seed):
        training = _Training(samples, held_back, settings, folder)
        training.go_on()
    tensors, about = detector.read_tensors(folder / "best.safetensors")
    detector.save(output, tensors, about | {"history": training.history})
    shutil.rmtree(folder)


class _Training:
    """A detector in training: its network, its optimiser, and how far it is."""

    def __init__(
        self,
        samples: list[Sample],
        held_back: list[Sample],
        settings: TrainDetector,
        folder: Path,
    ) -> None:
        self.samples, self.held_back = samples, held_back
        self.settings, self.folder = settings, folder
        self.device = detector.device_of(settings.device)
        self.model = detector.build(settings.backbone, settings.width)
        self.frozen: list[nn.Module] = []
        if settings.weights is not None:
            start_from(self.model, settings.weights)
            # Batches are too small for statistics better than those the weights came with.
            self.frozen = [m for m in self.model.modules() if isinstance(m, nn.BatchNorm2d)]
        for norm in self.frozen:
            norm.requires_grad_(False)
        self.model.to(self.device, memory_format=torch.channels_last)
        self.optimiser = _optimiser(self.model, settings)
        self.step = 0
        self.history: list[dict[str, float]] = []
        self.digest = _digest(samples, held_back, settings)

    def go_on(self) -> None:
        """Train from where the folder's state stands to the end."""
        self._restore()
        settings = self.settings
        every = settings.checkpoint_every
        steps = range(self.step, settings.iterations)
        batches = data.batches(self.samples, settings.batch_size, settings.seed, steps)
        with (
            progress("Training", "steps", settings.iterations, self.step) as show,
            closing(video.ahead(batches, 2)) as coming,
        ):
            losses = []
            first, begun = self.step, time.perf_counter()
            for batch in coming:
                losses.append(self._learn(batch))
                self.step += 1
                if self.step == first + TIMED:
                    seconds = (time.perf_counter() - begun) / TIMED
                    left = settings.iterations - self.step
                    log.info("%s", cost.duration(seconds, left))
                show(self.step)
                if self.step % every == 0 or self.step == settings.iterations:
                    self._checkpoint(float(np.mean(losses)))
                    losses.clear()

    def _learn(self, batch: list[Sample]) -> float:
        self.model.train()
        for norm in self.frozen:
            norm.eval()
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.step, self.settings)
        images = detector.as_images([sample.grey for sample in batch], self.device)
        losses = self.model(images, [_target(sample, self.device) for sample in batch])
        loss = sum(losses.values())
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), MAX_GRADIENT)
        self.optimiser.step()
        return float(loss.detach())

    def _checkpoint(self, loss: float) -> None:
        metrics = {"step": self.step, "loss": loss}
        if self.held_back:
            scenes = scenes_of_samples(self.model.eval(), self.held_back, "mouse")
            metrics |= summary(scenes, KEPT_SCORE)
        log.info("step %d: %s", self.step, json.dumps(metrics))
        best = max((entry.get("AP", -1.0) for entry in self.history), default=-1.0)
        self.history.append(metrics)
        if not self.held_back or metrics["AP"] > best:
            path = self.folder / "best.safetensors"
            detector.save(path, self.model.state_dict(), self._about(self.step))
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        for index, entry in self.optimiser.state_dict()["state"].items():
            tensors |= {
                f"optimiser.{index}.{name}": value
                for name, value in entry.items()
                if value is not None
            }
        detector.save(self.folder / "state.safetensors", tensors, self._about(None))

    def _about(self, chosen: int | None) -> dict[str, Any]:
        return {
            "backbone": self.settings.backbone,
            "width": self.settings.width,
            "classes": list(detector.CLASSES),
            "chosen": chosen,
            "step": self.step,
            "history": self.history,
            "settings": self.settings.model_dump(mode="json"),
            "digest": self.digest,
        }

    def _restore(self) -> None:
        path = self.folder / "state.safetensors"
        if not path.is_file():
            return
        tensors, about = detector.read_tensors(path)
        shapes = {f"model.{name}": value.shape for name, value in self.model.state_dict().items()}
        stored = {name: value.shape for name, value in tensors.items() if name in shapes}
        if about.get("digest") != self.digest or stored != shapes:
            log.warning("%s: of other data, settings or network, started anew", path)
            return
        model: dict[str, Tensor] = {}
        optimiser: dict[int, dict[str, Tensor]] = {}
        for key, value in tensors.items():
            kind, _, name = key.partition(".")
            if kind == "model":
                model[name] = value
            else:
                place, _, name = name.partition(".")
                optimiser.setdefault(int(place), {})[name] = value
        self.model.load_state_dict(model)
        for index, parameter in enumerate(self.optimiser.param_groups[0]["params"]):
            for name, value in optimiser.get(index, {}).items():
                if value.shape == parameter.shape:
                    # Fused optimisers take for granted that both are laid out alike.
                    optimiser[index][name] = torch.empty_like(parameter).copy_(value)
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": optimiser, "param_groups": groups})
        self.step, self.history = int(about["step"]), about["history"]
        log.info("%s: going on after step %d", path, self.step)


def start_from(model: FCOS, weights: str | Path) -> None:
    """Copy the weights that fit from a checkpoint, and leave the others as they are.

    The classifier of a network that was trained on other classes (COCO's) is of another shape and
    is the part that stays new (Sect. 4.1).

    Parameters
    ----------
    model
        The network to change.
    weights
        Safetensors, or weights as torchvision publishes them (``.pth``); or ``coco``, torchvision's
        own for ResNet-50, which are downloaded unless they were before.

    Raises
    ------
    InputError
        If the file cannot be read or downloaded, less than half of the network finds its weights in
        it, or one of them is none that was trained.
    """
    tensors = _coco_weights() if weights == "coco" else _stored_weights(Path(weights))
    parts = model.state_dict()
    fitting = {
        name: value
        for name, value in tensors.items()
        if name in parts and isinstance(value, Tensor) and value.shape == parts[name].shape
    }
    if 2 * len(fitting) < len(parts):
        raise InputError(
            weights, f"weights for {len(fitting)} of {len(parts)} parts of the network",
            "those of the same backbone", remedy="Set backbone to what these weights are for.",
        )  # fmt: skip
    detector.refuse_untrained(weights, fitting)
    model.load_state_dict(fitting, strict=False)


def _stored_weights(path: Path) -> Mapping[str, Tensor]:
    if path.suffix != ".pth" or not path.is_file():
        return detector.read_tensors(path)[0]
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise InputError(path, f"no plain weights ({error})", "a dictionary of tensors") from error


def _coco_weights() -> Mapping[str, Tensor]:
    published = FCOS_ResNet50_FPN_Weights.COCO_V1
    try:
        return published.get_state_dict(progress=False, check_hash=True)
    except (OSError, RuntimeError) as error:
        raise InputError(
            "weights: coco", f"nothing that can be downloaded ({error})", published.url,
            remedy="Download it elsewhere, and set weights to the file.",
        ) from error  # fmt: skip


def _optimiser(model: FCOS, settings: TrainDetector) -> torch.optim.Optimizer:
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    how: dict[str, Any] = {
        "lr": settings.learning_rate, "weight_decay": settings.weight_decay, "fused": True,
    }  # fmt: skip
    if settings.optimiser == "adamw":
        return torch.optim.AdamW(parameters, **how)
    return torch.optim.SGD(parameters, momentum=0.9, **how)


def _target(sample: Sample, device: torch.device) -> dict[str, Tensor]:
    boxes, labels = (torch.from_numpy(values).to(device) for values in sample.wanted[:2])
    return {"boxes": box_convert(boxes, "xywh", "xyxy"), "labels": labels}


def _digest(samples: list[Sample], held_back: list[Sample], settings: TrainDetector) -> str:
    """Return what a state must agree in to be gone on from."""
    total = hashlib.sha256(settings.model_dump_json(exclude={"device"}).encode())
    for group in (samples, held_back):
        total.update(b"group")
        for sample in group:
            for array in (sample.grey, *sample.wanted):
                total.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


@contextmanager
def _deterministic(seed: int) -> Iterator[None]:
    """Draw the same random weights, and add up in the same order, each time; then as before."""
    before = torch.are_deterministic_algorithms_enabled()
    memory: Any = torch.utils.deterministic  # what it has is hidden from type checkers
    filled = memory.fill_uninitialized_memory
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        torch.use_deterministic_algorithms(True, warn_only=True)
        # Nothing here reads memory before it writes it, and filling it takes an eighth of a step.
        memory.fill_uninitialized_memory = False
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before)
            memory.fill_uninitialized_memory = filled
