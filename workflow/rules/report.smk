# All cages, in one table of metrics and one page; and what of them got worse than its limits.


rule report:
    """Write the table of metrics, the page that explains it, and what got worse."""
    input:
        counts=expand("<results>/batches/{batch}/counts.parquet", batch=PLAN.batches),
        summaries=expand("<results>/batches/{batch}/summaries.parquet", batch=PLAN.batches),
        reliability=expand("<results>/batches/{batch}/reliability.parquet", batch=PLAN.batches),
        stretches=expand("<results>/batches/{batch}/stretches.parquet", batch=PLAN.batches),
        health=expand(
            "<results>/batches/{batch}/health.parquet",
            batch=PLAN.batches if PLAN.logs else [],
        ),
        hours=if_told("<results>/animals/hours.parquet"),
        figures=expand("<results>/cages/{cage}/animal_figures.parquet", cage=JOBS.told_of),
        pages=expand("<results>/report/cages/{cage}.html", cage=JOBS.told_of),
        transforms="<results>/transforms.parquet",
        weights=ancient(COPIES["weights"]),
        calibration_points="<results>/calibration/points.parquet",
        calibration_residuals="<results>/calibration/residuals.parquet",
        detector_validation=if_filmed("<results>/detector_validation.parquet"),
        detector_metrics=if_filmed("<results>/detector_metrics.parquet"),
    output:
        **if_logged(health="<results>/report/health.csv"),
        page="<results>/report/index.html",
        metrics=multiext("<results>/report/metrics", ".csv", ".parquet"),
        reliability="<results>/report/reliability.csv",
        segments="<results>/report/segments.csv",
        review="<results>/report/review.csv",
        cages="<results>/report/cages.csv",
        alerts="<results>/report/alerts.csv",
    log:
        "<logs>/report.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        **given("report"),
        detector_validation=listed("detector_validation", "--detector-validation"),
        detector_metrics=listed("detector_metrics", "--detector-metrics"),
        hours=listed("hours", "--hours"),
        clips=JOBS.rendered_clips,
        proofread=JOBS.page_that_asks,
        clips_digest=JOBS.digest_of_clips,
        output_dir=lambda wildcards, output: os.path.dirname(output.page),
    shell:
        command(
            "report",
            "transforms",
            "weights",
            "calibration_points",
            "calibration_residuals",
            written=["detector_validation", "detector_metrics", "hours", "clips", "proofread"],
        )
