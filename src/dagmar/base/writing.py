"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # there is no room for the file


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file. It is complete and on the disk before it gets its name, so an older file is replaced as a whole.

    Parameters
    ----------
    path : str or path
    content : bytes

    Raises
    ------
    OSError
        If the file cannot be written. Then an older file of this name is unchanged, and nothing else is left behind.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dagmar.base.writing import write_whole
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> write_whole(path, b"1 2 3")
    >>> path.read_text()
    '1 2 3'
    """
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that gets its name at the end of the context, as `write_whole` describes it.

    Parameters
    ----------
    path : str or path
        A device or a pipe, such as ``/dev/stdout``, is written to directly.

    Yields
    ------
    binary file
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder: name a file")
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    name = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with name.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):  # a file that is replaced keeps its permissions
            shutil.copymode(target, name)
        os.replace(name, target)
    except BaseException as error:
        name.unlink(missing_ok=True)
        if isinstance(error, OSError) and (error.errno in FULL or error.filename == str(name)):
            error.filename = str(target)  # the name that the caller knows
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Write the new name to the disk as well, where the system can do that."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
