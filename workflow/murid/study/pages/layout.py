"""What all pages of the studies have in common."""

import math

import jinja2

from murid import __version__
from murid.report.templates import environment, style


def common(note: str | None) -> dict[str, object]:
    """Return what every page shows."""
    return {"css": style(), "version": __version__, "note": note}


def template(name: str) -> jinja2.Template:
    """Return the template of a page."""
    made = environment("study/pages")
    made.filters["odds"] = math.exp
    made.filters["signed"] = lambda value: f"{value:+.3f}".replace("-", "−")
    return made.get_template(name)
