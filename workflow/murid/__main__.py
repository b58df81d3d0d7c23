"""``python -m murid``: the same as the ``murid`` command, where only the sources are at hand."""

from murid.cli import main

main()
