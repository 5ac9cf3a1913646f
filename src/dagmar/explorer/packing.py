"""Arrays and texts inside a page: compact, and nothing in them can end the element that holds them."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

# The types that arrays have in the page; arrays.js knows the same names.
TYPES = ("f4", "f8", "i4", "u1")


def packed(array: ArrayLike, type_: str) -> dict[str, Any]:
    """Return an array as JSON can hold it: type, shape, and the compressed bytes in base64.

    Parameters
    ----------
    array : array-like
    type_ : {"f4", "f8", "i4", "u1"}
        The type of the numbers in the page.

    Returns
    -------
    dict

    Examples
    --------
    >>> from dagmar.explorer.packing import packed, unpacked
    >>> unpacked(packed([[1, 2], [3, 4]], "i4")).tolist()
    [[1, 2], [3, 4]]
    """
    if type_ not in TYPES:
        raise ValueError(f"an array in a page has one of the types {', '.join(TYPES)}, not {type_!r}")
    numbers = np.ascontiguousarray(array, dtype=np.dtype(type_).newbyteorder("<"))
    squeezed = base64.b64encode(zlib.compress(numbers.tobytes(), 6)).decode("ascii")
    return {"type": type_, "shape": list(numbers.shape), "data": squeezed}


def unpacked(said: dict[str, Any]) -> Any:
    """Return the array that `packed` was given, in the type of the page."""
    numbers = zlib.decompress(base64.b64decode(said["data"]))
    return np.frombuffer(numbers, dtype=np.dtype(said["type"]).newbyteorder("<")).reshape(said["shape"])


def as_json(value: Any) -> str:
    r"""Return a value as JSON for a ``<script>`` element: no text in it can close the element or open another.

    Examples
    --------
    >>> from dagmar.explorer.packing import as_json
    >>> print(as_json("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
