"""The detector: built, trained, stopped, gone on with, and run over video."""

import subprocess
import sys

import cv2
import numpy as np
import pandas as pd
import pytest
import torch

from murid import contracts, tables, video
from murid.detect import assess, data, infer, model, stage, train, validate
from murid.detect.data import Sample, Wanted
from murid.detect.predict import predict
from murid.errors import InputError
from murid.settings import Detect, Image, Proposals, TrainDetector
from murid.tables import Verdict

pytestmark = pytest.mark.usefixtures("one_thread")

SIZE = (64, 48)
CPU = Proposals(device="cpu")
QUICK = TrainDetector(
    backbone="slim",
    width=64,
    iterations=6,
    batch_size=4,
    optimiser="adamw",
    learning_rate=3e-3,
    checkpoint_every=3,
    device="cpu",
)


def scene(n):
    """A dark mouse on a light ground, further right in each frame, and its box."""
    frame = np.full(SIZE[::-1], 180, np.uint8)
    x = 16 + n % 32
    cv2.ellipse(frame, (x, 28), (10, 6), 0, 0, 360, 60, -1)
    return frame, (x - 10.0, 22.0, 21.0, 13.0)


def row(frame, number, box, who="R", kind="single", difficult=False):
    return (frame, number, kind, [who], *box, "clear", difficult)


def annotate(rows, path=None, verdict=None):
    table = pd.DataFrame(rows, columns=contracts.CONTRACTS["annotations"].schema.names)
    table = tables.conform(table, "annotations")
    if path:
        tables.write(table, path, "annotations", verdict)
    return table


@pytest.fixture(scope="module")
def segment(tmp_path_factory):
    """A video of 40 frames, ten of them annotated, and the other tables of its segment."""
    folder = tmp_path_factory.mktemp("segment")
    video.write(folder / "video.mp4", (scene(n)[0] for n in range(40)), 25.0)
    annotate([row(n, 0, scene(n)[1]) for n in range(0, 40, 4)], folder / "annotations.parquet")
    positions = pd.DataFrame({"frame": range(40), "animal": "R", "antenna": 3, "filled": False})
    tables.write(positions, folder / "positions.parquet", "positions")
    transforms = pd.DataFrame(
        {"rig": ["north"], "prototype": True, "fit_residual": 0.0, "validation_residual": 0.0}
    ).assign(m00=1.0, m01=0.0, m02=0.0, m10=0.0, m11=1.0, m12=0.0)
    tables.write(transforms, folder / "transforms.parquet", "transforms")
    return folder


def train_on(segment, output, settings=QUICK, validation=True):
    pair = (segment / "video.mp4", segment / "annotations.parquet")
    stage.TrainDetector(
        train=[pair], validating=[pair] if validation else [], output=output,
        train_detector=settings,
    ).run()  # fmt: skip
    return output


@pytest.fixture(scope="module")
def detector(segment, tmp_path_factory):
    """A detector that was trained for a moment."""
    return train_on(segment, tmp_path_factory.mktemp("detector") / "d.safetensors")


def detect(segment, detector, output, image=None, **options):
    settings = Detect(**{"score": 0.0, "max_mice": 5, "device": "cpu"} | options)
    stage.Detect(
        video=segment / "video.mp4",
        detector=detector,
        positions=segment / "positions.parquet",
        transforms=segment / "transforms.parquet",
        rig="north",
        fps=25.0,
        output=output,
        detect=settings,
        image=image or Image(width=64, height=48),
    ).run()
    return tables.read(output, "detections")


def measure(segments, detector, output, proposals=CPU):
    stage.ValidateDetector(
        segments=segments, detector=detector, output=output, proposals=proposals
    ).run()


# What is to be learnt


def test_every_kind_of_box_is_wanted_and_labelled():
    wanted = data.wanted(
        annotate(
            [
                row(0, 0, (0, 0, 9, 9)),
                row(0, 1, (9, 0, 9, 9), who="tunnel"),
                row(1, 0, (0, 0, 9, 9), kind="huddle"),
                row(1, 1, (0, 0, 9, 9), kind="tentative"),
                (2, 0, "empty", [], *[np.nan] * 4, "clear", False),
            ]
        )
    )
    names = {frame: [model.CLASSES[n] for n in w.labels] for frame, w in wanted.items()}
    assert names == {0: ["mouse", "tunnel"], 1: ["mouse", "mouse"], 2: []}
    assert wanted[2].boxes.shape == (0, 4)


def test_frames_with_a_difficult_annotation_can_be_left_out():
    rows = [row(0, 0, (0, 0, 9, 9)), row(0, 1, (9, 0, 9, 9), who="G", difficult=True)]
    rows.append(row(1, 0, (0, 0, 9, 9)))
    assert list(data.wanted(annotate(rows), skip_difficult=True)) == [1]
    assert list(data.wanted(annotate(rows))) == [0, 1]


