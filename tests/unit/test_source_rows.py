"""Where a box of another tool comes from can be told to the end: its track and its row there."""

import csv
import json
import sqlite3
import zipfile
from contextlib import closing

import h5py
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import readme_blocks
from murid import schemas, tables
from murid.archive import body_parts, detections
from murid.archive.detected import formats
from murid.cli import cli
from murid.errors import InputError
from murid.identify.stage import Identify
from murid.models import fitted_path, fitted_weights
from murid.tracking import adopt
from small_rig import FPS, MODEL, boxes_at, simple_model

SIZE = (200, 100)
SIDE = 40.0
EDGE = 0.15 * SIDE
"""Pixels by which the box around two parts, SIDE apart each way, is wider on each side."""

# A writer takes boxes as (frame, track, left), with their tops at 0. It returns the file and what
# looks into it: (frame, source_track, source_row) to frame, track and left.


def mot(folder, boxes):
    path = folder / "a.txt"
    lines = [f"{f + 1},{t},{x},0,{SIDE},{SIDE},0.9,-1,-1,-1" for f, t, x in boxes]
    path.write_text("\n" + "\n\n".join(lines) + "\n")

    def look(frame, track, row):
        cells = path.read_text().splitlines()[row - 1].split(",")
        return int(cells[0]) - 1, cells[1], float(cells[2])

    return path, look


def table(folder, boxes):
    path = folder / "a.csv"
    rows = [f"{f},{x},0,{SIDE},{SIDE},{t}" for f, t, x in boxes]
    path.write_text("frame,x,y,w,h,tracklet\n\n" + "\n".join(rows) + "\n")

    def look(frame, track, row):
        cells = path.read_text().splitlines()[row - 1].split(",")
        return int(cells[0]), cells[5], float(cells[1])

    return path, look


def coco(folder, boxes):
    path = folder / "a.json"
    entries = [
        {"image_id": f, "category_id": 1, "bbox": [x, 0, SIDE, SIDE], "score": 0.9, "track_id": t}
        for f, t, x in boxes
    ]
    path.write_text(json.dumps(entries))

    def look(frame, track, row):
        entry = json.loads(path.read_text())[row]
        return entry["image_id"], str(entry["track_id"]), entry["bbox"][0]

    return path, look


def ultralytics(folder, boxes):
    path = folder / "a.json"
    frames: list[list[dict]] = [[] for _ in range(1 + max(f for f, *_ in boxes))]
    for f, t, x in boxes:
        corners = {"x1": x, "y1": 0, "x2": x + SIDE, "y2": SIDE}
        frames[f].append({"name": "mouse", "confidence": 0.9, "box": corners, "track_id": t})
    path.write_text(json.dumps(frames))

    def look(frame, track, row):
        box = json.loads(path.read_text())[frame][row]
        return frame, str(box["track_id"]), box["box"]["x1"]

    return path, look


def ultralytics_text(folder, boxes):
    path = folder / "a.zip"
    files: dict[int, list[str]] = {}
    width, height = SIZE
    for f, t, x in boxes:
        shares = (x + SIDE / 2) / width, SIDE / 2 / height, SIDE / width, SIDE / height
        line = " ".join(map(repr, (0, *shares, 0.9, t)))
        files.setdefault(f, []).append(line)
    with zipfile.ZipFile(path, "w") as archive:
        for f, lines in files.items():
            archive.writestr(f"labels/video_{f + 1}.txt", "\n".join(lines) + "\n")

    def look(frame, track, row):
        with zipfile.ZipFile(path) as archive:
            lines = archive.read(f"labels/video_{frame + 1}.txt").decode().splitlines()
        numbers = list(map(float, lines[row - 1].split()))
        return frame, f"{numbers[6]:g}", numbers[1] * width - SIDE / 2

    return path, look


def via_tracks(folder, boxes):
    path = folder / "a.json"
    images: dict[int, dict] = {}
    for f, t, x in boxes:
        image = images.setdefault(f, {"filename": f"{f:06d}.png", "size": -1, "regions": []})
        shape = {"name": "rect", "x": x, "y": 0, "width": SIDE, "height": SIDE}
        region = {"shape_attributes": shape, "region_attributes": {"track": str(t)}}
        image["regions"].append(region)
    path.write_text(json.dumps({image["filename"]: image for image in images.values()}))

    def look(frame, track, row):
        region = json.loads(path.read_text())[f"{frame:06d}.png"]["regions"][row]
        return frame, region["region_attributes"]["track"], region["shape_attributes"]["x"]

    return path, look


