# All cages, in one table of metrics and one page.


rule report:
    """Write the table of metrics and the page that explains it."""
    input:
        counts=expand("<results>/batches/{batch}/counts.parquet", batch=PLAN.batches),
        summaries=expand("<results>/batches/{batch}/summaries.parquet", batch=PLAN.batches),
        reliability=expand("<results>/batches/{batch}/reliability.parquet", batch=PLAN.batches),
        stretches=expand("<results>/batches/{batch}/stretches.parquet", batch=PLAN.batches),
        transforms="<results>/transforms.parquet",
        weights=ancient(COPIES["weights"]),
        calibration_points="<results>/calibration/points.parquet",
        calibration_residuals="<results>/calibration/residuals.parquet",
        detector_validation=if_filmed("<results>/detector_validation.parquet"),
        detector_metrics=if_filmed("<results>/detector_metrics.parquet"),
    output:
        page="<results>/report/index.html",
        metrics=multiext("<results>/report/metrics", ".csv", ".parquet"),
        reliability="<results>/report/reliability.csv",
        segments="<results>/report/segments.csv",
        review="<results>/report/review.csv",
    log:
        "<logs>/report.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        counts=lambda wildcards, input: repeated("--counts", input.counts),
        summaries=lambda wildcards, input: repeated("--summaries", input.summaries),
        reliability=lambda wildcards, input: repeated("--reliability", input.reliability),
        stretches=lambda wildcards, input: repeated("--stretches", input.stretches),
        detector=lambda wildcards, input: [
            *repeated("--detector-validation", input.detector_validation),
            *repeated("--detector-metrics", input.detector_metrics),
        ],
        clips=rendered_clips,
        clips_digest=digest_of_clips,
        calibration=lambda wildcards, input: [
            f"--calibration-points={input.calibration_points}",
            f"--calibration-residuals={input.calibration_residuals}",
        ],
        folder=lambda wildcards, output: os.path.dirname(output.page),
        options=options_of(SETTINGS.report),
        code=code_of("report"),
    shell:
        "python -m murid report {params.counts:q} {params.summaries:q}"
        " {params.reliability:q} {params.stretches:q} {params.detector:q}"
        " {params.clips:q} --transforms {input.transforms:q} --weights {input.weights:q}"
        " {params.calibration:q} --output-dir {params.folder:q} {params.options:q}"
        " > {log:q} 2>&1"
