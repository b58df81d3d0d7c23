# Tracklets, named.

NAMING = (
    *options_of(SETTINGS.grid, SETTINGS.image),
    *options_of(SETTINGS.identify, model=settings.Solve),
    *options_of(SETTINGS.identify, model=settings.Paths),
)


MODELS = {"weights": WEIGHTS, "transforms": "<results>/transforms.parquet"}
if settings.NEED_PATH_MODEL & set([DEFAULT, *OTHERS]):
    MODELS["path_model"] = PATH_MODEL
COPIES = {
    name: f"<results>/models/{name}{os.path.splitext(path)[1]}" for name, path in MODELS.items()
}


rule models:
    """Publish the models that names rest on: copies, and a list of their digests.

    Every segment takes these, and depends on the list alone. What fits models has hundreds of
    inputs, through which Snakemake would look once for every segment; and models that are fitted
    anew and are the same as before leave the list, and with it all names, as they are.
    """
    input:
        **MODELS,
    output:
        **COPIES,
        digests="<results>/models.sha256",
    log:
        "<logs>/models.log",
    localrule: True
    conda:
        CPU
    threads: 1
    params:
        models=lambda wildcards, input, output: repeated("--model", input, output[: len(COPIES)]),
        code=code_of("publish-models"),
    shell:
        "python -m murid publish-models {params.models:q} --output {output.digests:q}"
        " > {log:q} 2>&1"


rule identify:
    """Name a segment's tracklets by the default method."""
    input:
        **published(DEFAULT),
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions="<segment>/positions.parquet",
        digests="<results>/models.sha256",
    output:
        identities=f"<segment>/identities/{DEFAULT}.parquet",
        posteriors="<segment>/posteriors.parquet",
    log:
        "<logs>/identify/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=1200),
        runtime=growing(5, per_hour=20),
        attempt=started,
    params:
        record=record_of("identify"),
        about=about("fps", "rig"),
        method=DEFAULT,
        options=NAMING,
        code=code_of("identify"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " identify --detections {input.detections:q}"
        " --tracklets {input.tracklets:q} --positions {input.positions:q}"
        " --output {params.method:q} {output.identities:q} --output-posteriors {output.posteriors:q}"
        f"{model_options(DEFAULT)} {{params.about:q}} {{params.options:q}} > {{log:q}} 2>&1"


rule identify_others:
    """Name a segment's tracklets by the other methods and by the oracle, to compare."""
    input:
        **published(*OTHERS),
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions="<segment>/positions.parquet",
        annotations=ANNOTATIONS,
        digests="<results>/models.sha256",
    output:
        identities=expand("<segment>/identities/{method}.parquet", method=OTHERS),
    log:
        "<logs>/identify_others/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=1200),
        runtime=growing(5, per_hour=60),
        attempt=started,
    params:
        record=record_of("identify_others"),
        about=about("fps", "rig"),
        outputs=lambda wildcards, output: repeated("--output", OTHERS, output.identities),
        options=NAMING + options_of(SETTINGS.evaluate, model=settings.Overlap),
        code=code_of("identify"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " identify --detections {input.detections:q}"
        " --tracklets {input.tracklets:q} --positions {input.positions:q}"
        " --annotations {input.annotations:q} {params.outputs:q} {params.about:q}"
        f"{model_options(*OTHERS)}"
        " {params.options:q} > {log:q} 2>&1"
