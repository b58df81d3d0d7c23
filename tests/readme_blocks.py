"""What README.md and config/README.md tell users to type, for tests to run word for word."""

import re
import shlex
from pathlib import Path

import forked

_HEADED_OR_CODE = re.compile(
    r"^(##.*|\*\*[^*\n]+(?=\*\*))|^```(?:\w*)\n([\s\S]*?)^```$|((?:^    .*\n|^\n(?=    ))+)",
    re.MULTILINE,
)
_INLINE = re.compile(r"`((?:snakemake|murid|make|scancel)\s[^`]+)`")


def blocks(text: str) -> dict[str, list[str]]:
    """Return the blocks of code, by the words in bold that they follow; ``""`` for none."""
    found: dict[str, list[str]] = {}
    topic = ""
    for headed, fenced, indented in _HEADED_OR_CODE.findall(text):
        if headed:
            topic = headed.strip("*") if headed.startswith("*") else ""
        block = fenced or re.sub("(?m)^    ", "", indented).strip("\n")
        if block:
            found.setdefault(topic, []).append(block + "\n" * (not block.endswith("\n")))
    return found


def inline(text: str) -> list[str]:
    """Return the commands that stand within sentences, each once, in their order."""
    commands = [" ".join(command.split()) for command in _INLINE.findall(text)]
    return list(dict.fromkeys(commands))


def in_shell(lines: str, dry: bool = False) -> list[str]:
    """Return a command that runs lines of a shell, where ``murid`` is installed or not.

    With ``dry``, Snakemake plans and Make tells, but for ``make profile``.
    """
    python = shlex.join(forked.python())
    functions = f'murid() {{ {python} -m murid "$@"; }}\n'
    if dry:
        functions += (
            f'snakemake() {{ {python} -m snakemake "$@" --dry-run; }}\n'
            'make() { if [ "$1" = profile ]; then command make "$@"; '
            'else command make --dry-run "$@"; fi; }\n'
        )
    return ["bash", "-euc", functions + lines]


def read(root: Path) -> dict[str, str]:
    """Return the two texts, by their names."""
    return {name: (root / name).read_text() for name in ("README.md", "config/README.md")}
