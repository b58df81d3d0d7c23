"""The tables of what animals did: of segments, of cages and of all."""

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from murid import tables
from murid.errors import PartialError
from murid.models import fitted_weights
from murid.run import failed
from murid.settings import Settings, Summaries
from murid.summaries import archive, cage
from murid.summaries.stage import Member, Summarise, SummariseAll, SummariseCage
from roaming_animals import named, rig
from small_rig import positions

FPS = 5.0


def segment_of(folder, centres, shown, verdict=None, **given):
    """Write the tables of a segment and return its stage."""
    folder.mkdir(parents=True, exist_ok=True)
    frames, animals = shown.shape
    read = np.tile(np.arange(1, animals + 1), (frames, 1))
    identities = named(centres, shown).assign(tracklet=None)
    identities["tracklet"] = np.where(shown.ravel(), np.tile(range(animals), frames), None)
    identities["detection"] = identities["tracklet"]
    places = pd.DataFrame(
        {
            "frame": identities["frame"], "animal": identities["animal"],
            "state": np.where(shown.ravel(), "seen", "unknown"),
            **dict.fromkeys(["x", "y", "major", "minor", "angle"], np.nan),
        }
    )  # fmt: skip
    boxes = identities.dropna(subset=["x"])
    posteriors = pd.DataFrame(
        {"tracklet": range(animals), "animal": list("ABC"[:animals]), "probability": 1.0}
    )
    still = {f"m{row}{column}": [float(row == column)] for row in range(2) for column in range(3)}
    transforms = pd.DataFrame(
        {"rig": ["r"], "prototype": [True], **still, "fit_residual": [None],
         "validation_residual": [None]}
    )  # fmt: skip
    written = {
        "positions": positions(read), "identities": identities, "places": places,
        "tracklets": boxes, "posteriors": posteriors, "transforms": transforms,
    }  # fmt: skip
    for name, table in written.items():
        tables.write(table, folder / f"{name}.parquet", name, verdict if name == "places" else None)
    fitted_weights.write(fitted_weights.Weights(rig(), rig()), folder / "weights.json")
    made = {f"output_{name}": folder / f"{name}.out" for name in
            ("seconds", "animals", "zones", "pairs", "names")}  # fmt: skip
    return Summarise(
        cage="C", segment=folder.name, rig="r", fps=FPS, zone="Europe/Paris", hopper=None,
        **{name: folder / f"{name}.parquet" for name in written},
        weights=folder / "weights.json", **made, **given,
    )  # fmt: skip


def walking(frames=300):
    """A walks to the right by 20 pixels a second; B stays."""
    centres = np.tile([[100.0, 50.0], [300.0, 90.0]], (frames, 1, 1))
    centres[:, 0, 0] += np.arange(frames) / FPS * 20
    return centres


def test_a_segment_is_told_by_the_second_the_minute_and_the_hour(tmp_path):
    given = Summaries(pitch=(6.0, 6.0), zones={"start": ((0, 0), (159, 0), (159, 200), (0, 200))})
    shown = np.ones((300, 2), dtype=bool)
    shown[150:, 1] = False
    stage = segment_of(
        tmp_path / "1", walking(), shown, start="2026-03-01 10:59:30+01:00", summaries=given
    )
    stage.run()
    second = tables.read(stage.output_seconds, "seconds")
    assert len(second) == 120
    walker = second[second["animal"] == "A"]
    assert walker["distance"].sum() == pytest.approx(20 * 60, rel=0.03)
    assert walker["distance"].iloc[5:-5].to_numpy() == pytest.approx(np.full(50, 20.0), rel=0.05)
    assert walker["distance_cm"].sum() == pytest.approx(20 * 60 * 0.06, rel=0.03)
    assert walker["zone"].tolist() == ["start"] * 3 + [""] * 57
    assert walker["antenna"].tolist() == [1] * 60
    other = second[second["animal"] == "B"]
    assert other["seen"].tolist() == [1.0] * 30 + [0.0] * 30
    assert other["x"].isna().tolist() == [False] * 30 + [True] * 30
    table = tables.read(stage.output_animals, "animal_figures")
    assert table["period"].value_counts().to_dict() == {"minute": 4, "hour": 4}
    hours = table[table["period"] == "hour"]
    assert hours["local"].tolist() == ["2026-03-01 10:59:30+01:00", "2026-03-01 11:00:00+01:00"] * 2
    assert hours["seconds"].tolist() == [30.0] * 4
    assert hours["resting"].tolist()[2] == 1.0
    within = tables.read(stage.output_zones, "zone_figures").set_index(
        ["period", "animal", "start"]
    )
    assert within.loc[("hour", "A", 0), "inside"] == pytest.approx(0.1, abs=0.01)
    pair = tables.read(stage.output_pairs, "pair_figures")
    assert pair["known"].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert pair["contact"].isna().tolist() == [False, True, False, True]


def test_an_animal_alone_has_no_pairs(tmp_path):
    stage = segment_of(tmp_path / "1", walking()[:, :1], np.ones((300, 1), dtype=bool))
    stage.run()
    assert tables.read(stage.output_pairs, "pair_figures").empty
    hours = tables.read(stage.output_animals, "animal_figures")
    assert hours[["huddled", "huddled_low", "huddled_high"]].isna().all(axis=None)
    assert hours["time"].isna().all()