def test_samples_are_the_annotated_frames(segment):
    samples = data.load([(segment / "video.mp4", segment / "annotations.parquet")])
    assert len(samples) == 10
    frames = list(video.read(segment / "video.mp4"))
    for n, sample in enumerate(samples):
        np.testing.assert_array_equal(sample.grey, frames[4 * n])
        np.testing.assert_allclose(sample.wanted.boxes, [scene(4 * n)[1]])


def test_a_segment_without_annotations_needs_no_video(tmp_path):
    path = tmp_path / "a.parquet"
    tables.write(tables.empty("annotations"), path, "annotations", Verdict("discarded", "?"))
    assert data.load([(tmp_path / "absent.mp4", path)]) == []


def test_frames_of_a_video_of_varying_rate_are_found_by_the_segments_rate(shared, tmp_path):
    path = shared / "video_odd" / "made_vfr.mp4"
    at = dict(video.read_frames(path, range(200, 300), 30.0))
    annotate([row(n, 0, (0, 0, 9, 9)) for n in at], tmp_path / "a.parquet")
    samples = data.load([(path, tmp_path / "a.parquet")], fps={path: 30.0})
    assert len(samples) == len(at) > 3
    for sample, frame in zip(samples, at.values(), strict=True):
        np.testing.assert_array_equal(sample.grey, frame)


def test_annotations_beyond_the_end_are_told(segment, tmp_path, caplog):
    annotate([row(n, 0, scene(n)[1]) for n in (0, 99)], tmp_path / "a.parquet")
    assert len(data.load([(segment / "video.mp4", tmp_path / "a.parquet")])) == 1
    assert "1 annotated frames lie beyond its end" in caplog.text


def test_a_varied_box_stays_on_its_animal():
    # The animal is the only thing that is dark, so its box can be read off the picture.
    frame, box = scene(10)
    sample = Sample(
        frame, Wanted(np.array([box], np.float32), np.ones(1, np.int64), np.zeros(1, bool))
    )
    random = np.random.default_rng(0)
    mirrored = 0
    for _ in range(30):
        grey, wanted = data.vary(sample, random)
        assert grey.shape == frame.shape
        assert grey.dtype == np.uint8
        y, x = np.nonzero(cv2.medianBlur(grey, 3) < (int(grey.max()) + int(grey.min())) / 2)
        seen = [x.min(), y.min(), np.ptp(x) + 1, np.ptp(y) + 1]
        np.testing.assert_allclose(wanted.boxes[0], seen, atol=2.5)
        mirrored += wanted.boxes[0, 0] > 25
    assert 5 < mirrored < 25


def test_boxes_that_leave_the_picture_are_cut_or_forgotten():
    boxes = np.array([[-5, 0, 15, 10], [100, 0, 9, 9]], np.float32)
    wanted = Wanted(boxes, np.array([1, 2]), np.zeros(2, bool))
    moved = data._moved(wanted, np.array([[1.0, 0, 0], [0, 1, 0]]), *SIZE)
    assert moved.boxes.tolist() == [[0, 0, 10, 10]]
    assert moved.labels.tolist() == [1]


def test_every_sample_comes_once_in_an_epoch():
    samples = [
        Sample(np.full((4, 4), n, np.uint8), Wanted(np.empty((0, 4)), np.empty(0), np.empty(0)))
        for n in range(10)
    ]
    batches = list(data.batches(samples, 4, seed=3, steps=range(5), varied=False))
    seen = [int(sample.grey[0, 0]) for batch in batches for sample in batch]
    assert sorted(seen[:10]) == sorted(seen[10:]) == list(range(10))
    assert seen[:10] != seen[10:]


def test_a_batch_depends_on_its_step_alone(segment):
    samples = data.load([(segment / "video.mp4", segment / "annotations.parquet")])
    whole = list(data.batches(samples, 4, 1, range(5)))
    later = list(data.batches(samples, 4, 1, range(3, 5)))
    for one, other in zip(whole[3:], later, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a.grey, b.grey)
            np.testing.assert_array_equal(a.wanted.boxes, b.wanted.boxes)


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


# The network


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


# Training


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


# Inference


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
    scenes = validate.scenes_of_samples(network, samples, "mouse")
    assert sum(len(scene.scores) for scene in scenes) > 5 * len(samples)
    nothing = validate.summary([], 0.4)
    assert set(nothing.values()) == {0.0}


