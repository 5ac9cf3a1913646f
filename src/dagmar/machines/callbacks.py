"""Scikit-learn's callbacks: `set_callbacks` on an estimator, where the installed version has them (1.9 and later).

A fit is a task of scikit-learn's, each lot of machines a subtask of it, and the training of a lot is told in at most
`PARTS` parts of equal work, whatever the number of machines: a thousand classes have half a million of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..base.typing import Array, Index

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _torn_down
except ImportError:
    _torn_down = None

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""


__all__ = ["CallbackSupportMixin", "CallbackWatcher", "with_callbacks"]

PARTS = 100
Method = TypeVar("Method", bound=Callable[..., Any])


def with_callbacks(method: Method) -> Method:
    """Decorate a method that sets up callbacks, so that they are torn down however it ends."""
    return method if _torn_down is None else _torn_down(method)


class CallbackWatcher:
    """A watcher that tells scikit-learn's callbacks.

    What a callback answers does not stop the training: half of the machines are no classifier.

    Parameters
    ----------
    estimator : estimator
    X, y : array-like
    sample_weight : array-like or None
        What `fit` was given.
    n_lots : int or None
        Lots of machines there will be, None if that is not known.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any, n_lots: int | None) -> None:
        self._estimator = estimator
        # Callables are values to be worked out to scikit-learn's hooks, so nothing here may be one.
        self._data = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        self._fit = estimator._init_callback_context(max_subtasks=n_lots)
        self._fit.call_on_fit_task_begin(estimator=estimator, **self._data)

    @classmethod
    def wanted(cls, estimator: Any) -> bool:
        """Whether anybody listens: callbacks of its own, or a meta-estimator's."""
        return hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")

    def begin(self, work: Array, n_kept: int) -> None:
        """A lot begins."""
        self._work, self._done = work, 0.0
        self._n_parts, self._ended = min(len(work), PARTS), 0
        self._lot = self._fit.subcontext(task_name="train", max_subtasks=self._n_parts)
        self._lot.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        self._part: Any = None
        self._begin_part()

    def advance(self, machines: Index) -> None:
        """Machines are done."""
        self._done += float(self._work[machines].sum())
        share = self._done / float(self._work.sum())
        # The last part ends with the lot: a sum may round.
        self._end_parts(min(int(np.floor(share * self._n_parts)), self._n_parts - 1))

    def end(self) -> None:
        """The lot is done."""
        self._end_parts(self._n_parts)
        self._lot.call_on_fit_task_end(estimator=self._estimator, **self._data)

    def end_fit(self) -> None:
        """All is done, and the estimator is fitted."""
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
