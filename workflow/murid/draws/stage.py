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
        from murid.errors import naming
        from murid.identify import scene as scenes
        from murid.segment import Segment as Tables

        segment = Tables.of(self, self.transforms)
        drawn, verdict = tables.empty("draws"), segment.verdict()
        about: dict[str, str] = {}
        if not verdict.discarded:
            with naming(weights=self.weights, **segment.files):
                scene, fitting = scenes.read(self, segment)
                verdict |= fitting
                if not verdict.discarded:
                    scene.check()
                    made = assignments.draw(scene, self.draws, (self.cage, self.segment))
                    drawn, about = made.table, made.about
                    verdict |= made.verdict | scene.not_obeyed()
        tables.write(drawn, self.output, "draws", verdict, about)
