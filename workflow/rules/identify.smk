# Tracklets, named.


rule identify:
    """Name a segment's tracklets, by each of the methods and by the oracle."""
    input:
        detections=detections,
        tracklets=tracklets,
        positions="<segment>/positions.parquet",
        annotations="<segment>/annotations.parquet",
        weights=WEIGHTS,
        path_model=PATH_MODEL if SETTINGS.identify.needs_path_model else [],
        transforms="<results>/transforms.parquet",
    output:
        identities=expand("<segment>/identities/{method}.parquet", method=METHODS),
        posteriors="<segment>/posteriors.parquet",
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
        path_model=lambda wildcards, input: (
            repeated("--path-model", [input.path_model]) if input.path_model else []
        ),
        solve=options_of(SETTINGS.identify, model=settings.Solve),
        weigh=options_of(SETTINGS.identify, model=settings.Paths),
        code=code_of("identify"),
    shell:
        "python -m murid identify --detections {input.detections:q}"
        " --tracklets {input.tracklets:q} --positions {input.positions:q}"
        " --annotations {input.annotations:q} --weights {input.weights:q}"
        " --transforms {input.transforms:q} {params.about:q} {params.path_model:q}"
        " {params.outputs:q} --output-posteriors {output.posteriors:q}"
        " {params.solve:q} {params.weigh:q} > {log:q} 2>&1"
