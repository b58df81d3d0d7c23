# What the settings rest on, measured on the annotated segments: `snakemake weights_study
# tune_tracker identify_study`.


rule weights_study:
    """Compare the choices behind the weights, as a page."""
    input:
        positions=lambda wildcards: tables("positions", studied()),
        annotations=lambda wildcards: annotation_tables(studied()),
        transforms="<results>/transforms.parquet",
    output:
        page="<results>/study/weights.html",
        tables=multiext(
            "<results>/study/weights_",
            "context.csv",
            "predictors.csv",
            "covariances.csv",
            "sizes.csv",
        ),
    log:
        "<logs>/weights_study.log",
    conda:
        CPU
    threads: 2
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        segments=lambda wildcards, input: repeated(
            "--segment",
            [cage for cage, _ in studied()],
            [PLAN.segments[key].split for key in studied()],
            input.positions,
            input.annotations,
            [PLAN.segments[key].rig for key in studied()],
        ),
        folder=lambda wildcards, output: os.path.dirname(output.page),
        options=options_of(SETTINGS.grid, SETTINGS.fit_weights, leave_out=["splits"]),
        study=options_of(SETTINGS.study.weights),
        note=("--note", SETTINGS.report.note) if SETTINGS.report.note else (),
        code=code_of("study weights"),
    shell:
        "python -m murid study weights {params.segments:q} --transforms {input.transforms:q}"
        " --output-dir {params.folder:q} {params.options:q} {params.study:q}"
        " {params.note:q} > {log:q} 2>&1"


rule study_fold:
    """Leave a cage out, learn from the others, and evaluate every method on it."""
    input:
        detections=lambda wildcards: detection_tables(studied()),
        tracklets=lambda wildcards: tracklet_tables(studied()),
        positions=lambda wildcards: tables("positions", studied()),
        annotations=lambda wildcards: annotation_tables(studied()),
        transforms="<results>/transforms.parquet",
    output:
        counts="<results>/study/folds/{cage}/counts.parquet",
        reliability="<results>/study/folds/{cage}/reliability.parquet",
    log:
        "<logs>/study_fold/{cage}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(240),
    params:
        segments=lambda wildcards, input: repeated(
            "--segment",
            *zip(*studied(), strict=True),
            [PLAN.segments[key].split for key in studied()],
            [str(PLAN.segments[key].fps) for key in studied()],
            input.detections,
            input.tracklets,
            input.positions,
            input.annotations,
            [PLAN.segments[key].rig for key in studied()],
        ),
        animals=PLAN.animals,
        fit=options_of(SETTINGS.grid, SETTINGS.image, SETTINGS.fit_weights, SETTINGS.fit_path),
        solve=options_of(SETTINGS.identify, model=settings.Solve),
        weigh=options_of(SETTINGS.identify, model=settings.Paths),
        evaluate=options_of(SETTINGS.evaluate),
        study=options_of(SETTINGS.study.identify),
        code=code_of("study fold"),
    shell:
        "python -m murid study fold --cage {wildcards.cage} {params.segments:q}"
        " --transforms {input.transforms:q} --animals {params.animals}"
        " --output-counts {output.counts:q} --output-reliability {output.reliability:q}"
        " {params.fit:q} {params.solve:q} {params.weigh:q} {params.evaluate:q} {params.study:q}"
        " > {log:q} 2>&1"


rule identify_study:
    """Compare every method on cages that were left out, as a page."""
    input:
        counts=lambda wildcards: folds("counts"),
        reliability=lambda wildcards: folds("reliability"),
        weights=validating_weights(),
        path_model=PATH_MODEL,
    output:
        page="<results>/study/identify.html",
        tables=multiext(
            "<results>/study/identify_",
            "methods.csv",
            "weights.csv",
            "lag.csv",
            "motion.csv",
            "reliability.csv",
        ),
    log:
        "<logs>/identify_study.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        counts=lambda wildcards, input: repeated("--counts", input.counts),
        reliability=lambda wildcards, input: repeated("--reliability", input.reliability),
        folder=lambda wildcards, output: os.path.dirname(output.page),
        weigh=options_of(SETTINGS.identify, model=settings.Paths),
        study=options_of(SETTINGS.study.identify),
        note=("--note", SETTINGS.report.note) if SETTINGS.report.note else (),
        code=code_of("study identify"),
    shell:
        "python -m murid study identify {params.counts:q} {params.reliability:q}"
        " --weights {input.weights:q} --path-model {input.path_model:q}"
        " --output-dir {params.folder:q} {params.weigh:q} {params.study:q}"
        " {params.note:q} > {log:q} 2>&1"


rule sweep_tracker:
    """Track, identify and evaluate a segment under every pair of the tracker's settings."""
    input:
        detections=DETECTIONS,
        positions="<segment>/positions.parquet",
        annotations=ANNOTATIONS,
        weights=WEIGHTS,
        transforms="<results>/transforms.parquet",
    output:
        counts="<segment>/tracker_sweep.parquet",
    log:
        "<logs>/sweep_tracker/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(60),
    params:
        about=about("cage", "segment", "split", "fps", "rig"),
        age=SETTINGS.track.max_age,
        solve=options_of(SETTINGS.identify, model=settings.Solve),
        evaluate=options_of(SETTINGS.evaluate),
        study=options_of(SETTINGS.study.tracker),
        code=code_of("study sweep"),
    shell:
        "python -m murid study sweep {params.about:q} --detections {input.detections:q}"
        " --positions {input.positions:q} --annotations {input.annotations:q}"
        " --weights {input.weights:q} --transforms {input.transforms:q} --output {output.counts:q}"
        " --max-age {params.age} {params.solve:q} {params.evaluate:q} {params.study:q} > {log:q} 2>&1"


rule tune_tracker:
    """Compare the tracker's settings over all segments, as a page."""
    input:
        counts=lambda wildcards: tables("tracker_sweep", studied()),
    output:
        page="<results>/study/tracker.html",
        table="<results>/study/tracker.csv",
    log:
        "<logs>/tune_tracker.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        counts=lambda wildcards, input: repeated("--counts", input.counts),
        folder=lambda wildcards, output: os.path.dirname(output.page),
        track=options_of(SETTINGS.track, leave_out=["max_age"]),
        study=options_of(SETTINGS.study.tracker),
        note=("--note", SETTINGS.report.note) if SETTINGS.report.note else (),
        code=code_of("study tracker"),
    shell:
        "python -m murid study tracker {params.counts:q} --output-dir {params.folder:q}"
        " {params.track:q} {params.study:q} {params.note:q} > {log:q} 2>&1"
