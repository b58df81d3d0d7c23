"""Calibration from recordings of a checkerboard."""

import cv2
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from marked_points import read_points
from murid import boxes, recordings, rigs, tables, video
from murid.calibrate.board import Board, find_corners, upright
from murid.cli import cli
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate

GRID = Grid(3, 6)
SIZE = (360, 640)
FINE = 3  # so many samples a pixel each way, for soft edges


def slanted(columns, rows):
    """Homography from squares, from the back left inner corner, to pixels of a slanted camera."""
    board = np.float32([[-1, -1], [columns, -1], [columns, rows], [-1, rows]])
    image = np.float32([[150, 130], [490, 125], [565, 300], [70, 305]])
    return cv2.getPerspectiveTransform(board, image).astype(float)


def similarity(scale, degrees, shift):
    c, s = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
    return np.array([[c, -s, shift[0]], [s, c, shift[1]]])


def draw(homography, columns, rows, colour=0):
    """Draw a board of so many inner corners; places are measured from the pixels' corners."""
    across, down = np.meshgrid(*((np.arange(n * FINE) + 0.5) / FINE for n in SIZE[::-1]))
    pixels = np.column_stack([across.ravel(), down.ravel()])
    x, y = mapped(np.linalg.inv(homography), pixels).T
    on_board = (x >= -1) & (x < columns) & (y >= -1) & (y < rows)
    dark = (np.floor(x) + np.floor(y)) % 2 == colour
    shades = np.where(on_board, np.where(dark, 30.0, 225.0), 200.0)
    shades = shades.reshape(SIZE[0], FINE, SIZE[1], FINE).mean(axis=(1, 3))
    return np.rint(shades).astype(np.uint8)


def mapped(homography, points):
    found = points @ homography[:, :2].T + homography[:, 2]
    return found[:, :2] / found[:, 2:]


def film(path, picture, frames=4, noise=4.0, seed=0):
    random = np.random.default_rng(seed)
    noisy = (
        np.clip(picture + random.normal(0, noise, picture.shape), 0, 255).astype(np.uint8)
        for _ in range(frames)
    )
    video.write(path, noisy, 25.0, crf=18)


def whole(matrix):
    return np.vstack([matrix, [0, 0, 1]])


def test_known_similarities_come_back_from_recordings(tmp_path):
    """Three rigs film the board; the transforms between them are known."""
    ways = {
        "a": similarity(1, 0, (0, 0)),
        "b": similarity(1.04, 1.5, (-10, -15)),
        "c": similarity(0.96, -2, (20, 12)),
    }
    for number, (rig, way) in enumerate(ways.items()):
        picture = draw(whole(way) @ slanted(6, 3), 6, 3)
        film(tmp_path / f"{rig}.mp4", picture, seed=number)
    rows = [f"{rig},{rig}.mp4" for rig in ways]
    (tmp_path / "rigs.csv").write_text("\n".join(["rig,recording", *rows]))
    names = ("transforms", "calibration_points", "calibration_residuals")
    outputs = [tmp_path / f"{name}.parquet" for name in names]
    arguments = ["calibrate", "--points", tmp_path / "rigs.csv", "--rig", "a", "--rig", "c"]
    for option, path in zip(("output", "output-points", "output-residuals"), outputs, strict=True):
        arguments += [f"--{option}", path]
    arguments = [str(a) for a in arguments]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    transforms = tables.read(outputs[0], names[0])
    prototype = transforms.loc[transforms["prototype"], "rig"].item()
    matrices = rigs.read_matrices(outputs[0], ways)
    antennas = mapped(slanted(6, 3), GRID.coordinates(GRID.antennas))
    for rig, way in ways.items():
        raw = boxes.apply(antennas, way)
        expected = boxes.apply(antennas, ways[prototype])
        off = np.linalg.norm(boxes.apply(raw, matrices[rig]) - expected, axis=1)
        assert off.max() < 0.5
    points = tables.read(outputs[1], names[1])
    assert points.groupby("rig").size().to_dict() == dict.fromkeys("abc", 18)
    assert set(tables.read(outputs[2], names[2])["rig"]) == set("abc") - {prototype}


@pytest.mark.parametrize(
    ("columns", "rows", "colour", "first", "pitch"),
    [
        (6, 3, 1, (0, 0), (1, 1)),
        (13, 7, 0, (1, 1), (2, 2)),  # antennas on every second corner
        (7, 4, 0, (0.5, 0.5), (1, 1)),  # in the middle of squares
        (5, 5, 0, (-0.5, 0), (1, 2)),  # beyond the corners, on a square board
    ],
)
def test_boards_of_other_makes(tmp_path, columns, rows, colour, first, pitch):
    homography = slanted(columns, rows)
    cv2.imwrite(str(tmp_path / "board.png"), draw(homography, columns, rows, colour))
    (tmp_path / "rigs.csv").write_text("rig,recording\nr,board.png\n")
    settings = Calibrate(board_corners=(columns, rows), board_first=first, board_pitch=pitch)
    found = read_points(tmp_path / "rigs.csv", settings, GRID)
    assert found["antenna"].tolist() == list(range(1, 19))
    places = np.array(first) + GRID.coordinates(GRID.antennas) * np.array(pitch)
    off = found[["x", "y"]].to_numpy() - mapped(homography, places)
    assert np.abs(off).max() < 0.5


