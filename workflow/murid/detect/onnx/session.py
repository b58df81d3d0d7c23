"""An ONNX file opened by onnxruntime, and told from what it declares.

Nothing but the file itself is loaded: neither tensors that it keeps elsewhere, nor libraries of
operators. Planning a run opens it, too, so that nothing here imports torch.
"""

import logging
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from murid import files
from murid.detect.given_detector import runs_onnx
from murid.detect.onnx.layouts import Layout, Port, Side, tell
from murid.errors import InputError, brief
from murid.schemas import LABELS
from murid.settings import Onnx

log = logging.getLogger(__name__)

EXPECTED = "a network as an ONNX file"
LARGEST = 2**31 - 1
"""Bytes of a file of its kind at most."""
KINDS = {"tensor(float)": "float32", "tensor(float16)": "float16", "tensor(uint8)": "uint8"}
"""Kinds of pixels that a network may take, and their dtypes."""
MOST_NAMES = 100_000
"""Letters of the classes' names that are read."""
_NAME = re.compile(r"""["']?(\d{1,6})["']?\s*:\s*(?:"([^"]*)"|'([^']*)')""")
_NO_RUNTIME = "Install it: pip install 'murid[onnx]'; for CUDA, onnxruntime-gpu in its place."
_CUDA = "CUDAExecutionProvider"


class Picture(NamedTuple):
    """What a network takes."""

    name: str
    dtype: str
    batch: Side
    """Images at once; None: any number."""
    alone: bool
    """Whether an image has no axis of images before."""
    channels: int
    size: tuple[Side, Side]
    """Height and width; None: any."""


class Told(NamedTuple):
    """What is known of a network."""

    picture: Picture
    layout: Layout
    places: list[int]
    """Of the outputs that the layout takes."""
    outputs: list[Port]
    """All of them."""
    classes: dict[str, tuple[int, ...]]
    """Numbers of the network's classes, by murid's labels."""
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    """Of values from 0 to 255, of each channel of R, G and B."""
    stretch: bool
    shares: bool
    """Whether boxes are in shares of the picture, not in pixels."""


def check(path: str | Path, settings: Onnx) -> None:
    """Refuse a file that is no detector, as :func:`open_network` and :func:`about` do."""
    about(path, open_network(path, ["CPUExecutionProvider"]), settings)


def open_network(path: str | Path, providers: list[str], threads: int = 1) -> Any:
    """Open an ONNX file, and nothing beside it.

    Parameters
    ----------
    path
        The file.
    providers
        What is to run it, by onnxruntime's names, the first that can.
    threads
        Of a CPU.

    Returns
    -------
    onnxruntime's ``InferenceSession``.

    Raises
    ------
    InputError
        If onnxruntime is not installed; the file cannot be read or is no whole network; it keeps
        tensors in other files; or it has operators that are not ONNX's.
    """
    content = files.read_bytes(path, EXPECTED, LARGEST)
    if not runs_onnx():
        raise InputError(path, "no onnxruntime to run it", "onnxruntime", remedy=_NO_RUNTIME)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # faults are raised, too
    # Threads that wait by spinning slow each other down by far where cores are shared.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with tempfile.TemporaryDirectory() as nothing:
        # Tensors that are kept elsewhere would be looked for in the working directory.
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", nothing
        )
        try:
            return onnxruntime.InferenceSession(content, options, providers=providers)
        except Exception as error:  # its errors have no other base
            raise _not_loaded(path, error) from error


def _not_loaded(path: str | Path, error: Exception) -> InputError:
    reason = " ".join(str(error).split())
    if "xternal data" in reason:
        return InputError(
            path, f"tensors that are kept in other files ({brief(reason, 300)})",
            "a network that is whole in one file",
            remedy="Export it so: torch.onnx.export(..., external_data=False), or onnx.save of "
            "onnx.load.",
        )  # fmt: skip
    return InputError(
        path, f"what onnxruntime does not load ({brief(reason, 300)})",
        f"{EXPECTED}, of ONNX's own operators",
    )  # fmt: skip


def providers_of(choice: str, there: list[str], cuda: bool) -> list[str]:
    """Return what runs a network, for the setting ``auto``, ``cpu`` or ``cuda``.

    Parameters
    ----------
    choice
        The setting.
    there
        What onnxruntime was built with.
    cuda
        Whether the machine has a CUDA device.

    Raises
    ------
    InputError
        If CUDA is asked for, and device or provider are not there.
    """
    if choice == "cuda" and not (cuda and _CUDA in there):
        found = f"an onnxruntime without CUDA ({brief(', '.join(there))})"
        found = found if cuda else "no CUDA device"
        raise InputError(
            "device", found, "both", remedy="Install onnxruntime-gpu in place of onnxruntime, or "
            "set device to auto or cpu.",
        )  # fmt: skip
    if choice == "cpu" or not cuda:
        return ["CPUExecutionProvider"]
    if _CUDA not in there:
        log.warning(
            "there is a CUDA device, but onnxruntime has no CUDA: the network runs on the CPU; "
            "install onnxruntime-gpu in place of onnxruntime"
        )
        return ["CPUExecutionProvider"]
    return [_CUDA, "CPUExecutionProvider"]


