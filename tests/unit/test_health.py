"""The stage that tells how sound antennas, tags, logs and clocks of a cage are."""

import re
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import settings, spreadsheets, tables
from murid.clocks.words import side
from murid.errors import PartialError
from murid.health.stage import Member, TellHealth
from murid.readings.stage import ReadLog
from murid.tables import Verdict
from murid.timeline import FRAMES
from roaming_cage import HOUR, NAMES, START, roam, without, write

HOURS = 24


class Cage:
    """A cage with logs, and segments of a few frames."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.logs: list[Path] = []
        self.members: list[Member] = []
        self.clocks: list[dict[str, object]] = []
        self.tags: Path | None = None

    def log(self, reads: pd.DataFrame, name: str = "log") -> None:
        self.logs.append(write(reads, self.folder, name))

    def segment(
        self, name: str, read: dict[str, float], hour: float = 9, verdict: Verdict | None = None,
        frames: str = "100", **clock: object,
    ) -> None:  # fmt: skip
        """Write a segment of 100 frames, given the share with a reading of each animal."""
        rows = [
            (frame, animal, 1 if frame < 100 * share else None, False)
            for animal, share in read.items()
            for frame in range(100)
        ]
        table = pd.DataFrame(rows, columns=["frame", "animal", "antenna", "filled"])
        path = self.folder / f"{name}.positions.parquet"
        discarded = verdict is not None and verdict.discarded
        tables.write(
            tables.empty("positions") if discarded else table.astype({"antenna": "Int16"}),
            path, "positions", verdict, {FRAMES: frames},
        )  # fmt: skip
        begins = START + timedelta(hours=hour)
        self.members.append(Member("A", name, begins.isoformat(), 25.0, path))
        self.clocks.append(
            {"cage": "A", "segment": name, "begins": pd.Timestamp(begins), "seconds": 3.96,
             "late": 0.5, "spread": 0.1, "certain": True, "lag": np.nan, "used": 0.5,
             "source": "line", "drift": 0.0, "line_segments": 2, "line_spread": 0.1,
             "drift_spread": 0.0, "line_of": 3, "line_from": pd.Timestamp(begins),
             "line_to": pd.Timestamp(begins), "jump": np.nan, "jump_after": pd.NaT,
             "jump_before": pd.NaT, "doubt": 0.0, "other_drift": 0.0, "logs": ["log.csv"]} | clock
        )  # fmt: skip

    def tell(self, **given: object) -> pd.DataFrame:
        if not self.members:
            self.segment("1", dict.fromkeys(NAMES, 1.0))
        clocks = self.folder / "clocks.parquet"
        tables.write(pd.DataFrame(self.clocks), clocks, "clocks")
        of_logs = settings.Readings(
            zone=str(given.pop("zone", "UTC")), offset=given.pop("offset", 0.0)
        )
        TellHealth(
            segments=tuple(self.members), readings=tuple(self.logs),
            clocks=given.pop("clocks", (clocks,)),
            tags=self.tags, of_logs=of_logs, output_reads=self.folder / "reads.parquet",
            output_health=self.folder / "health.parquet", **given,
        ).run()  # fmt: skip
        return tables.read(self.folder / "health.parquet", "health")

    def reads(self) -> pd.DataFrame:
        return tables.read(self.folder / "reads.parquet", "reads")


@pytest.fixture
def cage(tmp_path: Path) -> Cage:
    return Cage(tmp_path)


def findings(health: pd.DataFrame) -> list[tuple[str, str]]:
    found = health[health["finding"]]
    return [*zip(found["kind"], found["subject"], strict=True)]


def of_kind(health: pd.DataFrame, kind: str) -> pd.DataFrame:
    return health[health["kind"] == kind].set_index("subject")


def test_of_a_sound_day_everything_is_measured_and_nothing_found(cage: Cage) -> None:
    reads = roam(1, seed=1)
    cage.log(reads)
    health = cage.tell()
    assert findings(health) == []
    assert set(health["kind"]) == {
        "clock_offset", "clock_drift", "unread", "antennas_read", "tags_read", "reads", "stretches"
    }  # fmt: skip
    hourly = cage.reads()
    assert hourly["count"].sum() == len(reads)
    hour = ((hourly["hour"] - START) / pd.Timedelta("1h")).astype(int)
    expected = reads.groupby([(reads["seconds"] // HOUR).astype(int), "antenna"]).size()
    found = hourly.set_index([hour, hourly["antenna"].astype(int)])["count"]
    assert found.sort_index().to_dict() == expected.to_dict()


def parts(health: pd.DataFrame, kind: str, day: str = "") -> tuple[float, float]:
    """Return what is told of the whole cage, or of a day, and of how many."""
    (row,) = health[(health["kind"] == kind) & (health["day"] == day)].to_dict("records")
    assert not row["finding"]
    return row["value"], row["out_of"]


def test_how_much_of_a_cage_was_checked_is_told_of_all_its_days(cage: Cage) -> None:
    reads = without(roam(2, seed=7), 10, 12, lambda reads: reads["seconds"] >= 0)
    reads = reads[reads["antenna"] != 4]
    cage.log(reads)
    cage.tags = cage.folder / "animals.csv"
    cage.tags.write_text("cage,animal,tag\nA,R,R\nA,G,G\nA,B,B\nA,silent,S\n")
    health = cage.tell()
    assert parts(health, "antennas_read") == (17, 18)
    assert parts(health, "tags_read") == (3, 4)
    days = pd.DataFrame(
        [parts(health, "reads", str((START + timedelta(days=day)).date())) for day in range(2)]
    )
    assert days[0].sum() == len(reads)
    assert days[1].tolist() == pytest.approx([22, 24], abs=0.1), "without the two of the pause"
    stretches, needed = parts(health, "stretches")
    assert needed < stretches < 46 * 6


def test_of_a_log_of_minutes_it_is_told_that_no_silence_can_be(cage: Cage) -> None:
    reads = roam(1, seed=7)
    cage.log(reads[(reads["seconds"] < 21 * HOUR) & (reads["seconds"] > 20.5 * HOUR)])
    stretches, needed = parts(cage.tell(), "stretches")
    assert 0 < stretches < needed


def test_of_a_cage_without_a_log_that_can_be_read_nothing_is_checked(cage: Cage) -> None:
    health = cage.tell()
    assert parts(health, "antennas_read")[0] == parts(health, "tags_read")[0] == 0
    assert parts(health, "reads") == (0, 0)
    assert parts(health, "stretches")[0] == 0


def test_an_antenna_that_dies_is_named_with_the_hour(cage: Cage) -> None:
    cage.log(without(roam(1, seed=2), 14, HOURS, lambda reads: reads["antenna"] == 8))
    health = cage.tell()
    assert findings(health) == [("dead_antenna", "8")]
    row = of_kind(health, "dead_antenna").loc["8"]
    assert START + timedelta(hours=13) <= row["since"] <= START + timedelta(hours=14)
    assert pd.isna(row["until"])
    assert row["since"].strftime("no read since 2026-03-02 %H:%M") in row["remark"]


def test_a_dead_antenna_is_told_on_every_day_that_it_is_dead(cage: Cage) -> None:
    cage.log(without(roam(3, seed=3), 38, 3 * HOURS, lambda reads: reads["antenna"] == 11))
    dead = of_kind(cage.tell(), "dead_antenna")
    assert dead["day"].tolist() == ["2026-03-03", "2026-03-04"]
    assert len(set(dead["since"])) == 1
    assert dead["value"].iloc[1] == pytest.approx(24, abs=0.1)


def test_an_antenna_that_is_silent_for_a_day_and_comes_back_is_not_dead(cage: Cage) -> None:
    cage.log(without(roam(3, seed=4), 24, 48, lambda reads: reads["antenna"] == 5))
    health = cage.tell()
    assert {kind for kind, _ in findings(health)} == {"silent_antenna"}
    silent = of_kind(health, "silent_antenna")
    assert "2026-03-03" in set(silent["day"])
    assert silent["until"].notna().all()


def test_an_antenna_that_is_never_read_is_told_where_it_is_known_to_be_there(cage: Cage) -> None:
    cage.log(without(roam(2, seed=5), 0, 48, lambda reads: reads["antenna"] == 5))
    assert set(findings(cage.tell())) == {("silent_antenna", "5")}, "it is of the grid"
    rows = [f"{n},{(n - 1) % 3 + 1},{(n - 1) // 3 + 1}" for n in range(1, 19) if n != 5]
    (cage.folder / "antennas.csv").write_text("\n".join(["antenna,row,column", *rows]) + "\n")
    assert findings(cage.tell(antennas=cage.folder / "antennas.csv")) == []


@pytest.mark.parametrize("second", [True, False])
def test_antennas_that_some_logs_name_without_their_matrix_are_the_same(
    cage: Cage, second: bool
) -> None:
    reads = roam(2, seed=5)
    reads = without(reads, 0, 2 * HOURS, lambda reads: reads["antenna"] == 5)
    late = reads["seconds"] >= HOURS * HOUR
    cage.log(reads[~late], "alone")
    named = (
        reads[late].assign(antenna="M1_" + reads["antenna"].astype(str)) if second else reads[late]
    )
    cage.log(named, "of_several")
    rows = [f"M1_{n},{(n - 1) % 3 + 1},{(n - 1) // 3 + 1}" for n in range(1, 19)]
    (cage.folder / "antennas.csv").write_text("\n".join(["antenna,row,column", *rows]) + "\n")
    health = cage.tell(antennas=cage.folder / "antennas.csv")
    assert set(findings(health)) == {("silent_antenna", "M1_5")}
    assert set(cage.reads()["antenna"]) == {f"M1_{n}" for n in range(1, 19) if n != 5}


def test_a_tag_that_is_not_read_any_more_is_told_by_its_animal(cage: Cage) -> None:
    cage.log(without(roam(1, seed=6), 15, HOURS, lambda reads: reads["tag"] == "G"))
    health = cage.tell()
    assert findings(health) == [("silent_tag", "G")]
    assert of_kind(health, "silent_tag").loc["G", "since"] <= START + timedelta(hours=15)


def test_an_animal_that_has_left_the_cage_is_not_silent(cage: Cage) -> None:
    cage.log(without(roam(1, seed=6), 15, HOURS, lambda reads: reads["tag"] == "G"))
    cage.tags = cage.folder / "animals.csv"
    cage.tags.write_text("cage,animal,tag,from,to\nA,r,R,,\nA,g,G,,2026-03-02 15:00\nA,b,B,,\n")
    assert findings(cage.tell()) == []


def test_hours_in_which_nothing_is_read_are_missing(cage: Cage) -> None:
    cage.log(without(roam(1, seed=7), 10, 11, lambda reads: reads["seconds"] >= 0))
    cage.segment("1", dict.fromkeys(NAMES, 1.0), hour=10.5)
    health = cage.tell(zone="Europe/Berlin")
    assert findings(health) == [("missing_hours", "")]
    row = of_kind(health, "missing_hours").iloc[0]
    assert row["value"] == pytest.approx(3.96 / HOUR), "what was filmed of it"
    assert row["out_of"] == pytest.approx(1, abs=0.05)
    assert "from 2026-03-02 10:59 to 2026-03-02 12:00" in row["remark"], "by the lab's clock"
    filmed = "; filmed then: 0.1 min, from 2026-03-02 11:30:00 to 2026-03-02 11:30:04"
    filmed += " by the video's clock"
    assert row["remark"].endswith(filmed), "and which part of it was filmed"


def test_a_pause_in_which_nothing_is_filmed_is_told_and_no_finding(cage: Cage) -> None:
    cage.log(without(roam(1, seed=7), 10, 11, lambda reads: reads["seconds"] >= 0))
    for hour in (9.984, 11.0):
        cage.segment(str(hour), dict.fromkeys(NAMES, 1.0), hour, seconds=60.0)
    health = cage.tell()
    (row,) = of_kind(health, "missing_hours").to_dict("records")
    assert row["value"] == pytest.approx(0, abs=0.01)
    assert row["out_of"] == pytest.approx(1, abs=0.05)
    assert row["remark"].endswith(", when nothing was filmed")
    assert ("missing_hours", "") not in findings(health)


@pytest.mark.parametrize("late", [-90.0, 0.0, 90.0])
def test_what_was_filmed_of_a_pause_is_told_by_the_clock_of_the_videos(
    cage: Cage, late: float
) -> None:
    """By the log's clock it was filmed earlier or later, where nobody would look for it."""
    cage.log(without(roam(1, seed=7), 10, 11, lambda reads: reads["seconds"] >= 0))
    cage.segment("1", dict.fromkeys(NAMES, 1.0), hour=10.5, late=late, used=late)
    (remark,) = of_kind(cage.tell(), "missing_hours")["remark"]
    assert "from 2026-03-02 10:30:00 to 2026-03-02 10:30:04 by the video's clock" in remark


