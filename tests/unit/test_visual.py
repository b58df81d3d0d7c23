"""The seeded visual tracker."""

import numpy as np
import pandas as pd
import pytest

from murid import schemas, tables, video
from murid.errors import InputError
from murid.evaluate.outcomes import animal_outcomes, detection_outcomes
from murid.settings import Evaluate, TrackVisually, parse
from murid.tracking import visual
from murid.tracking.stage import TrackVisually as TrackStage

WIDTH, HEIGHT = 128, 64


class Brightest:
    """Stands for a tracker: the box goes where the picture is brightest; lost in the dark."""

    def init(self, picture, region):
        self.size = region[2:]

    def update(self, picture):
        y, x = np.unravel_index(np.argmax(picture[..., 0]), picture.shape[:2])
        return bool(picture.max() > 100), (int(x), int(y), *self.size)


def frame(x, light=255):
    grey = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    grey[20:32, x : x + 12] = light
    return grey


def box(*values):
    return np.array(values, dtype=np.float64)


def truth(*rows):
    return pd.DataFrame(rows, columns=["frame", "animal", *schemas.BOX]).assign(difficult=False)


def test_the_seed_is_the_frame_nearest_to_the_middle_that_shows_most():
    frames = pd.DataFrame({"frame": [0, 4, 8, 12, 50], "snippet": [0, 0, 0, 0, 1]})
    shown = truth(
        (0, "R", 1, 1, 9, 9), (0, "G", 2, 1, 9, 9), (4, "R", 3, 1, 9, 9), (4, "G", 4, 1, 9, 9),
        (8, "R", 5, 1, 9, 9), (12, "R", 6, 1, 9, 9), (12, "G", 7, 1, 9, 9),
    )  # fmt: skip
    (found,) = visual.snippets(frames, shown)  # snippet 1 shows nobody
    assert (found.first, found.last, found.seed) == (0, 12, 4)
    assert {name: own[0] for name, own in found.boxes.items()} == {"R": 3, "G": 4}


def test_of_two_frames_as_near_the_earlier_is_the_seed():
    frames = pd.DataFrame({"frame": [0, 4, 8, 12], "snippet": 0})
    (found,) = visual.snippets(
        frames, truth(*[(n, "R", n, 1, 9, 9) for n in (0, 4, 8, 12)])
    )  # fmt: skip
    assert found.seed == 4


@pytest.mark.parametrize("scale", [1, 2])
def test_animals_are_followed_both_ways(scale):
    places = {number: 4 * number for number in range(10)}
    snippet = visual.Snippet(0, 9, 6, {"R": box(24, 20, 12, 12)})
    shown = [(number, frame(x)) for number, x in places.items()]
    found = visual.follow(shown, snippet, Brightest, WIDTH // scale)
    assert sorted(found) == list(range(10))
    for number, x in places.items():
        assert found[number]["R"].tolist() == [x, 20, 12, 12]


def test_what_the_tracker_loses_is_hidden():
    snippet = visual.Snippet(0, 4, 2, {"R": box(8, 20, 12, 12)})
    shown = [(number, frame(8, light=50 if number in (0, 3) else 255)) for number in range(5)]
    table = visual.as_identities(visual.follow(shown, snippet, Brightest, WIDTH), ["G", "R"])
    assert len(table) == 10
    assert table.loc[table["x"].notna(), "frame"].tolist() == [1, 2, 4]


def test_missing_frames_are_passed_over_but_for_the_seed():
    snippet = visual.Snippet(0, 4, 2, {"R": box(8, 20, 12, 12)})
    shown = {number: frame(8) for number in range(5)}
    found = visual.follow([(n, shown[n]) for n in (0, 2, 4)], snippet, Brightest, WIDTH)
    assert sorted(found) == [0, 2, 4]
    assert visual.follow([(n, shown[n]) for n in (0, 1, 3)], snippet, Brightest, WIDTH) == {}


@pytest.mark.parametrize("where", [(-50, 20, 12, 12), (8, 20, 2, 12), (127, 63, 12, 12)])
def test_an_animal_of_which_nothing_can_be_seen_is_not_tracked(where):
    snippet = visual.Snippet(0, 1, 0, {"R": box(*where), "G": box(8, 20, 12, 12)})
    found = visual.follow([(0, frame(8)), (1, frame(8))], snippet, Brightest, WIDTH)
    assert list(found[1]) == ["G"]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"tracker": "vit"}, "as many models as the tracker vit needs: net"),
        ({"models": ["a.onnx"]}, "as many models as the tracker mil needs: none"),
        ({"tracker": "csrt"}, "'mil', 'vit', 'nano' or 'dasiamrpn'"),
    ],
)
def test_trackers_need_their_models(values, told):
    with pytest.raises(InputError, match=told):
        parse(TrackVisually, values)


