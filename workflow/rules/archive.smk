# What comes in: each segment's files, judged and written as tables.


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
        record=record_of("check"),
        about=about("cage", "segment", "fps", "animals", files=True),
        contents=contents(*plan.PARTS),
        options=options_of(SETTINGS.grid, SETTINGS.check),
        code=code_of("check"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " check {params.about:q}"
        " --output-positions {output.positions:q} --output-annotations {output.annotations:q}"
        " --output-detections {output.detections:q} --output-tracklets {output.tracklets:q}"
        " {params.options:q} > {log:q} 2>&1"