def test_of_a_pause_over_midnight_each_day_has_what_was_filmed_on_it(cage: Cage) -> None:
    cage.log(without(roam(2, seed=7), 22, 25, lambda reads: reads["seconds"] >= 0))
    for hour, minutes in ((22.5, 60), (24.25, 15)):
        cage.segment(str(hour), dict.fromkeys(NAMES, 1.0), hour=hour, seconds=60.0 * minutes)
    missing = of_kind(cage.tell(), "missing_hours")
    assert missing["finding"].all()
    assert missing["value"].tolist() == pytest.approx([1.0, 0.25])
    assert missing["out_of"].tolist() == pytest.approx([2.0, 1.0], abs=0.05)


def test_where_nobody_knows_when_a_cage_was_filmed_a_pause_says_so(cage: Cage) -> None:
    cage.log(without(roam(1, seed=7), 10, 11, lambda reads: reads["seconds"] >= 0))
    cage.segment("1", dict.fromkeys(NAMES, 1.0), begins=pd.NaT, seconds=np.nan)
    cage.members = [member._replace(start="") for member in cage.members]
    (row,) = of_kind(cage.tell(), "missing_hours").to_dict("records")
    assert np.isnan(row["value"])
    assert row["out_of"] == pytest.approx(1, abs=0.05)
    assert not row["finding"]
    assert row["remark"].endswith("; when the cage was filmed is not known")


