"""The stages that link detections; and the visual tracker that murid is compared with."""

from pathlib import Path

from murid import settings
from murid.stage import Filming, Rate, Stage, makes, reads, same_as, source


class Track(Stage):
    """Link detections into tracklets (SORT)."""

    of = "segment"
    leave_out = settings.ADOPTED_ONLY

    detections: Path = reads("table of detections")
    output: Path = makes("tracklets")
    track: settings.Track = settings.Track()

    def run(self) -> None:
        """Link; the verdict is that of the detections and of how many boxes are linked."""
        from murid import tables
        from murid.tracking import link, successive

        verdict = tables.read_verdict(self.detections)
        detections = tables.read(self.detections, "detections")
        suited, told = successive.suit(detections, self.track)
        tracklets = link.track(detections, suited)
        if not verdict.discarded:
            verdict |= told | link.judge(detections, tracklets, suited)
        tables.write(tracklets, self.output, "tracklets", verdict)


class AdoptTracklets(Stage):
    """Adopt tracklets made elsewhere, as far as their detections are kept."""

    of = "segment"

    tracklets: Path = reads("table of tracklets by another tool")
    detections: Path = reads("table of the detections kept")
    output: Path = makes("tracklets")
    cut_adopted: bool = same_as(settings.Track, "cut_adopted")

    def run(self) -> None:
        """Adopt; the table is empty where tracklets and detections do not go together."""
        from murid import tables
        from murid.tracking import adopt

        verdict = tables.read_verdict(self.tracklets, self.detections)
        tracklets = tables.empty("tracklets")
        if not verdict.discarded:
            given = tables.read(self.tracklets, "tracklets")
            detections = tables.read(self.detections, "detections")
            tracklets, judged = adopt.adopt_pure(given, detections, self.cut_adopted)
            verdict |= judged
        tables.write(tracklets, self.output, "tracklets", verdict)


class TrackVisually(Filming):
    """Track each animal from an annotated frame in the middle of every snippet, both ways."""

    of = "segment"

    video: Path = source("video of the segment")
    positions: Path = reads("table of positions")
    annotations: Path = reads("table of annotations")
    fps: Rate
    output: Path = makes("identities")
    track_visually: settings.TrackVisually = settings.TrackVisually()
    evaluate: settings.Evaluate = settings.Evaluate()

    def run(self) -> None:
        """Track; of a segment that cannot be used the table has no rows."""
        from murid import tables
        from murid.tracking import visual

        verdict = tables.read_verdict(self.positions, self.annotations)
        annotations = tables.read(self.annotations, "annotations")
        animals = sorted(tables.read(self.positions, "positions")["animal"].unique())
        if verdict.discarded:
            identities = visual.as_identities({}, animals)
        else:
            identities = visual.track(
                self.video, annotations, animals, self.fps, self.track_visually, self.evaluate,
                self.annotations, self.part,
            )  # fmt: skip
        tables.write(identities, self.output, "identities", verdict)
