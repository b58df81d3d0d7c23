"""Calibration points as a table, for tests that want them all without a fault."""

from pathlib import Path

import pandas as pd

from murid import marks
from murid.calibrate.points import read_rigs
from murid.grid import Grid
from murid.settings import Calibrate


def read_points(
    path: Path, settings: Calibrate | None = None, grid: Grid | None = None
) -> pd.DataFrame:
    """Read calibration points as ``rig, antenna, x, y``; the first fault of any rig is raised."""
    marked = read_rigs(Path(path), settings or Calibrate(), grid or Grid())
    for fault in marked.faults.values():
        raise fault
    return pd.DataFrame(marked.points, columns=list(marks.COLUMNS))
