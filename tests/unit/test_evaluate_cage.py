"""The stages ``aggregate`` and ``join``: the segments of a cage, and the tables of many."""

import pandas as pd
import pytest
from click.testing import CliRunner

from judged_frames import EVERY_FRAME, identities, marked
from murid import schemas, tables
from murid.cli import cli
from murid.errors import InputError, PartialError
from murid.evaluate import cage
from murid.evaluate.outcomes import animal_outcomes
from murid.evaluate.stage import Aggregate, Join
from murid.run.failed import UNKNOWN
from murid.truth import ground_truth


def summary_of(name, animals, status="usable", reason="", **others):
    return dict.fromkeys(UNKNOWN) | {
        "cage": "c", "segment": name, "split": "Test", "status": status, "reason": reason,
        "animals": animals, "frames": 4, "fps": 25.0, "detections": 4, "tracklets": 1,
        "method": "ilp", "identified": 0.5, "annotated_frames": 2, "evaluated_frames": 2,
    } | others  # fmt: skip


def judged(*rows):
    table = tables.conform(pd.DataFrame([summary_of(*row) for row in rows]), "summaries")
    return cage.discard_strangers(table).set_index("segment")


def test_segments_that_show_the_same_animals_stay():
    assert judged(("1", ["R", "G"]), ("2", ["G", "R"]))["status"].tolist() == ["usable"] * 2


def test_a_segment_with_other_animals_than_most_is_discarded():
    result = judged(("1", ["R", "G"]), ("2", ["R", "B"]), ("3", ["R", "G"]))
    assert result["status"].tolist() == ["usable", "discarded", "usable"]
    assert result.loc["2", "reason"] == "animals B, R; most segments of the cage show G, R"
    assert result.loc["2", "evaluated_frames"] == 0


def test_without_a_majority_all_stay_and_say_that_they_disagree():
    result = judged(("1", ["R"]), ("2", ["G"]))
    assert result["status"].tolist() == ["repaired"] * 2
    assert result.loc["1", "reason"].startswith("animals R; other segments of the cage show others")
    assert result["evaluated_frames"].tolist() == [2, 2]


def test_what_was_known_of_a_segment_is_not_lost_where_a_cage_disagrees():
    result = judged(("1", ["R"], "repaired", "3 readings filled"), ("2", ["G"]))
    assert result.loc["1", "reason"].startswith("3 readings filled; animals R; other segments")


@pytest.mark.parametrize("status", schemas.UNUSABLE)
def test_segments_that_cannot_be_used_have_no_vote(status):
    result = judged(("1", [], status), ("2", [], status), ("3", ["R"]))
    assert result["status"].tolist() == [status, status, "usable"]


@pytest.fixture
def members(tmp_path):
    """Return tables of a cage whose third segment shows another animal, and where results go."""
    made = []
    for name, animals in {"1": ["R"], "2": ["R"], "3": ["G"]}.items():
        frames = pd.DataFrame({"frame": [0], "snippet": [0]})
        outcome = animal_outcomes(
            frames,
            animals,
            ground_truth(marked([]), [], animals),
            {"ilp": identities([])},
            EVERY_FRAME,
        ).assign(cage="c", segment=name, split="Test", confidence=0.5)
        paths = [
            tmp_path / f"{part}{name}.parquet" for part in ("animals", "detections", "summary")
        ]
        tables.write(outcome, paths[0], "animal_outcomes")
        tables.write(tables.empty("detection_outcomes"), paths[1], "detection_outcomes")
        tables.write(pd.DataFrame([summary_of(name, animals)]), paths[2], "summaries")
        made.append(("c", name, "Test", 12.5, STARTS[name], *paths))
    return made


STARTS = {"1": "2026-03-29 20:30", "2": "at night", "3": ""}


def aggregated(members, folder, zone="UTC"):
    names = ("counts", "reliability", "summaries")
    paths = [folder / f"{name}.parquet" for name in names]
    outputs = {f"output_{name}": path for name, path in zip(names, paths, strict=True)}
    Aggregate(members=tuple(members), **outputs, zone=zone).run()
    return [tables.read(path, name) for path, name in zip(paths, names, strict=True)]


def test_counts_of_a_segment_with_strangers_are_dropped(members, tmp_path):
    counts, reliability, summaries = aggregated(members, tmp_path)
    for table in (counts, reliability):
        assert set(table["segment"]) == {"1", "2"}
    assert summaries["status"].tolist()[2] == "discarded"


