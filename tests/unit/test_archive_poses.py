"""Boxes around body parts, and the files of tools that track them."""

from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from murid import schemas
from murid.archive import body_parts, detections
from murid.archive.body_parts import FEWEST, MARGIN
from murid.errors import InputError
from writers import Track, deeplabcut

BOX = schemas.BOX


def around(points):
    """Return the box of one animal's points, without the margin; None if too few are there."""
    there = points[np.isfinite(points).all(axis=1)]
    if len(there) < FEWEST:
        return None
    low, high = there.min(axis=0), there.max(axis=0)
    return [*low, *(high - low)]


def with_margin(boxes):
    boxes = np.array(boxes)
    margin = MARGIN * np.median(boxes[:, 2:].max(axis=1))
    return boxes + np.array([-1, -1, 2, 2]) * margin


# --- the rule


@given(
    points=arrays.arrays(
        np.float64, (6, 4, 2), elements=st.floats(0, 1000, allow_nan=False) | st.just(np.nan)
    ),
    scores=arrays.arrays(np.float64, (6, 4), elements=st.floats(0, 1) | st.just(np.nan)),
)
def test_a_box_holds_the_parts_that_are_seen_and_the_same_margin_in_each_frame(points, scores):
    seen = np.where((scores <= 0.5)[..., None], np.nan, points)
    expected = {frame: box for frame in range(6) if (box := around(seen[frame])) is not None}
    given = Path("a.h5"), np.arange(6), points, scores
    if expected and np.median([max(box[2:]) for box in expected.values()]) == 0:
        with pytest.raises(InputError, match="at one place"):
            body_parts.boxes(*given, above=0.5)
        return
    found = body_parts.boxes(*given, above=0.5)
    assert found.frame["frame"].tolist() == list(expected)
    if expected:
        boxes = found.frame[BOX].to_numpy()
        np.testing.assert_allclose(boxes, with_margin([*expected.values()]), atol=1e-9)
    scored = found.frame["score"].dropna()
    assert scored.between(0, 1).all()


def test_an_animal_of_which_one_part_is_seen_is_left_out_and_told():
    points = np.array([[[0, 0], [10, 0]], [[0, 0], [np.nan, 0]], [[np.nan] * 2] * 2])
    found = body_parts.boxes(Path("a.h5"), np.arange(3), points, None)
    assert found.frame["frame"].tolist() == [0]
    assert found.frame["score"].isna().all()
    assert found.verdict.status == "repaired"
    assert "1 of 2 animals have no box, since only one body part is seen" in found.verdict.reason


POINTS = np.tile(np.array([[0.0, 0.0], [10.0, 5.0]]), (200, 1, 1))


def test_scores_of_another_unit_are_refused_and_peaks_a_little_over_one_are_not():
    likely = np.tile([0.9, 0.02], (200, 1))
    with pytest.raises(InputError, match=r"a.h5: found 400 of 400 .* up to 90.*divide them by 100"):
        body_parts.boxes(Path("a.h5"), np.arange(200), POINTS, 100 * likely)
    peaks = likely.copy()
    peaks[:, 0], peaks[0, 0] = 1.2, 3.0
    found = body_parts.boxes(Path("a.h5"), np.arange(200), POINTS, peaks)
    assert found.frame["score"].max() <= 1


# --- SLEAP


@pytest.fixture(params=["two_flies", "two_flies_noisy_detections"])
def flies(shared, request):
    return shared / "tracks" / f"{request.param}.slp"


def of_labels(labels):
    """Return frames, boxes without margin and tracks of what sleap-io reads."""
    rows = [
        (frame.frame_idx, around(each.numpy()), each.track)
        for frame in labels
        for each in frame.instances
    ]
    rows = [row for row in rows if row[1] is not None]
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def test_labels_of_sleap_are_read_as_sleap_io_does(flies):
    sleap_io = pytest.importorskip("sleap_io")
    table, verdict = detections.read(flies)
    frames, boxes, tracks = of_labels(sleap_io.load_slp(str(flies)))
    assert verdict.status == "usable"
    assert table["frame"].tolist() == frames
    np.testing.assert_allclose(table[BOX], with_margin(boxes))
    assert [track is None for track in tracks] == table["tracklet"].isna().tolist()
    assert table["tracklet"].nunique() == 2
    assert table["score"].isna().all()