@pytest.mark.parametrize(
    ("read", "filmed", "others", "told"),
    [
        ((0, 10), (9, 12), True, "A is not read after 2026-03-02 09:59:5., the log goes on until "
         "2026-03-02 23:59 for other cages"),
        ((14, 24), (12, 15), True, "A is not read before 2026-03-02 14:00:0., the log begins at "
         "2026-03-02 00:00 for other cages"),
        ((0, 0), (9, 12), True, "A is never read; its logs have reads of other cages from "
         "2026-03-02 00:00 to 2026-03-02 23:59"),
        ((0, 10), (9, 12), False, "A is not read after 2026-03-02 09:59:5., nor is any other tag"),
        ((0, 10), (8, 9), True, None),
        ((14, 24), (15, 16), True, None),
        ((0, 24), (9, 12), True, None),
    ],
    ids=["ends", "begins late", "never", "the log ends", "not filmed after", "not before", "sound"],
)  # fmt: skip
def test_a_cage_that_is_filmed_while_it_is_not_read_any_more_is_told(
    cage: Cage, read: tuple[float, float], filmed: tuple[float, float], others: bool,
    told: str | None,
) -> None:  # fmt: skip
    reads = roam(1, seed=7)
    hours = reads["seconds"] / HOUR
    own = reads[(hours >= read[0]) & (hours < read[1])]
    other = reads.assign(tag=reads["tag"] + "2") if others else reads[:0]
    cage.log(pd.concat([own, other]).sort_values("seconds", ignore_index=True))
    cage.tags = cage.folder / "animals.csv"
    rows = [f"{name},{animal},{animal}{tag}" for name, tag in ("A ", "B2") for animal in NAMES]
    cage.tags.write_text("\n".join(["cage,animal,tag", *rows]) + "\n")
    cage.segment("1", dict.fromkeys(NAMES, 1.0), hour=filmed[0])
    lost = {"begins": pd.NaT, "seconds": np.nan, "used": np.nan, "source": "none"}
    unread = read == (0, 0) or not read[0] <= filmed[1] < read[1]
    of_last = {"verdict": Verdict("discarded", "unread")} | lost if unread else {}
    cage.segment("2", dict.fromkeys(NAMES, 1.0), hour=filmed[1], **of_last)
    health = cage.tell()
    missing = of_kind(health, "missing_hours")
    assert missing["finding"].all()
    if told is None:
        assert missing.empty
    else:
        assert len(missing) == 1
        remark, said = missing["remark"].iloc[0].split("; filmed then: ")
        assert re.fullmatch(told, remark)
        assert any(f", from 2026-03-02 {hour:02}:00:00 to " in said for hour in filmed)


