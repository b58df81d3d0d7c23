# How a run begins, what it does with what an earlier one left, and how it ends.

import itertools
import signal
import threading

from snakemake.exceptions import InputFunctionException

from murid.run import guard
from murid.numbers import counted
from murid.verdicts import told

MOST_COPIES = 5
REPORT = os.path.join(SETTINGS.results, "report", "index.html")
LISTS = [
    os.path.join(SETTINGS.results, *parts)
    for parts in (["report", "segments.csv"], ["segments.csv"])
]
FAILED = guard.failures(SETTINGS.results) if workflow.is_main_process else []


def prepare_run(*arguments, **options):
    """Set what holds for every run, with or without a profile, then run.

    Settings of a run are known after rules are, and before jobs are: here.
    """
    # What is there is whole: results are written under temporary names. What a killed run was making
    # is made again, and no lock of its must be removed by hand; ours ends with the process.
    workflow.dag_settings.force_incomplete = True
    workflow.execution_settings.lock = False
    # A job that is killed is started again, and once more to say that its segment failed.
    tries = max(workflow.execution_settings.retries + 1, guard.LEAST_TRIES)
    os.environ[guard.TRIES] = str(tries)
    for each in workflow.rules:
        if "attempt" in each.resources:
            each.restart_times = tries
    return run_as_it_is(*arguments, **options)


def plan_again():
    """Plan what failed in an earlier run again, then the rest."""
    workflow.dag.forcefiles.update(path for record in FAILED for path in record["outputs"])
    try:
        build_as_it_is()
    except InputFunctionException as error:
        # What the user has to mend is told in a line; where it was found out is no help.
        for text in JOBS.lacking:
            if text in str(error):
                raise WorkflowError(text) from None
        raise
    # What files hold is known now.
    for finding in itertools.islice(preflight.copies(PLAN, FINGERPRINTS.of_kept), MOST_COPIES):
        print(f"murid: {finding}", file=sys.stderr)
    if again := [record["reason"] for record in planned(FAILED)]:
        print(
            counted(len(again), "job that failed before is", "jobs that failed before are")
            + " tried again:",
            file=sys.stderr,
        )
        print(shortened(again), file=sys.stderr)


if workflow.is_main_process:
    run_as_it_is, workflow.execute = workflow.execute, prepare_run
    build_as_it_is, workflow._build_dag = workflow._build_dag, plan_again


def stop_gracefully():
    """Let SIGTERM end the run once the jobs under way are done.

    Snakemake's own handler takes locks, which the thread that it interrupts may hold: then the run
    would hang for good. A thread of its own can wait for them.
    """
    stop = signal.getsignal(signal.SIGTERM)
    if callable(stop):
        signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=stop).start())


def planned(records):
    """Return those records of failed jobs that are of jobs of this run."""
    if not records:
        return []
    outputs = {path for job in workflow.dag.jobs for path in job.output}
    return [record for record in records if not outputs.isdisjoint(record["outputs"])]


def shortened(reasons, most=5):
    """Return the first reasons, a line each, and how many there are beyond."""
    lines = reasons[:most]
    if len(reasons) > most:
        lines.append(f"and {len(reasons) - most:,} more")
    return "\n".join(f"  {line}" for line in lines)


def makes(path):
    """Tell whether a file is among what this run makes, or has found made."""
    return any(path in job.output for job in workflow.dag.jobs)


def tell_segments():
    """Tell what became of all segments, by the list of them that this run makes, if it does."""
    if listed := next(filter(makes, LISTS), None):
        for line in told.lines(Path(listed), SETTINGS.results, DEFAULT):
            print(f"murid: {line}", file=sys.stderr)


def tell_failures():
    """Return how many jobs of this run failed and ended as verdicts, and why."""
    failed = [record["reason"] for record in planned(guard.failures(SETTINGS.results))]
    if not failed:
        return ""
    where = f" {REPORT} lists those segments first." if makes(REPORT) else ""
    return (
        counted(
            len(failed),
            "job failed, and only what needs it with it",
            "jobs failed, and only what needs them with them",
        )
        + f".{where} Running again tries again what failed.\n{shortened(failed)}"
    )


onstart:
    gc.freeze()
    gc.enable()
    stop_gracefully()
    try:
        lock.acquire(SETTINGS.results)
        record.write(SETTINGS.results, SETTINGS.archive, plan.sheet_path(SETTINGS), DEFAULT)
    except InputError as error:
        raise WorkflowError(str(error)) from None


onsuccess:
    tell_segments()
    if failures := tell_failures():
        raise WorkflowError(failures)
    if makes(REPORT):
        print(f"murid: how well it went stands in {REPORT}", file=sys.stderr)


onerror:
    if failures := tell_failures():
        print(failures, file=sys.stderr)
