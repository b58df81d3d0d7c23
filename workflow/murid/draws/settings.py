"""The settings of the assignments that are drawn."""

from murid.settings_kinds import Block, Count, Seed, setting


class Draws(Block):
    """Whole assignments, each drawn as often as it is probable (``snakemake draws``)."""

    count: Count = setting(20, "assignments that are drawn of a segment", le=32_767)
    seed: Seed = setting(0, "seed of which are drawn; the same seed draws the same everywhere")
