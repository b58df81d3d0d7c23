"""A SLURM cluster of one machine, for tests: real munged, slurmctld and slurmd, no systemd.

Two partitions, ``cpu`` and ``gpu``; the GPU is a name that SLURM counts, whatever the machine has.
Run by itself, it starts the cluster and leaves it running: ``python cluster.py start`` or ``stop``.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

CONFIGURATION = Path("/etc/slurm/slurm.conf")
"""Where an srun within a job looks, whatever its environment says."""
STATE = Path("/var/tmp/murid-slurm")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
MARK = "# Made by murid's tests; safe to remove."


def obstacle() -> str | None:
    """Tell why a cluster cannot be started here, if so."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        return f"no {', '.join(missing)}: install slurm-wlm and munge"
    if os.geteuid():
        return "a cluster of one machine is started by root"
    if CONFIGURATION.exists() and MARK not in CONFIGURATION.read_text():
        return f"{CONFIGURATION} is of a real cluster"
    return None


def start(cpus: int = 4) -> None:
    """Start the cluster, after stopping one that an earlier run may have left.

    Parameters
    ----------
    cpus
        CPUs that the node claims to have; jobs are few and small, so more than there are does.
    """
    stop()
    shutil.rmtree(STATE, ignore_errors=True)
    for folder in (STATE, STATE / "state", STATE / "spool"):
        folder.mkdir(parents=True)
    CONFIGURATION.parent.mkdir(exist_ok=True)
    CONFIGURATION.write_text(
        f"""{MARK}
ClusterName=murid
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
StateSaveLocation={STATE}/state
SlurmdSpoolDir={STATE}/spool
SlurmctldPidFile={STATE}/slurmctld.pid
SlurmdPidFile={STATE}/slurmd.pid
SlurmctldLogFile={STATE}/slurmctld.log
SlurmdLogFile={STATE}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0
MinJobAge=36000
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
DefMemPerCPU=1000
GresTypes=gpu
NodeName=localhost CPUs={cpus} RealMemory=20000 Gres=gpu:1 State=UNKNOWN
PartitionName=cpu Nodes=localhost Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
PartitionName=gpu Nodes=localhost MaxTime=INFINITE State=UP OverSubscribe=NO
"""
    )
    CONFIGURATION.with_name("gres.conf").write_text(f"{MARK}\nName=gpu File=/dev/null\n")
    run_folder = Path("/run/munge")
    run_folder.mkdir(exist_ok=True)
    if not Path("/etc/munge/munge.key").exists():
        subprocess.run(["mungekey", "--create"], check=False)
    for folder in ("/run/munge", "/etc/munge", "/var/log/munge", "/var/lib/munge"):
        if Path(folder).exists():
            shutil.chown(folder, "munge", "munge")
    os.chmod(run_folder, 0o755)
    _run("runuser", "-u", "munge", "--", "munged")
    _run("slurmctld")
    _run("slurmd", "-N", "localhost")
    wait_until_idle()


def wait_until_idle(seconds: float = 60) -> None:
    """Wait for the node to take jobs.

    Raises
    ------
    RuntimeError
        If it does not within the time.
    """
    end = time.monotonic() + seconds
    state = ""
    while time.monotonic() < end:
        done = subprocess.run(
            ["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False
        )
        state = done.stdout + done.stderr
        if set(done.stdout.split()) == {"idle"}:
            return
        time.sleep(0.5)
    logs = "\n".join(path.read_text()[-2_000:] for path in sorted(STATE.glob("*.log")))
    raise RuntimeError(f"the cluster did not start: {state}\n{logs}")


def stop() -> None:
    """Stop the cluster, and whatever its jobs left running."""
    if CONFIGURATION.exists() and MARK in CONFIGURATION.read_text():
        subprocess.run(["scancel", "--user=root"], capture_output=True, check=False)
    for name in ("slurmstepd", "slurmd", "slurmctld", "munged"):
        for process in _processes(name):
            try:
                os.kill(process, signal.SIGTERM)
            except ProcessLookupError:
                continue
        end = time.monotonic() + 10
        while _processes(name) and time.monotonic() < end:
            time.sleep(0.1)
    for name in ("slurm.conf", "gres.conf"):
        path = CONFIGURATION.with_name(name)
        if path.exists() and MARK in path.read_text():
            path.unlink()


def _processes(name: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state = (folder / "stat").read_text()
            except OSError:
                continue
            if state[state.index("(") + 1 : state.rindex(")")] == name and ") Z " not in state:
                found.append(int(folder.name))
    return found


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    {"start": start, "stop": stop}[sys.argv[1]]()
