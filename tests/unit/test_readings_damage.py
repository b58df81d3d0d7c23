"""Whatever becomes of a log, it is read or refused with its name, and never crashes a stage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antenna_logs import (
    TAGS,
    UID_HEADER,
    VISITS_HEADER,
    ecohab_line,
    grid12,
    hca,
    lmt,
    pymousetracks,
    some_reads,
    table,
    uid_lines,
    visits,
    zipped,
)
from murid.errors import InputError
from murid.readings import logs
from murid.readings.how import How

PIECES = [b"\0", b"\n", b"\r", b'"', b",", b"\t", b"\xff", b"9" * 400]


def hive_lines(reads):
    return [f"[{r.time}] {1 + n % 4},{r.antenna}:{r.tag}," for n, r in enumerate(reads)]


def sound(folder, name):
    """Write a sound log of a format, and return where."""
    reads = some_reads(40, antennas=4)
    texts = {
        "ecohab": ("20250813_050000.txt", [ecohab_line(n, r, 50) for n, r in enumerate(reads)]),
        "eeehive": ("a_Board1.log", hive_lines(reads)),
        "uid": ("a.csv", [UID_HEADER, *uid_lines(reads)]),
    }
    if name in texts:
        path = folder / texts[name][0]
        path.write_text("".join(f"{line}\n" for line in texts[name][1]))
        return path
    if name == "intellicage":
        text = "".join(f"{line}\r\n" for line in [VISITS_HEADER, *visits(reads, 1)])
        return zipped(folder / "a.zip", text)
    if name == "lmt":
        events = [(TAGS[0], 1_755_063_552_999 + n, n % 4, n % 4) for n in range(40)]
        return lmt(folder / "a.sqlite", events)
    if name == "hca":
        path = folder / "1755063552999_000123_study@cage7_0000003600000.hdf5"
        return hca(path, {TAGS[0]: (np.arange(40), np.arange(40))})
    if name == "pymousetracks":
        return pymousetracks(folder / "a.csv", reads, reads[0].time - reads[0].time)
    return {"grid12": grid12, "table": table}[name](folder / "a.csv", reads)


@pytest.fixture(scope="module", params=sorted(logs.formats()))
def log(request, tmp_path_factory):
    """A sound log of each format: its name, path and content."""
    path = sound(tmp_path_factory.mktemp("logs"), request.param)
    return request.param, path, path.read_bytes()


def test_a_sound_log_is_told_and_read_whole(log):
    name, path, data = log
    path.write_bytes(data)
    assert logs.chosen_for(path)[0] == name
    judged = logs.read(path, How())
    assert len(judged.table) >= 20
    assert judged.verdict.status == "usable"


@settings(max_examples=60)
@given(
    data=st.data(),
    pieces=st.lists(st.sampled_from(PIECES) | st.binary(max_size=6)),
)
def test_a_damaged_log_is_read_or_refused(log, data, pieces):
    name, path, content = log
    damaged = bytearray(content)
    for piece in pieces:
        start = data.draw(st.integers(0, len(damaged)))
        damaged[start : start + data.draw(st.integers(0, 2)) * len(piece)] = piece
    path.write_bytes(damaged[: data.draw(st.integers(0, len(damaged)) | st.none())])
    for how in (How(), How(system=name)):
        refused = None
        try:
            judged = logs.read(path, how)
        except InputError as error:
            refused = str(error)
        if refused is not None:
            assert path.name in refused
        else:
            assert len(judged.table) <= 100
            assert judged.table["time"].is_monotonic_increasing
            assert judged.table[["time", "tag", "antenna"]].notna().all(axis=None)
