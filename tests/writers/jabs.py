"""Pose files of JABS, `*_pose_est_v3.h5` to `_v6.h5`, and `_v8.h5`.

Sources: the classes `PoseEstimationV3` to `V8` of JABS-behavior-classifier (KumarLabJax), for
what a file's parts mean; the writer of sleap-io (BSD-3), which `write_by_sleap` uses for
versions 3 to 5.

Certain, by these:

- `poseest/points` [frame, mouse, 12, 2] are whole pixels, **y before x**; `confidence` [frame,
  mouse, 12] of 0 says that a part was not found, and its point is (0, 0). JABS takes 0.3 or
  less for not found.
- Of version 3, the first `instance_count` [frame] mice of a frame are there, the rest is filled
  up.
- `instance_track_id` [frame, mouse] counts from 0, and a number is of one stretch of frames in
  a row.
- From version 4 on, `id_mask` [frame, mouse] is 0 where a mouse was given an identity, and
  `instance_embed_id` is that, from 1.
- Version 5 adds `static_objects`, 6 segmentations, 8 `poseest/bbox` [frame, mouse, 2, 2], x
  before y, upper left and lower right corner, with the attribute `bboxes_generated`.
"""

from pathlib import Path

import h5py
import numpy as np
import sleap_io
from sleap_io.io import jabs

from writers import HEIGHT, WIDTH, Track, frame_count, points_within, stretches

PARTS = 12


def write(
    path: Path,
    tracks: list[Track],
    version: int,
    *,
    astray: dict[int, list[int]] | None = None,
    astray_confidence: float = 0.0,
    filled: float = 0.0,
) -> None:
    """Write a pose file of version 3 to 6 or 8; parts `astray` of a frame are in the corner.

    Mice that are not there are filled up with parts in the corner of the confidence `filled`.
    """
    frames = frame_count(tracks)
    points = np.zeros((frames, len(tracks), PARTS, 2), np.uint16)
    points[:] = np.arange(PARTS)[:, None]
    confidence = np.full((frames, len(tracks), PARTS), filled, np.float32)
    track_id = np.zeros((frames, len(tracks)), np.uint32)
    identity = np.zeros((frames, len(tracks)), np.uint32)
    boxes = np.zeros((frames, len(tracks), 2, 2), np.float32)
    count = np.zeros(frames, np.uint8)
    numbers = _numbers(tracks)
    for index, track in enumerate(tracks):
        for frame, box in track.boxes.items():
            place = count[frame]
            count[frame] += 1
            points[frame, place] = np.round(points_within(box, PARTS))[:, ::-1]
            confidence[frame, place] = track.confidence
            for part in (astray or {}).get(frame, []):
                points[frame, place, part] = 0
                confidence[frame, place, part] = astray_confidence
            track_id[frame, place] = numbers[index, frame]
            identity[frame, place] = index + 1
            x, y, width, height = box
            boxes[frame, place] = [[x, y], [x + width, y + height]]
    with h5py.File(path, "w") as file:
        group = file.create_group("poseest")
        group.attrs["version"] = [version, 0]
        group.attrs["cm_per_pixel"] = np.float32(0.08)
        group.attrs["cm_per_pixel_source"] = "corner_detection"
        group["points"] = points
        group["confidence"] = confidence
        group["instance_count"] = count
        group["instance_embedding"] = np.zeros(confidence.shape, np.float32)
        group["instance_track_id"] = track_id
        if version >= 4:
            group["id_mask"] = identity == 0
            group["instance_embed_id"] = identity
            group["identity_embeds"] = np.zeros((*identity.shape, 0), np.float32)
            group["instance_id_center"] = np.zeros((len(tracks), 0), np.float32)
        if version >= 5:
            file["static_objects/corners"] = np.array(
                [[2, 3], [2, 400], [500, 3], [500, 400]], "u2"
            )
        if version >= 6:
            group["seg_data"] = np.full((frames, len(tracks), 1, 4, 2), -1, np.int32)
            group["seg_external_flag"] = np.ones((frames, len(tracks), 1), np.uint8)
            group["instance_seg_id"] = track_id
            group["longterm_seg_id"] = identity
        if version >= 8:
            group["bbox"] = boxes
            group["bbox"].attrs["bboxes_generated"] = True


def write_by_sleap(path: Path, tracks: list[Track], version: int) -> None:
    """Write a pose file of version 3 to 5 by sleap-io."""
    video = sleap_io.Video(filename="cage.mp4", open_backend=False)
    frames = frame_count(tracks)
    video.backend_metadata["shape"] = (frames, HEIGHT, WIDTH, 1)
    skeleton = jabs.JABS_DEFAULT_SKELETON
    names = [sleap_io.Track(track.name) for track in tracks]
    labels = []
    for frame in range(frames):
        instances = [
            sleap_io.PredictedInstance.from_numpy(
                np.round(points_within(track.boxes[frame], PARTS)),
                skeleton=skeleton,
                point_scores=np.full(PARTS, track.confidence),
                score=track.confidence,
                track=name,
            )
            for name, track in zip(names, tracks, strict=True)
            if frame in track.boxes
        ]
        labels.append(sleap_io.LabeledFrame(video, frame, instances))
    converted = jabs.convert_labels(
        sleap_io.Labels(labels, videos=[video], skeletons=[skeleton], tracks=names), video
    )
    write = {3: jabs.write_jabs_v3, 4: jabs.write_jabs_v4, 5: jabs.write_jabs_v5}[version]
    write(converted, str(path))


def _numbers(tracks: list[Track]) -> dict[tuple[int, int], int]:
    """Number the stretches of all tracks, by frame."""
    parts = sorted(
        (part[0], index, part)
        for index, track in enumerate(tracks)
        for part in stretches(sorted(track.boxes))
    )
    return {
        (index, frame): number for number, (_, index, part) in enumerate(parts) for frame in part
    }
