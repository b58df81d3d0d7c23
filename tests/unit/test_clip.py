"""Pictures and clips, and the stretches that are worth one."""

import av
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from murid import schemas, sheet, tables, video
from murid.cli import cli
from murid.clip import chosen, draw, moments, render
from murid.clip.stage import Clip, Clips, Moments
from murid.errors import InputError, SeveralErrors
from murid.run import record

GREY = np.full((180, 320), 90, dtype=np.uint8)
CROSSES = {"R": None, "G": None, "B": None}


def box(*values):
    return np.array(values, dtype=np.float64)


def has(canvas, colour):
    return bool((canvas == np.array(colour)).all(axis=2).any())


@pytest.mark.parametrize("shape", [(180, 320), (720, 1280), (101, 151), (33, 64)])
@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_pictures_have_even_sides_and_fit_a_screen(shape, panels):
    scale = draw.legible_scale(shape[1], panels)
    one = draw.picture(np.zeros(shape, np.uint8), {}, CROSSES, "frame 1", "method", scale)
    whole = draw.side_by_side([one] * panels)
    assert all(side % 2 == 0 for side in whole.shape[:2])
    assert 638 <= whole.shape[1] <= 1290


def test_every_animal_is_drawn_in_its_colour_or_listed_as_hidden():
    named = draw.animal_colours(["R", "G", "B"])
    boxes = {"R": box(20, 60, 50, 40), "G": None, "B": box(150, 60, 50, 40)}
    canvas = draw.picture(GREY, boxes, CROSSES, "frame 1", "path", 2.0)
    frame, below = canvas[24:384], canvas[384:]
    assert has(frame, named["R"])
    assert has(frame, named["B"])
    assert not has(frame, named["G"])
    assert has(below, named["G"])
    assert not has(below, named["R"])


def test_words_cover_nothing_of_the_frame():
    plain = draw.picture(GREY, {}, CROSSES, "", "", 2.0)
    told = draw.picture(GREY, dict(CROSSES), CROSSES, "frame 12345   12:34.56", "a method", 2.0)
    assert np.array_equal(plain[24:384], told[24:384])
    assert (told[24:384] == 90).all()


def test_a_method_without_an_answer_does_not_call_animals_hidden():
    named = draw.animal_colours(["R", "G", "B"])
    canvas = draw.picture(GREY, None, CROSSES, "frame 1", "visual", 2.0)
    assert not any(has(canvas, colour) for colour in named.values())


def test_names_of_boxes_at_the_same_place_do_not_cover_each_other():
    canvas = np.zeros((360, 640, 3), np.uint8)
    taken = []
    for _ in range(6):
        plate = draw.free_place(canvas, (200, 100, 80, 60), (20, 16), taken)
        assert not any(draw.overlap(plate, other) for other in taken)
        taken.append(plate)


def test_names_stay_within_the_picture():
    canvas = np.zeros((360, 640, 3), np.uint8)
    for corner in ((-30, -30), (630, 350), (-30, 350), (630, -30)):
        left, top, right, bottom = draw.free_place(canvas, (*corner, 40, 40), (20, 16), [])
        assert 0 <= left < right <= 640
        assert 0 <= top < bottom <= 360


def test_crosses_on_one_antenna_are_side_by_side():
    named = draw.animal_colours(["R", "G"])
    at = {"R": np.array([100.0, 90.0]), "G": np.array([100.0, 90.0])}
    canvas = draw.picture(GREY, {}, at, "", "", 2.0)[24:384]
    columns = {
        name: np.flatnonzero((canvas == named[name]).all(axis=2).any(axis=0)) for name in named
    }
    assert columns["G"].max() < columns["R"].min()
    assert abs((columns["G"].min() + columns["R"].max()) / 2 - 200) < 3


def test_a_title_that_is_too_long_is_cut():
    pen = draw.Pen(1.0, {})
    assert pen.shortened("short", 200) == "short"
    cut = pen.shortened("a very long name of a method that nobody would give", 120)
    assert cut.endswith("...")
    assert pen.shortened("long", 1) == ""


FRAMES = 60


def answers(confidence=None, frames=FRAMES, shift=0.0, hidden=()):
    """Identities of two animals; ``shift`` moves the boxes of G from frame 30 on."""
    rows = []
    for number in range(frames):
        for animal in ("G", "R"):
            x = 10 + number + (shift if animal == "G" and number >= 30 else 0)
            own = [np.nan] * 4 if number in hidden else [x, 20, 40, 30]
            sure = np.nan if confidence is None else confidence[number]
            rows.append((number, animal, 1, 0, *own, sure))
    return pd.DataFrame(rows, columns=schemas.CONTRACTS["identities"].schema.names)


