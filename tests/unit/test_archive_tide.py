"""Archives in the layout of a TIDe release."""

import bz2
import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from murid import schemas, tables
from murid.archive import annotations, tide
from murid.archive.annotated import tide as annotated
from murid.archive.pickles import RefusedPickleError
from murid.archive.stage import ImportTide
from murid.cli import cli
from murid.errors import InputError
from murid.sheet import is_animal, read_sheet

BOX = [("GT.BB", side) for side in "XYWH"]
META = [("GT.Metadata", name) for name in ("Type", "ID", "Truncated", "Detectable")]


def annotation_rows(*rows, cages=("A",), names=("CageID", "SegmentID", "Frame", "Annotation")):
    """Annotations of segment 1 of each cage, from (frame, type, ID, truncated, detectable)."""
    index = [(cage, 1, row[0], number) for cage in cages for number, row in enumerate(rows)]
    cells = [[1.0, 2.0, 3.0, 4.0, *row[1:]] for _ in cages for row in rows]
    return pd.DataFrame(
        cells,
        columns=pd.MultiIndex.from_tuples(BOX + META),
        index=pd.MultiIndex.from_tuples(index, names=names),
    )


def save(frame, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_pickle(path, compression="bz2")


def add_segment(root, name, detections=True, video=None):
    folder = root / "Segments" / name
    index = pd.Index([0, 1, 2], name="Frame")
    save(pd.DataFrame({"R": [1, 1, 2], "G": [5, 5, 5]}, index=index), folder / "Positions.df")
    if detections:
        boxes = pd.DataFrame(
            [[1.0, 2.0, 3.0, 4.0, 0.5], [1.0, 2.0, 3.0, 4.0, 0.75]],
            columns=pd.MultiIndex.from_tuples(
                [*(("Det.BB", side) for side in "XYWH"), ("Det.Score", "")]
            ),
            index=pd.MultiIndex.from_tuples([(0, "A"), (2, "A")], names=["Frame", "Detection"]),
        )
        save(boxes, folder / "Detections.df")
    if video:
        (folder / video).write_bytes(b"")
    return folder


def import_release(archive, out, sheet_only=False):
    return tide.import_release(ImportTide(archive=archive, out=out, sheet_only=sheet_only))


@pytest.fixture
def archive(tmp_path):
    """Three segments of which one is not listed, and two that are listed and absent."""
    root = tmp_path / "archive"
    add_segment(root, "A_1")
    add_segment(root, "A_10", video="Video.mkv")
    add_segment(root, "cage_7_2", detections=False, video="film.MP4")
    keys = [("A", 1), ("A", 3), ("cage_7", 2), ("A", 12)]
    splits = pd.DataFrame(
        {"Datasplit": pd.Categorical(["Train", "Test", None, "Validate"]), "Evaluation": False},
        index=pd.MultiIndex.from_tuples(keys, names=["CageID", "Segment"]),
    )
    save(splits, root / "Datasplits.df")
    rows = [(0, "Single", "R", "Clear", True), (0, "Single", "T", None, True)]
    save(annotation_rows(*rows), root / "Annotations.df")
    return root


def test_the_sheet_alone_refers_to_the_archive(archive, tmp_path):
    notes = import_release(archive, tmp_path / "out", sheet_only=True)
    sheet = read_sheet(tmp_path / "out" / "segments.tsv")
    assert list(sheet) == [("A", "1"), ("A", "10"), ("cage_7", "2")]
    first, second, third = sheet.values()
    assert first.positions == "Segments/A_1/Positions.df"
    assert first.detections == "Segments/A_1/Detections.df"
    assert (first.video, first.annotations, first.split) == ("", "Annotations.df", "Train")
    assert (second.video, second.annotations) == ("Segments/A_10/Video.mkv", "")
    assert (third.video, third.detections) == ("Segments/cage_7_2/film.MP4", "")
    assert [segment.split for segment in sheet.values()] == ["Train", "", ""]
    assert {segment.fps for segment in sheet.values()} == {25.0}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "absent.tsv", "segments.tsv",
    ]  # fmt: skip
    assert (tmp_path / "out" / "absent.tsv").read_text() == (
        "cage\tsegment\tsplit\nA\t3\tTest\nA\t12\tValidate\n"
    )
    assert any("2 of 4 segments (A_3, A_12)" in note for note in notes)
    assert any("1 of 3 segments (A_10)" in note for note in notes)