def live_mouse_tracker(folder, boxes):
    path = folder / "a.sqlite"
    path.unlink(missing_ok=True)
    sides = ", ".join(
        f"{point}_{side} REAL" for point in ("MASS", "FRONT", "BACK") for side in "XY"
    )
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE FRAME (FRAMENUMBER INTEGER)")
        base.execute("INSERT INTO FRAME VALUES (5)")
        base.execute(
            "CREATE TABLE DETECTION (ID INTEGER PRIMARY KEY, FRAMENUMBER INTEGER, "
            f"ANIMALID INTEGER, {sides}, DATA TEXT)"
        )
        for place, (f, t, x) in enumerate(boxes):
            data = "".join(
                f"<bounds{name}>{int(value)}</bounds{name}>"
                for name, value in zip("XYWH", (x, 0, SIDE, SIDE), strict=True)
            )
            row = (1000 - 3 * place, f + 5, t, *[-1] * 6, data)
            base.execute("INSERT INTO DETECTION VALUES (?,?,?,?,?,?,?,?,?,?)", row)
        base.commit()

    def look(frame, track, row):
        with closing(sqlite3.connect(path)) as base:
            found = base.execute("SELECT * FROM DETECTION WHERE ID = ?", (row,)).fetchone()
        return found[1] - 5, str(found[2]), float(found[-1].split(">")[1].split("<")[0])

    return path, look


def deeplabcut(folder, boxes):
    path = folder / "a.csv"
    tracks = sorted({t for _, t, _ in boxes})
    at = {(f, t): x for f, t, x in boxes}
    kinds = [(t, part, side) for t in tracks for part in "ab" for side in ("x", "y", "likelihood")]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["scorer", *["D"] * len(kinds)])
        writer.writerow(["individuals", *(str(t) for t, *_ in kinds)])
        writer.writerow(["bodyparts", *(part for _, part, _ in kinds)])
        writer.writerow(["coords", *(side for *_, side in kinds)])
        for f in sorted({f for f, *_ in boxes}, reverse=True):
            cells = [f]
            for t in tracks:
                left = at.get((f, t))
                cells += [""] * 6 if left is None else [left, 0, 0.9, left + SIDE, SIDE, 0.9]
            writer.writerow(cells)

    def look(frame, track, row):
        lines = list(csv.reader(path.open()))
        column = lines[1].index(track)
        return int(lines[row - 1][0]), track, float(lines[row - 1][column]) - EDGE

    return path, look


def jabs(folder, boxes):
    path = folder / "a.h5"
    frames = 1 + max(f for f, *_ in boxes)
    count = np.zeros(frames, np.uint8)
    points = np.zeros((frames, len(boxes), 2, 2), np.uint16)
    scores = np.zeros((frames, len(boxes), 2), np.float32)
    tracks = np.zeros((frames, len(boxes)), np.uint32)
    for f, t, x in boxes:
        points[f, count[f]] = [[0, x], [SIDE, x + SIDE]]
        scores[f, count[f]] = 1
        tracks[f, count[f]] = t
        count[f] += 1
    with h5py.File(path, "w") as file:
        group = file.create_group("poseest")
        group["points"], group["confidence"] = points, scores
        group["instance_count"], group["instance_track_id"] = count, tracks

    def look(frame, track, row):
        name = str(tracks[frame, row])
        return frame, name, float(points[frame, row, 0, 1]) - EDGE

    return path, look


def sleap_analysis(folder, boxes):
    path = folder / "a.h5"
    tracks = sorted({t for _, t, _ in boxes})
    frames = 1 + max(f for f, *_ in boxes)
    places = np.full((len(tracks), 2, 2, frames), np.nan)
    for f, t, x in boxes:
        places[tracks.index(t), :, :, f] = [[x, x + SIDE], [0, SIDE]]
    names = [f"track {t}" for t in tracks]
    with h5py.File(path, "w") as file:
        file["tracks"] = places
        file["track_occupancy"] = np.zeros((frames, len(tracks)))
        file["track_names"] = np.array([name.encode() for name in names])

    def look(frame, track, row):
        assert names[row] == track
        return frame, track.removeprefix("track "), places[row, 0, 0, frame] - EDGE

    return path, look


