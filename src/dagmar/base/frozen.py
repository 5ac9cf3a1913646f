"""Finished objects: frozen dataclasses with read-only arrays, whose pickles carry the version of dagmar."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from .versions import check_version, with_version

Value = TypeVar("Value")

# What has no arrays to freeze; asking SciPy takes longer. `freeze` adds the types that it has met.
_PLAIN: set[type] = {str, int, float, bool, tuple, type(None)}


def freeze(value: Value) -> Value:
    """Make an array, or the arrays of a sparse matrix, read-only, and return it; other values are returned unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.base.frozen import freeze
    >>> freeze(np.zeros(3))[0] = 1.0
    Traceback (most recent call last):
        ...
    ValueError: assignment destination is read-only
    """
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif type(value) not in _PLAIN:
        if sp.issparse(value):
            for name in ("data", "indices", "indptr"):
                freeze(getattr(value, name, None))
        else:
            _PLAIN.add(type(value))
    return value


def bytes_of(value: Any) -> int:
    """Return the bytes of an array, of the arrays of a sparse matrix, or of any other object.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.base.frozen import bytes_of
    >>> bytes_of(np.zeros(100))
    800
    """
    if value is not None and sp.issparse(value):
        return sum(bytes_of(getattr(value, name, None)) for name in ("data", "indices", "indptr"))
    return int(value.nbytes) if isinstance(value, np.ndarray) else sys.getsizeof(value)


_NAMES: dict[type[Any], tuple[str, ...]] = {}


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass. Asking for them each time takes longer than freezing the arrays."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(f.name for f in fields(kind))
    return _NAMES[kind]


class FrozenArrays:
    """Base class for frozen dataclasses that makes their arrays read-only, also those of sparse matrices.

    Values cached by `functools.cached_property` (facts derived from the fields, and objects of the C++ core) are left out of
    pickles and copies, and computed again on demand.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _PLAIN.add(cls)  # its arrays are frozen

    def __post_init__(self: Any) -> None:
        for value in vars(self).values():
            if type(value) is np.ndarray:  # as nearly all are: a call for each would take longer
                value.setflags(write=False)
            elif type(value) not in _PLAIN:
                freeze(value)

    def bare(self: Any) -> Any:
        """Return a copy over the same fields, without the values that this object has cached."""
        copy = object.__new__(type(self))
        copy.__dict__.update({name: self.__dict__[name] for name in field_names(type(self))})
        return copy

    def __sizeof__(self: Any) -> int:
        # With the arrays: a Dask worker decides by this number what to move and when to spill.
        return int(object.__sizeof__(self)) + sum(bytes_of(getattr(self, name)) for name in field_names(type(self)))

    def __getstate__(self: Any) -> dict[str, Any]:
        return with_version({name: getattr(self, name) for name in field_names(type(self))})

    def __setstate__(self: Any, state: dict[str, Any]) -> None:
        for name, value in check_version(type(self).__name__, state).items():
            object.__setattr__(self, name, value)
        self.__post_init__()
