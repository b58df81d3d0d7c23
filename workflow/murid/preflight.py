"""All that can be told of a run before anything runs: at once, not one fault a call.

Standard library and settings only: 20,000 segments are looked at in seconds.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from murid import files, made_for, marks
from murid.detect import cost, stored
from murid.errors import InputError, SeveralErrors
from murid.identify import methods
from murid.plan import PARTS, Plan
from murid.recordings import listed

LARGEST_JOB, LARGEST_JOB_AN_HOUR = 1000, 1500
"""Mebibytes that the rule ``fit_path`` asks for, and for each hour of the longest segment."""
NO_DETECTOR = (
    "no segment of split Train has both a video and annotations to train the detector on: "
    "annotate one"
)
SHOWN = 3
"""Segments or files that a line names, at most."""


@dataclass(frozen=True)
class Finding:
    """Something to mend, or to know."""

    fatal: bool
    """Whether the run cannot work like this; otherwise some segments or figures are lost."""
    text: str

    def __str__(self) -> str:
        return f"{'error' if self.fatal else 'warning'}: {self.text}"


def look(plan: Plan, whole: bool = True) -> list[Finding]:
    """Look at a plan from all sides; what stops the run comes first.

    Parameters
    ----------
    plan
        The plan of the run.
    whole
        Whether all of it is to run, so that models must be given or can be fitted.
    """
    sides: tuple[Callable[[Plan], Iterator[Finding]], ...] = (
        _rigs, _models, _undetected, _training, _memory, _devices, _files, _animals, _shared,
        _lengths, _leaks,
    )  # fmt: skip
    found = [finding for side in sides for finding in side(plan)]
    if whole:
        found += _splits(plan)
    return sorted(found, key=lambda finding: not finding.fatal)


def summary(plan: Plan) -> str:
    """Tell in a line what there is to run."""
    counts = Counter(segment.split or "no split" for segment in plan.segments.values())
    splits = ", ".join(f"{count:,} {split}" for split, count in counts.items())
    told = (
        f"{len(plan.segments):,} segments ({splits}) of {len(plan.cages):,} cages on "
        f"{len(plan.rigs)} rigs"
    )
    assumed = [segment.fps for segment in plan.segments.values() if segment.fps_assumed]
    if assumed:
        told += (
            f"; fps is not given of {len(assumed):,} segments, and taken to be {assumed[0]:g} "
            "frames a second"
        )
    return told


def _some(names: Iterable[object]) -> str:
    texts = [str(name) for name in names]
    more = f" and {len(texts) - SHOWN:,} more" if len(texts) > SHOWN else ""
    return ", ".join(texts[:SHOWN]) + more


def _lack(path: str | Path) -> str:
    """Tell why a path is no file that can be read."""
    try:
        kind = files.not_plain(os.stat(path))
    except FileNotFoundError:
        return "is not there"
    except (OSError, ValueError) as error:
        return f"cannot be looked at ({getattr(error, 'strerror', None) or error})"
    return f"is {kind}, no file" if kind else "is not there"


def _rigs(plan: Plan) -> Iterator[Finding]:
    """Compare the rigs of the sheet with those that have calibration points."""
    points = plan.settings.points
    if points is None:
        if len(plan.rigs) > 1:
            yield Finding(
                True,
                f"the rigs {_some(plan.rigs)} in the sheet, but points: is not set: name a file "
                "with the calibration points of every rig, or mend the column rig",
            )
        return
    try:
        recorded = listed(points)
        marked = None if recorded else marks.read(points)
    except InputError as error:
        yield Finding(True, str(error))
        return
    faults = marked.faults if marked else {}
    known = marked.rigs if marked else {rig for rig, _ in recorded}
    lost = {rig: path for rig, path in recorded if not os.path.isfile(path)}
    left = known.intersection(plan.rigs) - lost.keys() - faults.keys()
    for rig in plan.rigs:
        if rig in left:
            continue
        own = [f"{c} {s}" for (c, s), row in plan.segments.items() if row.rig == rig]
        told = f"the rig {rig}, which {len(own):,} segments have ({_some(own)})"
        if rig in faults:
            told = f"no points of {told}: {faults[rig]} Mend that"
        elif rig in lost:
            told = f"the recording {lost[rig]} of {told} {_lack(lost[rig])}: mend it"
        else:
            told = f"no points of {told}, only of {_some(sorted(filter(None, known)))}: add them"
        discarded = "; else these segments are discarded" if left else ""
        yield Finding(not left, f"{points}: {told}, or mend the column rig{discarded}")


def _models(plan: Plan) -> Iterator[Finding]:
    """Compare models that are given with what they are to be used for."""
    settings = plan.settings
    named = {*methods.needing("path_model")} & {
        settings.identify.default,
        *settings.identify.methods,
    }
    given = {
        "weights": settings.weights,
        "path_model": settings.path_model if named else None,
        "detector": settings.detector if any(map(plan.filmed, plan.segments)) else None,
    }
    known, weights = {}, ""
    for setting, path in given.items():
        try:
            if path and setting == "detector":
                stored.check(path)
            elif path:
                made, digest = _read_model(setting, path)
                if made is not None:
                    known[setting] = (path, made)
                weights = weights or digest
        except InputError as error:
            yield Finding(True, f"{error} {made_for.remedy(setting)}")
    groups = {(len(row.animals), row.fps) for row in plan.segments.values()}
    wrong, remarks = made_for.problems(
        known, settings.grid, settings.image, settings.identify.model_dump(), groups, weights
    )  # fmt: skip
    yield from (Finding(True, text) for text in wrong)
    yield from (Finding(False, text) for text in remarks)


def _read_model(setting: str, path: str) -> tuple[made_for.MadeFor | None, str]:
    """Return what a fitted model was made for, and the digest of weights.

    It is read as by the stages that use it, so that nothing it holds stops them.
    """
    # Needs numpy, which is only worth its while where a model is given.
    if setting == "weights":
        from murid import affinity

        weights = affinity.read(path)
        return weights.made_for, weights.digest
    from murid.identify import fitted

    return fitted.read(path).made_for, ""


def _splits(plan: Plan) -> Iterator[Finding]:
    """Look for what models are fitted to."""
    settings = plan.settings
    every = [settings.identify.default, *settings.identify.methods]
    if not settings.weights and not any(plan.annotated(settings.fit_weights.splits)):
        yield Finding(
            True,
            f"no segment of split {' or '.join(settings.fit_weights.splits)} has annotations to "
            "fit weights to: annotate one, or set weights:",
        )
    needing = methods.needing("path_model")
    learnt = not settings.path_model and {*needing} & {*every}
    if learnt and not any(plan.annotated(("Train", "Validate"))):
        yield Finding(
            True,
            "no segment of split Train or Validate has annotations to fit the path model to: "
            f"annotate one, set path_model:, or leave out {' and '.join(needing)}",
        )
    if _trains(plan) and not any(plan.annotated(("Train",), filmed=True)):
        yield Finding(True, f"{NO_DETECTOR}, or set detector:")
    if any(plan.annotated(("Train",))) and not any(plan.annotated(("Validate",))):
        lost = []
        if learnt:
            lost.append("how sure names are is as the path model has it, and not put right")
        if _trains(plan):
            lost.append("of the detector's checkpoints the last is kept, not the best")
        if lost:
            yield Finding(
                False,
                f"no segment of split Validate has annotations: {'; '.join(lost)}. Move an "
                "annotated segment of a cage of its own there",
            )
    if without := [" ".join(key) for key in plan.annotated(("",))]:
        yield Finding(
            False,
            f"split: {len(without):,} annotated segments have none ({_some(without)}): nothing is "
            "learnt from them, nor judged by them. Give them Train, Validate or Test",
        )
    if settings.visual.enabled and not any(plan.exists(key, "video") for key in plan.segments):
        yield Finding(False, "visual.enabled, but no segment has a video that is there")


def _leaks(plan: Plan) -> Iterator[Finding]:
    """Look for cages that are learnt from and judged by, as splits are of segments."""
    learnt = {key[0] for key in plan.annotated(("Train", "Validate"))}
    judged = {key[0] for key in plan.annotated(("Test",))}
    both = sorted(learnt & judged)
    if both:
        yield Finding(
            False,
            f"split: the cages {_some(both)} have annotated segments of Test and of Train or "
            "Validate: how right names are is judged by animals that were learnt from. Give all "
            "segments of a cage one split",
        )


def _trains(plan: Plan) -> bool:
    return not plan.settings.detector and any(map(plan.filmed, plan.segments))


def _undetected(plan: Plan) -> Iterator[Finding]:
    """Look for segments that need a detector where there is none."""
    found = [" ".join(key) for key in plan.segments if plan.undetected(key)]
    if found:
        yield Finding(
            False,
            f"{len(found):,} segments have a video but no boxes ({_some(found)}), and "
            f"{NO_DETECTOR}, or set detector:; else these segments are discarded",
        )


def _training(plan: Plan) -> Iterator[Finding]:
    """Estimate what training takes where it is done on a CPU."""
    how, image = plan.settings.train_detector, plan.settings.image
    on_cpu = how.device == "cpu" or (how.device == "auto" and not cost.has_gpu())
    if not (_trains(plan) and on_cpu):
        return
    needed, there = cost.memory(how, image.width, image.height), cost.available()
    told = f"training the detector ({how.backbone}, {how.width} pixels wide) takes about "
    told += f"{needed / 1e9:.1f} GB on a CPU"
    if needed > there:
        yield Finding(
            # A cluster's jobs may run on another machine.
            how.device == "cpu",
            f"{told}, and there are {there / 1e9:.1f} GB here. {cost.REMEDY}",
        )
    elif how.backbone != "slim":
        yield Finding(False, f"{told}, and a large network learns for days there. {cost.REMEDY}")


def _memory(plan: Plan) -> Iterator[Finding]:
    """Compare what jobs ask for with what there is; fitting the path model asks for the most."""
    asked = (LARGEST_JOB + LARGEST_JOB_AN_HOUR * plan.settings.longest_segment) * 2**20
    if asked > cost.available():
        yield Finding(
            False,
            f"longest_segment {plan.settings.longest_segment:g} h: jobs of up to "
            f"{asked / 1e9:.1f} GB, and there are {cost.available() / 1e9:.1f} GB here",
        )


def _devices(plan: Plan) -> Iterator[Finding]:
    """Look for a GPU where one is insisted on."""
    settings = plan.settings
    stages = {"train_detector": _trains(plan), "detect": any(map(plan.filmed, plan.segments))}
    for stage, runs in stages.items():
        if runs and getattr(settings, stage).device == "cuda" and not cost.has_gpu():
            yield Finding(
                False,
                f"{stage}.device is cuda, and this machine has no GPU: right on a cluster, else "
                "set it to auto or cpu",
            )


def _files(plan: Plan) -> Iterator[Finding]:
    """Look for every file that the sheet names."""
    for part in PARTS:
        missing: dict[str, list[str]] = {}
        named = 0
        for key in plan.segments:
            path = plan.source(key, part)
            if path:
                named += 1
                if not plan.exists(key, part):
                    missing.setdefault(_lack(path), []).append(path)
        for lack, paths in missing.items():
            are = f"are{lack.removeprefix('is')}" if lack.startswith("is") else lack
            yield Finding(
                False,
                f"{part}: {len(paths):,} of {named:,} files {are} ({_some(paths)}): "
                "these segments are discarded",
            )


def _animals(plan: Plan) -> Iterator[Finding]:
    """Compare the animals of the segments of a cage, and those of all with what is fitted."""
    odd = [
        cage
        for cage, keys in plan.cages.items()
        if len({frozenset(plan.segments[key].animals) for key in keys} - {frozenset()}) > 1
    ]
    if odd:
        yield Finding(False, f"animals: they differ between segments of the cages {_some(odd)}")


def _shared(plan: Plan) -> Iterator[Finding]:
    """Look for a file that the sheet names for two segments."""
    for part in PARTS:
        if part == "annotations":  # one file may hold those of several segments
            continue
        counts = Counter(path for key in plan.segments if (path := plan.source(key, part)))
        twice = [path for path, count in counts.items() if count > 1]
        if twice:
            yield Finding(False, f"{part}: the same file for several segments ({_some(twice)})")


def copies(plan: Plan, fingerprint: Callable[[str], str]) -> Iterator[Finding]:
    """Look for files that hold the same under the names of several segments.

    Parameters
    ----------
    plan
        The plan of the run.
    fingerprint
        Tells what a file holds in short; "" where that is not known, or it is empty.
    """
    for part in PARTS:
        if part == "annotations":
            continue
        paths: dict[str, list[str]] = {}
        for path in dict.fromkeys(plan.source(key, part) for key in plan.segments):
            if path and (held := fingerprint(path)):
                paths.setdefault(held, []).append(path)
        for same in paths.values():
            if len(same) > 1:
                yield Finding(
                    False,
                    f"{part}: {_some(same)} hold the same: one is probably a copy of the other, "
                    "under the name of another segment",
                )


def _lengths(plan: Plan) -> Iterator[Finding]:
    """Compare the snippets with how long segments are said to be."""
    end = plan.settings.longest_segment * 3600
    late = [pair for pair in plan.settings.evaluate.snippets or () if pair[0] > end]
    if late:
        yield Finding(
            False,
            f"evaluate.snippets: {_some(late)} s begin after longest_segment, {end:g} s: mend one "
            "of them",
        )


def check(plan: Plan) -> list[Finding]:
    """Return the warnings of a plan, of which perhaps not all is to run.

    Raises
    ------
    SeveralErrors
        With all faults at once, a line each, if the run cannot work.
    """
    found = look(plan, whole=False)
    expected = "settings, sheet and files that fit each other"
    fatal = [InputError("preflight", f.text.rstrip("."), expected) for f in found if f.fatal]
    if fatal:
        raise SeveralErrors(fatal)
    return found
