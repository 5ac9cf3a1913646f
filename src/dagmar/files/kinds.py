"""Kinds of fields in a model file: how a value is written to header and arrays, and checked when it is read.

Each part of a model is described by the kinds of its fields (`parts.py`). Arrays go into the container under the path of their
field, such as ``model.bank.coef``; everything else goes into the header. A value that is not of its kind raises a
ModelFileError that names the field.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike

from ..base.exceptions import ModelFileError
from .container import Arrays

LABEL_TYPES = "Uiufb"  # NumPy's letters for texts, whole numbers, floats and truth values
NUMBER_LABELS = (
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f2",
    "f4",
    "f8",
    "b1",
)  # their types, as a file has them
# The longest array of texts of equal width, in characters: a single long text must not take more memory than a model has.
MOST_CHARACTERS = 2**26


def refuse(field: str, why: str) -> ModelFileError:
    """Return the error for a field."""
    return ModelFileError(f"{field}: {why}")


class Kind(ABC):
    """A kind of field."""

    @abstractmethod
    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return what the header says; put arrays among the others."""

    @abstractmethod
    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return the value; raise ModelFileError if it is not of this kind."""


class Plain(Kind):
    """A number, a text or a truth value.

    Parameters
    ----------
    type_ : type
        int, float, str or bool.
    among : tuple, optional
        The only values allowed.
    """

    def __init__(self, type_: type, among: tuple[Any, ...] | None = None) -> None:
        self.type, self.among = type_, among

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return the value; a float that JSON cannot say becomes a text."""
        plain = self.type(value)
        return str(plain) if self.type is float and not math.isfinite(plain) else plain

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return the value."""
        if self.type is float and (said in ("inf", "-inf", "nan") or (type(said) is int and abs(said) < 2**1023)):
            said = float(said)
        if type(said) is not self.type or (self.among is not None and said not in self.among):
            expected = self.type.__name__ if self.among is None else f"one of {', '.join(map(repr, self.among))}"
            raise refuse(field, f"must be {expected}, not {_short(said)}")
        return said


class Optional(Kind):
    """None, or a value of another kind."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return None for None."""
        return None if value is None else self.kind.write(value, field, arrays)

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return None for None."""
        return None if said is None else self.kind.read(said, field, arrays)


class Numbers(Kind):
    """An array.

    Parameters
    ----------
    *types : dtype
        The types allowed.
    ndim : int
    """

    def __init__(self, *types: DTypeLike, ndim: int = 1) -> None:
        self.types, self.ndim = [np.dtype(t) for t in types], ndim

    def write(self, value: ArrayLike, field: str, arrays: Arrays) -> Any:
        """Put the array among the others; the header says its name."""
        array = np.asarray(value)
        if array.dtype not in self.types or array.ndim != self.ndim:
            raise refuse(field, f"an array of type {array.dtype} and {array.ndim} dimensions cannot be written")
        arrays[field] = array
        return field

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return the array that belongs to this field."""
        if said != field or field not in arrays:
            raise refuse(field, "its array is missing")
        array = arrays[field]
        if array.dtype not in self.types or array.ndim != self.ndim:
            names = " or ".join(map(str, self.types))
            raise refuse(field, f"must be {names} of {self.ndim} dimensions, not {array.dtype} of {array.ndim}")
        if array.dtype == np.bool_ and array.size and array.view(np.uint8).max() > 1:
            raise refuse(field, "holds truth values other than 0 and 1")
        return array


class Rows(Kind):
    """Samples: a dense array, or a sparse matrix by its three arrays."""

    DENSE = Numbers(np.float64, np.float32, ndim=2)
    SPARSE = (
        ("data", Numbers(np.float64, np.float32)),
        *((n, Numbers(np.int32, np.int64)) for n in ("indices", "indptr")),
    )

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Put one or three arrays among the others."""
        if not sp.issparse(value):
            return self.DENSE.write(value, field, arrays)
        said = {name: kind.write(getattr(value, name), f"{field}.{name}", arrays) for name, kind in self.SPARSE}
        return {**said, "shape": [int(n) for n in value.shape]}

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return the samples. The core checks the places of sparse ones."""
        if not isinstance(said, dict):
            return self.DENSE.read(said, field, arrays)
        data, indices, indptr = (kind.read(said.get(name), f"{field}.{name}", arrays) for name, kind in self.SPARSE)
        shape = Ints().read(said.get("shape"), f"{field}.shape", arrays)
        fits = len(shape) == 2 and min(shape) >= 0 and len(indptr) == shape[0] + 1 and len(data) == len(indices)
        if not fits or indptr[0] != 0 or indptr[-1] != len(data) or indices.dtype != indptr.dtype:
            raise refuse(field, "the arrays of the sparse matrix do not fit together")
        if np.diff(indptr).min(initial=0) < 0 or (len(indices) and not 0 <= indices.min() <= indices.max() < shape[1]):
            raise refuse(field, "the sparse matrix has places out of range")
        return sp.csr_matrix((data, indices, indptr), shape=shape, copy=False)