def test_moments_are_where_confidence_is_highest_and_lowest():
    sure = np.full(FRAMES, 0.7)
    sure[10:20], sure[40:50] = 0.99, 0.2
    found = moments.moments({"path": answers(sure)}, "path", 10.0, 1.0).set_index("kind")
    assert list(found.index) == ["most_confident", "least_confident"]
    assert found["first_frame"].tolist() == [10, 40]
    assert found["last_frame"].tolist() == [19, 49]
    assert found["score"].round(2).tolist() == [0.99, 0.2]


def test_what_shows_nobody_is_not_the_most_confident():
    sure = np.full(FRAMES, 0.7)
    sure[10:20] = 0.99
    table = answers(sure, hidden=range(10, 20))
    found = moments.moments({"path": table}, "path", 10.0, 1.0).set_index("kind")
    assert found.loc["most_confident", "score"].round(2) == 0.7


def test_disagreement_is_where_boxes_differ():
    several = {"ilp": answers(), "static_c": answers(shift=5)}
    (row,) = moments.moments(several, "ilp", 10.0, 3.0).to_dict("records")
    assert row["kind"] == "disagreement"
    assert (row["first_frame"], row["last_frame"]) == (30, 59)
    assert row["score"] == pytest.approx(0.5)  # one of two animals


def test_where_a_method_has_no_answer_there_is_no_disagreement():
    part = answers(shift=5)
    several = {"ilp": answers(), "visual": part[part["frame"] < 20]}
    (row,) = moments.moments(several, "ilp", 10.0, 1.0).to_dict("records")
    assert row["answered"] == 1
    assert row["first_frame"] < 20


def test_a_short_segment_is_one_stretch_and_an_empty_one_none():
    found = moments.moments({"path": answers(np.ones(9), frames=9)}, "path", 10.0, 60.0)
    assert found[["first_frame", "last_frame"]].drop_duplicates().to_numpy().tolist() == [[0, 8]]
    assert moments.moments({"path": tables.empty("identities")}, "path", 10.0, 60.0).empty


def moment(kind, cage, score, **others):
    row = {"kind": kind, "cage": cage, "segment": "1", "first_frame": 0, "last_frame": 9}
    return row | {"score": score, "shown": 1.0, "motion": 0.0, "answered": 1.0} | others


def test_the_best_of_all_segments_is_chosen_whatever_their_order():
    rows = [
        moment("most_confident", "A", 0.99, shown=0.2),
        moment("most_confident", "B", 0.9),
        moment("most_confident", "C", 0.9, motion=3.0),
        moment("least_confident", "A", 0.4),
        moment("least_confident", "B", 0.2),
        moment("disagreement", "A", 0.9, answered=0.0),
        moment("disagreement", "C", 0.3),
        moment("disagreement", "B", 0.3),
    ]
    for order in (rows, rows[::-1]):
        picked = chosen.choose(tables.conform(pd.DataFrame(order), "moments"))
        assert picked[["kind", "cage"]].to_numpy().tolist() == [
            ["most_confident", "C"], ["least_confident", "B"], ["disagreement", "B"],
        ]  # fmt: skip


@pytest.fixture
def segment(tmp_path, monkeypatch):
    """A segment of 60 frames with two methods; the fitted model is not what is tested."""

    class Model:
        paper = None

        def centroids(self, antennas):
            return np.array([[10.0 * antennas[0], 50.0]])

    Model.paper = Model()
    monkeypatch.setattr(render.fitted_weights, "read", lambda path: Model())
    frames = [np.full((90, 160), 80 + number, dtype=np.uint8) for number in range(FRAMES)]
    folder = tmp_path / "tables" / "A" / "1"
    video.write(tmp_path / "v.mp4", frames, 10)
    rows = [(n, animal, 3, False) for n in range(FRAMES) for animal in ("G", "R")]
    positions = pd.DataFrame(rows, columns=schemas.CONTRACTS["positions"].schema.names)
    tables.write(positions, folder / "positions.parquet", "positions")
    sure = np.linspace(0.2, 0.9, FRAMES)
    for name, table in {"path": answers(sure), "ilp": answers(shift=9)}.items():
        tables.write(table, folder / "identities" / f"{name}.parquet", "identities")
    transform = {"rig": "rig", "prototype": True, "m00": 1.0, "m01": 0.0, "m02": 0.0}
    transform |= {"m10": 0.0, "m11": 1.0, "m12": 0.0}
    transform |= {"fit_residual": np.nan, "validation_residual": np.nan}
    tables.write(pd.DataFrame([transform]), tmp_path / "x.parquet", "transforms")
    return tmp_path


