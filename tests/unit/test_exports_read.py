"""Exports are read by the tools that they are for, box by box, as they were named."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import exported_segment
from exported_segment import FPS, FRAMES, NAMES, Paths, boxes_of, export, named
from murid import schemas, tables


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    folder = tmp_path_factory.mktemp("exported")
    return export(folder, exported_segment.write(folder), "--video=day one.mp4", "--first-frame=7")


@pytest.fixture(scope="module")
def unsure(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """Of names that are not told how probable they are."""
    folder = tmp_path_factory.mktemp("unsure")
    return export(folder, exported_segment.write(folder, sure=False))


@pytest.fixture(scope="module")
def truth() -> pd.DataFrame:
    """The boxes that are exported, by frame and animal, with the number of the animal."""
    boxes = boxes_of(named()[0])
    return boxes.assign(number=boxes["animal"].map(NAMES.index) + 1)


def cells(truth: pd.DataFrame, *columns: str) -> np.ndarray:
    return truth[list(columns)].to_numpy(dtype=np.float64)


def grid(truth: pd.DataFrame, *columns: str) -> np.ndarray:
    """Spread columns by frame and animal, NaN where there is no box, cell by cell."""
    spread = np.full((FRAMES, len(columns), len(NAMES)), np.nan)
    for row in truth.to_dict("records"):
        for place, column in enumerate(columns):
            spread[row["frame"], place, NAMES.index(row["animal"])] = row[column]
    return spread


# --- SLEAP


def of_sleap(path: Path) -> pd.DataFrame:
    """Return what sleap-io reads, a row a box."""
    sleap_io = pytest.importorskip("sleap_io")
    labels = sleap_io.load_slp(str(path), open_videos=False)
    return pd.DataFrame(
        [
            {
                "frame": int(frame.frame_idx), "animal": box.identity.name,
                "track": box.track.name, "x": box.x1, "y": box.y1, "w": box.x2 - box.x1,
                "h": box.y2 - box.y1, "confidence": box.identity_score,
                "tracked": box.tracking_score, "score": box.score,
                "kind": box.category.name, "predicted": box.is_predicted,
            }
            for frame in labels
            for box in frame.bboxes
        ]
    )  # fmt: skip


def test_sleap_reads_every_box_with_its_track_identity_and_scores(
    exported: Paths, truth: pd.DataFrame
) -> None:
    read = of_sleap(exported["slp.slp"])
    assert (read["frame"] - 7).tolist() == truth["frame"].tolist()
    assert read["animal"].tolist() == read["track"].tolist() == truth["animal"].tolist()
    np.testing.assert_allclose(cells(read, *"xywh"), cells(truth, *"xywh"), rtol=0, atol=1e-9)
    for name in ("confidence", "tracked", "score"):
        np.testing.assert_array_equal(read[name], cells(truth, "confidence").ravel())
    assert set(read["kind"]) == {"mouse"}
    assert read["predicted"].all()


def test_sleap_finds_the_video_and_all_animals(exported: Paths) -> None:
    sleap_io = pytest.importorskip("sleap_io")
    labels = sleap_io.load_slp(str(exported["slp.slp"]), open_videos=False)
    (video,) = labels.videos
    assert Path(video.filename) == Path.cwd() / "day one.mp4"
    assert [track.name for track in labels.tracks] == NAMES
    assert [identity.name for identity in labels.identities] == NAMES
    assert labels.provenance["segment"] == "s_1.x"


def test_sleap_writes_what_it_read_as_it_was(exported: Paths, tmp_path: Path) -> None:
    sleap_io = pytest.importorskip("sleap_io")
    again = tmp_path / "again.slp"
    labels = sleap_io.load_slp(str(exported["slp.slp"]), open_videos=False)
    labels.save(str(again), embed=False)
    pd.testing.assert_frame_equal(of_sleap(again), of_sleap(exported["slp.slp"]))


def test_sleap_reads_no_scores_where_nobody_estimated_any(unsure: Paths) -> None:
    read = of_sleap(unsure["slp.slp"])
    assert len(read) == len(boxes_of(named(sure=False)[0]))
    assert read[["confidence", "tracked", "score"]].isna().all(axis=None)


# --- COCO


@pytest.fixture
def coco() -> Callable:
    return pytest.importorskip("pycocotools.coco").COCO


def test_pycocotools_reads_every_box_of_every_animal_and_frame(
    exported: Paths, truth: pd.DataFrame, coco: Callable
) -> None:
    read = coco(str(exported["coco.json"]))
    entries = read.loadAnns(read.getAnnIds())
    frames = {image["id"]: image["frame_id"] for image in read.loadImgs(read.getImgIds())}
    assert [*frames.values()] == [*range(FRAMES)]
    names = {track["id"]: track["name"] for track in read.dataset["tracks"]}
    assert [*names.values()] == NAMES
    assert [frames[entry["image_id"]] for entry in entries] == truth["frame"].tolist()
    assert [names[entry["track_id"]] for entry in entries] == truth["animal"].tolist()
    np.testing.assert_array_equal(
        np.array([entry["bbox"] for entry in entries], dtype=np.float32),
        truth[schemas.BOX].to_numpy(np.float32),
    )
    scores = np.array([entry["score"] for entry in entries], dtype=np.float32)
    np.testing.assert_array_equal(scores, truth["confidence"])
    areas = [entry["bbox"][2] * entry["bbox"][3] for entry in entries]
    assert [entry["area"] for entry in entries] == areas
    assert read.loadCats(read.getCatIds())[0]["name"] == "mouse"
    (video,) = read.dataset["videos"]
    assert (video["name"], video["first_frame"], video["fps"]) == ("c.1/s_1.x", 7, FPS)


def test_boxes_find_each_other_again_by_coco_s_own_measure(exported: Paths, coco: Callable) -> None:
    evaluator = pytest.importorskip("pycocotools.cocoeval").COCOeval
    read = coco(str(exported["coco.json"]))
    judged = evaluator(read, read.loadRes(read.loadAnns(read.getAnnIds())), "bbox")
    judged.evaluate()
    judged.accumulate()
    judged.summarize()
    assert judged.stats[0] == pytest.approx(1)


def test_coco_says_nothing_of_scores_that_nobody_estimated(unsure: Paths, coco: Callable) -> None:
    read = coco(str(unsure["coco.json"]))
    entries = read.loadAnns(read.getAnnIds())
    assert entries
    assert not any("score" in entry for entry in entries)


# --- MOT


def test_mot_text_has_every_box_from_frame_1_and_tells_who_numbers_are(
    exported: Paths, truth: pd.DataFrame
) -> None:
    names = pd.read_csv(exported["mot.csv"])
    assert names["name"].tolist() == NAMES
    assert names["id"].tolist() == [1, 2, 3]
    read = pd.read_csv(exported["mot.txt"], header=None)
    assert (read[0] - 1).tolist() == truth["frame"].tolist()
    assert read[1].tolist() == truth["number"].tolist()
    found = read[[2, 3, 4, 5, 6]].to_numpy(np.float32)
    np.testing.assert_array_equal(found, truth[[*schemas.BOX, "confidence"]].to_numpy(np.float32))
    assert (read[[7, 8, 9]] == -1).all(axis=None)


def test_a_confidence_that_nobody_estimated_is_minus_1(unsure: Paths) -> None:
    assert set(pd.read_csv(unsure["mot.txt"], header=None)[6]) == {-1}


def test_trackeval_reads_every_box_and_finds_nothing_wrong(
    exported: Paths, truth: pd.DataFrame, tmp_path: Path
) -> None:
    trackeval = pytest.importorskip("trackeval")
    given, ours = tmp_path / "gt" / "s" / "gt", tmp_path / "trackers" / "murid" / "data"
    for folder in (given, ours):
        folder.mkdir(parents=True)
    lines = truth.assign(frame=truth["frame"] + 1, sure=1, rest=-1)
    columns = ["frame", "number", *schemas.BOX, "sure", "rest", "rest", "rest"]
    lines[columns].to_csv(given / "gt.txt", header=False, index=False)
    (ours / "s.txt").write_bytes(exported["mot.txt"].read_bytes())
    data = trackeval.datasets.MotChallenge2DBox(
        {
            "GT_FOLDER": str(tmp_path / "gt"), "TRACKERS_FOLDER": str(tmp_path / "trackers"),
            "BENCHMARK": "MOT15", "SKIP_SPLIT_FOL": True, "SEQ_INFO": {"s": FRAMES},
            "PRINT_CONFIG": False,
        }
    )  # fmt: skip
    read = data.get_raw_seq_data("murid", "s")
    for frame in range(FRAMES):
        boxes = truth[truth["frame"] == frame]
        assert read["tracker_ids"][frame].tolist() == boxes["number"].tolist()
        found = read["tracker_dets"][frame].reshape(-1, 4)
        np.testing.assert_allclose(found, cells(boxes, *schemas.BOX), rtol=1e-6)
        scores = np.ravel(read["tracker_confidences"][frame])
        np.testing.assert_allclose(scores, cells(boxes, "confidence").ravel(), rtol=1e-6)
    prepared = data.get_preprocessed_seq_data(read, "pedestrian")
    quiet = {"PRINT_CONFIG": False}
    identity = trackeval.metrics.Identity(quiet).eval_sequence(prepared)
    clear = trackeval.metrics.CLEAR(quiet).eval_sequence(prepared)
    assert (identity["IDF1"], clear["MOTA"], clear["IDSW"]) == (1, 1, 0)
    assert clear["CLR_TP"] == len(truth)


# --- movement


def test_netcdf_has_every_box_of_every_frame_and_animal(
    exported: Paths, truth: pd.DataFrame
) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    data = xarray.load_dataset(exported["movement.nc"], engine="h5netcdf")
    assert data["position"].dims == data["shape"].dims == ("time", "space", "individuals")
    assert data["confidence"].dims == ("time", "individuals")
    assert data["individuals"].to_numpy().tolist() == NAMES
    assert data["space"].to_numpy().tolist() == ["x", "y"]
    np.testing.assert_array_equal(data["time"], np.arange(FRAMES) / FPS)
    shape = grid(truth, "w", "h")
    np.testing.assert_array_equal(data["shape"], shape)
    np.testing.assert_array_equal(data["position"], grid(truth, "x", "y") + shape / 2)
    np.testing.assert_array_equal(data["confidence"], grid(truth, "confidence")[:, 0])
    about = data.attrs
    assert about["source_file"] == str(Path.cwd() / "day one.mp4")
    assert (about["ds_type"], about["time_unit"], about["fps"]) == ("bboxes", "seconds", FPS)
    assert (about["source_software"], about["status"]) == ("murid", "usable")


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
def test_movement_takes_the_netcdf_for_one_of_its_own(
    exported: Paths, truth: pd.DataFrame, engine: str
) -> None:
    datasets = pytest.importorskip("movement.validators.datasets")
    kinematics = pytest.importorskip("movement.kinematics")
    import xarray

    data = xarray.load_dataset(exported["movement.nc"], engine=engine)
    datasets.ValidBboxesInputs.validate(data)
    shape = grid(truth, "w", "h")
    np.testing.assert_array_equal(data["position"], grid(truth, "x", "y") + shape / 2)
    assert kinematics.compute_velocity(data["position"]).shape == data["position"].shape
    own = datasets.ValidBboxesInputs(
        position_array=grid(truth, "x", "y") + shape / 2, shape_array=shape,
        confidence_array=grid(truth, "confidence")[:, 0], individual_names=NAMES,
        fps=FPS, source_software="murid",
    ).to_dataset()  # fmt: skip
    assert own.equals(data)
    assert own.attrs.items() <= data.attrs.items()


def test_movement_reads_via_tracks(exported: Paths, truth: pd.DataFrame) -> None:
    load = pytest.importorskip("movement.io").load_dataset
    data = load(exported["via_tracks.csv"], "VIA-tracks", fps=FPS, use_frame_numbers_from_file=True)
    assert data["individuals"].to_numpy().tolist() == ["id_1", "id_2", "id_3"]
    frames = np.unique(truth["frame"])  # those without a box are not in such a file
    np.testing.assert_allclose(data["time"] * FPS, frames)
    shape = grid(truth, "w", "h")
    where = grid(truth, "x", "y") + shape / 2
    np.testing.assert_allclose(data["shape"], shape[frames], rtol=1e-6)
    np.testing.assert_allclose(data["position"], where[frames], rtol=1e-6)
    confidence = grid(truth, "confidence")[frames, 0]
    np.testing.assert_allclose(data["confidence"], confidence, rtol=1e-6)


def test_via_tracks_name_each_animal_and_count_the_rectangles_of_a_frame(
    exported: Paths, truth: pd.DataFrame
) -> None:
    with exported["via_tracks.csv"].open(newline="") as file:
        rows = list(csv.DictReader(file))
    regions = [json.loads(row["region_attributes"]) for row in rows]
    assert [region["identity"] for region in regions] == truth["animal"].tolist()
    assert [json.loads(row["file_attributes"])["frame"] for row in rows] == truth["frame"].tolist()
    for name, group in pd.DataFrame(rows).groupby("filename"):
        assert name.startswith("s_1.x_0")
        assert group["region_id"].astype(int).tolist() == [*range(len(group))]
        assert set(group["region_count"].astype(int)) == {len(group)}


# --- a segment that is discarded


@pytest.fixture(scope="module")
def discarded(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    folder = tmp_path_factory.mktemp("discarded")
    verdict = tables.Verdict("discarded", "no trace, “none” at all")
    return export(folder, exported_segment.write(folder, verdict))


def test_sleap_reads_of_it_why_there_is_nothing(discarded: Paths) -> None:
    sleap_io = pytest.importorskip("sleap_io")
    labels = sleap_io.load_slp(str(discarded["slp.slp"]), open_videos=False)
    assert len(labels) == 0
    assert labels.provenance["reason"] == "no trace, “none” at all"


def test_pycocotools_reads_of_it_that_there_is_nothing(discarded: Paths, coco: Callable) -> None:
    read = coco(str(discarded["coco.json"]))
    assert (read.getImgIds(), read.getAnnIds()) == ([], [])


def test_xarray_reads_of_it_that_no_time_went_by(discarded: Paths) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    data = xarray.load_dataset(discarded["movement.nc"], engine="h5netcdf")
    assert data.sizes == {"time": 0, "space": 2, "individuals": 0}
    assert data.attrs["reason"] == "no trace, “none” at all"
