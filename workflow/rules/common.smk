# What all rules share: the plan of the run, and small functions that look things up in it.

import atexit
import functools
import gc
import math
import os
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# The package is used from where it lies, here and in every job, installed or not.
PACKAGE_ROOT = str(Path(workflow.current_basedir).parent)
sys.path.insert(0, PACKAGE_ROOT)

from murid import configuration, fingerprints, lock, plan, preflight, provenance, settings, sheet
from murid.choice import spread_over
from murid.errors import InputError

# A plan of many thousand jobs is millions of objects that stay. Looking through them for rubbish, as
# Python does after every few hundred new ones, is a third of the time it takes to make them; and to
# take them apart one by one, when all is done, a seventh.
gc.disable()
atexit.register(gc.freeze)

try:
    if workflow.is_main_process:
        for path in workflow.configfiles:
            if Path(path).suffix != ".json":
                configuration.read(path)
        plan.refresh_sheet(config)
    PLAN = plan.load(config)
    if workflow.is_main_process:
        for finding in preflight.check(PLAN):
            print(f"murid: {finding}", file=sys.stderr)
except InputError as error:
    raise WorkflowError(str(error)) from None

SETTINGS = PLAN.settings
# Beside what Snakemake keeps of earlier runs, which is of this folder too.
FINGERPRINTS = fingerprints.Fingerprints(Path(".snakemake", "fingerprints.json"))
if workflow.is_main_process:
    atexit.register(FINGERPRINTS.keep)
DEFAULT = SETTINGS.identify.default
OTHERS = [*(name for name in SETTINGS.identify.methods if name != DEFAULT), "oracle"]
DETECTOR = SETTINGS.detector or "<results>/detector.safetensors"
WEIGHTS = SETTINGS.weights or "<results>/weights.json"
PATH_MODEL = SETTINGS.path_model or "<results>/path_model.json"
# Without a way to make environments, Snakemake would look at them for every job all the same.
DEPLOYED = bool(workflow.deployment_settings.deployment_method)
CPU = "../../envs/cpu.yaml" if DEPLOYED else None
CUDA = "../../envs/cuda.yaml" if DEPLOYED else None


pathvars:
    results=SETTINGS.results,
    logs="<results>/logs",
    segment="<results>/segments/{cage}/{segment}",
    cage="<results>/cages/{cage}",
    batch="<results>/batches/{batch}",


wildcard_constraints:
    cage=sheet.NAME.pattern,
    segment=sheet.NAME.pattern,
    batch=r"\d+",


def job_environment():
    """Return the shell commands that let a job find the package and its Python."""
    exports = [f"PYTHONPATH={shlex.quote(PACKAGE_ROOT)}", "PYTHONSAFEPATH=1"]
    # Threads that wait by spinning slow each other down by far where cores are shared.
    exports.append("OMP_WAIT_POLICY=PASSIVE")
    # A log on a disk that is full keeps nothing: what must be known is said here as well.
    exports.append("MURID_CONSOLE=3")
    if not DEPLOYED:
        # Without an environment of its own, a job runs in the one that Snakemake is installed in.
        exports.append(f"PATH={shlex.quote(os.path.dirname(sys.executable))}:$PATH")
    return f"set -euo pipefail; exec 3>&2; export {' '.join(exports)}; "


shell.prefix(job_environment().replace("{", "{{").replace("}", "}}"))


def code_of(command):
    """Return a parameter that changes with the code behind a command."""
    if workflow.is_main_process:
        return provenance.digest(command)
    # A job needs its own stage's digest only, and a function is not called before it is needed.
    return lambda wildcards: provenance.digest(command)


def options_of(*blocks, **choice):
    """Return a parameter: blocks of settings, written as options of a command."""
    # A tuple, since in texts and lists Snakemake takes braces for wildcards.
    return tuple(option for block in blocks for option in settings.options(block, **choice))


def record_of(rule, of_cage=False):
    """Return a parameter: where the guard of a command of one segment, or cage, keeps its record.

    With it, whatever goes wrong in the command ends as a verdict, and everything else goes on.
    """
    return f"{SETTINGS.results}/failed/{rule}/{{cage}}/" + ("cage" if of_cage else "{segment}")


def fit_record_of(rule):
    """Return a parameter: where the guard of a command for all segments keeps its record."""
    return f"{SETTINGS.results}/failed/{rule}/all/{rule}"


def started(wildcards, attempt):
    """Return a resource: how often a job was started, by which its guard knows if it was killed."""
    return attempt


def growing(amount, per_hour=0):
    """Return a resource that grows with the length of segments, and with every attempt.

    Amounts are two to three times what was measured on segments of half an hour.
    """
    whole = math.ceil(amount + per_hour * SETTINGS.longest_segment)
    return lambda wildcards, attempt: whole * attempt


def key_of(wildcards):
    """Return the names of a job's segment, which must be in the sheet."""
    key = (wildcards.cage, wildcards.segment)
    if key not in PLAN.segments:
        raise WorkflowError(f"{plan.sheet_path(SETTINGS)}: no cage {key[0]} with segment {key[1]}.")
    return key


def about(*columns, files=False):
    """Return a parameter: what the sheet says of a segment, written as options of a command.

    Its files, as far as the sheet names them, are among it if ``files`` is true.
    """

    def written(wildcards):
        key = key_of(wildcards)
        values = {column: getattr(PLAN.segments[key], column) for column in columns}
        if files:
            values |= PLAN.sources(key)
        options = [
            f"--{name}={','.join(value) if isinstance(value, tuple) else value}"
            for name, value in values.items()
            if value
        ]
        shared = PLAN.shared(key) if files else []
        return options + [f"--shared={text}" for text in shared]

    return written


