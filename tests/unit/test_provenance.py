"""Digests of a stage's code: what changes them, and what does not."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from murid import schemas
from murid.run import provenance, used_contracts

STAGES = {
    "check": "archive",
    "calibrate": "calibrate",
    "train-detector": "detect",
    "detect": "detect",
    "adopt-detections": "detect",
    "assess-detector": "detect",
    "compare-annotations": "detect",
    "track": "tracking",
    "fit-weights": "fitting",
    "fit-path": "fitting",
    "identify": "identify",
    "evaluate": "evaluate",
    "aggregate": "evaluate",
    "report": "report",
    "tell-health": "health",
}
"""The command of each stage, and its room."""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that tests may change."""
    return shutil.copytree(
        provenance.PACKAGE, tmp_path / "murid", ignore=shutil.ignore_patterns("__pycache__")
    )


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, str], None]:
    """Writes a stage ``go`` that does one thing, besides one that does another."""

    def write(package: Path, work: str) -> None:
        monkeypatch.setitem(provenance.STAGES, "go", "any.Go")
        text = f"class Go(Stage):\n    def run(self):\n        {work}\n"
        other = "class Other(Stage):\n    def run(self):\n        from murid import others\n"
        (package / "any.py").write_text(text + other)

    return write


def edit(package: Path, name: str, old: str, new: str) -> None:
    path = package / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def changed(package: Path) -> set[str]:
    """Return the stages whose digest differs from that of the package as it is."""
    original = digests(provenance.PACKAGE)
    return {stage for stage, digest in digests(package).items() if digest != original[stage]}


def digests(package: Path) -> dict[str, str]:
    return {stage: provenance.digest(stage, package) for stage in STAGES}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_made_of_its_own_room_and_no_other(stage: str) -> None:
    modules = provenance.closure(stage)
    rooms = {module.split(".")[1] for module in modules}
    # A method's name, colour and words for the report stand beside the method.
    # What methods are called; the report, besides, what counts as usable.
    beside = {
        "fit-path": {"identify"},
        "evaluate": {"identify"},
        "report": {"identify", "evaluate"},
        "tell-health": {"archive"},
    }.get(stage, set())
    assert rooms & set(STAGES.values()) == {STAGES[stage]} | beside
    assert not rooms & {"cli", "settings", "plan", "provenance", "simulate"}
    assert "murid.tables" in modules


def test_where_the_package_lies_does_not_matter(package: Path) -> None:
    assert changed(package) == set()


def test_what_does_nothing_does_not_matter(package: Path) -> None:
    edit(package, "tracking/link.py", '"""', '"""Changed. ')
    edit(package, "tracking/link.py", "\nfrom ", "\n# a remark\nfrom ")
    edit(package, "tracking/stage.py", "Link detections", "Join detections")
    edit(package, "settings.py", "class Grid", "EXTRA = 1\n\n\nclass Grid")
    assert changed(package) == set()


def test_changed_code_changes_the_stages_that_use_it(package: Path) -> None:
    edit(package, "tracking/link.py", "\nfrom ", "\nimport math\nfrom ")
    assert changed(package) == {"track"}


def test_changed_code_that_is_shared_changes_all_that_use_it(package: Path) -> None:
    edit(package, "tables.py", "ROW_GROUP = ", "ROW_GROUP = 1 + ")
    assert changed(package) == set(STAGES)


def test_a_changed_declaration_changes_its_own_stage(package: Path) -> None:
    edit(package, "tracking/stage.py", "if not verdict.discarded:", "if True:")
    assert changed(package) == {"track"}


def test_a_changed_contract_changes_the_stages_that_name_its_table(package: Path) -> None:
    edit(package, "schemas/segments.py", '"health": contract(', '"health": contract(1, ')
    edit(package, "schemas/archive.py", '"alerts": contract(', '"alerts": contract(1, ')
    found = changed(package)
    assert {"tell-health", "report"} <= found
    assert not found & {"detect", "train-detector", "track", "calibrate", "fit-weights", "identify"}


def test_a_column_that_contracts_share_changes_the_stages_that_name_one_of_them(
    package: Path,
) -> None:
    edit(package, "schemas/columns.py", "PERIOD = (", "PERIOD = (1, ")
    found = changed(package)
    assert "report" in found
    assert not found & {"detect", "track", "calibrate"}


def test_what_makes_contracts_changes_all_stages(package: Path) -> None:
    edit(package, "schemas/contract.py", "class Column:", "class Column:\n    more = 1\n")
    assert changed(package) == set(STAGES)


def test_no_name_of_a_table_is_put_together() -> None:
    """Each stands whole in the code, outside of contracts: otherwise they would not count."""
    code = [
        path.read_text()
        for path in provenance.PACKAGE.rglob("*.py")
        if path.parent.name != "schemas"
    ]
    assert schemas.CONTRACTS.keys() <= used_contracts.words("\n".join(code))


def test_files_beside_the_code_count(package: Path) -> None:
    (package / "report" / "extra.css").write_text("p { color: black }")
    assert changed(package) == {"report"}


def test_nothing_is_imported_in_ways_that_cannot_be_seen() -> None:
    places = ("identify/methods", "archive/annotated", "archive/detected", "readings/logs")
    looked_for = {provenance.PACKAGE / place / "__init__.py" for place in places}
    looked_for.add(provenance.PACKAGE / "stages.py")
    for path in {*provenance.PACKAGE.rglob("*.py")} - looked_for:
        text = path.read_text()
        assert "import_module" not in text, path
        assert "__import__" not in text, path
        assert not re.search(r"^\s*from \.", text, re.MULTILINE), path


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import murid.b", {"murid.b"}),
        ("from murid import b", {"murid.b"}),
        ("from murid.b import thing", {"murid.b"}),
        ("def f():\n    from murid.room.inner import x", {"murid.room", "murid.room.inner"}),
        ("from murid.room import *", {"murid.room"}),
        ("import numpy", set()),
    ],
)
def test_every_way_to_import_is_followed(
    tmp_path: Path, go: Callable[[Path, str], None], source: str, expected: set[str]
) -> None:
    package = tmp_path / "murid"
    (package / "room").mkdir(parents=True)
    for name in ("__init__", "b", "room/__init__", "room/inner"):
        (package / f"{name}.py").write_text("")
    go(package, "from murid import a")
    (package / "a.py").write_text(source)
    assert set(provenance.closure("go", package)) == {"murid.a"} | expected


def test_a_package_is_made_of_what_its_modules_import(
    tmp_path: Path, go: Callable[[Path, str], None]
) -> None:
    package = tmp_path / "murid"
    (package / "room").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    go(package, "import murid.room")
    (package / "room" / "__init__.py").write_text("from murid.room.inner import thing")
    (package / "room" / "inner.py").write_text("from murid.other import thing")
    (package / "other.py").write_text("")
    assert provenance.closure("go", package) == ("murid.other", "murid.room", "murid.room.inner")


def test_commands_of_a_group_are_named_after_it(package: Path) -> None:
    assert "murid.archive.tide" in provenance.closure("import tide", package)


def test_an_unknown_command_is_an_error() -> None:
    with pytest.raises(KeyError):
        provenance.digest("no-such-stage")


def test_commands_of_a_group_are_known_by_both_names() -> None:
    assert "murid.archive.tide" in provenance.closure("import tide")
    assert provenance.digest("import tide") != provenance.digest("import positions")
