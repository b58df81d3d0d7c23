"""A detector that is given, of either kind, looked at before anything runs.

Training one knows nothing of this module: networks of others are none of its code.
"""

import importlib.util
from pathlib import Path

from murid import files
from murid.detect import stored
from murid.settings import Onnx


def is_onnx(path: str | Path) -> bool:
    """Tell by its name whether a detector is a network of others."""
    return Path(path).suffix.lower() == ".onnx"


def runs_onnx() -> bool:
    """Tell whether onnxruntime is installed, without loading it."""
    return importlib.util.find_spec("onnxruntime") is not None


def check(path: str | Path, onnx: Onnx) -> None:
    """Refuse a file that is no detector, or not the whole of one.

    Of a network of others, what can be told without onnxruntime where that is not installed.

    Parameters
    ----------
    path
        The file.
    onnx
        What a network of others takes and gives.

    Raises
    ------
    InputError
        As :func:`murid.detect.stored.check`, or :func:`murid.detect.onnx.session.check`.
    """
    if not is_onnx(path):
        stored.check(path)
    elif runs_onnx():
        from murid.detect.onnx import session

        session.check(path, onnx)
    else:
        files.regular(path, "a network as an ONNX file")
