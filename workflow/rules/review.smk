# Where names are uncertain, for a human to look at.


rule review:
    """List the stretches of a cage in which a name is uncertain."""
    input:
        tracklets=lambda wildcards: tracklet_tables(PLAN.cages[wildcards.cage]),
        posteriors=lambda wildcards: tables("posteriors", PLAN.cages[wildcards.cage]),
    output:
        stretches="<cage>/stretches.parquet",
    log:
        "<logs>/review/{cage}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(500, per_hour=400),
        runtime=growing(20),
        attempt=started,
    params:
        record=record_of("review", of_cage=True),
        segments=lambda wildcards, input: repeated(
            "--segment",
            [cage for cage, _ in PLAN.cages[wildcards.cage]],
            [segment for _, segment in PLAN.cages[wildcards.cage]],
            input.tracklets,
            input.posteriors,
            [PLAN.segments[key].fps for key in PLAN.cages[wildcards.cage]],
        ),
        options=options_of(SETTINGS.review),
        code=code_of("review"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " review {params.segments:q} --output {output.stretches:q}"
        " {params.options:q} > {log:q} 2>&1"
