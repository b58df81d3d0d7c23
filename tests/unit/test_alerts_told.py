"""The report's tables of cages and alerts, and the command that prints the latter."""

import csv
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner

from dated_cages import day, health, segment_of, summaries, told_of
from murid import schemas, tables
from murid.cli import cli
from murid.cli.alerts import BEYOND
from murid.errors import InputError


@pytest.fixture
def results(tmp_path):
    """Write the alerts of rows of segments and health, and return the folder of results."""

    def write(segments, told=(), *options):
        words = ["report", "--output-dir", str(tmp_path / "report"), *options]
        for name, table in (("summaries", summaries(*segments)), ("health", health(*told))):
            tables.write(table, tmp_path / f"{name}.parquet", name)
            words += [f"--{name}", str(tmp_path / f"{name}.parquet")]
        done = CliRunner().invoke(cli, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return tmp_path

    return write


def printed(folder, *options):
    """Run the command on a folder of results."""
    return CliRunner().invoke(cli, ["alerts", str(folder), *options])


SILENT = {"subject": "8", "since": 1, "value": 12.0}


def test_a_report_has_both_tables_as_their_contracts_have_them(results):
    folder = results([segment_of()], [told_of("dead_antenna", **SILENT)])
    for name in ("cages", "alerts"):
        table = pd.read_csv(folder / "report" / f"{name}.csv")
        assert list(table.columns) == schemas.CONTRACTS[name].schema.names
        assert len(table) == 1


def test_limits_and_zone_are_options_of_the_report(results):
    told = [told_of("dead_antenna", **SILENT)]
    options = ["--silent-antenna", "13", "--low-confidence", "0.96", "--zone", "Asia/Tokyo"]
    folder = results([segment_of(begins=pd.Timestamp("2026-03-01 16:00Z"))], told, *options)
    (line,) = csv.DictReader((folder / "report" / "alerts.csv").open())
    assert (line["what"], line["day"]) == ("low_confidence", "2026-03-02")


def test_alerts_are_printed_a_line_each(results):
    folder = results([segment_of(confidence=0.5)], [told_of("dead_antenna", **SILENT)])
    done = printed(folder)
    assert done.exit_code == 0
    first, second = done.output.splitlines()
    assert first.startswith(f"{day(0)} A silent_antenna: antenna 8 of cage A has been silent since")
    assert second.startswith(f"{day(0)} A low_confidence: names in cage A are right with a")


@pytest.mark.parametrize(("confidence", "status"), [(0.5, BEYOND), (0.9, 0)])
def test_that_there_are_alerts_is_a_status_of_its_own_if_that_is_wanted(
    results, confidence, status
):
    folder = results([segment_of(confidence=confidence)])
    assert printed(folder, "--fail").exit_code == status
    assert printed(folder).exit_code == 0
    command = [sys.executable, "-m", "murid", "alerts", str(folder), "--fail"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == status


def test_what_was_over_before_a_day_is_left_out(results):
    rows = [segment_of(number, confidence=0.5 if number == 1 else 0.9) for number in range(4)]
    folder = results(rows)
    assert printed(folder, "--since", day(1), "--fail").exit_code == BEYOND
    assert printed(folder, "--since", day(2), "--fail").exit_code == 0
    assert printed(folder, "--since", day(2)).output == ""


def test_what_goes_on_or_has_no_day_is_told_whatever_day_is_asked_for(results):
    told = [
        told_of("dead_antenna", number, subject="8", since=1 - 24 * number, value=12.0)
        for number in range(3)
    ]
    folder = results([segment_of(confidence=0.5, begins=None)], told)
    lines = printed(folder, "--since", day(2)).output.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "no day A low_confidence", f"{day(0)} A silent_antenna"
    ]  # fmt: skip


@pytest.mark.parametrize("since", ["yesterday", "2026-3-1", "2026-02-30", ""])
def test_what_is_no_day_is_refused(results, since):
    error = printed(results([segment_of()]), "--since", since).exception
    assert isinstance(error, InputError)
    assert f"--since: found {since!r}; expected a day such as 2026-03-01" in str(error)


def test_results_of_no_run_are_refused(tmp_path):
    error = printed(tmp_path, "--fail").exception
    assert isinstance(error, InputError)
    assert f"{tmp_path}: found no report/alerts.csv" in str(error)
    assert "Run snakemake first" in str(error)


def test_a_damaged_table_of_alerts_is_refused(tmp_path):
    path = tmp_path / "report" / "alerts.csv"
    path.parent.mkdir()
    path.write_text("cage,day\nA,2026-03-01\n")
    error = printed(tmp_path, "--fail").exception
    assert isinstance(error, InputError)
    assert str(path) in str(error)


def test_what_a_spreadsheet_takes_for_a_formula_is_text_in_both_tables(results):
    reason = "=1+1 stood where a time should"
    folder = results([segment_of(cage="=A", status="failed", reason=reason)])
    for name in ("cages", "alerts"):
        (line,) = csv.DictReader((folder / "report" / f"{name}.csv").open())
        assert line["cage"] == "'=A"


def test_the_same_tables_give_the_same_bytes(results):
    rows = [segment_of(number, cage, confidence=0.5) for cage in "BA" for number in range(3)]
    written = []
    for order in (1, -1):
        folder = results(rows[::order])
        written.append([(folder / "report" / f"{n}.csv").read_bytes() for n in ("cages", "alerts")])
    assert written[0] == written[1]
