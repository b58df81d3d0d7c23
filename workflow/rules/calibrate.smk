# Rig set-ups, brought into one frame of reference.


rule calibrate:
    """Fit each rig set-up's transform to the prototype's frame of reference."""
    output:
        transforms="<results>/transforms.parquet",
        points="<results>/calibration/points.parquet",
        residuals="<results>/calibration/residuals.parquet",
    log:
        "<logs>/calibrate.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        points=[f"--points={SETTINGS.points}"] if SETTINGS.points else [],
        contents=lambda wildcards: contents_of(
            [*([SETTINGS.points] if SETTINGS.points else []), *PLAN.recordings]
        ),
        rigs=lambda wildcards: repeated("--rig", PLAN.rigs),
        options=options_of(SETTINGS.grid, SETTINGS.image, SETTINGS.calibrate),
        code=code_of("calibrate"),
    shell:
        "python -m murid calibrate {params.points:q} {params.rigs:q}"
        " --output {output.transforms:q} --output-points {output.points:q}"
        " --output-residuals {output.residuals:q} {params.options:q} > {log:q} 2>&1"
