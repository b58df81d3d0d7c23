# Who is who in a cage of identical animals: from an archive of video and antenna traces to one table
# of identified boxes a segment, and a report that tells how far to trust it.
#
#   snakemake --cores all --config archive=PATH results=PATH
#
# Every setting is explained in config/README.md. Rules only say what a stage needs and makes; what it
# does is in workflow/murid, and can be run by hand as `murid STAGE`.

from snakemake.utils import min_version

min_version("9.19")


configfile: f"{workflow.current_basedir}/config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/functions.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/archive.smk"
include: "workflow/rules/calibrate.smk"
include: "workflow/rules/detect.smk"
include: "workflow/rules/clocks.smk"
include: "workflow/rules/track.smk"
include: "workflow/rules/weights.smk"
include: "workflow/rules/identify.smk"
include: "workflow/rules/visual.smk"
include: "workflow/rules/draws.smk"
include: "workflow/rules/places.smk"
include: "workflow/rules/exports.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/review.smk"
include: "workflow/rules/summaries.smk"
include: "workflow/rules/animals.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/clips.smk"
include: "workflow/rules/proofread.smk"
include: "workflow/rules/study.smk"


rule all:
    """Identify every segment, evaluate, and write the report (the default)."""
    default_target: True
    input:
        "<results>/report/index.html",


rule identities:
    """Identify every segment; no evaluation, no report."""
    input:
        rules.list_segments.output,
