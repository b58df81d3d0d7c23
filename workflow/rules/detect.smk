# Detections: made from the video by a detector trained here or given, or those of the archive.


rule train_detector:
    """Train a detector on the annotated frames of the Train split; Validate chooses the best."""
    input:
        train_annotations=lambda wildcards: tables("annotations", training()),
        validate_annotations=lambda wildcards: tables("annotations", filmed("Validate")),
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
        record=fit_record_of("train_detector"),
        train=lambda wildcards, input: repeated(
            "--train", videos(training()), input.train_annotations
        ),
        validate=lambda wildcards, input: repeated(
            "--validate", videos(filmed("Validate")), input.validate_annotations
        ),
        contents=lambda wildcards: contents_of(videos([*training(), *filmed("Validate")])),
        fps=rates_of("Train", "Validate"),
        options=options_of(SETTINGS.train_detector),
        code=code_of("train-detector"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " train-detector {params.train:q} {params.validate:q} {params.fps:q}"
        " --output {output.detector:q} {params.options:q} > {log:q} 2>&1"


rule detect:
    """Find animals and tunnel in every frame of a segment's video."""
    input:
        detector=DETECTOR,
        positions="<segment>/positions.parquet",
        transforms="<results>/transforms.parquet",
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
        record=record_of("detect"),
        video=lambda wildcards: PLAN.source(key_of(wildcards), "video"),
        contents=contents("video"),
        about=about("rig", "fps"),
        tolerance=SETTINGS.check.frame_tolerance,
        options=options_of(SETTINGS.image, SETTINGS.detect),
        code=code_of("detect"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " detect --video {params.video:q} --detector {input.detector:q}"
        " --positions {input.positions:q} --transforms {input.transforms:q} {params.about:q}"
        " --frame-tolerance {params.tolerance} --output {output.detections:q} {params.options:q}"
        " > {log:q} 2>&1"


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
        record=record_of("adopt_detections"),
        about=about("rig"),
        undetected=lambda wildcards: (
            ["--no-detector"] if PLAN.undetected(key_of(wildcards)) else []
        ),
        options=options_of(SETTINGS.image, SETTINGS.detect, leave_out=list(settings.DETECTOR_ONLY)),
        missing=SETTINGS.check.max_missing_frames,
        code=code_of("adopt-detections"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " adopt-detections --detections {input.detections:q}"
        " --positions {input.positions:q} --transforms {input.transforms:q} {params.about:q}"
        " --max-missing-frames {params.missing} {params.undetected:q}"
        " --output {output.detections:q}"
        " {params.options:q} > {log:q} 2>&1"


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
        record=record_of("compare_annotations"),
        about=about("rig", "fps"),
        options=options_of(SETTINGS.image),
        code=code_of("compare-annotations"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " compare-annotations --annotations {input.annotations:q}"
        " --detections {input.detections:q} --positions {input.positions:q}"
        " --transforms {input.transforms:q} {params.about:q} --output {output.annotations:q}"
        " {params.options:q} > {log:q} 2>&1"


rule validate_detector:
    """Compare all boxes of the detector with the annotations of every split, as COCO does."""
    input:
        annotations=lambda wildcards: tables("annotations", filmed(*settings.SPLITS)),
        detector=DETECTOR,
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
        record=fit_record_of("validate_detector"),
        segments=lambda wildcards, input: repeated(
            "--segment",
            [PLAN.segments[key].split for key in filmed(*settings.SPLITS)],
            videos(filmed(*settings.SPLITS)),
            input.annotations,
        ),
        contents=lambda wildcards: contents_of(videos(filmed(*settings.SPLITS))),
        fps=rates_of(*settings.SPLITS),
        options=options_of(SETTINGS.detect, model=settings.Proposals),
        code=code_of("validate-detector"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " validate-detector {params.segments:q} {params.fps:q}"
        " --detector {input.detector:q} --output {output.metrics:q} {params.options:q}"
        " > {log:q} 2>&1"


rule assess_detector:
    """Compare the boxes that are kept with the annotations of every split."""
    input:
        detections=lambda wildcards: tables("detections.video", filmed(*settings.SPLITS)),
        annotations=lambda wildcards: annotation_tables(filmed(*settings.SPLITS)),
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
        record=fit_record_of("assess_detector"),
        splits=lambda wildcards: [PLAN.segments[key].split for key in filmed(*settings.SPLITS)],
        segments=lambda wildcards, input: repeated(
            "--segment",
            [PLAN.segments[key].split for key in filmed(*settings.SPLITS)],
            input.detections,
            input.annotations,
        ),
        iou=SETTINGS.track.iou,
        code=code_of("assess-detector"),
    shell:
        "python -m murid guard --record {params.record:q} --attempt {resources.attempt}"
        " assess-detector {params.segments:q} --iou {params.iou}"
        " --output {output.metrics:q} > {log:q} 2>&1"
