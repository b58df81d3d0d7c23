"""What the network's output becomes: the same boxes as torchvision's, for a whole batch at once."""

import numpy as np
import pytest
import torch

from murid.detect import model
from murid.detect.candidates import as_batch
from murid.detect.predict import predict


def network(backbone, width=96):
    torch.manual_seed(3)
    built = model.build(backbone, width)
    for parameter in built.head.parameters():
        # Enough spread for boxes and scores that differ.
        torch.nn.init.normal_(parameter, 0, 0.05)
    built.score_thresh = 0.1
    built.topk_candidates = 40
    return built.eval()


def frames(count, height=45, width=80):
    return list(np.random.default_rng(2).integers(0, 256, (count, height, width), dtype=np.uint8))


@pytest.mark.parametrize("backbone", ["slim", "resnet18"])
def test_boxes_are_those_of_torchvision(backbone):
    built = network(backbone)
    # Torchvision's would take the background for a class like others.
    built.head.classification_head.cls_logits.bias.data[0] = -99.0
    given = frames(3)
    with torch.inference_mode():
        theirs = built(model.as_images(given, torch.device("cpu")))
    for found, wanted in zip(predict(built, given), theirs, strict=True):
        assert len(found.scores) > 3
        corners = wanted["boxes"].numpy()
        np.testing.assert_allclose(found.boxes[:, :2], corners[:, :2], atol=1e-3)
        np.testing.assert_allclose(found.boxes[:, 2:], corners[:, 2:] - corners[:, :2], atol=1e-3)
        np.testing.assert_allclose(found.scores, wanted["scores"].numpy(), atol=1e-5)
        np.testing.assert_array_equal(found.labels, wanted["labels"].numpy())


def test_the_background_is_no_class():
    built = network("slim")
    built.head.classification_head.cls_logits.bias.data[0] = 9.0
    assert set(predict(built, frames(1))[0].labels) <= {1, 2}


def test_frames_of_several_sizes_come_back_in_their_order():
    built = network("slim")
    given = [*frames(2), *frames(1, 60, 60), *frames(1)]
    for found, frame in zip(predict(built, given), given, strict=True):
        (alone,) = predict(built, [frame])
        np.testing.assert_allclose(found.boxes, alone.boxes, atol=1e-3)


def test_only_the_best_boxes_of_a_frame_are_kept():
    built = network("slim")
    whole = predict(built, frames(2))
    built.detections_per_img = 2
    for found, all_of_it in zip(predict(built, frames(2)), whole, strict=True):
        np.testing.assert_array_equal(found.boxes, all_of_it.boxes[:2])


def test_no_box_that_scores_gives_none():
    built = network("slim")
    built.score_thresh = 1.0
    (found,) = predict(built, frames(1))
    assert found.boxes.shape == (0, 4)
    assert predict(built, []) == []


def test_images_are_prepared_as_in_training():
    built = network("slim")
    given = frames(2, 90, 160)
    theirs, _ = built.transform(model.as_images(given, torch.device("cpu")))
    images, seen = as_batch(built, torch.from_numpy(np.stack(given)), torch.float32)
    assert seen == (54, 96)
    assert theirs.image_sizes == [seen] * 2
    torch.testing.assert_close(images, theirs.tensors)


def test_fewer_bits_change_little():
    # What CUDA does in half precision; on a CPU in the other format of 16 bits.
    built = network("slim")
    (whole,) = predict(built, frames(1))
    (fewer,) = predict(built.to(torch.bfloat16), frames(1))
    assert fewer.boxes.dtype == fewer.scores.dtype == np.float32
    assert fewer.scores[0] == pytest.approx(whole.scores[0], abs=0.02)


def test_a_cpu_does_not_compute_in_half_precision():
    ready = model.ready(network("slim"), torch.device("cpu"), half=True)
    assert next(ready.parameters()).dtype == torch.float32
