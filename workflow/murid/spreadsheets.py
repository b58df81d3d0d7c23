"""Tables as CSV, for spreadsheets and people."""

import pandas as pd

FORMULAS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""What a formula begins with in some spreadsheet; the last four are = + - @ of full width."""


def to_csv(frame: pd.DataFrame) -> str:
    """Return a table as CSV, with enough digits to tell its values, and few enough to hide noise.

    Text that a spreadsheet would take for a formula has an apostrophe before it, by which all of
    them take it for text: reasons quote what was found in files.

    Examples
    --------
    >>> to_csv(pd.DataFrame({"a": np.array([0.9], dtype=np.float32), "b": [1 / 3]}))
    'a,b\\n0.9,0.333333333333\\n'
    >>> to_csv(pd.DataFrame({"reason": ["=1+1", "1 - 1"]}))
    "reason\\n'=1+1\\n1 - 1\\n"
    """
    texts = {
        name: [as_text(value) if isinstance(value, str) else value for value in frame[name]]
        for name in frame.select_dtypes(["object", "string", "category"])
    }
    singles = {
        name: [float(f"{value:.6g}") for value in frame[name]]
        for name in frame.select_dtypes("float32")
    }
    return frame.assign(**singles, **texts).to_csv(
        index=False, float_format="%.12g", lineterminator="\n"
    )


def as_text(cell: str) -> str:
    """Return a cell of a CSV that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(FORMULAS) else cell
