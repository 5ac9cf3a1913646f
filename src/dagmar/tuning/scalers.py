"""Scalers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import clone
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, RobustScaler, StandardScaler

from ..base.exceptions import InvalidParameterError
from ..base.parameters import Check, none, one_of
from ..base.typing import Features
from ..problem.reductions import is_sparse
from .ranks import Ranks

SCALERS: dict[str, Callable[[], Any]] = {
    "standard": StandardScaler,
    "minmax": MinMaxScaler,
    "robust": RobustScaler,
    "power": PowerTransformer,
    "ranks": Ranks,
}
a_transformer = Check(lambda v: hasattr(v, "fit") and hasattr(v, "transform"), "a transformer")
a_scaler = none | one_of(SCALERS) | a_transformer
some_scalers = Check(
    lambda v: isinstance(v, list | tuple) and len(v) > 0 and all(a_scaler.accepts(one) for one in v),
    "a list of one or more of these",
)


def make_scaler(given: Any) -> Any:
    """Return a new transformer, not fitted, for one scaler as the user gives it; None for none.

    Examples
    --------
    >>> from dagmar.tuning.scalers import make_scaler
    >>> make_scaler("minmax")
    MinMaxScaler()
    """
    if given is None:
        return None
    return SCALERS[given]() if isinstance(given, str) else clone(given)


def check_can_scale(given: Any, X: Features) -> None:
    """Raise an error if X is sparse and the scaler, given by its name, would fill it."""
    if isinstance(given, str) and is_sparse(X):
        raise InvalidParameterError(
            f"The 'scaler' parameter of SVCCV must not be {given!r} for sparse X, because zeros would become other numbers. "
            "Use None, or a transformer that keeps zeros, such as MaxAbsScaler()."
        )