def test_an_import_writes_tables_and_refers_to_them(archive, tmp_path):
    out = tmp_path / "elsewhere" / "out"
    import_release(archive, out)
    sheet = read_sheet(out / "segments.tsv")
    for key, segment in sheet.items():
        assert len(tables.read(out / segment.positions, "positions")) == 6, key
        assert not segment.video or (out / segment.video).samefile(
            next((archive / "Segments" / "_".join(key)).glob("*.[mM]*"))
        )
    assert len(tables.read(out / sheet["A", "1"].detections, "detections")) == 2
    annotated = tables.read(out / sheet["A", "1"].annotations, "annotations")
    assert [list(names) for names in annotated["identities"]] == [["R"], ["tunnel"]]
    assert sheet["A", "10"].annotations == ""


def test_an_import_is_the_same_every_time(archive, tmp_path):
    import_release(archive, tmp_path / "out")
    first = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    import_release(archive, tmp_path / "out")
    assert first == {
        path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()
    }


def test_a_damaged_segment_flows_on_as_an_empty_table_that_says_why(archive, tmp_path):
    path = archive / "Segments" / "A_1" / "Positions.df"
    path.write_bytes(path.read_bytes()[:100])
    notes = import_release(archive, tmp_path / "out")
    sheet = read_sheet(tmp_path / "out" / "segments.tsv")
    table = tmp_path / "out" / sheet["A", "1"].positions
    assert tables.read(table, "positions").empty
    assert str(path) in tables.read_verdict(table).reason
    assert any("A_1 is discarded" in note for note in notes)
    assert len(tables.read(tmp_path / "out" / sheet["A", "10"].positions, "positions")) == 6


def test_a_segment_without_its_files_stays_in_the_sheet(archive, tmp_path):
    (archive / "Segments" / "B_1").mkdir()
    import_release(archive, tmp_path / "out", sheet_only=True)
    segment = read_sheet(tmp_path / "out" / "segments.tsv")["B", "1"]
    assert segment.detections == "Segments/B_1/Detections.df"


@pytest.mark.parametrize("name", ["Datasplits.df", "Annotations.df"])
def test_files_of_the_whole_archive_may_be_missing(archive, tmp_path, name):
    (archive / name).unlink()
    notes = import_release(archive, tmp_path / "out", sheet_only=True)
    assert any(name in note and "missing" in note for note in notes)
    assert len(read_sheet(tmp_path / "out" / "segments.tsv")) == 3


def test_folders_that_are_no_segments_are_told(archive, tmp_path):
    (archive / "Segments" / "notes").mkdir()
    (archive / "Segments" / "A_ 5").mkdir()
    (archive / "Segments" / ".cache").mkdir()
    (archive / "Segments" / "README_1").write_text("")
    notes = import_release(archive, tmp_path / "out", sheet_only=True)
    assert any("folders A_ 5, notes" in note for note in notes)
    assert len(read_sheet(tmp_path / "out" / "segments.tsv")) == 3


@pytest.mark.parametrize("folders", [[], ["Segments"], ["Segments/notes"]])
def test_another_layout_is_told(tmp_path, folders):
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    with pytest.raises(InputError, match="Segments"):
        import_release(tmp_path, tmp_path / "out")


def test_rows_of_the_splits_that_make_no_sense_cost_their_segments_a_split(archive, tmp_path):
    rows = {("A", 1): "Trian", ("A", 10): "Test", ("cage_7", 2): "Validate", ("A", 3): "Train"}
    index = pd.MultiIndex.from_tuples([*rows, ("A", 10), ("A", 3)], names=["CageID", "Segment"])
    frame = pd.DataFrame({"Datasplit": [*rows.values(), "Train", "Train"]}, index=index)
    save(frame, archive / "Datasplits.df")
    notes = import_release(archive, tmp_path / "out", sheet_only=True)
    sheet = read_sheet(tmp_path / "out" / "segments.tsv")
    assert [segment.split for segment in sheet.values()] == ["", "", "Validate"]
    assert any("row 0, column Datasplit: found the split 'Trian' of A_1" in note for note in notes)
    assert any("row 4, column Datasplit: found A_10 a second time" in note for note in notes)
    assert not any("A_3 a second time" in note for note in notes)


def test_many_rows_that_make_no_sense_are_counted(archive, tmp_path):
    index = pd.MultiIndex.from_product([["A"], range(50)], names=["CageID", "Segment"])
    save(pd.DataFrame({"Datasplit": "x" * 999}, index=index), archive / "Datasplits.df")
    notes = import_release(archive, tmp_path / "out", sheet_only=True)
    assert sum("the split" in note for note in notes) == tide.LISTED
    assert any(f"{50 - tide.LISTED} more rows" in note for note in notes)
    assert max(map(len, notes)) < 500


