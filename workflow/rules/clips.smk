# Clips for a human to look at: `snakemake clips`. The next report shows them.

CLIPS = "<results>/report/clips"


rule moments:
    """Find the stretches of a segment that are worth a clip."""
    input:
        identities=lambda wildcards: [
            f"<segment>/identities/{method}.parquet" for method in shown(wildcards)
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
        record=record_of("moments"),
        about=about("cage", "segment", "fps"),
        identities=lambda wildcards, input: repeated(
            "--identities", shown(wildcards), input.identities
        ),
        default=SETTINGS.identify.default,
        seconds=SETTINGS.clips.seconds,
        code=code_of("moments"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " moments {params.about:q} {params.identities:q}"
        " --default {params.default:q} --seconds {params.seconds} --output {output.moments:q}"
        " > {log:q} 2>&1"


rule clips:
    """Render the most and the least confident stretch, and where methods disagree most."""
    input:
        moments=lambda wildcards: tables("moments", with_video()),
        positions=lambda wildcards: tables("positions", with_video()),
        weights=WEIGHTS,
        transforms="<results>/transforms.parquet",
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
        sheet=str(plan.sheet_path(SETTINGS)),
        archive=SETTINGS.archive,
        segments=lambda wildcards, input: os.path.dirname(
            os.path.dirname(os.path.dirname(input.moments[0]))
        ),
        default=SETTINGS.identify.default,
        compare=lambda wildcards: repeated("--compare", compared()),
        folder=lambda wildcards, output: os.path.dirname(output.clips),
        options=options_of(SETTINGS.clips, leave_out=["seconds", "methods"]),
        code=code_of("clips"),
    shell:
        "python -m murid clips --sheet {params.sheet:q} --archive {params.archive:q}"
        " --segments-dir {params.segments:q} --weights {input.weights:q}"
        " --transforms {input.transforms:q} --default {params.default:q} {params.compare:q}"
        " --output-dir {params.folder:q} {params.options:q} > {log:q} 2>&1"
