# A visual tracker that annotations seed, as one more method to compare; off by default.


rule track_visually:
    """Track each animal from an annotated frame in the middle of every snippet, both ways."""
    input:
        models=list(SETTINGS.visual.models),
        positions="<segment>/positions.parquet",
        annotations=ANNOTATIONS,
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
        record=record_of("track_visually"),
        video=lambda wildcards: PLAN.source(key_of(wildcards), "video"),
        contents=contents("video"),
        about=about("fps"),
        options=options_of(SETTINGS.visual, model=settings.TrackVisually),
        evaluate=options_of(SETTINGS.evaluate),
        code=code_of("track-visually"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " track-visually --video {params.video:q} --positions {input.positions:q}"
        " --annotations {input.annotations:q} {params.about:q} --output {output.identities:q}"
        " {params.options:q} {params.evaluate:q} > {log:q} 2>&1"
