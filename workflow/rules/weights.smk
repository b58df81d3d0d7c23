# What a box looks like given an antenna, and how animals get about: fitted once, from annotated
# segments.


rule fit_weights:
    """Fit the visibility forest and the Gaussians to the annotated boxes."""
    input:
        positions=lambda wildcards: tables("positions", fitting()),
        annotations=lambda wildcards: annotation_tables(fitting()),
        transforms="<results>/transforms.parquet",
    output:
        weights="<results>/weights.json",
    log:
        "<logs>/fit_weights.log",
    conda:
        CPU
    threads: 2
    resources:
        mem_mb=growing(1000),
        runtime=growing(60),
        attempt=started,
    params:
        record=fit_record_of("fit_weights"),
        rigs=lambda wildcards: [PLAN.segments[key].rig for key in fitting()],
        segments=lambda wildcards, input: repeated(
            "--segment",
            [str(PLAN.segments[key].fps) for key in fitting()],
            input.positions,
            input.annotations,
            [PLAN.segments[key].rig for key in fitting()],
        ),
        animals=PLAN.animals,
        options=options_of(SETTINGS.grid, SETTINGS.image, SETTINGS.fit_weights),
        code=code_of("fit-weights"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " fit-weights {params.segments:q} --transforms {input.transforms:q}"
        " --animals {params.animals} --output {output.weights:q} {params.options:q}"
        " > {log:q} 2>&1"


use rule fit_weights as fit_weights_train with:
    input:
        positions=lambda wildcards: tables("positions", PLAN.annotated(("Train",))),
        annotations=lambda wildcards: annotation_tables(PLAN.annotated(("Train",))),
        transforms="<results>/transforms.parquet",
    output:
        weights="<results>/weights_train.json",
    log:
        "<logs>/fit_weights_train.log",
    params:
        record=fit_record_of("fit_weights_train"),
        segments=lambda wildcards, input: repeated(
            "--segment",
            [str(PLAN.segments[key].fps) for key in PLAN.annotated(("Train",))],
            input.positions,
            input.annotations,
            [PLAN.segments[key].rig for key in PLAN.annotated(("Train",))],
        ),
        animals=PLAN.animals,
        options=options_of(SETTINGS.grid, SETTINGS.image, SETTINGS.fit_weights),
        code=code_of("fit-weights"),


rule fit_path:
    """Fit how animals get from one tracklet to the next, and how sure names are."""
    input:
        detections=lambda wildcards: detection_tables(path_fitting()),
        tracklets=lambda wildcards: tracklet_tables(path_fitting()),
        positions=lambda wildcards: tables("positions", path_fitting()),
        annotations=lambda wildcards: annotation_tables(path_fitting()),
        weights=validating_weights(),
        naming_weights=WEIGHTS,
        transforms="<results>/transforms.parquet",
    output:
        path_model="<results>/path_model.json",
    log:
        "<logs>/fit_path.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000, per_hour=1500),
        runtime=growing(60),
        attempt=started,
    params:
        record=fit_record_of("fit_path"),
        segments=lambda wildcards, input: repeated(
            "--segment",
            [PLAN.segments[key].split for key in path_fitting()],
            [str(PLAN.segments[key].fps) for key in path_fitting()],
            input.detections,
            input.tracklets,
            input.positions,
            input.annotations,
            [PLAN.segments[key].rig for key in path_fitting()],
        ),
        weigh=options_of(SETTINGS.identify, model=settings.Paths),
        options=options_of(SETTINGS.grid, SETTINGS.image, SETTINGS.fit_path)
        + options_of(SETTINGS.evaluate, model=settings.Overlap),
        code=code_of("fit-path"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " fit-path {params.segments:q} --weights {input.weights:q}"
        " --naming-weights {input.naming_weights:q}"
        " --transforms {input.transforms:q} --output {output.path_model:q}"
        " {params.weigh:q} {params.options:q} > {log:q} 2>&1"
