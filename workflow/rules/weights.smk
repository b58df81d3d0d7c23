# What a box looks like given an antenna, and how animals get about: fitted once, from annotated
# segments.


rule fit_weights:
    """Fit the visibility forest and the Gaussians to the annotated boxes."""
    input:
        positions=lambda wildcards: tables(JOBS.positions_of, JOBS.fitting),
        annotations=lambda wildcards: tables(JOBS.annotations_of, JOBS.fitting),
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
        **given("fit-weights"),
        segments=each("fit-weights", lambda wildcards: JOBS.fitting),
        animals=PLAN.animals,
    shell:
        command("fit-weights")


use rule fit_weights as fit_weights_train with:
    input:
        positions=lambda wildcards: tables(JOBS.positions_of, PLAN.annotated(("Train",))),
        annotations=lambda wildcards: tables(JOBS.annotations_of, PLAN.annotated(("Train",))),
        transforms="<results>/transforms.parquet",
    output:
        weights="<results>/weights_train.json",
    log:
        "<logs>/fit_weights_train.log",
    params:
        **given("fit-weights", rule="fit_weights_train"),
        segments=each("fit-weights", lambda wildcards: list(PLAN.annotated(("Train",)))),
        animals=PLAN.animals,


rule learn_weights:
    """Learn where boxes are, and what they are like, from tracked detections and antennas alone."""
    input:
        detections=lambda wildcards: tables(JOBS.detections_of, JOBS.learning),
        tracklets=lambda wildcards: tables(JOBS.tracklets_of, JOBS.learning),
        positions=lambda wildcards: tables(JOBS.positions_of, JOBS.learning),
        transforms="<results>/transforms.parquet",
        points="<results>/calibration/points.parquet",
    output:
        weights="<results>/weights_learnt.json",
    log:
        "<logs>/learn_weights.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000, per_hour=1500),
        runtime=growing(60),
        attempt=started,
    params:
        **given("learn-weights"),
        segments=each("learn-weights", lambda wildcards: JOBS.learning),
        animals=PLAN.animals,
    shell:
        command("learn-weights", "points")


rule fit_path:
    """Fit how animals get from one tracklet to the next, and how sure names are."""
    input:
        detections=lambda wildcards: tables(JOBS.detections_of, JOBS.path_fitting),
        tracklets=lambda wildcards: tables(JOBS.tracklets_of, JOBS.path_fitting),
        positions=lambda wildcards: tables(JOBS.positions_of, JOBS.path_fitting),
        annotations=lambda wildcards: tables(JOBS.annotations_of, JOBS.path_fitting),
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
        **given("fit-path"),
        segments=each("fit-path", lambda wildcards: JOBS.path_fitting),
    shell:
        command("fit-path", "naming_weights")
