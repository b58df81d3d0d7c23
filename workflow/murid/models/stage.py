"""The stage that publishes fitted models."""

from pathlib import Path
from typing import NamedTuple

from murid.stage import Stage, takes


class Published(NamedTuple):
    """A fitted model, and its copy."""

    model: Path
    duplicate: Path


class PublishModels(Stage):
    """Copy the models that names rest on to where every segment takes them from."""

    models: tuple[Published, ...] = takes(
        "a fitted model, and its copy to write; once for each",
        option="--model",
        metavar="MODEL COPY",
    )
    output: Path = takes("list of the models' digests to write")

    def run(self) -> None:
        """Copy, then list the digests."""
        from murid.models import publish

        publish.publish(self.models, self.output)
