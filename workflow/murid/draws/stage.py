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
        verdict = segment.verdict()
        if not verdict.discarded:
            with naming(weights=self.weights, **segment.files):
                scene, fitting = scenes.read(self, segment)
                verdict |= fitting
                if not verdict.discarded:
                    scene.check()
                    place = (self.cage, self.segment)
                    made = assignments.draw(scene, self.draws, place)
                    verdict |= made.verdict | scene.not_obeyed()
                    table = assignments.stretches(scene, made.named)
                    tables.write(table, self.output, "draws", verdict, made.about)
                    return
        tables.write(tables.empty("draws"), self.output, "draws", verdict)
