"""Jobs for SLURM, as Snakemake's own plugin submits them, that run their rules themselves.

The plugin for SLURM starts a Snakemake for each job, and that another one for each rule, by
``srun``: seconds a rule, which is as long as most rules of murid work. Here the first runs the
rules, one after the other, in the job's own allocation. All else is the plugin's: what a job asks
for, with what account and where, retries, logs and the watch over the queue. So are its settings,
which are called ``murid-slurm-...`` in place of ``slurm-...``.

Snakemake finds this package by its name, and imports it whenever it starts, whatever runs its jobs.
"""

from importlib.util import find_spec

__all__ = ["Executor", "ExecutorSettings", "common_settings"]

if find_spec("snakemake_executor_plugin_slurm"):
    from .executor import Executor, ExecutorSettings, common_settings
else:
    from .missing import Executor, ExecutorSettings, common_settings  # type: ignore[assignment]
