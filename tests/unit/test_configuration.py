"""Configurations in YAML."""

import pytest

from murid.cli.options import value_of
from murid.errors import InputError
from murid.run import configuration


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: the key 'a' is given twice, first in line 1"),
        ("a:\n  b: 1\n  b: 1\n", "line 3: the key 'b' is given twice, first in line 2"),
        ("a: [{b: 1, b: 2}]\n", "the key 'b' is given twice"),
        ("a: 1\nw: 0640\n", "line 2: 0640 means 416 in YAML: write "),
        ("w: -010\n", "-010 means -8"),
        ("t: 1:30\n", "1:30 means 90"),
        ("t: 1:30.5\n", r"1:30\.5 means 90\.5"),
        ("t: 00.5\n", "00.5 means 0.5"),
        ("- 1\n", "found list; expected keys"),
        ("a: {off: 1}\n", "line 1: the key 'off', which YAML reads as a truth value: put "),
        ("a:\n  No: 1\n", "line 2: the key 'No', .* a truth value: put it into quotes"),
        ("yes: 1\n", "the key 'yes', .* put it into quotes"),
        ("a: {1: 1}\n", "the key '1', .* a number: put"),
        ("a: {2026-03-01: 1}\n", "the key '2026-03-01', .* a day: put"),
        ("a: {~: 1}\n", "the key '~', .* nothing: put"),
        ("", "no keys; expected keys .* leave the file out"),
        ("# nothing yet\n\n", "no keys; expected keys .* as archive: FOLDER"),
        ("---\n", "no keys"),
        ("null\n", "no keys"),
        ("false\n", "found bool"),
        ("0\n", "found int"),
        ("[]\n", "found list"),
        ("''\n", "found str"),
        ("a: [\n", "what cannot be read"),
    ],
)
def test_what_yaml_reads_as_something_else_is_refused(tmp_path, text, told):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=told) as error:
        configuration.read(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("encoding", "told"), [("latin-1", r"line 2: .* 'archive: Mäuse'.* Save it in UTF-8"),
                           ("utf-16", "text in UTF-16; .* Save it in UTF-8"),
                           ("utf-16-le", "line 1: found zero bytes, .* Save it in UTF-8")],
)  # fmt: skip
def test_other_letters_than_utf_8_are_told_with_what_to_do(tmp_path, encoding, told):
    path = tmp_path / "config.yaml"
    path.write_text("results: r\narchive: Mäuse\n", encoding=encoding)
    with pytest.raises(InputError, match=told):
        configuration.read(path)


def test_what_is_meant_as_it_is_read_stays(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("x: &x {a: 1}\ny: {<<: *x, a: 0}\nz: [0, 0.5, 1e-3, 0x10, '0640', '1:30']\n")
    assert configuration.read(path) == {
        "x": {"a": 1}, "y": {"a": 0}, "z": [0, 0.5, "1e-3", 16, "0640", "1:30"],
    }  # fmt: skip
    path.write_text("{}\n")
    assert configuration.read(path) == {}
    path.write_text("zones: {'off': 1, \"no\": 2, offer: 3, On time: 4}\n")
    assert configuration.read(path) == {"zones": {"off": 1, "no": 2, "offer": 3, "On time": 4}}


def test_every_key_has_a_place_and_the_last_file_that_has_it_wins(tmp_path):
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("a: 1\nb:\n  c: 1\n  d: {e: 1}\n")
    second.write_text("\nb:\n  c: 2\n")
    assert configuration.places([first, second], {"b": {"d": {"e": 3}}}) == {
        ("a",): f"{first}, line 1", ("b",): f"{second}, line 2, and --config",
        ("b", "c"): f"{second}, line 3",
        ("b", "d"): f"{first}, line 4, and --config", ("b", "d", "e"): "--config",
    }  # fmt: skip
    first.write_text("{}\n")
    assert configuration.places([first], {}) == {}
    # A block that stands in no file is where its keys are.
    overriding = {"trakc": {"iou": 0.5}}
    assert set(configuration.places([first], overriding)) == {("trakc",), ("trakc", "iou")}
    first.write_text("a: 0640\n")
    with pytest.raises(InputError, match="0640 means 416"):
        configuration.places([first], {})


def test_a_value_on_the_command_line_is_read_the_same_way():
    assert value_of("width", "640") == 640
    with pytest.raises(InputError, match="0640 means 416"):
        value_of("width", "0640")
