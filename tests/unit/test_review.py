"""Review: which stretches are uncertain, between whom, and for how long."""

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from murid import schemas, tables
from murid.cli import cli
from murid.errors import InputError, PartialError
from murid.review.stage import Review as ReviewStage
from murid.review.stretches import find
from murid.settings import Review

FPS = 25.0
COLUMNS = schemas.CONTRACTS["stretches"].schema.names[2:]


def tracklets(spans):
    """Tracklets 0, 1, ... with a box in every frame of their (first, last)."""
    rows = [
        (frame, number, number, 1.0, 1.0, 9.0, 9.0)
        for number, (first, last) in enumerate(spans)
        for frame in range(first, last + 1)
    ]
    names = ["frame", "detection", "tracklet", *schemas.BOX]
    return tables.conform(pd.DataFrame(rows, columns=names), "tracklets")


def posteriors(beliefs):
    """Beliefs of tracklets 0, 1, ... as {animal: probability}."""
    rows = [
        (number, animal, probability)
        for number, belief in enumerate(beliefs)
        for animal, probability in belief.items()
    ]
    names = ["tracklet", "animal", "probability"]
    return tables.conform(pd.DataFrame(rows, columns=names), "posteriors")


def found(spans, beliefs, **settings):
    chosen = Review(**({"shortest": 0} | settings))
    table = find(tracklets(spans), posteriors(beliefs), FPS, chosen)
    assert list(table.columns) == COLUMNS
    return [tuple(row) for row in table.round(6).itertuples(index=False)]


R_OR_G = {"R": 0.6, "G": 0.3, "B": 0.1}


def test_a_certain_tracklet_is_no_stretch_and_an_uncertain_one_is():
    assert found([(0, 49)], [{"R": 0.95, "G": 0.05}]) == []
    assert found([(0, 49)], [R_OR_G]) == [(0, 49, 2.0, "R", 0.6, "G", 0.3, 1)]
    assert found([(0, 49)], [R_OR_G], below=0.5) == []


def test_what_is_missing_to_1_is_nobody():
    assert found([(0, 49)], [{"R": 0.45, "G": 0.05}]) == [(0, 49, 2.0, "nobody", 0.5, "R", 0.45, 1)]
    assert found([(0, 49)], [{"R": 0.04, "G": 0.04}]) == []
    assert found([(0, 49)], [{"R": 0.75}]) == [(0, 49, 2.0, "R", 0.75, "nobody", 0.25, 1)]
    assert found([(0, 49), (0, 49)], [{}, {"R": 0.75}])[0][-1] == 1


def test_tracklets_join_over_a_gap_of_a_second_but_not_over_more():
    beliefs = [R_OR_G, R_OR_G]
    assert found([(0, 9), (35, 44)], beliefs) == [(0, 44, 1.8, "R", 0.6, "G", 0.3, 2)]
    assert [row[:2] for row in found([(0, 9), (36, 45)], beliefs)] == [(0, 9), (36, 45)]
    assert [row[:2] for row in found([(0, 9), (11, 20)], beliefs, gap=0)] == [(0, 9), (11, 20)]


def test_a_long_tracklet_bridges_what_begins_after_a_short_one_ended():
    spans = [(0, 300), (10, 20), (290, 320)]
    assert [row[:2] for row in found(spans, [R_OR_G] * 3)] == [(0, 320)]


def test_two_animals_that_may_be_swapped_are_one_stretch():
    # Weighted by boxes: R (30 x 0.7 + 10 x 0.2) / 40, G (30 x 0.3 + 10 x 0.8) / 40.
    spans = [(0, 29), (0, 9)]
    assert found(spans, [{"R": 0.7, "G": 0.3}, {"R": 0.2, "G": 0.8}]) == [
        (0, 29, 1.2, "R", 0.575, "G", 0.425, 2)
    ]
    assert found(spans, [{"R": 0.2, "G": 0.8}, {"R": 0.6, "G": 0.4}]) == [
        (0, 29, 1.2, "G", 0.7, "R", 0.3, 2)
    ]


def test_other_candidates_are_another_stretch():
    rows = found([(0, 9), (10, 19), (20, 29)], [R_OR_G, {"R": 0.6, "B": 0.4}, R_OR_G])
    assert [(row[0], row[1], row[3], row[5]) for row in rows] == [
        (0, 29, "R", "G"), (10, 19, "R", "B"),
    ]  # fmt: skip


def test_a_box_counts_where_there_is_one():
    gappy = tracklets([(0, 9), (0, 9)])
    gappy = gappy[(gappy["tracklet"] == 0) | gappy["frame"].isin([0, 9])]
    beliefs = posteriors([{"R": 0.5, "G": 0.5}, {"R": 0.8, "G": 0.2}])
    row = find(gappy, beliefs, FPS, Review(shortest=0)).iloc[0]
    assert row["probability"] == pytest.approx((10 * 0.5 + 2 * 0.8) / 12)