def predicted(sleap_io, tracked=True, frames=20):
    """Return predictions of three parts of two animals, one of which has been put right."""
    skeleton = sleap_io.Skeleton(["nose", "back", "tail"])
    tracks = [sleap_io.Track("a"), sleap_io.Track("b")] if tracked else [None, None]
    video = sleap_io.Video("a.mp4")
    labelled = []
    for frame in range(frames):
        made = []
        for number, track in enumerate(tracks):
            x = 50.0 + 10 * frame + 200 * number
            points = np.array([[x, 40], [x + 20, 45], [x + 40, 50]], dtype=float)
            points[2] = np.nan if frame == 7 else points[2]
            made.append(
                sleap_io.PredictedInstance.from_numpy(
                    points, skeleton=skeleton, track=track, score=3.5,
                    point_scores=np.array([0.9, 0.7, 1.1]),
                )
            )  # fmt: skip
        if frame == 5:
            points = np.array([[0.0, 0], [10, 0], [20, 10]])
            right = sleap_io.Instance.from_numpy(points, skeleton=skeleton, track=tracks[0])
            right.from_predicted = made[0]
            made.append(right)
        labelled.append(sleap_io.LabeledFrame(video=video, frame_idx=frame + 3, instances=made))
    return sleap_io.Labels(labelled)


@pytest.mark.parametrize("tracked", [True, False])
def test_predictions_of_sleap_have_scores_and_give_way_to_what_was_put_right(tmp_path, tracked):
    sleap_io = pytest.importorskip("sleap_io")
    path = tmp_path / "a.slp"
    predicted(sleap_io, tracked).save(str(path), embed=False)
    table, verdict = detections.read(path)
    assert verdict.status == "usable"
    assert table["frame"].tolist() == [frame for frame in range(3, 23) for _ in range(2)]
    put_right = table[table["score"].isna()]
    assert put_right["frame"].tolist() == [8]
    scores = table["score"].dropna().unique()
    np.testing.assert_allclose(sorted(scores), [0.8, (0.9 + 0.7 + 1) / 3])
    assert ("tracklet" in table) == tracked
    if tracked:
        assert table.groupby("tracklet").size().tolist() == [20, 20]


@pytest.mark.parametrize("preset", ["matlab", "standard"])
def test_analysis_hdf5_of_sleap_says_the_same_in_any_order_of_dimensions(tmp_path, preset):
    sleap_io = pytest.importorskip("sleap_io")
    labels = predicted(sleap_io)
    labels.save(str(tmp_path / "a.slp"), embed=False)
    sleap_io.save_analysis_h5(labels, str(tmp_path / "a.h5"), preset=preset)
    one, other = (detections.read(tmp_path / name).table for name in ("a.slp", "a.h5"))
    order = ["frame", "tracklet"]
    one, other = (table.sort_values(order, ignore_index=True) for table in (one, other))
    assert one[order].astype(float).equals(other[order].astype(float))
    np.testing.assert_allclose(one[BOX], other[BOX])
    scored = one["score"].notna()
    np.testing.assert_allclose(one["score"][scored], other["score"][scored])


def test_the_old_layout_of_analysis_hdf5_is_transposed(tmp_path):
    places = np.full((2, 2, 3, 5), np.nan)  # tracks, sides, parts, frames
    places[1, :, :, 2] = [[10, 20, 30], [5, 5, 15]]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["tracks"] = places
        file["track_occupancy"] = np.zeros((5, 2))
        file["track_names"] = np.array([b"a", b"b"])
    table = detections.read(tmp_path / "a.h5").table
    assert table["frame"].tolist() == [2]
    assert table["tracklet"].tolist() == [1]
    np.testing.assert_allclose(table[BOX], with_margin([[10, 5, 20, 10]]))


