"""What `murid frames` writes: pictures, projects that read back, lists, and the sheet's column."""

import csv
import errno
import json
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from made_videos import black, damage, make
from murid import sheet, tables, video
from murid.archive import annotations
from murid.cli import cli
from murid.errors import InputError, UnwritableError
from murid.picking import doubt, pick, sheet_column, spread
from murid.picking.stage import PickFrames
from murid.video import single

HEADER = "cage\tsegment\tvideo\tpositions\tannotations\tstart\tanimals\tsplit"


def write_sheet(folder, rows):
    path = folder / "segments.tsv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


@pytest.fixture
def archive(tmp_path):
    """Two cages of two segments each, of fifty frames, one of which is annotated already."""
    folder = tmp_path / "archive"
    folder.mkdir()
    for name in "abcd":
        make(folder / f"{name}.mp4")
    rows = [
        "A\t1\ta.mp4\tp.csv\t\t2026-03-01 10:00\tR,G\tTrain",
        "A\t2\tb.mp4\tp.csv\t\t2026-03-02 10:00\tR,G\tTrain",
        "B\t1\tc.mp4\tp.csv\t\t2026-03-01 10:00\tX,Y\tTest",
        "B\t2\td.mp4\tp.csv\tdone.json\t2026-03-01 11:00\tX,Y\t",
    ]
    write_sheet(folder, rows)
    return folder


def picked(folder, **how):
    """Pick frames; return the rows of the list of frames, what is printed, and what is noted."""
    out = how.pop("out", folder / "picked")
    done, notes = pick.pick_frames(PickFrames(**{"archive": folder, "out": out, "count": 12} | how))
    with (out / "frames.csv").open() as file:
        return list(csv.DictReader(file)), done, notes


def keys_of(rows):
    return {(row["cage"], row["segment"]) for row in rows}


def test_pictures_are_the_frames_that_the_detector_learns_from(archive):
    rows, done, _ = picked(archive)
    assert done.startswith("12 frames of 3 segments of 2 cages")
    assert keys_of(rows) == {("A", "1"), ("A", "2"), ("B", "1")}
    assert {row["reason"] for row in rows} == {"spread"}
    named = {("A", "1"): "a", ("A", "2"): "b", ("B", "1"): "c"}
    for row in rows:
        frame = int(row["frame"])
        path = archive / "picked" / row["cage"] / row["segment"] / f"frame_{frame:06d}.png"
        picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        source = archive / f"{named[row['cage'], row['segment']]}.mp4"
        ((_, grey),) = video.read_frames(source, [frame], 25.0)
        np.testing.assert_array_equal(picture, grey)


def test_a_project_that_was_filled_reads_back_as_the_same_frames(archive):
    rows, _, _ = picked(archive)
    of_segment = sorted(int(row["frame"]) for row in rows if keys_of([row]) == {("B", "1")})
    path = archive / "picked" / "B" / "1" / "annotations.json"
    data = json.loads(path.read_text())
    assert {*data["_via_attributes"]["region"]["identity"]["options"]} == {"X", "Y", "tunnel"}
    images = [data["_via_img_metadata"][name] for name in data["_via_image_id_list"]]
    for entry in images:
        assert entry["size"] == (path.parent / entry["filename"]).stat().st_size
    table, verdict = annotations.read(path)
    assert table.empty
    assert f"{len(images)} of {len(images)} images are not annotated yet" in verdict.reason
    for entry in images[:-1]:
        entry["regions"].append({
            "shape_attributes": {"name": "rect", "x": 1, "y": 2, "width": 9, "height": 8},
            "region_attributes": {"identity": {"X": True}, "visibility": "clear",
                                  "type": "single", "difficult": {}},
        })  # fmt: skip
    images[-1]["file_attributes"]["annotated"] = "yes"
    path.write_text(json.dumps(data))
    table, verdict = annotations.read(path)
    assert sorted(table["frame"]) == of_segment
    assert [*table["type"]] == ["single"] * (len(images) - 1) + ["empty"]
    assert verdict.status == "usable"


