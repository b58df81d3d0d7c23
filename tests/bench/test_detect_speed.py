"""How many frames a second the detector goes through, and what the device would allow at best.

The floor is counted: the network's operations at the speed of the device's own matrix product, and
what its convolutions read and write at the speed at which the device copies memory. Whichever takes
longer, no code that computes this network in this precision can be faster. On a CPU, whose caches
hold what one convolution hands to the next, the second is none.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from torchvision.models.detection import FCOS

from murid import video
from murid.detect import infer, model
from murid.detect.candidates import as_batch, candidates
from murid.detect.predict import predict

FRAMES = 400
"""Of a video; it is read as often as need be."""
PATIENCE = 8.0
"""Seconds that a measurement takes at least."""
COLUMNS = (
    "network", "precision", "batch", "decode", "model", "total", "x real time", "GFLOP/frame",
    "MB/frame", "floor", "model / floor",
)  # fmt: skip
FPS = 25


class Case(NamedTuple):
    """What is measured."""

    backbone: str
    width: int
    height: int
    batch: int
    half: bool = False
    compiled: bool = False


CPU = (Case("slim", 320, 180, 8), Case("resnet18", 640, 360, 1), Case("resnet50", 1280, 720, 1))
CUDA = tuple(
    Case(backbone, width, height, 16, half, compiled)
    for backbone, width, height in [("slim", 320, 180), ("resnet50", 1280, 720)]
    for half, compiled in [(False, False), (True, False), (True, True)]
)


class Speed(NamedTuple):
    """What a device does at best, measured."""

    operations: float
    """A second, in a matrix product."""
    bytes: float
    """A second, read and written, in a copy."""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, int], Path]:
    folder = tmp_path_factory.mktemp("film")

    def make(width: int, height: int) -> Path:
        path = folder / f"{width}x{height}.mp4"
        if not path.exists():
            video.write(path, _frames(width, height), FPS)
        return path

    return make


def _frames(width: int, height: int) -> Iterator[video.Frame]:
    """Yield a noisy texture that moves: about as much to decode as a cage."""
    random = np.random.default_rng(1)
    rough = random.integers(40, 220, (height // 8 + 1, width // 8 + 1), dtype=np.uint8)
    ground = np.kron(rough, np.ones((8, 8), np.uint8))[:height, :width]
    for n in range(FRAMES):
        moved = np.roll(ground[: height // 3], n, axis=1)
        frame = np.concatenate([moved, ground[height // 3 :]])
        yield np.clip(frame + random.normal(0, 3, frame.shape), 0, 255).astype(np.uint8)


@pytest.mark.bench
@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_frames_a_second(
    kind: str, film: Callable[[int, int], Path], print_table: Callable[..., None]
) -> None:
    if kind == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    device = torch.device(kind)
    cases = CUDA if kind == "cuda" else CPU
    rows = [_row(case, film(case.width, case.height), device) for case in cases]
    print_table(f"Detection, frames a second, on {_name(device)}", COLUMNS, rows)


def _row(case: Case, path: Path, device: torch.device) -> list[object]:
    torch.manual_seed(1)
    network = model.build(case.backbone, case.width)
    # Counted before compiling, which hides what is computed.
    operations, size = _count(model.ready(network, device, case.half), case)
    network = model.ready(network, device, case.half, case.compiled)
    network.score_thresh = 0.4
    frames = [frame for _, frame in itertools.islice(video.Reel(path), case.batch)]
    decode = _rate(lambda: sum(1 for _ in video.Reel(path)), device)
    alone = _rate(lambda: len(predict(network, frames)), device)
    total = _rate(lambda: _whole(network, path, case.batch, alone), device)
    weight = next(network.parameters())
    best = _speed(device, weight.dtype)
    seconds = operations / best.operations
    if device.type == "cuda":
        seconds = max(seconds, size / best.bytes)
    name = f"{case.backbone} {case.width}x{case.height}" + (", compiled" if case.compiled else "")
    return [
        name, str(weight.dtype).removeprefix("torch."), case.batch, decode, alone, total,
        total / FPS, operations / 1e9, size / 1e6, 1 / seconds, alone * seconds,
    ]  # fmt: skip


def _whole(network: FCOS, path: Path, batch: int, rate: float) -> int:
    """Detect in as much of a video as takes a while."""
    most = max(batch, min(FRAMES, int(rate * PATIENCE)))
    with closing(video.ahead(frame for _, frame in video.Reel(path))) as frames:
        return infer.detect(network, itertools.islice(frames, most), batch)[1]


def _rate(work: Callable[[], int], device: torch.device) -> float:
    """Return how many frames a second ``work`` does, which returns how many it did."""
    work()  # what is done once only: compiling, choosing algorithms
    done, begin = 0, perf_counter()
    while perf_counter() - begin < PATIENCE:
        done += work()
        if device.type == "cuda":
            torch.cuda.synchronize()
    return done / (perf_counter() - begin)


def _time(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return perf_counter() - begin


@torch.inference_mode()
def _count(network: FCOS, case: Case) -> tuple[float, float]:
    """Return operations, and bytes that convolutions read and write, a frame."""
    weight = next(network.parameters())
    grey = torch.zeros((case.batch, case.height, case.width), dtype=torch.uint8)
    images, seen = as_batch(network, grey.to(weight.device), weight.dtype)
    size = 0

    def note(layer: nn.Conv2d, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        nonlocal size
        tensors = (inputs[0], output, layer.weight)
        size += sum(tensor.numel() * tensor.element_size() for tensor in tensors)

    convolutions = [layer for layer in network.modules() if isinstance(layer, nn.Conv2d)]
    hooks = [layer.register_forward_hook(note) for layer in convolutions]
    with FlopCounterMode(display=False) as counter:
        candidates(network, images, seen)
    for hook in hooks:
        hook.remove()
    return counter.get_total_flops() / case.batch, size / case.batch


def _speed(device: torch.device, dtype: torch.dtype) -> Speed:
    side = 8192 if device.type == "cuda" else 2048
    one, other = torch.randn((2, side, side), device=device).to(dtype)
    long = torch.empty(2**28 if device.type == "cuda" else 2**26, dtype=torch.uint8, device=device)
    target = torch.empty_like(long)
    product = min(_synchronised(lambda: one @ other, device) for _ in range(5))
    copy = min(_synchronised(lambda: target.copy_(long), device) for _ in range(5))
    return Speed(2 * side**3 / product, 2 * long.numel() / copy)


def _synchronised(work: Callable[[], object], device: torch.device) -> float:
    def done() -> None:
        work()
        if device.type == "cuda":
            torch.cuda.synchronize()

    return _time(done)


def _name(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else 'a CPU'}, {torch.get_num_threads()} threads"
