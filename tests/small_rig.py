"""A rig of four antennas in a row, tables of what is seen over it, and models of both."""

import numpy as np
import pandas as pd

from murid import tables
from murid.fitting.visibility import contexts
from murid.grid import Grid
from murid.models import fitted_path, fitted_weights
from murid.models.made_for import MadeFor

IDENTITY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
FPS = 25.0
MOTION = fitted_path.Motion(
    seconds=np.arange(1, 6) / FPS,
    near=np.full(5, 0.9),
    spread=np.full((5, 4), 5.0),
    anywhere=np.array([150.0, 50.0, 0.5, 0.5]),
    gaps=np.linspace(1.0, -3.0, 5),
    fresh=-4.0,
)

MODEL = fitted_path.PathModel(
    MOTION, made_for=MadeFor((1, 4), (1280, 720), animals=(1, 2), fps=(FPS, FPS))
)


def simple_model(animals=3, hidden=0.1):
    """A rig whose antenna a is seen at x = 100 a, with boxes of 60 x 40 around y = 50."""
    grid = Grid(1, 4)
    rows = contexts(grid, animals)
    return fitted_weights.Affinity(
        grid=grid,
        animals=animals,
        homography=np.array([[100.0, 0, 100], [0, 100, 50], [0, 0, 1]]),
        sizes=np.broadcast_to([60.0, 40.0], (grid.rows, 2, 2)).copy(),
        covariances=np.broadcast_to(np.diag([900.0, 900, 100, 100]), (grid.rows, 2, 4, 4)).copy(),
        offsets=np.zeros((grid.size, 4)),
        tail=0.0,
        outlier_mean=np.array([250.0, 50, 60, 40]),
        outlier_covariance=np.diag([4e4, 4e4, 400.0, 400]),
        contexts=rows,
        visibility=np.broadcast_to([0.6, 0.4 - hidden, hidden], (len(rows), 3)).copy(),
        hidden_share=hidden,
    )


def positions(antennas):
    """(F, J) antennas of animals named A, B, C, ...; 0 = no reading."""
    antennas = np.asarray(antennas)
    frames, animals = antennas.shape
    return tables.conform(
        pd.DataFrame(
            {
                "frame": np.repeat(np.arange(frames), animals),
                "animal": np.tile(list("ABCDEF"[:animals]), frames),
                "antenna": pd.array(antennas.ravel(), dtype="Int16"),
                "filled": False,
            }
        ).assign(antenna=lambda t: t["antenna"].where(t["antenna"] > 0)),
        "positions",
    )


def boxes_at(rows, name="detections"):
    """Rows of (frame, detection, centre x[, tracklet]) as boxes of 60 x 40 around y = 50."""
    table = pd.DataFrame(rows, columns=["frame", "detection", "x", "tracklet"][: len(rows[0])])
    table = table.assign(x=table["x"] - 30.0, y=30.0, w=60.0, h=40.0, label="mouse", score=0.9)
    return tables.conform(table, name)


def annotation(rows):
    """Rows of (frame, identities, centre x, type, difficult)."""
    table = pd.DataFrame(rows, columns=["frame", "identities", "x", "type", "difficult"])
    number = table.groupby("frame").cumcount()
    table = table.assign(
        object=number, x=table["x"] - 30.0, y=30.0, w=60.0, h=40.0, visibility="clear"
    )
    return tables.conform(table, "annotations")
