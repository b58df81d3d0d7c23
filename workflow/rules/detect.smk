# Detections: made from the video by a detector trained here or given, or those of the archive.


rule train_detector:
    """Train a detector on the annotated frames of the Train split; Validate chooses the best."""
    input:
        train_annotations=lambda wildcards: tables("annotations", JOBS.training()),
        validate_annotations=lambda wildcards: tables("annotations", JOBS.filmed("Validate")),
        surveys=lambda wildcards: JOBS.surveys([*JOBS.training(), *JOBS.filmed("Validate")]),
        start=[path for path in [SETTINGS.train_detector.weights] if path not in (None, "coco")],
    output:
        detector="<results>/detector.safetensors",
    log:
        "<logs>/train_detector.log",
    conda:
        CPU if SETTINGS.train_detector.device == "cpu" else CUDA
    threads: 8
    resources:
        mem_mb=growing(16000),
        runtime=growing(1440),
        attempt=started,
        gpu=gpus(SETTINGS.train_detector.device),
    params:
        **given("train-detector"),
        train=lambda wildcards, input: repeated(
            "--train", JOBS.videos(JOBS.training()), input.train_annotations
        ),
        validating=lambda wildcards, input: repeated(
            "--validate", JOBS.videos(JOBS.filmed("Validate")), input.validate_annotations
        ),
        fps=JOBS.rates_of("Train", "Validate"),
        parts=lambda wildcards, input: JOBS.parts(
            [*JOBS.training(), *JOBS.filmed("Validate")],
            [*input.train_annotations, *input.validate_annotations],
        ),
        contents=lambda wildcards: JOBS.contents_of(
            JOBS.videos([*JOBS.training(), *JOBS.filmed("Validate")])
        ),
    shell:
        command("train-detector", "validating", "fps", "parts")


rule detect:
    """Find animals and tunnel in every frame of a segment's video."""
    input:
        detector=DETECTOR,
        positions="<segment>/positions.parquet",
        transforms="<results>/transforms.parquet",
        survey=JOBS.survey,
    output:
        detections="<segment>/detections.video.parquet",
    log:
        "<logs>/detect/{cage}/{segment}.log",
    conda:
        CPU if SETTINGS.detect.device == "cpu" else CUDA
    threads: 1 if SETTINGS.detect.device == "cpu" else 4
    resources:
        mem_mb=growing(4000, per_hour=500),
        runtime=growing(10, per_hour=120),
        gpu=gpus(SETTINGS.detect.device),
        attempt=started,
    params:
        **given("detect"),
    shell:
        command("detect")


rule adopt_detections:
    """Take the archive's own detections, filtered as the detector's would be."""
    input:
        detections="<segment>/archive_detections.parquet",
        positions="<segment>/positions.parquet",
        transforms="<results>/transforms.parquet",
    output:
        detections="<segment>/detections.archive.parquet",
    log:
        "<logs>/adopt_detections/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=400),
        runtime=growing(5, per_hour=10),
        attempt=started,
    params:
        **given("adopt-detections"),
        no_detector=lambda wildcards: (
            ["--no-detector"] if PLAN.undetected(JOBS.key_of(wildcards)) else []
        ),
    shell:
        command("adopt-detections", written=["no_detector"])


rule compare_annotations:
    """Judge a segment's annotations by its detections: what learns from them takes those that fit."""
    input:
        annotations="<segment>/annotations.parquet",
        detections=DETECTIONS,
        positions="<segment>/positions.parquet",
        transforms="<results>/transforms.parquet",
    output:
        annotations="<segment>/annotations.compared.parquet",
    log:
        "<logs>/compare_annotations/{cage}/{segment}.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(400, per_hour=400),
        runtime=growing(5, per_hour=10),
        attempt=started,
    params:
        **given("compare-annotations"),
    shell:
        command("compare-annotations")


rule validate_detector:
    """Compare all boxes of the detector with the annotations of every split, as COCO does."""
    input:
        annotations=lambda wildcards: tables("annotations", JOBS.filmed()),
        detector=DETECTOR,
        surveys=lambda wildcards: JOBS.surveys(JOBS.filmed()),
    output:
        metrics="<results>/detector_validation.parquet",
    log:
        "<logs>/validate_detector.log",
    conda:
        CPU if SETTINGS.detect.device == "cpu" else CUDA
    threads: 4
    resources:
        mem_mb=growing(4000),
        runtime=growing(120),
        attempt=started,
        gpu=gpus(SETTINGS.detect.device),
    params:
        **given("validate-detector"),
        segments=each("validate-detector", lambda wildcards: JOBS.filmed()),
        fps=JOBS.rates_of(),
        parts=lambda wildcards, input: JOBS.parts(JOBS.filmed(), input.annotations),
        contents=lambda wildcards: JOBS.contents_of(JOBS.videos(JOBS.filmed())),
    shell:
        command("validate-detector", "fps", "parts")


rule assess_detector:
    """Compare the boxes that are kept with the annotations of every split."""
    input:
        detections=lambda wildcards: tables("detections.video", JOBS.filmed()),
        annotations=lambda wildcards: tables(JOBS.annotations_of, JOBS.filmed()),
    output:
        metrics="<results>/detector_metrics.parquet",
    log:
        "<logs>/assess_detector.log",
    conda:
        CPU
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
        attempt=started,
    params:
        **given("assess-detector"),
        segments=each("assess-detector", lambda wildcards: JOBS.filmed()),
    shell:
        command("assess-detector")
