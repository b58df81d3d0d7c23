"""Training: the same bytes from the same seed, stopped or not; other weights to begin with."""

import pytest
import torch

from murid.detect import model, stage, train
from murid.errors import InputError
from murid.settings import TrainDetector
from one_mouse import QUICK, annotate, measure, row, scene, train_on


def test_learning_rate_rises_and_stays_or_falls():
    settings = TrainDetector(iterations=100, learning_rate=1.0, warm_up=9)
    rates = [train.learning_rate(step, settings) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[9:] == [1.0] * 91
    falling = settings.model_copy(update={"schedule": "cosine"})
    rates = [train.learning_rate(step, falling) for step in range(100)]
    assert max(rates) == rates[9]
    assert rates[50] == pytest.approx(0.5)
    assert 0 < rates[99] < 0.001


def test_the_same_seed_gives_the_same_bytes(segment, detector, tmp_path):
    again = train_on(segment, tmp_path / "again.safetensors")
    assert again.read_bytes() == detector.read_bytes()
    other = train_on(segment, tmp_path / "other.safetensors", QUICK.model_copy(update={"seed": 2}))
    assert other.read_bytes() != detector.read_bytes()


def test_training_leaves_the_random_numbers_of_others_alone(segment, tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    train_on(segment, tmp_path / "d.safetensors")
    assert torch.rand(1) == expected
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("optimiser", ["adamw", "sgd"])
def test_a_killed_training_goes_on_to_the_same_result(segment, tmp_path, monkeypatch, optimiser):
    settings = QUICK.model_copy(update={"optimiser": optimiser, "schedule": "cosine"})
    whole = train_on(segment, tmp_path / "whole.safetensors", settings)
    steps = []
    learn = train._Training._learn

    def killed(self, batch):
        steps.append(self.step)
        if self.step == 4:
            raise KeyboardInterrupt
        return learn(self, batch)

    monkeypatch.setattr(train._Training, "_learn", killed)
    output = tmp_path / "killed.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train_on(segment, output, settings)
    assert not output.exists()
    steps.clear()

    def counted(self, batch):
        steps.append(self.step)
        return learn(self, batch)

    monkeypatch.setattr(train._Training, "_learn", counted)
    train_on(segment, output, settings)
    assert steps == [3, 4, 5]
    assert output.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [output.name, whole.name]


def test_what_other_settings_left_is_not_gone_on_with(segment, tmp_path, monkeypatch):
    output = tmp_path / "d.safetensors"
    with monkeypatch.context() as context:
        context.setattr("shutil.rmtree", lambda path: None)
        train_on(segment, output)
    expected = train_on(
        segment, tmp_path / "e.safetensors", QUICK.model_copy(update={"seed": 4})
    ).read_bytes()
    train_on(segment, output, QUICK.model_copy(update={"seed": 4}))
    assert output.read_bytes() == expected


def test_without_validation_the_last_checkpoint_is_kept(segment, tmp_path):
    path = train_on(segment, tmp_path / "d.safetensors", validation=False)
    assert model.read_tensors(path)[1]["chosen"] == 6


def test_a_segment_that_cannot_be_used_stops_neither_training_nor_validation(
    segment, tmp_path, caplog
):
    good = (segment / "video.mp4", segment / "annotations.parquet")
    (tmp_path / "junk.mp4").write_bytes(b"x" * 99)
    (tmp_path / "junk.parquet").write_bytes(b"PAR1 was here")
    bad = [(tmp_path / "junk.mp4", good[1]), (good[0], tmp_path / "junk.parquet")]
    outputs = [tmp_path / "alone.safetensors", tmp_path / "among.safetensors"]
    brief = QUICK.model_copy(update={"iterations": 1})
    several = [*bad, good]
    for given, held_back, output in (
        ([good], [good], outputs[0]),
        (several, [bad[0], good], outputs[1]),
    ):
        stage.TrainDetector(
            train=given, validating=held_back, output=output, train_detector=brief
        ).run()
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    for path, _ in bad:
        assert any(text.startswith(f"{path} is left out: ") for text in caplog.messages)
    with pytest.raises(InputError, match=r"junk\.mp4: found"):
        stage.TrainDetector(train=bad, output=outputs[1], train_detector=brief).run()

    made = [tmp_path / "alone.parquet", tmp_path / "among.parquet"]
    for pairs, output in zip(([good], several), made, strict=True):
        measure([("Test", *pair) for pair in pairs], outputs[0], output)
    assert made[0].read_bytes() == made[1].read_bytes()


def test_nothing_to_learn_from_is_an_error(segment, tmp_path):
    annotate([row(0, 0, scene(0)[1], difficult=True)], tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"no annotated box.*skip_difficult"):
        stage.TrainDetector(
            train=[(segment / "video.mp4", tmp_path / "a.parquet")], output=tmp_path / "d",
            train_detector=QUICK,
        ).run()  # fmt: skip


def test_weights_are_taken_over_except_a_classifier_of_other_classes(tmp_path):
    torch.manual_seed(0)
    given = model.build("slim", 64).state_dict()
    name = "head.classification_head.cls_logits.weight"
    given[name] = torch.zeros(91, *given[name].shape[1:])
    model.save(tmp_path / "w.safetensors", given, {})
    torch.save(given, tmp_path / "w.pth")
    for path in (tmp_path / "w.safetensors", tmp_path / "w.pth"):
        network = model.build("slim", 64)
        train.start_from(network, path)
        own = network.state_dict()
        assert own[name].abs().max() > 0
        assert all(torch.equal(own[k], v) for k, v in given.items() if k != name)


def test_weights_of_another_backbone_are_refused(tmp_path):
    model.save(tmp_path / "w.safetensors", model.build("slim", 64).state_dict(), {})
    with pytest.raises(InputError, match="Set backbone"):
        train.start_from(model.build("resnet18", 64), tmp_path / "w.safetensors")


def test_weights_that_cannot_be_downloaded_are_told(monkeypatch):
    def offline(self, **options):
        raise OSError("no route")

    monkeypatch.setattr(train.FCOS_ResNet50_FPN_Weights, "get_state_dict", offline)
    with pytest.raises(InputError, match=r"no route.*https://.*set weights to the file"):
        train.start_from(model.build("slim", 64), "coco")


def test_a_pickle_that_is_not_plain_weights_is_refused(tmp_path):
    import pickle
    from fractions import Fraction

    (tmp_path / "w.pth").write_bytes(pickle.dumps(Fraction(1, 2)))
    with pytest.raises(InputError, match="plain weights"):
        train.start_from(model.build("slim", 64), tmp_path / "w.pth")


def test_fine_tuning_leaves_the_statistics_that_the_weights_came_with(segment, detector, tmp_path):
    settings = QUICK.model_copy(update={"weights": str(detector), "seed": 9})
    tuned, _ = model.read_tensors(train_on(segment, tmp_path / "d.safetensors", settings))
    given, _ = model.read_tensors(detector)
    changed = {name for name in given if not torch.equal(given[name], tuned[name])}
    assert not {name for name in changed if "running" in name}
    assert "backbone.stem.0.weight" in changed


def test_a_detector_learns_to_find_the_mouse(segment, tmp_path):
    settings = QUICK.model_copy(
        update={"iterations": 60, "checkpoint_every": 30, "schedule": "cosine"}
    )
    path = train_on(segment, tmp_path / "d.safetensors", settings)
    history = model.read_tensors(path)[1]["history"]
    assert history[-1]["AP50"] > 0.5
    assert history[-1]["loss"] < 0.8 * history[0]["loss"]
