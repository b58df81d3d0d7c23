"""What a detector's file says of it is looked at before a network is built of it."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from murid.detect import model
from murid.errors import InputError

ABOUT = {"backbone": "slim", "width": 64, "classes": list(model.CLASSES)}
CPU = torch.device("cpu")


@pytest.mark.parametrize("width", [0, -5, 31, 10**6, 10**30, 64.5, "64", None, True, [64], 1e308])
def test_a_width_that_is_none_is_refused(tmp_path: Path, width: Any) -> None:
    path = tmp_path / "d.safetensors"
    model.save(path, {}, ABOUT | {"width": width})
    with pytest.raises(InputError, match=r"no detector of this version \(the width"):
        model.load(path, CPU)


@pytest.mark.parametrize("backbone", ["vgg", "", 3, None, ["slim"], "x" * 10_000])
def test_so_is_another_backbone(tmp_path: Path, backbone: Any) -> None:
    path = tmp_path / "d.safetensors"
    model.save(path, {}, ABOUT | {"backbone": backbone})
    with pytest.raises(InputError, match="the backbone") as caught:
        model.load(path, CPU)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "text", ["[]", "3", "{", 100_000 * "[" + 100_000 * "]", '{"width": ' + 5000 * "1" + "}"]
)
def test_metadata_that_are_no_description_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "d.safetensors"
    save_file({"a": torch.zeros(1)}, path, {model.METADATA: text})
    with pytest.raises(InputError, match="data that make no sense"):
        model.load(path, CPU)


def test_a_detector_that_is_whole_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "d.safetensors"
    model.save(path, model.build("slim", 64).state_dict(), ABOUT)
    assert model.load(path, CPU)[1] == json.loads(json.dumps(ABOUT))
