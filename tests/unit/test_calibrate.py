import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from murid import boxes, tables
from murid.calibrate import calibrate, fit, read_points, run
from murid.cli import cli
from murid.errors import InputError
from murid.settings import Calibrate

ANTENNAS = np.arange(1, 19)


def grid_points(rows=3, columns=6):
    """Antenna centres as a slanted camera sees them, about as wide as 1280 x 720."""
    column, row = np.divmod(np.arange(rows * columns), rows)
    depth = 1 / (1.2 - 0.1 * row)
    x = 640 + (column - (columns - 1) / 2) * 180 * depth
    y = 250 + 320 * (depth - 0.7)
    return np.column_stack([x, y])


def similarity(scale=1.0, degrees=0.0, shift=(0.0, 0.0)):
    c, s = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
    return np.array([[c, -s, shift[0]], [s, c, shift[1]]])


def frame(**rigs):
    return pd.concat(
        [
            pd.DataFrame(
                {"rig": rig, "antenna": np.arange(len(xy)) + 1, "x": xy[:, 0], "y": xy[:, 1]}
            )
            for rig, xy in rigs.items()
        ],
        ignore_index=True,
    )


def matrix_of(table, rig):
    row = table.set_index("rig").loc[rig]
    return row[[f"m{i}{j}" for i in range(2) for j in range(3)]].to_numpy(float).reshape(2, 3)


def write_csv(path, data):
    data.to_csv(path, index=False)
    return path


similarities = st.builds(
    similarity,
    st.floats(0.8, 1.25),
    st.floats(-5, 5),
    st.tuples(st.floats(-100, 100), st.floats(-100, 100)),
)


@given(similarities, st.sampled_from(["similarity", "affine"]))
def test_a_fit_without_noise_is_exact(matrix, kind):
    points = grid_points()
    assert_allclose(fit(points, boxes.apply(points, matrix), kind), matrix, atol=1e-8)


@given(st.tuples(st.floats(-100, 100), st.floats(-100, 100)))
def test_a_translation_is_recovered(shift):
    matrix = similarity(shift=shift)
    points = grid_points()
    assert_allclose(fit(points, boxes.apply(points, matrix), "translation"), matrix, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(similarities, st.integers(0, 2**32 - 1))
def test_a_known_similarity_comes_back_within_half_a_pixel(matrix, seed):
    """Each point is marked several times with 1 px noise; the mean is what is calibrated with."""
    rng = np.random.default_rng(seed)
    points = grid_points()
    moved = boxes.apply(points, matrix)
    noisy = [xy + rng.normal(0, 1, (16, *xy.shape)).mean(axis=0) for xy in (points, moved)]
    table = calibrate(frame(a=noisy[0], b=noisy[1]), Calibrate())
    prototype = table.loc[table["prototype"], "rig"].item()
    truth = matrix if prototype == "b" else boxes.invert(matrix)
    other = "a" if prototype == "b" else "b"
    middle = (points if other == "a" else moved)[6:12]
    error = boxes.apply(middle, matrix_of(table, other)) - boxes.apply(middle, truth)
    assert np.linalg.norm(error, axis=1).mean() < 0.5


def test_one_pixel_noise_leaves_half_a_pixel_on_average():
    rng = np.random.default_rng(5)
    points = grid_points()
    matrix = similarity(1.02, 1.5, (6, -4))
    errors = []
    for _ in range(200):
        noisy = boxes.apply(points, matrix) + rng.normal(0, 1, points.shape)
        table = calibrate(frame(a=points, b=noisy), Calibrate())
        prototype = table.loc[table["prototype"], "rig"].item()
        other, truth = ("a", matrix) if prototype == "b" else ("b", boxes.invert(matrix))
        centre = (points if other == "a" else boxes.apply(points, matrix)).mean(axis=0)
        error = boxes.apply(centre, matrix_of(table, other)) - boxes.apply(centre, truth)
        errors.append(np.linalg.norm(error))
    assert np.mean(errors) < 0.5


@settings(max_examples=20, deadline=None)
@given(st.lists(similarities, min_size=1, max_size=4))
def test_exactly_one_prototype_and_it_maps_to_itself(matrices):
    points = grid_points()
    rigs = {f"r{i}": boxes.apply(points, matrix) for i, matrix in enumerate(matrices)}
    table = calibrate(frame(**rigs), Calibrate())
    assert table["rig"].tolist() == sorted(rigs)
    prototype = table.loc[table["prototype"], "rig"].item()
    assert_allclose(matrix_of(table, prototype), np.eye(2, 3))
    for rig, xy in rigs.items():
        assert_allclose(boxes.apply(xy, matrix_of(table, rig)), rigs[prototype], atol=1e-6)


def test_the_prototype_is_the_set_up_with_the_smallest_total_residual():
    rng = np.random.default_rng(3)
    points = grid_points()
    bad = points + rng.normal(0, 4, points.shape)
    rigs = {"a_bad": bad, "b": points, "c": points + rng.normal(0, 0.2, points.shape)}
    table = calibrate(frame(**rigs), Calibrate())
    assert table.set_index("rig")["prototype"].to_dict()["a_bad"] is False
    assert table.set_index("rig").loc["a_bad", "validation_residual"] > 2


def test_even_points_do_not_enter_the_fit():
    points = grid_points()
    moved = points.copy()
    moved[1::2] += 3.0
    table = calibrate(frame(a=points, b=moved), Calibrate()).set_index("rig")
    other = table[~table["prototype"]]
    assert other["fit_residual"].item() == pytest.approx(0.0, abs=1e-9)
    assert other["validation_residual"].item() == pytest.approx(3 * np.sqrt(2))


def test_points_in_one_row_are_no_mirror_image():
    points = np.column_stack([np.arange(8) * 100.0, np.full(8, 300.0)])
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(0, 0.5, (2, 8, 2))
        table = calibrate(frame(a=points + noise[0], b=points + noise[1]), Calibrate())
        assert len(table) == 2


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(18)), st.sampled_from(["translation", "similarity", "affine"]))
def test_any_other_order_of_points_is_caught(order, kind):
    points = grid_points()
    if list(order) == list(range(18)):
        return
    with pytest.raises(InputError, match=r"points? \d"):
        calibrate(frame(a=points, b=points[list(order)]), Calibrate(transform=kind))


