# What all rules share: the plan of the run, and what looks things up in it (murid.run.jobs).

import atexit
import gc
import os
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# The package is used from where it lies, here and in every job, installed or not.
PACKAGE_ROOT = str(Path(workflow.current_basedir).parent)
sys.path.insert(0, PACKAGE_ROOT)

from murid.run import configuration, fingerprints, lock, plan, preflight, record
from murid import settings, sheet
from murid.run.command_line import shell as command
from murid.errors import InputError
from murid.exports import files as exports
from murid.identify import registry
from murid.run.jobs import Jobs, listed, repeated, started

# A plan of many thousand jobs is millions of objects that stay. Looking through them for rubbish, as
# Python does after every few hundred new ones, is a third of the time it takes to make them; and to
# take them apart one by one, when all is done, a seventh.
gc.disable()
atexit.register(gc.freeze)

try:
    PLACES = {}
    if workflow.is_main_process:
        # The file that the Snakefile names is last, and gives way to the others.
        files = [path for path in workflow.configfiles if Path(path).suffix != ".json"]
        PLACES = configuration.places([*files[-1:], *files[:-1]], workflow.config_settings.config)
        plan.refresh_sheet(config, PLACES)
    PLAN = plan.load(config, PLACES)
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
JOBS = Jobs(PLAN, FINGERPRINTS, planning=workflow.is_main_process)
DEFAULT, OTHERS = JOBS.default, JOBS.others
DETECTOR = SETTINGS.detector or "<results>/detector.safetensors"
FITTED = {"use": "<results>/weights.json", "none": "<results>/weights_learnt.json"}
WEIGHTS = SETTINGS.weights or FITTED[SETTINGS.fit_weights.annotations]
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
    antenna_log=sheet.NAME.pattern,
    video=sheet.NAME.pattern,
    clock=r"[A-Za-z0-9._+-]+",


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


given, each, growing, tables = JOBS.given, JOBS.each, JOBS.growing, JOBS.tables
DETECTIONS = JOBS.table_named_by(JOBS.detections_of)
POSITIONS = JOBS.table_named_by(JOBS.positions_of)
TRACKLETS = JOBS.table_named_by(JOBS.tracklets_of)
ANNOTATIONS = JOBS.table_named_by(JOBS.annotations_of)


def validating_weights():
    """Return weights that confidence can be learnt with: not fitted to Validate, if possible."""
    trained = list(PLAN.annotated(("Train",)))
    if WEIGHTS != FITTED["use"] or not trained:
        return WEIGHTS
    return "<results>/weights_train.json"


def gpus(device):
    """Return how many GPUs a stage asks for."""
    return 0 if device == "cpu" else 1
