# Functions that single rules look things up with; what several share is in common.smk.


def rates_of(*splits):
    """Return a parameter: the frames per second of the videos of splits, as options."""
    return lambda wildcards: repeated(
        "--fps", videos(filmed(*splits)), [PLAN.segments[key].fps for key in filmed(*splits)]
    )


def published(*methods):
    """Return inputs: the published models that methods need, by name.

    Whether they are new is told by their digests, another input: by date they never are.
    """
    needed = {*methods} & settings.NEED_PATH_MODEL
    return {name: ancient(path) for name, path in COPIES.items() if needed or name != "path_model"}


def model_options(*methods):
    """Return a part of a shell command: the published models that methods need, as options."""
    return "".join(
        f" --{name.replace('_', '-')} {{input.{name}:q}}" for name in published(*methods)
    )


def cage_tables(name, batch):
    """Return the paths of a table of each cage of a batch."""
    return [f"<results>/cages/{cage}/{name}.parquet" for cage in PLAN.batches[batch]]


def rendered_clips(wildcards):
    """Return the table of clips, if there are any, as an option of a command.

    Clips are asked for by themselves (`snakemake clips`): a report shows those that are there, and
    waits for none, so that they must not be an input.
    """
    path = os.path.join(SETTINGS.results, "report", "clips", "clips.parquet")
    return ["--clips", path] if os.path.isfile(path) else []


def digest_of_clips(wildcards):
    """Return a parameter that changes with the clips that a report shows."""
    return [plan.digest_file(path) for path in rendered_clips(wildcards)[1:]]


def if_filmed(path):
    """Return an input function: a table, if there are annotated videos to make it of."""
    return lambda wildcards: [path] if filmed(*settings.SPLITS) else []


def compared():
    """Return the methods that are shown side by side, at most four, the default first."""
    if SETTINGS.clips.methods:
        return list(SETTINGS.clips.methods)
    own = SETTINGS.identify
    others = [method for method in own.methods if method != own.default]
    if SETTINGS.visual.enabled:
        others[2:] = ["visual"]
    return [own.default, *others[:3]]


def shown(wildcards):
    """Return the methods that clips of a segment may show: the default alone if others lack."""
    methods = list(dict.fromkeys([SETTINGS.identify.default, *compared()]))
    return methods if set(methods) <= set(methods_of(key_of(wildcards))) else methods[:1]


def with_video():
    """Return the segments that clips can be made of; there must be some."""
    return needed(
        [key for key in PLAN.segments if PLAN.exists(key, "video")],
        "no segment has a video that is there, so there is nothing to show in clips.",
    )


def folds(name):
    """Return a table of every cage that has annotated segments, each cage left out in turn."""
    cages = dict.fromkeys(cage for cage, _ in studied())
    return [f"<results>/study/folds/{cage}/{name}.parquet" for cage in cages]
