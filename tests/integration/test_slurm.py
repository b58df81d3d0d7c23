"""The pipeline through ``profiles/slurm`` on a real SLURM, as far as one machine can have one."""

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from logged import make_archive
from slurm import cluster

from murid import tables, video
from murid.detect import model as detector
from pipeline import FRAMES, Workflow, copy_sources, make_segment

SHEET = """\
cage\tsegment\tvideo\tpositions\tdetections\tannotations\tsplit\tanimals
B\tgood\t\tB/good/positions.parquet\tB/good/detections.parquet\tB/good/via.json\tTest\tR,G,B
B\tnext\t\tC/seen/positions.parquet\tC/seen/detections.parquet\t\t\tR,G,B
C\tseen\tC/seen/video.mp4\tC/seen/positions.parquet\t\t\t\tR,G,B
C\tlate\tC/seen/video.mp4\tC/seen/positions.parquet\t\t\t\tR,G,B
"""
OWN = """\
NUMBERS = range(4)

rule all:
    input:
        expand("{number}.txt", number=NUMBERS),
        "alone.txt",

def tried(first):
    return lambda wildcards, attempt: first * attempt

rule one:
    output:
        "{number}.txt",
    wildcard_constraints:
        number=r"\\d",
    group:
        "several"
    threads: 2
    resources:
        mem_mb=tried(300),
        turn=1,
        gpu=1,
    shell:
        "begun=$(date +%s%N); sleep 0.2;"
        " [ {wildcards.number} != 3 ] || [ {resources.mem_mb} = 600 ];"
        " echo $SLURM_JOB_ID $PPID $begun $(date +%s%N) {threads} $CUDA_VISIBLE_DEVICES > {output}"

rule alone:
    output:
        "alone.txt",
    resources:
        mem_mb=tried(500),
    shell:
        "if [ {resources.mem_mb} = 500 ]; then"
        " echo half > {output}; scancel $SLURM_JOB_ID; sleep 100; fi; echo whole > {output}"
"""
"""Rules of which one fails at the first try, and one has its job cancelled."""
pytestmark = pytest.mark.slurm

QUICK = (
    *("--murid-slurm-init-seconds-before-status-checks", "1"),
    *("--seconds-between-status-checks", "1"),
    *("--latency-wait", "5"),
)


@pytest.fixture(scope="module")
def slurm() -> Iterator[None]:
    """A cluster of this machine; where MURID_REQUIRE_SLURM is set, it must be possible."""
    if why := cluster.obstacle():
        if os.environ.get("MURID_REQUIRE_SLURM"):
            pytest.fail(f"SLURM is required and cannot be started: {why}")
        pytest.skip(f"no SLURM: {why}")
    cluster.start()
    yield
    cluster.stop()


@pytest.fixture(scope="module")
def workflow(finished: Workflow, root: Path) -> Workflow:
    """Two segments with detections and two with a video, to be named with fitted weights."""
    archive = finished.folder / "archive"
    make_segment(archive / "C" / "seen", 7)
    random = np.random.default_rng(0)
    frames = (random.integers(0, 255, (36, 64), dtype=np.uint8) for _ in range(FRAMES))
    video.write(archive / "C" / "seen" / "video.mp4", frames, 25.0)
    network = detector.build("slim", 64)
    about = {"backbone": "slim", "width": 64, "classes": list(detector.CLASSES)}
    detector.save(finished.folder / "network.safetensors", network.state_dict(), about)
    (finished.folder / "slurm.tsv").write_text(SHEET)
    shutil.copytree(root / "profiles", finished.sources / "profiles", dirs_exist_ok=True)
    return replace(finished, forked=False)


def where(results: str) -> list[str]:
    given = [f"{name}=results/{name}.json" for name in ("weights", "path_model")]
    return [
        "--config", "archive=archive", "segments=slurm.tsv", f"results={results}", *given,
        "detector=network.safetensors",
    ]  # fmt: skip


