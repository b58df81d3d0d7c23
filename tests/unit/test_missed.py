"""Where what has no name is lost."""

import pandas as pd

from murid.study import missed


def rows(columns, *values):
    place = {"cage": "C", "segment": "1", "frame": 0, "method": "path"}
    return pd.DataFrame([place | dict(zip(columns, each, strict=True)) for each in values])


def counted(animals, detections, linked):
    """Count, for a frame's animals, its detections, and those that are in a tracklet."""
    table = missed.count(
        rows(("animal", "visible", "assigned"), *animals),
        rows(("detection", "oracle", "identity"), *detections),
        pd.DataFrame({"frame": 0, "detection": linked, "tracklet": 0}),
    )
    return table.set_index(["kind", "cause"])["count"].to_dict()


def test_an_animal_without_a_box_is_lost_where_its_detection_went():
    assert counted(
        [("A", True, False), ("B", True, False), ("C", True, False), ("D", True, False),
         ("E", True, True), ("F", False, False)],
        # B's is in no tracklet, C's is nobody's, D's is named E; a false box has no name.
        [(0, "B", None), (1, "C", None), (2, "D", "E"), (3, None, None)],
        [1, 2, 3],
    ) == {
        ("animal", "detector"): 1, ("animal", "tracker"): 1, ("animal", "nobody"): 1,
        ("animal", "another"): 1, ("animal", "kept"): 1,
        ("box", "tracker"): 1, ("box", "nobody"): 1, ("box", "kept"): 1,
    }  # fmt: skip


def test_other_methods_do_not_count():
    animals = rows(("animal", "visible", "assigned"), ("A", True, False))
    boxes = rows(("detection", "oracle", "identity"), (0, "A", None))
    other = missed.count(
        animals.assign(method="ilp"), boxes.assign(method="ilp"),
        pd.DataFrame({"frame": [0], "detection": [0], "tracklet": [0]}),
    )  # fmt: skip
    assert other.empty
