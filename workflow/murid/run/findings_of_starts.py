"""What is told of when segments start, before anything runs: for times of day, and days."""

from collections import defaultdict
from collections.abc import Iterator

from murid import start_times
from murid.errors import InputError, brief
from murid.numbers import counted
from murid.run.findings import Finding, some, warning
from murid.run.plan import Key, Plan


def of_starts(plan: Plan) -> Iterator[Finding]:
    """Look for starts that tell no time, and for segments of a cage that start at once.

    Where there are antenna logs, the sheet itself is refused without a time; elsewhere one is for
    the hours of the day, which are then not known.
    """
    zone = plan.settings.readings.zone
    odd, unclear = [], []
    at_once: defaultdict[tuple[str, object], list[Key]] = defaultdict(list)
    for key, segment in plan.segments.items():
        if not segment.start:
            continue
        try:
            begins = start_times.moment(segment.start, zone)
        except InputError as error:
            unclear.append(f"{' '.join(key)}: {error.found}")
            continue
        if begins is None:
            odd.append(f"{' '.join(key)}: {brief(segment.start)!r}")
        else:
            at_once[key[0], begins].append(key)
    if odd:
        yield warning(
            f"start: {counted(len(odd), 'segment has', 'segments have')} one that is no time, or "
            "of a clock that was "
            f"never set ({some(odd)}), so that their times of day are not known: write "
            f"{start_times.WRITTEN}"
        )
    if unclear:
        yield warning(
            f"start: {counted(len(unclear), 'segment has', 'segments have')} one that is not one "
            "moment "
            f"({some(unclear)}); else nothing is told of them that needs the time of day"
        )
    if same := [keys for keys in at_once.values() if len(keys) > 1]:
        yield warning(
            "start: the same for several segments of a cage "
            f"({some(' and '.join(key[1] for key in keys) + ' of ' + keys[0][0] for keys in same)})"
            ": hours of the day count what is filmed in all of them. Mend start, unless a cage is "
            "filmed twice"
        )