@pytest.mark.parametrize("part", [5, 6, 7])
def test_a_segment_whose_tables_are_damaged_does_not_stop_its_cage(members, tmp_path, part):
    members[1][part].write_bytes(b"PAR1 was here")
    with pytest.raises(PartialError, match="aggregate failed"):
        aggregated(members, tmp_path)
    counts = tables.read(tmp_path / "counts.parquet", "counts")
    summaries = tables.read(tmp_path / "summaries.parquet", "summaries")
    assert set(counts["segment"]) == {"1", "3"}  # one each: no majority
    lost = summaries.set_index("segment").loc["2"]
    assert lost[["status", "split", "fps"]].tolist() == ["failed", "Test", 12.5]
    assert str(members[1][part]) in lost["reason"]


def test_segments_begin_when_the_sheet_says_if_that_is_a_time(members, tmp_path):
    begins = aggregated(members, tmp_path, "Europe/Paris")[2]["begins"]
    assert begins[0] == pd.Timestamp("2026-03-29 18:30", tz="UTC")
    assert begins[1:].isna().all()


def test_what_is_known_of_when_a_segment_begins_stands_above_the_sheet(members, tmp_path):
    row = summary_of("1", ["R"], begins=pd.Timestamp("2026-03-29 18:29:58", tz="UTC"))
    tables.write(pd.DataFrame([row]), members[0][-1], "summaries")
    assert aggregated(members, tmp_path)[2]["begins"][0] == row["begins"]


def test_a_segment_that_failed_begins_when_the_sheet_says(members, tmp_path):
    members[0][-1].write_bytes(b"PAR1 was here")
    with pytest.raises(PartialError):
        aggregated(members, tmp_path)
    lost = tables.read(tmp_path / "summaries.parquet", "summaries").iloc[0]
    assert lost["status"] == "failed"
    assert lost["begins"] == pd.Timestamp("2026-03-29 20:30", tz="UTC")


def test_a_cage_without_segments_is_an_empty_table(tmp_path):
    assert all(table.empty for table in aggregated([], tmp_path))


def test_what_a_joined_table_could_not_have_is_known_of_the_whole(tmp_path):
    verdict = tables.Verdict("failed", "review of A 1 failed")
    paths = [tmp_path / f"{name}.parquet" for name in "ab"]
    for path, own in zip(paths, (None, verdict), strict=True):
        tables.write(tables.empty("stretches"), path, "stretches", own)
    output = tmp_path / "joined.parquet"
    Join(parts=[("stretches", path) for path in paths], outputs=[("stretches", output)]).run()
    assert tables.read_verdict(output) == verdict


def test_tables_of_cages_are_stacked_in_order(tmp_path):
    paths = {}
    for name in ("b", "a"):
        paths[name] = tmp_path / f"{name}.parquet"
        table = pd.DataFrame([{**summary_of("1", ["R"]), "cage": name}])
        tables.write(table, paths[name], "summaries")
    output = tmp_path / "joined.parquet"
    parts = [("summaries", path) for path in paths.values()]
    Join(
        parts=parts, outputs=[("summaries", output), ("counts", tmp_path / "counts.parquet")]
    ).run()
    assert tables.read(output, "summaries")["cage"].tolist() == ["b", "a"]
    assert tables.read(tmp_path / "counts.parquet", "counts").empty


@pytest.mark.parametrize("where", ["parts", "outputs"])
def test_a_table_that_is_not_of_a_cage_is_not_joined(tmp_path, where):
    given = {"parts": [], "outputs": [], where: [("positions", tmp_path / "positions.parquet")]}
    with pytest.raises(InputError, match=r"'positions'.*one of counts, reliability"):
        Join(**given).run()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            ("c", "1", "Tset", "25", "none"),
            "options, --segment number 1, split: found 'Tset'; expected 'Train'",
        ),
        (
            ("c", "1", "Test", "0", "none"),
            "options, --segment number 1, fps: found '0'; expected greater than 0",
        ),
        (
            ("c", "1", "Test", "inf", "none"),
            "options, --segment number 1, fps: found 'inf'; expected a finite",
        ),
    ],
)
def test_what_the_sheet_cannot_say_of_a_segment_is_refused(row, told, tmp_path):
    options = [f"--output-{name}={tmp_path / name}" for name in ("counts", "reliability")]
    options += [f"--output-summaries={tmp_path / 'summaries'}", "--segment", *row, "a", "b", "c"]
    error = CliRunner().invoke(cli, ["aggregate", *options]).exception
    assert isinstance(error, InputError)
    assert str(error).startswith(told)


def test_a_segment_of_no_split_has_an_empty_one(members, tmp_path):
    words = ["c", "1", "none", "12.5", "none", *map(str, members[0][5:])]
    members[0][5].unlink()  # so that the split is taken from the options
    options = [f"--output-{name}={tmp_path / name}" for name in ("counts", "reliability")]
    options += [f"--output-summaries={tmp_path / 'summaries'}", "--segment", *words]
    error = CliRunner().invoke(cli, ["aggregate", *options]).exception
    assert isinstance(error, PartialError)
    assert tables.read(tmp_path / "summaries", "summaries")["split"].tolist() == [""]
