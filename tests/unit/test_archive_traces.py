"""What antenna traces tell against themselves, and columns that hold something else."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from murid import settings, tables, video
from murid.archive import check, positions, traces
from murid.archive.stage import Check, ImportPositions
from murid.cli import cli
from murid.errors import InputError
from murid.grid import Grid, Placed

GRID = Grid(3, 6)
FPS = 25.0


def walk(grid: Grid, moves: int, stay: int, seed: int) -> np.ndarray:
    """Walk from antenna to neighbouring antenna, staying some frames on each."""
    random = np.random.default_rng(seed)
    path = [int(random.integers(1, grid.size + 1))]
    for _ in range(moves):
        around = grid.neighbours(path[-1])
        path.append(int(random.choice(around[(around > 0) & (around != path[-1])])))
    stays = random.integers(stay // 2, 2 * stay, len(path))
    return np.repeat(path, stays)


def cage(*others: np.ndarray, frames: int = 2500, moves: int = 40, grid: Grid = GRID) -> dict:
    """Antennas of two animals that walk, and of ``others``."""
    own = [walk(grid, 2 * moves, frames // moves, seed)[:frames] for seed in (1, 2)]
    return dict(zip("RGB", [*own, *others], strict=False))


def judge(antennas: dict, grid: Grid = GRID, fps: float = FPS) -> tables.Verdict:
    frames = min(map(len, antennas.values()))
    wide = pd.DataFrame({name: trace[:frames] for name, trace in antennas.items()})
    long = wide.rename_axis("frame").reset_index().melt("frame", None, "animal", "antenna")
    found = long.sort_values("frame", kind="stable", ignore_index=True).assign(filled=False)
    found["antenna"] = found["antenna"].astype("Int64")
    table, _ = check.judge_positions(found, grid)
    return traces.judge(table, grid, fps)


def test_animals_that_walk_give_no_reason() -> None:
    assert judge(cage(walk(GRID, 40, 60, 3))) == tables.Verdict()


def test_two_tags_with_the_same_readings_discard_the_segment() -> None:
    verdict = judge(cage(cage()["R"]))
    assert verdict.discarded
    assert "R and B move as one: 3" in verdict.reason
    assert "100.0% of their readings are equal" in verdict.reason
    assert "G" not in verdict.reason


def test_two_tags_are_one_even_if_some_readings_differ() -> None:
    twin = cage()["R"].copy()
    twin[::50] = 18
    assert "R and B move as one" in judge(cage(twin)).reason


@pytest.mark.parametrize(("frames", "discarded"), [(1, True), (12, True), (200, False)])
def test_two_tags_are_one_even_if_one_is_read_a_little_later(frames: int, discarded: bool) -> None:
    first = cage()["R"]
    late = np.concatenate([np.full(frames, first[0]), first[:-frames]])
    assert judge(cage(late)).discarded == discarded


def test_animals_that_sleep_on_one_antenna_are_two() -> None:
    asleep = np.full(2500, 5)
    verdict = traces.together(np.stack([asleep, asleep], axis=1), ["R", "G"], FPS)
    assert verdict == tables.Verdict()


def test_a_stuck_tag_is_told_with_its_antenna() -> None:
    verdict = judge(cage(np.full(2500, 7)))
    assert verdict.status == "repaired"
    assert "B is on antenna 7 in all of its" in verdict.reason
    assert "may be stuck" in verdict.reason


@pytest.mark.parametrize(("seconds", "told"), [(918, False), (1001, True)])
def test_no_mouse_sleeps_for_a_segment_of_half_an_hour(seconds: float, told: bool) -> None:
    still = np.full((100, 2), 7)
    still[50:, 1] = 8
    verdict = traces.still(still, ["R", "G"], 100 / seconds)
    assert (verdict != tables.Verdict()) == told


@pytest.mark.parametrize("given", [Grid(6, 3), Grid(2, 9), Grid(9, 2)])
def test_settings_of_another_grid_are_told_from_how_mice_walk(given: Grid) -> None:
    verdict = judge(cage(), given)
    assert verdict.discarded
    assert f"on a grid of {given.rows} x {given.columns}, 100% on one of 3 x 6" in verdict.reason


@pytest.mark.parametrize("grid", [Grid(1, 8), Grid(2, 4), Grid(8, 1), Grid(5, 5), Grid(12, 12)])
def test_any_grid_fits_the_walks_on_it(grid: Grid) -> None:
    assert judge(cage(grid=grid), grid) == tables.Verdict()


def test_no_segment_in_shared_gets_a_reason(shared: Path) -> None:
    for path in sorted((shared / "tide" / "Segments").glob("*/Positions.df")):
        table, _ = check.judge_positions(positions.read(path).table, GRID)
        assert traces.judge(table, GRID, FPS) == tables.Verdict(), path


def write(path: Path, frames: int = 300, **columns: object) -> Path:
    readings = {name: trace[:frames] for name, trace in cage(frames=frames, moves=10).items()}
    pd.DataFrame({"frame": np.arange(frames), **readings, **columns}).to_csv(path, index=False)
    return path


LIGHTS = {
    "words": (["on", "off"] * 150, "'on' and the like"),
    "truth": ([True, False] * 150, "'True' and the like"),
    "shares": ([0.5, 0.25] * 150, "'0.5' and the like"),
    "lux": ([150, 0] * 150, "numbers from 150 to 150"),
    "flag": ([0, 1] * 150, "0 and 1"),
    "one": ([1] * 300, "1"),
}


@pytest.mark.parametrize("weight", [2, 13, 18])
def test_a_number_that_never_changes_may_be_no_animal(tmp_path: Path, weight: int) -> None:
    path = write(tmp_path / "p.csv", weight=weight)
    readings, verdict = positions.read(path, (), GRID.size)
    # It may be an animal that sleeps, so that it is told and stays.
    assert set(readings["animal"]) == {"R", "G", "weight"}
    assert verdict == tables.Verdict(
        "repaired",
        f"column weight holds {weight} only, and was taken for an animal on that antenna. If it is "
        "none, name the animals in the sheet's column animals",
    )
    # The sheet knows; and where it names others, one that it forgot is no column of light.
    assert positions.read(path, ("R", "G", "weight"), GRID.size).verdict == tables.Verdict()
    readings, verdict = positions.read(path, ("R", "G"), GRID.size)
    assert (set(readings["animal"]), verdict) == ({"R", "G", "weight"}, tables.Verdict())


@pytest.mark.parametrize(
    "columns", [{"weight": [13] * 299 + [14]}, {"R": 4, "G": 5, "B": 6}, {"B": [13, np.nan] * 150}]
)
def test_animals_that_rest_or_lack_readings_are_not_doubted(tmp_path: Path, columns: dict) -> None:
    path = write(tmp_path / "p.csv", **columns)
    assert positions.read(path, (), GRID.size).verdict == tables.Verdict()


@pytest.mark.parametrize("kind", LIGHTS)
@pytest.mark.parametrize("animals", [(), ("R", "G")])
def test_a_column_of_light_is_no_animal(tmp_path: Path, kind: str, animals: tuple) -> None:
    light, what = LIGHTS[kind]
    path = write(tmp_path / "p.csv", light=light)
    if kind == "flag" and not animals:
        with pytest.raises(InputError, match=r"column light: found 0 and 1 only.*name the animals"):
            positions.read(path, animals, GRID.size)
        return
    readings, verdict = positions.read(path, animals, GRID.size)
    taken = kind == "one" and not animals
    assert set(readings["animal"]) == {"R", "G"} | ({"light"} if taken else set())
    assert verdict.status == "repaired"
    assert f"column light {'holds' if taken else 'left out: it holds'} {what}" in verdict.reason


def test_a_further_column_of_antennas_contradicts_the_sheet(tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", B=walk(GRID, 30, 10, 5)[:300])
    readings, verdict = positions.read(path, ("R", "G"), GRID.size)
    assert verdict == tables.Verdict()
    _, verdict = check.judge_positions(readings, GRID, animals=("R", "G"))
    assert "positions of B, G, R; the sheet says G, R" in verdict.reason


def test_truth_values_are_no_antennas(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    frame = pd.DataFrame({"frame": range(3), "R": [True, False, True], "G": True})
    frame.to_parquet(path)
    with pytest.raises(InputError, match="column R: found truth values"):
        positions.read(path)
    frame.melt("frame", None, "animal", "antenna").to_parquet(path)
    with pytest.raises(InputError, match="column antenna: found truth values"):
        positions.read(path)


def run(tmp_path: Path, sources: dict) -> tables.Verdict:
    names = ("positions", "annotations", "detections")
    outputs = {f"output_{name}": tmp_path / f"{name}.parquet" for name in names}
    stage = Check(cage="A", segment="1", fps=FPS, **sources, **outputs)
    verdict = check.check_segment(stage)
    assert tables.read_verdict(*outputs.values()) == verdict
    return verdict


def test_a_column_that_is_left_out_is_told_in_the_verdict(tmp_path: Path) -> None:
    verdict = run(tmp_path, {"positions": write(tmp_path / "p.csv", light=150)})
    assert verdict.status == "repaired"
    assert "column light left out" in verdict.reason
    assert set(tables.read(tmp_path / "positions.parquet", "positions")["animal"]) == {"R", "G"}


def test_a_conversion_tells_of_the_column_that_it_leaves_out(tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", light="on")
    ImportPositions(file=path, output=tmp_path / "p.parquet").run()
    assert "column light left out" in tables.read_verdict(tmp_path / "p.parquet").reason


def test_one_file_in_two_places_discards_the_segment(tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv")
    (tmp_path / "d.csv").symlink_to(path)
    verdict = run(tmp_path, {"positions": path, "detections": tmp_path / "d.csv"})
    assert verdict.discarded
    assert f"{path} is given as positions and as detections; expected two files" in verdict.reason


def test_what_another_segment_has_too_is_told(tmp_path: Path) -> None:
    options = [f"--output-{name}={tmp_path / name}" for name in ("positions", "annotations")]
    path = write(tmp_path / "p.csv")
    command = ["check", "--cage=A", "--segment=1", f"--positions={path}", *options]
    result = CliRunner().invoke(
        cli, [*command, "--shared=the sheet names its positions for A 2 too"]
    )
    assert result.output == (
        "A 1: repaired (the sheet names its positions for A 2 too: one of the two is wrong, or the "
        "same is counted twice)\n"
    )


@pytest.mark.parametrize(
    ("part", "frames", "status"),
    [
        ("video", 270, "discarded"),
        ("video", 292, "repaired"),
        ("video", 298, "usable"),
        ("video", 308, "repaired"),
        ("video", 325, "repaired"),
        ("video", 327, "discarded"),
        ("detections", 10, "usable"),
        ("detections", 308, "repaired"),
        ("detections", 327, "discarded"),
    ],
)
def test_parts_that_end_a_little_apart_are_used_together(part, frames, status) -> None:
    """A second, of ten at least: the overlap is used, the rest is told."""
    antennas = pd.DataFrame({"frame": np.arange(300), "animal": "R", "filled": False})
    found = {"positions": antennas.assign(antenna=pd.array([5] * 300, dtype="Int64"))}
    if part == "video":
        found[part] = video.Footage(frames, frames, frames, frames, rate=25.0)
    else:
        boxes = pd.DataFrame({"frame": [0, frames - 1], "label": "mouse", "score": 0.9})
        found[part] = boxes.assign(x=5.0, y=5.0, w=9.0, h=9.0)
    _, verdict = check.judge(found, GRID, settings.Check(), fps=FPS)
    assert verdict.status == status
    if status == "repaired":
        assert f"the first {min(300, frames)} frames are used" in verdict.reason
    if status == "discarded":
        assert "expected those of one recording" in verdict.reason


def test_no_layout_is_told_of_antennas_in_no_grid() -> None:
    roaming = cage(grid=Grid(2, 9), moves=80)
    assert judge(roaming, Grid(6, 3)).discarded
    places = tuple((float(x), float(x**2 % 700)) for x in range(10, 910, 50))
    assert judge(roaming, Placed(places)) == tables.Verdict()
