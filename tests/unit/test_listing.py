"""``murid sheet``: from a lab's folder to a sample sheet."""

import os
import shlex
import subprocess
from datetime import datetime, timedelta

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from listed_folder import LOG, USUAL, VIDEO, make, make_lab, rows, run, told
from murid.cli import cli
from murid.listing import clock
from readme_blocks import blocks, in_shell


@pytest.fixture
def archive(tmp_path):
    return make_lab(tmp_path / "archive")


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


def test_the_example_of_the_help_works(tmp_path):
    make(tmp_path, "2026-03-28/C01_203000.mp4", "rfid/2026-03-28.csv", "rfid/2026-03-28 (1).csv",
         "annotations/C01_20260328_203000.json")  # fmt: skip
    done = CliRunner().invoke(cli, ["sheet", "--help"])
    example = done.output[done.output.index("murid sheet ARCHIVE") : done.output.index("Options:")]
    words = shlex.split(example.replace("\\\n", " "))
    run(tmp_path, *words[3:])
    (row,) = rows(tmp_path).values()
    assert (row.split, len(row.readings), bool(row.annotations)) == ("Train", 2, True)


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
