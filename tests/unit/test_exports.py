"""Exports: what is in them, and what where nothing can be exported."""

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
from exported_segment import ANIMALS, FPS, FRAMES, NAMES, Paths, boxes_of, export, named
from murid import schemas, tables
from murid.archive.detected import formats
from murid.archive.formats import Source
from murid.cli import cli
from murid.errors import InputError
from murid.exports import per_second
from murid.exports.content import Content, begun, of_tables, written
from murid.exports.files import FORMATS, SUFFIXES, files
from murid.exports.writers import WRITERS

DISCARDED = tables.Verdict("discarded", "no trace, “none” at all")
UNTIMED = ("2026-03-29 01:30:00", "2026-10-25 01:30", "1970-01-01 00:00", "noon", "")
"""Starts that are not one moment by the clocks of London, or of none that was set."""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    folder = tmp_path_factory.mktemp("exported")
    return export(folder, exported_segment.write(folder), "--video=day one.mp4", "--first-frame=7")


@pytest.fixture(scope="module")
def discarded(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    folder = tmp_path_factory.mktemp("discarded")
    return export(folder, exported_segment.write(folder, DISCARDED))


@pytest.fixture(scope="module")
def truth() -> pd.DataFrame:
    """The boxes that are exported, by frame and animal, with the number of the animal."""
    boxes = boxes_of(named()[0])
    return boxes.assign(number=boxes["animal"].map(NAMES.index) + 1)


def test_every_format_has_a_writer_for_each_of_its_files() -> None:
    assert [*WRITERS] == [*SUFFIXES] == [*FORMATS]
    assert [*map(len, WRITERS.values())] == [*map(len, SUFFIXES.values())]
    assert len({*files(FORMATS)}) == len(files(FORMATS))


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


@pytest.mark.parametrize(
    ("start", "first"),
    [("", "2026-03-01T12:00:03.500000+00:00"), ("no time", "2026-03-01T12:00:03.500000+00:00"),
     ("2026-03-01 13:00:00+01:00", "2026-03-01T13:00:03.500000+01:00"),
     ("2026-03-29 01:30:00", "2026-03-01T12:00:03.500000+00:00")],
)  # fmt: skip
def test_times_of_frames_are_told_before_the_start_of_the_sheet(start: str, first: str) -> None:
    about = {"begins": "2026-03-01T12:00:03.500000+00:00"}
    moment, zone = begun(start, "Europe/London", about)
    assert moment is not None
    assert moment.astimezone(zone).isoformat() == first


@pytest.mark.parametrize("start", UNTIMED)
def test_a_start_that_is_no_one_moment_leaves_the_times_of_day_empty(
    tmp_path: Path, start: str
) -> None:
    told = (f"--start={start}", '--zone="Europe/London"')
    paths = export(tmp_path, exported_segment.write(tmp_path), *told, formats=("csv",))
    rows = pd.read_csv(paths["csv.csv"])
    assert len(rows)
    assert rows["time"].isna().all()


def test_a_discarded_segment_is_exported_as_such_whatever_its_start(tmp_path: Path) -> None:
    told = ("--start=2026-03-29 01:30:00", '--zone="Europe/London"')
    paths = export(tmp_path, exported_segment.write(tmp_path, DISCARDED), *told)
    assert json.loads(paths["coco.json"].read_text())["info"]["status"] == "discarded"


@given(st.sampled_from([1.0, 12.5, 25.0, 29.97, 30000 / 1001, 0.4]), st.integers(1, 400))
def test_seconds_hold_each_frame_once_at_any_rate(fps: float, frames: int) -> None:
    content = Content("c", "s", fps, animals=("R",), antennas=np.zeros((frames, 1), dtype=np.int64))
    table = per_second.table(content)
    assert table["frames"].sum() == frames
    assert (table["frames"] >= 1).all()
    assert table["second"].is_monotonic_increasing
    assert table["frames"].max() <= np.ceil(fps)
    assert not table["seen"].any()


@pytest.mark.parametrize(
    ("fps", "second", "frame"), [(5.15, 60, 309), (29.97, 100, 2997), (25.0, 3, 75)]
)
def test_a_frame_that_is_due_when_a_second_begins_is_of_that_second(
    fps: float, second: int, frame: int
) -> None:
    antennas = np.ones((frame + 1, 1), dtype=np.int64)
    table = per_second.table(Content("c", "s", fps, animals=("R",), antennas=antennas))
    assert table.iloc[-1][["second", "frames"]].tolist() == [second, 1]


# --- what cannot be exported


def test_files_of_a_discarded_segment_are_there_and_have_no_boxes(discarded: Paths) -> None:
    for path in discarded.values():
        assert path.is_file()
    assert discarded["mot.txt"].read_text() == ""
    assert discarded["mot.csv"].read_text() == "id,name\n"
    assert pd.read_csv(discarded["via_tracks.csv"]).empty
    assert list(pd.read_csv(discarded["csv.csv"]).columns) == per_second.COLUMNS
    about = json.loads(discarded["coco.json"].read_text())
    assert (about["images"], about["annotations"]) == ([], [])
    assert about["info"]["reason"] == DISCARDED.reason
    with h5py.File(discarded["movement.nc"]) as file:
        assert file["position"].shape == (0, 2, 0)
        assert (file.attrs["status"], file.attrs["reason"]) == ("discarded", DISCARDED.reason)


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
    with h5py.File(paths["slp.slp"]) as file:
        assert len(file["bboxes/x1"]) == len(file["frames"]) == 0
        assert len(file["tracks_json"]) == len(NAMES)


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
        CliRunner().invoke(cli, ["export", *words], catch_exceptions=False)
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
    result = CliRunner().invoke(cli, guarded, catch_exceptions=False)
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
