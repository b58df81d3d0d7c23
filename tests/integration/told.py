"""One run that makes all that is made of names: draws, what animals did, and files of others."""

from murid.exports.files import FORMATS

WHERE = ("--config", "archive=archive", "results=results")
TARGETS = ("draws", "animals", "export")
EXPORT = f"export=[{', '.join(FORMATS)}]"
COUNT = "draws={count: 5}"
ZONES = "summaries={zones: {left: [[0, 0], [640, 0], [640, 720], [0, 720]]}}"
ALL = (*WHERE, EXPORT, COUNT, ZONES)
