"""``murid sheet``: what options may say, and what is refused."""

from datetime import date

import pytest
from click.testing import CliRunner

from listed_folder import LOG, USUAL, VIDEO, make, make_lab, refused, rows, run, told
from murid.cli import cli
from murid.errors import InputError


@pytest.fixture
def archive(tmp_path):
    return make_lab(tmp_path / "archive")


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


def test_the_name_of_a_zone_that_may_be_meant_is_told(archive):
    assert "IANA database: Europe/London" in refused(archive, *USUAL[:4], "--zone", "London")