# --- JABS


def write_jabs(path, version=3):
    points = np.zeros((4, 3, 12, 2), np.uint16)
    confidence = np.zeros((4, 3, 12), np.float32)
    points[:, 0, :3] = [[40, 100], [45, 120], [50, 140]]  # y before x
    points[:, 1, :3] = [[240, 100], [245, 120], [250, 140]]
    confidence[:, :2, :3] = [0.5, 0.7, 0.9]
    with h5py.File(path, "w") as file:
        group = file.create_group("poseest")
        group.attrs["version"] = [version, 0]
        several = version > 2
        group["points"] = points if several else points[:, 0]
        group["confidence"] = confidence if several else confidence[:, 0]
        if several:
            group["instance_count"] = np.array([2, 2, 1, 0], np.uint8)
            tracks = [[0, 1, 0], [0, 1, 0], [2, 0, 0], [0, 0, 0]]
            group["instance_track_id"] = np.array(tracks, np.uint32)
    return path


def test_poses_of_jabs_have_y_before_x_and_stretches_for_tracklets(tmp_path):
    table, verdict = detections.read(write_jabs(tmp_path / "a_pose_est_v3.h5"))
    assert verdict.status == "usable"
    assert table["frame"].tolist() == [0, 0, 1, 1, 2]
    assert table["tracklet"].tolist() == [0, 1, 0, 1, 2]
    np.testing.assert_allclose(table[BOX].iloc[0], [94, 34, 52, 22])
    np.testing.assert_allclose(table["score"], 0.7, atol=1e-6)


def test_sleap_io_reads_the_same_of_jabs(tmp_path):
    sleap_io = pytest.importorskip("sleap_io")
    path = write_jabs(tmp_path / "a_pose_est_v3.h5")
    frames, boxes, _ = of_labels(sleap_io.load_jabs(str(path)))
    table, _ = detections.read(path)
    assert table["frame"].tolist() == frames
    np.testing.assert_allclose(table[BOX], with_margin(boxes))


def test_a_single_mouse_of_jabs_is_in_no_tracklet(tmp_path):
    table, _ = detections.read(write_jabs(tmp_path / "a_pose_est_v2.h5", version=2))
    assert table["frame"].tolist() == [0, 1, 2, 3]
    assert "tracklet" not in table


# --- DeepLabCut


@pytest.fixture(params=[".csv", ".h5"])
def predictions(root, request):
    return root / "tests" / "data" / "recipes" / f"videoDLC{request.param}"


def test_predictions_of_deeplabcut_are_boxes_of_parts_that_are_likely(root, predictions):
    table, verdict = detections.read(predictions)
    path = root / "tests" / "data" / "recipes" / "videoDLC.csv"
    raw = pd.read_csv(path, skiprows=4, header=None).to_numpy()[:, 1:]
    expected = []
    for frame, row in enumerate(raw):
        for x, y, likelihood in row[:18].reshape(2, 3, 3).transpose(0, 2, 1):
            sure = likelihood > 0.6
            box = around(np.column_stack([x, y])[sure])
            if box is not None:
                expected.append([frame, *box, likelihood[sure].mean()])
    expected = np.array(expected)
    expected[:, 1:5] = with_margin(expected[:, 1:5])
    assert len(expected) == 74  # and none around the two corners of the cage
    np.testing.assert_allclose(table[["frame", *BOX, "score"]], expected)
    assert "tracklet" not in table
    assert verdict.status == "usable"


