"""All that can be told of a run before anything runs: at once, not one fault a call.

Standard library and settings only: 20,000 segments are looked at in seconds.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from murid import files, marks
from murid.detect import cost, given_detector
from murid.errors import InputError, SeveralErrors
from murid.identify import registry
from murid.models import made_for
from murid.numbers import counted
from murid.recordings import listed
from murid.run import annotated_frames, sharing
from murid.run.findings import SHOWN
from murid.run.findings import Finding as Finding
from murid.run.findings import error as _error
from murid.run.findings import some as _some
from murid.run.findings import warning as _warning
from murid.run.findings_of_logs import of_logs
from murid.run.findings_of_starts import of_starts
from murid.run.findings_of_videos import of_videos
from murid.run.plan import PARTS, Key, Plan

DETECTOR = "detector.safetensors"
"""What a run calls the detector that it trains, in its results."""
LARGEST_JOB, LARGEST_JOB_AN_HOUR = 1000, 1500
"""Mebibytes that the rule ``fit_path`` asks for, and for each hour of the longest segment."""


def look(plan: Plan, whole: bool = True, here: bool = False) -> list[Finding]:
    """Look at a plan from all sides; what stops the run comes first.

    Parameters
    ----------
    plan
        The plan of the run.
    whole
        Whether all of it is to run, so that models must be given or can be fitted.
    here
        Whether its jobs run on this machine, so that they must fit on it.
    """
    sides: tuple[Callable[[Plan], Iterator[Finding]], ...] = (
        _rigs, _models, _network, _undetected, _annotated, partial(_training, here), _memory,
        _devices, _files, of_logs, of_videos, of_starts, _animals, _shared, _lengths, _waiting,
        _leaks, _corrections, *([_splits] if whole else []),
    )  # fmt: skip
    findings = [finding for side in sides for finding in side(plan)]
    return sorted(findings, key=lambda finding: not finding.fatal)


def summary(plan: Plan) -> str:
    """Tell in a line what there is to run."""
    counts = Counter(segment.split or "no split" for segment in plan.segments.values())
    splits = ", ".join(f"{count:,} {split}" for split, count in counts.items())
    assumed = [segment.fps for segment in plan.segments.values() if segment.fps_assumed]
    rates = (
        f"; fps is not given of {counted(len(assumed), 'segment')}, and taken to be {assumed[0]:g} "
        "frames "
        "a second"
    ) if assumed else ""  # fmt: skip
    return (
        f"{counted(len(plan.segments), 'segment')} ({splits}) of "
        f"{counted(len(plan.cages), 'cage')} on {counted(len(plan.rigs), 'rig')}{rates}"
    )


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
            yield _error(
                f"the rigs {_some(plan.rigs)} in the sheet, but points: is not set: name a file "
                "with the calibration points of every rig, or mend the column rig"
            )
        return
    try:
        recorded = dict(listed(points))
        marked = None if recorded else marks.read(points)
    except InputError as error:
        yield _error(str(error))
        return
    faults = marked.faults if marked else {}
    calibrated = marked.rigs if marked else recorded.keys()
    lost = {rig: path for rig, path in recorded.items() if not os.path.isfile(path)}
    left = {*calibrated} & {*plan.rigs} - lost.keys() - faults.keys()
    for rig in plan.rigs:
        if rig in left:
            continue
        users = [" ".join(key) for key, segment in plan.segments.items() if segment.rig == rig]
        whose = (
            f"the rig {rig}, which {counted(len(users), 'segment has', 'segments have')} "
            f"({_some(users)})"
        )
        if rig in faults:
            fault = f"no points of {whose}: {faults[rig]} Mend that"
        elif rig in lost:
            fault = f"the recording {lost[rig]} of {whose} {_lack(lost[rig])}: mend it"
        else:
            others = _some(sorted(filter(None, calibrated)))
            fault = f"no points of {whose}, only of {others}: add them"
        discarded = "; else these segments are discarded" if left else ""
        yield Finding(not left, f"{points}: {fault}, or mend the column rig{discarded}")


def _models(plan: Plan) -> Iterator[Finding]:
    """Compare models that are given with what they are to be used for."""
    settings = plan.settings
    given = {
        "weights": settings.weights,
        "path_model": settings.path_model if _needing_path_model(plan) else None,
        "detector": settings.detector if any(map(plan.filmed, plan.segments)) else None,
    }
    made, weights = {}, ""
    for setting, path in given.items():
        try:
            if path and setting == "detector":
                given_detector.check(path, settings.onnx)
            elif path:
                purpose, digest = _read_model(setting, path)
                if purpose is not None:
                    made[setting] = (path, purpose)
                weights = weights or digest
        except InputError as error:
            yield _error(f"{error} {made_for.remedy(setting)}")
    groups = {(len(row.animals), row.fps) for row in plan.segments.values()}
    wrong, remarks = made_for.problems(
        made, settings.grid, settings.image, settings.identify.model_dump(), groups, weights
    )
    yield from map(_error, wrong)
    yield from map(_warning, remarks)


def _network(plan: Plan) -> Iterator[Finding]:
    """Look for what a network of others does without, or is not run by."""
    path, detect = plan.settings.detector, plan.settings.detect
    if not path or not given_detector.is_onnx(path) or not any(map(plan.filmed, plan.segments)):
        return
    if not given_detector.runs_onnx():
        yield _warning(
            f"{path}: a network of others, and onnxruntime is not installed here: right where jobs "
            "have environments of their own, else install it (pip install 'murid[onnx]')"
        )
    if detect.compile:
        yield _warning(f"detect.compile, which does nothing for {path}: it is as it was exported")


def _needing_path_model(plan: Plan) -> list[str]:
    """Return the methods that are to run and need a path model."""
    run = {plan.settings.identify.default, *plan.settings.identify.methods}
    return [name for name in registry.needing("path_model") if name in run]


def _read_model(setting: str, path: str) -> tuple[made_for.MadeFor | None, str]:
    """Return what a fitted model was made for, and the digest of weights.

    It is read as by the stages that use it, so that nothing it holds stops them.
    """
    # Needs numpy, which is only worth its while where a model is given.
    if setting == "weights":
        from murid.models import fitted_weights

        weights = fitted_weights.read(path)
        return weights.made_for, weights.digest
    from murid.models import fitted_path

    return fitted_path.read(path).made_for, ""


def _splits(plan: Plan) -> Iterator[Finding]:
    """Look for what models are fitted to."""
    settings = plan.settings
    learnt = not settings.path_model and bool(_needing_path_model(plan))
    trained, validated = (any(plan.annotated((split,))) for split in ("Train", "Validate"))
    fitted = not settings.weights and not plan.unannotated
    if fitted and not any(plan.annotated(settings.fit_weights.splits)):
        yield _error(plan.lacking["weights"])
    if learnt and not (trained or validated or plan.unannotated):
        yield _error(plan.lacking["path_model"])
    if _trains(plan) and not any(plan.annotated(("Train",), filmed=True)):
        yield _error(plan.lacking["detector"])
    if trained and not validated and (learnt or _trains(plan)):
        names = "how sure names are is told by what they are learnt from, where they are too good"
        boxes = "of the detector's checkpoints the last is kept, not the best"
        lost = "; ".join([names] * learnt + [boxes] * _trains(plan))
        yield _warning(
            f"no segment of split Validate has annotations: {lost}. Move an annotated segment of "
            "a cage of its own there"
        )
    if without := [" ".join(key) for key in plan.annotated(("",))]:
        yield _warning(
            f"split: {counted(len(without), 'annotated segment has', 'annotated segments have')} "
            f"none ({_some(without)}): nothing is "
            "learnt from them, nor judged by them. Give them Train, Validate or Test"
        )
    if settings.visual.enabled and not any(plan.exists(key, "video") for key in plan.segments):
        yield _warning("visual.enabled, but no segment has a video that is there")


def _waiting(plan: Plan) -> Iterator[Finding]:
    """Look for pictures that were picked, and that nobody has annotated yet."""
    if waiting := [" ".join(key) for key in plan.segments if plan.awaits_annotations(key)]:
        yield _warning(
            f"{counted(len(waiting), 'segment waits', 'segments wait')} to be annotated "
            f"({_some(waiting)}): in their projects "
            "no picture has a box, or says annotated: yes. Until then they count as not annotated"
        )


def _leaks(plan: Plan) -> Iterator[Finding]:
    """Look for cages that are learnt from and judged by, as splits are of segments."""
    learnt, judged = (
        _by_cage(plan.annotated(splits)) for splits in (("Train", "Validate"), ("Test",))
    )
    both = [
        f"{cage} (Test: {_some(judged[cage])}; Train or Validate: {_some(learnt[cage])})"
        for cage in sorted(learnt.keys() & judged.keys())
    ]
    if both:
        yield _warning(
            f"split: {counted(len(both), 'cage has', 'cages have')} annotated segments of Test and "
            f"of Train or Validate, {_some(both)}: how right names are is judged by animals that "
            "were learnt from. Give all segments of a cage one split"
        )


def _by_cage(keys: Iterable[Key]) -> dict[str, list[str]]:
    """Return the names of segments by cage."""
    named: dict[str, list[str]] = {}
    for cage, segment in keys:
        named.setdefault(cage, []).append(segment)
    return named


def _trains(plan: Plan) -> bool:
    return not plan.settings.detector and any(map(plan.filmed, plan.segments))


def _undetected(plan: Plan) -> Iterator[Finding]:
    """Look for segments that need a detector where there is none."""
    if boxless := [" ".join(key) for key in plan.segments if plan.undetected(key)]:
        yield _warning(
            f"{counted(len(boxless), 'segment has', 'segments have')} a video but no boxes "
            f"({_some(boxless)}), and "
            f"{plan.lacking['detector']}; else these segments are discarded"
        )


def _annotated(plan: Plan) -> Iterator[Finding]:
    """Count what a detector is to be trained on, as far as it may be too little."""
    if _trains(plan) and (few := annotated_frames.lacking(plan)):
        yield _warning(
            f"split Train: {few}. Annotate more, which murid frames picks, or set detector: to a "
            "trained one"
        )


def _training(here: bool, plan: Plan) -> Iterator[Finding]:
    """Estimate what training takes where it is done on a CPU."""
    how, image = plan.settings.train_detector, plan.settings.image
    on_cpu = how.device == "cpu" or (how.device == "auto" and not cost.has_gpu())
    if not (_trains(plan) and on_cpu):
        return
    needed, there = cost.memory(how, image.width, image.height), cost.available()
    takes = (
        f"training the detector ({how.backbone}, {how.width} pixels wide) takes about "
        f"{needed / 1e9:.1f} GB on a CPU"
    )
    if needed > there:
        # A cluster's jobs may run on another machine, as whoever trained before this may have.
        trained = plan.settings.results and Path(plan.settings.results, DETECTOR).is_file()
        fatal = not trained and (here or how.device == "cpu")
        elsewhere = " Where jobs run on a cluster, ask with --cluster." if fatal and here else ""
        yield Finding(
            fatal, f"{takes}, and there are {there / 1e9:.1f} GB here. {cost.REMEDY}{elsewhere}"
        )
    elif how.backbone != "slim":
        yield _warning(f"{takes}, and a large network learns for days there. {cost.REMEDY}")


def _memory(plan: Plan) -> Iterator[Finding]:
    """Compare what jobs ask for with what there is; fitting the path model asks for the most."""
    asked = (LARGEST_JOB + LARGEST_JOB_AN_HOUR * plan.settings.longest_segment) * 2**20
    if asked > cost.available():
        yield _warning(
            f"longest_segment {plan.settings.longest_segment:g} h: jobs of up to "
            f"{asked / 1e9:.1f} GB, and there are {cost.available() / 1e9:.1f} GB here"
        )


def _devices(plan: Plan) -> Iterator[Finding]:
    """Look for a GPU where one is insisted on."""
    settings = plan.settings
    stages = {"train_detector": _trains(plan), "detect": any(map(plan.filmed, plan.segments))}
    for stage, runs in stages.items():
        if runs and getattr(settings, stage).device == "cuda" and not cost.has_gpu():
            yield _warning(
                f"{stage}.device is cuda, and this machine has no GPU: right on a cluster, else "
                "set it to auto or cpu"
            )


def _files(plan: Plan) -> Iterator[Finding]:
    """Look for every file that the sheet names."""
    for part in PARTS:
        paths = {key: path for key in plan.segments if (path := plan.source(key, part))}
        missing: dict[str, list[str]] = {}
        for key, path in paths.items():
            if not plan.exists(key, part):
                missing.setdefault(_lack(path), []).append(path)
        for lack, lost in missing.items():
            are = f"are{lack.removeprefix('is')}" if lack.startswith("is") else lack
            yield _warning(
                f"{part}: {len(lost):,} of {len(paths):,} files {are} ({_some(lost)}): "
                "these segments are discarded"
            )


def _animals(plan: Plan) -> Iterator[Finding]:
    """Compare the animals of the segments of a cage."""
    odd = [
        cage
        for cage, keys in plan.cages.items()
        if len({frozenset(plan.segments[key].animals) for key in keys} - {frozenset()}) > 1
    ]
    if odd:
        yield _warning(f"animals: they differ between segments of the cages {_some(odd)}")


def _shared(plan: Plan) -> Iterator[Finding]:
    """Look for a file that the sheet names for two segments."""
    shared: dict[str, list[str]] = {}
    for file in sharing.all_shared(plan):
        cut = file.part == "video" and not all(plan.segments[key].part.whole for key in file.keys)
        shared.setdefault("parts" if cut else file.part, []).append(file.name)
    for part, paths in shared.items():
        if part == "parts":
            yield _warning(
                f"video: segments that share frames of the same file ({_some(paths)}): mend "
                "first_frame and last_frame, so that the parts of a video do not overlap"
            )
        else:
            yield _warning(f"{part}: the same file for several segments ({_some(paths)})")


def _corrections(plan: Plan) -> Iterator[Finding]:
    """Look for what people said that nobody would hear."""
    answers = plan.answers
    unknown = {
        " ".join(key): line
        for key, line in (answers.segments() if answers else {}).items()
        if key not in plan.segments
    }
    if answers and unknown:
        lines = _some(f"{name or '(no name)'} in line {line}" for name, line in unknown.items())
        yield _warning(
            f"{answers.path}: {counted(len(unknown), 'segment is', 'segments are')} not in the "
            f"sheet ({lines}): what is "
            "said of them is not heard. Mend the columns cage and segment"
        )
    if answers and (faults := answers.faults):
        more = f" And {len(faults) - SHOWN:,} more." if len(faults) > SHOWN else ""
        yield _warning(
            f"{' '.join(map(str, faults[:SHOWN]))}{more} What these rows say is not heard, and "
            "their segments say so"
        )
    if answers and answers.remark:
        yield _warning(f"{answers.path}: columns {answers.remark}")
    for path in {path for key in plan.segments if (path := plan.source(key, "corrections"))}:
        if not os.path.isfile(path):
            yield _warning(f"corrections: the file {path} {_lack(path)}")
    for path, (keys, named) in plan.unheard.items():
        yield _warning(
            f"{path}: the sheet names these corrections for {_some(map(' '.join, keys))}, and what "
            f"they say of {_some(named)} is not heard. Mend the columns cage and segment, or the "
            "sheet"
        )
    default, others = plan.settings.identify.default, plan.settings.identify.methods
    obeying = registry.obeying()
    unheard = [
        " ".join(key)
        for key in plan.corrected
        if default not in obeying and not (plan.has_annotations(key) and {*others} & {*obeying})
    ]
    if unheard:
        yield _warning(
            f"corrections: no method obeys those of {counted(len(unheard), 'segment')} "
            f"({_some(unheard)}); "
            f"make {' or '.join(obeying)} identify.default"
        )


def copies(plan: Plan, fingerprint: Callable[[str], str]) -> Iterator[Finding]:
    """Look for files that hold the same under the names of several segments.

    Parameters
    ----------
    plan
        The plan of the run.
    fingerprint
        Tells what a file holds in short; "" where that is not known, or it is empty.
    """
    same: dict[tuple[str, str], list[str]] = {}
    for file in sharing.files(plan):
        path = file.paths[0]
        if held := fingerprint(path):
            same.setdefault((file.part, held), []).append(path)
    for (part, _), paths in same.items():
        if len(paths) > 1:
            yield _warning(
                f"{part}: {_some(paths)} hold the same: one is probably a copy of the other, "
                "under the name of another segment"
            )


def _lengths(plan: Plan) -> Iterator[Finding]:
    """Compare the snippets with how long segments are said to be."""
    end = plan.settings.longest_segment * 3600
    late = [pair for pair in plan.settings.evaluate.snippets or () if pair[0] > end]
    if late:
        yield _warning(
            f"evaluate.snippets: {_some(late)} s begin after longest_segment, {end:g} s: mend one "
            "of them"
        )


def check(plan: Plan) -> list[Finding]:
    """Return the warnings of a plan, of which perhaps not all is to run.

    Raises
    ------
    SeveralErrors
        With all faults at once, a line each, if the run cannot work.
    """
    findings = look(plan, whole=False)
    expected = "settings, sheet and files that fit each other"
    fatal = [InputError("preflight", f.text.rstrip("."), expected) for f in findings if f.fatal]
    if fatal:
        raise SeveralErrors(fatal)
    return findings
