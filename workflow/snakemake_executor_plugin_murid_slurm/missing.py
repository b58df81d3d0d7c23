"""What stands for the executor where Snakemake's plugin for SLURM is not installed."""

from dataclasses import dataclass, field
from typing import Any, NoReturn

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.executors.base import AbstractExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings, ExecutorSettingsBase

__all__ = ["Executor", "ExecutorSettings", "common_settings"]

common_settings = CommonSettings(
    non_local_exec=True,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    pass_default_storage_provider_args=True,
    pass_default_resources_args=True,
    pass_envvar_declarations_to_cmd=False,
    auto_deploy_default_storage_provider=False,
)


@dataclass
class ExecutorSettings(ExecutorSettingsBase):
    """What ``profiles/slurm`` sets, so that it is not that which is refused."""

    status_command: str = field(
        default="", metadata={"help": "Ignored.", "env_var": False, "required": False}
    )


class Executor(AbstractExecutor):
    """Tells what is to be installed as soon as it is asked to run anything."""

    def __new__(cls, *_arguments: Any, **_options: Any) -> NoReturn:
        """Refuse.

        Raises
        ------
        WorkflowError
            Saying what to install.
        """
        raise WorkflowError(
            "The executor murid-slurm needs Snakemake's plugin for SLURM, which is not installed: "
            "pip install snakemake-executor-plugin-slurm, or murid with [slurm]."
        )
