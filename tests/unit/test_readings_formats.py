"""Formats of antenna logs are found by their modules, told by the file, and documented there."""

import importlib
import re
import subprocess
import sys

import pytest

from antenna_logs import TAGS, some_reads, table
from murid.archive import formats_text
from murid.errors import InputError
from murid.readings import logs
from murid.readings.how import How
from murid.settings import Readings

SYSTEMS = (
    "ecohab", "eeehive", "grid12", "hca", "intellicage", "lmt", "pymousetracks", "uid", "table",
)  # fmt: skip
LAID_OUT = ("hca", "lmt")
"""Formats that are no text, so that their examples tell the layout."""
NAMES = {"ecohab": "20230524_120000.txt", "intellicage": "Visits.txt", "eeehive": "Board1.log"}
FORMATS = logs.formats()


def test_the_modules_of_the_package_are_its_formats_and_what_fits_any_file_comes_last():
    assert tuple(FORMATS) == SYSTEMS
    assert FORMATS["table"].holds is None


def test_documentation_has_all_formats_and_their_examples(root):
    text = (root / "config" / "README.md").read_text(encoding="utf-8")
    assert formats_text.documented(text) == text, "make settings"
    for name, each in FORMATS.items():
        assert f"| `{name}` |" in text
        assert f"\n    {each.example.splitlines()[0]}\n" in text


def test_how_a_plain_table_numbers_its_antennas_stands_with_the_setting():
    words = Readings.model_fields["numbering"].description or ""
    meaning = re.findall(rf"{FORMATS['table'].numbering} = ([^;]+)", words)
    assert f"null = as the system does, and {meaning[0]}, of a plain table" in words


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in LAID_OUT])
def test_the_example_of_a_format_is_told_to_be_of_it_and_read(tmp_path, name):
    path = tmp_path / NAMES.get(name, "a.csv")
    path.write_text(FORMATS[name].example + "\n", encoding="utf-8")
    assert logs.chosen_for(path) == (name, FORMATS[name])
    judged = logs.read(path, How())
    assert len(judged.table)
    assert judged.verdict.status == "usable"
    assert len(FORMATS[name].example.splitlines()) <= 5


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_format_says_what_a_read_means(name):
    each = FORMATS[name]
    assert each.hold > 0
    assert each.kind in ("polled", "presence", "passing", "turn")
    assert each.clock
    assert "|" not in each.words + each.clock


def test_a_log_of_a_named_system_may_have_any_suffix(tmp_path):
    path = table(tmp_path / "reads.dat", some_reads())
    assert logs.read(path, How(system="table")).table["tag"].tolist() == [*TAGS] * 3
    with pytest.raises(InputError, match=r"the suffix '\.dat'.*name its system"):
        logs.read(path, How())


def test_a_log_of_another_system_than_the_named_is_refused(tmp_path):
    path = table(tmp_path / "reads.csv", some_reads())
    for name in SYSTEMS:
        if name != "table":
            with pytest.raises(InputError, match=r"reads\.csv"):
                logs.read(path, How(system=name))


def test_an_unknown_system_is_told_with_those_that_are_near(tmp_path):
    with pytest.raises(InputError, match=r"ecohub \(ecohab\?\); expected one of ecohab, eeehive"):
        logs.read(tmp_path / "a.txt", How(system="ecohub"))


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("content", [None, b"", b"\0" * 5000, b"\xff" * 5000, b"x\ty,z;\n" * 2000])
def test_what_is_no_log_is_refused_with_its_name(tmp_path, name, content):
    path = tmp_path / ("log" + FORMATS[name].suffixes[0])
    if content is not None:
        path.write_bytes(content)
    for system in (None, name):
        with pytest.raises(InputError, match=path.name):
            logs.read(path, How(system=system))


def test_how_a_log_is_read_is_said_without_a_library():
    code = (
        "import sys; from murid.readings.how import How; How(); "
        "slow = {'numpy', 'pandas', 'pyarrow', 'h5py'} & {*sys.modules}; "
        "sys.exit(str(slow) if slow else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_format_is_one_module():
    for name in SYSTEMS:
        assert importlib.import_module(f"murid.readings.logs.{name}").FORMAT is FORMATS[name]
