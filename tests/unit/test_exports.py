"""Exports: what other tools read of them, box by box, is what was named."""

import csv
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import exported_segment
from exported_segment import ANIMALS, FPS, FRAMES, boxes_of, named
from murid import cli as murid_cli
from murid import schemas, tables
from murid.archive.detected import formats
from murid.archive.formats import Source
from murid.errors import InputError
from murid.exports import per_second
from murid.exports.content import Content, of_tables, written
from murid.exports.files import FORMATS, SUFFIXES, files
from murid.exports.writers import WRITERS

NAMES = sorted(ANIMALS)
DISCARDED = tables.Verdict("discarded", "no trace, “none” at all")
Paths = dict[str, Path]


def export(folder: Path, tables_of: list[str], *more: str, formats: tuple = FORMATS) -> Paths:
    """Export as the command does; return the files by format and ending."""
    words = ["export", *tables_of, "--cage=c.1", "--segment=s_1.x", f"--fps={FPS}", *more]
    paths = {}
    for name, suffix in files(formats):
        paths[name + suffix] = folder / name / "c.1" / f"s_1.x{suffix}"
        words += ["--output", name, str(paths[name + suffix])]
    result = CliRunner().invoke(murid_cli.cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return paths


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
def discarded(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    folder = tmp_path_factory.mktemp("discarded")
    return export(folder, exported_segment.write(folder, DISCARDED))


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


def test_every_format_has_a_writer_for_each_of_its_files() -> None:
    assert [*WRITERS] == [*SUFFIXES] == [*FORMATS]
    assert [*map(len, WRITERS.values())] == [*map(len, SUFFIXES.values())]
    assert len({*files(FORMATS)}) == len(files(FORMATS))


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


def test_motmetrics_reads_every_box_and_finds_no_switch(
    exported: Paths, truth: pd.DataFrame
) -> None:
    motmetrics = pytest.importorskip("motmetrics")
    read = motmetrics.io.loadtxt(str(exported["mot.txt"]), fmt=motmetrics.io.Format.MOT15_2D)
    keys = list(zip(truth["frame"] + 1, truth["number"], strict=True))
    assert read.index.tolist() == keys
    # It takes pixels to be counted from 1.
    boxes = read[["X", "Y", "Width", "Height"]] + [1, 1, 0, 0]
    np.testing.assert_allclose(boxes, cells(truth, *schemas.BOX), atol=1e-4)
    np.testing.assert_array_equal(read["Confidence"].astype(np.float32), truth["confidence"])
    compared = motmetrics.utils.compare_to_groundtruth(read, read, "iou", distth=0.5)
    figures = motmetrics.metrics.create().compute(compared, ["mota", "idf1", "num_switches"])
    assert figures.iloc[0].tolist() == [1, 1, 0]


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


# --- read again by murid


@pytest.mark.parametrize(
    ("file", "name"), [("via_tracks.csv", "via_tracks"), ("mot.txt", "mot"), ("coco.json", "coco")]
)
def test_what_is_exported_is_read_again_as_tracklets(
    exported: Paths, truth: pd.DataFrame, file: str, name: str
) -> None:
    read = formats()[name].read(Source(exported[file], expected="tracks")).frame
    assert read["frame"].astype(int).tolist() == truth["frame"].tolist()
    assert read["tracklet"].astype(int).tolist() == truth["number"].tolist()
    columns = [*schemas.BOX, "score"]
    np.testing.assert_array_equal(
        read[columns].to_numpy(np.float32),
        truth[[*schemas.BOX, "confidence"]].to_numpy(np.float32),
    )


# --- second by second


def test_every_second_tells_what_its_frames_say(exported: Paths, truth: pd.DataFrame) -> None:
    read = pd.read_csv(exported["csv.csv"])
    positions = named()[1]
    assert list(read.columns) == per_second.COLUMNS
    assert len(read) == len(ANIMALS) * int(np.ceil(FRAMES / FPS))
    assert read["time"].isna().all()
    for row in read.to_dict("records"):
        assert (row["cage"], row["segment"]) == ("c.1", "s_1.x")
        frames = [frame for frame in range(FRAMES) if int(frame / FPS) == row["second"]]
        assert row["frames"] == len(frames)
        seen = truth[truth["frame"].isin(frames) & (truth["animal"] == row["animal"])]
        assert row["seen"] == pytest.approx(len(seen) / len(frames))
        expected = [
            (seen["x"] + seen["w"] / 2).mean(), (seen["y"] + seen["h"] / 2).mean(),
            seen["confidence"].mean(),
        ]  # fmt: skip
        found = [row["x"], row["y"], row["confidence"]]
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        own = positions["frame"].isin(frames) & (positions["animal"] == row["animal"])
        counts = positions.loc[own, "antenna"].value_counts()
        assert row["antenna"] == min(counts[counts == counts.max()].index)


def test_times_of_day_go_through_daylight_saving(tmp_path: Path) -> None:
    told = ("--start=2026-03-29 00:59:58", '--zone="Europe/London"')
    paths = export(tmp_path, exported_segment.write(tmp_path), *told, formats=("csv",))
    times = pd.read_csv(paths["csv.csv"])["time"].drop_duplicates().tolist()
    assert times[:3] == [
        "2026-03-29T00:59:58+00:00", "2026-03-29T00:59:59+00:00", "2026-03-29T02:00:00+01:00"
    ]  # fmt: skip


def test_a_start_with_an_offset_of_its_own_keeps_it(tmp_path: Path) -> None:
    told = ("--start=2026-03-29T20:30:00.25+05:30", '--zone="Europe/London"')
    paths = export(tmp_path, exported_segment.write(tmp_path), *told, formats=("csv",))
    first = pd.read_csv(paths["csv.csv"])["time"][0]
    assert datetime.fromisoformat(first).isoformat() == "2026-03-29T20:30:00.250000+05:30"


def test_a_start_that_no_clock_showed_is_refused(tmp_path: Path) -> None:
    told = ("--start=2026-03-29 01:30:00", '--zone="Europe/London"')
    with pytest.raises(InputError, match=r"column start: found .* no clock in Europe/London"):
        export(tmp_path, exported_segment.write(tmp_path), *told, formats=("csv",))


@given(st.sampled_from([1.0, 12.5, 25.0, 29.97, 30000 / 1001, 0.4]), st.integers(1, 400))
def test_seconds_hold_each_frame_once_at_any_rate(fps: float, frames: int) -> None:
    content = Content("c", "s", fps, animals=("R",), antennas=np.zeros((frames, 1), dtype=np.int64))
    table = per_second.table(content)
    assert table["frames"].sum() == frames
    assert (table["frames"] >= 1).all()
    assert table["second"].is_monotonic_increasing
    assert table["frames"].max() <= np.ceil(fps)
    assert not table["seen"].any()


# --- what cannot be exported


def test_files_of_a_discarded_segment_can_be_read_and_have_no_boxes(
    discarded: Paths, coco: Callable
) -> None:
    for path in discarded.values():
        assert path.is_file()
    assert discarded["mot.txt"].read_text() == ""
    assert discarded["mot.csv"].read_text() == "id,name\n"
    assert pd.read_csv(discarded["via_tracks.csv"]).empty
    assert list(pd.read_csv(discarded["csv.csv"]).columns) == per_second.COLUMNS
    read = coco(str(discarded["coco.json"]))
    assert (read.getImgIds(), read.getAnnIds()) == ([], [])
    assert read.dataset["info"]["reason"] == DISCARDED.reason
    with h5py.File(discarded["movement.nc"]) as file:
        assert file["position"].shape == (0, 2, 0)
        assert (file.attrs["status"], file.attrs["reason"]) == ("discarded", DISCARDED.reason)


def test_sleap_and_xarray_read_what_a_discarded_segment_has(discarded: Paths) -> None:
    sleap_io = pytest.importorskip("sleap_io")
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    labels = sleap_io.load_slp(str(discarded["slp.slp"]), open_videos=False)
    assert len(labels) == 0
    assert labels.provenance["reason"] == DISCARDED.reason
    data = xarray.load_dataset(discarded["movement.nc"], engine="h5netcdf")
    assert data.sizes == {"time": 0, "space": 2, "individuals": 0}


def test_a_segment_in_which_nobody_is_seen_has_its_frames_all_the_same(tmp_path: Path) -> None:
    words = exported_segment.write(tmp_path)
    hidden = named()[0].assign(tracklet=None, detection=None, **dict.fromkeys(schemas.BOX))
    tables.write(hidden, tmp_path / "identities.parquet", "identities")
    paths = export(tmp_path, words)
    with h5py.File(paths["movement.nc"]) as file:
        assert file["position"].shape == (FRAMES, 2, len(NAMES))
        assert np.isnan(file["position"][()]).all()
    assert paths["mot.txt"].read_text() == ""
    assert len(json.loads(paths["coco.json"].read_text())["images"]) == FRAMES
    read = pd.read_csv(paths["csv.csv"])
    assert not read["seen"].any()
    assert read["antenna"].notna().any()
    assert of_sleap(paths["slp.slp"]).empty


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda names: names.assign(frame=names["frame"] + 1), f"at frame {FRAMES}"),
        (lambda names: names.replace({"animal": {"R": "Z"}}), "a box of Z"),
    ],
)
def test_names_and_readings_of_two_segments_are_refused(
    tmp_path: Path, change: Callable, told: str
) -> None:
    words = exported_segment.write(tmp_path)
    path = tmp_path / "identities.parquet"
    tables.write(change(named()[0]), path, "identities")
    with pytest.raises(InputError, match=told) as caught:
        export(tmp_path, words, formats=("mot",))
    assert caught.value.file == str(path)
    assert not (tmp_path / "mot").exists()


