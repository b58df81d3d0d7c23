"""The formats of antenna logs, a module each: to add a format is to add a module.

A format's module has ``FORMAT``, a :class:`murid.readings.log_format.LogFormat`, which is all that
is said of it anywhere.
"""

import functools
import importlib
import pkgutil
from pathlib import Path

from murid import files, spelling
from murid.archive.columns import Judged
from murid.errors import InputError
from murid.readings import events
from murid.readings.how import How
from murid.readings.log_format import LogFormat


@functools.cache
def formats() -> dict[str, LogFormat]:
    """Return all formats by name, those that fit any file of a suffix last."""
    found = {
        module.name: importlib.import_module(f"{__name__}.{module.name}").FORMAT
        for module in pkgutil.iter_modules(__path__)
    }
    return dict(sorted(found.items(), key=lambda item: (item[1].holds is None, item[0])))


def read(path: Path, how: How) -> Judged:
    """Read an antenna log.

    Parameters
    ----------
    path
        The file.
    how
        Its system, if it is not to be told by the file, and what the file does not say.

    Returns
    -------
    Columns ``time`` (datetime64[us, UTC]), ``tag`` and ``antenna`` (categorical; numbers without
    zeros in front), ``duration`` (s, float32; NaN: not told), sorted by time; and the verdict,
    ``repaired`` if anything is left out or sorted.

    Raises
    ------
    InputError
        If there is no such file, system or zone, the file is of no format, or holds no sound read.
    """
    path = Path(path)
    _, chosen = chosen_for(path, how.system)
    return events.in_utc(chosen.read(path, how), path, how.zone, chosen.unit)


def chosen_for(path: Path, system: str | None = None) -> tuple[str, LogFormat]:
    """Return the format of a log and its name.

    Parameters
    ----------
    path
        The file.
    system
        Name of the format; None: it is told by the suffix, and by what the file holds.

    Raises
    ------
    InputError
        If there is no such file, no such format, or the suffix is of none.
    """
    if system is not None:
        if system not in formats():
            listed = spelling.misspelt([system], formats())
            raise InputError(
                "system", listed or repr(system), f"one of {', '.join(formats())}",
            )  # fmt: skip
        files.regular(path, formats()[system].name)
        return system, formats()[system]
    suffix = path.suffix.lower()
    fitting = {name: each for name, each in formats().items() if suffix in each.suffixes}
    if not fitting:
        known = dict.fromkeys(name for each in formats().values() for name in each.suffixes if name)
        raise InputError(
            path, f"the suffix {suffix!r}", f"an antenna log: a file {', '.join(known)}",
            remedy="The format is told by the suffix: rename the file, or name its system.",
        )  # fmt: skip
    files.regular(path, "an antenna log")
    for name, each in fitting.items():
        if each.holds is None or each.holds(path):
            return name, each
    raise InputError(
        path, "a file of another kind", " or ".join(each.name for each in fitting.values()),
        remedy="Name its system if it is one of these.",
    )  # fmt: skip