@pytest.mark.parametrize("sheet_only", [True, False])
@pytest.mark.parametrize("name", ["v{1}.mp4", "a<b>.avi", "a\nb.mkv", "v\udcff.mp4"])
def test_a_video_that_no_sheet_can_name_costs_its_segment_only(archive, tmp_path, name, sheet_only):
    add_segment(archive, "B_1", detections=False, video=name)
    add_segment(archive, "B_2", video=name)
    add_segment(archive, "B_3", detections=False, video=name)
    (archive / "Segments" / "B_3" / "w.mp4").write_bytes(b"")
    notes = import_release(archive, tmp_path / "out", sheet_only)
    sheet = read_sheet(tmp_path / "out" / "segments.tsv")
    assert len(sheet) == 6
    # It is told of by its detections, which are not there.
    assert "etections" in sheet["B", "1"].detections
    assert [sheet["B", number].video.endswith("w.mp4") for number in "123"] == [False, False, True]
    for number in "123":
        assert any(f"B_{number}: the video" in note and "rename" in note for note in notes)


def test_a_cage_that_the_report_cannot_show_is_left_out_and_told(archive, tmp_path):
    add_segment(archive, "all_1")
    notes = import_release(archive, tmp_path / "out")
    assert ("all", "1") not in read_sheet(tmp_path / "out" / "segments.tsv")
    assert any("all_1 is left out" in note and "another name" in note for note in notes)


def test_one_of_several_videos_is_taken_and_told(archive, tmp_path):
    (archive / "Segments" / "A_10" / "Zweites.mp4").write_bytes(b"")
    notes = import_release(archive, tmp_path / "out", sheet_only=True)
    assert any("A_10: found 2 videos; Video.mkv is taken" in note for note in notes)


def test_a_folder_that_may_not_be_looked_into_costs_its_segment_only(
    archive, tmp_path, monkeypatch
):
    looked_into = Path.iterdir

    def iterdir(folder):
        if folder.name == "A_1":
            raise PermissionError(13, "Permission denied", str(folder))
        return looked_into(folder)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    notes = import_release(archive, tmp_path / "out", sheet_only=True)
    assert len(read_sheet(tmp_path / "out" / "segments.tsv")) == 3
    assert any("A_1: found that it cannot be read (Permission denied)" in note for note in notes)


@pytest.mark.parametrize("cell", [[["R"]], ["R", ["G"]], {"R": 1}, (1, 2), {"R"}, Path("R")])
def test_a_nested_identity_costs_its_segment_only(archive, tmp_path, cell):
    rows = [(0, "Single", "R", "Clear", True), (1, "Single", cell, "Clear", True)]
    first = annotation_rows(*rows)
    second = annotation_rows(rows[0], cages=("cage_7",)).rename(index={1: 2}, level=1)
    save(pd.concat([first, second]), archive / "Annotations.df")
    notes = import_release(archive, tmp_path / "out")
    sheet = read_sheet(tmp_path / "out" / "segments.tsv")
    assert len(tables.read(tmp_path / "out" / sheet["cage_7", "2"].annotations, "annotations")) == 1
    path = tmp_path / "out" / sheet["A", "1"].annotations
    verdict = tables.read_verdict(path)
    if verdict.discarded:
        assert any("A_1 is discarded" in note for note in notes)
    else:
        # It is no name that an animal can have, which the check says.
        names = tables.read(path, "annotations")["identities"].tolist()
        assert not is_animal(names[1][0])


@pytest.mark.parametrize("name", ["Datasplits.df", "Annotations.df", "Segments/A_1/Positions.df"])
def test_a_hostile_pickle_is_an_alarm_and_is_not_run(archive, tmp_path, name):
    class Hostile:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path / 'marker'}",)

    (archive / name).write_bytes(bz2.compress(pickle.dumps(Hostile())))
    with pytest.raises(RefusedPickleError, match=r"os\.system"):
        import_release(archive, tmp_path / "out")
    assert not (tmp_path / "marker").exists()
    result = CliRunner().invoke(cli, ["import", "tide", str(archive), str(tmp_path / "out")])
    assert isinstance(result.exception, RefusedPickleError)
    if not name.startswith("Segments"):
        return
    # The alarm comes when all else is done.
    sheet = read_sheet(tmp_path / "out" / "segments.tsv")
    assert len(sheet) == 3
    verdict = tables.read_verdict(tmp_path / "out" / sheet["A", "1"].positions)
    assert verdict.discarded
    assert "os.system" in verdict.reason
    assert len(tables.read(tmp_path / "out" / sheet["A", "10"].positions, "positions")) == 6


