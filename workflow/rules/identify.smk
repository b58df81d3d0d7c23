# Tracklets, named.


def path_model_for(*methods):
    """Return the path model, if one of the methods needs it."""
    return [PATH_MODEL] if settings.NEED_PATH_MODEL & set(methods) else []


def path_model_option(*methods):
    """Return the name of the option that gives a command the path model, if it needs it."""
    return ["--path-model"] if path_model_for(*methods) else []


rule identify:
    """Name a segment's tracklets by the default method."""
    input:
        detections=detections,
        tracklets=tracklets,
        positions="<segment>/positions.parquet",
        weights=WEIGHTS,
        path_model=path_model_for(DEFAULT),
        transforms="<results>/transforms.parquet",
    output:
        identities=f"<segment>/identities/{DEFAULT}.parquet",
        posteriors="<segment>/posteriors.parquet",
    log:
        "<logs>/identify/{cage}/{segment}.log",
    benchmark:
        "<benchmarks>/identify/{cage}/{segment}.tsv"
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=1200),
        runtime=growing(5, per_hour=20),
    params:
        about=about("rig"),
        method=DEFAULT,
        path_model=path_model_option(DEFAULT),
        solve=options_of(SETTINGS.identify, model=settings.Solve),
        weigh=options_of(SETTINGS.identify, model=settings.Paths),
        code=code_of("identify"),
    shell:
        "python -m murid identify --detections {input.detections:q}"
        " --tracklets {input.tracklets:q} --positions {input.positions:q}"
        " --weights {input.weights:q}"
        " --transforms {input.transforms:q} {params.about:q}"
        " {params.path_model:q} {input.path_model:q} --output {params.method:q}"
        " {output.identities:q} --output-posteriors {output.posteriors:q}"
        " {params.solve:q} {params.weigh:q} > {log:q} 2>&1"


rule identify_others:
    """Name a segment's tracklets by the other methods and by the oracle, to compare."""
    input:
        detections=detections,
        tracklets=tracklets,
        positions="<segment>/positions.parquet",
        annotations="<segment>/annotations.parquet",
        weights=WEIGHTS,
        path_model=path_model_for(*OTHERS),
        transforms="<results>/transforms.parquet",
    output:
        identities=expand("<segment>/identities/{method}.parquet", method=OTHERS),
    log:
        "<logs>/identify_others/{cage}/{segment}.log",
    benchmark:
        "<benchmarks>/identify_others/{cage}/{segment}.tsv"
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=1200),
        runtime=growing(5, per_hour=60),
    params:
        about=about("rig"),
        outputs=lambda wildcards, output: repeated("--output", OTHERS, output.identities),
        path_model=path_model_option(*OTHERS),
        solve=options_of(SETTINGS.identify, model=settings.Solve),
        weigh=options_of(SETTINGS.identify, model=settings.Paths),
        code=code_of("identify"),
    shell:
        "python -m murid identify --detections {input.detections:q}"
        " --tracklets {input.tracklets:q} --positions {input.positions:q}"
        " --annotations {input.annotations:q} --weights {input.weights:q}"
        " --transforms {input.transforms:q} {params.about:q}"
        " {params.path_model:q} {input.path_model:q} {params.outputs:q} {params.solve:q} {params.weigh:q} > {log:q} 2>&1"