def test_the_sheet_gets_its_projects_and_stays_as_it_is_otherwise(archive):
    path = archive / "segments.tsv"
    lines = path.read_bytes().splitlines()
    odd = [b"\xef\xbb\xbf" + lines[0], b"# A\t1\tnot a row", lines[1], b"", *lines[2:4],
           b'"B"\t2\td.mp4 \tp.csv\tdone.json\t2026-03-01 11:00\tX,Y\t']  # fmt: skip
    path.write_bytes(b"\r\n".join(odd))
    _, _, _ = picked(archive, update_sheet=True)
    now = path.read_bytes()
    segments = sheet.read_sheet(path)
    assert segments["A", "1"].annotations == "picked/A/1/annotations.json"
    assert segments["B", "2"].annotations == "done.json"
    for key in ("A/1", "A/2", "B/1"):
        project = f"picked/{key}/annotations.json"
        assert (archive / project).is_file()
        now = now.replace(project.encode(), b"")
    assert now == b"\r\n".join(odd)
    listed = (archive / "picked" / "segments_annotations.tsv").read_text().splitlines()
    assert listed[0] == "cage\tsegment\tannotations"
    assert "B\t1\tpicked/B/1/annotations.json" in listed
    # What was picked before is not picked again.
    with pytest.raises(InputError, match="no segment that has a video and no annotations"):
        picked(archive, out=archive / "more")


def test_a_sheet_without_the_column_is_refused_before_anything_is_written(archive):
    path = archive / "segments.tsv"
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    path.write_text("\n".join("\t".join(row[:4] + row[5:]) for row in rows) + "\n")
    with pytest.raises(InputError, match="a header without annotations"):
        picked(archive, update_sheet=True)
    assert not (archive / "picked").exists()


def test_a_folder_that_no_sheet_may_name_leaves_nothing(archive, tmp_path):
    before = (archive / "segments.tsv").read_bytes()
    with pytest.raises(InputError, match="without braces"):
        picked(archive, out=tmp_path / "to{annotate}", update_sheet=True)
    assert (archive / "segments.tsv").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]


def test_nothing_is_written_over_what_may_be_annotated(archive):
    picked(archive)
    project = archive / "picked" / "A" / "1" / "annotations.json"
    project.write_text("annotated by hand")
    with pytest.raises(InputError, match="there already"):
        picked(archive)
    assert project.read_text() == "annotated by hand"


def test_more_frames_than_there_are_is_told(archive):
    rows, _, notes = picked(archive, count=1000)
    assert len(rows) == 150
    assert any("150 of 1,000 frames were picked" in note and "hold 150" in note for note in notes)
    rows, _, notes = picked(archive, count=20, out=archive / "few")
    assert len(rows) == 20
    assert any("20 annotated frames of 2 cages: too few" in note for note in notes)


def test_videos_that_are_missing_or_damaged_are_passed_over_and_told(archive):
    (archive / "a.mp4").unlink()
    (archive / "b.mp4").write_bytes(b"no video")
    rows, _, notes = picked(archive)
    assert keys_of(rows) == {("B", "1")}
    assert len(rows) == 12
    assert any(note.startswith("A 1 is passed over") and "no file" in note for note in notes)
    assert any(note.startswith("A 2 is passed over") for note in notes)
    (archive / "c.mp4").unlink()
    with pytest.raises(InputError, match="no video of which frames can be read"):
        picked(archive, out=archive / "none")
    assert not (archive / "none").exists()
    assert not list(archive.glob(".*"))


def test_a_full_disk_ends_it_and_leaves_nothing(archive, monkeypatch):
    def full(self, data):
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    before = (archive / "segments.tsv").read_bytes()
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UnwritableError, match="No space left"):
        picked(archive, update_sheet=True)
    assert not [path for path in archive.iterdir() if "picked" in path.name]
    assert (archive / "segments.tsv").read_bytes() == before


