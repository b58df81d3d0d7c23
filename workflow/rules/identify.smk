# Tracklets, named.


rule identify:
    """Name a segment's tracklets, by each of the methods and by the oracle."""
    input:
        detections=detections,
        tracklets="<segment>/tracklets.parquet",
        positions="<segment>/positions.parquet",
        annotations="<segment>/annotations.parquet",
        weights=WEIGHTS,
        transforms="<results>/transforms.parquet",
    output:
        identities=expand("<segment>/identities/{method}.parquet", method=METHODS),
    log:
        "<logs>/identify/{cage}/{segment}.log",
    benchmark:
        "<benchmarks>/identify/{cage}/{segment}.tsv"
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(60),
    params:
        about=about("rig"),
        outputs=lambda wildcards, output: repeated("--output", METHODS, output.identities),
        options=options_of(SETTINGS.identify, model=settings.Solve),
        code=code_of("identify"),
    shell:
        "python -m murid identify --detections {input.detections:q}"
        " --tracklets {input.tracklets:q} --positions {input.positions:q}"
        " --annotations {input.annotations:q} --weights {input.weights:q}"
        " --transforms {input.transforms:q} {params.about:q} {params.outputs:q}"
        " {params.options:q} > {log:q} 2>&1"
