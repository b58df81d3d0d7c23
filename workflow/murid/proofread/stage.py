"""The stages that choose what a human is asked, and that make the page that asks it."""

from pathlib import Path

from murid import settings
from murid.identify.stage import Naming
from murid.stage import Cage, Positive, Segment, Stage, makes, reads, same_as, takes


class Questions(Naming):
    """Choose what to ask a human about a segment: what puts most boxes right."""

    cage: Cage
    segment: Segment
    proofread: settings.Proofread = settings.Proofread()
    output: Path = makes("questions")

    def run(self) -> None:
        """Choose; of a segment that cannot be used, there are no questions."""
        from murid import tables
        from murid.errors import naming
        from murid.identify import scene as scenes
        from murid.proofread import questions
        from murid.segment import Segment as Tables

        segment = Tables.of(self, self.transforms)
        asked, verdict = tables.empty("questions"), segment.verdict()
        if not verdict.discarded:
            with naming(weights=self.weights, **segment.files):
                scene, fitting = scenes.read(self, segment)
                verdict |= fitting
                if not verdict.discarded:
                    scene.check()
                    asked = questions.ask(scene, self.proofread)
        asked = asked.assign(cage=self.cage, segment=self.segment)
        tables.write(asked, self.output, "questions", verdict)


class Proofread(Stage):
    """Write the page that asks a human, with a clip and a still of each question."""

    sample_sheet: Path = takes("sample sheet", option="--sheet")
    archive: Path = takes("folder that its paths start at")
    segments_dir: Path = takes("folder of the segments' tables")
    weights: Path = reads("fitted model (JSON)")
    transforms: Path = reads("table of transforms")
    method: str = takes("method whose names are shown and asked about")
    title: str = same_as(settings.Report, "title")
    questions: settings.Count = same_as(settings.Proofread, "questions")
    seconds: Positive = same_as(settings.Proofread, "seconds")
    clahe: bool = same_as(settings.Clips, "clahe", metavar="VALUE")
    output_dir: Path = takes("folder of the page")

    def run(self) -> None:
        """Write ``index.html``, and beside it the clips and stills that it shows."""
        from murid.proofread import page

        page.write(self)
