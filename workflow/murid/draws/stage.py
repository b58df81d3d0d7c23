"""The stage that draws whole assignments of a segment's tracklets."""

from pathlib import Path

from murid import settings
from murid.identify.stage import Naming
from murid.stage import Cage, Segment, makes, reads


class Draw(Naming):
    """Draw whole assignments of a segment's tracklets, of the method path."""

    cage: Cage
    segment: Segment
    path_model: Path = reads("fitted path model (JSON)")
    draws: settings.Draws = settings.Draws()
    output: Path = makes("draws")

    def run(self) -> None:
        """Draw; of a segment that cannot be used, there are no draws."""
        from murid import tables
        from murid.draws import assignments

        drawn, about = tables.empty("draws"), dict[str, str]()
        with self.scene() as (scene, verdict):
            if scene is not None:
                made = assignments.draw(scene, self.draws, (self.cage, self.segment))
                drawn, about = made.table, made.about
                verdict |= made.verdict | scene.not_obeyed()
        tables.write(drawn, self.output, "draws", verdict, about)