def test_of_a_clock_of_which_nothing_is_known_that_is_said_and_nothing_found(cage: Cage) -> None:
    cage.log(roam(1, seed=7))
    cage.segment("1", dict.fromkeys(NAMES, 1.0), used=np.nan, source="none", line_segments=0)
    health = cage.tell()
    row = of_kind(health, "clock_offset").loc["log.csv"]
    assert row["remark"] == "the antennas' clock (log log.csv): nothing tells whether it is off"
    assert findings(health) == []


def test_of_a_segment_of_which_nobody_knows_how_long_it_is_no_hours_are_told(cage: Cage) -> None:
    """It is discarded, has no video, and so no length: that it was filmed for 0 h would be false.

    The next segment is after the pause, so that what was filmed on the day before is known.
    """
    cage.log(without(roam(3, seed=7), 24 + 9, 24 + 20, lambda reads: reads["tag"] != ""))
    cage.segment("1", dict.fromkeys(NAMES, 1.0), hour=8)
    gone = Verdict("discarded", "no reads")
    cage.segment("2", {}, hour=24 + 12, verdict=gone, frames="0", begins=pd.NaT, source="none")
    missing = of_kind(cage.tell(), "missing_hours")
    assert missing["finding"].tolist() == [True]
    assert missing["value"].isna().all()
    assert "how long 1 segment then filmed is not known" in missing["remark"].iloc[0]


@pytest.mark.parametrize(("used", "offset"), [(-3600.0, 0.0), (0.0, 3600.0)])
def test_the_clock_of_a_log_that_is_off_does_not_let_a_cage_fall_silent(
    cage: Cage, used: float, offset: float
) -> None:
    """What was filmed from 10 to 11 stands in the log as from 9 to 10, where reads end."""
    reads = roam(1, seed=7)
    other = reads.assign(tag=reads["tag"] + "2")
    parts = pd.concat([reads[reads["seconds"] < 10 * HOUR], other])
    cage.log(parts.sort_values("seconds", ignore_index=True))
    cage.tags = cage.folder / "animals.csv"
    cage.tags.write_text("cage,animal,tag\nA,R,R\nA,G,G\nA,B,B\n")
    cage.segment("1", dict.fromkeys(NAMES, 1.0), hour=10.9, used=used)
    health = cage.tell(offset=offset)
    assert not (health["kind"] == "missing_hours").any()


