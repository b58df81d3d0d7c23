# How late antenna logs run, told by the boxes; readings by a clock that is put right; and how sound
# antennas, tags and logs are.


rule watch_clock:
    """Find by how much the logged readings of a segment run late."""
    input:
        readings=JOBS.tables_of_logs,
        positions="<segment>/positions.parquet",
        detections=DETECTIONS,
    output:
        "<segment>/lateness.parquet",
    log:
        "<logs>/watch_clock/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000, per_hour=400),
        runtime=growing(10, per_hour=10),
        attempt=started,
    params:
        **given("watch-clock"),
        tags=JOBS.wearing,
        antennas=JOBS.placing,
        worn=JOBS.worn,
    shell:
        command("watch-clock", written=["tags", "antennas"])


rule set_clock:
    """Lay lines through what the segments of a day, and of days before, tell of their clock."""
    input:
        segments=JOBS.of_clock,
        before=JOBS.before_clock,
    output:
        "<results>/clocks/{clock}.parquet",
    log:
        "<logs>/set_clock/{clock}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
        attempt=started,
    params:
        **given("set-clock"),
    shell:
        command("set-clock")


rule align:
    """Read a segment's logs again, by a clock that is put right."""
    input:
        readings=JOBS.tables_of_logs,
        positions="<segment>/positions.parquet",
        clocks=JOBS.clock_of,
    output:
        "<segment>/positions.aligned.parquet",
    log:
        "<logs>/align/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(500, per_hour=400),
        runtime=growing(5, per_hour=10),
        attempt=started,
    params:
        **given("align"),
        tags=JOBS.wearing,
        antennas=JOBS.placing,
        worn=JOBS.worn,
    shell:
        command("align", written=["tags", "antennas"])


rule tell_health:
    """Tell what antennas, tags, logs and clocks of a cage are silent, missing or off."""
    input:
        readings=JOBS.logs_of_cage,
        clocks=JOBS.clocks_of_cage,
        positions=lambda wildcards: tables(JOBS.positions_of, PLAN.logged.get(wildcards.cage, [])),
    output:
        reads="<cage>/reads.parquet",
        health="<cage>/health.parquet",
    log:
        "<logs>/tell_health/{cage}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
        attempt=started,
    params:
        **given("tell-health"),
        segments=each("tell-health", lambda wildcards: PLAN.logged.get(wildcards.cage, [])),
        tags=JOBS.wearing,
        antennas=JOBS.placing,
        worn=JOBS.worn,
    shell:
        command("tell-health", "segments", written=["tags", "antennas"])
