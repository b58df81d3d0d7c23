# What comes in: each segment's files, judged and written as tables, and what people said of it.


rule check:
    """Read a segment's files, whatever their format, and give it a verdict."""
    output:
        positions="<segment>/positions.parquet",
        annotations="<segment>/annotations.parquet",
        detections="<segment>/archive_detections.parquet",
        tracklets="<segment>/archive_tracklets.parquet",
    log:
        "<logs>/check/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=400),
        runtime=growing(5, per_hour=20),
        attempt=started,
    params:
        **given("check"),
        shared=lambda wildcards: repeated("--shared", PLAN.shared(JOBS.key_of(wildcards))),
    shell:
        command("check", "output_detections", "output_tracklets", written=["shared"])


rule adopt_corrections:
    """Take what people answered of a segment's boxes, where anybody was asked."""
    output:
        corrections="<segment>/corrections.parquet",
    log:
        "<logs>/adopt_corrections/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400),
        runtime=growing(5),
        attempt=started,
    params:
        **given("adopt-corrections"),
        files=lambda wildcards: repeated("--file", PLAN.corrected[JOBS.key_of(wildcards)]),
        said=JOBS.said,
    shell:
        command("adopt-corrections", "files")
