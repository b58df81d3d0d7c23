"""``murid sheet``: when segments start, and how long they are."""

from datetime import datetime

import pytest

import made_videos
from listed_folder import USUAL, make, make_lab, refused, rows, run, told


@pytest.fixture
def archive(tmp_path):
    return make_lab(tmp_path / "archive")


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


def test_full_minutes_are_told_where_names_tell_no_seconds(archive):
    said = run(archive, "--video", "{date:%Y-%m-%d}/{cage}_{start:%H%M}00.mp4", *USUAL[2:])
    assert "recordings taken to start at the full minute, since their names" in said
