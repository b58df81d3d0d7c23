# What comes in: each segment's files, judged and written as tables, and what people said of it.


rule read_log:
    """Read an antenna log once, whatever its system, for all segments that it serves."""
    output:
        "<results>/readings/{antenna_log}.parquet",
    log:
        "<logs>/read_log/{antenna_log}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
        attempt=started,
    params:
        **given("read-log"),
        file=JOBS.log_of,
        cages=JOBS.served,
        contents=lambda wildcards: JOBS.contents_of([JOBS.log_of(wildcards)]),
    shell:
        command("read-log", "cages")


rule survey_video:
    """Read a video once of which segments are parts, so that none need decode it from its start."""
    output:
        "<results>/videos/{video}.parquet",
    log:
        "<logs>/survey_video/{video}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(60),
        attempt=started,
    params:
        **given("survey-video"),
        file=JOBS.video_of,
        contents=lambda wildcards: JOBS.contents_of([JOBS.video_of(wildcards)]),
    shell:
        command("survey-video")


rule check:
    """Read a segment's files, whatever their format, and give it a verdict."""
    input:
        readings=JOBS.tables_of_logs,
        survey=JOBS.survey,
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
        shared=JOBS.shared,
        tags=JOBS.wearing,
        antennas=JOBS.placing,
        worn=JOBS.worn,
    shell:
        command(
            "check",
            "output_detections",
            "output_tracklets",
            written=["shared", "tags", "antennas"],
        )


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