def test_the_command_tells_what_is_absent(archive, tmp_path):
    result = CliRunner().invoke(
        cli, ["import", "tide", str(archive), str(tmp_path / "out"), "--sheet-only"]
    )
    assert result.exit_code == 0, result.output
    assert "A_3, A_12" in result.stderr


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((0, "Single", "R", "Clear", True), ("single", ["R"], "clear", False)),
        ((0, "Single", "T", "Truncated", False), ("single", ["tunnel"], "truncated", True)),
        ((0, "Huddle", "BGR", "Marginal", True), ("huddle", ["B", "G", "R"], "marginal", False)),
        ((0, "Tentative", "GR", None, None), ("tentative", ["G", "R"], "marginal", False)),
        ((0, None, "GR", np.nan, np.nan), ("tentative", ["G", "R"], "marginal", False)),
        ((0, None, "R,G", "", "False"), ("tentative", ["R", "G"], "marginal", True)),
        ((0, "Huddle", ["m1", "m2"], "Clear", True), ("huddle", ["m1", "m2"], "clear", False)),
        ((0, "Single", "mouse1", "Clear", True), ("single", ["mouse1"], "clear", False)),
    ],
)
def test_annotations_of_a_release_are_understood(tmp_path, row, expected):
    path = tmp_path / "Annotations.df"
    save(annotation_rows(row), path)
    table = annotations.read(path, "A", "1").table.loc[0]
    found = (table["type"], list(table["identities"]), table["visibility"], table["difficult"])
    assert found == expected
    assert table[schemas.BOX].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ((0, "Pile", "R", "Clear", True), "'Pile'"),
        ((0, "Single", "GR", "Clear", True), "2 identities"),
        ((0, "Single", "", "Clear", True), "the identity ''"),
        ((0, "Single", None, "Clear", True), "the identity None"),
        ((0, "Huddle", "RT", "Clear", True), "'RT'"),
        ((0, "Single", "R", "Partly", True), "'Partly'"),
        ((0, "Single", "R", "Clear", "perhaps"), "'perhaps'"),
        ((-5, "Single", "R", "Clear", True), "from 0"),
    ],
)
def test_annotations_that_make_no_sense_name_the_row(tmp_path, row, named):
    path = tmp_path / "Annotations.df"
    save(annotation_rows((0, "Single", "R", "Clear", True), row), path)
    with pytest.raises(InputError, match="row 1") as caught:
        annotations.read(path, "A", "1")
    assert named in str(caught.value)


def test_segments_are_found_by_name_whether_numbers_or_text(tmp_path):
    path = tmp_path / "Annotations.df"
    row = (0, "Single", "R", "Clear", True)
    for cages in (("7", "A"), (7, "A"), (7.0, "A")):
        names = ("CageID", "Segment", "Frame", "Annotation")
        save(annotation_rows(row, cages=cages, names=names), path)
        assert len(annotations.read(path, "7", "1").table) == 1
        assert annotations.read(path, "7", "2").table.empty


def test_one_of_several_segments_must_be_chosen(tmp_path):
    path = tmp_path / "Annotations.df"
    row = (0, "Single", "R", "Clear", True)
    save(annotation_rows(row), path)
    assert len(annotations.read(path).table) == 1
    save(annotation_rows(row, cages=("A", "B")), path)
    with pytest.raises(InputError, match="2 segments"):
        annotations.read(path)


def test_objects_are_numbered_within_each_frame(tmp_path):
    path = tmp_path / "Annotations.df"
    save(annotation_rows(*((frame, "Single", "R", "Clear", True) for frame in (5, 0, 5))), path)
    table = annotations.read(path).table
    assert table["frame"].tolist() == [0, 5, 5]
    assert table["object"].tolist() == [0, 0, 1]


def test_the_archive_in_shared_becomes_a_sheet(shared, tmp_path):
    import_release(shared / "tide", tmp_path, sheet_only=True)
    sheet = read_sheet(tmp_path / "segments.tsv")
    assert len(sheet) == 8
    assert all((shared / "tide" / segment.positions).is_file() for segment in sheet.values())
    assert {segment.split for segment in sheet.values()} == {"Train", "Validate"}
    assert len((tmp_path / "absent.tsv").read_text().splitlines()) == 1 + 51


def test_the_annotations_in_shared_are_all_read(shared):
    path = shared / "tide" / "Annotations.df"
    release = annotated.read_release(path)
    assert len(release) == 8
    table = pd.concat([annotated.from_release(rows, path) for rows in release.values()])
    assert len(table) == 4181
    assert table["type"].value_counts().to_dict() == {"single": 4157, "huddle": 13, "tentative": 11}
    assert table["difficult"].sum() == 167
