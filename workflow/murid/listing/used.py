"""Which of the files that fit patterns a sheet names, and why it does not name the others."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from murid.listing.findings import Findings
from murid.listing.patterns import Told
from murid.listing.sorting import LOG, Found, option_of

UNNEEDED = "files that fit a pattern and are not used, since no segment of the sheet needs them"


def tell_unneeded(
    found: Mapping[str, Found],
    lead: str,
    named: Collection[str],
    cages: Collection[str],
    findings: Findings,
) -> None:
    """Tell which files beside recordings, and which logs, are of no use, and why.

    Parameters
    ----------
    found
        Files by the keys of their patterns.
    lead
        Key of those that recordings are found by: why one is left out is told of recordings.
    named
        Paths that the sheet names.
    cages
        Those of which it lists segments.
    findings
        Gets the files.
    """
    for key, files in found.items():
        if key != lead:
            for path, told in files:
                if path not in named:
                    findings.add(UNNEEDED, path, _reason(key, told, cages))


def _reason(key: str, told: Told, cages: Collection[str]) -> str:
    option, cage = option_of(key), told.names.get("cage")
    if cage is not None and cage not in cages:
        return f"no segment of cage {cage} is listed ({option})"
    if key.startswith(LOG):
        return f"no segment is of its time ({option})"
    return f"no segment has its name and time, or several files have those of one ({option})"


def words(found: Mapping[str, Found], named: Collection[str]) -> Iterator[str]:
    """Yield a line for each option: how many of the files that fit are used."""
    of_option: dict[str, list[str]] = {}
    for key, files in found.items():
        of_option.setdefault(option_of(key), []).extend(path for path, _ in files)
    for option, paths in of_option.items():
        yield f"{option}: {_count(paths, named):,} of {len(paths):,} files that fit are used"


def _count(paths: Iterable[str], named: Collection[str]) -> int:
    return sum(path in named for path in paths)
