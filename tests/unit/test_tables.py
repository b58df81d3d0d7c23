"""Tables as they are written: verdicts, and CSV that spreadsheets open."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import tables
from murid.tables import Verdict


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"])
@pytest.mark.parametrize("dtype", [object, "str", "category"])
def test_no_cell_of_a_csv_is_a_formula(sign: str, dtype: str) -> None:
    text = f'{sign}cmd|" /C calc"!A0'
    frame = pd.DataFrame({"reason": pd.Series([text, "plain"], dtype=dtype)})
    rows = list(csv.reader(io.StringIO(tables.to_csv(frame), newline="")))
    assert rows == [["reason"], [f"'{text}"], ["plain"]]


def test_numbers_of_a_csv_stay_numbers_and_what_is_missing_stays_empty() -> None:
    frame = pd.DataFrame({"a": [-1.5, np.nan], "b": [-1, 2], "c": ["x", None]})
    frame["d"] = pd.array([-1, None], dtype="Int64")
    assert tables.to_csv(frame) == "a,b,c,d\n-1.5,-1,x,-1\n,2,,\n"


def test_every_csv_of_the_package_is_written_by_one_function(root: Path) -> None:
    """But for the demo archive's, whose cells are made up."""
    written = [
        path.relative_to(root / "workflow" / "murid").as_posix()
        for path in (root / "workflow" / "murid").rglob("*.py")
        if re.search(r"(?<!tables)\.to_csv\(|csv\.writer\(", path.read_text())
    ]
    assert sorted(path for path in written if not path.startswith("simulate/")) == [
        "sheet.py",
        "tables.py",
    ]


def test_a_reason_without_end_is_cut_and_says_so(tmp_path: Path) -> None:
    verdict = Verdict("discarded", "a" * 3_000_000 + "z")
    assert len(verdict.reason) <= tables.LONGEST_REASON
    assert "[...3000001 letters in all...]" in verdict.reason
    assert verdict.reason.endswith("az")
    for _ in range(5):
        verdict |= Verdict("discarded", verdict.reason.upper() + "more")
    assert len(verdict.reason) <= tables.LONGEST_REASON
    tables.write(tables.empty("positions"), tmp_path / "p.parquet", "positions", verdict)
    assert tables.read_verdict(tmp_path / "p.parquet") == verdict


def test_a_reason_can_be_written_whatever_it_quotes(tmp_path: Path) -> None:
    verdict = Verdict("discarded", "a cell '\ud800'")
    tables.write(tables.empty("positions"), tmp_path / "p.parquet", "positions", verdict)
    assert tables.read_verdict(tmp_path / "p.parquet").reason == "a cell '\\ud800'"