def test_a_single_animal_of_deeplabcut_has_no_individuals(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "scorer,D,D,D,D,D,D\nbodyparts,nose,nose,nose,tail,tail,tail\n"
        "coords,x,y,likelihood,x,y,likelihood\n0,10,20,0.9,50,40,0.8\n1,,,,50,40,0.8\n"
    )
    table, verdict = detections.read(path)
    np.testing.assert_allclose(table[["frame", *BOX]], [[0, 4, 14, 52, 32]])
    assert "1 of 2 animals" in verdict.reason


def lines_of(root):
    return (root / "tests" / "data" / "recipes" / "videoDLC.csv").read_text().splitlines()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: [*lines[:-1], lines[-1][:40]], "line 44: found "),
        (lambda lines: [*lines[:5], lines[5].replace("60.289", "here"), *lines[6:]],
         "line 6, column mouse1 snout x: found 'here'"),
        (lambda lines: [*lines[:5], "img1.png" + lines[5][1:], *lines[6:]],
         "line 6, column frame: found 'img1.png'"),
        (lambda lines: [*lines[:3], lines[3].replace("likelihood", "z"), *lines[4:]], "'z'"),
        (lambda lines: [*lines[:3], lines[3].replace("y", "x"), *lines[4:]], "a column twice"),
        (lambda lines: lines[:1] + lines[2:3] + lines[4:], "rows of header"),
        (lambda lines: [lines[0]], "rows of header"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_csv_of_deeplabcut_is_told_by_line(root, tmp_path, change, told):
    path = tmp_path / "a.csv"
    path.write_text("\n".join(change(lines_of(root))) + "\n")
    with pytest.raises(InputError) as error:
        detections.read(path)
    assert told in str(error.value)
    assert "a.csv" in str(error.value)


def test_a_frame_of_deeplabcut_that_is_there_twice_is_refused(predictions, tmp_path):
    path = tmp_path / predictions.name
    path.write_bytes(predictions.read_bytes())
    if path.suffix == ".csv":
        path.write_text(path.read_text() + path.read_text().splitlines()[-1] + "\n")
    else:
        with h5py.File(path, "r+") as file:
            table = file["df_with_missing/table"]
            rows = table[:]
            rows["index"][-2] = rows["index"][-1]
            table[:] = rows
    last = int(detections.read(predictions).table["frame"].max())
    with pytest.raises(InputError, match=f"frame {last}: found 1 frames twice or more often"):
        detections.read(path)


def test_what_pandas_pickled_in_hdf5_is_never_run(root, tmp_path):
    path = tmp_path / "a.h5"
    path.write_bytes((root / "tests" / "data" / "recipes" / "videoDLC.h5").read_bytes())
    made = tmp_path / "run"
    with h5py.File(path, "r+") as file:
        table = file["df_with_missing/table"]
        table.attrs["values_block_0_kind"] = np.bytes_(f"cos\nmkdir\n(V{made}\ntR.".encode())
    with pytest.raises(InputError, match=r"a\.h5"):
        detections.read(path)
    assert not made.exists()


def changed(name, change):
    def apply(group):
        values = change(group[name][()])
        del group[name]
        group[name] = values

    return apply


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (changed("axis1", lambda rows: rows + 0.5), "rows by float64; expected one by numbers of"),
        (changed("axis1", lambda rows: np.char.mod(b"img%d.png", rows)), "labels of its pictures"),
        (lambda group: group.pop("axis1"), "without numbers of rows"),
        (changed("axis1", lambda rows: rows * 0), "frames twice"),
        (changed("block0_values", lambda values: values[:, 1:]), "shape .*24 columns"),
        (changed("block0_values", lambda values: values.astype("S8")), "numbers in 2 dimensions"),
        (changed("block0_items_label1", lambda places: places + 1), "a name that there is not"),
        (changed("block0_items_label2", lambda places: places[1:]), "levels of names"),
        (changed("block0_items_label2", lambda places: places * 0), "a column twice"),
        (lambda group: group.pop("block0_items_level3"), "the column"),
        (lambda group: group.pop("block0_items_level1"), "1 levels of names"),
        (changed("block0_items_level3", lambda names: names[[0, 0, 2]]), "a column twice"),
        (lambda group: group.__setitem__("block1_values", [1.0]), "columns of several kinds"),
    ],
)
def test_what_is_wrong_in_fixed_tables_of_deeplabcut_is_told(tmp_path, change, told):
    boxes = {frame: (10.0 + frame, 20.0, 30.0, 40.0) for frame in range(5)}
    path = tmp_path / "a.h5"
    others = dict.fromkeys(range(5), (110.0, 20.0, 30.0, 40.0))
    deeplabcut.write_fixed(path, [Track("R", boxes), Track("G", others)])
    assert len(detections.read(path).table) == 10
    with h5py.File(path, "r+") as file:
        change(file["df_with_missing"])
    with pytest.raises(InputError, match=rf"a\.h5.*{told}"):
        detections.read(path)