def test_several_recordings_of_a_rig_are_averaged(tmp_path):
    for name, shift in (("one", -1.0), ("two", 1.0)):
        way = whole(similarity(1, 0, (shift, 0)))
        cv2.imwrite(str(tmp_path / f"{name}.png"), draw(way @ slanted(6, 3), 6, 3))
    (tmp_path / "rigs.csv").write_text("rig,recording\nr,one.png\nr,two.png\n")
    found = read_points(tmp_path / "rigs.csv", Calibrate(), GRID)
    expected = mapped(slanted(6, 3), GRID.coordinates(GRID.antennas))
    assert np.abs(found[["x", "y"]].to_numpy() - expected).max() < 0.3


def test_a_moving_board_is_refused(tmp_path):
    ways = [whole(similarity(1, 0, (9 * n, 0))) for n in range(6)]
    frames = [draw(way @ slanted(6, 3), 6, 3) for way in ways]
    video.write(tmp_path / "v.mp4", frames, 25.0)
    (tmp_path / "rigs.csv").write_text("rig,recording\nr,v.mp4\n")
    with pytest.raises(InputError, match=r"v\.mp4: found a board that moves"):
        read_points(tmp_path / "rigs.csv", Calibrate(), GRID)


def test_no_board_names_the_recording_and_what_was_looked_for(tmp_path):
    video.write(tmp_path / "v.mp4", [np.full((96, 128), 99, np.uint8)] * 4, 25.0)
    (tmp_path / "rigs.csv").write_text("rig,recording\nr,v.mp4\n")
    with pytest.raises(InputError, match=r"v\.mp4: found no checkerboard.*6 x 3 inner corners"):
        read_points(tmp_path / "rigs.csv", Calibrate(), GRID)


def test_a_missing_recording_is_named(tmp_path):
    (tmp_path / "rigs.csv").write_text("rig,recording\nr,absent.mp4\n")
    with pytest.raises(InputError, match=r"absent\.mp4: found no file"):
        read_points(tmp_path / "rigs.csv", Calibrate(), GRID)


def test_a_list_of_recordings(tmp_path):
    path = tmp_path / "rigs.csv"
    path.write_text("rig, recording\na, x/1.mp4\na,2.mp4\n")
    assert recordings.listed(path) == [("a", tmp_path / "x/1.mp4"), ("a", tmp_path / "2.mp4")]
    # What a line lacks is the fault of its rig.
    path.write_text("rig,recording\na,\n,x.mp4\n")
    assert recordings.listed(path) == [("a", tmp_path), ("", tmp_path / "x.mp4")]
    with pytest.raises(InputError, match="a line of rig a without recording"):
        read_points(path, Calibrate(), GRID)
    path.write_text("rig,recording\na,1.mp4\na,clip,1.mp4\n")
    with pytest.raises(InputError, match=r"line 3: found 3 cells; expected 2.*quote a name"):
        recordings.listed(path)
    path.write_text('rig,recording\na,"clip,1.mp4"\n')
    assert recordings.listed(path) == [("a", tmp_path / "clip,1.mp4")]
    path.write_text("rig,antenna,x,y\na,1,2,3\n")
    assert recordings.listed(path) == []


@given(st.integers(0, 7), st.floats(-20, 20), st.sampled_from([(3, 6), (4, 4)]))
def test_corners_come_upright_whichever_way_they_were_found(way, degrees, shape):
    rows, columns = shape
    corners = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).astype(float)
    corners = boxes.apply(corners * 50, similarity(1, degrees, (0, 0)))
    found = corners[:, ::-1] if way & 1 else corners
    found = found[::-1] if way & 2 else found
    if way & 4 and rows == columns:
        found = found.transpose(1, 0, 2)
    np.testing.assert_array_equal(upright(found), corners)


def test_a_picture_without_a_board_has_no_corners():
    assert find_corners(np.zeros((60, 80), np.uint8), Board(6, 3)) is None


def test_wrong_points_of_a_rig_are_not_saved_by_the_others(tmp_path):
    antennas = mapped(slanted(6, 3), GRID.coordinates(GRID.antennas))
    rows = [("a", n, *xy) for n, xy in enumerate(antennas, 1)]
    rows += [("b", n, *xy) for n, xy in enumerate(antennas[::-1], 1)]
    data = pd.DataFrame(rows, columns=["rig", "antenna", "x", "y"])
    data.to_csv(tmp_path / "points.csv", index=False)
    arguments = ["calibrate", "--points", str(tmp_path / "points.csv"), "--rig", "b"]
    arguments += ["--output", str(tmp_path / "t.parquet"), "--width=640", "--height=360"]
    result = CliRunner().invoke(cli, arguments)
    assert isinstance(result.exception, InputError)
    assert "points.csv, rig b: found points 1-18 turned by" in str(result.exception)
