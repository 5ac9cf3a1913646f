"""Cross-validation of one problem: which samples of each fold are trained on, and which are held out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils.class_weight import compute_class_weight

from ..base.frozen import FrozenArrays
from ..base.parameters import Check, none, number
from ..base.typing import Array, Index, Labels
from ..problem.problem import caps
from ..problem.weights import check_weights

# Seed of a hold-out if random_state is None, so that the same input gives the same model.
SEED = 0


a_cv = (
    number(2, math.inf, "left", Integral)
    | number(0.0, 1.0, "neither")
    | Check(lambda v: hasattr(v, "split") and not isinstance(v, str | bytes), "a splitter")
    | Check(
        lambda v: isinstance(v, Iterable) and not isinstance(v, str | bytes), "an iterable of (train, test) indices"
    )
    | none
)


def split(cv: Any, y: Labels, groups: Any, random_state: Any) -> list[tuple[Index, Index]]:
    """Return the training and the test samples of every fold.

    Parameters
    ----------
    cv : int, float, splitter, iterable or None
        A float holds out that share once.
    y : ndarray of shape (n_samples,)
    groups : array-like of shape (n_samples,) or None
    random_state : int, RandomState or None
        Seed of the hold-out.

    Returns
    -------
    list of (ndarray, ndarray)
    """
    if isinstance(cv, Real) and not isinstance(cv, Integral):
        cv = StratifiedShuffleSplit(1, test_size=float(cv), random_state=SEED if random_state is None else random_state)
    every = np.arange(len(y))
    # Splitters need only the number of samples; what they return may be masks, so it is turned into indices.
    parts = check_cv(cv, y, classifier=True).split(every, y, groups)
    out: list[tuple[Index, Index]] = [(every[train], every[test]) for train, test in parts]
    if not out:
        raise ValueError("cv makes no folds")
    for f, (train, test) in enumerate(out):
        if not len(train) or not len(test):
            raise ValueError(f"fold {f} of cv has {len(train)} samples to train on and {len(test)} to be tested on")
    return out


@dataclass(frozen=True, eq=False)
class Fold(FrozenArrays):
    """The training and the test samples of a fold, with weights and caps.

    Attributes
    ----------
    train, test : ndarray of int64
        Indices of samples; a sample that occurs twice counts twice.
    times : ndarray of shape (n_samples,)
        How often each sample occurs in `train`.
    weight : ndarray of shape (n_samples,)
        Weight of each sample times `times`; 0 for samples not in `train`.
    class_weight : ndarray of shape (n_classes,)
        Computed from the training samples; 1 for a class without training samples.
    cap : ndarray of shape (n_samples,)
        The upper bound of the multiplier of each sample for C = 1; 0 for samples not in `train`.
    present : ndarray of shape (n_classes,), bool
        Which classes have training samples.
    """

    train: Index
    test: Index
    times: Array
    weight: Array
    class_weight: Array
    cap: Array
    present: NDArray[np.bool_]

    @classmethod
    def of(
        cls, train: Index, test: Index, class_index: Index, labels: Labels, class_weight: Any, weight: Array
    ) -> Fold:
        """Compute weights and caps as a fit on the training samples alone would.

        Parameters
        ----------
        train, test : ndarray of int64
        class_index : ndarray of shape (n_samples,)
        labels : ndarray of shape (n_classes,)
        class_weight : dict, "balanced" or None
        weight : ndarray of shape (n_samples,)
            Weight of each sample.

        Returns
        -------
        Fold
        """
        times = np.bincount(train, minlength=len(class_index)).astype(np.float64)
        present = np.bincount(class_index[train], minlength=len(labels)) > 0
        if present.sum() < 2:
            raise ValueError("a fold of cv has samples of one class only to train on")
        of_class = np.ones(len(labels))
        of_class[present] = compute_class_weight(class_weight, classes=labels[present], y=labels[class_index[train]])
        check_weights(of_class, class_index[train], weight[train])
        if not weight[test].any():
            raise ValueError("a fold of cv has no sample of positive weight to be tested on")
        unit = caps(1.0, weight * times * of_class[class_index])
        return cls(train, test, times, weight * times, of_class, unit, present)

    @property
    def complete(self) -> bool:
        """Whether every class has training samples."""
        return bool(self.present.all())