@pytest.mark.parametrize(
    ("off", "told"),
    [
        ([(18, 24 + 8), (24 + 18, 48 + 8)], []),
        ([(23, 25)], ["2026-03-02", "2026-03-03"]),
        ([(18, 24 + 8)], ["2026-03-02", "2026-03-03"]),
    ],
    ids=["every night", "two hours over midnight", "one night of two"],
)
def test_hours_over_midnight_are_missing_unless_nothing_is_logged_at_night(
    cage: Cage, off: list[tuple[float, float]], told: list[str]
) -> None:
    reads = roam(3, seed=10)
    for first, last in off:
        reads = without(reads, first, last, lambda reads: reads["seconds"] >= 0)
    cage.log(reads)
    for hour in (3, 24.5, 30.5):
        cage.segment(str(hour), dict.fromkeys(NAMES, 1.0), hour=hour)
    health = cage.tell()
    assert {kind for kind, _ in findings(health)} <= {"missing_hours"}
    assert of_kind(health, "missing_hours")["day"].tolist() == told


def test_reads_are_of_the_cage_alone_and_of_two_logs_once(cage: Cage) -> None:
    reads = roam(1, seed=8)
    for name, part in {"1": reads[:9000], "2": reads[8000:]}.items():
        cage.log(part, name)
    cage.tags = cage.folder / "animals.csv"
    cage.tags.write_text("cage,animal,tag\nA,r,R\nA,g,G\nC,b,B\n")
    cage.tell()
    assert cage.reads()["count"].sum() == (reads["tag"] != "B").sum()


def test_tags_that_nobody_wears_are_told_and_misread_ones_counted(cage: Cage) -> None:
    reads = roam(1, seed=9)
    other = reads[::7].assign(tag="X")
    misread = reads[::20_000].assign(tag=[f"R{n}" for n in range(len(reads[::20_000]))])
    cage.log(pd.concat([reads, other, misread]).sort_values("seconds", ignore_index=True))
    cage.tags = cage.folder / "animals.csv"
    cage.tags.write_text("cage,animal,tag\nA,r,R\nA,g,G\nA,b,B\n")
    health = cage.tell()
    assert findings(health) == [("unknown_tag", "X")]
    assert of_kind(health, "unknown_tag").loc["X", "value"] == len(other)
    assert of_kind(health, "ghost_reads")["value"].tolist() == [len(misread)]


@pytest.mark.parametrize(("cages", "told"), [(("A",), True), (("A", "C"), False), ((), False)])
def test_tags_of_a_cage_that_a_log_does_not_serve_are_told(
    cage: Cage, cages: tuple[str, ...], told: bool
) -> None:
    reads = roam(1, seed=9)
    stray = reads[reads["tag"] == "B"].assign(tag="X")
    log = pd.concat([reads, stray]).sort_values("seconds", ignore_index=True)
    cage.logs.append(write(log, cage.folder, "log", cages))
    cage.tags = cage.folder / "animals.csv"
    cage.tags.write_text("cage,animal,tag\nA,r,R\nA,g,G\nA,b,B\nC,x,X\nC,y,Y\n")
    health = cage.tell()
    assert findings(health) == [("foreign_tag", "X")] * told
    for row in of_kind(health, "foreign_tag").to_dict("records"):
        assert (row["value"], row["log"]) == (len(stray), "log.csv")
        assert f"log log.csv: {len(stray):,} reads of X (of C x)" in row["remark"]


@pytest.mark.parametrize("later", [3, 40])
def test_a_log_that_was_written_twice_some_seconds_apart_is_told(cage: Cage, later: int) -> None:
    reads = roam(1, seed=1)
    cage.log(reads)
    part = reads[reads["seconds"].between(9 * HOUR, 11 * HOUR)].reset_index(drop=True)
    cage.log(part.assign(seconds=part["seconds"] + later), "again")
    (row,) = of_kind(cage.tell(), "log").to_dict("records")
    assert row["finding"]
    assert " s from there: one of the two was written by the clock of another mach" in row["remark"]


@pytest.mark.parametrize("later", [-2, 1, 3, 5.5, -0.75])
def test_a_log_of_another_zone_is_told_whichever_log_a_segment_names(
    cage: Cage, later: float
) -> None:
    """Hour by hour, as some systems write: two hours are there again, by another clock."""
    reads = roam(1, seed=1)
    for hour in range(HOURS):
        there = reads["seconds"].between(hour * HOUR, (hour + 1) * HOUR, inclusive="left")
        cage.log(reads[there].reset_index(drop=True), f"hour{hour:02d}")
        if hour in (9, 10):
            moved = reads[there].assign(seconds=reads["seconds"] + later * HOUR)
            cage.log(moved.reset_index(drop=True), f"again{hour:02d}")
    health = cage.tell()
    told = of_kind(health, "log")
    assert told["finding"].all()
    pairs = {frozenset(["again09.csv", "hour09.csv"]), frozenset(["again10.csv", "hour10.csv"])}
    names = {*told.index} | {word.strip(",") for text in told["remark"] for word in text.split()}
    assert len(told) == 2
    assert all(pair <= names for pair in pairs)
    hours = told["remark"].str.extract(r"([+-][\d.]+) h from there")[0].astype(float)
    assert set(hours.abs()) == {abs(later)}


