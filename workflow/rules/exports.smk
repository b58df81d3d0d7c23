# Names as other tools read them: `snakemake export`.

EXPORTED = exports.files(SETTINGS.export)


rule export_segment:
    """Write the names of a segment, in each format that the settings ask for."""
    input:
        identities=f"<segment>/identities/{DEFAULT}.parquet",
        positions=POSITIONS,
    output:
        [f"<results>/exports/{name}/{{cage}}/{{segment}}{suffix}" for name, suffix in EXPORTED],
    log:
        "<logs>/export_segment/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(500, per_hour=1000),
        runtime=growing(5, per_hour=20),
        attempt=started,
    params:
        **given("export", rule="export_segment"),
        video=lambda wildcards: repeated(
            "--video", filter(None, [PLAN.source(JOBS.key_of(wildcards), "video")])
        ),
        outputs=lambda wildcards, output: repeated(
            "--output", [name for name, _ in EXPORTED], output
        ),
    shell:
        command("export", written=["video"])


rule export:
    """Write the names of all segments as other tools read them; no report."""
    input:
        [
            f"<results>/exports/{name}/{cage}/{segment}{suffix}"
            for name, suffix in EXPORTED
            for cage, segment in PLAN.segments
        ],
        rules.list_segments.output,
