"""What all pages of the studies have in common."""

import math
from importlib.resources import files

import jinja2
import pandas as pd
from markupsafe import Markup

from murid import __version__, report


def common(note: str | None) -> dict[str, object]:
    """Return what every page shows."""
    css = files(report).joinpath("page.css").read_text("utf-8")
    return {"css": Markup(css), "version": __version__, "note": note}  # noqa: S704 - the package's own


def template(name: str) -> jinja2.Template:
    """Return the template of a page."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("murid", "study/pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["figure"] = lambda value, form: "–" if pd.isna(value) else form % value
    environment.filters["odds"] = math.exp
    environment.filters["signed"] = lambda value: f"{value:+.3f}".replace("-", "−")
    return environment.get_template(name)
