"""What is exported of a segment: boxes that have names, and what animals were read by."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, start_times, timeline
from murid.errors import InputError
from murid.tables import Verdict

SOFTWARE = "murid"
COLUMNS = ["frame", "number", *schemas.BOX, "confidence"]
"""Columns of :attr:`Content.boxes`."""


def no_boxes() -> pd.DataFrame:
    """Return :attr:`Content.boxes` of a segment without any."""
    kinds = dict.fromkeys(COLUMNS, np.float32) | {"frame": np.int64, "number": np.int64}
    return pd.DataFrame({name: np.zeros(0, kind) for name, kind in kinds.items()})


@dataclass(frozen=True)
class Content:
    """What is exported of a segment.

    Attributes
    ----------
    cage, segment
        Names.
    fps
        Frames per second.
    verdict
        Of the segment; of one that cannot be used there is nothing else.
    animals
        Names, sorted; the number of an animal is its place here, from 1.
    boxes
        A row for each box that has a name, by frame and animal: ``frame`` (int64, from 0),
        ``number`` (int64, of its animal), ``x, y, w, h`` (float32, pixels of the raw frame,
        top-left corner first) and ``confidence`` (float32, probability of the name; NaN = not
        estimated).
    antennas
        (frames, animals), int64, 0 = no reading: its length is that of the segment.
    video
        The video that the frames are of; None: there is none.
    first_frame
        Of the video, in which frame 0 of the segment is.
    start
        When frame 0 was taken, with its offset from UTC; None: not known.
    zone
        Of the times of day.
    """

    cage: str
    segment: str
    fps: float
    verdict: Verdict = field(default_factory=Verdict)
    animals: tuple[str, ...] = ()
    boxes: pd.DataFrame = field(default_factory=no_boxes)
    antennas: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    video: Path | None = None
    first_frame: int = 0
    start: datetime | None = None
    zone: tzinfo | None = None

    @property
    def frames(self) -> int:
        """Number of frames of the segment."""
        return len(self.antennas)

    @property
    def film(self) -> str:
        """What the video is called: its path, or, if there is none, after the segment."""
        return str(self.video) if self.video else f"{self.cage}_{self.segment}.mp4"

    def picture(self, frame: int) -> str:
        """Return what a frame is called as a picture; with a zero before, as *movement* looks for.

        Examples
        --------
        >>> Content("A", "one", 25.0, antennas=np.zeros((200, 3), np.int64)).picture(7)
        'one_0007.png'
        """
        return f"{self.segment}_{frame:0{len(str(max(self.frames - 1, 0))) + 1}d}.png"

    def time(self, second: float) -> str:
        """Return the time of day so many seconds after frame 0, ISO 8601; empty: not known."""
        if self.start is None:
            return ""
        # Added in UTC, lest an hour be lost or come twice where daylight saving begins or ends.
        begun = self.start.astimezone(ZoneInfo("UTC")) + timedelta(seconds=second)
        return begun.astimezone(self.zone).isoformat()

    def grid(self, *columns: str) -> NDArray[np.float64]:
        """Spread columns of :attr:`boxes`: (frames, columns, animals), NaN without a box."""
        spread = np.full((self.frames, len(columns), len(self.animals)), np.nan)
        frames, numbers = (self.boxes[name].to_numpy() for name in ("frame", "number"))
        spread[frames, :, numbers - 1] = self.boxes[list(columns)].to_numpy(dtype=np.float64)
        return spread


def of_tables(identities: pd.DataFrame, positions: pd.DataFrame, about: Content) -> Content:
    """Return what is exported, of the tables of a segment.

    Parameters
    ----------
    identities, positions
        The tables by these names.
    about
        What else is known.

    Raises
    ------
    InputError
        If a name is of an animal, or a box of a frame, that has no row in ``positions``.
    """
    trace = timeline.spread(positions)
    animals = tuple(trace.columns)
    seen = identities[identities["x"].notna()]
    _check(seen, len(trace), animals)
    numbers = {animal: number for number, animal in enumerate(animals, start=1)}
    boxes = seen.assign(number=seen["animal"].map(numbers)).astype(dict.fromkeys(COLUMNS[:2], int))
    boxes = boxes.sort_values(["frame", "number"], ignore_index=True)[COLUMNS]
    return replace(about, animals=animals, boxes=boxes, antennas=trace.to_numpy())


def _check(seen: pd.DataFrame, frames: int, animals: tuple[str, ...]) -> None:
    wrong = ~seen["animal"].isin(animals) | (seen["frame"] >= frames)
    if wrong.any():
        frame, animal = seen.loc[wrong, ["frame", "animal"]].iloc[0]
        raise InputError(
            "identities", f"a box of {animal} at frame {frame}",
            f"animals {', '.join(animals) or '(none)'} and frames below {frames:,}, as in "
            "positions", where=f"row {wrong.idxmax()}",
            remedy="Give the tables of one segment.",
        )  # fmt: skip


def begun(
    text: str, zone: str, about: Mapping[str, str] | None = None
) -> tuple[datetime | None, tzinfo]:
    """Return when a segment starts, and the zone to tell times of day in: the text's own, if any.

    Parameters
    ----------
    text
        As the sheet has it; empty, what is no time, and what no clock of the zone showed, or one
        showed twice: not known.
    zone
        Name of that of clocks, where the text does not say.
    about
        What the table of positions was told; times of frames, if it was, are better than the text.
    """
    moment = timeline.began(about or {}) or start_times.known(text, zone)
    own = datetime.fromisoformat(text).tzinfo if start_times.is_time(text) else None
    return moment, own or ZoneInfo(zone)


def written(values: pd.Series) -> list[str]:
    """Return numbers of float32 in as few digits as tell them apart; NaN as an empty text.

    Examples
    --------
    >>> written(pd.Series([0.1, np.nan, 1e-8, 1234.5], dtype=np.float32))
    ['0.1', '', '1e-08', '1234.5']
    """
    texts = values.to_numpy(dtype=np.float32).astype(str)
    return ["" if text == "nan" else text for text in texts.tolist()]