def sleap(folder, boxes):
    path = folder / "a.slp"
    tracks = sorted({t for _, t, _ in boxes})
    frames = sorted({f for f, *_ in boxes})
    number, whole = len(boxes), np.arange(len(boxes))
    with h5py.File(path, "w") as file:
        file.create_group("metadata").attrs["format_id"] = 1.2
        file["tracks_json"] = np.array(
            [json.dumps([0, f"track {t}"]).encode() for t in tracks], dtype="S"
        )
        file["frames"] = as_records(
            frame_id=np.arange(len(frames)), video=np.zeros(len(frames), int), frame_idx=frames
        )
        file["instances"] = as_records(
            instance_id=whole, instance_type=np.ones(number, int),
            frame_id=[frames.index(f) for f, *_ in boxes],
            track=[tracks.index(t) for _, t, _ in boxes], from_predicted=np.full(number, -1),
            point_id_start=2 * whole, point_id_end=2 * whole + 2,
        )  # fmt: skip
        points = {
            "x": np.ravel([[x, x + SIDE] for *_, x in boxes]),
            "y": np.tile([0, SIDE], number),
            "visible": np.ones(2 * number, bool),
        }
        file["points"] = as_records(**{name: values[:0] for name, values in points.items()})
        file["pred_points"] = as_records(**points, score=np.full(2 * number, 0.9))

    def look(frame, track, row):
        with h5py.File(path) as file:
            instance = file["instances"][row]
            found = file["frames"]["frame_idx"][instance["frame_id"]]
            name = json.loads(file["tracks_json"][instance["track"]])[1]
            left = file["pred_points"]["x"][instance["point_id_start"]]
        assert name == track
        return int(found), name.removeprefix("track "), float(left) - EDGE

    return path, look


def as_records(**columns):
    return pd.DataFrame(columns).to_records(index=False)


WRITERS = {
    writer.__name__: writer
    for writer in (
        coco, deeplabcut, jabs, live_mouse_tracker, mot, sleap, sleap_analysis, table, ultralytics,
        ultralytics_text, via_tracks,
    )
}  # fmt: skip


def test_every_format_of_detections_is_tested_here():
    assert set(WRITERS) == set(formats())


places = st.tuples(st.integers(0, 4), st.integers(0, 12))


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=15)
@given(data=st.data())
def test_track_and_row_lead_back_to_where_a_box_stands_in_its_file(tmp_path_factory, name, data):
    chosen = data.draw(st.lists(places, min_size=1, max_size=12, unique=True))
    lefts = data.draw(st.permutations(range(12)))
    boxes = [(f, t, float(10 * left)) for (f, t), left in zip(chosen, lefts, strict=False)]
    path, look = WRITERS[name](tmp_path_factory.mktemp(name), boxes)
    found = detections.as_table(detections.read(path, size=SIZE).table)
    assert len(found) == len(boxes)
    leads = []
    for row in found.itertuples():
        led = look(row.frame, row.source_track, row.source_row)
        assert led[0] == row.frame
        assert led[2] == pytest.approx(row.x, abs=1e-3)
        leads.append((row.frame, int(led[1])))
    assert sorted(leads) == sorted(chosen)


def test_the_key_outlives_a_table_that_was_made_of_the_file(tmp_path):
    path, _ = sleap(tmp_path, [(0, 7, 30.0), (1, 7, 40.0), (1, 8, 90.0)])
    once = detections.read_table(path).table
    tables.write(once, tmp_path / "a.parquet", "detections")
    again = detections.read_table(tmp_path / "a.parquet").table
    pd.testing.assert_frame_equal(again[[*schemas.SOURCE]], once[[*schemas.SOURCE]])
    assert once["source_track"].tolist() == ["track 7", "track 7", "track 8"]


def test_a_row_that_is_no_number_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("frame,x,y,w,h,score,source_row\n0,1,1,5,5,1,first\n")
    with pytest.raises(InputError, match="line 2, column source_row: found 'first'"):
        detections.read(path)


def test_detections_of_a_detector_have_no_source(tmp_path):
    found = boxes_at([(0, 0, 100), (1, 0, 100)])
    assert [*found.columns] == [*schemas.CONTRACTS["detections"].schema.names]
    assert not {*schemas.SOURCE} & {*found.columns}
    tables.write(found, tmp_path / "d.parquet", "detections")
    assert not {*schemas.SOURCE} & {*tables.read(tmp_path / "d.parquet", "detections").columns}


@pytest.mark.parametrize("names", [np.array([1, 2]), np.array([[b"a"], [b"b"]])])
def test_names_of_tracks_that_are_no_list_of_texts_are_told(tmp_path, names):
    path, _ = sleap_analysis(tmp_path, [(0, 7, 30.0), (0, 8, 90.0)])
    with h5py.File(path, "r+") as file:
        del file["track_names"]
        file["track_names"] = names
    with pytest.raises(InputError, match=r"a\.h5.*track_names.*a list of texts"):
        detections.read(path)