@pytest.mark.parametrize(
    ("name", "file", "told"),
    [("nwb", "a.nwb", "movement"), ("mot", "a.json", r"a file \.txt or \.csv")],
)
def test_formats_that_there_are_not_are_refused(
    tmp_path: Path, name: str, file: str, told: str
) -> None:
    words = exported_segment.write(tmp_path)
    words += ["--cage=c", "--segment=s", "--fps=25", "--output", name, str(tmp_path / file)]
    with pytest.raises(InputError, match=told):
        CliRunner().invoke(murid_cli.cli, ["export", *words], catch_exceptions=False)
    assert not (tmp_path / file).exists()


def test_where_an_export_fails_its_files_are_empty_and_say_why(tmp_path: Path) -> None:
    words = exported_segment.write(tmp_path)
    (tmp_path / "positions.parquet").write_bytes(b"PAR1 was here")
    record = tmp_path / "failed" / "export_segment" / "c" / "s"
    options = ["--cage=c", "--segment=s", "--fps=25"]
    paths = {}
    for name, suffix in files(FORMATS):
        paths[name + suffix] = tmp_path / f"{name}{suffix}"
        options += ["--output", name, str(paths[name + suffix])]
    guarded = ["guard", "--record", str(record), "export", *words, *options]
    result = CliRunner().invoke(murid_cli.cli, guarded, catch_exceptions=False)
    assert result.exit_code == 0
    assert all(path.is_file() for path in paths.values())
    about = json.loads(paths["coco.json"].read_text())
    assert about["info"]["status"] == "failed"
    assert "positions.parquet" in about["info"]["reason"]
    assert about["annotations"] == []
    with h5py.File(paths["movement.nc"]) as file:
        assert "export_segment failed" in file.attrs["reason"]


# --- numbers


@given(st.floats(-1e6, 1e6, width=32))
def test_a_number_is_written_so_that_it_is_read_as_the_same(value: float) -> None:
    (text,) = written(pd.Series([value], dtype=np.float32))
    assert np.float32(float(text)) == np.float32(value)
    assert json.loads(text) == float(text)


@given(st.integers(0, 60), st.integers(0, 10**6))
def test_boxes_come_by_frame_and_animal_whatever_the_order_of_rows(frames: int, seed: int) -> None:
    identities, positions = named(frames, seed=seed)
    about = Content("c", "s", FPS)
    made = of_tables(identities, positions, about)
    mixed = of_tables(
        identities.sample(frac=1, random_state=seed), positions.sample(frac=1, random_state=seed),
        about,
    )  # fmt: skip
    pd.testing.assert_frame_equal(made.boxes, mixed.boxes)
    np.testing.assert_array_equal(made.antennas, mixed.antennas)
    assert made.frames == frames
    assert len(made.boxes) == len(boxes_of(identities))
