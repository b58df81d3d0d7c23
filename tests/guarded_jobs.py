"""A guarded job, also for processes of their own."""

from pathlib import Path

from murid.run import guard

NAMES = guard.Named("A", "1", "Test", 12.5)
"""Cage, segment, split and frames per second of the job's segment."""


def job_of(folder: Path, attempt: int = 1) -> guard.Job:
    outputs = [("tracklets", folder / "tracklets.parquet"), ("summaries", folder / "s.parquet")]
    return guard.Job(folder / "failed" / "track" / "A" / "1", attempt, outputs, [NAMES])
