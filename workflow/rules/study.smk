# What the settings rest on, measured on the annotated segments: `snakemake weights_study
# tune_tracker identify_study`.

NOTE = ("--note", SETTINGS.report.note) if SETTINGS.report.note else ()


rule weights_study:
    """Compare the choices behind the weights, as a page."""
    input:
        positions=lambda wildcards: tables(JOBS.positions_of, JOBS.studied),
        annotations=lambda wildcards: tables(JOBS.annotations_of, JOBS.studied),
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
        **given("study weights"),
        segments=each("study weights", lambda wildcards: JOBS.studied),
        output_dir=lambda wildcards, output: os.path.dirname(output.page),
        note=NOTE,
    shell:
        command("study weights", written=["note"])


rule study_fold:
    """Leave a cage out, learn from the others, and evaluate every method on it."""
    input:
        detections=lambda wildcards: tables(JOBS.detections_of, JOBS.studied),
        tracklets=lambda wildcards: tables(JOBS.tracklets_of, JOBS.studied),
        positions=lambda wildcards: tables(JOBS.positions_of, JOBS.studied),
        annotations=lambda wildcards: tables(JOBS.annotations_of, JOBS.studied),
        transforms="<results>/transforms.parquet",
    output:
        counts="<results>/study/folds/{cage}/counts.parquet",
        reliability="<results>/study/folds/{cage}/reliability.parquet",
        missed="<results>/study/folds/{cage}/missed.parquet",
    log:
        "<logs>/study_fold/{cage}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(240),
    params:
        **given("study fold"),
        cage=lambda wildcards: wildcards.cage,
        segments=each("study fold", lambda wildcards: JOBS.studied),
        animals=PLAN.animals,
    shell:
        command("study fold")


rule identify_study:
    """Compare every method on cages that were left out, as a page."""
    input:
        counts=lambda wildcards: folds("counts"),
        reliability=lambda wildcards: folds("reliability"),
        missed=lambda wildcards: folds("missed"),
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
            "missed.csv",
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
        **given("study identify"),
        output_dir=lambda wildcards, output: os.path.dirname(output.page),
        note=NOTE,
    shell:
        command("study identify", written=["note"])


rule sweep_tracker:
    """Track, identify and evaluate a segment under every pair of the tracker's settings."""
    input:
        detections=DETECTIONS,
        positions=POSITIONS,
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
        **given("study sweep"),
    shell:
        command("study sweep")


rule tune_tracker:
    """Compare the tracker's settings over all segments, as a page."""
    input:
        counts=lambda wildcards: tables("tracker_sweep", JOBS.studied),
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
        **given("study tracker"),
        output_dir=lambda wildcards, output: os.path.dirname(output.page),
        note=NOTE,
    shell:
        command("study tracker", written=["note"])
