"""Which segments are told the time by one clock, and which cages a log serves."""

import dataclasses

from murid.run import sharing
from murid.run.plan import Plan
from murid.settings import Settings
from murid.sheet import NAME, Segment


def logged(*rows: tuple[str, str, tuple[str, ...], str]) -> Plan:
    """Return the plan of segments with antenna logs: cage, segment, logs, start."""
    segments = {
        (cage, name): Segment(cage, name, video="v.mp4", readings=logs, start=start)
        for cage, name, logs, start in rows
    }
    return Plan(Settings(archive="."), segments)


def test_segments_are_by_one_clock_if_a_log_or_a_cage_joins_them() -> None:
    made = logged(
        ("A", "1", ("a1.csv",), "2026-01-01 10:00"), ("A", "2", ("a2.csv",), "2026-01-01 20:00"),
        ("B", "1", ("a2.csv", "b.csv"), "2026-01-01 10:00"),
        ("C", "1", ("c.csv",), "2026-01-01 10:00"),
        ("A", "3", ("a3.csv",), "2026-01-02 10:00"), ("D", "1", (), ""), ("E", "1", ("e.csv",), ""),
    )  # fmt: skip
    assert {name: clock.segments for name, clock in made.clocks.items()} == {
        "A+1_more_2026-01-01": [("A", "1"), ("A", "2"), ("B", "1")],
        "C_2026-01-01": [("C", "1")],
        "A_2026-01-02": [("A", "3")],
        "E_undated": [("E", "1")],
    }
    one = dataclasses.replace(made, settings=Settings(archive=".", readings={"one_clock": True}))
    assert list(one.clocks) == ["all_2026-01-01", "all_2026-01-02", "all_undated"]
    joined = made.clocks["A+1_more_2026-01-01"].segments
    assert one.clocks["all_2026-01-01"].segments == [*joined, ("C", "1")]
    assert made.clock_of["B", "1"] == "A+1_more_2026-01-01"
    assert ("D", "1") not in made.clock_of


def test_the_clock_of_a_day_is_told_by_the_three_days_before_it_too_and_by_none_after() -> None:
    days = {f"{day}": f"2026-02-{day}T10:00" for day in (24, 25, 26, 27, 28)}
    days |= {"next": "2026-03-01T10:00", "later": "2026-03-05 10:00", "undated": ""}
    made = logged(
        *(("A", name, ("a.csv",), start) for name, start in days.items()),
        ("B", "1", ("b.csv",), "2026-02-28"), ("C", "1", ("a.csv",), "2026-02-27"),
    )  # fmt: skip
    before = {name: clock.before for name, clock in made.clocks.items()}
    assert before["A_2026-03-01"] == [
        "A_2026-02-26", "A+1_more_2026-02-27", "A_2026-02-28"
    ]  # fmt: skip
    assert before["A_2026-02-24"] == []
    assert before["A_2026-03-05"] == before["A_undated"] == before["B_2026-02-28"] == []


def test_a_log_serves_the_cages_of_all_segments_that_name_it() -> None:
    made = logged(
        ("A", "1", ("a.csv", "both.csv"), ""), ("B", "1", ("both.csv",), ""), ("A", "2", (), ""),
        ("B", "2", ("both.csv",), ""),
    )  # fmt: skip
    own, both = made.logs_of(("A", "1"))
    assert sharing.cages_by_log(made) == {own: ["A"], both: ["A", "B"]}


def test_logs_of_one_name_in_two_folders_have_tables_of_their_own() -> None:
    made = logged(
        ("A", "1", ("a/log 1.csv", "b/log 1.csv"), "2026-01-01 10:00"),
        ("A", "2", ("a/log 1.csv",), "2026-01-01 20:00"),
    )
    assert len(made.logs) == 2
    assert sorted(made.logs.values()) == ["./a/log 1.csv", "./b/log 1.csv"]
    assert all(NAME.fullmatch(name) for name in made.logs)
    assert made.logs_of(("A", "2")) == made.logs_of(("A", "1"))[:1]