def test_a_discarded_segment_says_why_in_all_its_tables(tmp_path):
    bad = tables.Verdict("discarded", "the mouse ate the cable")
    stage = segment_of(tmp_path / "1", walking(), np.ones((300, 2), dtype=bool), bad)
    stage.run()
    names = ("seconds", "animal_figures", "zone_figures", "pair_figures", "tracklet_names")
    paths = (stage.output_seconds, stage.output_animals, stage.output_zones, stage.output_pairs,
             stage.output_names)  # fmt: skip
    for name, path in zip(names, paths, strict=True):
        assert tables.read(path, name).empty
        assert "ate the cable" in tables.read_verdict(path).reason


@pytest.mark.parametrize(
    "start",
    ["2026-03-29 02:30", "2026-10-25 02:30", "1970-01-01 00:00", "0001-01-01 00:00", "noon", ""],
)
def test_a_start_that_is_no_one_moment_leaves_the_times_of_day_empty(tmp_path, start):
    stage = segment_of(tmp_path / "1", walking(), np.ones((300, 2), dtype=bool), start=start)
    stage.run()
    table = tables.read(stage.output_animals, "animal_figures")
    assert len(table)
    assert table["time"].isna().all()
    assert set(table["local"]) == {""}
    assert not tables.read_verdict(stage.output_animals).discarded


def test_times_of_frames_are_told_before_the_start_of_the_sheet(tmp_path):
    stage = segment_of(tmp_path / "1", walking(), np.ones((300, 2), dtype=bool), start="")
    table = tables.read(stage.positions, "positions")
    tables.write(table, stage.positions, "positions", about={"begins": "2026-03-01T09:59:30+00:00"})
    stage.run()
    hours = tables.read(stage.output_animals, "animal_figures").query("period == 'hour'")
    assert set(hours["local"]) == {"2026-03-01 10:59:30+01:00", "2026-03-01 11:00:00+01:00"}


@pytest.mark.parametrize(
    "start",
    ["in the evening", "2026-03-01", "01.03.2026 10:00", "10:00", "1970-01-01 00:00:07",
     "0001-01-01 00:00", "9999-12-31 23:59Z"],
)  # fmt: skip
def test_a_start_that_is_no_time_is_not_known(tmp_path, start):
    stage = segment_of(tmp_path / "1", walking(), np.ones((300, 2), dtype=bool), start=start)
    stage.run()
    told = tables.read(stage.output_animals, "animal_figures")
    assert len(told)
    assert told["time"].isna().all()
    assert set(told["local"]) == {""}


def cage_of(folder, stages):
    members = [
        Member("C", stage.segment, stage.output_animals, stage.output_zones, stage.output_pairs,
               stage.output_names)
        for stage in stages
    ]  # fmt: skip
    made = {f"output_{name}": folder / f"{name}.parquet" for name in
            ("animals", "zones", "pairs", "names")}  # fmt: skip
    return SummariseCage(segments=tuple(members), **made)


@pytest.fixture
def two(tmp_path):
    """Two segments of one hour, one after the other."""
    shown = np.ones((300, 2), dtype=bool)
    stages = [
        segment_of(tmp_path / name, walking(), shown, start=start)
        for name, start in (("1", "2026-03-01 11:00+01:00"), ("2", "2026-03-01 11:30+01:00"))
    ]
    for stage in stages:
        stage.run()
    return stages


def test_an_hour_that_segments_share_is_there_once(tmp_path, two):
    joined = cage_of(tmp_path, two)
    joined.run()
    parts = [tables.read(stage.output_animals, "animal_figures") for stage in two]
    table = tables.read(joined.output_animals, "animal_figures")
    hours = table[table["period"] == "hour"].set_index("animal")
    assert hours["seconds"].tolist() == [120.0, 120.0]
    assert hours["local"].tolist() == ["2026-03-01 11:00:00+01:00"] * 2
    single = [part[part["period"] == "hour"].set_index("animal").loc["A"] for part in parts]
    assert hours.loc["A", "distance"] == pytest.approx(sum(one["distance"] for one in single))
    assert hours.loc["A", "speed"] == pytest.approx(np.mean([one["speed"] for one in single]))
    below = [one["distance"] - one["distance_low"] for one in single]
    found = hours.loc["A", "distance"] - hours.loc["A", "distance_low"]
    assert found == pytest.approx(np.hypot(*below))
    assert (table["period"] == "minute").sum() == 4
    assert len(tables.read(joined.output_names, "tracklet_names")) == 4
    assert count_of(joined) == (2, 0)


