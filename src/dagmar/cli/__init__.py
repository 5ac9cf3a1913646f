"""The command ``dagmar``. It needs the extra ``cli``: click, polars and rich. ``docs/command_line.md`` describes it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

NEEDED = ("click", "polars", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Command-line arguments; by default those of the process.

    Returns
    -------
    int
        The exit code of the process: 0 if all went well, 1 if the command failed, 2 if it was used wrongly or the extra is not
        installed, 130 if it was interrupted.
    """
    if any(find_spec(name) is None for name in NEEDED):
        print("dagmar: the command line is an optional part: pip install 'dagmar[cli]'", file=sys.stderr)
        return 2
    from .commands import run  # it needs the optional part

    return run(arguments)