def test_misread_tags_are_compared_with_all_reads_of_their_log(cage: Cage) -> None:
    """Most reads of a log may be of other cages, and so may be the tags that are misread."""
    reads = roam(1, seed=9)[::20]
    cages = [reads[::100], *(reads.assign(tag=reads["tag"] + str(n)) for n in range(1, 6))]
    misread = [f"X{n}" for n in range(len(reads[::50]))]
    log = pd.concat([*cages, reads[::50].assign(tag=misread)])
    cage.log(log.sort_values("seconds", ignore_index=True))
    cage.log(reads[::100].assign(seconds=reads["seconds"][::100] + 1, tag="R"), "other")
    cage.tags = cage.folder / "animals.csv"
    worn = [f"{n or 'A'},{animal},{animal}{n or ''}" for n in range(6) for animal in NAMES]
    cage.tags.write_text("\n".join(["cage,animal,tag", *worn]) + "\n")
    health = cage.tell()
    ghosts = of_kind(health, "ghost_reads")
    assert ghosts.index.tolist() == ["log.csv"], "the other log has none"
    row = ghosts.loc["log.csv"]
    assert (row["value"], row["out_of"], row["finding"]) == (len(misread), len(log), False)
    assert f"{len(misread):,} of {len(log):,} reads of log log.csv" in row["remark"]
    assert row["value"] > 0.01 * cage.reads()["count"].sum(), "many beside the cage's own"
    assert findings(health) == []


def test_logs_of_one_name_in_two_folders_are_told_apart(cage: Cage) -> None:
    for part in ("morning", "evening"):
        (cage.folder / part).mkdir()
        (cage.folder / part / "log.csv").write_bytes(b"time,tag,antenna\n" + 200 * b"\0")
        table = cage.folder / f"{part}.parquet"
        ReadLog(file=cage.folder / part / "log.csv", output=table).run()
        cage.logs.append(table)
    assert findings(cage.tell()) == [("log", "evening"), ("log", "morning")]


def test_what_is_told_of_a_log_is_the_same_for_all_cages_that_it_serves(cage: Cage) -> None:
    reads = roam(1, seed=9)
    other = reads.assign(tag=reads["tag"] + "2")
    misread = reads[::20_000].assign(tag=[f"Y{n}" for n in range(len(reads[::20_000]))])
    unknown = reads[::7].assign(tag="X")
    parts = pd.concat([reads, other, misread, unknown])
    log = parts.sort_values("seconds", ignore_index=True)
    cage.log(pd.concat([log, log[-1:]]))
    cage.segment("1", dict.fromkeys(NAMES, 1.0), used=-4.0, drift=-40.0, drift_spread=4.0)
    cage.segment("2", dict.fromkeys(NAMES, 1.0), hour=20, used=-5.7, drift=-40.0, cage="B")
    cage.tags = cage.folder / "animals.csv"
    rows = [f"{row},{animal},{animal}{tag}" for row, tag in ("A ", "B2") for animal in NAMES]
    cage.tags.write_text("\n".join(["cage,animal,tag", *rows]) + "\n")
    told = []
    for name, member in zip("AB", cage.members[:], strict=True):
        cage.members = [member._replace(cage=name)]
        health = cage.tell()
        assert set(health["cage"]) == {name}
        of_log = health[health["log"] != ""].drop(columns="cage").reset_index(drop=True)
        assert of_log["kind"].tolist() == [
            "log", "unknown_tag", "clock_offset", "clock_drift", "ghost_reads"
        ]  # fmt: skip
        told.append(of_log)
    pd.testing.assert_frame_equal(*told)


def test_a_clock_that_jumped_is_found_with_its_log_rows_and_times(cage: Cage) -> None:
    reads = roam(1, seed=1)
    cage.log(
        reads.assign(seconds=reads["seconds"] + 73 * 365 * 24 * HOUR * (reads.index >= 30_000))
    )
    health = cage.tell()
    assert findings(health) == [("failed_clock", "log.csv")]
    remark = of_kind(health, "failed_clock")["remark"].iloc[0]
    assert "log log.csv: its clock jumped: 2099-" in remark
    assert "in line 30,002" in remark
    assert cage.reads()["count"].sum() == 30_000


