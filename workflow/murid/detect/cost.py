"""What training the detector takes, told before it begins.

Standard library only, since a plan asks before anything runs.
"""

import math
import os
import shutil
from pathlib import Path

from murid.errors import InputError
from murid.settings import TrainDetector

LIBRARIES = 800 * 2**20
"""Bytes that Python and its libraries take before there is a network."""
PARAMETERS = {"resnet50": 32.1e6, "resnet18": 19.1e6, "slim": 0.4e6}
"""Weights of each network, of 4 bytes each."""
COPIES = {"sgd": 3, "adamw": 4}
"""Of each weight: itself, its gradient, and what the optimiser remembers of it."""
PER_PIXEL = {"resnet50": 2_500, "resnet18": 1_500, "slim": 180}
"""Bytes that a pixel of a batch takes in one step. Peaks on a CPU less the above, rounded up: of
slim at 320 x 180 and 640 x 360 in batches of 1 to 16, of resnet18 at 320 x 180 in batches of 1 to
4, of resnet50 at 320 x 180 and 640 x 360 one image at a time, and of 16 images of 1280 x 720, which
took 23 GB and more."""
REMEDY = (
    "Take the settings of config/cpu.yaml (the slim network, 320 pixels wide), make "
    "train_detector.batch_size or width smaller, train on a GPU, or set detector: to a trained one."
)


def pixels(settings: TrainDetector, width: int, height: int) -> int:
    """Return how many pixels of a step the network sees, of frames of a width and height.

    Examples
    --------
    >>> pixels(TrainDetector(width=320, batch_size=4), 1280, 720)
    245760
    """
    scale = settings.width / max(width, height)
    wide, high = (math.ceil(round(side * scale) / 32) * 32 for side in (width, height))
    return settings.batch_size * wide * high


def memory(settings: TrainDetector, width: int, height: int, frames: int = 0) -> int:
    """Estimate the bytes that training takes on a CPU at its peak.

    Parameters
    ----------
    settings
        How to train.
    width, height
        Pixels of a frame.
    frames
        Annotated frames, which are kept in memory.

    Examples
    --------
    >>> round(memory(TrainDetector(), 1280, 720) / 1e9)
    39
    """
    weights = 4 * COPIES[settings.optimiser] * PARAMETERS[settings.backbone]
    step = PER_PIXEL[settings.backbone] * pixels(settings, width, height)
    return int(LIBRARIES + weights + step + frames * width * height)


def available() -> int:
    """Return the bytes that this process may have: of the machine, its group and its limits.

    What others use now is not taken off, since it may be gone when it is needed.
    """
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            text = Path("/sys/fs/cgroup", name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdecimal():
            limits.append(int(text))
    try:
        import resource
    except ImportError:  # not on every system
        return min(limits)
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft = resource.getrlimit(kind)[0]
        if soft != resource.RLIM_INFINITY:
            limits.append(soft)
    return min(limits)


def has_gpu() -> bool:
    """Tell whether this machine seems to have a GPU of NVIDIA's, without loading a library."""
    return Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi") is not None


def check(settings: TrainDetector, width: int, height: int, frames: int) -> str:
    """Say what training on a CPU takes, or refuse what the machine does not have.

    Returns
    -------
    A line for the log.

    Raises
    ------
    InputError
        If it takes more memory than there is.
    """
    needed, there = memory(settings, width, height, frames), available()
    asked = (
        f"{settings.backbone}, {settings.width} pixels wide, {settings.batch_size} images a step"
    )
    need = f"about {needed / 1e9:.1f} GB of memory to train {asked}, on a CPU"
    if needed > there:
        raise InputError(
            "train_detector", need, f"at most {there / 1e9:.1f} GB, which is what there is here",
            remedy=REMEDY,
        )  # fmt: skip
    return f"{need}; there are {there / 1e9:.1f} GB"


def duration(seconds: float, steps: int) -> str:
    """Tell how long training takes: seconds a step, and steps that are left.

    Examples
    --------
    >>> duration(2.0, 30_000)
    '2.0 s a step: 30,000 steps that are left take about 16.7 hours, checkpoints not counted'
    >>> duration(0.05, 1_800)
    '0.1 s a step: 1,800 steps that are left take about 1.5 minutes, checkpoints not counted'
    """
    total = seconds * steps
    long = f"{total / 3600:.1f} hours" if total >= 3600 else f"{total / 60:.1f} minutes"
    return f"{seconds:.1f} s a step: {steps:,} steps that are left take about {long}, " + (
        "checkpoints not counted"
    )
