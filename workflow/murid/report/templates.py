"""How pages are made of templates: the report's and those of the studies."""

from importlib.resources import files

import jinja2
import pandas as pd
from markupsafe import Markup

from murid import okabe_ito
from murid.identify.registry import label
from murid.report import metric_words


def environment(folder: str) -> jinja2.Environment:
    """Return the environment of the templates in a folder of the package.

    The filter ``figure`` writes a number in a printf form, and what is missing as a dash;
    ``interval`` says how sure an estimate is; ``method_label`` what a method is called. The test
    ``missing`` tells whether a value is.
    """
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("murid", folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    made.globals["okabe_ito"] = okabe_ito
    made.filters["method_label"] = label
    made.filters["interval"] = metric_words.interval
    made.tests["missing"] = pd.isna
    made.filters["figure"] = lambda value, form: "–" if pd.isna(value) else form % value
    return made


def style() -> Markup:
    """Return the style sheet of all pages."""
    return _own("page.css")


def script() -> Markup:
    """Return the script of pages with tables that can be sorted and filtered."""
    return _own("tables.js")


def _own(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text("utf-8"))  # noqa: S704 - our own