def test_names_of_tracks_in_no_known_form_leave_the_numbers(tmp_path):
    path, _ = sleap(tmp_path, [(0, 7, 30.0), (0, 8, 90.0)])
    with h5py.File(path, "r+") as file:
        del file["tracks_json"]
        file["tracks_json"] = np.array([b"{no json", b'[0, "b\xff"]'], dtype="S")
    found = detections.read(path).table
    assert sorted(found["source_track"]) == ["0", "b\ufffd"]


def test_tracks_without_a_name_are_told_by_their_number():
    assert body_parts.named([0, 1, 2, -1, np.nan], ["a", ""]).tolist() == ["a", "1", "2", "", ""]


def run(*arguments):
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert done.exit_code == 0, (done.output, done.exception)


def name(folder, part, path, frames):
    """Run the stages that a segment of a file of boxes goes through, into folder/results."""
    results = folder / "results" / "segments" / "A" / "1"
    (results / "identities").mkdir(parents=True)
    positions, transforms = results / "positions.parquet", folder / "transforms.parquet"
    trace = pd.DataFrame({"frame": range(frames), "A": 1, "B": 3})
    trace.to_csv(folder / "positions.csv", index=False)
    given = {name: results / f"archive_{name}.parquet" for name in ("detections", "tracklets")}
    run(
        "check", "--cage=A", "--segment=1", f"--positions={folder / 'positions.csv'}",
        f"--{part}={path}", f"--output-positions={positions}", "--rows=1", "--columns=4",
        f"--output-annotations={results / 'annotations.parquet'}",
        *(f"--output-{name}={path}" for name, path in given.items()),
    )  # fmt: skip
    run("calibrate", "--rig=rig", f"--output={transforms}")
    found = results / "detections.archive.parquet"
    run(
        "adopt-detections", f"--detections={given['detections']}", f"--positions={positions}",
        f"--transforms={transforms}", "--rig=rig", f"--output={found}",
    )  # fmt: skip
    if part == "tracklets":
        linked = results / "tracklets.archive.parquet"
        run(
            "adopt-tracklets", f"--tracklets={given['tracklets']}", f"--detections={found}",
            f"--output={linked}",
        )  # fmt: skip
    else:
        linked = results / "tracklets.parquet"
        run("track", f"--detections={found}", f"--output={linked}")
    model = simple_model(animals=2)
    fitted_weights.write(fitted_weights.Weights(model, model), folder / "weights.json")
    fitted_path.write(MODEL, folder / "path_model.json")
    Identify(
        detections=found, tracklets=linked, positions=positions, transforms=transforms,
        annotations=results / "annotations.parquet", weights=folder / "weights.json",
        path_model=folder / "path_model.json", rig="rig", fps=FPS,
        outputs=[("path", results / "identities" / "path.parquet")],
        output_posteriors=results / "posteriors.parquet",
    ).run()  # fmt: skip
    return results


@pytest.mark.parametrize(
    ("writer", "part"), [(mot, "tracklets"), (sleap, "tracklets"), (deeplabcut, "detections")]
)
def test_names_can_be_joined_to_the_files_own_rows(root, tmp_path, monkeypatch, writer, part):
    frames = 60
    boxes = [
        (frame, track, left + frame % 7)
        for frame in range(frames)
        for track, left in ((9, 280.0), (4, 80.0))[:: 1 if frame % 3 else -1]
    ]
    path, look = writer(tmp_path, boxes)
    results = name(tmp_path, part, path, frames)
    monkeypatch.chdir(tmp_path)
    (recipe,) = readme_blocks.blocks((root / "config" / "README.md").read_text())[
        "Back to the file."
    ]
    known: dict = {}
    exec(recipe, known)  # the very words of the documentation
    named = known["named"]
    assert len(named) == len(boxes)
    for row in named.itertuples():
        frame, track, left = look(row.frame, row.source_track, row.source_row)
        assert frame == row.frame
        assert left == pytest.approx(row.x, abs=1e-3)
        assert row.animal == {"4": "A", "9": "B"}[track]
    if part == "tracklets":
        linked = tables.read(results / "tracklets.archive.parquet", "tracklets")
        where = ["frame", "detection", *schemas.SOURCE]
        pd.testing.assert_frame_equal(linked[where], named[where], check_dtype=False)


def test_tracklets_lead_to_their_own_file_where_detections_are_of_another():
    given = boxes_at([(0, 0, 100, 3), (0, 1, 300, 5)], "tracklets")
    given = given.assign(source_track=["left", "right"], source_row=[7, 2])
    found = boxes_at([(0, 0, 300), (0, 1, 100)]).assign(source_track=None, source_row=[50, 51])
    kept = adopt.adopt(given, found)
    assert kept["source_track"].tolist() == ["right", "left"]
    assert kept["source_row"].tolist() == [2, 7]