def submitted() -> list[dict[str, str]]:
    """Return what SLURM tells of each job there was."""
    said = subprocess.run(
        ["scontrol", "--oneliner", "show", "jobs"], capture_output=True, text=True, check=True
    ).stdout
    lines = [line for line in said.splitlines() if line.startswith("JobId=")]
    return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]


def test_a_run_through_slurm_is_the_local_run(slurm: None, workflow: Workflow) -> None:
    profile = ["--profile", str(workflow.sources / "profiles" / "slurm")]
    said = workflow.run(*profile, *QUICK, *where("on_slurm"), cores="4")
    workflow.run(*where("local"))
    for name in ("metrics.csv", "segments.csv", "review.csv", "index.html"):
        there, here = (workflow.folder / run / "report" / name for run in ("on_slurm", "local"))
        assert there.read_bytes() == here.read_bytes(), name

    jobs = submitted()
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    on_gpu = [job for job in jobs if job["Partition"] == "gpu"]
    # Both videos in one job, which has one GPU and uses it for one after the other.
    assert len(on_gpu) == 1
    assert on_gpu[0]["TresPerJob"] == "gres:gpu:1"
    on_cpu = [job for job in jobs if job["Partition"] == "cpu"]
    assert not any("gres" in job.get("TresPerJob", "") for job in on_cpu)
    # Its segments take turns, so that a job asks for what one of them needs.
    assert {job["NumCPUs"] for job in on_cpu} == {"1"}
    groups = set(re.findall(r"Group job (\w+)", said))
    assert groups == {"prepare", "link", "gpu", "name", "cages"}
    rules = len(re.findall(r"^ *rule \w+:", said, re.MULTILINE))
    assert len(jobs) < rules / 2
    assert "Nothing to be done" in workflow.run(*profile, *where("on_slurm"), cores="4")


def test_an_archive_of_logs_goes_through_slurm(slurm: None, root: Path, tmp_path: Path) -> None:
    """Readings are put right by clocks that other segments tell of: no group waits for itself."""
    make_archive(tmp_path)
    workflow = Workflow(copy_sources(root, tmp_path / "sources"), tmp_path, forked=False)
    shutil.copytree(root / "profiles", workflow.sources / "profiles")
    profile = ["--profile", str(workflow.sources / "profiles" / "slurm")]
    said = workflow.run("identities", *profile, *QUICK, "--configfile", "my.yaml", cores="4")
    groups = set(re.findall(r"Group job (\w+)", said))
    assert {"logs", "prepare", "link", "clocks", "align", "name"} <= groups
    for cage in "AB":
        path = tmp_path / f"results/segments/{cage}/good/identities/path.parquet"
        assert len(tables.read(path, "identities"))


def test_a_job_runs_its_rules_in_turn_and_is_tried_again_with_more(
    slurm: None, root: Path, tmp_path: Path
) -> None:
    """What a group asks for is what one of its rules takes: no two may run at a time."""
    (tmp_path / "Snakefile").write_text(OWN)
    known = {job["JobId"] for job in submitted()}
    profile = root / "profiles" / "slurm"
    options = ["--cores", "4", "--group-components", "several=4"]
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--profile", str(profile), *QUICK, *options],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "alone.txt").read_text() == "whole\n"

    told = [(tmp_path / f"{number}.txt").read_text().split() for number in range(4)]
    assert len({(job, parent) for job, parent, *_ in told}) == 1, "another Snakemake, or job"
    spans = sorted((int(begun), int(ended)) for _, _, begun, ended, *_ in told)
    assert all(ended <= begun for (_, ended), (begun, _) in itertools.pairwise(spans))
    assert {(threads, gpu) for *_, threads, gpu in told} == {("2", "0")}

    jobs = [job for job in submitted() if job["JobId"] not in known]
    assert sorted((job["JobState"], job["MinMemoryNode"], job["NumCPUs"]) for job in jobs) == [
        ("CANCELLED", "500M", "1"),
        ("COMPLETED", "1000M", "1"),
        ("COMPLETED", "600M", "2"),
        ("FAILED", "300M", "2"),
    ]
    assert told[0][0] == next(job["JobId"] for job in jobs if job["MinMemoryNode"] == "600M")
