"""Objects of dagmar as dicts of plain values, so that a stored estimator has no types of ours but its own.

A library such as skops asks its user to trust each type that a stored object has. Arrays, numbers and texts need no trust.
"""

from __future__ import annotations

import sys
from dataclasses import is_dataclass
from typing import Any

import scipy.sparse as sp
from sklearn.base import BaseEstimator

# The entry of a dict that names the type of the object, and that which has the entries of a mapping.
TYPE, ENTRIES = "_dagmar_type", "_dagmar_entries"
# The compressed rows of a matrix.
ROWS = ("data", "indices", "indptr")
SPARSE = {"csr_matrix": sp.csr_matrix, "csr_array": sp.csr_array}


def unfold(value: Any) -> Any:
    """Return a part of a model as a dict: dataclasses, structures and mappings of dagmar, and sparse matrices.

    Everything else is returned unchanged: arrays, numbers, texts, estimators, and types of the user.

    Parameters
    ----------
    value : object

    Returns
    -------
    dict or object

    See Also
    --------
    fold : The other way.

    Examples
    --------
    >>> from dagmar.base.unfolding import fold, unfold
    >>> from dagmar.problem.kernels import Kernel
    >>> unfold(Kernel("linear"))["_dagmar_type"], fold(unfold(Kernel("linear"))).name
    ('dagmar.problem.kernels.Kernel', 'linear')
    """
    kind = type(value)
    if kind.__name__ in SPARSE and sp.issparse(value):
        return {TYPE: kind.__name__, "shape": list(value.shape), **{name: getattr(value, name) for name in ROWS}}
    if not _is_part(kind):
        return value
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, dict):
        return {TYPE: name, ENTRIES: dict(value)}
    return {TYPE: name, **{field: unfold(part) for field, part in value.__getstate__().items()}}


def fold(value: Any) -> Any:
    """Return the object that `unfold` has made a dict of; other values are returned unchanged.

    Raises
    ------
    ValueError
        If the dict names a type that is not a part of a model.
    """
    if type(value) is not dict or TYPE not in value:
        return value
    name, state = str(value[TYPE]), {field: fold(part) for field, part in value.items() if field != TYPE}
    if name in SPARSE:
        return SPARSE[name](tuple(state[part] for part in ROWS), shape=tuple(state["shape"]))
    module, _, short = name.rpartition(".")
    # The module of an estimator has imported those of all its parts. Nothing is imported because a file says so.
    kind = getattr(sys.modules.get(module), short, None)
    if not (isinstance(kind, type) and kind.__module__ == module and _is_part(kind)):
        raise ValueError(f"{name} is not a part of a model of dagmar")
    if issubclass(kind, dict):
        return kind(state[ENTRIES])
    made = object.__new__(kind)
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
    else:
        made.__dict__.update(state)
    return made


def _is_part(kind: type) -> bool:
    """Return whether objects of a type are parts of models: of dagmar, and neither estimators nor anything that acts."""
    ours = kind.__module__.startswith("dagmar.") and not hasattr(kind, "fit")
    return ours and (is_dataclass(kind) or issubclass(kind, BaseEstimator | dict))
