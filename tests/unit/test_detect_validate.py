"""The boxes of the network, measured against annotations."""

import torch

from murid import tables
from murid.detect import assess, data, model, protocol, validate
from murid.settings import Proposals
from one_mouse import measure


def test_all_boxes_of_the_network_are_measured_as_while_training(segment, detector, tmp_path):
    pair = (segment / "video.mp4", segment / "annotations.parquet")
    segments = [("Test", *pair), ("Train", *pair)]
    measure(segments, detector, tmp_path / "out.parquet")
    found = tables.read(tmp_path / "out.parquet", "detector_validation")
    assert found["split"].tolist() == ["Test", "Train"]
    assert found["label"].unique().tolist() == ["mouse"]
    assert found[["images", "annotations"]].to_numpy().tolist() == [[10, 10]] * 2
    told = max(model.read_tensors(detector)[1]["history"], key=lambda entry: entry["AP"])
    names = ["AP", "AP50", "AP75", "recall", "precision80"]
    assert found.loc[0, names].to_dict() == {name: told[name] for name in names}


def test_validation_follows_the_settings_of_what_is_kept(segment, detector, tmp_path, monkeypatch):
    # A good box that scores 0.5, a false one that scores 0.35.
    scene = assess.scene([[0, 0, 9, 9], [50, 0, 9, 9]], [0.5, 0.35], [[0, 0, 9, 9]], [False])
    thresholds = []

    def scenes_of_samples(network, samples, label):
        thresholds.append(network.nms_thresh)
        return [scene] if label == "mouse" else []

    monkeypatch.setattr(validate, "scenes_of_samples", scenes_of_samples)
    segments = [("Test", segment / "video.mp4", segment / "annotations.parquet")]
    shares = []
    for score, nms in ((0.4, 0.6), (0.3, 0.45)):
        chosen = Proposals(score=score, nms=nms, device="cpu")
        measure(segments, detector, tmp_path / "out.parquet", chosen)
        found = tables.read(tmp_path / "out.parquet", "detector_validation")
        shares += found["precision80"].tolist()
    assert shares == [1.0, 0.5]
    assert set(thresholds) == {0.6, 0.45}


def test_boxes_that_no_filter_has_seen_count(segment, detector):
    network, _ = model.load(detector, torch.device("cpu"))
    network.score_thresh = 0.0
    samples = data.load([(segment / "video.mp4", segment / "annotations.parquet")])
    scenes = protocol.scenes_of_samples(network, samples, "mouse")
    assert sum(len(scene.scores) for scene in scenes) > 5 * len(samples)
    nothing = protocol.summary([], 0.4)
    assert set(nothing.values()) == {0.0}