def refuse_fallback(choice: str, running: list[str], providers: list[str]) -> None:
    """Refuse, or tell in the log, that CUDA was not to be had after all.

    Raises
    ------
    InputError
        If it was asked for by name.
    """
    if _CUDA not in providers or _CUDA in running:
        return
    found = "an onnxruntime-gpu that finds no CUDA or cuDNN of its version"
    if choice == "cuda":
        remedy = "Set device to auto or cpu, or install the versions that it was built for."
        raise InputError("device", found, "one that runs", remedy=remedy)
    log.warning("%s: the network runs on the CPU", found)


def about(path: str | Path, session: Any, settings: Onnx) -> Told:
    """Tell what a network takes and gives, by what its file declares and the settings say.

    Raises
    ------
    InputError
        With what was found, if it takes no picture, gives boxes in no layout, has not the classes
        that settings name, or none of them is a mouse.
    """
    inputs, outputs = (
        [_port(each) for each in ports] for ports in (session.get_inputs(), session.get_outputs())
    )
    picture = _picture(path, inputs)
    metadata = session.get_modelmeta().custom_metadata_map
    task = metadata.get("task", "detect")
    if task != "detect":
        raise InputError(
            path, f"a network for another task ({brief(repr(task))})", "one that detects"
        )
    layout, places = tell(path, outputs, picture.size, settings.layout)
    known = layout.classes([outputs[place] for place in places])
    mean, deviation = _scaling(path, picture, layout, settings)
    return Told(
        picture, layout, places, outputs, _classes(path, metadata, known, settings), mean,
        deviation, layout.stretch if settings.resize == "auto" else settings.resize == "stretch",
        layout.shares if settings.boxes == "auto" else settings.boxes == "shares",
    )  # fmt: skip


def _port(declared: Any) -> Port:
    shape = tuple(side if isinstance(side, int) else None for side in declared.shape)
    return Port(declared.name, shape, declared.type)


def _picture(path: str | Path, inputs: list[Port]) -> Picture:
    """Tell the one input."""
    expected = (
        "one input [images, 3, height, width], or without images; 1 channel goes, too; of float, "
        "float16 or uint8"
    )
    found = "the inputs " + ("; ".join(map(str, inputs)) or "none")
    if len(inputs) != 1 or inputs[0].kind not in KINDS or len(inputs[0].shape) not in (3, 4):
        raise InputError(path, found, expected)
    (only,) = inputs
    batch, channels, height, width = (1, *only.shape)[-4:]
    if channels not in (1, 3, None) or 0 in (batch, height, width):
        raise InputError(path, found, expected)
    alone = len(only.shape) == 3
    return Picture(only.name, KINDS[only.kind], batch, alone, channels or 3, (height, width))


def _scaling(
    path: str | Path, picture: Picture, layout: Layout, settings: Onnx
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return mean and deviation of values of 0 to 255."""
    whole = picture.dtype == "uint8"
    if whole and (settings.pixel_values == "unit" or settings.mean or settings.deviation):
        raise InputError(
            path, "an input of whole numbers", "none, as onnx.pixel_values, mean or deviation say"
        )
    byte = settings.pixel_values == "byte" or whole
    mean, deviation = (None if byte else layout.scaling) or ((0.0,) * 3, (1.0,) * 3)
    white = 1.0 if byte else 255.0
    return (
        tuple(white * value for value in settings.mean or mean),
        tuple(white * value for value in settings.deviation or deviation),
    )


def names_of(metadata: Mapping[str, str]) -> dict[int, str]:
    """Return the names of classes that a file tells, as Ultralytics and murid write them.

    Examples
    --------
    >>> names_of({"names": "{0: 'mouse', 1: 'tunnel'}"})
    {0: 'mouse', 1: 'tunnel'}
    >>> names_of({"names": '{"1": "mouse"}'}), names_of({})
    ({1: 'mouse'}, {})
    """
    told = _NAME.findall(metadata.get("names", "")[:MOST_NAMES])
    return {int(number): double or single for number, double, single in told}


def _classes(
    path: str | Path, metadata: Mapping[str, str], known: Side, settings: Onnx
) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the classes that are mice, and of those that are the tunnel."""
    names = names_of(metadata)
    given = dict(zip(LABELS, (settings.mouse_classes, settings.tunnel_classes), strict=True))
    # What settings say of a class goes before its name.
    said = {number for numbers in given.values() for number in numbers or ()}
    called = {n: name.strip().lower() for n, name in names.items() if n not in said}
    classes: dict[str, tuple[int, ...]] = {}
    for label, numbers in given.items():
        if numbers is None:
            numbers = tuple(n for n, name in called.items() if name == label)
        for number in numbers:
            if known is not None and number >= known:
                raise InputError(
                    path, f"{known} classes", f"one of the number {number} ({label})",
                    where="the classes",
                    remedy=f"Set onnx.{label}_classes to numbers of 0 to {known - 1}.",
                )  # fmt: skip
        classes[label] = numbers
    mouse = LABELS[0]
    if not classes[mouse]:
        told = ", ".join(f"{n} {name!r}" for n, name in names.items()) or "no names at all"
        raise InputError(
            path, f"classes of which none is called {mouse} ({brief(told, 200)})", f"a {mouse}",
            where="the classes",
            remedy=f"Set onnx.{mouse}_classes to the numbers of those that are mice.",
        )  # fmt: skip
    return classes
