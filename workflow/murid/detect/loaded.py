"""A detector of either kind, ready to predict: trained by murid, or a network of others."""

from pathlib import Path

from murid.detect import model
from murid.detect.given_detector import is_onnx
from murid.detect.predict import Detector
from murid.settings import Onnx


def load(
    path: Path, device: str, onnx: Onnx, half: bool = False, compiled: bool = False
) -> Detector:
    """Load a detector.

    Parameters
    ----------
    path
        What ``murid train-detector`` wrote, or an ONNX file, which its suffix tells.
    device
        ``auto``, ``cpu`` or ``cuda``.
    onnx
        What a network of others takes and gives.
    half, compiled
        As for :func:`murid.detect.model.load`; a network of others is as it was exported.

    Raises
    ------
    InputError
        If the file or the device is not as must be.
    """
    if is_onnx(path):
        from murid.detect.onnx.network import OnnxDetector

        return OnnxDetector(path, device, onnx)
    return model.load(path, model.device_of(device), half, compiled)[0]