def test_short_stretches_are_left_out():
    spans = [(0, 23), (100, 124), (125, 130)]
    beliefs = [R_OR_G, {"R": 0.5, "B": 0.5}, {"R": 0.5, "B": 0.5}]
    assert [row[:3] for row in found(spans, beliefs, shortest=1.0)] == [(100, 130, 1.24)]
    assert found(spans, beliefs, shortest=1.25) == []


def test_without_posteriors_there_are_no_stretches():
    assert found([(0, 9)], []) == []
    assert found([], []) == []


@pytest.mark.parametrize(
    ("beliefs", "message"),
    [
        ([R_OR_G, R_OR_G], r"row 3 \(tracklet 1\): found a posterior of no tracklet"),
        ([{"R": 0.6, "G": 0.5}], r"row 0 \(tracklet 0\): found probabilities .* more than 1"),
        ([{"R": 0.6, "nobody": 0.4}], r"row 1 \(tracklet 0\): found an animal named 'nobody'"),
    ],
)
def test_posteriors_that_cannot_be_are_refused(beliefs, message):
    with pytest.raises(InputError, match=rf"^posteriors, {message}"):
        found([(0, 9)], beliefs)


spans_and_beliefs = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.integers(0, 60),
        st.lists(st.integers(0, 10), min_size=3, max_size=3),
    ),
    max_size=12,
)


@given(spans_and_beliefs)
def test_every_uncertain_box_is_in_a_stretch_of_its_candidates(drawn):
    spans = [(first, first + length) for first, length, _ in drawn]
    beliefs = [
        dict(zip("RGB", [share / (sum(shares) + 1) for share in shares], strict=True))
        for *_, shares in drawn
    ]
    rows = found(spans, beliefs)
    covered = 0
    for (first, last), belief in zip(spans, beliefs, strict=True):
        if max(*belief.values(), 1 - sum(belief.values())) < 0.9:
            assert any(row[0] <= first and last <= row[1] for row in rows)
            covered += 1
    assert sum(row[-1] for row in rows) == covered
    for row in rows:
        for later in rows:
            if {row[3], row[5]} == {later[3], later[5]} and later[0] > row[0]:
                assert later[0] - row[1] - 1 > FPS


# --- files


@pytest.fixture
def segment(tmp_path):
    """Write a segment's tables; return what names it on the command line."""

    def write(name, spans, beliefs, fps=FPS, verdict=None):
        paths = [tmp_path / f"{name}.{kind}.parquet" for kind in ("tracklets", "posteriors")]
        tables.write(tracklets(spans), paths[0], "tracklets", verdict)
        tables.write(posteriors(beliefs), paths[1], "posteriors", verdict)
        return "c", name, *paths, fps

    return write


def test_the_longest_comes_first_whatever_the_frame_rate(segment, tmp_path):
    segments = [
        segment("1", [(0, 49), (500, 599)], [R_OR_G, R_OR_G]),
        segment("2", [(0, 49)], [R_OR_G], fps=5.0),
        segment("3", [], [], verdict=tables.Verdict("discarded", "no readings")),
        segment("4", [(0, 9)], []),
    ]
    ReviewStage(segments=segments, output=tmp_path / "stretches.parquet").run()
    table = tables.read(tmp_path / "stretches.parquet", "stretches")
    assert table["segment"].tolist() == ["2", "1", "1"]
    assert table["seconds"].tolist() == [10.0, 4.0, 2.0]
    assert table["first_frame"].tolist() == [0, 500, 0]


def test_a_wrong_posterior_is_named_by_its_file_and_row_and_does_not_stop_the_others(
    segment, tmp_path
):
    segments = [segment("1", [(0, 9)], [R_OR_G, R_OR_G]), segment("2", [(0, 49)], [R_OR_G])]
    output = tmp_path / "stretches.parquet"
    with pytest.raises(PartialError, match=r"review of c 1 failed"):
        ReviewStage(segments=segments, output=output).run()
    assert tables.read(output, "stretches")["segment"].tolist() == ["2"]
    verdict = tables.read_verdict(output)
    assert verdict.status == "failed"
    assert "1.posteriors.parquet, row 3 (tracklet 1)" in verdict.reason
    with pytest.raises(InputError, match=r"1\.posteriors\.parquet, row 3"):
        ReviewStage(segments=segments, output=output.with_suffix(".csv")).run()


def test_the_command_line_writes_csv(segment, tmp_path):
    output = tmp_path / "review.csv"
    options = ["--output", str(output), "--below", "0.85"]
    for row in (segment("1", [(0, 49)], [R_OR_G]), segment("2", [(0, 49)], [{"R": 0.87}])):
        options += ["--segment", *map(str, row)]
    result = CliRunner().invoke(cli, ["review", *options])
    assert result.exit_code == 0, result.output
    assert output.read_text().splitlines() == [
        ",".join(schemas.CONTRACTS["stretches"].schema.names),
        "c,1,0,49,2,R,0.6,G,0.3,1",
    ]
