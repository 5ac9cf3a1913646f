"""Cases: what it takes to run one again, as JSON; and what came of it."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

CORPUS = Path(__file__).parent / "corpus"

# Errors that a user of scikit-learn expects. MemoryError: children have a limit of memory.
FIT_ERRORS = (ValueError, TypeError, MemoryError)
# A damaged model or file may also lack an attribute or a key, or hold a number that is out of range.
DAMAGE_ERRORS = (*FIT_ERRORS, AttributeError, KeyError, OverflowError, OSError, EOFError)


@dataclass
class Outcome:
    """What came of a case.

    Attributes
    ----------
    kind : str
        "answered", "refused" (an exception of an expected kind), or the kind of failure: "signal", "hang", "wrong label",
        "unknown label", "NaN", "gap", "infeasible", "no meaning" or "exception".
    detail : str
        The exception or the numbers.
    counts : dict
        Labels compared, ties and so on, added up over all cases.
    """

    kind: str
    detail: str = ""
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether this is a failure."""
        return self.kind not in ("answered", "refused")


def refusal(error: BaseException, expected: tuple[type[BaseException], ...]) -> Outcome:
    """Return the outcome of a case that ended in an exception."""
    detail = f"{type(error).__name__}: {error}"[:300]
    # UnicodeDecodeError and the like are ValueErrors; RecursionError is a RuntimeError.
    return Outcome("refused" if isinstance(error, expected) else "exception", detail)


# ---------------------------------------------------------------------------- JSON


def _encode(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "shape": value.shape, "values": value.ravel().tolist()}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(zlib.compress(value)).decode()}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be part of a case")


def _decode(value: dict[str, Any]) -> Any:
    if set(value) == {"dtype", "shape", "values"}:
        return np.array(value["values"], dtype=value["dtype"]).reshape(value["shape"])
    if set(value) == {"bytes"}:
        return zlib.decompress(base64.b64decode(value["bytes"]))
    return value


def dumps(value: Any) -> str:
    """Return a case as JSON; floats keep all their digits, NaN and infinity are written as Python does."""
    return json.dumps(value, default=_encode)


def loads(text: str) -> Any:
    """Return the case that `dumps` wrote."""
    return json.loads(text, object_hook=_decode)


def save(folder: Path, kind: str, case: dict[str, Any], outcome: Outcome, origin: str) -> Path:
    """Write a failure to a folder, named by what happened and where it came from."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}-{outcome.kind.replace(' ', '-')}-{origin}.json"
    found = {k: v for k, v in asdict(outcome).items() if k != "counts"}
    path.write_text(dumps({"kind": kind, "found": found, "case": case}) + "\n")
    return path


# ------------------------------------------------------------------------- layouts

DENSE_LAYOUTS = ("C", "F", "strided", "reversed", "big-endian", "read-only", "list")
SPARSE_LAYOUTS = ("csr", "csc", "coo", "int64", "unsorted", "duplicates", "zeros")


def lay_out(X: Any, layout: str) -> Any:
    """Return the same numbers in another layout of memory; sparse layouts make a sparse matrix."""
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "strided":
        wide = np.full((2 * X.shape[0], 3 * X.shape[1]), 7, dtype=X.dtype)
        wide[::2, ::3] = X
        return wide[::2, ::3]
    if layout == "reversed":
        return X[::-1, ::-1].copy()[::-1, ::-1]
    if layout == "big-endian":
        return X.astype(X.dtype.newbyteorder(">"))
    if layout == "read-only":
        X = X.copy()
        X.flags.writeable = False
        return X
    if layout == "list":
        return X.tolist()
    if layout in SPARSE_LAYOUTS:
        return _sparse(X, layout)
    return np.ascontiguousarray(X)


def _sparse(X: Any, layout: str) -> Any:
    rows = sp.csr_matrix(X)
    if layout in ("csc", "coo"):
        return rows.asformat(layout)
    data, indices, indptr = rows.data, rows.indices, rows.indptr
    if layout == "zeros":
        full = sp.csr_matrix(np.ones_like(X))
        full.data[:] = X.ravel()
        return full
    if layout == "duplicates":  # halves of a number add up to it exactly, unless they underflow
        halves = np.where(np.abs(data) > 1e-290, data / 2, data)
        data = np.stack([halves, np.where(np.abs(data) > 1e-290, data / 2, 0)], axis=1).ravel()
        indices, indptr = np.repeat(indices, 2), 2 * indptr
    if layout in ("unsorted", "duplicates"):
        order = np.concatenate([np.arange(a, b)[::-1] for a, b in pairwise(indptr)])
        data, indices = data[order.astype(int)], indices[order.astype(int)]
    kind = np.int64 if layout == "int64" else np.int32
    out = sp.csr_matrix(X.shape, dtype=X.dtype)
    out.data, out.indices, out.indptr = data, indices.astype(kind), indptr.astype(kind)
    out.has_canonical_format = out.has_sorted_indices = layout == "int64"
    return out
