"""The stages that choose what a human is asked, and that make the page that asks it."""

from pathlib import Path

from murid import settings
from murid.clip.stage import Shown
from murid.identify.stage import Naming
from murid.stage import Cage, Positive, Segment, makes, reads, same_as, takes


class Questions(Naming):
    """Choose what to ask a human about a segment: what puts most boxes right."""

    cage: Cage
    segment: Segment
    path_model: Path = reads("fitted path model (JSON)")
    proofread: settings.Proofread = settings.Proofread()
    output: Path = makes("questions")

    def run(self) -> None:
        """Choose; of a segment that cannot be used, there are no questions."""
        from murid import tables
        from murid.proofread import questions

        asked = tables.empty("questions")
        with self.scene() as (scene, verdict):
            if scene is not None:
                asked = questions.ask(scene, self.proofread)
        asked = asked.assign(cage=self.cage, segment=self.segment)
        tables.write(asked, self.output, "questions", verdict)


class Proofread(Shown):
    """Write the page that asks a human, with a clip and a still of each question."""

    method: str = takes("method whose names are shown and asked about")
    title: str = same_as(settings.Report, "title")
    corrections: Path | None = reads(
        "what people answered before (CSV, TSV): what is saved on the page holds it, too",
        default=None,
    )
    questions: settings.Count = same_as(settings.Proofread, "questions")
    seconds: Positive = same_as(settings.Proofread, "seconds")

    def run(self) -> None:
        """Write ``index.html``, and beside it the clips and stills that it shows."""
        from murid.proofread import page

        page.write(self)
