"""SLEAP's labels (`.slp`) and *Analysis HDF5*, both written by sleap-io (BSD-3), of SLEAP's own
makers.

Certain, by sleap-io: frames count from 0; `tracks` of the analysis is [track, 2, node, frame]
as SLEAP itself writes it ("matlab"), or [frame, track, node, 2] ("standard"), the attribute
`dims` telling which, but not in files of SLEAP itself; points not found are NaN.
"""

from pathlib import Path

import h5py
import numpy as np
import sleap_io

from writers import HEIGHT, WIDTH, Track, frame_count, points_within

NODES = ("nose", "ear", "tailbase")


def write(path: Path, tracks: list[Track]) -> None:
    """Write predictions as `.slp`."""
    sleap_io.save_slp(_labels(tracks), str(path), embed=False, verbose=False)


def write_analysis(path: Path, tracks: list[Track], preset: str = "matlab") -> None:
    """Write *Analysis HDF5* in the order of axes `preset`; "sleap" is "matlab" without a word."""
    told = "matlab" if preset == "sleap" else preset
    sleap_io.save_analysis_h5(_labels(tracks), path, preset=told)
    if preset == "sleap":
        with h5py.File(path, "r+") as file:
            file.attrs.clear()
            for dataset in file.values():
                dataset.attrs.clear()


def _labels(tracks: list[Track]) -> sleap_io.Labels:
    frames = frame_count(tracks)
    video = sleap_io.Video(filename="cage.mp4", open_backend=False)
    video.backend_metadata["shape"] = (frames, HEIGHT, WIDTH, 1)
    skeleton = sleap_io.Skeleton(list(NODES), name="mouse")
    names = [sleap_io.Track(track.name) for track in tracks]
    labels = []
    for frame in range(frames):
        instances = [
            sleap_io.PredictedInstance.from_numpy(
                points_within(track.boxes[frame], len(NODES)),
                skeleton=skeleton,
                point_scores=np.full(len(NODES), track.confidence),
                score=track.confidence,
                track=name,
                tracking_score=track.confidence,
            )
            for name, track in zip(names, tracks, strict=True)
            if frame in track.boxes
        ]
        if instances:
            labels.append(sleap_io.LabeledFrame(video, frame, instances))
    return sleap_io.Labels(labels, videos=[video], skeletons=[skeleton], tracks=names)
