"""Errors that the command reports in one line, with the exit code of each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

# The exit code after Ctrl-C, as shells have it: 128 + SIGINT.
INTERRUPTED = 130
MOST_NAMES = 20


class Failed(click.ClickException):
    """The data, the model or the system does not allow what was asked for."""

    exit_code = 1


class Misuse(click.ClickException):
    """The arguments are wrong, or do not fit the files they name."""

    exit_code = 2


def check_folder(out: Path) -> None:
    """Raise Misuse if the folder of a file that is to be written is not there."""
    if not out.absolute().parent.is_dir():
        raise Misuse(f"{out}: there is no folder {out.parent}")


def listed(names: Iterable[object]) -> str:
    """Return names for a message: the first twenty, separated by commas.

    Examples
    --------
    >>> from dagmar.cli.errors import listed
    >>> listed(["a", "b"])
    'a, b'
    """
    words = [str(name) for name in names]
    more = f", ... ({len(words)} in all)" if len(words) > MOST_NAMES else ""
    return ", ".join(words[:MOST_NAMES]) + more
