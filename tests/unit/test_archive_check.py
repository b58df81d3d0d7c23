"""The verdict on a segment."""

import bz2
import os
import pickle

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from murid import schemas, settings, tables, timeline, video
from murid.archive import check, detections
from murid.archive.pickles import RefusedPickleError
from murid.archive.stage import Check
from murid.cli import cli
from murid.grid import Grid
from murid.tables import Verdict
from via_projects import write_project

GRID = Grid(3, 6)
traces = arrays.arrays(
    np.int64,
    st.tuples(st.integers(1, 12), st.integers(1, 3)),
    elements=st.sampled_from([0, 0, 1, 2, 3]),
)


def readings(antennas, names="RGB", frames=None):
    """Antenna readings as a file gives them; 0 = none. Shape (frames, animals)."""
    antennas = np.asarray(antennas).reshape(len(antennas), -1)
    frames = np.arange(len(antennas)) if frames is None else np.asarray(frames)
    names = list(names)[: antennas.shape[1]]
    return pd.DataFrame(
        {
            "frame": np.repeat(frames, len(names)),
            "animal": np.tile(np.array(names, dtype=object), len(frames)),
            "antenna": pd.Series(antennas.ravel(), dtype="Int64").mask(antennas.ravel() == 0),
            "filled": False,
        }
    )


def matrix(table):
    """The antennas of a table as an array, 0 = none."""
    wide = table.pivot_table(
        index="frame", columns="animal", values="antenna", dropna=False, sort=False
    )
    return wide.fillna(0).to_numpy(dtype=int)


@given(traces)
def test_filling_changes_no_reading_and_invents_no_antenna(antennas):
    done, filled = check.fill(antennas)
    known = antennas > 0
    assert (done[known] == antennas[known]).all()
    assert not filled[known].any()
    assert (done[~known & ~filled] == 0).all()
    for animal in range(antennas.shape[1]):
        for frame in np.flatnonzero(filled[:, animal]):
            before = antennas[:frame, animal]
            after = antennas[frame + 1 :, animal]
            assert before[before > 0][-1] == after[after > 0][0] == done[frame, animal]


@given(traces)
def test_everything_that_can_be_filled_is_and_once_is_enough(antennas):
    done, filled = check.fill(antennas)
    for animal in range(antennas.shape[1]):
        for frame in np.flatnonzero((antennas == 0)[:, animal] & ~filled[:, animal]):
            before = antennas[:frame, animal]
            after = antennas[frame + 1 :, animal]
            ends = [*before[before > 0][-1:], *after[after > 0][:1]]
            assert len(ends) < 2 or ends[0] != ends[1]
    again, more = check.fill(done)
    assert (again == done).all()
    assert not more.any()


@given(traces)
def test_animals_are_filled_independently(antennas):
    together, _ = check.fill(antennas)
    for animal in range(antennas.shape[1]):
        alone, _ = check.fill(antennas[:, [animal]])
        assert (alone[:, 0] == together[:, animal]).all()


@given(traces)
@hypothesis_settings(max_examples=30, deadline=None)
def test_a_usable_segment_has_every_reading_and_says_which_were_filled(antennas):
    table, verdict = check.judge_positions(readings(antennas), GRID)
    done, filled = check.fill(antennas)
    assert verdict.discarded == (done == 0).any()
    assert len(table) == antennas.size
    assert (matrix(table) == done).all()
    assert (table["filled"].to_numpy() == filled.ravel()).all()
    if not verdict.discarded:
        assert verdict.status == ("repaired" if filled.any() else "usable")
        judged, again = check.judge_positions(table, GRID)
        assert again == Verdict()
        pd.testing.assert_frame_equal(judged, table)


def test_a_sound_trace_is_usable():
    table, verdict = check.judge_positions(readings([[1, 5, 18], [1, 4, 18]]), GRID)
    assert verdict == Verdict()
    assert table["frame"].tolist() == [0, 0, 0, 1, 1, 1]
    assert table["animal"].tolist() == ["R", "G", "B"] * 2


def test_what_was_filled_is_told_with_animal_frames_and_count():
    trace = [[3], [0], [0], [3], [0], [3]]
    _, verdict = check.judge_positions(readings(trace), GRID)
    assert verdict.status == "repaired"
    assert "3 missing readings filled" in verdict.reason
    assert "R: 1-2, 4" in verdict.reason


def test_what_cannot_be_filled_discards_the_segment_and_is_told():
    _, verdict = check.judge_positions(readings([[3, 1], [0, 1], [0, 1], [4, 1]]), GRID)
    assert verdict.discarded
    assert "2 of 8 readings (25.00%) are missing" in verdict.reason
    assert "R: 1-2" in verdict.reason
    assert "G" not in verdict.reason


