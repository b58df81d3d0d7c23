# Clips for a human to look at: `snakemake clips`. The next report shows them.

CLIPS = "<results>/report/clips"


rule moments:
    """Find the stretches of a segment that are worth a clip."""
    input:
        identities=lambda wildcards: [
            f"<segment>/identities/{method}.parquet" for method in JOBS.shown(wildcards)
        ],
    output:
        moments="<segment>/moments.parquet",
    log:
        "<logs>/moments/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
        attempt=started,
    params:
        **given("moments"),
        identities=lambda wildcards, input: repeated(
            "--identities", JOBS.shown(wildcards), input.identities
        ),
        default=DEFAULT,
    shell:
        command("moments")


rule clips:
    """Render the most and the least confident stretch, and where methods disagree most."""
    input:
        moments=lambda wildcards: tables("moments", JOBS.with_video),
        positions=lambda wildcards: tables(JOBS.positions_of, JOBS.with_video),
        weights=WEIGHTS,
        transforms="<results>/transforms.parquet",
        surveys=lambda wildcards: JOBS.surveys(JOBS.with_video),
    output:
        clips=f"{CLIPS}/clips.parquet",
        skipped=f"{CLIPS}/skipped.csv",
    log:
        "<logs>/clips.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(60),
    params:
        **given("clips"),
        sample_sheet=str(plan.sheet_path(SETTINGS)),
        archive=SETTINGS.archive,
        segments_dir=lambda wildcards, input: os.path.dirname(
            os.path.dirname(os.path.dirname(input.moments[0]))
        ),
        default=DEFAULT,
        compare=lambda wildcards: repeated("--compare", JOBS.compared()),
        output_dir=lambda wildcards, output: os.path.dirname(output.clips),
    shell:
        command("clips")
