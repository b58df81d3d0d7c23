# Pages of cages: `snakemake animals`.


rule report_cage:
    """Write the page of a cage: whether to trust it, and what its animals did, where, with whom."""
    input:
        animal_figures="<cage>/animal_figures.parquet",
        zone_figures="<cage>/zone_figures.parquet",
        pair_figures="<cage>/pair_figures.parquet",
        verdicts="<cage>/summaries.parquet",
        health=lambda wildcards: ["<cage>/health.parquet"] * (wildcards.cage in PLAN.logged),
        seconds=lambda wildcards: tables("seconds", PLAN.cages[wildcards.cage]),
        transforms=ancient(COPIES["transforms"]),
    output:
        "<results>/report/cages/{cage}.html",
    log:
        "<logs>/report_cage/{cage}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(20),
        attempt=started,
    params:
        **given("report-cage"),
        cage="{cage}",
        health=listed("health", "--health"),
        filmed=each("report-cage", JOBS.filmed_of, "filmed"),
    shell:
        command("report-cage", "filmed", written=["health"])


rule animals:
    """Tell what every animal did, as tables and a page a cage; no report of the archive."""
    input:
        rules.summarise_all.output,
        rules.list_segments.output,
        expand("<results>/report/cages/{cage}.html", cage=PLAN.cages),
