"""Where antennas in no grid are, which the settings leave to the table of antennas."""

from murid.errors import InputError
from murid.readings import antenna_table
from murid.settings import Settings


def with_places(settings: Settings) -> Settings:
    """Return settings that tell the places of antennas in no grid.

    Raises
    ------
    InputError
        If the table of antennas cannot be read, or the settings tell other places themselves.
    """
    table, told = settings.antennas, settings.grid.places
    if not table:
        return settings
    places = None
    if antenna_table.is_placed(table):
        image = settings.image
        antennas = antenna_table.read_placed(table, image.width, image.height)
        places = antenna_table.all_places(antennas)
    elif told is None:
        # Read for its faults alone: jobs that read logs look up the numbers themselves.
        antenna_table.read_grid(table, settings.grid.rows, settings.grid.columns)
    if told not in (None, places):
        raise InputError(
            "configuration", f"places beside a table of antennas that has others ({table})",
            "places in one of the two", where="key grid.places",
            remedy="Leave grid.places out, or set it to null.",
        )  # fmt: skip
    grid = settings.grid.model_copy(update={"places": places})
    return settings.model_copy(update={"grid": grid})
