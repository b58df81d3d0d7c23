# Detections, linked into tracklets, or those of the archive.


rule track:
    """Link a segment's detections into tracklets."""
    input:
        detections=DETECTIONS,
    output:
        tracklets="<segment>/tracklets.parquet",
    log:
        "<logs>/track/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=600),
        runtime=growing(5, per_hour=10),
        attempt=started,
    params:
        **given("track"),
    shell:
        command("track")


rule adopt_tracklets:
    """Take the archive's own tracklets, as far as their detections are kept."""
    input:
        tracklets="<segment>/archive_tracklets.parquet",
        detections=DETECTIONS,
    output:
        tracklets="<segment>/tracklets.archive.parquet",
    log:
        "<logs>/adopt_tracklets/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=600),
        runtime=growing(5, per_hour=10),
        attempt=started,
    params:
        **given("adopt-tracklets"),
    shell:
        command("adopt-tracklets")
