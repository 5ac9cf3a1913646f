"""Scikit-learn's callbacks: `set_callbacks` on an estimator, if the installed version has them (1.9 and later).

A fit is a scikit-learn task, and each lot of machines is a subtask of it. A lot is reported in at most `PARTS` parts of equal
work, because there can be very many machines: a thousand classes have half a million.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from ..base.typing import Array, Index

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _torn_down
except ImportError:
    _torn_down = None

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """An empty class, because this version of scikit-learn has no callbacks."""


__all__ = ["CallbackSupportMixin", "CallbackWatcher", "with_callbacks"]

PARTS = 100
Method = TypeVar("Method", bound=Callable[..., Any])


def with_callbacks(method: Method) -> Method:
    """Decorate a method that sets up callbacks, if any are wanted, so that they are torn down even if it raises."""
    if _torn_down is None:
        return method
    torn_down = _torn_down(method)

    @wraps(method)
    def chosen(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        return (torn_down if CallbackWatcher.wanted(estimator) else method)(estimator, *args, **kwargs)

    return cast(Method, chosen)


class CallbackWatcher:
    """A watcher that calls scikit-learn's callbacks.

    A callback cannot stop the training, because half of the machines are not a classifier.

    Parameters
    ----------
    estimator : estimator
    X, y : array-like
    sample_weight : array-like or None
        The arguments of `fit`.
    n_lots : int or None
        Number of lots of machines, or None if it is not known.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any, n_lots: int | None) -> None:
        self._estimator = estimator
        # scikit-learn calls every callable among these values, so none of them may be one.
        self._data = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        self._fit = estimator._init_callback_context(max_subtasks=n_lots)
        self._fit.call_on_fit_task_begin(estimator=estimator, **self._data)

    @classmethod
    def wanted(cls, estimator: Any) -> bool:
        """Return whether the estimator has callbacks, its own or those of a meta-estimator."""
        return hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")

    def begin(self, work: Array, n_kept: int) -> None:
        """Start a lot: the work of each machine, and the number of machines from the checkpoint."""
        self._work, self._done = work, 0.0
        self._n_parts, self._ended = min(len(work), PARTS), 0
        self._lot = self._fit.subcontext(task_name="train", max_subtasks=self._n_parts)
        self._lot.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        self._part: Any = None
        self._begin_part()

    def advance(self, machines: Index) -> None:
        """Report machines of the lot that are trained."""
        self._done += float(self._work[machines].sum())
        share = self._done / float(self._work.sum())
        # The last part is ended by `end`: a rounded share could end it too early.
        self._end_parts(min(int(np.floor(share * self._n_parts)), self._n_parts - 1))

    def end(self) -> None:
        """End the lot."""
        self._end_parts(self._n_parts)
        self._lot.call_on_fit_task_end(estimator=self._estimator, **self._data)

    def end_fit(self) -> None:
        """End the fit, when the estimator is fitted."""
        self._fit.call_on_fit_task_end(estimator=self._estimator, reconstruction_attributes={}, **self._data)

    def _begin_part(self) -> None:
        if self._ended < self._n_parts:
            self._part = self._lot.subcontext(task_name="machines")
            self._part.call_on_fit_task_begin(estimator=self._estimator, **self._data)

    def _end_parts(self, n: int) -> None:
        while self._ended < n:
            self._part.call_on_fit_task_end(estimator=self._estimator, **self._data)
            self._ended += 1
            self._begin_part()
