# Every method, compared with the annotations: a segment at a time, then joined a cage at a time, and
# then some dozens of cages at a time.


rule evaluate:
    """Count what each method got right in a segment's annotated frames."""
    input:
        **answered(DEFAULT, *OTHERS),
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions=POSITIONS,
        annotations=ANNOTATIONS,
        identities=lambda wildcards: [
            f"<segment>/identities/{name}.parquet"
            for name in JOBS.named(JOBS.key_of(wildcards)).values()
        ],
    output:
        animals="<segment>/animal_outcomes.parquet",
        detections="<segment>/detection_outcomes.parquet",
        summary="<segment>/summary.parquet",
    log:
        "<logs>/evaluate/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=400),
        runtime=growing(5, per_hour=10),
        attempt=started,
    params:
        **given("evaluate"),
        identities=lambda wildcards, input: repeated(
            "--identities", JOBS.named(JOBS.key_of(wildcards)), input.identities
        ),
        default=lambda wildcards: JOBS.default_of(JOBS.key_of(wildcards)),
        corrections=answers,
    shell:
        command("evaluate", written=["corrections"])


rule aggregate:
    """Join the outcomes of a cage's segments into counts, reliability and summaries."""
    input:
        animals=lambda wildcards: tables("animal_outcomes", PLAN.cages[wildcards.cage]),
        detections=lambda wildcards: tables("detection_outcomes", PLAN.cages[wildcards.cage]),
        summary=lambda wildcards: tables("summary", PLAN.cages[wildcards.cage]),
    output:
        counts="<cage>/counts.parquet",
        reliability="<cage>/reliability.parquet",
        summaries="<cage>/summaries.parquet",
    log:
        "<logs>/aggregate/{cage}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(20),
        attempt=started,
    params:
        **given("aggregate"),
        members=each("aggregate", lambda wildcards: PLAN.cages[wildcards.cage], "members"),
    shell:
        command("aggregate", "members")


rule join:
    """Stack the tables of some dozens of cages, so that the report opens few files."""
    input:
        **if_logged(health=lambda wildcards: cage_tables("health", wildcards.batch, PLAN.logged)),
        counts=lambda wildcards: cage_tables("counts", wildcards.batch),
        reliability=lambda wildcards: cage_tables("reliability", wildcards.batch),
        summaries=lambda wildcards: cage_tables("summaries", wildcards.batch),
        stretches=lambda wildcards: cage_tables("stretches", wildcards.batch),
    output:
        **if_logged(health="<batch>/health.parquet"),
        counts="<batch>/counts.parquet",
        reliability="<batch>/reliability.parquet",
        summaries="<batch>/summaries.parquet",
        stretches="<batch>/stretches.parquet",
    log:
        "<logs>/join/{batch}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(20),
    params:
        **given("join"),
        parts=lambda wildcards, input: [
            part
            for name, paths in input.items()
            for part in repeated("--table", [name] * len(paths), paths)
        ],
        outputs=lambda wildcards, output: repeated("--output", output.keys(), output),
    shell:
        command("join")