def test_a_log_that_cannot_be_read_and_a_segment_without_readings_are_told(cage: Cage) -> None:
    (cage.folder / "torn.csv").write_bytes(b"time,tag,antenna\n" + 200 * b"\0")
    ReadLog(file=cage.folder / "torn.csv", output=cage.folder / "torn.parquet").run()
    cage.logs.append(cage.folder / "torn.parquet")
    cage.segment("1", {}, verdict=Verdict("discarded", "torn"), begins=pd.NaT, source="none")
    health = cage.tell()
    assert findings(health) == [("log", "torn.csv"), ("frames_missing", "1")]
    row = of_kind(health, "frames_missing").loc["1"]
    assert (row["day"], row["value"], row["remark"]) == ("2026-03-02", 100, "torn")
    assert cage.reads().empty


def test_frames_that_a_camera_dropped_are_missing(cage: Cage) -> None:
    cage.log(roam(1, seed=1))
    cage.segment("1", dict.fromkeys(NAMES, 1.0), seconds=4.36)
    health = cage.tell()
    assert findings(health) == [("frames_missing", "1")]
    assert of_kind(health, "frames_missing").loc["1", "value"] == 10


def test_of_a_repaired_segment_of_which_nobody_knows_when_it_begins_no_frames_are_missing(
    cage: Cage,
) -> None:
    cage.log(roam(1, seed=1))
    verdict = Verdict("repaired", "cut short")
    unknown = {"verdict": verdict, "begins": pd.NaT, "source": "none"}
    cage.segment("1", dict.fromkeys(NAMES, 1.0), **unknown)
    assert not len(of_kind(cage.tell(), "frames_missing"))


def test_frames_without_a_reading_are_shares_and_a_weak_tag_stands_out(cage: Cage) -> None:
    cage.log(roam(1, seed=1))
    cage.segment("1", {"R": 0.5, "G": 0.6, "B": 0.02})
    cage.segment("2", {"R": 0.7, "G": 0.6, "B": 0.02}, hour=10)
    health = cage.tell()
    assert findings(health) == [("unread", "B")]
    assert of_kind(health, "unread")["value"].round(3).to_dict() == {
        "R": 0.4, "G": 0.4, "B": 0.98
    }  # fmt: skip
    said = of_kind(health, "unread")["remark"]
    assert "far more than of the others; last read at 2026-03-0" in said["B"]
    assert "last read" not in said["R"]


def test_clocks_are_told_by_day_and_those_that_jump_by_segment(cage: Cage) -> None:
    cage.log(roam(1, seed=1))
    everyone = dict.fromkeys(NAMES, 1.0)
    for hour, clock in {
        9: {"used": 30.0, "drift": 150.0, "drift_spread": 5.0},
        10: {"used": 30.5, "drift": 150.0, "drift_spread": 5.0},
        11: {"used": 90.0, "drift": 150.0, "source": "own", "doubt": 59.0},
    }.items():  # fmt: skip
        cage.segment(str(hour), everyone, hour, **clock)
    health = cage.tell()
    assert findings(health) == [("clock_offset", "11"), ("clock_offset", "log.csv")]
    offsets = of_kind(health, "clock_offset")
    assert offsets["value"].to_dict() == {"log.csv": 30.5, "11": 90.0}
    assert offsets.loc["log.csv", "remark"] == (
        "the antennas' clock (log log.csv): it is 30.0 s ahead of the camera's, the antennas' own "
        "delay counted in, at 09:00, by 10:00 30.5 s ahead; off since 2026-03-02 09:00 or before; "
        "it goes fast by 13 s a day (+150 +/- 5 ppm); told by 2 of 3 segments; "
        "readings are put right"
    )
    assert offsets.loc["11", "remark"] == (
        "the antennas' clock (log log.csv): in segment 11 it is 90.0 s ahead of the camera's, "
        "the antennas' own delay counted in; unlike the 2 segments around it that agree, by "
        "59.0 s: it was off in this segment alone, or its own figure is wrong: check; readings are "
        "put right"
    )
    drift = of_kind(health, "clock_drift").loc["log.csv"]
    assert (drift["value"], drift["finding"]) == (150.0, False), "told with the offset"
    assert not health["remark"].str.startswith(spreadsheets.FORMULAS).any()


def test_clocks_of_segments_with_and_without_a_start_that_begin_in_one_second_are_told_once(
    cage: Cage,
) -> None:
    """They are two clocks of one day, by the same log: what stands on more is told."""
    cage.log(roam(1, seed=1))
    everyone = dict.fromkeys(NAMES, 1.0)
    cage.segment("dated", everyone, used=12.0, line_segments=1)
    cage.segment("undated", everyone, used=13.0, line_segments=2)
    for number, row in enumerate(cage.clocks):
        tables.write(pd.DataFrame([row]), cage.folder / f"{number}.parquet", "clocks")
    health = cage.tell(clocks=tuple(cage.folder / f"{number}.parquet" for number in (0, 1)))
    assert of_kind(health, "clock_offset")["value"].to_dict() == {"log.csv": 13.0}