def test_a_video_that_fails_half_way_leaves_no_pictures(archive, monkeypatch):
    def failing(index, wanted):
        given = single_read(index, wanted)
        yield next(given)
        if index.path.name == "a.mp4" and len({*wanted}) == 4:
            raise InputError(index.path, "damage", "none")
        yield from given

    single_read = single.read
    monkeypatch.setattr(single, "read", failing)
    rows, _, notes = picked(archive)
    assert keys_of(rows) == {("A", "2"), ("B", "1")}
    assert not (archive / "picked" / "A" / "1").exists()
    assert any("found damage" in note for note in notes)
    assert any("8 of 12 frames were picked: some do not decode" in note for note in notes)


def test_a_sheet_that_names_no_video_is_refused(archive):
    path = write_sheet(archive, ["A\t1\t\tp.csv\t\t\t\t"])
    path.write_text(path.read_text().replace("video", "detections").replace("\t\tp", "\td.csv\tp"))
    with pytest.raises(InputError, match="no segment that has a video and no annotations"):
        picked(archive)


@pytest.mark.parametrize("cell", ['"A"x', "../up", "=1+1", "A/B"])
def test_names_that_lead_elsewhere_are_refused(archive, cell):
    write_sheet(archive, [f"{cell}\t1\ta.mp4\tp.csv\t\t\t\t"])
    with pytest.raises(InputError):
        picked(archive)
    assert not (archive / "picked").exists()


def test_segments_whose_names_join_to_the_same_are_kept_apart(archive):
    rows = ["A_1\t2\ta.mp4\tp.csv\t\t\t\t", "A\t1_2\tb.mp4\tp.csv\t\t\t\t"]
    write_sheet(archive, rows)
    rows, _, _ = picked(archive, count=6)
    assert keys_of(rows) == {("A_1", "2"), ("A", "1_2")}
    assert len(list((archive / "picked").rglob("annotations.json"))) == 2


def test_names_of_animals_come_from_traces_or_tags_where_the_sheet_tells_none(archive):
    (archive / "p.csv").write_text("frame,M1,M2\n0,1,2\n")
    rows = [f"{cage}\t1\t{video}.mp4\t{trace}.csv\t\t\t\t" for cage, video, trace in
            [("A", "a", "p"), ("B", "b", "q"), ("C", "c", "q")]]  # fmt: skip
    write_sheet(archive, rows)
    (archive / "tags.csv").write_text("cage,animal,tag\nC,Z,01\nC,Y,02\n")
    picked(archive, count=4, animals=archive / "tags.csv")

    def identity(cage):
        path = archive / "picked" / cage / "1" / "annotations.json"
        return json.loads(path.read_text())["_via_attributes"]["region"]["identity"]

    assert [*identity("A")["options"]] == ["M1", "M2", "tunnel"]
    assert identity("B")["type"] == "text"
    assert [*identity("C")["options"]] == ["Y", "Z", "tunnel"]


def test_the_command_picks(archive):
    words = ["frames", str(archive), "--out", str(archive / "picked"), "--count", "5"]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "5 frames of 2 segments of 2 cages" in result.output


def boxes(counts, score=0.95):
    """Return a table of detections with so many boxes in each frame, apart from each other."""
    rows = [
        {"frame": frame, "detection": rank, "label": "mouse", "x": 50.0 * rank, "y": 5.0,
         "w": 20.0, "h": 10.0, "score": score}
        for frame, count in enumerate(counts)
        for rank in range(count)
    ]  # fmt: skip
    return tables.conform(pd.DataFrame(rows), "detections")


def test_what_the_detector_is_unsure_of_and_rare_postures_are_picked(archive):
    counts = [2] * 50
    counts[30] = 1
    table = boxes(counts)
    table.loc[table["frame"] == 5, "score"] = [0.95, 0.5]
    table.loc[(table["frame"] == 20) & (table["detection"] == 1), "x"] = 2.0
    folder = archive / "results" / "segments" / "A" / "1"
    folder.mkdir(parents=True)
    tables.write(table, folder / "detections.video.parquet", "detections")
    write_sheet(archive, ["A\t1\ta.mp4\tp.csv\t\t\tR,G\tTrain"])
    rows, _, _ = picked(archive, count=12, results=archive / "results")
    reasons = {int(row["frame"]): row["reason"] for row in rows}
    assert len(rows) == 12
    assert reasons[20].startswith("together: boxes overlap by 0.82")
    assert reasons[30] in (
        "number: 2 animals, and boxes: 1",
        "unsure: a box comes or goes for one frame",
    )
    assert reasons[5] == "unsure: a score of 0.50"
    assert "spread" in reasons.values()


