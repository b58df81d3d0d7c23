# Where animals probably are while no box shows them.


rule fit_places:
    """Learn how animals stay and roam, from places that are known."""
    input:
        **published(DEFAULT),
        detections=lambda wildcards: tables(JOBS.detections_of, JOBS.placed),
        positions=lambda wildcards: tables(JOBS.positions_of, JOBS.placed),
        identities=lambda wildcards: tables(f"identities/{DEFAULT}", JOBS.placed),
    output:
        places_model="<results>/places_model.json",
    log:
        "<logs>/fit_places.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000, per_hour=1500),
        runtime=growing(60),
        attempt=started,
    params:
        **given("fit-places"),
        segments=each("fit-places", lambda wildcards: JOBS.placed),
    shell:
        command("fit-places", *({"path_model"} & {*published(DEFAULT)}))


use rule models as publish_places with:
    input:
        places_model="<results>/places_model.json",
    output:
        places_model="<results>/models/places_model.json",
        digests="<results>/models_of_places.sha256",
    log:
        "<logs>/publish_places.log",
    params:
        **given("publish-models", rule="publish_places"),
        models=lambda wildcards, input, output: repeated("--model", input, output[:1]),
        output=lambda wildcards, output: ["--output", output.digests],


rule infer_places:
    """Tell where each animal of a segment is in every frame."""
    input:
        **published(DEFAULT),
        places_model=ancient("<results>/models/places_model.json"),
        detections=DETECTIONS,
        positions=POSITIONS,
        identities=f"<segment>/identities/{DEFAULT}.parquet",
        digests="<results>/models_of_places.sha256",
    output:
        "<segment>/places.parquet",
    log:
        "<logs>/infer_places/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(500, per_hour=800),
        runtime=growing(5, per_hour=20),
        attempt=started,
    params:
        **given("infer-places"),
    shell:
        command("infer-places", *({"path_model"} & {*published(DEFAULT)}))


rule places:
    """Tell where every animal is in every frame: seen, or probably; no report."""
    input:
        tables("places", PLAN.segments),
        rules.list_segments.output,