def test_since_when_a_clock_is_off_is_told_on_every_day_until_it_is_right_again(
    cage: Cage,
) -> None:
    cage.log(roam(4, seed=1))
    for day, used in enumerate((0.5, 30.0, 30.0, 0.5)):
        cage.segment(str(day), dict.fromkeys(NAMES, 1.0), hour=24 * day + 9, used=used)
    remarks = of_kind(cage.tell(), "clock_offset")["remark"].tolist()
    assert ["; off since 2026-03-03 09:00;" in remark for remark in remarks] == [
        False, True, True, False
    ]  # fmt: skip


def test_a_clock_that_was_right_in_the_evening_is_off_since_a_later_time(cage: Cage) -> None:
    cage.log(roam(2, seed=1))
    for hour, used in ((9, 30.0), (21, 0.5), (33, 30.0)):
        cage.segment(str(hour), dict.fromkeys(NAMES, 1.0), hour=hour, used=used)
    first, second = of_kind(cage.tell(), "clock_offset")["remark"]
    assert "; off since 2026-03-02 09:00 or before;" in first
    assert "; off since 2026-03-03 09:00;" in second


def test_a_jump_and_what_may_be_a_drift_or_a_jump_are_told(cage: Cage) -> None:
    cage.log(roam(1, seed=1))
    everyone = dict.fromkeys(NAMES, 1.0)
    jump = {
        "jump": 5.5, "jump_after": pd.Timestamp("2026-03-02 09:01", tz="UTC"),
        "jump_before": pd.Timestamp("2026-03-02 21:01", tz="UTC"),
    }  # fmt: skip
    cage.segment("1", everyone, used=0.5)
    cage.segment("2", everyone, hour=21, used=6.0, **jump)
    row = of_kind(cage.tell(), "clock_offset").loc["log.csv"]
    told = "it was set, or jumped, by 5.5 s to later times between 2026-03-02 09:01 and 2026-03-02"
    assert told in row["remark"]
    assert (row["value"], row["finding"]) == (6.0, True)
    for clock in cage.clocks:
        clock["other_drift"] = 127.0
    remark = of_kind(cage.tell(), "clock_offset")["remark"].iloc[0]
    assert "jumped" not in remark
    assert "by a drift of 11 s a day (+127 ppm), or it was set" in remark


@pytest.mark.parametrize(
    ("used", "lag", "told", "found"),
    [
        (-1.5, None, "1.5 s behind the camera's, the antennas' own delay counted in", True),
        (0.5, None, "0.5 s ahead of the camera's, the antennas' own delay counted in", False),
        (0.5, 3.0, "2.5 s behind the camera's, the antennas' own delay left out", True),
        (3.5, 3.0, "0.5 s ahead of the camera's, the antennas' own delay left out", False),
    ],
)
def test_a_clock_is_early_or_late_beyond_what_the_system_tells_late(
    cage: Cage, used: float, lag: float | None, told: str, found: bool
) -> None:
    cage.log(roam(1, seed=1))
    given = {"used": used, "lag": np.nan if lag is None else lag}
    cage.segment("1", dict.fromkeys(NAMES, 1.0), **given)
    row = of_kind(cage.tell(), "clock_offset").loc["log.csv"]
    since = "; off since 2026-03-02 09:00 or before" * found
    assert f"it is {told}, at 09:00{since}; told by" in row["remark"]
    assert row["finding"] == found
    assert told.startswith(side(row["value"])), "the figure is what the words tell"


def test_of_a_clock_that_is_most_off_later_or_in_a_segment_alone_the_figure_is_without_the_lag(
    cage: Cage,
) -> None:
    cage.log(roam(1, seed=1))
    everyone = dict.fromkeys(NAMES, 1.0)
    # With the lag the first is most off, without it the second.
    for hour, clock in {
        9: {"used": 11.0},
        10: {"used": -4.0},
        11: {"used": 2.0, "source": "own"},
    }.items():
        cage.segment(str(hour), everyone, hour, lag=4.0, **clock)
    offsets = of_kind(cage.tell(), "clock_offset")
    assert offsets["value"].to_dict() == {"log.csv": -8.0, "11": -2.0}
    assert "it is 7.0 s ahead of the camera's" in offsets.loc["log.csv", "remark"]
    assert "by 10:00 8.0 s behind" in offsets.loc["log.csv", "remark"]
    assert "in segment 11 it is 2.0 s behind" in offsets.loc["11", "remark"]


def test_a_segment_whose_table_is_damaged_does_not_stop_its_cage(cage: Cage) -> None:
    cage.log(roam(1, seed=1))
    cage.segment("1", dict.fromkeys(NAMES, 1.0))
    cage.segment("2", dict.fromkeys(NAMES, 1.0))
    cage.members[1].positions.write_bytes(b"PAR1 was here")
    with pytest.raises(PartialError, match="tell-health failed"):
        cage.tell()
    health = tables.read(cage.folder / "health.parquet", "health")
    assert findings(health) == [("frames_missing", "2")]
    assert len(of_kind(health, "unread")) == len(NAMES)
