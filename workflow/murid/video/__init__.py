"""Reading and writing video, one grey frame at a time, so that memory does not grow with length.

Headers are not to be trusted: frames are those that decode, and the number of a frame, from 0, is
its place on the segment's time line, which its timestamp tells. In a video that is sound that is
its place among the frames. A segment may be a part of a video; its frames count from the part's
first.
"""

from murid.video.container import size
from murid.video.encode import write, writing
from murid.video.footage import Footage, judge, judge_size
from murid.video.grey import Frame, grey
from murid.video.queues import ahead
from murid.video.reel import Reel, inspect, read_frames
from murid.video_part import WHOLE, Part

__all__ = [
    "WHOLE", "Footage", "Frame", "Part", "Reel", "ahead", "grey", "inspect", "judge",
    "judge_size", "read_frames", "size", "write", "writing",
]  # fmt: skip
