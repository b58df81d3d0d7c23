"""Copies of the fitted models for the jobs that use them, and a list of what they hold.

What fits a model has hundreds of inputs, through which a workflow would look once for every job
that uses it. Between the two stand copies that depend on the models only; and a short list of
digests tells models that were fitted anew and are the same from others, whatever their size.
"""

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from murid.errors import InputError
from murid.files import regular, replacing, write_text


def publish(models: Sequence[tuple[Path, Path]], output: Path) -> None:
    """Copy each model, then list their digests (SHA-256) by the copies' names, a line each.

    Parameters
    ----------
    models
        A model and its copy, for each.
    output
        The list to write.

    Raises
    ------
    InputError
        If a model is no plain file that can be read; the copies have one name.
    """
    names = [copy.name for _, copy in models]
    if len(set(names)) < len(names):
        raise InputError(output, f"the names {', '.join(names)}", "one of its own for each model")
    lines = []
    for model, copy in models:
        regular(model, "a fitted model")
        with replacing(copy) as temporary:
            shutil.copyfile(model, temporary)
        with copy.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {copy.name}\n")
    write_text(output, "".join(lines))
