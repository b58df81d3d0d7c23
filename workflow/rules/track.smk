# Detections, linked into tracklets.


rule track:
    """Link a segment's detections into tracklets."""
    input:
        detections=detections,
    output:
        tracklets="<segment>/tracklets.parquet",
    log:
        "<logs>/track/{cage}/{segment}.log",
    benchmark:
        "<benchmarks>/track/{cage}/{segment}.tsv"
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        options=options_of(SETTINGS.track),
        code=code_of("track"),
    shell:
        "python -m murid track --detections {input.detections:q} --output {output.tracklets:q}"
        " {params.options:q} > {log:q} 2>&1"
