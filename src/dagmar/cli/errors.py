"""Errors that the command reports in one line, with the exit code of each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

# The exit code after Ctrl-C, as shells have it: 128 + SIGINT.
INTERRUPTED = 130
MOST_NAMES = 20
LONGEST_NAME = 80


class Failed(click.ClickException):
    """The data, the model or the system does not allow what was asked for."""

    exit_code = 1


class Misuse(click.ClickException):
    """The arguments are wrong, or do not fit the files they name."""

    exit_code = 2


def check_folder(out: Path) -> None:
    """Raise an error if a file cannot be written because of its folder, before time is spent on its content."""
    if not out.absolute().parent.is_dir():
        raise Misuse(f"{out}: there is no folder {out.parent}")
    # A device such as /dev/stdout is written to directly; any other file is written beside its place and renamed.
    if (out.is_file() or not out.exists()) and not os.access(out.absolute().parent, os.W_OK):
        raise Failed(f"{out}: Permission denied: no file can be made in the folder {out.parent}")


def cut(text: str) -> str:
    """Return a name or a label for people: a very long one is cut, with its length.

    Examples
    --------
    >>> from dagmar.cli.errors import cut
    >>> cut("a"), len(cut("a" * 1000))
    ('a', 96)
    """
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}… ({len(text)} letters)"


def listed(names: Iterable[object]) -> str:
    """Return names for a message: the first twenty, separated by commas.

    Examples
    --------
    >>> from dagmar.cli.errors import listed
    >>> listed(["a", "b"])
    'a, b'
    """
    words = [cut(str(name)) for name in names]
    more = f", ... ({len(words)} in all)" if len(words) > MOST_NAMES else ""
    return ", ".join(words[:MOST_NAMES]) + more
