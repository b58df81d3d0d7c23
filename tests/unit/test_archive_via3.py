"""Projects of VIA 3, in the form of the real one in ../shared."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from murid import tables
from murid.archive import annotations
from murid.cli import cli
from murid.errors import InputError

ATTRIBUTES = {
    "1": {"aname": "identity", "anchor_id": "FILE1_Z1_XY1", "type": 1, "desc": "", "options": {},
          "default_option_id": ""},
    "2": {"aname": "visibility", "anchor_id": "FILE1_Z1_XY1", "type": 4, "desc": "",
          "options": {"1": "clear", "2": "truncated"}, "default_option_id": ""},
    "3": {"aname": "difficult", "anchor_id": "FILE1_Z1_XY1", "type": 2, "desc": "",
          "options": {"1": "difficult"}, "default_option_id": ""},
}  # fmt: skip


def project(*regions, files=(("cage.mp4", 4),)):
    numbers = range(1, len(files) + 1)
    return {
        "project": {"pid": "x", "rev": "1", "pname": "A", "data_format_version": "3.1.1",
                    "vid_list": [str(number) for number in numbers]},
        "config": {},
        "attribute": ATTRIBUTES,
        "file": {str(n): {"fid": n, "fname": name, "type": kind, "loc": 1, "src": name}
                 for n, (name, kind) in zip(numbers, files, strict=True)},
        "view": {str(number): {"fid_list": [number]} for number in numbers},
        "metadata": {f"m{number}": region for number, region in enumerate(regions)},
    }  # fmt: skip


def region(z, xy=(2, 10, 20, 30, 40), view="1", **av):
    return {"vid": view, "flg": 0, "z": z, "xy": list(xy), "av": av or {"1": "R"}}


def write(path, data):
    path.write_text(json.dumps(data))
    return path


def test_the_real_project_is_read_but_for_its_other_video_and_shapes(shared, tmp_path):
    real = shared / "via" / "via3_video.json"
    with pytest.raises(InputError, match="regions in 2 videos"):
        annotations.read(real, fps=25)
    data = json.loads(real.read_text())
    kept = {key: entry for key, entry in data["metadata"].items() if entry["vid"] == "1"}
    path = write(tmp_path / "a.json", data | {"metadata": kept})
    with pytest.raises(InputError, match="the shape ellipse"):
        annotations.read(path, fps=25)
    kept = {key: entry for key, entry in kept.items() if entry["xy"][:1] in ([], [2])}
    data["attribute"]["2"]["aname"], data["attribute"]["3"]["aname"] = "identity", "use"
    path = write(tmp_path / "a.json", data | {"metadata": kept})
    table = annotations.read(path, fps=24).table
    assert table["frame"].tolist() == [22, 516]
    assert [list(names) for names in table["identities"]] == [["Bottle"], ["Bottle"]]
    assert table.loc[0, ["x", "y", "w", "h"]].tolist() == [343, 730, 60, 160]


def test_regions_of_a_video_belong_to_the_frame_that_is_shown(tmp_path):
    path = write(
        tmp_path / "a.json",
        project(
            region([0]),
            region([0.959], **{"1": "G", "2": "2", "3": "1"}),
            region([0.96], **{"1": "R", "2": "1"}),
            region([1.2, 3.5], xy=()),
        ),
    )
    table = annotations.read(path, fps=25).table
    assert table["frame"].tolist() == [0, 24, 24]
    assert table["visibility"].tolist() == ["marginal", "truncated", "clear"]
    assert table["difficult"].tolist() == [False, True, False]
    with pytest.raises(InputError, match=r"frames a second.*--fps"):
        annotations.read(path)


def test_times_count_by_the_frame_rate_of_the_sheet(tmp_path):
    path = write(tmp_path / "a.json", project(region([0.5])))
    positions = tmp_path / "positions.csv"
    positions.write_text("frame,R\n" + "".join(f"{frame},{frame % 6 + 1}\n" for frame in range(60)))
    made = tmp_path / "a.parquet"
    for command in (
        ["import", "annotations", str(path), str(made), "--fps=50"],
        ["check", "--cage=A", "--segment=1", f"--positions={positions}", f"--annotations={path}",
         "--fps=50", f"--output-positions={tmp_path / 'p.parquet'}",
         f"--output-annotations={made}"],
    ):  # fmt: skip
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0, (done.output, done.exception)
        assert tables.read(made, "annotations")["frame"].tolist() == [25]
        made.unlink()


@given(
    frame=st.integers(0, 10**6),
    fps=st.sampled_from([10.0, 25.0, 29.97, 30.0, 50.0, 60.0, 100.0]),
    within=st.floats(0, 0.8),
)
def test_any_time_at_which_a_frame_is_shown_is_of_that_frame(tmp_path_factory, frame, fps, within):
    path = tmp_path_factory.mktemp("via3") / "a.json"
    write(path, project(region([round((frame + within) / fps, 3)])))
    assert annotations.read(path, fps=fps).table["frame"].tolist() == [frame]


def test_images_tell_frames_by_their_names_and_show_nothing_without_regions(tmp_path):
    files = (("frame_000012.jpg", 2), ("frame_000013.jpg", 2))
    path = write(tmp_path / "a.json", project(region([]), files=files))
    table = annotations.read(path).table
    assert table["frame"].tolist() == [12, 13]
    assert table["type"].tolist() == ["single", "empty"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (project(region([1], xy=(4, 1, 2, 3, 4))), "metadata 'm0': found the shape ellipse"),
        (project(region([1], xy=("2", 1, 2, 3, 4))), "metadata 'm0': found the shape"),
        (project(region([1], xy=(2, 1, 2, 3))), "metadata 'm0': found the rectangle"),
        (project(region([1], xy=(2, 1, 2, 1e300, 3))), "metadata 'm0': found the rectangle"),
        (project(region([1, 2])), "metadata 'm0': found the times [1, 2]"),
        (project(region(["1"])), "metadata 'm0': found the times ['1']"),
        (project(region([-1])), "metadata 'm0': found the times [-1]"),
        (project(region([1e25])), "found the frame"),
        (project(region([1], view="7")), "no region of one of the views"),
        (project(region([1], view=[7])), "no region of one of the views"),
        (project(region([1], **{"9": "R"})), "the attribute '9'"),
        (project(region([1], **{"1": "R", "2": "5"})), "the option '5' of visibility"),
        (project(region([1]), files=(("a.wav", 8),)), "a region in a.wav"),
        (project() | {"view": {"1": {"fid_list": []}}}, "no file that it shows"),
        (project() | {"file": []}, "no file"),
    ],
)
def test_what_is_wrong_is_told_by_its_key(tmp_path, data, told):
    with pytest.raises(InputError) as error:
        annotations.read(write(tmp_path / "a.json", data), fps=25)
    assert told in str(error.value)
    assert "a.json" in str(error.value)
