"""Training samples in class order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.typing import Array, Features, Index


@dataclass(frozen=True)
class ByClass:
    """Samples in class order.

    Attributes
    ----------
    order : ndarray of shape (n_samples,), int64
        Samples sorted by class, in their own order within a class.
    class_start : ndarray of shape (n_classes + 1,), int64
        Where each class begins in `order`.
    weight : ndarray of shape (n_samples,)
        How many samples each sample of `order` stands for.
    """

    order: Index
    class_start: Index
    weight: Array

    @classmethod
    def sort(cls, class_index: Index, n_classes: int, weight: Array) -> ByClass:
        """Sort samples of these classes and weights."""
        narrow = np.int16 if n_classes < 2**15 else np.int64  # of which NumPy sorts the first by counting
        order = np.argsort(class_index.astype(narrow), kind="stable").astype(np.int64)
        class_start = np.searchsorted(class_index[order], np.arange(n_classes + 1)).astype(np.int64)
        return ByClass(order, class_start, np.ascontiguousarray(weight[order]))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_start) - 1

    def sample_of_class(self, c: int, max_samples: int | None = None) -> Index:
        """Places in `order` of samples of a class: all, or at most so many, spread evenly (the same ones every time)."""
        begin, end = self.class_start[c : c + 2]
        if max_samples is None or end - begin <= max_samples:
            return np.arange(begin, end)
        places: Index = begin + np.arange(max_samples) * (end - begin) // max_samples
        return places

    @property
    def class_weights(self) -> Array:
        """How many samples each class stands for: their weights added up."""
        totals: Array = np.add.reduceat(self.weight, self.class_start[:-1])
        return np.where(totals > 0, totals, 1.0)  # a class without weight has no mean, but is no error


def as_data(X: Features) -> _core.Data:
    """Validated samples as the core reads them, in place."""
    if sp.issparse(X):
        return _core.Data(X.data, X.indices, X.indptr, X.shape[1])
    return _core.Data(X)
