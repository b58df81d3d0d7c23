"""Which file is what, by the patterns of options."""

import os
import posixpath
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from murid.listing.findings import Findings
from murid.listing.patterns import AmbiguousError, Pattern, Told
from murid.sheet import LIST, is_path

LOG = "log"
"""What keys of patterns of antenna logs begin with, of which there may be several."""
UNMATCHED = "files that fit no pattern, so that the sheet does not name them"
NEIGHBOURS = (
    "files that fit no pattern and are not used, though they lie among those of an option and end "
    "alike: if they are of its kind, widen its pattern, as by *"
)
AMBIGUOUS = "files left out, since they fit a pattern in two ways"
SEVERAL = "files left out, since they fit the patterns of several options"
EMPTY = "files left out, since they are empty (0 bytes)"
GONE = "files left out, since they can no longer be looked at"
UNNAMEABLE = "files left out, since a sheet cannot name them; rename them"

Found = list[tuple[str, Told]]
"""Paths, and what they tell."""


def sort_files(
    archive: Path,
    paths: Iterable[str],
    patterns: Mapping[str, Pattern],
    findings: Findings,
) -> tuple[dict[str, Found], list[str]]:
    """Return the files that fit each pattern and can be used, by the key of the pattern.

    Parameters
    ----------
    archive
        The folder that paths are relative to.
    paths
        Of all files.
    patterns
        By the name of their option; of logs by that and a number.
    findings
        Gets all that cannot be used.

    Returns
    -------
    The files by keys, and paths of those that fit no pattern.
    """
    found: dict[str, Found] = {key: [] for key in patterns}
    unmatched = []
    for path in paths:
        fitting: dict[str, Told] = {}
        try:
            for key, pattern in patterns.items():
                if told := pattern.match(path):
                    fitting[key] = told
        except AmbiguousError as error:
            findings.add(AMBIGUOUS, path, str(error))
            continue
        options = list(dict.fromkeys(map(option_of, fitting)))
        if not options:
            unmatched.append(path)
        elif len(options) > 1:
            findings.add(SEVERAL, path, " and ".join(options))
        elif _can_be_used(archive, path, fitting, findings):
            key = next(iter(fitting))
            found[key].append((path, fitting[key]))
    return found, unmatched


def tell_unmatched(
    unmatched: Iterable[str], found: Mapping[str, Found], findings: Findings
) -> None:
    """Tell of files that fit no pattern, those apart that may have been meant to."""
    places: dict[tuple[str, str], str] = {}
    for key, files in found.items():
        for path, _ in files:
            places.setdefault(_place(path), f"beside {path} of {option_of(key)}")
    for path in unmatched:
        beside = places.get(_place(path), "")
        findings.add(NEIGHBOURS if beside else UNMATCHED, path, beside)


def _place(path: str) -> tuple[str, str]:
    """Return folder and ending of a path."""
    return posixpath.dirname(path), posixpath.splitext(path)[1].lower()


def option_of(key: str) -> str:
    """Return the option of a pattern.

    Examples
    --------
    >>> option_of("frame_times"), option_of("log 2")
    ('--frame-times', '--log')
    """
    return "--" + key.partition(" ")[0].replace("_", "-")


def _can_be_used(archive: Path, path: str, keys: Collection[str], findings: Findings) -> bool:
    """Tell whether a sheet may name a file that holds something; add it to the findings if not."""
    listed = any(key.startswith(LOG) for key in keys)
    if not is_path(path) or path != path.strip() or (listed and LIST in path):
        findings.add(UNNAMEABLE, path, f"without braces, <, >, {LIST} in logs, or spaces around it")
        return False
    try:
        size = os.stat(f"{archive}/{path}").st_size
    except OSError as error:
        findings.add(GONE, path, error.strerror or str(error))
        return False
    if not size:
        findings.add(EMPTY, path)
    return size > 0
