"""What a task of Label Studio was annotated with.

A result draws something, or says something of what was drawn with the same ``id``: a choice, a text
or labels; which question that answers, ``from_name`` tells.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from murid.archive.formats import Source
from murid.errors import InputError

_EXPECTED = "the export JSON of Label Studio: tasks with annotations and their results"
_DONE = {"annotations", "completions"}
"""What a task calls what was done with it; the latter in old versions."""
_LABELS = ("labels", "rectanglelabels", "videorectanglelabels")
_SAYING = ("choices", "textarea", "labels", "number", "rating", "taxonomy", "datetime", "pairwise")
"""Types of results that draw nothing."""

Found = Mapping[str, Any]
"""A result as it is in the file."""


def holds(source: Source) -> bool:
    """Tell whether a JSON file is of Label Studio: tasks and what was done with them."""
    content = source.json
    tasks = content if isinstance(content, list) else [content]
    return bool(tasks) and all(
        isinstance(task, dict)
        and ("annotation_id" in task or ("data" in task and _DONE & task.keys()))
        for task in tasks
    )


def results(path: Path, where: str, task: Any) -> list[Found] | None:
    """Return what a task was annotated with; None if nobody did so.

    Raises
    ------
    InputError
        If it is no task, or has several annotations none of which is the one that counts.
    """
    given = task.get("annotations", task.get("completions")) if isinstance(task, dict) else None
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise InputError(
            path, "a task without a list of annotations", _EXPECTED, where=where,
            remedy="Export it as JSON, not as JSON-MIN.",
        )  # fmt: skip
    done = [each for each in given if not each.get("was_cancelled")]
    chosen = [each for each in done if each.get("ground_truth")] or done
    if len(chosen) > 1:
        raise InputError(
            path, f"{len(chosen)} annotations of one task", "one", where=where,
            remedy="Remove the others, or mark the one that counts as ground truth.",
        )  # fmt: skip
    if not chosen:
        return None
    results = chosen[0].get("result")
    if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
        raise InputError(path, "an annotation without results", _EXPECTED, where=where)
    return results


def says(result: Found) -> bool:
    """Tell whether a result draws nothing."""
    return result.get("type") in _SAYING or "value" not in result


def value(result: Found) -> Found:
    """Return the value of a result; an empty one if it has none."""
    given = result.get("value")
    return given if isinstance(given, dict) else {}


def said(results: Sequence[Found], drawn: Found) -> tuple[dict[str, Any], str]:
    """Return the attributes of a rectangle, and its labels."""
    key = drawn.get("id")
    about: dict[str, Any] = {}
    labels: list[str] = []
    for result in (drawn, *(each for each in results if each is not drawn and says(each))):
        if result is not drawn and (key is None or result.get("id") != key):
            continue
        given = value(result)
        for kind in _LABELS:
            listed = given.get(kind)
            labels += map(str, listed if isinstance(listed, list) else ())
        name = str(result.get("from_name", ""))
        if isinstance(given.get("choices"), list):
            about[name] = {str(choice): True for choice in given["choices"]}
        elif "text" in given:
            text = given["text"]
            about[name] = ",".join(map(str, text)) if isinstance(text, list) else text
    return about, ",".join(dict.fromkeys(labels))
