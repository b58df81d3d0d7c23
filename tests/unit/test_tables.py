"""Tables as they are written: verdicts, and CSV that spreadsheets open."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import rigs, spreadsheets, tables
from murid.errors import InputError
from murid.tables import Verdict


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"])
@pytest.mark.parametrize("dtype", [object, "str", "category"])
def test_no_cell_of_a_csv_is_a_formula(sign: str, dtype: str) -> None:
    text = f'{sign}cmd|" /C calc"!A0'
    frame = pd.DataFrame({"reason": pd.Series([text, "plain"], dtype=dtype)})
    rows = list(csv.reader(io.StringIO(spreadsheets.to_csv(frame), newline="")))
    assert rows == [["reason"], [f"'{text}"], ["plain"]]


def test_numbers_of_a_csv_stay_numbers_and_what_is_missing_stays_empty() -> None:
    frame = pd.DataFrame({"a": [-1.5, np.nan], "b": [-1, 2], "c": ["x", None]})
    frame["d"] = pd.array([-1, None], dtype="Int64")
    assert spreadsheets.to_csv(frame) == "a,b,c,d\n-1.5,-1,x,-1\n,2,,\n"


def test_every_csv_of_the_package_is_written_by_one_function(root: Path) -> None:
    """But for the demo archive's, whose cells are made up, and VIA's, whose form is its own."""
    written = [
        path.relative_to(root / "workflow" / "murid").as_posix()
        for path in (root / "workflow" / "murid").rglob("*.py")
        if re.search(r"(?<!spreadsheets)\.to_csv\(|csv\.writer\(", path.read_text())
    ]
    assert sorted(path for path in written if not path.startswith("simulate/")) == [
        "exports/via_tracks.py",
        "sheet.py",
        "spreadsheets.py",
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


def transforms(matrix):
    """The table of one rig."""
    values = np.asarray(matrix, dtype=float)
    cells = {f"m{row}{column}": [values[row, column]] for row in range(2) for column in range(3)}
    residuals = {"fit_residual": [np.nan], "validation_residual": [np.nan]}
    return pd.DataFrame({"rig": ["low"], "prototype": [True], **cells, **residuals})


@pytest.mark.parametrize(
    ("matrix", "found"),
    [
        (np.zeros((2, 3)), "0 to 0"),
        ([[1, 1, 0], [1, 1, 0]], "to 2"),
        ([[1e9, 0, 0], [0, 1, 0]], "1 to 1e+09"),
        ([[np.nan, 0, 0], [0, 1, 0]], ""),
    ],
)
def test_a_transform_that_cannot_be_undone_is_refused(tmp_path, matrix, found):
    path = tmp_path / "transforms.parquet"
    # What murid writes is never so, but a file may be damaged, or another's.
    transforms(matrix).to_parquet(path)
    with pytest.raises(InputError) as error:
        rigs.read_matrices(path, ["low"])
    assert found in str(error.value)
    assert str(path) in str(error.value)


def test_transforms_that_can_be_undone_are_read(tmp_path):
    path = tmp_path / "transforms.parquet"
    matrix = np.array([[0.5, 0.1, 20.0], [-0.1, 0.5, -7.0]])
    tables.write(transforms(matrix), path, "transforms")
    np.testing.assert_array_equal(rigs.read_matrices(path, ["low"])["low"], matrix)
