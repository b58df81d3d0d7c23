"""The executor, where Snakemake's plugin for SLURM is installed."""

from snakemake_executor_plugin_slurm import Executor as PluginExecutor
from snakemake_executor_plugin_slurm import ExecutorSettings, common_settings

__all__ = ["Executor", "ExecutorSettings", "common_settings"]


class Executor(PluginExecutor):
    """Submits jobs whose Snakemake runs their rules in its own process."""

    def additional_general_args(self) -> str:
        """Return what the Snakemake within a job is told beyond what all are.

        One rule at a time, as the plugin has it: a group may ask for no more than its largest rule.
        """
        return "--executor local --jobs 1"
