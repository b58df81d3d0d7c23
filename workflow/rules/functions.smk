# Functions that single rules look things up with; what several share is in common.smk.


def published(*names):
    """Return inputs: the published models that methods need, by name.

    Whether they are new is told by their digests, another input: by date they never are.
    """
    needed = {*names} & {*registry.needing("path_model")}
    return {name: ancient(path) for name, path in COPIES.items() if needed or name != "path_model"}


def answered(*names):
    """Return an input: what people answered of a segment, for methods that obey it."""
    if not PLAN.corrected or not {*names} & {*registry.obeying()}:
        return {}
    return {
        "corrections": lambda wildcards: tables(
            "corrections", [key for key in [JOBS.key_of(wildcards)] if key in PLAN.corrected]
        )
    }


def answers(wildcards, input):
    """Return a parameter: the same as an option of a command, where anybody was asked."""
    return repeated("--corrections", input.get("corrections", []))


def cage_tables(name, batch, cages=None):
    """Return the paths of a table of each cage of a batch, or of those that are among ``cages``."""
    return [
        f"<results>/cages/{cage}/{name}.parquet"
        for cage in PLAN.batches[batch]
        if cages is None or cage in cages
    ]


def if_logged(**paths):
    """Return inputs or outputs, which there are only where readings are in antenna logs."""
    return paths if PLAN.logs else {}


def if_filmed(path):
    """Return an input function: a table, if there are annotated videos to make it of."""
    return lambda wildcards: [path] if JOBS.filmed() else []


def if_told(path):
    """Return an input: a table, if the report tells what animals did."""
    return [path] if JOBS.told_of else []


def folds(name):
    """Return a table of every cage that has annotated segments, each cage left out in turn."""
    cages = dict.fromkeys(cage for cage, _ in JOBS.studied)
    return [f"<results>/study/folds/{cage}/{name}.parquet" for cage in cages]


def drawn(path):
    """Return an input: whole assignments, if any can be drawn of the method that names animals."""
    return {"draws": path} if DEFAULT in registry.drawn() else {}
