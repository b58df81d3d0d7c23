# Where names are uncertain, for a human to look at.


rule review:
    """List the stretches of a cage in which a name is uncertain."""
    input:
        tracklets=lambda wildcards: tables(JOBS.tracklets_of, PLAN.cages[wildcards.cage]),
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
        **given("review"),
        segments=each("review", lambda wildcards: PLAN.cages[wildcards.cage]),
    shell:
        command("review", "segments")