def contents_of(paths):
    """Return a fingerprint of each of several files of the archive."""
    # A job is not asked whether it is stale.
    return [FINGERPRINTS.of(path) for path in paths] if workflow.is_main_process else []


def contents(*parts):
    """Return a parameter that changes with what a segment's files hold.

    They are no inputs: a file that the sheet names and nobody can find, or that vanishes, is a
    verdict on its segment and not the end of the run; and dates, which Snakemake goes by, may be
    kept, changed or of the future whatever a file holds.
    """
    return lambda wildcards: contents_of(
        path for part in parts if (path := PLAN.source(key_of(wildcards), part))
    )


def detections_of(key):
    """Return the name of a segment's table of detections."""
    return "detections.video" if PLAN.filmed(key) else "detections.archive"


def tracklets_of(key):
    """Return the name of a segment's table of tracklets."""
    return "tracklets" if PLAN.tracked(key) else "tracklets.archive"


def annotations_of(key):
    """Return the name of a segment's table of annotations, as what learns from them takes it."""
    return "annotations.compared" if PLAN.exists(key, "annotations") else "annotations"


def table_named_by(name_of):
    """Return an input: a segment's table, which is named by where it comes from.

    It is a function only where segments differ: to call one for every job of a large archive takes
    many times as long as to fill in a name.
    """
    names = {name_of(key) for key in PLAN.segments}
    if len(names) == 1:
        return f"<segment>/{names.pop()}.parquet"
    return lambda wildcards: f"<segment>/{name_of(key_of(wildcards))}.parquet"


DETECTIONS = table_named_by(detections_of)
TRACKLETS = table_named_by(tracklets_of)
ANNOTATIONS = table_named_by(annotations_of)


def tracklet_tables(segments):
    """Return the tables of tracklets of several segments."""
    return [path for key in segments for path in tables(tracklets_of(key), [key])]


def annotation_tables(segments):
    """Return the tables of annotations of several segments, as what learns from them takes them."""
    return [path for key in segments for path in tables(annotations_of(key), [key])]


def methods_of(key):
    """Return the methods that name a segment's animals.

    They are compared where there are annotations to compare with; elsewhere the default is all that
    anyone needs. The visual tracker needs a video too.
    """
    if not PLAN.exists(key, "annotations"):
        return [DEFAULT]
    seen = SETTINGS.visual.enabled and PLAN.exists(key, "video")
    return [DEFAULT, *OTHERS, *(["visual"] if seen else [])]


def detection_tables(segments):
    """Return the tables of detections of several segments."""
    return [path for key in segments for path in tables(detections_of(key), [key])]


@functools.cache
def filmed(*splits):
    """Return the segments of ``splits`` that a detector can be trained on, or judged by."""
    return list(PLAN.annotated(splits, filmed=True))


LACKING = []
"""What :func:`needed` missed; Snakemake wraps what is raised in an input function, more than once."""


def needed(segments, why):
    """Return ``segments``; that there are none is for the user to mend."""
    if not segments:
        LACKING.append(f"{plan.sheet_path(SETTINGS)}: {why}")
        raise WorkflowError(LACKING[-1])
    return segments


def training():
    """Return the segments that the detector is trained on; there must be some."""
    return needed(
        filmed("Train"),
        "no segment of split Train has both a video and annotations to train the detector on."
        " Annotate one, or set detector: to a trained detector.",
    )


@functools.cache
def fitting():
    """Return the segments that weights are fitted to; there must be some."""
    splits = SETTINGS.fit_weights.splits
    return needed(
        list(PLAN.annotated(splits)),
        f"no segment of split {' or '.join(splits)} has annotations to fit weights to."
        " Annotate one, or set weights: to fitted weights.",
    )


@functools.cache
def path_fitting():
    """Return the segments that the path model is fitted to; there must be some.

    As many of each split as are used, so that the others need not be tracked before.
    """
    chosen = [
        key
        for split in ("Train", "Validate")
        for key in spread_over(list(PLAN.annotated((split,))), SETTINGS.fit_path.max_segments)
    ]
    return needed(
        chosen,
        "no segment of split Train or Validate has annotations to fit the path model to."
        " Annotate one, set path_model: to a fitted one, or leave the methods ilp_tempered and path"
        " out of identify: methods and default.",
    )


def validating_weights():
    """Return weights that confidence can be learnt with: not fitted to Validate, if possible."""
    trained = list(PLAN.annotated(("Train",)))
    if SETTINGS.weights or not trained:
        return WEIGHTS
    return "<results>/weights_train.json"


@functools.cache
def studied():
    """Return the annotated segments of Train and Validate; there must be some."""
    return needed(
        list(PLAN.annotated(("Train", "Validate"))),
        "no segment of split Train or Validate has annotations to study.",
    )


def split_and_fps(key):
    """Return the split (none, if empty: Snakemake drops empty arguments) and the rate of a segment."""
    return PLAN.segments[key].split or "none", PLAN.segments[key].fps


def videos(segments):
    """Return the videos of several segments."""
    return [PLAN.source(key, "video") for key in segments]


def gpus(device):
    """Return how many GPUs a stage asks for."""
    return 0 if device == "cpu" else 1


def tables(name, segments):
    """Return the paths of a table of each of several segments."""
    return [f"<results>/segments/{cage}/{segment}/{name}.parquet" for cage, segment in segments]


def repeated(option, *columns):
    """Return an option of a command, repeated for each row of ``columns``."""
    return [part for row in zip(*columns, strict=True) for part in (option, *row)]
