"""The container of a model file: arrays and a header, written whole or not at all, and checked when read.

The file is a safetensors file. The header of dagmar is a JSON text in its metadata. Nothing in it is executed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.exceptions import ModelFileError
from ..base.writing import write_whole

Arrays = dict[str, NDArray[Any]]

# The key of the header in the metadata, which tells a model file from other safetensors files.
KEY = "dagmar"
# A header cannot be longer, as safetensors has it.
LONGEST_HEADER = 100_000_000


def write(path: str | os.PathLike[str], header: dict[str, Any], arrays: Arrays) -> None:
    """Write a file. It is complete and on the disk before it gets its name, so an older file is replaced as a whole.

    Parameters
    ----------
    path : str or path
    header : dict
        Anything that JSON can say.
    arrays : dict of str to ndarray
        Of numbers or bool.

    Raises
    ------
    OSError
        If the file cannot be written. Then an older file of this name is unchanged, and nothing else is left behind.
    """
    from safetensors.numpy import save  # only needed here and below

    words = json.dumps(header, allow_nan=False)
    content = save({name: np.ascontiguousarray(a) for name, a in arrays.items()}, {KEY: words})
    write_whole(path, content)


def read(path: str | os.PathLike[str], mmap: bool = False) -> tuple[dict[str, Any], Arrays]:
    """Read a file.

    Parameters
    ----------
    path : str or path
    mmap : bool
        Whether arrays stay in the file and are read from there on demand. The file must not be changed in place meanwhile:
        on a shorter file the operating system ends the process.

    Returns
    -------
    header : dict
    arrays : dict of str to ndarray

    Raises
    ------
    ModelFileError
        If it is not a model file, or is damaged.
    OSError
        If it cannot be read.
    """
    from safetensors import SafetensorError, safe_open
    from safetensors.numpy import load

    source = Path(path)
    try:
        if mmap:
            with safe_open(source, framework="numpy"):  # checks that the arrays fit into the file
                pass
            data = np.memmap(source, dtype=np.uint8, mode="r")
            layout = _layout(bytes(data[: 8 + _header_length(data[:8].tobytes())]))
            return _header(layout), _views(layout, data)
        content = source.read_bytes()
        arrays = load(content)
        return _header(_layout(content)), arrays
    except (SafetensorError, ValueError, TypeError, KeyError, RecursionError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"it is not a model file of dagmar, or it is damaged: {error}") from error


def _header_length(first: bytes) -> int:
    length = int.from_bytes(first, "little")
    if len(first) < 8 or length > LONGEST_HEADER:
        raise ModelFileError("it is not a model file of dagmar: it has no header")
    return length


def _layout(content: bytes) -> dict[str, Any]:
    """Return what a safetensors file begins with: the metadata, and type, shape and place of each array."""
    layout = json.loads(content[8 : 8 + _header_length(content[:8])])
    if not isinstance(layout, dict):
        raise ModelFileError("it is not a model file of dagmar: its header is no object")
    return layout


def _header(layout: dict[str, Any]) -> dict[str, Any]:
    words = layout.get("__metadata__", {}).get(KEY)
    if words is None:
        raise ModelFileError("it is a safetensors file, but not a model file of dagmar")
    header = json.loads(words)
    if not isinstance(header, dict):
        raise ModelFileError("its header must be an object")
    return header


def _views(layout: dict[str, Any], data: NDArray[np.uint8]) -> Arrays:
    """Return the arrays of a mapped file. `safe_open` has checked their places."""
    start = 8 + _header_length(data[:8].tobytes())
    types = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "I8": "i1", "BOOL": "?"}
    arrays = {}
    for name, place in layout.items():
        if name == "__metadata__":
            continue
        if place["dtype"] not in types:
            raise ModelFileError(f"array {name!r} has type {place['dtype']}, which no model file has")
        first, last = place["data_offsets"]
        array = data[start + first : start + last].view(types[place["dtype"]]).reshape(place["shape"])
        # The core reads whole registers of numbers, which must begin at a multiple of their size.
        arrays[name] = array if array.flags.aligned else array.copy()
    return arrays
