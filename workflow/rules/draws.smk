# Whole assignments, for what must tell how sure it is though it rests on many names at once.


rule draw:
    """Draw whole assignments of a segment's tracklets, each as often as it is probable."""
    input:
        **published(*registry.drawn()),
        **answered(*registry.drawn()),
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions=POSITIONS,
        digests="<results>/models.sha256",
    output:
        "<segment>/draws.parquet",
    log:
        "<logs>/draw/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(800, per_hour=1600),
        runtime=growing(5, per_hour=40),
        attempt=started,
    params:
        **given("draw", leave_out=settings.Overlap.model_fields),
        corrections=answers,
    shell:
        command("draw", *published(*registry.drawn()), written=["corrections"])


rule draws:
    """Draw whole assignments of every segment; no report."""
    input:
        lambda wildcards: tables("draws", JOBS.drawn),
        rules.list_segments.output,