def clip_of(folder, *methods):
    """The stage that renders frames 5 to 24 at half the speed."""
    own = folder / "tables" / "A" / "1"
    return Clip(
        video=folder / "v.mp4", positions=own / "positions.parquet",
        identities=[(name, own / "identities" / f"{name}.parquet") for name in methods],
        weights=folder / "w.json", transforms=folder / "x.parquet", rig="rig", fps=10.0,
        frames=(5, 24), speed=0.5, output=folder / "clip.mp4",
    )  # fmt: skip


def decoded(path):
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return stream.average_rate, [frame.to_ndarray() for frame in container.decode(stream)]


@pytest.mark.parametrize("methods", [("path",), ("path", "ilp"), ("path", "ilp", "path", "ilp")])
def test_a_clip_has_the_frames_that_were_asked_for(segment, monkeypatch, methods):
    monkeypatch.setattr(render, "CHUNK", 7)  # so that tables are looked up several times
    clip = clip_of(segment, *methods)
    clip.run()
    rate, frames = decoded(clip.output)
    assert (rate, len(frames)) == (5, 20)
    clip.run()
    _, again = decoded(clip.output)
    # Not to the byte: the encoder's assembly rounds by chance (murid.video.encode).
    for one, other in zip(frames, again, strict=True):
        assert np.abs(one.astype(int) - other).mean() < 0.5


def test_pictures_of_a_part_of_a_video_show_its_frames(segment, monkeypatch):
    seen = {}
    monkeypatch.setattr(
        render.Painter, "paint", lambda self, number, grey: seen.setdefault(number, grey)
    )
    clip = clip_of(segment, "path").model_copy(update={"first_frame": 20, "last_frame": 40})
    list(render.pictures(clip, range(5, 30)))
    whole = dict(video.read_frames(segment / "v.mp4", range(FRAMES), 10.0))
    assert [*seen] == [*range(5, 21)]
    for number, grey in seen.items():
        assert np.array_equal(grey, whole[20 + number])


def test_what_is_shown_of_several_segments_is_of_their_parts(segment):
    names = [f"{sheet.table_name(path)}.parquet" for path in ("other.mp4", "day.mp4")]
    clips = Clips(
        sample_sheet="s", archive="a", segments_dir="t", weights="w", transforms="x",
        surveys=names, default="path", compare=["path"], output_dir="o",
    )  # fmt: skip
    entry = sheet.Segment("A", "1", "p.csv", video="day.mp4", first_frame=100, fps=10.0)
    told = clips.filmed(entry)
    assert (told["first_frame"], told["last_frame"]) == (100, None)
    assert [str(path) for path in told["survey"]] == names[1:]
    whole = sheet.Segment("A", "2", "p.csv", video="other.mp4")
    assert clips.filmed(whole)["survey"] == ()


def test_chunks_of_tables_change_nothing(segment, monkeypatch):
    clip = clip_of(segment, "path", "ilp")
    whole = list(render.pictures(clip, range(5, 25)))
    monkeypatch.setattr(render, "CHUNK", 3)
    for one, other in zip(whole, render.pictures(clip, range(5, 25)), strict=True):
        assert np.array_equal(one, other)


def test_frames_that_the_video_lacks_are_left_out_unless_all_are(segment):
    assert len(list(render.pictures(clip_of(segment, "path"), range(55, 65)))) == 5
    whole = "none of the frames 70 to 79; expected some of the segment's 60 frames, from 0,"
    with pytest.raises(InputError, match=whole):
        list(render.pictures(clip_of(segment, "path"), range(70, 80)))