@pytest.mark.parametrize(("max_missing", "status"), [(0.25, "repaired"), (0.24, "discarded")])
def test_a_share_of_readings_may_stay_missing_if_the_settings_say_so(max_missing, status):
    trace = readings([[3, 1], [0, 1], [0, 1], [4, 1]])
    table, verdict = check.judge_positions(trace, GRID, max_missing)
    assert verdict.status == status
    assert table["antenna"].isna().sum() == 2


@pytest.mark.parametrize("wrong", [19, 99, -1, 2**31 - 1])
def test_numbers_outside_the_grid_count_as_missing_and_are_told(wrong):
    table, verdict = check.judge_positions(readings([[3], [wrong], [3]]), GRID)
    assert verdict.status == "repaired"
    assert "1 readings outside antennas 1 to 18" in verdict.reason
    assert matrix(table).ravel().tolist() == [3, 3, 3]
    assert table["filled"].tolist() == [False, True, False]
    _, verdict = check.judge_positions(readings([[3], [wrong], [4]]), GRID)
    assert verdict.discarded
    assert "outside" in verdict.reason


def test_the_grid_decides_what_is_outside():
    trace = readings([[19], [20]])
    assert check.judge_positions(trace, GRID)[1].discarded
    assert check.judge_positions(trace, Grid(4, 5))[1] == Verdict()


def test_frames_that_are_not_there_are_missing_readings():
    table, verdict = check.judge_positions(readings([[3], [3]], frames=[0, 2]), GRID)
    assert verdict.status == "repaired"
    assert table["frame"].tolist() == [0, 1, 2]
    assert table["filled"].tolist() == [False, True, False]
    assert check.judge_positions(readings([[3], [4]], frames=[0, 2]), GRID)[1].discarded


def test_frames_numbered_from_one_are_told():
    _, verdict = check.judge_positions(readings([[3], [3]], frames=[1, 2]), GRID)
    assert verdict.discarded
    assert "numbered from 0" in verdict.reason


def test_frame_numbers_that_make_no_sense_do_not_fill_the_memory():
    _, verdict = check.judge_positions(readings([[3], [3]], frames=[0, 2**31 - 1]), GRID)
    assert verdict.discarded
    assert "2147483647" in verdict.reason


@pytest.mark.parametrize(
    ("first", "step", "told"),
    [
        (
            0,
            80,
            "5 frames only, from number 0 on, with numbers up to 320: in steps of 80, these look",
        ),
        (1_709_319_600, 1, "these look like seconds since 1970; expected numbers of the video's"),
        (9000, 1, "these look like a part of a longer recording; expected"),
    ],
)
def test_frame_numbers_that_are_times_are_told_with_what_they_look_like(first, step, told):
    numbers = [first + step * number for number in range(5)]
    _, verdict = check.judge_positions(readings([[3]] * 5, frames=numbers), GRID)
    assert verdict.discarded
    assert told in verdict.reason
    assert "Number them anew" in verdict.reason


def test_an_animal_without_any_reading_discards_the_segment_whatever_may_be_missing():
    _, verdict = check.judge_positions(readings([[3, 0], [3, 0]]), GRID, max_missing=1.0)
    assert verdict.discarded
    assert verdict.reason == "G without any reading"


def test_what_is_missing_of_the_others_is_told_beside_an_animal_without_any_reading():
    _, verdict = check.judge_positions(
        readings([[3, 0], [0, 0], [5, 0], [5, 0]]), GRID, max_missing=1.0
    )
    assert verdict.reason == (
        "G without any reading; 1 of 8 readings (12.50%) are missing and cannot be filled (frames "
        "of R: 1)"
    )


@pytest.mark.parametrize(
    ("animals", "discarded"),
    [((), False), (("G", "R"), False), (("R", "G", "B"), True), (("R",), True)],
)
def test_animals_must_be_those_of_the_sheet(animals, discarded):
    _, verdict = check.judge_positions(readings([[1, 2]]), GRID, animals=animals)
    assert verdict.discarded == discarded
    if discarded:
        assert "positions of G, R" in verdict.reason


def test_no_positions_at_all_discard_the_segment():
    _, verdict = check.judge_positions(readings([[1]]).iloc[:0], GRID)
    assert verdict == Verdict("discarded", "no positions")


def boxes(frames, width=5.0):
    found = pd.DataFrame({"frame": frames, "label": "mouse", "score": 0.5})
    return found.assign(x=1.0, y=2.0, w=width, h=3.0)


def footage(frames):
    return video.Footage(frames, frames, frames, frames, rate=25.0)