def test_the_same_video_twice_gives_the_same_bytes(segment, detector, tmp_path):
    detections = detect(segment, detector, tmp_path / "one.parquet")
    assert len(detections) > 0
    detect(segment, detector, tmp_path / "two.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_frames_are_numbered_and_labelled_whatever_the_batch(segment, detector):
    network, _ = model.load(detector, torch.device("cpu"))
    frames = list(video.read(segment / "video.mp4"))[:10]
    told = []
    single, _ = infer.detect(network, frames, 1)
    batched, count = infer.detect(network, iter(frames), 4, told.append)
    assert (count, told) == (10, [4, 8, 10])
    assert len(single) > 0
    columns = [*contracts.BOX, "score"]
    np.testing.assert_allclose(batched[columns], single[columns], atol=1e-3)
    assert batched["frame"].tolist() == single["frame"].tolist()
    assert set(batched["label"]) <= set(contracts.LABELS)


def test_a_video_without_frames_gives_an_empty_table(detector):
    network, _ = model.load(detector, torch.device("cpu"))
    table, count = infer.detect(network, [])
    assert (len(table), count) == (0, 0)


def test_with_a_stride_the_frames_between_have_no_detections(segment, detector, tmp_path):
    whole = detect(segment, detector, tmp_path / "whole.parquet")
    some = detect(segment, detector, tmp_path / "some.parquet", stride=3)
    assert set(some["frame"]) == {n for n in whole["frame"] if n % 3 == 0}
    expected = whole[whole["frame"] % 3 == 0]
    np.testing.assert_allclose(some[contracts.BOX], expected[contracts.BOX], atol=1e-3)
    assert tables.read_verdict(tmp_path / "some.parquet").status == "usable"


def test_a_video_of_another_length_discards_the_segment(segment, detector, tmp_path):
    positions = pd.DataFrame({"frame": range(30), "animal": "R", "antenna": 3, "filled": False})
    folder = tmp_path / "segment"
    folder.mkdir()
    for name in ("video.mp4", "transforms.parquet"):
        (folder / name).write_bytes((segment / name).read_bytes())
    tables.write(positions, folder / "positions.parquet", "positions")
    assert detect(folder, detector, tmp_path / "out.parquet").empty
    verdict = tables.read_verdict(tmp_path / "out.parquet")
    assert verdict.discarded
    assert "positions: 30, video (decoded): 40" in verdict.reason


def test_frames_beyond_the_positions_are_not_kept(segment, detector, tmp_path):
    positions = pd.DataFrame({"frame": range(39), "animal": "R", "antenna": 3, "filled": False})
    folder = tmp_path / "segment"
    folder.mkdir()
    for name in ("video.mp4", "transforms.parquet"):
        (folder / name).write_bytes((segment / name).read_bytes())
    tables.write(positions, folder / "positions.parquet", "positions")
    assert detect(folder, detector, tmp_path / "out.parquet")["frame"].max() == 38


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "no file"), (b"", "an empty file"), (b"x" * 99, "decoded")]
)
def test_a_video_that_does_not_decode_discards_the_segment(
    segment, detector, tmp_path, content, reason
):
    for name in ("positions.parquet", "transforms.parquet"):
        (tmp_path / name).write_bytes((segment / name).read_bytes())
    if content is not None:
        (tmp_path / "video.mp4").write_bytes(content)
    assert detect(tmp_path, detector, tmp_path / "out.parquet").empty
    verdict = tables.read_verdict(tmp_path / "out.parquet")
    assert verdict.discarded
    assert reason in verdict.reason


def test_a_rig_that_was_refused_discards_its_segments(segment, detector, tmp_path):
    for name in ("positions.parquet", "video.mp4"):
        (tmp_path / name).symlink_to(segment / name)
    about = {f"{tables.REFUSED}north": "its points are mirrored"}
    path = tmp_path / "transforms.parquet"
    tables.write(tables.empty("transforms"), path, "transforms", about=about)
    assert detect(tmp_path, detector, tmp_path / "out.parquet").empty
    expected = Verdict("discarded", "the rig north has no transform: its points are mirrored")
    assert tables.read_verdict(tmp_path / "out.parquet") == expected


def test_a_discarded_segment_is_not_looked_at(segment, tmp_path):
    verdict = Verdict("discarded", "no antennas")
    tables.write(tables.empty("positions"), tmp_path / "positions.parquet", "positions", verdict)
    assert detect(tmp_path, tmp_path / "absent", tmp_path / "out.parquet").empty
    assert tables.read_verdict(tmp_path / "out.parquet") == verdict


def test_of_a_discarded_segment_nothing_is_looked_at_nor_torch_loaded(segment, tmp_path):
    why = tables.Verdict("discarded", "a trace of nobody")
    empty = tables.empty("positions")
    tables.write(empty, tmp_path / "positions.parquet", "positions", why)
    named = [tmp_path / name for name in ("none.mp4", "none.safetensors", "positions.parquet")]
    command = [
        "-m",
        "murid",
        "detect",
        "--rig",
        "north",
        "--fps",
        "25",
        "--output",
        tmp_path / "found.parquet",
    ]
    for option, path in zip(("--video", "--detector", "--positions"), named, strict=True):
        command += [option, path]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command, "--transforms", tmp_path / "none.parquet"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "pyarrow" in done.stderr
    assert "torch" not in done.stderr
    assert tables.read_verdict(tmp_path / "found.parquet") == why