def test_results_without_boxes_are_told(archive):
    with pytest.raises(InputError, match="--results: found no folder segments"):
        picked(archive, results=archive / "nowhere")
    (archive / "results" / "segments").mkdir(parents=True)
    rows, _, notes = picked(archive, results=archive / "results")
    assert {row["reason"] for row in rows} == {"spread"}
    assert any("has no boxes of these segments" in note for note in notes)


def test_nothing_is_doubted_where_every_frame_is_alike():
    table = boxes([3] * 40)
    may = np.ones(40, bool)
    measures = [*doubt.postures(table, 3), *doubt.doubts(table)]
    assert doubt.pick(measures, 10, may, 2) == {}
    empty = tables.empty("detections")
    assert doubt.pick([*doubt.postures(empty, 3), *doubt.doubts(empty)], 10, may, 2) == {}


@pytest.mark.parametrize(
    ("suffix", "how"),
    [(".mp4", {}), (".mp4", {"bf": "3", "g": "25"}), (".mkv", {"g": "250"}),
     (".mp4", {"g": "1"}), (".avi", {}), (".mp4", {"bf": "2", "x264-params": "open-gop=1"}),
     (".ts", {"bf": "2"})],
)  # fmt: skip
def test_a_frame_that_is_jumped_to_is_the_one_that_decoding_all_gives(tmp_path, suffix, how):
    path = make(tmp_path / f"v{suffix}", **how)
    whole = dict(video.Reel(path, 25.0))
    found = single.index(path, 25.0)
    assert {*found.places} == {*whole}
    wanted = [49, 3, 4, 9, 10, 11, 31, 0, 48, 1000]
    given = dict(single.read(found, wanted))
    assert [*given] == sorted({*wanted} - {1000})
    for place, grey in given.items():
        np.testing.assert_array_equal(grey, whole[place])


@pytest.mark.parametrize(("first", "last"), [(0, 20), (7, 33), (30, None), (49, 49)])
@pytest.mark.parametrize("how", [{"g": "10"}, {"bf": "3", "g": "25"}, {"g": "250"}])
def test_frames_of_a_part_are_those_of_the_part(tmp_path, first, last, how):
    path, part = make(tmp_path / "v.mp4", **how), video.Part(first, last)
    whole = dict(video.Reel(path, 25.0, part))
    found = single.index(path, 25.0, part)
    assert found.places.tolist() == sorted(whole)
    assert {*found.keys} <= {*whole}
    given = dict(single.read(found, range(60)))
    assert [*given] == sorted(whole)
    for place, grey in given.items():
        np.testing.assert_array_equal(grey, whole[place])


def test_a_part_behind_the_end_of_a_video_is_refused(tmp_path):
    with pytest.raises(InputError, match="no frame among its frames 50 to the end"):
        single.index(make(tmp_path / "v.mp4"), 25.0, video.Part(50))


def test_frames_are_picked_of_the_part_that_a_segment_is(tmp_path):
    made = make(tmp_path / "day.mp4", g="10")
    rows = [sheet.Segment("A", "1", "p.csv", video="day.mp4", first_frame=0, last_frame=24),
            sheet.Segment("A", "2", "p.csv", video="day.mp4", first_frame=25)]  # fmt: skip
    sheet.write_sheet(tmp_path / "segments.tsv", rows)
    PickFrames(archive=tmp_path, out=tmp_path / "picked", count=8).run()
    whole = dict(video.Reel(made, 25.0))
    for name, first in (("1", 0), ("2", 25)):
        pictures = sorted((tmp_path / "picked" / "A" / name).glob("*.png"))
        assert pictures
        for picture in pictures:
            frame = int(picture.stem.removeprefix("frame_"))
            assert frame < 25
            shown = cv2.imread(str(picture), cv2.IMREAD_GRAYSCALE)
            np.testing.assert_array_equal(shown, whole[first + frame])


