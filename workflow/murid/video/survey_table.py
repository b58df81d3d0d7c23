"""The table of a video's key frames, from which the jobs of its segments know where to begin."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pandas as pd

from murid import tables
from murid.errors import InputError
from murid.tables import Verdict
from murid.video.cutting import survey_cut
from murid.video.survey import Survey, no_keys, no_times
from murid.video.timing import Pace

COLUMNS = ["time", "before", "after"]
ABOUT = "survey"
"""What the table is told about the rest of the survey."""


def write(path: Path, output: Path) -> Verdict:
    """Survey a video that is several segments.

    Parameters
    ----------
    path
        The video.
    output
        Table ``key_frames`` to write; empty where the video cannot be read.

    Returns
    -------
    What is to be said of it; also in the table.
    """
    verdict, about, keys = Verdict(), {}, no_keys()
    try:
        survey = survey_cut(path)
    except InputError as error:
        verdict = Verdict("discarded", " ".join(str(error).split()))
    else:
        keys = survey.keys
        told = dataclasses.asdict(dataclasses.replace(survey, keys=no_keys(), times=no_times()))
        told = {name: value for name, value in told.items() if name not in ("keys", "times")}
        about[ABOUT] = json.dumps(told)
    tables.write(pd.DataFrame(keys, columns=COLUMNS), output, "key_frames", verdict, about)
    return verdict


def read(path: Path, video: Path) -> Survey:
    """Return the survey of a video.

    Parameters
    ----------
    path
        As :func:`write` made it.
    video
        The video, to name in errors.

    Raises
    ------
    InputError
        If the table cannot be read, or the video could not when it was surveyed.
    """
    verdict, about = tables.read_verdict(path), tables.read_about(path)
    if verdict.discarded:
        raise InputError(video, f"what could not be surveyed ({verdict.reason})", "a video")
    keys = tables.read(path, "key_frames")[COLUMNS].to_numpy()
    try:
        told: dict[str, Any] = json.loads(about[ABOUT])
        told |= {name: tuple(told[name]) for name in ("size", "tail")}
        return Survey(**{**told, "pace": _pace(told["pace"]), "keys": keys})
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            path, f"no survey of a video ({error})", "what murid survey-video writes"
        ) from error


def _pace(told: dict[str, Any]) -> Pace:
    bounds = told.pop("bounds")
    return Pace(**told, bounds=tuple(bounds) if bounds else None)