@pytest.mark.parametrize("content", [None, b"no model"])
@pytest.mark.parametrize(("tracker", "count"), [("vit", 1), ("nano", 2), ("dasiamrpn", 3)])
def test_a_model_that_cannot_be_loaded_is_named(tmp_path, tracker, count, content):
    models = [str(tmp_path / f"{number}.onnx") for number in range(count)]
    if content:
        for path in models:
            (tmp_path / path).write_bytes(content)
    with pytest.raises(InputError, match=r"0\.onnx"):
        visual.tracker_maker(TrackVisually(tracker=tracker, models=tuple(models)))


@pytest.fixture
def segment(tmp_path):
    """A square that moves over noise, annotated in every fourth of 12 frames."""
    random = np.random.default_rng(1)
    floor = random.integers(60, 120, (HEIGHT, WIDTH), dtype=np.uint8)
    frames, marks, positions = [], [], []
    for number in range(12):
        x = 20 + 2 * number
        grey = floor.copy()
        grey[20:44, x : x + 24] = np.tile([[30, 220], [200, 10]], (12, 12)).astype(np.uint8)
        frames.append(grey)
        positions += [(number, animal, 1, False) for animal in ("G", "R")]
        if number % 4 == 0:
            marks.append((number, 0, "single", ("R",), x, 20, 24, 24, "clear", False))
    video.write(tmp_path / "video.mp4", frames, 25, crf=5)
    for name, rows in (("annotations", marks), ("positions", positions)):
        columns = schemas.CONTRACTS[name].schema.names
        tables.write(pd.DataFrame(rows, columns=columns), tmp_path / f"{name}.parquet", name)
    return tmp_path


def run(folder, output="visual.parquet", footage="video.mp4", **part):
    TrackStage(
        video=folder / footage, positions=folder / "positions.parquet", fps=25.0,
        annotations=folder / "annotations.parquet", output=folder / output, **part,
    ).run()  # fmt: skip
    return tables.read(folder / output, "identities")


def test_mil_follows_and_gives_the_same_twice(segment):
    table = run(segment)
    assert table["frame"].tolist() == [n for n in range(9) for _ in range(2)]
    own = table[table["animal"] == "R"]
    assert table.loc[table["animal"] == "G", "x"].isna().all()
    assert np.abs(own["x"] - (20 + 2 * own["frame"])).max() < 8
    run(segment, "again.parquet")
    assert (segment / "visual.parquet").read_bytes() == (segment / "again.parquet").read_bytes()


def test_animals_are_followed_in_the_part_of_a_video_that_is_the_segment(segment):
    frames = [grey for _, grey in video.Reel(segment / "video.mp4")]
    video.write(segment / "day.mp4", [*frames[::-1], *frames], 25, crf=5)
    table = run(segment, footage="day.mp4", first_frame=12)
    own = table[table["animal"] == "R"]
    assert len(own) == 9
    assert np.abs(own["x"] - (20 + 2 * own["frame"])).max() < 8


def test_its_boxes_are_judged_but_names_no_detections(segment):
    table = run(segment)
    frames = pd.DataFrame({"frame": [0, 4, 8], "snippet": 0})
    shown = truth(*[(n, "R", 20 + 2 * n, 20, 24, 24) for n in (0, 4, 8)])
    rows = animal_outcomes(frames, ["G", "R"], shown, {"visual": table}, Evaluate())
    assert rows["correct"].all()
    found = tables.empty("detections")
    oracle = tables.empty("identities")
    judged = detection_outcomes(frames, found, {"visual": table, "oracle": oracle})
    assert judged.empty


def test_a_video_that_cannot_be_read_leaves_no_rows(segment):
    (segment / "bad.mp4").write_bytes(b"no video")
    assert run(segment, footage="bad.mp4").empty
    assert run(segment, footage="missing.mp4").empty


def test_a_discarded_segment_passes_its_verdict_on(segment):
    verdict = tables.Verdict("discarded", "for a reason")
    tables.write(
        tables.empty("positions"), segment / "positions.parquet", "positions", verdict
    )  # fmt: skip
    assert run(segment).empty
    assert tables.read_verdict(segment / "visual.parquet") == verdict
