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
        **given("calibrate"),
        points=[f"--points={SETTINGS.points}"] if SETTINGS.points else [],
        contents=lambda wildcards: JOBS.contents_of(
            [*([SETTINGS.points] if SETTINGS.points else []), *PLAN.recordings]
        ),
        rigs=lambda wildcards: repeated("--rig", PLAN.rigs),
    shell:
        command("calibrate", "output_points", "output_residuals", written=["points"])
