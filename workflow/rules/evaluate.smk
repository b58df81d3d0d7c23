# Every method, compared with the annotations: a segment at a time, then joined a cage at a time, and
# then some dozens of cages at a time.


rule evaluate:
    """Count what each method got right in a segment's annotated frames."""
    input:
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions="<segment>/positions.parquet",
        annotations=ANNOTATIONS,
        identities=lambda wildcards: [
            f"<segment>/identities/{method}.parquet" for method in methods_of(key_of(wildcards))
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
        record=record_of("evaluate"),
        about=about("cage", "segment", "split", "fps"),
        identities=lambda wildcards, input: repeated(
            "--identities", methods_of(key_of(wildcards)), input.identities
        ),
        default=SETTINGS.identify.default,
        options=options_of(SETTINGS.evaluate),
        code=code_of("evaluate"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " evaluate {params.about:q} --detections {input.detections:q}"
        " --tracklets {input.tracklets:q} --positions {input.positions:q}"
        " --annotations {input.annotations:q} {params.identities:q} --default {params.default:q}"
        " --output-animals {output.animals:q} --output-detections {output.detections:q}"
        " --output-summary {output.summary:q} {params.options:q} > {log:q} 2>&1"


rule aggregate:
    """Join the outcomes of a cage's segments into counts, reliability and summaries."""
    input:
        animals=lambda wildcards: tables("animal_outcomes", PLAN.cages[wildcards.cage]),
        detections=lambda wildcards: tables("detection_outcomes", PLAN.cages[wildcards.cage]),
        summaries=lambda wildcards: tables("summary", PLAN.cages[wildcards.cage]),
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
        record=record_of("aggregate", of_cage=True),
        segments=lambda wildcards, input: repeated(
            "--segment",
            *zip(*PLAN.cages[wildcards.cage], strict=True),
            *zip(*map(split_and_fps, PLAN.cages[wildcards.cage]), strict=True),
            input.animals,
            input.detections,
            input.summaries,
        ),
        code=code_of("aggregate"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " aggregate {params.segments:q} --output-counts {output.counts:q}"
        " --output-reliability {output.reliability:q}"
        " --output-summaries {output.summaries:q} > {log:q} 2>&1"


rule join:
    """Stack the tables of some dozens of cages, so that the report opens few files."""
    input:
        counts=lambda wildcards: cage_tables("counts", wildcards.batch),
        reliability=lambda wildcards: cage_tables("reliability", wildcards.batch),
        summaries=lambda wildcards: cage_tables("summaries", wildcards.batch),
        stretches=lambda wildcards: cage_tables("stretches", wildcards.batch),
    output:
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
        tables=lambda wildcards, input: [
            part
            for name in ("counts", "reliability", "summaries", "stretches")
            for part in repeated("--table", [name] * len(input[name]), input[name])
        ],
        outputs=lambda wildcards, output: repeated("--output", output.keys(), output),
        code=code_of("join"),
    shell:
        "python -m murid join {params.tables:q} {params.outputs:q} > {log:q} 2>&1"
