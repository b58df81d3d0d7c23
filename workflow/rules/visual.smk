# A visual tracker that annotations seed, as one more method to compare; off by default.


rule track_visually:
    """Track each animal from an annotated frame in the middle of every snippet, both ways."""
    input:
        models=list(SETTINGS.visual.models),
        positions="<segment>/positions.parquet",
        annotations=ANNOTATIONS,
        survey=JOBS.survey,
    output:
        identities="<segment>/identities/visual.parquet",
    log:
        "<logs>/track_visually/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(240),
        attempt=started,
    params:
        **given("track-visually"),
    shell:
        command("track-visually")
