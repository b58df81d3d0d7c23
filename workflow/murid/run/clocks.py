"""Which segments are by one clock: those whose antenna logs one machine wrote, day by day."""

from collections.abc import Mapping

from murid.sheet import Segment

Key = tuple[str, str]


def by_clock(segments: Mapping[Key, Segment], one: bool) -> dict[str, list[Key]]:
    """Return the segments whose readings are by one clock on one day, by a name for it.

    Logs that serve a cage are by one clock, and so are cages that a log serves.

    Parameters
    ----------
    segments
        Of the sheet; those without readings are by none.
    one
        Whether all logs are by one clock.
    """
    first: dict[str, str] = {}

    def root(name: str) -> str:
        name = "all" if one else name
        while first.setdefault(name, name) != name:
            first[name] = name = first[first[name]]
        return name

    for key, row in segments.items():
        for path in row.readings:
            first[root(f"log {path}")] = root(f"cage {key[0]}")
    names: dict[str, str] = {}
    clocks: dict[str, list[Key]] = {}
    for key, row in segments.items():
        if row.readings:
            clock = names.setdefault(root(f"cage {key[0]}"), key[0])
            clocks.setdefault(f"{clock}_{row.start[:10] or 'undated'}", []).append(key)
    return clocks
