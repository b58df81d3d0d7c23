"""The report: metrics that add up, and a page that says what is known and no more."""

import html
import re
import string
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from murid import okabe_ito, rigs, schemas, tables
from murid.cli import cli
from murid.errors import InputError
from murid.identify.registry import colours, in_order, label
from murid.identify.registry import methods as known_methods
from murid.models import fitted_weights
from murid.models import stored as models
from murid.report import views
from murid.report.health import findings
from murid.report.metrics import estimate, everywhere, metrics_table, natural
from murid.report.stage import Report as ReportStage
from murid.report.templates import script
from murid.run import failed, guard
from murid.run.failed import UNKNOWN
from murid.settings import Report
from small_rig import simple_model

METHODS = ("static_c", "static_p", "ilp", "oracle")
RIGHT = {"static_c": 60, "static_p": 70, "ilp": 80, "oracle": 95}


def counts_of(cage="A", split="Test", right=RIGHT, snippets=2, size=100, segment="1"):
    """Counts of a segment in which ``right`` of ``size`` animals and detections are right."""
    rows = [
        (cage, segment, split, snippet, method, metric, count, size)
        for snippet in range(snippets)
        for method, number in right.items()
        for metric in (schemas.OVERALL_METRICS if method == "oracle" else schemas.METRICS)
        for count in [number if metric in ("A_O", "IoU_O", "A_GD") else size - number]
    ]
    return pd.DataFrame(rows, columns=schemas.CONTRACTS["counts"].schema.names)


def summary_of(cage="A", split="Test", segment="1", **others):
    return dict.fromkeys(UNKNOWN) | {
        "cage": cage, "segment": segment, "split": split, "status": "usable", "reason": "",
        "animals": ("G", "R"), "frames": 45_000, "fps": 25.0, "detections": 90_000,
        "tracklets": 9, "method": "ilp", "identified": 0.9, "annotated_frames": 40,
        "evaluated_frames": 40,
    } | others  # fmt: skip


def reliability_of(method="path", split="Test", snippets=2):
    """Of 200 boxes of 0.95, 180 are right; of 50 hidden rows of 0.55, 30 are."""
    rows = [
        ("A", "1", split, snippet, method, *row)
        for snippet in range(snippets)
        for row in [("box", 23, 200, 180, 190.0), ("hidden", 11, 50, 30, 27.5)]
    ]
    return pd.DataFrame(rows, columns=schemas.CONTRACTS["reliability"].schema.names)


def stretches_of(*rows):
    """Rows of (segment, first frame, last frame)."""
    rows = [
        ("A", segment, first, last, (last - first + 1) / 25, "R", 0.6, "nobody", 0.4, 3)
        for segment, first, last in rows
    ]
    return pd.DataFrame(rows, columns=schemas.CONTRACTS["stretches"].schema.names)


def joined(*parts):
    return tables.conform(pd.concat(parts, ignore_index=True), "counts")


@pytest.fixture
def report(tmp_path):
    """Write the tables, run the stage, and return the folder of the report."""

    def write(
        counts, summaries, settings=None, about=None, weights=None, proofread=None, pages=(),
        **others,
    ):  # fmt: skip
        counts = counts if isinstance(counts, pd.DataFrame) else tables.empty("counts")
        tables.write(counts, tmp_path / "counts.parquet", "counts")
        tables.write(pd.DataFrame(summaries), tmp_path / "summaries.parquet", "summaries")
        paths = {}
        for name, table in others.items():
            paths[name] = tmp_path / f"{name}.parquet"
            tables.write(table, paths[name], name, about=(about or {}).get(name))
        output = tmp_path / "report"
        several = {
            name: [paths.pop(name)]
            for name in ("reliability", "stretches", "health")
            if name in paths
        }
        ReportStage(
            counts=[tmp_path / "counts.parquet"],
            summaries=[tmp_path / "summaries.parquet"],
            **several,
            **paths,
            weights=weights,
            proofread=proofread,
            pages=pages,
            output_dir=output,
            report=settings or Report(),
        ).run()
        return output

    return write