def test_a_picture_and_a_clip_are_made_by_their_commands(segment):
    clip = clip_of(segment, "path")
    names = ("video", "positions", "weights", "transforms", "rig", "fps")
    given = [word for name in names for word in (f"--{name}", str(getattr(clip, name)))]
    given += ["--identities", "path", str(clip.identities[0].path)]
    commands = {
        "clip": ["--frames", "3", "4", "--clahe", "--scale=2", "--output", str(clip.output)],
        "picture": ["--frame=3", "--output", str(segment / "one.png")],
    }
    for name, words in commands.items():
        result = CliRunner().invoke(cli, [name, *given, *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
    assert len(decoded(clip.output)[1]) == 2
    assert (segment / "one.png").is_file()


@pytest.mark.parametrize(
    ("command", "words", "told"),
    [
        ("clip", ["--frames", "7", "6"], "options: found frames 7 to 6; expected first and last"),
        ("clip", ["--frames", "7", "b"], "options, --frames, last: found 'b'"),
        ("picture", ["--frame=-1"], "options, --frame: found '-1'"),
        ("picture", ["--frame=1", "--scale=17"], "options, --scale: found '17'"),
        ("clip", ["--frames", "3", "4", "--speed=1e9"], "options, --speed: found '1e9'"),
        ("clip", ["--frames", "3", "4", "--speed=1e-9"], "options, --speed: found '1e-9'"),
        ("clip", ["--frames", "3", "4", "--speed=nan"], "options, --speed: found 'nan'"),
    ],
)
def test_frames_and_scales_that_cannot_be_are_refused(segment, command, words, told):
    clip = clip_of(segment, "path")
    names = ("video", "positions", "weights", "transforms", "rig", "fps")
    given = [word for name in names for word in (f"--{name}", str(getattr(clip, name)))]
    given += ["--identities", "path", str(clip.identities[0].path), "--output", str(clip.output)]
    result = CliRunner().invoke(cli, [command, *given, *words])
    assert isinstance(result.exception, SeveralErrors | InputError)
    assert told in str(result.exception)
    assert not clip.output.exists()


def test_whether_clips_are_evened_out_is_told_as_a_value(segment, monkeypatch):
    seen = []
    monkeypatch.setattr(chosen, "render_best", seen.append)
    names = ("sheet", "archive", "segments-dir", "weights", "transforms", "default", "compare",
             "output-dir")  # fmt: skip
    given = ["clips", *(word for name in names for word in (f"--{name}", "x"))]
    for words in ([], ["--clahe", "false"], ["--clahe", "true"]):
        CliRunner().invoke(cli, [*given, *words], catch_exceptions=False)
    assert [(stage.clahe, stage.speed) for stage in seen] == [
        (False, 0.5), (False, 0.5), (True, 0.5),
    ]  # fmt: skip


@pytest.fixture
def results(segment):
    """What a run leaves: tables, models, and where it found 6 seconds around midnight."""
    entry = sheet.Segment("A", "1", "p.csv", video="v.mp4", fps=10.0, start="2026-03-29 23:59:58")
    sheet.write_sheet(segment / "segments.tsv", [entry])
    out = segment / "results"
    (out / "models").mkdir(parents=True)
    (segment / "tables").rename(out / "segments")
    (segment / "x.parquet").rename(out / "models" / "transforms.parquet")
    record.write(out, segment, segment / "segments.tsv", "path")
    return out


def show(results, *words):
    """Run the command; return the frames that it says it shows, and its clip."""
    output = results.parent / "shown.mp4"
    command = ["show", str(results), *words, "--output", str(output)]
    done = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output.rpartition("frames ")[2].strip(), output


@pytest.mark.parametrize("speed", ["1e9", "1e308", "inf", "101", "0", "0.001", "1e-300"])
def test_speeds_at_which_nothing_is_seen_are_refused(results, speed):
    command = ["show", str(results), "A", "1", "--output", str(results.parent / "shown.mp4")]
    done = CliRunner().invoke(cli, [*command, f"--speed={speed}"])
    assert isinstance(done.exception, SeveralErrors | InputError)
    assert f"options, --speed: found '{speed}'" in str(done.exception)


@pytest.mark.parametrize("speed", ["0.01", "100"])
def test_the_least_and_the_most_speed_are_shown(results, speed):
    _, output = show(results, "A", "1", "--to", "3", f"--speed={speed}")
    assert len(decoded(output)[1]) == 4


@pytest.mark.parametrize(
    ("words", "frames"),
    [
        ([], "0 to 59"),
        (["--from", "5"], "5 to 59"),
        (["--from", "5", "--to", "24"], "5 to 24"),
        (["--from", "1.5s", "--to", "2s"], "15 to 20"),
        (["--from", "23:59:59", "--to", "0:00:00.5"], "10 to 25"),
        (["--from", "0:00", "--to", "1:00"], "20 to 59"),
        (["--method", "path", "--method", "ilp", "--to", "3"], "0 to 3"),
    ],
)
def test_a_stretch_is_shown_by_what_the_results_tell(results, words, frames):
    said, output = show(results, "A", "1", *words)
    assert said == frames
    first, last = map(int, frames.split(" to "))
    assert len(decoded(output)[1]) == last - first + 1


def test_what_is_shown_of_a_logged_segment_is_by_the_clock_that_was_put_right(results):
    folder = results / "segments" / "A" / "1"
    (folder / "positions.parquet").rename(folder / "positions.aligned.parquet")
    entry = sheet.Segment("A", "1", readings=("log.csv",), video="v.mp4", fps=10.0,
                          start="2026-03-29 23:59:58")  # fmt: skip
    sheet.write_sheet(results.parent / "segments.tsv", [entry])
    assert show(results, "A", "1", "--to", "5")[0] == "0 to 5"
    named = [(name, folder / "identities" / f"{name}.parquet") for name in ("path", "ilp")]
    Moments(
        cage="A", segment="1", fps=10.0, identities=named, default="path", seconds=2.0,
        output=folder / "moments.parquet",
    ).run()  # fmt: skip
    Clips(
        sample_sheet=results.parent / "segments.tsv", archive=results.parent, default="path",
        segments_dir=results / "segments", weights="w", compare=["path", "ilp"], speed=1.0,
        transforms=results / "models" / "transforms.parquet", output_dir=results / "clips",
    ).run()  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["B", "1"], "found no segment 1 of cage B; expected one of the cages A."),
        (["A", "2"], "found no segment 2 of cage A; expected one of the segments 1."),
        (["A", "1", "--from", "noon"], "--from: found 'noon'; expected a time of day as 20:30"),
        (
            ["A", "1", "--from", "60"],
            "--from: found 60, frame 60; expected a moment of the segment",
        ),
        (["A", "1", "--from", "0:01"], "which has 60 frames, 6 s from 2026-03-29 23:59:58 on"),
        (["A", "1", "--from", "0:00:05"], "That is a time of day; from the start, it is 5s."),
        (
            ["A", "1", "--from", "9", "--to", "8"],
            "--to: found 8, frame 8; expected frame 9, --from",
        ),
        (["A", "1", "--method", "none"], "expected names by one of the methods run: ilp, path."),
    ],
)
def test_what_cannot_be_shown_is_told(results, words, told):
    done = CliRunner().invoke(cli, ["show", str(results), *words])
    assert isinstance(done.exception, InputError)
    assert told in str(done.exception)


