"""``murid sheet``: from a lab's folder to a sample sheet."""

import csv
import os
import shlex
import subprocess
from datetime import date, datetime, timedelta

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import made_videos
from murid.cli import cli
from murid.errors import InputError
from murid.listing import clock
from murid.sheet import read_sheet
from readme_blocks import blocks, in_shell

VIDEO = "{date:%Y-%m-%d}/{cage}_{start:%H%M%S}.mp4"
LOG = "rfid/{cage}/{date:%Y%m%d}.txt"
USUAL = ("--video", VIDEO, "--log", LOG, "--zone", "Europe/London")


def make(archive, *paths, data=b"x"):
    """Make files, of one byte each."""
    for path in paths:
        (archive / path).parent.mkdir(parents=True, exist_ok=True)
        (archive / path).write_bytes(data)


def run(archive, *options):
    """Run the command; return all that it said."""
    done = CliRunner().invoke(
        cli, ["sheet", str(archive), *map(str, options)], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.output


def refused(archive, *options):
    """Return what the command is refused with."""
    with pytest.raises(InputError) as caught:
        run(archive, *options)
    return str(caught.value)


def rows(archive):
    return read_sheet(archive / "segments.tsv")


def told(output, beginning):
    """Return the one line of a kind."""
    (line,) = (line for line in output.splitlines() if line.startswith(f"murid: {beginning}"))
    return line


@pytest.fixture
def archive(tmp_path):
    """Two cages, an evening of half hours around midnight, and daily logs."""
    root = tmp_path / "archive"
    for cage in ("C2", "C1"):
        make(root, *(f"2026-03-27/{cage}_{hour}{minute}00.mp4" for hour in (22, 23)
                     for minute in ("00", "30")))  # fmt: skip
        make(root, f"2026-03-28/{cage}_000000.mp4", f"2026-03-28/{cage}_003000.mp4")
        make(root, *(f"rfid/{cage}/202603{day}.txt" for day in range(24, 31)))
    return root


def test_a_folder_becomes_a_sheet(archive):
    said = run(archive, *USUAL)
    assert f"wrote {archive / 'segments.tsv'}: 12 segments of 2 cages" in said
    sheet = rows(archive)
    assert [*sheet] == [
        (cage, f"202603{time}00")
        for cage in ("C1", "C2")
        for time in ("27T2200", "27T2230", "27T2300", "27T2330", "28T0000", "28T0030")
    ]
    late = sheet["C1", "20260327T233000"]
    assert late.video == "2026-03-27/C1_233000.mp4"
    assert late.start == "2026-03-27T23:30:00+00:00"
    assert late.fps_assumed
    assert (late.rig, late.positions, late.detections, late.annotations) == ("rig", "", "", "")


def test_a_segment_has_the_logs_of_its_time_and_one_more_on_either_side(archive):
    make(archive, "2026-03-29/C1_230000.mp4")  # by then clocks are ahead
    run(archive, *USUAL)
    days = {name: [path[-6:-4] for path in row.readings] for (cage, name), row in
            rows(archive).items() if cage == "C1"}  # fmt: skip
    assert days["20260327T220000"] == ["26", "27", "28"]
    assert days["20260328T000000"] == ["27", "28", "29"]
    assert days["20260329T230000"] == ["28", "29", "30"]
    assert all(
        path.startswith("rfid/C1/") for path in rows(archive)["C1", "20260327T220000"].readings
    )


def test_a_log_without_a_cage_serves_all_and_one_without_a_time_all_the_time(archive):
    make(archive, "all/2026-03-27.log", "all/2026-03-28.log", "C1.csv", "C2.csv")
    options = ("--video", VIDEO, "--zone", "UTC")
    run(archive, *options, "--log", "all/{date:%Y-%m-%d}.log")
    assert {row.readings for row in rows(archive).values()} == {
        ("all/2026-03-27.log", "all/2026-03-28.log")
    }
    (archive / "segments.tsv").unlink()
    run(archive, *options, "--log", "{cage}.csv")
    assert {cage: row.readings for (cage, _), row in rows(archive).items()} == {
        "C1": ("C1.csv",), "C2": ("C2.csv",)
    }  # fmt: skip


def test_logs_of_several_readers_stand_beside_each_other(archive):
    make(archive, "left/C1_20260327.txt", "right/C1_20260327.txt", "right/C1_20260328.txt")
    run(archive, "--video", VIDEO, "--zone", "UTC", "--log", "left/{cage}_{date:%Y%m%d}.txt",
        "--log", "right/{cage}_{date:%Y%m%d}.txt", "--log-length", "2d")  # fmt: skip
    assert rows(archive)["C1", "20260327T220000"].readings == (
        "left/C1_20260327.txt", "right/C1_20260327.txt", "right/C1_20260328.txt",
    )  # fmt: skip


hours = st.lists(st.integers(0, 200), min_size=1, max_size=12, unique=True)


@given(hours, hours, st.sampled_from(["30min", "1h", "5h", None]))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_log_of_the_time_of_a_segment_is_ever_left_out(tmp_path_factory, filmed, logged, length):
    archive = tmp_path_factory.mktemp("archive")
    first = datetime(2026, 3, 25)
    films = [first + timedelta(hours=hour) for hour in filmed]
    begun = sorted(first + timedelta(hours=hour) for hour in logged)
    make(archive, *(f"C1_{film:%Y%m%dT%H%M%S}.mp4" for film in films))
    make(archive, *(f"{log:%Y%m%d_%H%M%S}.txt" for log in begun))
    options = ["--segment-length", length] if length else []
    command = ["sheet", str(archive), "--video", "{cage}_{start:%Y%m%dT%H%M%S}.mp4", "--log",
               "{start:%Y%m%d_%H%M%S}.txt", "--zone", "UTC", *options]  # fmt: skip
    CliRunner().invoke(cli, command)
    listed = rows(archive) if (archive / "segments.tsv").exists() else {}
    lasts = clock.length(length) if length else timedelta(minutes=30)
    for film in films:
        needed = {
            f"{log:%Y%m%d_%H%M%S}.txt"
            for log, after in zip(begun, [*begun[1:], datetime.max], strict=True)
            if log < film + lasts and after > film
        }
        row = listed.get(("C1", f"{film:%Y%m%dT%H%M%S}"))
        # The last log goes on until nobody knows when, so that none is waited for. Of which nothing
        # tells how long it lasts, that may be until any log.
        if length:
            assert (row is None) == (not needed and film + lasts <= begun[0])
        assert row is not None or not needed
        assert row is None or needed <= {*row.readings}


def test_a_segment_waits_for_the_next_log_and_is_listed_once_that_is_there(archive):
    for cage in ("C1", "C2"):
        for day in (28, 29, 30):
            (archive / f"rfid/{cage}/202603{day}.txt").unlink()
    make(archive, "2026-03-27/C1_234500.mp4")
    (archive / "2026-03-28" / "C1_000000.mp4").unlink()
    said = run(archive, *USUAL)
    line = told(said, "segments left out, since their antenna logs end before they do")
    assert ": 4 (C1 20260327T234500:" in line  # half an hour as others, half of it the next day
    assert [*rows(archive)][3] == ("C1", "20260327T233000")
    before = (archive / "segments.tsv").read_bytes()
    assert "nothing new" in run(archive, *USUAL, "--update")
    assert (archive / "segments.tsv").read_bytes() == before
    make(archive, "rfid/C1/20260328.txt", "rfid/C2/20260328.txt")
    assert "added 4 segments" in run(archive, *USUAL, "--update")
    assert (archive / "segments.tsv").read_bytes().startswith(before)


def test_segments_of_which_no_log_is_there_are_told_and_left_out(archive):
    make(archive, "2026-03-01/C1_120000.mp4", "2026-03-27/C3_120000.mp4")
    said = run(archive, *USUAL, "--report", archive / "report.tsv")
    line = told(said, "segments left out, since no antenna log covers any of their time")
    assert ": 2 (C1 20260301T120000: 2026-03-01/C1_120000.mp4; C3 20260327T120000" in line
    assert "C3" not in {cage for cage, _ in rows(archive)}


def test_logs_and_files_that_no_segment_needs_are_told(archive):
    make(archive, "rfid/C1/20250101.txt", "via/C9_1.json")
    report = archive / "report.tsv"
    said = run(archive, *USUAL, "--annotations", "via/{cage}_{any}.json", "--report", report)
    kind = "files that fit a pattern and are not used, since no segment of the sheet needs them"
    first = ": 6 (rfid/C1/20250101.txt: no segment is of its time (--log); rfid/C2/20260324.txt"
    assert first in told(said, kind)
    assert "--video: 12 of 12 files that fit are used" in said
    assert "--log: 10 of 15 files that fit are used" in said
    assert "--annotations: 0 of 1 files that fit are used" in said
    found = [line.split("\t") for line in report.read_text().splitlines()]
    assert [what for of, what, _ in found if of == kind] == [
        "rfid/C1/20250101.txt", "rfid/C1/20260324.txt", "rfid/C1/20260325.txt",
        "rfid/C2/20260324.txt", "rfid/C2/20260325.txt", "via/C9_1.json",
    ]  # fmt: skip


def test_why_a_file_that_fits_is_not_used_is_told(archive):
    make(archive, "rfid/C9/20260327.txt", "via/C1_x_20260327.json", "via/C1_y_20260327.json")
    report = archive / "report.tsv"
    run(archive, *USUAL, "--annotations", "via/{cage}_{any}_{date:%Y%m%d}.json",
        "--report", report)  # fmt: skip
    why = dict(line.split("\t")[1:] for line in report.read_text().splitlines())
    assert why["rfid/C9/20260327.txt"] == "no segment of cage C9 is listed (--log)"
    assert why["rfid/C1/20260324.txt"] == "no segment is of its time (--log)"
    assert "or several files have those of one" in why["via/C1_x_20260327.json"]


def test_a_second_log_that_is_called_otherwise_is_told_apart_from_what_is_of_another_kind(archive):
    make(archive, "rfid/C1/20260327 (1).txt", "rfid/C1/notes.doc", "rfid/20260327.txt")
    said = run(archive, *USUAL)
    line = told(said, "files that fit no pattern and are not used, though they lie among those")
    assert ": 1 (rfid/C1/20260327 (1).txt: beside rfid/C1/20260324.txt of --log)" in line
    line = told(said, "files that fit no pattern, so")
    assert line.endswith(": 2 (rfid/20260327.txt, rfid/C1/notes.doc)")
    (archive / "segments.tsv").unlink()
    run(archive, "--video", VIDEO, "--log", "rfid/{cage}/{date:%Y%m%d}*.txt", "--zone", "UTC")
    both = {"rfid/C1/20260327 (1).txt", "rfid/C1/20260327.txt"}
    assert both <= {*rows(archive)["C1", "20260327T220000"].readings}


@pytest.mark.parametrize("option", ["detections", "tracklets", "annotations", "frame-times"])
def test_files_beside_a_video_are_found_by_the_fields_that_they_share(archive, option):
    make(archive, "x/C1-20260327-2200.json", "x/C2-20260328-0030.json")
    said = run(archive, *USUAL, f"--{option}", "x/{cage}-{start:%Y%m%d-%H%M}.json")
    column = option.replace("-", "_")
    found = {key: path for key, row in rows(archive).items() if (path := getattr(row, column))}
    assert found == {
        ("C1", "20260327T220000"): "x/C1-20260327-2200.json",
        ("C2", "20260328T003000"): "x/C2-20260328-0030.json",
    }
    lacking = "cells left empty, since no file fits: 10" in said
    assert lacking == (option != "annotations")


def test_one_file_may_serve_all_segments_or_be_called_as_a_segment_is(archive):
    make(archive, "all.json", "C1/20260327T220000.csv")
    run(archive, *USUAL, "--annotations", "all.json", "--frame-times", "{cage}/{segment}.csv")
    assert {row.annotations for row in rows(archive).values()} == {"all.json"}
    assert rows(archive)["C1", "20260327T220000"].frame_times == "C1/20260327T220000.csv"


def test_of_several_files_for_one_cell_none_is_taken_and_all_are_told(archive):
    make(archive, "via/C1 20260327 2200 a.json", "via/C1 20260327 2200 b.json")
    said = run(archive, *USUAL, "--annotations", "via/{cage} {start:%Y%m%d %H%M} {any}.json")
    assert rows(archive)["C1", "20260327T220000"].annotations == ""
    line = told(said, "cells left empty, since several files would fit: 1")
    assert "annotations of C1 20260327T220000: via/C1 20260327 2200 a.json, via/" in line


def test_two_recordings_of_one_segment_are_both_left_out_and_told(archive):
    make(archive, "2026-03-27/C1_220000.new.mp4", "2026-03-27/C1_223000.avi")
    said = run(archive, "--video", "{date:%Y-%m-%d}/{cage}_{start:%H%M%S}.*", *USUAL[2:])
    line = told(said, "segments left out, since there are several recordings of each: 2")
    assert "C1 20260327T220000: 2026-03-27/C1_220000.mp4, 2026-03-27/C1_220000.new.mp4" in line
    assert ("C1", "20260327T220000") not in rows(archive)
    assert ("C1", "20260327T230000") in rows(archive)


def test_what_overlaps_is_told_and_listed(archive):
    make(archive, "2026-03-27/C1_221500.mp4")
    said = run(archive, *USUAL, "--segment-length", "30min")
    line = told(said, "segments that overlap another one of the cage, listed all the same: 2")
    assert "C1 20260327T221500: starts before 20260327T220000 has ended" in line
    assert "C1 20260327T223000: starts before 20260327T221500 has ended" in line
    assert len(rows(archive)) == 13


def test_files_that_fit_nothing_or_too_much_are_told(archive):
    make(archive, "notes.txt", "2026-03-27/C1_9pm.mp4", "2026-02-30/C1_220000.mp4")
    make(archive, "2026-03-27/C1_210000.mp4", data=b"")
    said = run(archive, *USUAL, "--annotations", "rfid/C2/20260324.txt")
    assert told(said, "files that fit no pattern, so").endswith(": 1 (notes.txt)")
    line = told(said, "files that fit no pattern and are not used, though they lie among those")
    assert "1 (2026-03-27/C1_9pm.mp4: beside 2026-03-27/C1_220000.mp4 of --video)" in line
    assert "since they are empty (0 bytes): 1 (2026-03-27/C1_210000.mp4)" in said
    line = told(said, "files left out, since they fit the patterns of several options")
    assert "1 (rfid/C2/20260324.txt: --annotations and --log)" in line
    line = told(said, "recordings left out, since nobody can know when they start")
    assert "2026-02-30/C1_220000.mp4: a date that there is not" in line
    assert len(rows(archive)) == 12


@pytest.mark.parametrize("cage", ["Käfig 1", "-1", "all", "a" * 101])
def test_cages_that_cannot_be_called_so_are_told(archive, cage):
    make(archive, f"2026-03-27/{cage}_220000.mp4")
    said = run(archive, *USUAL)
    line = told(said, "recordings left out, since a cage, segment or rig cannot be called so: 1")
    assert f"2026-03-27/{cage}"[:50] in line
    assert {cage for cage, _ in rows(archive)} == {"C1", "C2"}


@pytest.mark.parametrize("name", ["a{b}", "a<b", "a\tb", "a\nb", "a\udcffb", "a;b"])
def test_files_that_no_sheet_can_name_are_told(archive, name):
    path = f"rfid/C1/{name}/20260327.txt"
    os.makedirs(os.fsencode(archive / path[: path.rindex("/")]))
    with open(os.fsencode(archive / path), "w") as file:
        file.write("x")
    report = archive / "report.tsv"
    said = run(archive, *USUAL[:3], "rfid/{cage}/*/{date:%Y%m%d}.txt", *USUAL[4:], "--log", LOG,
               "--report", report)  # fmt: skip
    assert "files left out, since a sheet cannot name them; rename them: 1" in said
    lines = report.read_text().splitlines()
    assert all(len(line.split("\t")) == 3 for line in lines)
    assert any("cannot name them" in line and "20260327.txt" in line for line in lines)


def test_hidden_and_half_written_files_are_passed_over_and_counted(archive):
    make(archive, "2026-03-27/.C1_210000.mp4", "2026-03-27/C1_213000.partial.mp4",
         "2026-03-27/C1_210000.mp4.partial", "@eaDir/2026-03-27/C1_210000.mp4",
         "2026-03-27/@eaDir/x.jpg", ".trash/C1_220000.mp4", "#recycle/C1_220000.mp4")  # fmt: skip
    said = run(archive, *USUAL)
    assert "files and folders passed over: hidden" in said
    assert ": 7 (" in told(said, "files and folders passed over")
    assert "fit no pattern" not in said
    assert len(rows(archive)) == 12


def test_links_are_followed_and_no_folder_is_looked_into_twice(archive, tmp_path):
    other = tmp_path / "disk"
    make(other, "C3_220000.mp4", "C4_220000.mp4")
    (archive / "2026-03-26").symlink_to(other)
    (archive / "2026-03-27" / "C5_220000.mp4").symlink_to(other / "C3_220000.mp4")
    (archive / "2026-03-27" / "C6_220000.mp4").symlink_to(other / "gone.mp4")
    (archive / "0-before-all").symlink_to(archive / "2026-03-27")
    (other / "loop").symlink_to(archive)
    (archive / "loop").symlink_to(archive / "loop")
    os.mkfifo(archive / "2026-03-27" / "C7_220000.mp4")
    make(archive, *(f"rfid/C{cage}/202603{day}.txt" for cage in (3, 4, 5) for day in (26, 27)))
    said = run(archive, *USUAL)
    assert {cage for cage, _ in rows(archive)} == {"C1", "C2", "C3", "C4", "C5"}
    assert rows(archive)["C3", "20260326T220000"].video == "2026-03-26/C3_220000.mp4"
    line = told(said, "links not followed")
    assert ": 2 (0-before-all/, 2026-03-26/loop/)" in line
    assert ": 3 (2026-03-27/C6" in told(said, "entries passed over: no plain files, or links")


def test_folders_that_may_not_be_looked_into_are_told(archive, monkeypatch):
    scandir = os.scandir

    def closed(folder):
        if str(folder).endswith("/2026-03-28"):
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", closed)
    line = told(run(archive, *USUAL), "folders that may not be looked into: 1")
    assert line.endswith("(2026-03-28/: Permission denied)")
    assert len(rows(archive)) == 8


@pytest.mark.parametrize(
    ("day", "time", "why"),
    [
        ("2026-10-25", "013000", "2026-10-25T01:30:00, which came twice in Europe/London"),
        ("2026-03-29", "013000", "2026-03-29T01:30:00, which no clock in Europe/London showed"),
    ],
)
def test_an_hour_that_came_twice_or_never_is_told_and_not_guessed(tmp_path, day, time, why):
    name = f"{day}/C1_{time}.mp4"
    make(tmp_path, name, f"{day}/C1_000000.mp4", f"rfid/C1/{day.replace('-', '')}.txt")
    report = tmp_path / "report.tsv"
    said = run(tmp_path, *USUAL, "--report", report)
    assert name in told(said, "recordings left out, since nobody can know when they start")
    assert why in report.read_text()
    assert len(rows(tmp_path)) == 1
    starts = tmp_path / "starts.csv"
    starts.write_text(f"file,start\n{name},{day}T01:30:00+01:00\n")
    run(tmp_path, *USUAL, "--starts", starts, "--update")
    added = [row for row in rows(tmp_path).values() if row.video == name]
    assert [datetime.fromisoformat(row.start) for row in added] == [
        datetime.fromisoformat(f"{day}T01:30:00+01:00")
    ]


def test_on_the_day_of_25_hours_the_last_hour_has_its_log(tmp_path):
    make(tmp_path, "2026-10-25/C1_233000.mp4", "2026-10-25/C1_230000.mp4", "rfid/C1/20261025.txt")
    assert "left out" not in run(tmp_path, *USUAL)
    assert rows(tmp_path)["C1", "20261025T233000"].start == "2026-10-25T23:30:00+00:00"


def test_both_hours_of_the_end_of_summer_time_are_segments_of_their_own(tmp_path):
    zoned = "{cage}_{start:%Y%m%dT%H%M%S%z}.mp4"
    make(tmp_path, "C1_20261025T013000+0100.mp4", "C1_20261025T013000+0000.mp4", "C1.csv")
    run(tmp_path, "--video", zoned, "--log", "{cage}.csv", "--zone", "Europe/London")
    assert [(name, row.start) for (_, name), row in rows(tmp_path).items()] == [
        ("20261025T003000Z", "2026-10-25T01:30:00+01:00"),
        ("20261025T013000Z", "2026-10-25T01:30:00+00:00"),
    ]


SHEET = (
    "\ufeff# ours\r\nsegment \tcage\tvideo\treadings\tstart\tfps\tsplit\r\n\r\n"
    "old\tC1\t./2026-03-27/C1_220000.mp4\ta.csv\t2026-03-27 22:00\t 12.50\tTrain  \r\n"
    "# 20260327T223000\tC1\t2026-03-27/C1_223000.mp4\tmouse fell ill\t\t\t\r\n"
    '"x"\tC1\t"2026-03-27/C1_230000.mp4"\ta.csv\t2026-03-27 23:00\t\t\r\n'
)
"""A sheet as somebody keeps it by hand."""


@pytest.mark.parametrize("ending", ["", "\r\n", "\r\n\r\n# end\r\n"])
@pytest.mark.parametrize("line", ["\n", "\r\n", "\r"])
def test_an_update_leaves_what_was_there_byte_for_byte(archive, ending, line):
    path = archive / "segments.tsv"
    before = (SHEET.removesuffix("\r\n") + ending).replace("\r\n", line).encode()
    path.write_bytes(before)
    said = run(archive, *USUAL, "--update")
    after = path.read_bytes()
    assert after.startswith(before)
    assert "added 9 segments of 2 cages" in said
    assert "since the sheet names them in a comment: 1 (2026-03-27/C1_223000.mp4)" in said
    new = after[len(before) :].decode()
    assert new.count(line) == 9 + (not ending)
    assert not {"\r", "\n"} - {*line} & {*new}
    rows_ = list(csv.reader(new.splitlines(), delimiter="\t"))
    assert rows_[not ending][:3] == ["20260327T233000", "C1", "2026-03-27/C1_233000.mp4"]
    assert rows_[not ending][5:] == ["", ""]
    sheet = rows(archive)
    assert sheet["C1", "old"].fps == 12.5
    assert len(sheet) == 11
    assert "nothing new" in run(archive, *USUAL, "--update")
    assert path.read_bytes() == after


def test_an_update_needs_a_header_with_all_columns_of_the_new_rows(archive):
    path = archive / "segments.tsv"
    text = "cage\tsegment\tpositions\tvideo\nC9\t1\tp.csv\tv.mp4\n"
    path.write_text(text)
    found = refused(archive, *USUAL, "--update", "--fps", "30")
    assert "found a header without readings, fps, start; expected all columns" in found
    assert path.read_text() == text


def test_an_update_where_there_is_no_sheet_writes_one(archive):
    assert "wrote" in run(archive, *USUAL, "--update")


def test_a_sheet_that_is_there_is_not_written_over(archive):
    run(archive, *USUAL)
    before = (archive / "segments.tsv").read_bytes()
    assert "a sheet that is there already" in refused(archive, *USUAL)
    assert (archive / "segments.tsv").read_bytes() == before


def test_a_segment_that_the_sheet_has_by_another_video_is_told(archive):
    path = archive / "segments.tsv"
    path.write_text(
        "cage\tsegment\treadings\tvideo\tstart\n"
        "C1\t20260327T220000\ta.csv\tmoved/v.mp4\t2026-03-27 22:00\n"
    )
    said = run(archive, *USUAL, "--update")
    line = told(said, "recordings left out, since the sheet has another one of a segment")
    assert "1 (2026-03-27/C1_220000.mp4: C1 20260327T220000)" in line
    assert rows(archive)["C1", "20260327T220000"].video == "moved/v.mp4"


def test_new_recordings_that_overlap_listed_ones_are_told(archive):
    run(archive, *USUAL)
    make(archive, "2026-03-27/C1_221500.mp4")
    said = run(archive, *USUAL, "--update", "--segment-length", "20min")
    assert "C1 20260327T221500: starts before 20260327T220000 has ended" in said


def test_a_table_of_starts_wins_and_is_refused_where_it_makes_no_sense(archive):
    starts = archive / "starts.csv"
    starts.write_text(
        "file,start\n2026-03-27/C1_220000.mp4,2026-03-27 22:00:03.5\nmissing.mp4,2026-03-27 23:00\n"
    )
    said = run(archive, *USUAL, "--starts", starts)
    row = rows(archive)["C1", "20260327T220003.500000"]
    assert row.start == "2026-03-27T22:00:03.500000+00:00"
    assert "1 (missing.mp4)" in told(said, "files of --starts that no pattern found")
    (archive / "segments.tsv").unlink()
    starts.write_text(
        "file,start\na.mp4,10 pm\na.mp4,2026-03-29 12:00\n./a.mp4,2026-03-27 12:00\n"
        "b.mp4,2026-03-29 01:30\n,2026-03-27 12:00\n"
    )
    found = refused(archive, *USUAL, "--starts", starts).splitlines()
    assert [line.partition(": ")[0].removeprefix(f"{starts}, ") for line in found] == [
        "line 2, column start", "line 4, column file", "line 5, column start",
        "line 6, column file",
    ]  # fmt: skip


def test_containers_tell_starts_and_lengths(tmp_path):
    for cage, hour in (("C1", 20), ("C2", None)):
        film = made_videos.make(tmp_path / f"{cage}_first.mp4", range(50))
        if hour:
            stamp(film, f"2026-03-29T{hour}:30:00.000000Z")
    make(tmp_path, "C3_first.mp4", "logs/20260329.txt")
    said = run(tmp_path, "--video", "{cage}_{any}.mp4", "--start", "container", "--zone",
               "Europe/London", "--log", "logs/{date:%Y%m%d}.txt")  # fmt: skip
    assert [(key, row.start) for key, row in rows(tmp_path).items()] == [
        (("C1", "20260329T213000"), "2026-03-29T21:30:00+01:00")
    ]
    assert "C3_first.mp4: found data that cannot be decoded" in told(said, "videos whose header")
    line = told(said, "recordings left out, since nobody can know when they start")
    assert "C2_first.mp4: no time in the header; C3_first.mp4: no time in the header" in line


def stamp(path, time):
    """Write into a video when it was made, without touching its pictures."""
    import av

    copy = path.with_suffix(".copy.mp4")
    with av.open(str(path)) as source, av.open(str(copy), "w") as target:
        target.metadata["creation_time"] = time
        stream = source.streams.video[0]
        out = target.add_stream_from_template(stream)
        for packet in source.demux(stream):
            if packet.dts is not None:
                packet.stream = out
                target.mux(packet)
    copy.replace(path)


def test_durations_tell_what_overlaps(tmp_path):
    for second in (0, 2, 8, 9, 13):
        film = tmp_path / f"C1_202603272000{second:02}.mp4"
        made_videos.make(film, [0] * 75, stamps=[40 * frame for frame in range(75)])
    make(tmp_path, "C1.csv")
    said = run(tmp_path, "--video", "{cage}_{start:%Y%m%d%H%M%S}.mp4", "--log", "{cage}.csv",
               "--zone", "UTC", "--durations")  # fmt: skip
    # Starts are told to the second, so that an overlap of one second is none.
    line = told(said, "segments that overlap another one of the cage")
    assert line.endswith(": 1 (C1 20260327T200009: starts before 20260327T200008 has ended)")
    assert len(rows(tmp_path)) == 5


def test_another_rate_than_that_of_the_video_is_told(tmp_path):
    for cage, fps in (("C1", 25), ("C2", 10)):
        for hour in ("20", "21"):
            film = tmp_path / f"{cage}_{hour}.mp4"
            made_videos.make(film, [0] * 300, stamps=[1000 // fps * frame for frame in range(300)])
    make(tmp_path, "C1_20.csv", "C1_21.csv", "C2_20.csv", "C2_21.csv", "C3_20.csv", "C3_20.mp4")
    options = ["--video", "{cage}_{segment}.mp4", "--positions", "{cage}_{segment}.csv"]
    kind = "videos, of the first of each cage, whose header says another rate than the sheet will"
    line = told(run(tmp_path, *options), kind)
    assert "1 (C2_20.mp4: 10.0" in line
    assert line.endswith("frames/s, the sheet 25, as without --fps)")
    (tmp_path / "segments.tsv").unlink()
    line = told(run(tmp_path, *options, "--fps", "10"), kind)
    assert "1 (C1_20.mp4: 25" in line
    assert line.endswith("frames/s, the sheet 10)")


def test_the_example_of_the_help_works(tmp_path):
    make(tmp_path, "2026-03-28/C01_203000.mp4", "rfid/2026-03-28.csv", "rfid/2026-03-28 (1).csv",
         "annotations/C01_20260328_203000.json")  # fmt: skip
    done = CliRunner().invoke(cli, ["sheet", "--help"])
    example = done.output[done.output.index("murid sheet ARCHIVE") : done.output.index("Options:")]
    words = shlex.split(example.replace("\\\n", " "))
    run(tmp_path, *words[3:])
    (row,) = rows(tmp_path).values()
    assert (row.split, len(row.readings), bool(row.annotations)) == ("Train", 2, True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "options, --video: found no pattern"),
        (["--video", VIDEO, "--zone", "UTC"], "neither antenna logs nor traces"),
        ([*USUAL, "--positions", "{cage}.csv"], "both antenna logs and traces"),
        (["--video", "{date:%Y}/a_{start:%H%M}.mp4", *USUAL[2:]], "without {cage}"),
        (["--video", "{cage}_{date:%Y-%m-%d}.mp4", *USUAL[2:]], "tells neither {segment} nor when"),
        (["--video", VIDEO, "--log", LOG], "options, --zone: found none, and clock times in"),
        (["--video", "{cage}_{segment}.mp4", "--log", LOG], "--zone: found none, and clock times"),
        ([*USUAL[:4], "--zone", "Europe/Londn"], "found 'Europe/Londn'; expected a time zone by"),
        (["--video", VIDEO, "--log", "{cage}_{start:%H}.txt", "--zone", "UTC"],
         "which tells hour; expected a time with its date"),
        ([*USUAL, "--annotations", "{rig}.json"], "options, --annotations: found {rig}.json, with"),
        ([*USUAL, "--segment-length", "half an hour"], "options, --segment-length: found 'half an"),
        ([*USUAL, "--detections", "{cage}{segment}.csv"], "a sign between two fields"),
        ([*USUAL, "--log", "{cage}{segment}.csv"], "options, --log number 2"),
        (["--tracklets", VIDEO, *USUAL[2:], "--durations"], "--durations: found no pattern"),
        ([*USUAL, "--report", "{archive}/segments.tsv"], "options, --report"),
    ],
)  # fmt: skip
def test_options_that_say_nothing_or_too_much_are_refused(archive, options, expected):
    options = [option.replace("{archive}", str(archive)) for option in options]
    assert expected in refused(archive, *options)
    assert not (archive / "segments.tsv").exists()


def test_all_that_is_wrong_with_options_is_told_at_once(archive):
    run(archive, *USUAL)
    options = ["--video", "{start:%H%M}.mp4", "--log", "{start:%H}.txt", "--annotations", "{rig}",
               "--cut", "1h", "--report", archive / "segments.tsv"]  # fmt: skip
    said = refused(archive, *options).splitlines()
    places = ["segments.tsv: found a sheet", "--report:", "--cut: found no --fps",
              "--cut: found neither", "without {cage}", "tells neither {segment}",
              "{rig}, with {rig}", "--log: found {start:%H}.txt, which tells hour",
              "--zone: found none, and clock times in {start:%H%M}.mp4 and "]  # fmt: skip
    assert [place in line for place, line in zip(places, said, strict=True)] == [True] * 9


def test_a_zone_is_asked_for_together_with_the_date_that_a_pattern_lacks(archive):
    make(archive, "log.txt", "C1_2030.mp4")
    said = refused(archive, "--video", "{cage}_{start:%H%M}.mp4", "--log", "log.txt").splitlines()
    assert ["tells neither {segment}" in said[0], "--zone: found none" in said[1]] == [True, True]
    run(archive, "--video", "{cage}_{start:%H%M}.mp4", "--log", "log.txt", "--starts",
        starts(archive, "C1_2030.mp4,2026-03-27 20:30+00:00"))  # fmt: skip


def starts(archive, *lines):
    path = archive / "starts.csv"
    path.write_text("\n".join(["file,start", *lines]) + "\n")
    return path


def test_all_patterns_that_are_none_are_told_at_once(archive):
    said = refused(archive, "--video", "{cage", "--log", "{date}", "--zone", "London", "--fps", "0")
    places = ["--video", "--log number 1", "--zone", "--fps"]
    assert [place in line for place, line in zip(places, said.splitlines(), strict=True)] == [
        True
    ] * 4


def test_where_nothing_fits_no_sheet_is_written_and_what_is_there_is_told(archive):
    command = ["sheet", str(archive), "--video", "{cage}.avi", "--positions", "x"]
    done = CliRunner().invoke(cli, [*command[:3], "{cage}_{segment}.avi", *command[4:]])
    assert isinstance(done.exception, InputError)
    assert "no segment that a sheet can list" in str(done.exception)
    assert "files that fit no pattern, so that the sheet does not name them: 26 (" in done.output
    assert not (archive / "segments.tsv").exists()


def test_recordings_may_be_tracklets_with_traces_and_names_of_their_own(tmp_path):
    make(tmp_path, "A/r1/7.csv", "A/r2/8.csv", "trace/A_7.csv")
    said = run(tmp_path, "--tracklets", "{cage}/{rig}/{segment}.csv", "--positions",
               "trace/{cage}_{segment}.csv", "--fps", "30")  # fmt: skip
    (row,) = rows(tmp_path).values()
    assert (row.cage, row.segment, row.rig, row.tracklets) == ("A", "7", "r1", "A/r1/7.csv")
    assert (row.positions, row.fps, row.fps_assumed, row.start) == ("trace/A_7.csv", 30, False, "")
    assert "A 8: A/r2/8.csv" in told(said, "segments left out, since there is no antenna trace")


def test_logs_without_starts_need_the_times_of_frames(tmp_path):
    make(tmp_path, "20260327/A_1.mp4", "20260327/A_2.mp4", "20260327/A_1.times.csv",
         *(f"log/{date(2026, 3, day):%Y%m%d}.txt" for day in (1, 26, 27, 28, 29, 30)))  # fmt: skip
    said = run(tmp_path, "--video", "{date:%Y%m%d}/{cage}_{segment}.mp4", "--zone", "UTC",
               "--log", "log/{date:%Y%m%d}.txt",
               "--frame-times", "{date:%Y%m%d}/{cage}_{segment}.times.csv")  # fmt: skip
    (row,) = rows(tmp_path).values()
    assert row.frame_times == "20260327/A_1.times.csv"
    assert [path[-6:-4] for path in row.readings] == ["26", "27", "28", "29"]
    assert "A 2: 20260327/A_2.mp4" in told(said, "segments left out, since nothing tells when")


def test_more_logs_than_a_sheet_can_name_are_refused(archive):
    make(archive, *(f"logs/{number:040}.txt" for number in range(1000)))
    found = refused(archive, "--video", VIDEO, "--zone", "UTC", "--log", "logs/{any}.txt")
    assert "found 1,000 antenna logs of segment C1 20260327T220000" in found
    assert "Tell by {date:FORMAT} or {start:FORMAT} in their pattern when they begin." in found


def test_full_minutes_are_told_where_names_tell_no_seconds(archive):
    said = run(archive, "--video", "{date:%Y-%m-%d}/{cage}_{start:%H%M}00.mp4", *USUAL[2:])
    assert "recordings taken to start at the full minute, since their names" in said


def test_the_example_of_the_documentation_does_what_it_says(root, tmp_path):
    text = (root / "config" / "README.md").read_text()
    files, command, cells = blocks(text)["A folder of recordings"]
    archive = tmp_path / "PATH"
    make(archive, *files.split())
    environment = os.environ | {"PYTHONPATH": str(root / "workflow")}
    subprocess.run(in_shell(command), cwd=tmp_path, env=environment, check=True)
    found = [
        [row.segment, ";".join(row.readings), row.annotations, row.start]
        for row in rows(archive).values()
    ]
    assert [list(filter(None, row)) for row in found] == [
        line.split() for line in cells.splitlines()
    ]


def test_hourly_logs_of_a_real_system_serve_the_segments_of_their_time(shared, tmp_path):
    (tmp_path / "rfid").symlink_to(shared / "rfid" / "ecohab")
    make(tmp_path, *(f"A/2023-05-24 {time}.mp4" for time in ("11.30", "12.30", "13.30", "21.00")))
    said = run(tmp_path, "--video", "{cage}/{start:%Y-%m-%d %H.%M}.mp4", "--zone", "Europe/Warsaw",
               "--log", "rfid/{start:%Y%m%d_%H%M%S}.txt", "--segment-length", "15min")  # fmt: skip
    hours = [[path[-10:-8] for path in row.readings] for row in rows(tmp_path).values()]
    assert hours == [["12", "13"], ["12", "13", "21"], ["13", "21", "00"]]
    assert "A 20230524T113000" in told(said, "segments left out, since no antenna log covers")


def test_of_files_without_use_those_of_each_folder_and_ending_are_told_first(archive):
    make(archive, *(f"extra/{number}.doc" for number in range(9)), "via/1.json", "a.txt", "b.txt")
    line = told(run(archive, *USUAL), "files that fit no pattern, so")
    assert line.endswith(": 12 (a.txt, extra/0.doc, via/1.json and 9 more)")


def test_the_name_of_a_zone_that_may_be_meant_is_told(archive):
    assert "IANA database: Europe/London" in refused(archive, *USUAL[:4], "--zone", "London")
