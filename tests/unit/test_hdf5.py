"""HDF5 of unknown origin: what is damaged, reaches out or claims too much is told."""

import json

import h5py
import numpy as np
import pytest

from murid.archive import detections
from murid.errors import InputError
from writers import Track, deeplabcut


@pytest.mark.parametrize("form", ["table", "fixed"])
def test_hdf5_cut_short_or_with_other_bytes_is_read_or_told(tmp_path, root, form):
    source = root / "tests" / "data" / "recipes" / "videoDLC.h5"
    if form == "fixed":
        source = tmp_path / "whole.h5"
        boxes = {frame: (10.0 + frame, 20.0, 30.0, 40.0) for frame in range(50)}
        deeplabcut.write_fixed(source, [Track("R", boxes), Track("G", boxes)])
    whole = source.read_bytes()
    rng = np.random.default_rng(1)
    path = tmp_path / "a.h5"
    told = []
    for number in range(60):
        data = bytearray(whole[: rng.integers(len(whole))] if number < 20 else whole)
        for place in rng.integers(len(data), size=20):
            data[place] = rng.integers(256)
        path.write_bytes(data)
        try:
            detections.read(path)
        except InputError as error:
            told.append(str(error))
    assert len(told) > 20
    assert all("a.h5" in text for text in told)


def external(path):
    with h5py.File(path.with_name("other.h5"), "w") as file:
        file["tracks"] = np.zeros((1, 2, 3, 4))
    with h5py.File(path, "w") as file:
        file["tracks"] = h5py.ExternalLink("other.h5", "/tracks")
        file["track_occupancy"] = np.zeros((4, 1))


def soft(path):
    external(path)
    with h5py.File(path, "r+") as file:
        file.move("tracks", "elsewhere")
        file["tracks"] = h5py.SoftLink("/elsewhere")


def virtual(path):
    external(path)
    layout = h5py.VirtualLayout((1, 2, 3, 4), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "tracks", (1, 2, 3, 4))
    with h5py.File(path, "r+") as file:
        del file["tracks"]
        file.create_virtual_dataset("tracks", layout)


def raw(path):
    path.with_name("secret").write_bytes(bytes(192))
    external(path)
    with h5py.File(path, "r+") as file:
        del file["tracks"]
        file.create_dataset(
            "tracks", (1, 2, 3, 4), "f8", external=[(str(path.with_name("secret")), 0, 192)]
        )


def huge(path):
    with h5py.File(path, "w") as file:
        file["track_occupancy"] = np.zeros((4, 1))
        file.create_dataset("tracks", (1000, 2, 100, 10**6), "f8", chunks=(1, 1, 1, 1000))


def texts(path):
    with h5py.File(path, "w") as file:
        file["track_occupancy"] = np.zeros((4, 1))
        file["tracks"] = np.full((1, 2, 3, 4), b"x")


def group(path):
    with h5py.File(path, "w") as file:
        file["track_occupancy"] = np.zeros((4, 1))
        file.create_group("tracks")


def strange_dims(path):
    with h5py.File(path, "w") as file:
        file["track_occupancy"] = np.zeros((4, 1))
        file["tracks"] = np.zeros((1, 2, 3, 4))
        file["tracks"].attrs["dims"] = json.dumps(["track", "xy", "node", "node"])


def empty(path):
    h5py.File(path, "w").close()


def no_hdf5(path):
    path.write_text("frame,x,y\n")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (external, "a link to elsewhere"),
        (soft, "a link to elsewhere"),
        (virtual, "an array in another file"),
        (raw, "an array in another file"),
        (huge, "200,000,000,000 numbers"),
        (texts, "numbers in 4 dimensions"),
        (group, "no array tracks"),
        (strange_dims, "found dims"),
        (empty, "none of these forms"),
        (no_hdf5, "no HDF5"),
    ],
)
def test_hdf5_that_reaches_out_or_claims_too_much_is_refused(tmp_path, make, told):
    path = tmp_path / "a.h5"
    make(path)
    with pytest.raises(InputError, match=rf"a\.h5.*{told}"):
        detections.read(path)
