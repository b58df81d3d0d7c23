"""Which detections are kept."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murid import boxes, rigs, schemas, tables
from murid.detect.select import select
from murid.detect.stage import AdoptDetections
from murid.settings import Detect
from murid.tables import Verdict

IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])
NAMES = ["frame", "label", *schemas.BOX, "score"]


def detections(*rows):
    return pd.DataFrame(rows, columns=NAMES)


def kept_scores(table):
    return table["score"].astype(float).round(3).tolist()


def test_scores_at_or_below_the_threshold_go():
    table = detections(
        (0, "mouse", 0, 0, 9, 9, 0.5), (0, "mouse", 20, 0, 9, 9, 0.51), (0, "tunnel", 0, 0, 9, 9, 0)
    )
    assert kept_scores(select(table, IDENTITY, Detect(score=0.5))) == [0.51]


def test_the_threshold_itself_is_below_it_also_in_single_precision():
    table = detections((0, "mouse", 0, 0, 9, 9, 0.4)).astype({"score": "float32"})
    assert select(table, IDENTITY, Detect(score=0.4)).empty


def test_rank_is_by_score_over_all_labels_of_a_frame():
    table = detections(
        (1, "mouse", 20, 0, 9, 9, 0.6),
        (1, "tunnel", 0, 0, 9, 9, 0.8),
        (1, "mouse", 0, 0, 9, 9, 0.9),
        (0, "tunnel", 0, 0, 9, 9, 0.5),
    )
    kept = select(table, IDENTITY, Detect())
    assert kept["frame"].tolist() == [0, 1, 1, 1]
    assert kept["detection"].tolist() == [0, 0, 1, 2]
    assert kept["label"].tolist() == ["tunnel", "mouse", "tunnel", "mouse"]


def test_only_the_best_mice_of_a_frame_stay():
    table = detections(
        *[(frame, "mouse", 20 * n, 0, 9, 9, 0.5 + n / 20) for frame in (0, 1) for n in range(8)],
        (0, "tunnel", 0, 0, 9, 9, 0.45),
    )
    kept = select(table, IDENTITY, Detect(max_mice=3))
    mice = kept[kept["label"] == "mouse"]
    assert mice.groupby("frame")["x"].apply(list).tolist() == [[140, 120, 100], [140, 120, 100]]
    assert (kept["label"] == "tunnel").sum() == 1


@pytest.mark.parametrize(
    "box",
    [
        (np.nan, 0, 9, 9),
        (0, np.inf, 9, 9),
        (0, 0, 0, 9),
        (0, 0, 9, -1),
    ],
)
def test_boxes_that_make_no_sense_go(box):
    table = detections((0, "mouse", *box, 0.9), (0, "mouse", 1, 2, 3, 4, 0.8))
    assert kept_scores(select(table, IDENTITY, Detect())) == [0.8]


def test_boxes_without_a_score_go():
    table = detections((0, "mouse", 0, 0, 9, 9, np.nan), (0, "mouse", 1, 2, 3, 4, 0.8))
    assert kept_scores(select(table, IDENTITY, Detect())) == [0.8]


def test_boxes_in_the_hopper_go_by_the_share_of_their_area():
    hopper = ((0, 0), (10, 0), (10, 100), (0, 100))
    table = detections(
        (0, "mouse", 6, 0, 10, 10, 0.9),  # 0.4 inside: just kept
        (0, "mouse", 5, 20, 10, 10, 0.8),  # 0.5 inside
        (0, "mouse", 50, 20, 10, 10, 0.7),
    )
    kept = select(table, IDENTITY, Detect(hopper=hopper, hopper_overlap=0.4))
    assert kept_scores(kept) == [0.9, 0.7]
    assert kept["detection"].tolist() == [0, 1]


def test_the_hopper_lies_in_the_frame_of_reference_and_boxes_stay_raw():
    hopper = ((0, 0), (10, 0), (10, 10), (0, 10))
    shift = np.array([[1.0, 0, -100], [0, 1, 0]])
    table = detections((0, "mouse", 101, 1, 5, 5, 0.9), (0, "mouse", 1, 1, 5, 5, 0.8))
    kept = select(table, shift, Detect(hopper=hopper))
    assert kept[schemas.BOX].to_numpy().tolist() == [[1, 1, 5, 5]]


def test_hopper_counts_after_the_best_are_chosen():
    # As the paper has it: five are accepted, then those in the hopper discarded.
    table = detections((0, "mouse", 0, 0, 5, 5, 0.9), (0, "mouse", 50, 0, 5, 5, 0.8))
    hopper = ((0, 0), (10, 0), (10, 10), (0, 10))
    assert select(table, IDENTITY, Detect(hopper=hopper, max_mice=1)).empty


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from(schemas.LABELS),
            *[st.floats(-50, 50, width=32)] * 4,
            st.sampled_from([0.3, 0.5, 0.7, 0.9]),
        ),
        max_size=25,
    ),
    st.randoms(use_true_random=False),
)
def test_what_is_kept_is_sound_and_does_not_depend_on_the_order_of_rows(rows, random):
    chosen = Detect(max_mice=2, hopper=((0, 0), (20, 0), (20, 20), (0, 20)))
    kept = select(detections(*rows), IDENTITY, chosen)
    assert (kept["score"] > 0.4).all()
    assert kept.groupby(["frame", "label"]).size().le(2).all()
    for _, frame in kept.groupby("frame"):
        assert frame["detection"].tolist() == list(range(len(frame)))
        assert frame["score"].is_monotonic_decreasing
    inside = boxes.fraction_inside(kept[schemas.BOX], chosen.hopper)
    assert (inside <= 0.4 + 1e-6).all()
    random.shuffle(rows)
    pd.testing.assert_frame_equal(kept, select(detections(*rows), IDENTITY, chosen))


@pytest.fixture
def segment(tmp_path):
    """Tables of a segment of ten frames on a rig "north"."""
    positions = pd.DataFrame(
        {"frame": range(10), "animal": "R", "antenna": 3, "filled": False},
    )
    tables.write(
        positions, tmp_path / "positions.parquet", "positions", Verdict("repaired", "a gap")
    )
    transforms = pd.DataFrame(
        {"rig": ["north"], "prototype": True, "fit_residual": 0.0, "validation_residual": 0.0}
    ).assign(m00=1.0, m01=0.0, m02=0.0, m10=0.0, m11=1.0, m12=0.0)
    tables.write(transforms, tmp_path / "transforms.parquet", "transforms")
    table = detections(
        (2, "mouse", 0, 0, 9, 9, 0.9), (2, "mouse", 0, 0, 9, 9, 0.2), (11, "mouse", 0, 0, 9, 9, 0.9)
    )
    table["detection"] = [1, 0, 0]
    tables.write(table, tmp_path / "given.parquet", "detections")
    return tmp_path


def adopt(folder, settings=Detect(), **how):  # noqa: B008
    AdoptDetections(
        detections=folder / "given.parquet",
        positions=folder / "positions.parquet",
        transforms=folder / "transforms.parquet",
        rig="north",
        output=folder / "out.parquet",
        detect=settings,
        **how,
    ).run()
    return tables.read(folder / "out.parquet", "detections")


def test_without_a_detector_a_segment_is_discarded_with_what_to_do(segment):
    assert adopt(segment, no_detector=True).empty
    verdict = tables.read_verdict(segment / "out.parquet")
    assert verdict.status == "discarded"
    assert verdict.reason.startswith("a video but no boxes, and no detector to find them: set det")


def test_a_rig_that_was_refused_discards_its_segments(segment):
    about = {f"{rigs.REFUSED}north": "points.csv, rig north: found no point 3"}
    tables.write(
        tables.empty("transforms"), segment / "transforms.parquet", "transforms", about=about
    )
    assert adopt(segment).empty
    verdict = tables.read_verdict(segment / "out.parquet")
    assert verdict.status == "discarded"
    assert verdict.reason == (
        "the rig north has no transform: points.csv, rig north: found no point 3"
    )


def test_adopted_detections_are_filtered_and_keep_the_verdict(segment):
    adopted = adopt(segment)
    assert adopted[["frame", "detection"]].to_numpy().tolist() == [[2, 0]]
    assert tables.read_verdict(segment / "out.parquet") == Verdict("repaired", "a gap")


def crowd(folder, animals):
    """Write positions and detections of so many animals, all in one frame."""
    frames = pd.DataFrame({"frame": 0, "animal": [f"m{n}" for n in range(animals)]})
    frames = frames.assign(antenna=3, filled=False)
    tables.write(frames, folder / "positions.parquet", "positions")
    rows = [(0, "mouse", 20 * n, 0, 9, 9, 0.9) for n in range(animals + 4)]
    table = detections(*rows).assign(detection=range(animals + 4))
    tables.write(table, folder / "given.parquet", "detections")


@pytest.mark.parametrize(("animals", "kept"), [(1, 5), (3, 5), (8, 10), (20, 22)])
def test_as_many_boxes_are_kept_as_the_cage_needs(segment, animals, kept):
    crowd(segment, animals)
    assert len(adopt(segment)) == kept


def test_fewer_boxes_than_animals_discard_the_segment(segment):
    crowd(segment, 8)
    assert adopt(segment, Detect(max_mice=7)).empty
    verdict = tables.read_verdict(segment / "out.parquet")
    assert verdict.discarded
    assert "8 animals in the antenna trace, but detect.max_mice keeps 7" in verdict.reason
    assert len(adopt(segment, Detect(max_mice=8))) == 8


def test_a_discarded_segment_is_adopted_empty_with_its_reason(segment):
    verdict = Verdict("discarded", "the trace is another's")
    tables.write(tables.empty("positions"), segment / "positions.parquet", "positions", verdict)
    assert adopt(segment).empty
    assert tables.read_verdict(segment / "out.parquet") == verdict
