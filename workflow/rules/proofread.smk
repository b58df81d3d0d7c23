# A page on which a human says who is who: `snakemake proofread`.

PROOFREAD = "<results>/report/proofread"


rule questions:
    """Choose what to ask about a segment."""
    input:
        **published(*registry.obeying()),
        **answered(*registry.obeying()),
        detections=DETECTIONS,
        tracklets=TRACKLETS,
        positions=POSITIONS,
        digests="<results>/models.sha256",
    output:
        questions="<segment>/questions.parquet",
    log:
        "<logs>/questions/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(800, per_hour=1600),
        runtime=growing(5, per_hour=30),
        attempt=started,
    params:
        **given("questions", leave_out=settings.Overlap.model_fields),
        corrections=answers,
    shell:
        command("questions", *published(*registry.obeying()), written=["corrections"])


rule proofread:
    """Write the page that asks, with a clip and a still of each question."""
    input:
        questions=lambda wildcards: tables("questions", JOBS.with_video),
        positions=lambda wildcards: tables(JOBS.positions_of, JOBS.with_video),
        tracklets=lambda wildcards: tables(JOBS.tracklets_of, JOBS.with_video),
        identities=lambda wildcards: tables(f"identities/{DEFAULT}", JOBS.with_video),
        weights=WEIGHTS,
        transforms="<results>/transforms.parquet",
        surveys=lambda wildcards: JOBS.surveys(JOBS.with_video),
    output:
        page=f"{PROOFREAD}/index.html",
        clips=directory(f"{PROOFREAD}/clips"),
        stills=directory(f"{PROOFREAD}/stills"),
    log:
        "<logs>/proofread.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(120),
    params:
        **given("proofread"),
        sample_sheet=str(plan.sheet_path(SETTINGS)),
        archive=SETTINGS.archive,
        segments_dir=lambda wildcards, input: os.path.dirname(
            os.path.dirname(os.path.dirname(input.questions[0]))
        ),
        method=DEFAULT,
        output_dir=lambda wildcards, output: os.path.dirname(output.page),
        corrections=repeated("--corrections", filter(None, [SETTINGS.corrections])),
        said=lambda wildcards: JOBS.contents_of(filter(None, [SETTINGS.corrections])),
    shell:
        command("proofread", written=["corrections"])
