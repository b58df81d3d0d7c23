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
        record=record_of("track"),
        options=options_of(SETTINGS.track),
        code=code_of("track"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " track --detections {input.detections:q} --output {output.tracklets:q}"
        " {params.options:q} > {log:q} 2>&1"


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
        record=record_of("adopt_tracklets"),
        code=code_of("adopt-tracklets"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " adopt-tracklets --tracklets {input.tracklets:q}"
        " --detections {input.detections:q} --output {output.tracklets:q} > {log:q} 2>&1"