def test_times_of_day_need_a_start(results):
    sheet.write_sheet(
        results.parent / "segments.tsv", [sheet.Segment("A", "1", "p.csv", video="v.mp4", fps=10.0)]
    )
    done = CliRunner().invoke(cli, ["show", str(results), "A", "1", "--from", "20:30"])
    assert "20:30, and no time at which the segment started; expected seconds" in str(
        done.exception
    )
    assert show(results, "A", "1", "--from", "5s")[0] == "50 to 59"


@pytest.mark.parametrize(
    ("text", "told"),
    [(None, "found no run.json"), ("{", "run.json"), ('{"archive": 1}', "other keys or values")],
)
def test_results_without_a_sound_record_are_refused(results, text, told):
    path = results / record.NAME
    path.unlink()
    if text:
        path.write_text(text)
    done = CliRunner().invoke(cli, ["show", str(results), "A", "1"])
    assert isinstance(done.exception, InputError)
    assert told in str(done.exception)


def test_clips_of_an_archive(segment):
    keys = {
        ("A", "1"): sheet.Segment("A", "1", "p.csv", video="v.mp4", fps=10.0),
        ("A", "2"): sheet.Segment("A", "2", "p.csv", detections="d.csv"),
        ("A", "3"): sheet.Segment("A", "3", "p.csv", video="gone.mp4"),
    }
    sheet.write_sheet(segment / "segments.tsv", keys.values())
    folder = segment / "tables" / "A" / "1"
    named = [(name, folder / "identities" / f"{name}.parquet") for name in ("path", "ilp")]
    Moments(
        cage="A", segment="1", fps=10.0, identities=named, default="path", seconds=2.0,
        output=folder / "moments.parquet",
    ).run()  # fmt: skip
    output = segment / "clips"
    Clips(
        sample_sheet=segment / "segments.tsv", archive=segment, segments_dir=segment / "tables",
        weights=segment / "w.json", transforms=segment / "x.parquet", default="path",
        compare=["path", "ilp"], speed=1.0, output_dir=output,
    ).run()  # fmt: skip
    found = tables.read(output / "clips.parquet", "clips").set_index("kind")
    assert set(found.index) == set(schemas.MOMENTS)
    assert found["skipped"].unique().tolist() == [2]
    skipped = (output / "skipped.csv").read_text()
    assert "A,2,no video" in skipped
    assert "A,3,the video gone.mp4 is missing" in skipped
    assert found.loc["disagreement", "methods"] == ("path", "ilp")
    assert found.loc["least_confident", "first_frame"] == 0
    for kind in schemas.MOMENTS:
        assert len(decoded(output / f"{kind}.mp4")[1]) == 20