DROPPED = [40 * n for n in range(20)] + [40 * n + 3000 for n in range(20)]
VARYING = [40 * n + 13 * (n % 3) for n in range(40)]


@pytest.mark.parametrize("stamps", [DROPPED, VARYING])
def test_places_follow_timestamps_where_frames_were_dropped_or_the_rate_varies(tmp_path, stamps):
    path = make(tmp_path / "v.mkv", numbers=range(40), stamps=stamps)
    whole = dict(video.Reel(path, 25.0))
    given = dict(single.read(single.index(path, 25.0), range(200)))
    assert [*given] == sorted(whole)
    for place, grey in given.items():
        np.testing.assert_array_equal(grey, whole[place])


@pytest.mark.parametrize(("first", "last"), [(0, 0), (12, 14), (20, 20), (25, 49)])
def test_frames_of_a_damaged_video_are_sound_or_left_out(tmp_path, first, last):
    path = make(tmp_path / "v.mp4")
    damage(path, first, last)
    whole = dict(video.Reel(path, 25.0))
    given = dict(single.read(single.index(path, 25.0), range(50)))
    assert {*given} <= {*whole}
    assert len(given) >= len(whole) - 10
    for place, grey in given.items():
        np.testing.assert_array_equal(grey, whole[place])


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.integers(0, 300))
def test_frames_are_shared_out_as_evenly_as_videos_allow(sizes, count):
    taken = spread.shares(sizes, count)
    assert sum(taken) == min(count, sum(sizes))
    assert all(took <= size for took, size in zip(taken, sizes, strict=True))
    full = [took for took, size in zip(taken, sizes, strict=True) if took < size]
    assert not full or max(taken) - min(full) <= 1


def test_a_video_in_which_nothing_is_seen_gives_frames_all_the_same(tmp_path):
    path = black(tmp_path / "v.mp4")
    (tmp_path / "segments.tsv").write_text(HEADER + f"\nA\t1\t{path.name}\tp.csv\t\t\t\t\n")
    rows, _, _ = picked(tmp_path, count=7)
    assert len({row["frame"] for row in rows}) == 7


@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from(["01", "02", "03"])), max_size=30)
)
def test_any_beginning_of_the_order_is_spread_over_cages_and_days(days):
    rows = [
        sheet.Segment(cage, str(number), positions="p", video="v", start=f"2026-03-{day} 10:00")
        for number, (cage, day) in enumerate(days)
    ]
    ordered = spread.order(rows)
    assert sorted(row.segment for row in ordered) == sorted(row.segment for row in rows)
    cages = {row.cage for row in rows}
    assert {row.cage for row in ordered[: len(cages)]} == cages
    for cage in cages:
        of_cage = [row.start for row in ordered if row.cage == cage]
        assert {*of_cage[: len({*of_cage})]} == {*of_cage}


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 40))
def test_pictures_that_differ_are_each_picked_once(levels, count):
    features = np.array(levels, dtype=np.float64)[:, None]
    places = spread.differing(features, count, np.zeros((0, 1)))
    assert len(places) == len({*places}) == min(count, len(levels))
    assert places == sorted(places)


def test_a_sheet_whose_comment_spans_lines_is_not_filled_by_guess(tmp_path):
    path = Path(tmp_path, "segments.tsv")
    path.write_text(
        f'{HEADER}\n# x\t"a\nA\t1\tv.mp4\tp.csv\t\t\t\t\n"\nA\t1\tv.mp4\tp.csv\t\t\t\t\n'
    )
    before = path.read_bytes()
    sheet.read_sheet(path)
    with pytest.raises(InputError, match="filled safely"):
        sheet_column.fill(path, {("A", "1"): "a.json"})
    assert path.read_bytes() == before
