import hashlib
import json
import os
import platform
import re
import subprocess
import sys
from itertools import pairwise, product

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from marked_points import read_points
from murid import boxes, schemas, tables, video
from murid.calibrate.calibration import calibrate
from murid.cli import cli
from murid.errors import InputError
from murid.settings import Calibrate, Simulate
from murid.sheet import read_sheet
from murid.simulate.annotate import View, annotate, huddles
from murid.simulate.antennas import centres, trace
from murid.simulate.body import BODY_PARTS, Pose, body, outlines
from murid.simulate.demo import CAGES, make
from murid.simulate.motion import roam
from murid.simulate.plans import _crosses, _way_around
from murid.simulate.processor import plain_processes
from murid.simulate.render import Painter, visible_box
from murid.simulate.scene import DEPTH, HOPPER, WIDTH, Camera, Tunnel, backdrop
from murid.simulate.stage import Simulate as SimulateStage
from simulated_rig import hopper, reference

TINY = Simulate(cages=2, seconds=4, damaged_seconds=3, width=160, processes=1)
TUNNEL = Tunnel(11.0, 8.0, 0.2)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    out = tmp_path_factory.mktemp("archive")
    make(out, TINY)
    return out


@pytest.fixture(scope="module")
def lives():
    """A minute of three mice."""
    return roam(600, 10.0, 3, TUNNEL, np.random.default_rng(5))