def judge(frames=10, tolerance=2, **parts):
    parts = {"positions": readings(np.full((frames, 1), 7)), **parts}
    return check.judge(parts, GRID, settings.Check(frame_tolerance=tolerance))


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ({"video": footage(10)}, "usable"),
        ({"video": footage(12)}, "usable"),
        ({"video": footage(8)}, "usable"),
        ({"video": footage(13)}, "discarded"),
        ({"video": footage(7)}, "discarded"),
        ({"detections": boxes([0, 3])}, "usable"),
        ({"detections": boxes([0, 9])}, "usable"),
        ({"detections": boxes([0, 11])}, "repaired"),
        ({"detections": boxes([0, 12])}, "discarded"),
        ({"detections": boxes([])}, "usable"),
    ],
)
def test_lengths_may_differ_within_the_tolerance(parts, status):
    _, verdict = judge(**parts)
    assert verdict.status == status
    if status == "discarded":
        name = next(iter(parts))
        assert "positions: 10" in verdict.reason
        assert name in verdict.reason


def test_what_lies_after_the_last_position_is_left_out_and_told():
    made, verdict = judge(detections=boxes([0, 9, 10, 11]))
    assert made["detections"]["frame"].tolist() == [0, 9]
    assert "2 detections after the last position" in verdict.reason


def test_boxes_without_area_are_left_out_and_told():
    made, verdict = judge(detections=boxes([3, 4, 5], width=[5.0, 0.0, np.nan]))
    assert verdict.status == "repaired"
    assert "2 detections without an area left out (the first at frame 4)" in verdict.reason
    assert made["detections"]["frame"].tolist() == [3]


@pytest.mark.parametrize(
    ("box", "told"),
    [
        ("1,2,inf,4", "line 3, column w: inf"),
        ("1,2,3,-4", "line 3, column h: -4"),
        ("1,,3,4", "line 3, column y: nothing"),
        ("-1e300,2,3,4", "line 3, column x: -1e+300"),
    ],
)
def test_the_first_box_without_area_is_told_by_its_line_and_value(tmp_path, box, told):
    path = tmp_path / "boxes.csv"
    path.write_text(f"frame,x,y,w,h,score\n3,-1,2,3,4,1\n4,{box},1\n5,1,2,0,4,1\n")
    made, verdict = judge(detections=detections.read(path).table)
    assert f"2 detections without an area left out (the first at frame 4; boxes.csv, {told})" in (
        verdict.reason
    )
    assert made["detections"]["frame"].tolist() == [3]


def test_a_crowd_beyond_counting_discards_the_segment():
    _, verdict = judge(detections=boxes([3] * 129))
    assert verdict.discarded
    assert "frame 3" in verdict.reason


def annotated(*rows):
    table = pd.DataFrame(rows, columns=["frame", "object", "type", "identities"])
    empty = table["type"] == "empty"
    for name in schemas.BOX:
        table[name] = np.where(empty, np.nan, 5.0)
    return tables.conform(table.assign(visibility="clear", difficult=False), "annotations")


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([(0, 0, "single", ["R"]), (0, 1, "single", ["tunnel"]), (4, 0, "empty", [])], "usable"),
        ([], "repaired"),
        ([(0, 0, "single", ["X"])], "discarded"),
        ([(0, 0, "huddle", ["R", "X"])], "discarded"),
        ([(0, 0, "single", ["R"]), (11, 0, "single", ["R"])], "repaired"),
        ([(12, 0, "single", ["R"])], "discarded"),
    ],
)
def test_annotations_must_be_of_the_animals_and_frames_of_the_segment(rows, status):
    made, verdict = judge(annotations=annotated(*rows))
    assert verdict.status == status
    if not verdict.discarded:
        assert (made["annotations"]["frame"] < 10).all()


def test_strangers_among_the_annotations_are_named():
    _, verdict = judge(annotations=annotated((4, 0, "single", ["Y"]), (6, 0, "huddle", ["X", "R"])))
    assert "annotations of X, Y (the first at frame 4); the animals are R" in verdict.reason


def check_segment(key, sources, outputs, **options):
    """Check a segment, of which sources and outputs are named by their parts."""
    cage, name = key
    written = {f"output_{part}": path for part, path in outputs.items()}
    return check.check_segment(Check(cage=cage, segment=name, **sources, **written, **options))


@pytest.fixture
def segment(tmp_path):
    """Paths of a sound segment of 4 frames, and a run of check over it."""
    tables_made = ("positions", "annotations", "detections")

    class Files:
        def __init__(self):
            names = ("positions.csv", "detections.csv", "annotations.json", "video.mp4")
            self.sources = {name.partition(".")[0]: tmp_path / name for name in names}
            self.outputs = {name: tmp_path / f"{name}.parquet" for name in tables_made}

        def run(self, **options):
            verdict = check_segment(("A", "1"), self.sources, self.outputs, **options)
            for name, path in self.outputs.items():
                assert tables.read_verdict(path) == verdict
                if verdict.discarded:
                    assert tables.read(path, name).empty
            return verdict

    files = Files()
    files.sources["positions"].write_text("frame,R,G\n0,1,2\n1,1,2\n2,1,2\n3,1,2\n")
    files.sources["detections"].write_text("frame,x,y,w,h,score\n0,1,1,5,5,0.5\n")
    write_project(annotated((0, 0, "single", ["R"])), files.sources["annotations"])
    picture = np.tile(np.arange(0, 256, 16, dtype=np.uint8), (16, 1))
    video.write(files.sources["video"], [picture] * 4, 25)
    return files


