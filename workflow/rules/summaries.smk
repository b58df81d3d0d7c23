# What animals did, by the second, the minute and the hour: `snakemake summaries`.

ANIMALS = "<results>/animals"
TOLD = {
    "animals": "animal_figures",
    "zones": "zone_figures",
    "pairs": "pair_figures",
    "names": "tracklet_names",
}


rule summarise:
    """Tell what the animals of a segment did."""
    input:
        **drawn("<segment>/draws.parquet"),
        positions=POSITIONS,
        tracklets=TRACKLETS,
        identities=f"<segment>/identities/{DEFAULT}.parquet",
        places="<segment>/places.parquet",
        posteriors="<segment>/posteriors.parquet",
        weights=ancient(COPIES["weights"]),
        transforms=ancient(COPIES["transforms"]),
        digests="<results>/models.sha256",
    output:
        **{name: f"<segment>/{table}.parquet" for name, table in TOLD.items()},
        seconds="<segment>/seconds.parquet",
    log:
        "<logs>/summarise/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=800),
        runtime=growing(5, per_hour=20),
        attempt=started,
    params:
        **given("summarise"),
    shell:
        command("summarise", *drawn("draws"))


rule summarise_cage:
    """Join what is told of the segments of a cage, each hour of the clock once."""
    input:
        animals=lambda wildcards: tables(TOLD["animals"], PLAN.cages[wildcards.cage]),
        zones=lambda wildcards: tables(TOLD["zones"], PLAN.cages[wildcards.cage]),
        pairs=lambda wildcards: tables(TOLD["pairs"], PLAN.cages[wildcards.cage]),
        names=lambda wildcards: tables(TOLD["names"], PLAN.cages[wildcards.cage]),
    output:
        **{name: f"<cage>/{table}.parquet" for name, table in TOLD.items()},
    log:
        "<logs>/summarise_cage/{cage}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(20),
        attempt=started,
    params:
        **given("summarise-cage"),
        segments=each("summarise-cage", lambda wildcards: PLAN.cages[wildcards.cage]),
    shell:
        command("summarise-cage", "segments")


use rule join as join_summaries with:
    input:
        animal_figures=lambda wildcards: cage_tables("animal_figures", wildcards.batch),
        zone_figures=lambda wildcards: cage_tables("zone_figures", wildcards.batch),
        pair_figures=lambda wildcards: cage_tables("pair_figures", wildcards.batch),
        tracklet_names=lambda wildcards: cage_tables("tracklet_names", wildcards.batch),
    output:
        **{table: f"<batch>/{table}.parquet" for table in TOLD.values()},
    log:
        "<logs>/join_summaries/{batch}.log",


rule summarise_all:
    """Write what is told of all cages, as Parquet and CSV."""
    input:
        animals=expand("<results>/batches/{batch}/animal_figures.parquet", batch=PLAN.batches),
        zones=expand("<results>/batches/{batch}/zone_figures.parquet", batch=PLAN.batches),
        pairs=expand("<results>/batches/{batch}/pair_figures.parquet", batch=PLAN.batches),
        names=expand("<results>/batches/{batch}/tracklet_names.parquet", batch=PLAN.batches),
    output:
        multiext(f"{ANIMALS}/minutes", ".csv", ".parquet"),
        multiext(f"{ANIMALS}/hours", ".csv", ".parquet"),
        multiext(f"{ANIMALS}/zone_minutes", ".csv", ".parquet"),
        multiext(f"{ANIMALS}/zone_hours", ".csv", ".parquet"),
        multiext(f"{ANIMALS}/pair_minutes", ".csv", ".parquet"),
        multiext(f"{ANIMALS}/pair_hours", ".csv", ".parquet"),
        names=multiext(f"{ANIMALS}/tracklet_names", ".csv", ".parquet"),
    log:
        "<logs>/summarise_all.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        **given("summarise-all"),
        output_dir=lambda wildcards, output: os.path.dirname(output[0]),
    shell:
        command("summarise-all")


rule summaries:
    """Tell what every animal did by the second, the minute and the hour; no report."""
    input:
        rules.summarise_all.output,
        rules.list_segments.output,