def digests(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def standing(x, y, heading=0.0, **more):
    """A pose of one frame."""
    zero = np.zeros(1)
    values = dict.fromkeys(Pose.__dataclass_fields__, zero)
    values |= {"x": zero + x, "y": zero + y, "heading": zero + heading, "tail": zero + heading}
    return Pose(**values | {name: zero + value for name, value in more.items()})


def test_an_archive_is_complete_and_its_sheet_reads(archive):
    sheet = read_sheet(archive / "segments.tsv")
    assert [(s.cage, s.segment, s.split) for s in sheet.values()] == [
        ("C01", "1", "Train"),
        ("C01", "2", "Train"),
        ("C02", "1", "Test"),
        ("C02", "2", "Test"),
    ]
    assert {s.rig for s in sheet.values()} == {"north", "south"}
    for segment in sheet.values():
        for part in (segment.video, segment.positions, segment.annotations):
            assert (archive / part).is_file()
        frames = [frame for _, frame in video.Reel(archive / segment.video)]
        seconds = TINY.seconds if segment.segment == "1" else TINY.damaged_seconds
        assert len(frames) == round(seconds * TINY.fps)
        assert frames[0].shape == (TINY.height, TINY.width)
        truth = tables.read(
            archive / f"truth/{segment.cage}_{segment.segment}.parquet", "identities"
        )
        assert len(truth) == len(frames) * 3
        assert sorted(truth["animal"].unique()) == ["B", "G", "R"]
    assert "simulated" in (archive / "README.txt").read_text()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(archive, tmp_path):
    make(tmp_path / "again", TINY)
    assert digests(tmp_path / "again") == digests(archive)
    make(tmp_path / "other", TINY.model_copy(update={"seed": 2, "cages": 1}))
    other = digests(tmp_path / "other")
    assert other["videos/C01_1.mp4"] != digests(archive)["videos/C01_1.mp4"]


def test_several_processes_give_the_same_bytes(archive, tmp_path):
    make(tmp_path, TINY.model_copy(update={"processes": 2}))
    assert digests(tmp_path) == digests(archive)


def test_an_archive_does_not_depend_on_the_processor(root):
    """As it is, restricted to AVX2, and without AVX: the script compares them."""
    command = [sys.executable, root / "tests" / "archive_digest.py"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert len(result.stdout.splitlines()) == 3, result.stderr
    assert result.returncode == 0, result.stdout


def test_drawing_leaves_the_environment_as_it_was(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", "AVX512_SPR")
    before = dict(os.environ)
    with plain_processes():
        assert os.environ["OPENBLAS_CORETYPE"] != "Haswell" or platform.machine() == "aarch64"
        assert "AVX512_SPR" in os.environ["NPY_DISABLE_CPU_FEATURES"].split(",")
    assert dict(os.environ) == before


def test_six_cages_cover_all_splits_and_both_rigs_in_training(tmp_path):
    options = Simulate(cages=6, seconds=0.2, damaged_seconds=0.2, width=64, processes=1)
    make(tmp_path, options)
    sheet = [s for s in read_sheet(tmp_path / "segments.tsv").values() if s.segment == "1"]
    splits = [s.split for s in sheet]
    assert (splits.count("Train"), splits.count("Validate"), splits.count("Test")) == (3, 1, 2)
    for split in ("Train", "Test"):
        assert {s.rig for s in sheet if s.split == split} == {"north", "south"}


def test_the_help_tells_the_splits_in_their_order():
    told = Simulate.model_fields["cages"].description
    assert re.findall("Train|Test|Validate", told) == [split for split, _ in CAGES]


def test_the_prototype_is_the_rig_north_and_its_points_map_well():
    for seed in range(5):
        from murid.simulate.demo import _points

        options = Simulate(seed=seed)
        rows = [line.split(",") for line in _points(options).splitlines()[1:]]
        import pandas as pd

        data = pd.DataFrame(rows, columns=["rig", "antenna", "x", "y"]).astype(
            {"antenna": int, "x": float, "y": float}
        )
        table = calibrate(data, Calibrate()).transforms.set_index("rig")
        assert bool(table.loc["north", "prototype"])
        assert table.loc["south", "validation_residual"] < 1.0
        angle = np.degrees(np.arctan2(table.loc["south", "m10"], table.loc["south", "m00"]))
        assert 0.5 < abs(angle) < 2


def test_points_of_a_tiny_archive_calibrate(archive):
    points = read_points(archive / "points.csv")
    assert len(calibrate(points, Calibrate()).transforms) == 2


def test_the_demo_configuration_knows_the_hopper_and_the_frame(root):
    demo = yaml.safe_load((root / "config/simulated.yaml").read_text())
    defaults = Simulate()
    assert demo["image"] == {"width": defaults.width, "height": defaults.height}
    assert_allclose(demo["detect"]["hopper"], hopper(defaults.width), atol=0.1)


def test_the_hopper_polygon_is_where_the_hopper_is_drawn():
    options = Simulate()
    scene = backdrop(reference(options.width), TUNNEL, np.random.default_rng(0))
    v, u = np.nonzero(scene.kind == HOPPER)
    pixels = np.column_stack([u, v, np.ones_like(u), np.ones_like(v)]).astype(float)
    assert boxes.fraction_inside(pixels, hopper(options.width)).mean() > 0.9


def test_the_damage_is_as_described(archive):
    read = lambda name: np.genfromtxt(  # noqa: E731
        archive / f"positions/{name}.csv", delimiter=",", skip_header=1, filling_values=np.nan
    )
    fillable, short, lost = read("C01_1"), read("C01_2"), read("C02_2")
    missing = np.isnan(fillable)
    assert missing.any()
    for column in np.flatnonzero(missing.any(axis=0)):
        rows = np.flatnonzero(missing[:, column])
        assert (np.diff(rows) == 1).all()
        assert fillable[rows[0] - 1, column] == fillable[rows[-1] + 1, column]
    assert len(np.atleast_2d(short)) < round(TINY.damaged_seconds * TINY.fps) - 2
    column = int(np.flatnonzero(np.isnan(lost).any(axis=0))[0])
    rows = np.flatnonzero(np.isnan(lost[:, column]))
    last = rows[-1] + 1
    assert last == len(lost) or lost[rows[0] - 1, column] != lost[last, column]
    assert not np.isnan(read("C02_1")).any()


def test_annotations_are_a_via_2_project_on_the_grid_of_four_seconds(archive):
    project = json.loads((archive / "annotations/C02_1.json").read_text())
    images = project["_via_img_metadata"]
    assert project["_via_image_id_list"] == list(images)
    frames = [int(image["file_attributes"]["frame"]) for image in images.values()]
    step = round(TINY.annotate_every * TINY.fps)
    assert frames == list(range(0, round(TINY.seconds * TINY.fps), step))
    for image in images.values():
        identities = [region["region_attributes"]["identity"] for region in image["regions"]]
        assert "tunnel" in identities
        for region in image["regions"]:
            shape = region["shape_attributes"]
            assert shape["name"] == "rect"
            assert shape["x"] >= 0
            assert shape["x"] + shape["width"] <= TINY.width + 0.1
            assert shape["y"] + shape["height"] <= TINY.height + 0.1


def test_annotated_boxes_lie_on_the_true_ones(archive):
    project = json.loads((archive / "annotations/C01_1.json").read_text())
    truth = tables.read(archive / "truth/C01_1.parquet", "identities")
    truth = truth.set_index(["frame", "animal"])[schemas.BOX]
    compared = 0
    for image in project["_via_img_metadata"].values():
        for region in image["regions"]:
            key = (int(image["file_attributes"]["frame"]), region["region_attributes"]["identity"])
            if key[1] in "RGB":
                shape = region["shape_attributes"]
                drawn = [shape["x"], shape["y"], shape["width"], shape["height"]]
                assert_allclose(drawn, truth.loc[key], atol=1.5)
                compared += 1
    assert compared >= 2


def test_mice_stay_in_the_cage_and_out_of_the_tunnels_walls(lives):
    for track in lives:
        pose = track.pose
        assert (pose.x > 0).all()
        assert (pose.x < WIDTH).all()
        assert (pose.y > 0).all()
        assert (pose.y < DEPTH).all()
        along, across = TUNNEL.along_across(pose.x, pose.y)
        wall = (np.abs(along) < TUNNEL.length / 2 - 1) & (pose.z < 1)
        wall &= (np.abs(across) > 1.2) & (np.abs(across) < TUNNEL.radius)
        assert wall.mean() < 0.02


def test_mice_move_smoothly_and_not_all_the_time(lives):
    for track in lives:
        step = np.hypot(np.diff(track.pose.x), np.diff(track.pose.y))
        assert step.max() < 1.5
        assert 0.05 < (track.speed > 1).mean() < 0.9


def test_mice_visit_every_antenna():
    counts = np.zeros(19, dtype=int)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        tracks = roam(1500, 10.0, 3, TUNNEL, rng)
        counts += np.bincount(trace(tracks, 10.0, rng).ravel(), minlength=19)
    assert counts[0] == 0
    assert (counts[1:] > 0).all()


def test_the_trace_lags_by_about_one_and_a_half_seconds(lives):
    """The reported antennas agree best with where the mice were that long ago."""
    fps = 10.0
    reported = centres()[trace(lives, fps, np.random.default_rng(1)) - 1]
    places = np.stack([[t.pose.x, t.pose.y] for t in lives]).transpose(2, 0, 1)
    errors = []
    lags = np.arange(0, 40)
    for lag in lags:
        gap = reported[40:] - places[40 - lag : len(places) - lag]
        errors.append(np.median(np.hypot(*gap.transpose(2, 0, 1))))
    assert 0.8 <= lags[int(np.argmin(errors))] / fps <= 2.5


def test_the_trace_changes_at_the_scans_only(lives):
    changes = np.flatnonzero((np.diff(trace(lives, 10.0, np.random.default_rng(2)), axis=0)).any(1))
    assert len(changes) > 5
    assert (np.diff(changes) % 5 == 0).all()


def test_an_outline_is_the_extent_of_the_projected_surface():
    camera = Camera(320, 180)
    mouse = body(standing(12.0, 12.0, 0.7, pitch=0.4))
    angles = np.linspace(0, 2 * np.pi, 181)
    heights = np.linspace(-1, 1, 91)
    ring = np.sqrt(1 - heights**2)
    sphere = np.stack(
        [
            np.outer(ring, np.cos(angles)),
            np.outer(ring, np.sin(angles)),
            np.outer(heights, np.ones_like(angles)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    for part, box in enumerate(outlines(mouse, camera)[0]):
        surface = sphere @ np.linalg.inv(mouse.shape[0, part]).T + mouse.centre[0, part]
        pixels = camera.project(surface)
        assert_allclose(box[:2], pixels.min(axis=0), atol=0.05)
        assert_allclose(box[2:], pixels.max(axis=0), atol=0.05)


def drawn(*poses, tunnel=TUNNEL):
    camera = Camera(320, 180)
    scene = backdrop(camera, tunnel, np.random.default_rng(0))
    painter = Painter(camera, scene, [body(p) for p in poses], np.random.default_rng(1))
    picture, owner = painter.draw(0)
    wholes = [animal.whole()[0] for animal in painter.animals]
    return picture, owner, wholes


def test_a_mouse_in_the_open_is_seen_whole():
    _, owner, (whole,) = drawn(standing(20.0, 14.0))
    box, _ = visible_box(owner, 1, whole)
    expected = [whole[0], whole[1], whole[2] - whole[0], whole[3] - whole[1]]
    assert boxes.paired_iou(box, expected)[0] > 0.9


def test_the_nearer_mouse_hides_the_farther_whatever_their_order():
    near, far = standing(24.0, 15.0), standing(24.0, 12.0)
    for order in ((near, far), (far, near)):
        _, owner, wholes = drawn(*order)
        front = order.index(near)
        _, shown = visible_box(owner, front + 1, wholes[front])
        _, rest = visible_box(owner, 2 - front, wholes[1 - front])
        alone = visible_box(drawn(far)[1], 1, wholes[1 - front])[1]
        assert shown > rest
        assert rest < 0.8 * alone


def test_a_mouse_in_the_middle_of_the_tunnel_is_hidden():
    _, owner, (whole,) = drawn(standing(11.0, 8.0, 0.0), tunnel=Tunnel(11.0, 8.0, 0.0, length=14.0))
    assert visible_box(owner, 1, whole) is None


def test_a_mouse_is_darker_than_its_surroundings():
    picture, owner, _ = drawn(standing(24.0, 14.0))
    empty = drawn(standing(24.0, 2.0))[0]
    inside = owner == 1
    assert picture[inside].mean() < 0.6 * empty[inside].mean()


def test_feet_are_no_part_of_the_box():
    assert 0 < BODY_PARTS.sum() < len(BODY_PARTS)


@given(st.integers(0, 40), st.integers(0, 30), st.integers(3, 30), st.integers(3, 20))
def test_a_visible_box_is_that_of_its_pixels(x, y, w, h):
    owner = np.zeros((60, 80), dtype=np.uint8)
    owner[y : y + h, x : x + w] = 2
    box, count = visible_box(owner, 2, np.array([0, 0, 80, 60]))
    assert box.tolist() == [x, y, w, h]
    assert count == w * h


def test_nothing_visible_is_no_box():
    assert visible_box(np.zeros((9, 9), dtype=np.uint8), 1, np.array([0, 0, 9, 9])) is None
    assert visible_box(np.ones((9, 9), dtype=np.uint8), 1, np.array([20, 20, 25, 25])) is None


places = st.tuples(st.floats(2.4, WIDTH - 2.4), st.floats(2.4, DEPTH - 2.4))


@settings(max_examples=60, deadline=None)
@given(places, places)
def test_a_way_around_the_tunnel_does_not_lead_through_it(start, goal):
    corners = _way_around(start, goal, TUNNEL)
    if not corners:
        return
    way = [start, *corners, goal]
    assert not any(_crosses(a, b, TUNNEL) for a, b in pairwise(way))


def view_of(boxes_, share=1.0, scale=1.0):
    """A view of one frame: visible boxes, and wholes ``scale`` times as wide."""
    visible = np.array(boxes_, dtype=float)[None]
    whole = np.nan_to_num(visible, nan=20.0) * [1, 1, scale, 1]
    shares = np.broadcast_to(share, visible.shape[:2]).astype(float)
    return View(visible, whole, shares, np.full((1, 4), np.nan))


@pytest.mark.parametrize(
    ("scale", "visibility"), [(1.0, "clear"), (1.22, "marginal"), (2.0, "truncated")]
)
def test_visibility_is_the_share_of_the_extent(scale, visibility):
    view = view_of([[50, 50, 40, 20]], scale=scale)
    found = [
        annotate(0, view, np.zeros(0, bool), ["R"], (320, 180), np.random.default_rng(seed))[0]
        for seed in range(20)
    ]
    kinds = [region.visibility for region in found]
    assert kinds.count(visibility) > 12


def test_hidden_animals_are_not_annotated_and_hardly_visible_ones_are_difficult():
    view = view_of([[50, 50, 40, 20], [np.nan] * 4, [200, 50, 6, 6]], share=[1.0, np.nan, 0.05])
    regions = annotate(
        0, view, np.zeros(3, bool), ["R", "G", "B"], (320, 180), np.random.default_rng(0)
    )
    assert [region.identities[0] for region in regions] == ["R", "B"]
    assert [region.difficult for region in regions] == [False, True]


def test_a_huddle_is_one_box_over_both():
    view = view_of([[50, 50, 40, 20], [70, 45, 40, 20], [200, 50, 40, 20]])
    regions = annotate(
        0, view, np.array([True, False, False]), ["R", "G", "B"], (320, 180),
        np.random.default_rng(0),
    )  # fmt: skip
    huddle = next(region for region in regions if region.kind == "huddle")
    assert huddle.identities == ("R", "G")
    assert_allclose(huddle.box, [50, 45, 60, 25], atol=3)
    assert [region.identities for region in regions if region.kind == "single"] == [("B",)]


def test_only_sleepers_that_touch_huddle():
    near, far = [50, 50, 40, 20], [200, 50, 40, 20]
    cases = product(([near, near], [near, far]), ([True, True], [True, False]))
    for pair, asleep in cases:
        view = view_of(pair)
        rng = np.random.default_rng(0)
        found = huddles(view, np.array([asleep]), rng, chance=1.0)
        assert found.item() is (pair[1] == near and all(asleep))


def test_the_command_makes_an_archive(tmp_path):
    arguments = ["simulate", str(tmp_path / "demo"), "--cages", "1", "--seconds", "0.4"]
    arguments += ["--damaged-seconds", "0.4", "--width", "64", "--processes", "1", "--fps", "5"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "demo/segments.tsv").is_file()
    made = f"made {tmp_path / 'demo/segments.tsv'} and 2 segments of 1 cage (C01 Train)"
    assert result.output.splitlines()[-1] == made


def test_an_archive_of_real_animals_is_not_written_over(tmp_path):
    sheet = tmp_path / "segments.tsv"
    sheet.write_text("cage\tsegment\n")
    with pytest.raises(InputError, match=r"segments\.tsv: found a sample sheet of another archive"):
        SimulateStage(out=tmp_path).run()
    assert sheet.read_text() == "cage\tsegment\n"
