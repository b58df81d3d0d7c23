"""The network, and the checkpoints that hold it."""

import numpy as np
import pytest
import torch

from murid.detect import model
from murid.detect.predict import predict
from murid.errors import InputError
from one_mouse import QUICK, scene


@pytest.mark.parametrize("backbone", ["slim", "resnet18"])
def test_frames_are_seen_at_the_configured_width(backbone):
    network = model.build(backbone, 96)
    for shape, seen in [((45, 80), (54, 96)), ((90, 160), (54, 96)), ((80, 45), (96, 54))]:
        images, _ = network.transform([torch.rand(3, *shape)])
        assert images.image_sizes == [seen]


def test_paper_network_is_that_of_torchvision():
    from torchvision.models.detection import fcos_resnet50_fpn

    theirs = fcos_resnet50_fpn(weights=None, weights_backbone=None, num_classes=3).state_dict()
    ours = model.build("resnet50", 1280).state_dict()
    assert {k: v.shape for k, v in ours.items()} == {k: v.shape for k, v in theirs.items()}


def test_boxes_are_in_pixels_of_the_frame_and_best_first(detector):
    network, _ = model.load(detector, torch.device("cpu"))
    network.score_thresh = 0.0
    frames = [scene(3)[0], np.full((96, 128), 180, np.uint8)]
    for frame, found in zip(frames, predict(network, frames), strict=True):
        height, width = frame.shape
        assert len(found.scores) > 0
        assert (np.diff(found.scores) <= 0).all()
        assert (found.boxes[:, 2:] >= 0).all()
        ends = found.boxes[:, :2] + found.boxes[:, 2:]
        assert (found.boxes[:, :2] >= 0).all()
        assert (ends <= [width + 1e-3, height + 1e-3]).all()


def test_a_checkpoint_needs_nothing_but_itself(detector):
    network, about = model.load(detector, torch.device("cpu"))
    assert about["settings"] == QUICK.model_dump(mode="json")
    assert [entry["step"] for entry in about["history"]] == [3, 6]
    assert about["chosen"] in (3, 6)
    assert not network.training


@pytest.mark.parametrize(
    ("content", "found"), [(None, "no file"), (b"nonsense", "unreadable|no sense")]
)
def test_what_is_no_checkpoint_is_refused(tmp_path, content, found):
    path = tmp_path / "d.safetensors"
    if content:
        path.write_bytes(content)
    with pytest.raises(InputError, match=found):
        model.load(path, torch.device("cpu"))


def test_tensors_of_others_are_no_detector(tmp_path):
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(3)}, tmp_path / "d.safetensors")
    with pytest.raises(InputError, match="no detector"):
        model.load(tmp_path / "d.safetensors", torch.device("cpu"))
