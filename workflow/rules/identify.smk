# Tracklets, named.

MODELS = {"weights": WEIGHTS, "transforms": "<results>/transforms.parquet"}
if set(registry.needing("path_model")) & {DEFAULT, *OTHERS}:
    MODELS["path_model"] = PATH_MODEL
COPIES = {
    name: f"<results>/models/{name}{os.path.splitext(path)[1]}" for name, path in MODELS.items()
}


rule models:
    """Publish the models that names rest on: copies, and a list of their digests.

    Every segment takes these, and depends on the list alone. What fits models has hundreds of
    inputs, through which Snakemake would look once for every segment; and models that are fitted
    anew and are the same as before leave the list, and with it all names, as they are.
    """
    input:
        **MODELS,
    output:
        **COPIES,
        digests="<results>/models.sha256",
    log:
        "<logs>/models.log",
    localrule: True
    conda:
        CPU
    threads: 1
    params:
        **given("publish-models"),
        models=lambda wildcards, input, output: repeated("--model", input, output[: len(COPIES)]),
        output=lambda wildcards, output: ["--output", output.digests],
    shell:
        command("publish-models", written=["output"])


rule identify:
    """Name a segment's tracklets by the default method."""
    input:
        **published(DEFAULT),
        **answered(DEFAULT),
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions=POSITIONS,
        digests="<results>/models.sha256",
    output:
        identities=f"<segment>/identities/{DEFAULT}.parquet",
        posteriors="<segment>/posteriors.parquet",
    log:
        "<logs>/identify/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=1200),
        runtime=growing(5, per_hour=20),
        attempt=started,
    params:
        **given("identify", leave_out=settings.Overlap.model_fields),
        outputs=lambda wildcards, output: ["--output", DEFAULT, output.identities],
        corrections=answers,
    shell:
        command("identify", *published(DEFAULT), "output_posteriors", written=["corrections"])


rule identify_others:
    """Name a segment's tracklets by the other methods and by the oracle, to compare."""
    input:
        **published(*OTHERS),
        **answered(*OTHERS),
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions=POSITIONS,
        annotations=ANNOTATIONS,
        digests="<results>/models.sha256",
    output:
        identities=expand("<segment>/identities/{method}.parquet", method=OTHERS),
    log:
        "<logs>/identify_others/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=1200),
        runtime=growing(5, per_hour=60),
        attempt=started,
    params:
        **given("identify", rule="identify_others"),
        outputs=lambda wildcards, output: repeated("--output", OTHERS, output.identities),
        corrections=answers,
    shell:
        command("identify", *published(*OTHERS), "annotations", written=["corrections"])


rule identify_uncorrected:
    """Name a segment's tracklets as if nobody had been asked, to compare."""
    input:
        **published(*registry.obeying()),
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions=POSITIONS,
        digests="<results>/models.sha256",
    output:
        identities=expand(
            "<segment>/identities/{method}.uncorrected.parquet", method=registry.obeying()
        ),
    log:
        "<logs>/identify_uncorrected/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=1200),
        runtime=growing(5, per_hour=20),
        attempt=started,
    params:
        **given("identify", rule="identify_uncorrected", leave_out=settings.Overlap.model_fields),
        outputs=lambda wildcards, output: repeated(
            "--output", registry.obeying(), output.identities
        ),
    shell:
        command("identify", *published(*registry.obeying()))


rule list_segments:
    """List every segment with its verdict, where no report does."""
    input:
        tables(f"identities/{DEFAULT}", PLAN.segments),
    output:
        "<results>/segments.csv",
    log:
        "<logs>/list_segments.log",
    localrule: True
    conda:
        CPU
    threads: 1
    params:
        **given("verdicts"),
        results=lambda wildcards, output: os.path.dirname(output[0]),
        output=lambda wildcards, output: output[0],
    shell:
        command("verdicts")