# --- damage


def sleap_table(**columns):
    kinds = [(name, np.asarray(values).dtype) for name, values in columns.items()]
    table = np.zeros(len(next(iter(columns.values()))), kinds)
    for name, values in columns.items():
        table[name] = values
    return table


def write_slp(path, version=1.2, frames=None, **instances):
    """Write two instances of two parts, in the tables of SLEAP."""
    with h5py.File(path, "w") as file:
        file.create_group("metadata").attrs["format_id"] = version
        file["frames"] = sleap_table(
            **({"frame_id": [0, 1], "video": [0, 0], "frame_idx": [4, 9]} | (frames or {}))
        )
        given = {
            "instance_id": [0, 1], "instance_type": [0, 1], "frame_id": [0, 1], "track": [-1, -1],
            "from_predicted": [-1, -1], "point_id_start": [0, 0], "point_id_end": [2, 2],
        }  # fmt: skip
        file["instances"] = sleap_table(**(given | instances))
        points = {"x": [10.0, 30.0], "y": [10.0, 20.0], "visible": [True, True]}
        file["points"] = sleap_table(**points)
        file["pred_points"] = sleap_table(**points, score=[0.5, 0.7])
    return path


def test_places_of_old_versions_of_sleap_are_put_half_a_pixel_on(tmp_path):
    new = detections.read(write_slp(tmp_path / "a.slp")).table
    old = detections.read(write_slp(tmp_path / "b.slp", version=1)).table
    np.testing.assert_allclose(new[BOX] - old[BOX], [[0.5, 0.5, 0, 0]] * 2)
    assert new["frame"].tolist() == [4, 9]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"version": 3.0}, "labels of version 3.0"),
        ({"version": "new"}, "labels of version new"),
        ({"frame_id": [0, 7]}, "instance 1: found the frame_id 7"),
        ({"frames": {"video": [0, 1]}}, "labels of 2 videos"),
        ({"frames": {"frame_idx": [4.0, 1e30]}}, "instance 1, column frame: found "),
        ({"frames": {"frame_idx": [-4, 1]}}, "instance 0, column frame: found "),
        ({"point_id_end": [2, 9]}, "instance 1: found points 0 to 9"),
        ({"point_id_start": [-1, 0]}, "instance 0: found points -1 to 2"),
        ({"point_id_start": [2**60, 0]}, "instance 0: found points"),
        ({"point_id_end": [np.nan, 2]}, "instance 0: found points 0 to nan"),
        ({"track": [b"a", b"b"]}, "a table with numbers track"),
        ({"frame_id": [0, 0], "track": [1.5, 1.5]}, "column tracklet"),
        ({"frame_id": [0, 0], "track": [1, 1], "instance_type": [0, 0]}, "one box of a tracklet"),
    ],
)
def test_what_is_wrong_in_labels_of_sleap_is_told_by_instance(tmp_path, how, told):
    with pytest.raises(InputError) as error:
        detections.read(write_slp(tmp_path / "a.slp", **how))
    assert told in str(error.value)
    assert "a.slp" in str(error.value)
