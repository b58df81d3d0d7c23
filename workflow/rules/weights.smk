# What a box looks like, given an antenna: fitted once, from annotated segments.


rule fit_weights:
    """Fit the visibility forest and the Gaussians to the annotated boxes."""
    input:
        positions=lambda wildcards: tables("positions", fitting()),
        annotations=lambda wildcards: tables("annotations", fitting()),
        transforms="<results>/transforms.parquet",
    output:
        weights="<results>/weights.json",
    log:
        "<logs>/fit_weights.log",
    benchmark:
        "<benchmarks>/fit_weights.tsv"
    conda:
        CPU
    threads: 2
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        rigs=lambda wildcards: [PLAN.segments[key].rig for key in fitting()],
        segments=lambda wildcards, input: repeated(
            "--segment",
            input.positions,
            input.annotations,
            [PLAN.segments[key].rig for key in fitting()],
        ),
        animals=PLAN.animals,
        options=options_of(SETTINGS.grid, SETTINGS.image, SETTINGS.fit_weights),
        code=code_of("fit-weights"),
    shell:
        "python -m murid fit-weights {params.segments:q} --transforms {input.transforms:q}"
        " --animals {params.animals} --output {output.weights:q} {params.options:q}"
        " > {log:q} 2>&1"
