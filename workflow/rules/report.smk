# All cages, in one table of metrics and one page.


rule report:
    """Write the table of metrics and the page that explains it."""
    input:
        counts=expand("<results>/cages/{cage}/counts.parquet", cage=PLAN.cages),
        summaries=expand("<results>/cages/{cage}/summaries.parquet", cage=PLAN.cages),
        reliability=expand("<results>/cages/{cage}/reliability.parquet", cage=PLAN.cages),
        stretches=expand("<results>/cages/{cage}/stretches.parquet", cage=PLAN.cages),
        transforms="<results>/transforms.parquet",
        detector_metrics=lambda wildcards: (
            ["<results>/detector_metrics.parquet"] if filmed(*settings.SPLITS) else []
        ),
    output:
        page="<results>/report/index.html",
        metrics=multiext("<results>/report/metrics", ".csv", ".parquet"),
        reliability="<results>/report/reliability.csv",
        segments="<results>/report/segments.csv",
        review="<results>/report/review.csv",
    log:
        "<logs>/report.log",
    benchmark:
        "<benchmarks>/report.tsv"
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        counts=lambda wildcards, input: repeated("--counts", input.counts),
        summaries=lambda wildcards, input: repeated("--summaries", input.summaries),
        reliability=lambda wildcards, input: repeated("--reliability", input.reliability),
        stretches=lambda wildcards, input: repeated("--stretches", input.stretches),
        detector=lambda wildcards, input: repeated("--detector-metrics", input.detector_metrics),
        folder=lambda wildcards, output: os.path.dirname(output.page),
        options=options_of(SETTINGS.report),
        code=code_of("report"),
    shell:
        "python -m murid report {params.counts:q} {params.summaries:q}"
        " {params.reliability:q} {params.stretches:q} {params.detector:q}"
        " --transforms {input.transforms:q} --output-dir {params.folder:q} {params.options:q}"
        " > {log:q} 2>&1"