def test_a_sound_segment_is_written_as_three_tables(segment):
    assert segment.run(animals="R,G") == Verdict()
    lengths = [len(tables.read(path, name)) for name, path in segment.outputs.items()]
    assert lengths == [8, 1, 1]
    assert timeline.filmed(tables.read_about(segment.outputs["positions"])) == 25


@pytest.mark.parametrize("part", ["positions", "annotations"])
def test_the_length_of_a_discarded_segment_is_known_as_far_as_it_can_be(segment, part):
    segment.sources[part].unlink()
    assert segment.run().discarded
    about = tables.read_about(segment.outputs["positions"])
    assert about["frames"] == "4"
    # What was annotated, too, unless it is the annotations that cannot be read.
    assert about.get(timeline.ANNOTATED) == ("1" if part == "positions" else None)


@pytest.mark.parametrize("part", ["positions", "annotations", "detections", "video"])
@pytest.mark.parametrize("damage", ["missing", "empty", "nonsense"])
def test_a_missing_or_damaged_part_is_a_verdict(segment, part, damage):
    path = segment.sources[part]
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(b"" if damage == "empty" else b"\x00\xff nonsense")
    verdict = segment.run()
    assert verdict.discarded
    assert str(path) in verdict.reason


def test_all_that_is_wrong_is_told_at_once(segment):
    segment.sources["detections"].unlink()
    segment.sources["video"].unlink()
    verdict = segment.run()
    assert str(segment.sources["detections"]) in verdict.reason
    assert str(segment.sources["video"]) in verdict.reason


def test_a_hostile_pickle_stops_the_run_and_is_not_run(segment, tmp_path):
    class Hostile:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path / 'marker'}",)

    segment.sources["positions"] = tmp_path / "Positions.df"
    segment.sources["positions"].write_bytes(bz2.compress(pickle.dumps(Hostile())))
    with pytest.raises(RefusedPickleError, match=r"os\.system"):
        segment.run()
    assert not (tmp_path / "marker").exists()
    assert not any(path.exists() for path in segment.outputs.values())


def test_parts_that_are_not_there_give_empty_tables(segment):
    segment.sources = {"positions": segment.sources["positions"]}
    assert segment.run() == Verdict()
    assert tables.read(segment.outputs["detections"], "detections").empty
    assert len(tables.read(segment.outputs["positions"], "positions")) == 8


def test_a_table_that_was_discarded_before_stays_so(segment, tmp_path):
    before = Verdict("discarded", "the importer said so")
    path = tmp_path / "imported.parquet"
    tables.write(tables.empty("positions"), path, "positions", before)
    segment.sources["positions"] = path
    assert segment.run() == before


def test_tables_that_were_judged_are_judged_the_same_again(segment):
    segment.sources["positions"].write_text("frame,R\n0,1\n1,\n2,1\n3,1\n")
    verdict = segment.run()
    assert verdict.status == "repaired"
    first = {name: path.read_bytes() for name, path in segment.outputs.items()}
    segment.sources = dict(segment.outputs)
    assert segment.run() == verdict
    assert {name: path.read_bytes() for name, path in segment.outputs.items()} == first


def test_the_command_says_the_verdict(segment):
    names = ("positions", "annotations", "detections", "video")
    options = [f"--{name}={segment.sources[name]}" for name in names]
    options += [f"--output-{name}={path}" for name, path in segment.outputs.items()]
    command = ["check", "--cage=A", "--segment=1", "--animals=R, G", "--fps=25", *options]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert result.output == "A 1: usable\n"
    result = CliRunner().invoke(cli, [*command, "--rows=1", "--columns=1"])
    assert "discarded" in result.output
    assert "outside antennas 1 to 1" in result.output


def test_a_segment_in_shared_is_usable(shared, tmp_path):
    folder = shared / "tide" / "Segments" / "C_20"
    verdict = check_segment(
        ("C", "20"),
        {
            "positions": folder / "Positions.df",
            "detections": folder / "Detections.df",
            "annotations": shared / "tide" / "Annotations.df",
        },
        {name: tmp_path / name for name in ("positions", "annotations", "detections")},
        animals="R,G,B",
    )
    assert verdict == Verdict()
    assert len(tables.read(tmp_path / "positions", "positions")) == 3 * 45_000
    assert len(tables.read(tmp_path / "detections", "detections")) == 140_524
    assert len(tables.read(tmp_path / "annotations", "annotations")) == 438
