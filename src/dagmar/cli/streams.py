"""Standard input, standard output and pipes in the place of files; ``-`` names the first two."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from .errors import Failed, Misuse

STANDARD_INPUT = ("-", "/dev/stdin")
_TAKEN = "dagmar.standard_input"


def is_standard(path: Path | None) -> bool:
    """Return whether a path is ``-``, which names standard input or output."""
    return str(path) == "-"


def is_stream(path: Path) -> bool:
    """Return whether a path can be read only once, from its beginning to its end: standard input, a pipe or a device."""
    return str(path) in STANDARD_INPUT or (path.exists() and not path.is_file() and not path.is_dir())


def shown(path: Path) -> str:
    """Return what messages call a file that is read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from dagmar.cli.streams import shown
    >>> shown(Path("-")), shown(Path("iris.csv"))
    ('standard input', 'iris.csv')
    """
    return "standard input" if str(path) in STANDARD_INPUT else str(path)


def as_file(path: Path) -> Path:
    """Return a file that can be read at any place, and more than once.

    A stream is copied to a temporary file, which is removed when the command ends. So it may be larger than the memory.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Path
        The same path, if it is no stream.

    Raises
    ------
    Misuse
        If standard input is named twice.
    Failed
        If standard input is closed, or there is no room for the copy.
    """
    if not is_stream(path):
        return path
    context = click.get_current_context()
    if str(path) in STANDARD_INPUT:
        if context.meta.get(_TAKEN):
            raise Misuse("standard input is named twice, but it can be read only once")
        if sys.stdin is None:
            raise Failed("standard input is closed")
        context.meta[_TAKEN] = True
    folder = context.with_resource(tempfile.TemporaryDirectory(prefix="dagmar-"))
    copy = Path(folder) / shown(path).strip("/").replace("/", "-").replace(" ", "-")
    with copy.open("wb") as file:
        if str(path) in STANDARD_INPUT:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, file)
    return copy


def check_result_is_alone(out: Path | None, as_json: bool) -> None:
    """Raise Misuse if both a file and its description are to go to standard output."""
    if is_standard(out) and as_json:
        raise Misuse("a file named - and --json would both go to standard output: name another file")


@contextmanager
def path_for_output(out: Path, suffix: str) -> Iterator[Path]:
    """Give a path to write to: `out`, or a temporary file with this suffix that is copied to standard output at the end."""
    if not is_standard(out):
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="dagmar-") as folder:
        path = Path(folder) / f"standard-output{suffix}"
        yield path
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
