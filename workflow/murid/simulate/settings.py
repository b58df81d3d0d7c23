"""The settings of the demo archive."""

from murid.settings_kinds import Animal, Block, Count, EachOnce, Positive, Seed, Whole, setting
from murid.sheet import MOST_ANIMALS


class Simulate(Block):
    """The demo archive."""

    seed: Seed = setting(1, "seed of everything in it")
    cages: Count = setting(
        6, "cages, of Train, Test, Train, Validate, Train, Test, and so on", le=99
    )
    seconds: Positive = setting(150.0, "length of each cage's main segment, seconds")
    damaged_seconds: Positive = setting(8.0, "length of the damaged segments, seconds")
    fps: Positive = setting(12.5, "frames per second")
    width: int = setting(320, "pixels; the height is 9/16 of it", ge=64, multiple_of=2)
    crf: Whole = setting(21, "compression of the video; 0 is lossless", le=51)
    annotate_every: Positive = setting(2.0, "seconds between annotated frames")
    animals: EachOnce[tuple[Animal, ...]] = setting(
        ("R", "G", "B"), "names of the animals in every cage", min_length=1, max_length=MOST_ANIMALS
    )
    processes: Count = setting(2, "segments that are drawn at once")

    @property
    def height(self) -> int:
        """Height of the picture, pixels; even, as the encoder wants it."""
        return self.width * 9 // 16 // 2 * 2