@pytest.mark.parametrize("pair", [(0, 1), (0, 3), (7, 10), (16, 17)])
def test_two_swapped_points_are_named(pair):
    points = grid_points()
    swapped = points.copy()
    swapped[list(pair)] = points[list(pair[::-1])]
    numbers = ", ".join(str(i + 1) for i in pair)
    expected = numbers.replace(", ", "-") if pair[1] == pair[0] + 1 else numbers
    with pytest.raises(InputError, match=f"points {expected} nearer"):
        calibrate(frame(a=points, b=swapped), Calibrate())


@pytest.mark.parametrize("kind", ["similarity", "affine", "translation"])
@pytest.mark.parametrize("flip", [[-1, 1], [1, -1]])
def test_mirrored_points_are_caught(kind, flip):
    points = grid_points()
    with pytest.raises(InputError, match="points 1-18 in mirrored order"):
        calibrate(frame(a=points, b=points * flip), Calibrate(transform=kind))


def test_points_numbered_from_the_other_end_are_caught():
    points = grid_points()
    with pytest.raises(InputError, match=r"turned by -?180 degrees"):
        calibrate(frame(a=points, b=-points), Calibrate())


def test_a_residual_above_the_limit_names_the_worst_point():
    points = grid_points()
    moved = points.copy()
    moved[9] += 9
    with pytest.raises(InputError, match="worst at point 10"):
        calibrate(frame(a=points, b=moved), Calibrate(max_residual=2))


def test_missing_points_are_named():
    data = frame(a=grid_points(), b=grid_points())
    short = data[~((data["rig"] == "b") & data["antenna"].isin([3, 4, 5, 9]))]
    with pytest.raises(InputError, match=r"rig b: found no points 3-5, 9;"):
        calibrate(short, Calibrate())


def test_too_few_points_for_the_kind():
    few = frame(a=grid_points()[:4], b=grid_points()[:4])
    assert len(calibrate(few, Calibrate())) == 2
    with pytest.raises(InputError, match="at least 3 odd points"):
        calibrate(few, Calibrate(transform="affine"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rig,antenna,x\na,1,2\n", "a column y"),
        ("", "a column rig"),
        ("rig,antenna,x,y\na,1,2,3\na,1,5,6\n", "line 3: found point 1 of rig a a second time"),
        ("rig,antenna,x,y\na,0,2,3\n", "line 2: found antenna '0'"),
        ("rig,antenna,x,y\na,1,two,3\n", "line 2: found x 'two'"),
        ("rig,antenna,x,y\na,1,nan,3\n", "two finite numbers"),
        ("rig,antenna,x,y\n,1,2,3\n", "no rig"),
        ("rig,antenna,x,y\na,1,2\n", "line 2"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_points(path)


def test_a_rig_in_use_without_points(tmp_path):
    path = write_csv(tmp_path / "points.csv", frame(a=grid_points()))
    with pytest.raises(InputError, match="no points of rig z, only of a"):
        run(path, ["a", "z"], tmp_path / "out.parquet", Calibrate())


def test_without_points_one_rig_is_the_identity(tmp_path):
    output = tmp_path / "out.parquet"
    run(None, ["only", "only"], output, Calibrate())
    table = tables.read(output, "transforms")
    assert table["rig"].tolist() == ["only"]
    assert_allclose(matrix_of(table, "only"), np.eye(2, 3))
    assert table["validation_residual"].isna().all()
    with pytest.raises(InputError, match="no points for the rigs a, b"):
        run(None, ["a", "b"], output, Calibrate())


def test_the_command_writes_the_table(tmp_path):
    moved = boxes.apply(grid_points(), similarity(1.01, -1, (4, 2)))
    path = write_csv(tmp_path / "points.csv", frame(a=grid_points(), b=moved))
    output = tmp_path / "transforms.parquet"
    arguments = ["calibrate", "--points", path, "--rig", "a", "--rig", "b", "--output", output]
    result = CliRunner().invoke(
        cli, [str(argument) for argument in arguments] + ["--transform", "affine"]
    )
    assert result.exit_code == 0, result.output
    assert tables.read(output, "transforms")["prototype"].sum() == 1
