"""What a detector's file says of it is looked at before a network is built of it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from murid.detect import model, stored, train
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


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (float("nan"), "1 of 16 values of the tensor {} are no finite numbers"),
        (float("-inf"), "1 of 16 values of the tensor {} are no finite numbers"),
        (0.0, "the tensor {} is zeros only"),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
def test_tensors_that_no_training_leaves_are_refused_wherever_a_detector_is_opened(
    tmp_path: Path, value: float, told: str, dtype: torch.dtype
) -> None:
    network = model.build("slim", 64)
    tensors = {name: tensor.to(dtype) for name, tensor in network.state_dict().items()}
    path = tmp_path / "d.safetensors"
    model.save(path, tensors, ABOUT)
    stored.check(path)
    name = "kernel"
    wrong = torch.zeros(4, 4, dtype=dtype)
    wrong[1, 2] = value
    model.save(path, tensors | {name: wrong}, ABOUT)
    with pytest.raises(InputError, match=re.escape(told.format(name))) as caught:
        stored.check(path)
    assert str(path) in str(caught.value)
    with pytest.raises(InputError, match=re.escape(told.format(name))):
        model.refuse_untrained(path, tensors | {name: wrong})


@pytest.mark.parametrize("value", [float("nan"), 0.0])
def test_so_they_are_where_it_is_loaded_or_training_starts_from_it(
    tmp_path: Path, value: float
) -> None:
    tensors = dict(model.build("slim", 64).state_dict())
    name = "backbone.stem.0.weight"
    tensors[name] = torch.full_like(tensors[name], value)
    path = tmp_path / "d.safetensors"
    model.save(path, tensors, ABOUT)
    with pytest.raises(InputError, match=f"the tensor {re.escape(name)}"):
        model.load(path, CPU)
    with pytest.raises(InputError, match=f"the tensor {re.escape(name)}"):
        train.start_from(model.build("slim", 64), path)


def test_biases_and_averages_may_be_zeros(tmp_path: Path) -> None:
    tensors = dict(model.build("slim", 64).state_dict())
    for name, tensor in tensors.items():
        if tensor.ndim < 2:
            tensors[name] = torch.zeros_like(tensor)
    path = tmp_path / "d.safetensors"
    model.save(path, tensors, ABOUT)
    stored.check(path)
    model.load(path, CPU)