def test_a_part_that_knows_nothing_takes_nothing_from_the_other():
    rows = pd.DataFrame(
        {
            "cage": "C", "segment": ["1", "2"], "period": "hour", "start": 0,
            "time": pd.to_datetime(["2026-03-01 10:00", "2026-03-01 10:30"], utc=True),
            "local": "", "seconds": [1800.0, 600.0], "animal": "A", "zone": "z",
            "known": [0.5, 0.0], "inside": [0.4, np.nan], "inside_low": [0.3, np.nan],
            "inside_high": [0.6, np.nan],
        }
    )  # fmt: skip
    (row,) = cage.once(rows, ("animal", "zone")).to_dict("records")
    assert [row[name] for name in ("inside", "inside_low", "inside_high")] == pytest.approx(
        [0.4, 0.3, 0.6]
    )
    assert row["known"] == pytest.approx(0.375)
    unclocked = rows.assign(time=pd.Series([pd.NaT] * 2, dtype="datetime64[us, UTC]"))
    assert len(cage.once(unclocked, ("animal", "zone"))) == 2


def test_a_segment_whose_tables_cannot_be_read_does_not_stop_the_others(tmp_path, two):
    two[0].output_pairs.write_bytes(b"PAR1 was here")
    joined = cage_of(tmp_path, two)
    with pytest.raises(PartialError, match="C 1"):
        joined.run()
    table = tables.read(joined.output_animals, "animal_figures")
    assert set(table["segment"]) == {"2"}
    assert count_of(joined) == (1, 1)


def count_of(joined):
    about = tables.read_about(joined.output_animals)
    return int(about[cage.USED]), int(about[cage.UNUSED])


def lines_of(joined):
    return tables.read_verdict(joined.output_animals).reason


def test_a_segment_of_other_animals_than_most_is_in_no_figure(tmp_path, two):
    shown = np.ones((300, 1), dtype=bool)
    other = segment_of(tmp_path / "3", walking()[:, :1], shown, start="2026-03-01 11:40+01:00")
    other.run()
    joined = cage_of(tmp_path, [*two, other])
    joined.run()
    for name in cage.KEYS:
        whole = tables.read(getattr(joined, f"output_{name.split('_')[0]}s"), name)
        assert "3" not in set(whole["segment"])
    assert set(tables.read(joined.output_names, "tracklet_names")["segment"]) == {"1", "2"}
    assert lines_of(joined) == (
        "without segment 3 (animals A; most segments of the cage show A, B)"
    )
    assert count_of(joined) == (2, 1)


def test_a_segment_of_which_nothing_could_be_told_is_named_with_the_reason(tmp_path, two):
    names = ("seconds", "animal_figures", "zone_figures", "pair_figures", "tracklet_names")
    paths = (two[0].output_seconds, two[0].output_animals, two[0].output_zones,
             two[0].output_pairs, two[0].output_names)  # fmt: skip
    failed.write(zip(names, paths, strict=True), (), "summarise failed: the cable was eaten")
    joined = cage_of(tmp_path, two)
    joined.run()
    assert lines_of(joined) == "without segment 1 (summarise failed: the cable was eaten)"


def test_a_segment_that_was_discarded_is_counted_apart(tmp_path, two):
    verdict = tables.Verdict("discarded", "275 of 300 readings are missing")
    for name, path in (
        ("animal_figures", two[1].output_animals), ("zone_figures", two[1].output_zones),
        ("pair_figures", two[1].output_pairs), ("tracklet_names", two[1].output_names),
    ):  # fmt: skip
        tables.write(tables.empty(name), path, name, verdict)
    joined = cage_of(tmp_path, two)
    joined.run()
    assert count_of(joined) == (1, 1)


def test_segments_that_were_filmed_at_the_same_time_are_told(tmp_path, two):
    joined = cage_of(tmp_path, two)
    joined.run()
    assert lines_of(joined) == ""
    late = segment_of(
        tmp_path / "3", walking(), np.ones((300, 2), dtype=bool), start="2026-03-01 11:30:30+01:00"
    )
    late.run()
    joined = cage_of(tmp_path, [*two, late])
    joined.run()
    assert "filmed at the same time (2 and 3)" in lines_of(joined)


def test_all_cages_are_written_as_parquet_and_as_csv(tmp_path, two):
    joined = cage_of(tmp_path, two)
    joined.run()
    given = {name: (getattr(joined, f"output_{name}"),) for name in
             ("animals", "zones", "pairs", "names")}  # fmt: skip
    SummariseAll(**given, output_dir=tmp_path / "animals").run()
    for name in ("minutes", "hours", "zone_minutes", "pair_hours", "tracklet_names"):
        as_text = pd.read_csv(tmp_path / "animals" / f"{name}.csv")
        whole = pd.read_parquet(tmp_path / "animals" / f"{name}.parquet")
        assert list(as_text) == list(whole)
        assert len(as_text) == len(whole)
    hours = pd.read_csv(tmp_path / "animals" / "hours.csv")
    assert hours["seconds"].tolist() == [120.0, 120.0]
    assert archive.NAMES.keys() == cage.KEYS.keys()


@pytest.mark.parametrize(
    "corners", [[[0.1, 0.1], [0.4, 0.1], [0.4, 0.5]], [[0, 0], [3000, 0], [3000, 300]]]
)
def test_zones_of_another_picture_are_refused(corners):
    with pytest.raises(ValidationError, match=r"summaries\.zones nest in pixels"):
        Settings(archive=".", summaries={"zones": {"nest": corners}})
