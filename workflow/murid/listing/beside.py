"""Files that belong to one recording each, as its annotations: told by fields that they share."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from murid.listing.patterns import Pattern, Told
from murid.listing.recordings import Recording

Key = tuple[tuple[str, ...], tuple[int | str | None, ...]]


class Beside:
    """The files of one pattern.

    Parameters
    ----------
    pattern
        Of their paths.
    found
        Their paths, and what they tell.
    parts
        Parts of a time that are known of recordings.
    """

    def __init__(
        self, pattern: Pattern, found: Iterable[tuple[str, Told]], parts: Collection[str]
    ) -> None:
        self.names = sorted(pattern.names)
        self.parts = sorted(pattern.parts & {*parts} - {"offset"})
        self.paths: dict[Key, list[str]] = defaultdict(list)
        for path, told in found:
            names = tuple(told.names[name] for name in self.names)
            self.paths[names, tuple(told.clock.get(part) for part in self.parts)].append(path)

    def of(self, recording: Recording) -> list[str]:
        """Return the paths of the files of a recording: one, none, or too many."""
        names = tuple(getattr(recording, name) for name in self.names)
        parts = tuple(recording.shown.get(part) for part in self.parts)
        return self.paths.get((names, parts), [])