def words(folder):
    """The page as its reader sees it: without tags, white space folded."""
    page = (folder / "index.html").read_text("utf-8")
    page = re.sub(r"<style>.*?</style>|<svg.*?</svg>|</t[dh]>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


# --- metrics


def test_metrics_are_in_the_order_of_the_paper():
    table = metrics_table(
        joined(counts_of("A", "Test"), counts_of("B", "Train"), counts_of("C10", "Validate"))
    )
    assert list(table.columns) == [
        "split", "method", "group", "metric", "count", "normaliser", "value",
    ]  # fmt: skip
    assert table["split"].unique().tolist() == ["Train", "Validate", "Test", "Tune"]
    assert table["method"].unique().tolist() == list(METHODS)
    first = table[(table["split"] == "Test") & (table["method"] == "ilp")]
    assert first["group"].tolist() == ["all"] * 9 + ["A"] * 9
    assert first["metric"].tolist()[:9] == [
        "A_O", "IoU_O", "U_O", "FNR_O", "FPR_O", "A_GD", "MisID_GD", "FNR_GD", "FPR_GD",
    ]  # fmt: skip


def test_tune_is_train_and_validate_together():
    table = metrics_table(
        joined(
            counts_of("A", "Train"), counts_of("B", "Validate", {"ilp": 20}), counts_of("C", "Test")
        )
    ).set_index(["split", "method", "group", "metric"])
    row = table.loc[("Tune", "ilp", "all", "A_O")]
    assert row.tolist() == [200, 400, 0.5]
    assert set(table.loc["Tune"].index.get_level_values("group")) == {"all", "A", "B"}


def test_only_splits_that_exist_are_reported():
    assert metrics_table(joined(counts_of(split="Test")))["split"].unique().tolist() == ["Test"]
    assert metrics_table(joined(counts_of(split=""))).empty
    assert metrics_table(tables.empty("counts")).empty


def test_a_rate_of_nothing_has_no_value(report):
    folder = report(joined(counts_of(size=0, right={"ilp": 0})), [summary_of()])
    table = tables.read(folder / "metrics.parquet", "metrics")
    assert table["value"].isna().all()
    assert (folder / "metrics.csv").read_text().splitlines()[1] == "Test,ilp,all,A_O,0,0,"


def test_a_cage_must_not_be_named_all():
    with pytest.raises(InputError, match="a cage named 'all'"):
        metrics_table(joined(counts_of("all")))


def test_where_nobody_was_asked_what_obeys_answers_counts_as_it_is():
    asked = counts_of("A", right={"path": 80, "path_corrected": 90})
    unasked = counts_of("B", right={"path": 70, "ilp": 60})
    table = metrics_table(everywhere(joined(asked, unasked)))
    rows = table[(table["split"] == "Test") & (table["metric"] == "A_GD")]
    right = rows.set_index(["method", "group"])["value"]
    assert right["path_corrected"].to_dict() == {"all": 0.8, "A": 0.9, "B": 0.7}
    assert right["path"].to_dict() == {"all": 0.75, "A": 0.8, "B": 0.7}
    # Of a run in which nobody was asked, nothing is said.
    pd.testing.assert_frame_equal(everywhere(unasked), unasked)


def test_other_methods_follow_by_name():
    assert in_order(["zebra", "oracle", "ilp", "ant"]) == ["ilp", "oracle", "ant", "zebra"]


def test_numbers_within_names_are_sorted_as_numbers():
    assert sorted(["C10", "C2", "B", "10", "9"], key=natural) == ["9", "10", "B", "C2", "C10"]


cage_counts = st.lists(
    st.tuples(
        st.sampled_from("ABC"),
        st.sampled_from(["Train", "Validate", "Test"]),
        st.integers(0, 100),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=10, deadline=None)
@given(cage_counts)
def test_all_is_the_sum_of_the_cages(cages):
    counts = joined(
        *[
            counts_of(cage, split, {"ilp": right}, snippets, segment=str(number))
            for number, (cage, split, right, snippets) in enumerate(cages)
        ]
    )
    table = metrics_table(counts)
    keys = ["split", "method", "metric"]
    whole = table[table["group"] == "all"].groupby(keys)[["count", "normaliser"]].sum()
    parts = table[table["group"] != "all"].groupby(keys)[["count", "normaliser"]].sum()
    pd.testing.assert_frame_equal(whole, parts)
    assert (table["value"] * table["normaliser"]).to_numpy() == pytest.approx(
        table["count"].to_numpy()
    )


# --- how sure they are


def test_the_interval_surrounds_the_rate_whatever_the_snippets():
    counts = joined(*[counts_of(str(n), right={"ilp": 50 + n}, snippets=1) for n in range(20)])
    first = estimate(counts, ["Test"], "ilp", "A_O")
    low, high = first.interval
    assert first.value == pytest.approx(0.595)
    assert (first.cages, first.snippets) == (20, 20)
    # Twenty cages whose shares have a standard deviation of 0.0592: 2.093 of 0.0132.
    assert (low, high) == pytest.approx((0.567, 0.623), abs=0.002)
    # More snippets of the same cages tell no more of cages.
    more = joined(*[counts_of(str(n), right={"ilp": 50 + n}, snippets=9) for n in range(20)])
    again = estimate(more, ["Test"], "ilp", "A_O")
    assert again.snippets == 180
    assert again.interval == pytest.approx(first.interval, abs=1e-3)


@pytest.mark.parametrize("cages", [1, 2])
def test_few_cages_give_no_interval_however_many_snippets(cages):
    counts = joined(*[counts_of("AB"[n], snippets=9) for n in range(cages)])
    found = estimate(counts, ["Test"], "ilp", "A_O")
    assert (found.value, found.interval) == (0.8, None)
    assert (found.cages, found.snippets) == (cages, 9 * cages)
    assert estimate(counts, ["Train"], "ilp", "A_O") is None


# --- tables of the page


def test_the_best_of_a_column_is_marked_but_never_the_oracle():
    metrics = metrics_table(joined(counts_of()))
    table = views.rates(metrics, "Test")
    assert list(table.rows) == ["static_c", "static_p", "ilp"]
    assert table.rows["ilp"] == table.best
    assert not {*table.rows["static_p"]} & {*table.best}
    assert table.oracle == ["0.950", "0.950", "0.050", "0.050", "0.050", *["–"] * 4]


def test_equally_good_methods_are_both_marked_and_a_lone_one_is_not():
    both = views.rates(metrics_table(joined(counts_of(right={"ilp": 5, "other": 5}))), "Test")
    assert all(row == both.best for row in both.rows.values())
    lone = views.rates(metrics_table(joined(counts_of(right={"ilp": 5, "oracle": 9}))), "Test")
    assert lone.best == [None] * 9


def test_counts_come_with_their_normalisers_and_without_iou():
    table = views.numbers(metrics_table(joined(counts_of(size=1000, snippets=3))), "Test")
    assert "IoU_O" not in table.metrics
    assert table.normalisers == ["3,000"] * 8
    assert table.rows["ilp"][1] == "2,760"


# --- the page


def test_the_page_says_how_many_mice_are_named_rightly(report):
    text = words(report(joined(*map(counts_of, "ABC")), [*map(summary_of, "ABC")]))
    assert (
        "Of all mice in those frames, boxed or hidden, 80.0% (95% interval 80.0 to 80.0%) were put"
        in text
    )
    assert "no way of naming could put more than 95.0% of the mice in the right place" in text
    assert "120 annotated frames in 6 stretches of video from 3 segments of 3 cages" in text
    assert "Static (C) 0.600 0.600 0.400" in text


def test_the_page_says_how_right_what_is_delivered_is_where_some_were_asked(report):
    right = {"path": 80, "oracle": 95}
    counts = joined(
        counts_of("A", right=right | {"path_corrected": 90}),
        *[counts_of(cage, right=right) for cage in "BC"],
        counts_of("D", "Validate", right=right),
    )
    rows = [
        summary_of(cage, method=method)
        for cage, method in zip("ABC", ("path_corrected", "path", "path"), strict=True)
    ]
    text = words(report(counts, rows))
    assert "by the method that is used (Path, corrected)" in text
    # Where nobody was asked about a segment of the split, there is nothing to correct.
    text = words(
        report(
            counts[counts["split"] != "Test"],
            [summary_of("D", "Validate", method="path", evaluated_frames=100)],
        )
    )
    assert "the method that is used (Path) gave 80.0% of the boxes" in text


def test_the_page_that_asks_is_linked_where_there_is_one(report, tmp_path):
    page = tmp_path / "report" / "proofread" / "index.html"
    link = 'href="proofread/index.html"'
    assert link not in (report(None, [summary_of()]) / "index.html").read_text()
    stretches = stretches_of(("1", 0, 24))
    for others in ({}, {"stretches": stretches}):
        folder = report(None, [summary_of()], proofread=page, **others)
        assert link in (folder / "index.html").read_text()


def test_the_page_says_how_sure_that_is_where_cages_suffice(report):
    right = [{"ilp": number, "oracle": 95} for number in (70, 80, 90)]
    counts = joined(*[counts_of("ABC"[n], right=own) for n, own in enumerate(right)])
    low, high = estimate(counts, ["Test"], "ilp", "A_O").interval
    assert low < 0.6
    text = words(report(counts, [summary_of(cage) for cage in "ABC"]))
    interval = f"(95% interval {100 * low:.1f} to {100 * high:.1f}%)"
    assert f"boxed or hidden, 80.0% {interval} were put in the right place" in text
    assert "a cage is one observation" in text


def test_that_cages_are_too_few_is_said_once_a_section(report):
    right = {"ilp": 80, "path": 90, "mine": 50}
    counts = joined(counts_of("A", "Test", right), counts_of("B", "Train", right))
    confidence = [
        reliability_of(method, split).assign(segment=split)
        for method in ("path", "mine")
        for split in ("Test", "Train")
    ]
    rows = [summary_of("A", "Test"), summary_of("B", "Train")]
    text = words(report(counts, rows, reliability=pd.concat(confidence, ignore_index=True)))
    assert text.count("How far to trust a name") == 4
    assert text.count("too few cages") == 3
    assert text.index("too few cages") < text.index("How well mice are named")


def test_a_short_archive_is_told_in_minutes_and_a_long_one_in_hours(report):
    short = summary_of(frames=750, annotated_frames=0, evaluated_frames=0)
    text = words(report(None, [short]))
    assert "Status Segments Minutes Cages" in text
    assert "usable 1 0.5 1" in text
    assert "(0.5 minutes)" in text
    text = words(report(None, [short | {"frames": 225_000}]))
    assert "Status Segments Hours Cages" in text
    assert "usable 1 2.5 1" in text
    assert "(2.5 hours)" in text


def test_the_words_of_a_method_need_no_other_method():
    labels = {method.label for method in known_methods().values()}
    for method in known_methods().values():
        assert not [name for name in labels if name in method.words]
        assert "same" not in method.words.replace("nearly the same thing", "")


def test_every_link_within_the_page_leads_somewhere(report):
    rows = [summary_of("A", "Train"), summary_of("B", "Test")]
    folder = report(counts_of("B", "Test"), rows, stretches=stretches_of(("1", 0, 99)))
    page = (folder / "index.html").read_text("utf-8")
    places = {f"#{name}" for name in re.findall(r'id="([^"]*)"', page)}
    links = set(re.findall(r'href="([^"]*)"', page))
    assert "#look" in links
    assert links <= places | {path.name for path in folder.iterdir()}


def test_test_comes_first_and_tune_only_if_it_joins_two_sets(report):
    counts = joined(counts_of("A", "Train"), counts_of("B", "Validate"), counts_of("C", "Test"))
    rows = [summary_of("A", "Train"), summary_of("B", "Validate"), summary_of("C", "Test")]
    headings = r"<h[34]>(\w+ set)</h[34]>"
    page = (report(counts, rows) / "index.html").read_text("utf-8")
    _, methods = page.split('<h2 id="methods">')
    assert re.findall(headings, methods) == [
        "Test set", "Tuning set", "Validation set", "Training set",
    ]  # fmt: skip
    page = (report(joined(counts_of("A", "Train")), rows[:1]) / "index.html").read_text("utf-8")
    assert re.findall(headings, page) == ["Training set", "Training set"]


def test_without_a_test_set_the_page_warns(report):
    text = words(
        report(
            joined(counts_of(split="Validate")),
            [summary_of(split="Validate", evaluated_frames=200)],
        )
    )
    told = "There the method that is used (ILP) gave 80.0% of the boxes"
    assert f"of 1 cage of the validation set. {told}" in text
    assert "There are no annotated frames of a test set." in text


def test_without_evaluated_frames_the_page_says_so_and_lists_the_segments(report):
    gone = summary_of(
        segment="2", status="discarded", reason="no readings of R", annotated_frames=0,
        evaluated_frames=0,
    )  # fmt: skip
    kept = summary_of(annotated_frames=0, evaluated_frames=0, split="")
    text = words(report(None, [kept, gone]))
    assert "No annotated frames could be evaluated" in text
    assert "no readings of R" in text
    assert "1 segment that can be used (30.0 minutes) has no annotations" in text
    assert "a mouse has a box in 90.0% of the frames" in text


def test_what_failed_is_said_at_the_top_and_listed_first(report):
    reason = "track failed: a fault of murid, please report it: ValueError: x"
    gone = {"annotated_frames": 0, "evaluated_frames": 0, "frames": 0, "animals": ()}
    rows = [
        summary_of(segment="1", status="discarded", reason="no readings", **gone),
        summary_of(segment="2", status="failed", reason=reason, **gone),
        summary_of(segment="3"),
    ]
    folder = report(joined(counts_of(segment="3")), rows, stretches=stretches_of(("2", 0, 49)))
    text = words(folder)
    assert text.index("1 segment failed") < text.index("of the test set")
    assert text.index(reason) < text.index("no readings")
    assert "Where a human should look" not in text
    listed = pd.read_csv(folder / "segments.csv").set_index("segment")
    assert listed.loc[2, ["status", "reason"]].tolist() == ["failed", reason]


def test_pages_of_cages_that_could_not_be_made_are_told_first_and_are_alerts(report, tmp_path):
    pages = [tmp_path / "cages" / f"{name}.html" for name in ("A", "B")]
    pages[0].parent.mkdir()
    pages[0].write_text("<!DOCTYPE html><title>Cage A</title>")
    failed.write([(guard.PAGE, pages[1])], (), 'report_cage failed: "zones" & more')
    folder = report(joined(counts_of()), [summary_of()], pages=pages)
    text = words(folder)
    assert "Needs a human1 page of a cagenot made, 1 alert" in text
    assert "1 page of a cage could not be made: B. Each says why" in text
    (alert,) = pd.read_csv(folder / "alerts.csv").to_dict("records")
    assert (alert["what"], alert["cage"]) == ("failed_page", "B")
    assert alert["words"].endswith('report_cage failed: "zones" & more')


def test_where_nothing_failed_nothing_is_said_of_it(report):
    text = words(report(joined(counts_of()), [summary_of()]))
    assert "segment failed" not in text
    assert "Segments failed (0) None." in text


def test_a_review_that_failed_is_said(report, tmp_path):
    path = tmp_path / "review.parquet"
    verdict = tables.Verdict("failed", "review of A 1 failed: damaged")
    tables.write(tables.empty("stretches"), path, "stretches", verdict)
    folder = report(joined(counts_of()), [summary_of()])
    ReportStage(
        counts=[tmp_path / "counts.parquet"], summaries=[tmp_path / "summaries.parquet"],
        stretches=[path], output_dir=folder,
    ).run()  # fmt: skip
    assert "Not all uncertain stretches are known: review of A 1 failed: damaged" in words(folder)


def test_remarks_on_what_the_weights_rest_on_are_shown_once(report, tmp_path):
    path, heading = tmp_path / "weights.json", "What names are learnt from"
    assert heading not in words(report(joined(counts_of()), [summary_of()]))
    model = replace(simple_model(), provenance={"remarks": ["A 1 is left out: names"]})
    lagged = replace(model, provenance={**model.provenance, "lag_remarks": ["rig b: too few"]})
    fitted_weights.write(fitted_weights.Weights(model, lagged), path)
    text = words(report(joined(counts_of()), [summary_of()], weights=path))
    assert heading in text
    assert text.count("A 1 is left out: names rig b: too few") == 1
    models.write_unfitted(path, "fit_weights failed: names are exchanged")
    text = words(report(joined(counts_of()), [summary_of()], weights=path))
    assert "fit_weights failed: names are exchanged" in text
    path.write_text("{")
    assert "weights.json" in words(report(joined(counts_of()), [summary_of()], weights=path))


def test_an_archive_without_segments_is_reported(report):
    text = words(report(None, tables.empty("summaries")))
    assert "Segments discarded (0) None." in text


def test_annotated_segments_without_a_split_are_pointed_out(report):
    text = words(report(joined(counts_of(split="")), [summary_of(split="")]))
    assert "1 annotated segment belongs to no split and is not counted" in text


def test_lists_are_bounded_and_the_rest_is_in_a_file(report):
    odd = [2 * letter for letter in string.ascii_uppercase]
    rows = [
        summary_of(segment=str(n), status="discarded", reason=f"for {word}", evaluated_frames=0)
        for n, word in enumerate(odd, start=1)
    ]
    folder = report(None, rows, Report(max_segments=10))
    text = words(folder)
    assert "1 A 10 for JJ" in text
    assert "for KK" not in text
    assert "Each segment with its reason in full: segments.csv. There are 16 more reasons." in text
    listed = pd.read_csv(folder / "segments.csv")
    assert listed["reason"].tolist() == [f"for {word}" for word in odd]
    assert listed["animals"].tolist() == ["G,R"] * 26


def test_a_reason_of_many_segments_is_told_once_and_in_whole_sentences(report):
    details = "; ".join(f"last read of R at {n}:00 and nothing more of it" for n in range(10))
    reasons = [f"{n} of 300 readings are missing (frames of G: {n}); {details}" for n in range(30)]
    rows = [
        summary_of(segment=str(n), status="discarded", reason=reason, evaluated_frames=0)
        for n, reason in enumerate(reasons)
    ]
    folder = report(None, rows)
    text = words(folder)
    told = "30 A 0, A 1, A 2 and 27 more 0 of 300 readings are missing (frames of G: 0); "
    assert told in text
    assert "letters in all" not in text
    # All of them are one alert, by whole parts of the reason, and the file of the rest is named.
    (alert,) = pd.read_csv(folder / "alerts.csv")["words"]
    assert ": 0 of 300 readings are missing (frames of G: 0); last" in alert
    assert alert.endswith("of it (in full: report/segments.csv; others alike)")
    assert "such as" not in text + alert
    assert pd.read_csv(folder / "segments.csv")["reason"].tolist() == reasons


def test_drawn_cages_are_bounded(report):
    counts = joined(*[counts_of(f"C{n}") for n in range(4)])
    rows = [summary_of(f"C{n}") for n in range(4)]
    folder = report(counts, rows, Report(max_cages=3))
    assert "1 more cage of this set" in words(folder)


def without_own_script(folder):
    page = (folder / "index.html").read_text("utf-8")
    own = f"<script>\n{script()}</script>"
    assert page.count(own) == 1
    return page.replace(own, "")


def test_names_and_reasons_are_escaped(report):
    odd = '<script>alert("1")</script> & $x_1$'
    counts = joined(counts_of(odd, right=RIGHT | {"<b>mine</b>": 3}))
    row = summary_of(odd, status="repaired", reason="<img src=x>", animals=("<i>", "R"))
    folder = report(counts, [row], Report(title="<u>title</u>", note="<u>note</u>"))
    page = without_own_script(folder)
    assert not re.search(r"<(script|img|u|i)\b|<b>mine", page)
    text = words(folder)
    for shown in (odd, "<b>mine</b>", "<img src=x>", "<u>title</u>", "Note: <u>note</u>"):
        assert shown in text


def test_the_page_needs_nothing_but_itself(report):
    folder = report(joined(counts_of()), [summary_of()], reliability=reliability_of())
    page = without_own_script(folder)
    assert page.count("<svg") == 4
    assert not re.search(r"<(link|script|img|iframe)\b|@import|url\((?!#)", page)
    assert not re.findall(r'src="(?!#)[^"]*"', page)
    links = set(re.findall(r'href="(?!#)([^"]*)"', page))
    assert links == {path.name for path in folder.iterdir()} - {"index.html"}
    ids = re.findall(r' id="([^"]+)"', page)
    assert all(f"#{name}" in page for name in ids)


def test_a_method_that_says_how_sure_it_is_is_held_to_it(report):
    right = {"ilp": 80, "path": 90}
    folder = report(
        joined(counts_of(right=right), counts_of("B", "Train", right)),
        [summary_of()],
        reliability=reliability_of(),
    )
    text = words(folder)
    assert text.count("How far to trust a name") == text.count("How far to trust a name: Path") == 1
    # The surest 400 of the 500 rows are all boxes, of which nine in ten are right.
    assert "Of the 80% of rows that it is surest of, 90.0% of all rows and 90.0%" in text
    assert "with nothing left out, 84.0% of all rows and 90.0%" in text
    assert text.count("Many boxes may share the highest confidence") == 1
    assert "differ by 5.0 points for all rows and 5.0 points" in text


def test_shares_of_boxes_that_differ_are_told_apart(report):
    told = "counts those left without a name, too"
    right = {"path": 80, "oracle": 95}
    summaries = [summary_of(cage, method="path") for cage in "ABC"]
    counts = joined(*[counts_of(cage, right=right) for cage in "ABC"])
    text = words(report(counts, summaries, reliability=reliability_of()))
    assert "Of the boxes that the detector found, 80.0% (95% interval 80.0 to 80.0%) were" in text
    assert "90.0% of boxes alone" in text
    assert text.count("Boxes alone are those given a name") == text.count(told) == 1
    # Of a method whose boxes are no detections, there is but one such share.
    counts = counts[counts["metric"].isin(schemas.OVERALL_METRICS)]
    text = words(report(counts, summaries, reliability=reliability_of()))
    assert "Of the boxes that the detector found" not in text
    assert "Boxes alone are those given a name" in text
    assert told not in text


def test_without_confidence_nothing_is_said_of_it(report):
    text = words(report(joined(counts_of()), [summary_of()]))
    assert "trust" not in text
    assert "human should look" not in text


def test_the_longest_stretches_are_shown_and_all_are_in_a_file(report):
    table = stretches_of(("1", 0, 24), ("1", 1500, 1599), ("1", 100, 174), ("gone", 0, 999))
    rows = [summary_of(), summary_of(segment="gone", status="discarded", evaluated_frames=0)]
    folder = report(None, rows, Report(max_stretches=2), stretches=table)
    text = words(folder)
    assert "A 1 4.0 1:00 1,500 to 1,599 R (60%) nobody (40%) 3 A 1 3.0 0:04 100 to 174" in text
    assert "0 to 24" not in text
    assert "the longest first, 2 of 3 stretches; those that are the same" in text
    assert "one row. Frames count from 0, the last one included," in text
    assert "All are in review.csv." in text
    listed = pd.read_csv(folder / "review.csv")
    assert listed["seconds"].tolist() == [4, 3, 1]
    assert listed.columns.tolist() == schemas.CONTRACTS["stretches"].schema.names
    assert listed["probability"].tolist() == [0.6] * 3


def test_of_segments_that_people_marked_those_that_can_be_used_are_counted(report):
    rows = [summary_of(segment=str(n), annotated_frames=40 * (n < 2)) for n in range(3)]
    lost = {"evaluated_frames": 0, "reason": "no light"}
    rows += [summary_of(segment="a", status="discarded", **lost)]
    rows += [summary_of(segment="b", status="failed", **lost)]
    told = "2 of 3 segments that can be used (66.7%) have frames in which people marked who is who"
    assert told in words(report(None, rows))


def test_stretches_that_segments_have_alike_are_one_row():
    table = stretches_of(("1", 1500, 1599), ("2", 1500, 1599), ("1", 100, 174))
    rows = views.longest(table, 2)
    assert [(row["which"], row["first_frame"], row["count"]) for row in rows] == [
        ("1, 2", 1500, 2), ("1", 100, 1)
    ]  # fmt: skip


def test_seven_methods_have_colours_of_their_own():
    shades = colours([*known_methods(), "mine", "yours"])
    assert len(set(shades.values())) == len(known_methods()) + 1
    assert set(shades.values()) <= {*okabe_ito.COLOURS}


def test_many_unknown_methods_share_the_colours_that_are_left():
    unknown = [f"mine_{number}" for number in range(20)]
    shades = colours([*known_methods(), *unknown])
    assert {shades[name] for name in unknown}.isdisjoint(colours([*known_methods()]).values())


def test_an_unknown_method_keeps_its_own_name():
    assert [label(name) for name in ("static_c", "mine")] == ["Static (C)", "mine"]


def test_detector_and_rigs_are_shown_if_given(report):
    detector = pd.DataFrame(
        [("Test", "mouse", 0.5, 10, 30, 28, 27, 27 / 28, 0.9, np.nan)],
        columns=schemas.CONTRACTS["detector_metrics"].schema.names,
    )
    network = pd.DataFrame(
        [("Test", "mouse", 10, 30, 0.61, 0.92, 0.71, 0.97, 0.55)],
        columns=schemas.CONTRACTS["detector_validation"].schema.names,
    )
    rigs = pd.DataFrame(
        [("left", True, 1, 0, 0, 0, 1, 0, 0.0, 0.0), ("right", False, 1, 0, 5, 0, 1, 0, 1.5, 2.25)],
        columns=schemas.CONTRACTS["transforms"].schema.names,
    )
    bare = words(report(joined(counts_of()), [summary_of()]))
    assert "Precision" not in bare
    assert "Calibration" not in bare
    text = words(
        report(
            joined(counts_of()), [summary_of()],
            detector_validation=network, detector_metrics=detector, transforms=rigs,
        )
    )  # fmt: skip
    assert "Test mouse 10 30 0.610 0.920 0.710 0.970 0.550" in text
    assert "Test mouse 0.50 10 30 28 27 0.964 0.900 –" in text.replace("\xa0", " ")
    assert "hard to make out even for a human are not among them" in text
    assert "right 1.50 px 2.25 px" in text
    assert "could not be calibrated" not in text
    lone = rigs.head(1).assign(fit_residual=np.nan, validation_residual=np.nan)
    assert "Calibration" not in words(report(None, [summary_of()], transforms=lone))


def test_rigs_that_were_refused_are_shown_with_their_reason(report):
    still = {f"m{i}{j}": [float(i == j)] for i in range(2) for j in range(3)}
    none = {"fit_residual": [np.nan], "validation_residual": [np.nan]}
    table = pd.DataFrame({"rig": ["left"], "prototype": [True], **still, **none})
    about = {f"{rigs.REFUSED}right": "points.csv, rig right: found <no> point 3"}
    text = words(report(None, [summary_of()], transforms=table, about={"transforms": about}))
    assert "1 rig set-up could not be calibrated: the segments of it are discarded" in text
    assert "right – – points.csv, rig right: found <no> point 3" in text


def test_the_same_tables_give_the_same_bytes(report):
    def files():
        folder = report(joined(counts_of("A"), counts_of("B")), [summary_of("A"), summary_of("B")])
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    first = files()
    assert set(first) == {
        "index.html", "metrics.csv", "metrics.parquet", "reliability.csv", "review.csv",
        "segments.csv", "cages.csv", "alerts.csv",
    }  # fmt: skip
    assert files() == first


@pytest.mark.parametrize(("confidence", "told"), [(0.5, "1 alert"), (0.9, "0 alerts")])
def test_the_page_counts_what_is_beyond_its_limits(report, confidence, told):
    page = words(report(None, [summary_of(confidence=confidence)]))
    assert f"what is beyond its limits (alerts.csv: {told})" in page


def test_the_files_of_metrics_agree(report):
    folder = report(joined(counts_of("A"), counts_of("B", "Train")), [summary_of()])
    table = tables.read(folder / "metrics.parquet", "metrics")
    listed = pd.read_csv(folder / "metrics.csv")
    assert list(listed.columns) == list(table.columns)
    pd.testing.assert_frame_equal(listed, table, check_dtype=False, rtol=1e-9)


def test_the_command_line_joins_cages(tmp_path):
    options = ["--output-dir", str(tmp_path / "report"), "--title", "Two cages"]
    for cage in ("A", "B"):
        tables.write(counts_of(cage), tmp_path / f"{cage}.counts.parquet", "counts")
        summary = pd.DataFrame([summary_of(cage)])
        tables.write(summary, tmp_path / f"{cage}.summaries.parquet", "summaries")
        for name, table in (("reliability", reliability_of()), ("stretches", stretches_of())):
            path = tmp_path / f"{cage}.{name}.parquet"
            tables.write(table.assign(cage=cage), path, name)
            options += [f"--{name}", str(path)]
        options += ["--counts", str(tmp_path / f"{cage}.counts.parquet")]
        options += ["--summaries", str(tmp_path / f"{cage}.summaries.parquet")]
    result = CliRunner().invoke(cli, ["report", *options])
    assert result.exit_code == 0, result.output
    assert "2 segments of 2 cages" in words(tmp_path / "report")
    assert "<title>Two cages</title>" in (tmp_path / "report" / "index.html").read_text("utf-8")


# --- antennas and clocks


def health_of(*rows):
    """Rows of (cage, day, kind, subject, hour since or None, finding, remark), maybe a log."""
    names = ["cage", "day", "kind", "subject", "since", "finding", "remark", "log"]
    rows = [row if len(row) == len(names) else (*row, "") for row in rows]
    table = pd.DataFrame(rows, columns=names).assign(value=1.0, out_of=np.nan)
    since = "2026-03-02 " + table["since"]
    times = {"since": pd.to_datetime(since, utc=True), "until": pd.NaT}
    return tables.conform(table.assign(**times), "health")


def test_findings_about_antennas_are_listed_the_worst_first(report):
    health = health_of(
        ("C2", "2026-03-02", "missing_hours", "", "10:00", True, "nothing"),
        ("C10", "2026-03-02", "dead_antenna", "7", "14:05", True, "no read since then"),
        ("C2", "2026-03-02", "unread", "R", None, False, "as usual"),
    )
    folder = report(None, [summary_of()], health=health)
    page = words(folder)
    assert "C10 2026-03-02 dead antenna 7 2026-03-02 14:05 no read since then" in page
    assert page.index("dead antenna 7") < page.index("hours without a read")
    assert "as usual" not in page
    listed = pd.read_csv(folder / "health.csv")
    assert listed["kind"].tolist() == ["dead_antenna", "missing_hours", "unread"]


def test_findings_begin_by_the_clock_by_which_days_and_remarks_are_written():
    table = health_of(("A", "2026-03-03", "dead_antenna", "7", "23:30", True, "no read"))
    (berlin,) = findings(table, "Europe/Berlin")
    assert (berlin["day"], berlin["since"]) == ("2026-03-03", "2026-03-03 00:30")


def test_what_is_told_of_a_log_is_told_once_and_names_the_cages_that_it_serves(report):
    day = "2026-03-02"
    health = health_of(
        *(
            row
            for cage in ("C10", "C2")
            for row in (
                (cage, day, "clock_offset", "a.csv", "01:00", True, "log a.csv is off", "a.csv"),
                (cage, day, "clock_offset", "b.csv", "01:00", True, "log b.csv is off", "b.csv"),
                (cage, day, "ghost_reads", "a.csv", None, False, "15 of 6,096", "a.csv"),
                (cage, day, "missing_hours", "", "10:00", True, "nothing", ""),
            )
        ),
        ("C3", day, "ghost_reads", "a.csv", None, False, "another log of that name", "a.csv"),
    )
    folder = report(None, [summary_of()], health=health)
    page = words(folder)
    for log in ("a.csv", "b.csv"):
        assert page.count(f"C2, C10 {day} clock that is off {log} {day} 01:00 log {log}") == 1
    listed = pd.read_csv(folder / "health.csv")
    told = listed[["cage", "kind", "log"]].fillna("").apply(tuple, axis=1).tolist()
    assert told == [
        ("C2", "missing_hours", ""), ("C10", "missing_hours", ""),
        ("C2, C10", "clock_offset", "a.csv"), ("C2, C10", "clock_offset", "b.csv"),
        ("C2, C10", "ghost_reads", "a.csv"), ("C3", "ghost_reads", "a.csv"),
    ]  # fmt: skip


def test_a_board_that_fails_and_days_that_follow_are_one_row(report):
    health = health_of(
        *(
            ("A", day, "dead_antenna", str(number), f"14:{number:02}", True, f"dead {number}")
            for day in ("2026-03-02", "2026-03-03")
            for number in range(1, 25)
        )
    )
    page = words(report(None, [summary_of()], health=health))
    assert page.count("dead antenna") == 1
    assert "1, 2, 3, 4, 5, 6, 7, 8 and 16 more 2026-03-02 14:01 1: dead 1" in page


def test_more_findings_than_fit_are_counted(report):
    rows = [("A", f"2026-03-{day:02}", "log", "x.csv", None, True, "torn") for day in range(1, 8)]
    settings = Report(max_findings=3)
    page = words(report(None, [summary_of()], settings, health=health_of(*rows)))
    assert page.count("log that cannot be used") == 3
    assert "3 of 7" in page


def sound_cage(cage, stretches=30.0, hours=24.0, unread=0.01, offset=0.5, antennas=18.0):
    """Rows of what was checked of a cage with three animals."""
    given = [
        ("antennas_read", "", antennas, 18.0), ("tags_read", "", 3.0, 3.0),
        ("reads", "", 2400.0, hours), ("stretches", "", stretches, 18.0),
        *(("unread", animal, unread, 100.0) for animal in "RGB" if unread is not None),
        ("clock_offset", "a.csv", offset, np.nan),
    ]  # fmt: skip
    rows = pd.DataFrame(given, columns=["kind", "subject", "value", "out_of"]).assign(
        cage=cage, finding=False, remark="", since=pd.NaT, until=pd.NaT
    )
    of_clock = rows["kind"] == "clock_offset"
    return rows.assign(
        day=np.where(rows["kind"].isin(["unread", "clock_offset", "reads"]), "2026-03-02", ""),
        log=np.where(of_clock, rows["subject"], ""),
        **{name: pd.to_datetime(rows[name], utc=True) for name in ("since", "until")},
    )


def test_that_all_is_sound_is_told_with_how_much_was_checked(report):
    both = pd.concat([sound_cage("C10"), sound_cage("C2", unread=0.03)], ignore_index=True)
    page = words(report(None, [summary_of()], health=tables.conform(both, "health")))
    assert (
        "36 of 36 antennas and 6 of 6 tags of 2 cages are read, in 48.0 hours with reads; of the "
        "frames of segments that can be used, 2.0% are without a reading. Nothing is out"
    ) in page
    row = "18 of 18 3 of 3 24.0 hours 100 {} none at most 0.5 s ahead, put right"
    rows = f"C2 {row.format('3.0%')} C10 {row.format('1.0%')}"
    assert rows in page
    assert "Not checked" not in page


@pytest.mark.parametrize(
    ("given", "unchecked", "row"),
    [
        ({"stretches": 3.0}, "whether antennas or tags fell silent, since animals go about in too "
         "few stretches (1 of 2 cages).",
         "24.0 hours 100 1.0% not checked: animals go about too seldom at most 0.5 s ahead"),
        ({"unread": None}, "frames without a reading, since no segment can be used (1 of 2 cages).",
         "24.0 hours 100 – none at most 0.5 s ahead"),
        ({"offset": np.nan}, "clocks, on all or some days (1 of 2 cages).",
         "24.0 hours 100 1.0% none not checked"),
        ({"hours": 0.05}, "", "3.0 minutes 48,000 1.0% none at most 0.5 s ahead"),
        ({"hours": 0.0}, "", "0.0 minutes – 1.0% none at most 0.5 s ahead"),
        ({"antennas": 17.0}, "", "17 of 18 3 of 3 24.0 hours 100"),
    ],
)  # fmt: skip
def test_what_was_not_checked_is_told_apart_from_what_is_sound(report, given, unchecked, row):
    both = pd.concat([sound_cage("C1"), sound_cage("C2", **given)], ignore_index=True)
    page = words(report(None, [summary_of()], health=tables.conform(both, "health")))
    assert row in page
    assert (f"Not checked: {unchecked}" in page) if unchecked else ("Not checked" not in page)
    assert ("Nothing is out of the ordinary as far as is known" in page) == bool(unchecked)


def test_of_an_archive_without_logs_it_is_said_that_antennas_were_not_checked(report):
    folder = report(None, [summary_of()])
    assert "Antennas and clocks" not in words(folder)
    assert "whether antennas, tags and clocks are sound was not checked" in words(folder)
    assert not (folder / "health.csv").exists()


def test_that_nothing_was_found_is_said(report):
    folder = report(None, [summary_of()], health=tables.empty("health"))
    assert "Nothing is out of the ordinary: no antenna or tag falls silent" in words(folder)
    assert pd.read_csv(folder / "health.csv").empty
