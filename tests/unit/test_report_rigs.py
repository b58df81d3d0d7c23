"""The report on calibration: points before and after, and kinds of transforms compared."""

import numpy as np
import pandas as pd
import pytest

from murid import schemas, tables
from murid.report.rigs import COLOURS, MARKERS, residual_rows, rig_figure


def points(*rigs):
    random = np.random.default_rng(1)
    rows = [
        (rig, antenna, 100.0 * antenna + 9 * n, 50.0 + 7 * n, 100.0 * antenna, 50 + random.random())
        for n, rig in enumerate(rigs)
        for antenna in range(1, 7)
    ]
    names = schemas.CONTRACTS["calibration_points"].schema.names
    return tables.conform(pd.DataFrame(rows, columns=names), "calibration_points")


def test_every_rig_is_in_the_legend_and_axes_have_units():
    figure = rig_figure(points("r_1", "$r2", "r3"))
    text = str(figure)
    for part in ("before: pixels of each video", "after: frame of reference", "x, pixels"):
        assert f"<!-- {part} -->" in text
    for name in ("r_1", "$r2", "r3"):
        assert name in text
    assert text == str(rig_figure(points("r_1", "$r2", "r3")))


def test_ninety_nine_rigs_are_told_apart():
    pairs = {(COLOURS[n % len(COLOURS)], MARKERS[n % len(MARKERS)]) for n in range(99)}
    assert len(pairs) == 99


@pytest.mark.parametrize("rigs", [(), ("only",)])
def test_there_is_nothing_to_draw_for_less_than_two_rigs(rigs):
    table = points(*rigs) if rigs else tables.empty("calibration_points")
    assert rig_figure(table) is None


def test_residuals_by_rig_and_of_all_together():
    rows = [
        (rig, kind, kind == "similarity", value, 2 * value if kind != "homography" else None)
        for rig, value in (("rig_10", 3.0), ("rig_2", 4.0))
        for kind in ("translation", "similarity", "affine", "homography")
    ]
    names = schemas.CONTRACTS["calibration_residuals"].schema.names
    table = tables.conform(pd.DataFrame(rows, columns=names), "calibration_residuals")
    shown = residual_rows(table)
    assert [row["rig"] for row in shown] == ["rig_2", "rig_10", None]
    assert shown[0]["kinds"]["similarity"] == {"fitted": 4.0, "held_back": 8.0, "used": True}
    assert not shown[0]["kinds"]["affine"]["used"]
    assert np.isnan(shown[0]["kinds"]["homography"]["held_back"])
    assert shown[2]["kinds"]["affine"]["fitted"] == pytest.approx(np.sqrt((9 + 16) / 2))
    assert residual_rows(tables.empty("calibration_residuals")) == []