class Ints(Kind):
    """A tuple of a few whole numbers."""

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return a list."""
        return [int(n) for n in value]

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return a tuple."""
        if not isinstance(said, list) or any(type(n) is not int or abs(n) >= 2**63 for n in said):
            raise refuse(field, f"must be a list of whole numbers, not {_short(said)}")
        return tuple(said)


class Names(Kind):
    """Labels or column names: texts, whole numbers, floats or truth values, all of one type."""

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return their type and a list."""
        array = np.asarray(value)
        if array.dtype == object:
            if not all(isinstance(v, str) for v in array):
                kinds = ", ".join(sorted({type(v).__name__ for v in array}))
                raise refuse(field, f"labels of type {kinds} cannot be written; use str, int, float or bool")
            return {"type": "object", "values": array.tolist()}
        if array.dtype.kind not in LABEL_TYPES:
            raise refuse(field, f"labels of type {array.dtype} cannot be written; use str, int, float or bool")
        return {"type": array.dtype.str.lstrip("<|=>"), "values": array.tolist()}

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return an array of their type."""
        said = said if isinstance(said, dict) else {}
        type_, values = said.get("type"), said.get("values")
        if not isinstance(type_, str) or not isinstance(values, list):
            raise refuse(field, "must have a type and values")
        if type_ == "object" or (type_[:1] == "U" and type_[1:].isdecimal()):
            if not all(isinstance(v, str) for v in values):
                raise refuse(field, "must be texts")
            # The width of an array of texts follows from the texts, not from what the file says.
            if len(values) * max(map(len, values), default=0) > MOST_CHARACTERS:
                raise refuse(field, "has texts that are too long")
            return np.array(values, dtype=object) if type_ == "object" else np.array(values, dtype=np.str_)
        if type_ not in NUMBER_LABELS:
            raise refuse(field, f"has the type {_short(type_)}, which no label has")
        dtype = np.dtype(type_)
        python = {"b": bool, "f": float}.get(dtype.kind, int)
        if not all(type(v) is python for v in values):
            raise refuse(field, f"must all be of type {python.__name__}")
        if dtype.kind in "iu":  # NumPy 1.26 would wrap around
            limits = np.iinfo(dtype)
            if not all(limits.min <= v <= limits.max for v in values):
                raise refuse(field, f"has numbers that are out of bounds for {dtype}")
        return np.array(values, dtype=dtype)


class Part(Kind):
    """An object, by its fields.

    Parameters
    ----------
    make : callable
        Makes the object from its fields, given by name.
    **fields : Kind
    """

    def __init__(self, make: Callable[..., Any], /, **fields: Kind) -> None:
        self.make, self.fields = make, fields

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return an object with an entry per field."""
        return {n: kind.write(getattr(value, n), f"{field}.{n}", arrays) for n, kind in self.fields.items()}

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Read all fields and make the object."""
        if not isinstance(said, dict):
            raise refuse(field, f"must be an object, not {_short(said)}")
        unknown, missing = set(said) - set(self.fields), set(self.fields) - set(said)
        if unknown or missing:
            raise refuse(field, f"has unknown entries {sorted(unknown)} or lacks {sorted(missing)}"[:300])
        read = {n: kind.read(said[n], f"{field}.{n}", arrays) for n, kind in self.fields.items()}
        try:
            return self.make(**read)
        except (ValueError, TypeError) as error:
            raise refuse(field, str(error)) from error


class OneOf(Kind):
    """An object of one of several classes, which the entry "kind" names.

    Parameters
    ----------
    **kinds : (type, Kind)
        The class and the kind of its objects, by the name in the file.
    """

    def __init__(self, **kinds: tuple[type, Kind]) -> None:
        self.kinds = kinds

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return the object's entries and its kind."""
        for name, (type_, kind) in self.kinds.items():
            if type(value) is type_:
                return {"kind": name, **kind.write(value, field, arrays)}
        raise refuse(field, f"an object of {type(value).__name__} cannot be written; {', '.join(self.kinds)} can")

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Read an object of the kind that the header names."""
        name = said.get("kind") if isinstance(said, dict) else None
        if not isinstance(name, str) or name not in self.kinds:
            raise refuse(field, f"must be one of {', '.join(self.kinds)}, not {_short(name)}")
        return self.kinds[name][1].read({n: v for n, v in said.items() if n != "kind"}, field, arrays)


def _short(value: Any) -> str:
    """Return a text for a value of unknown size."""
    text = repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."
