"""Cross-validation of one problem: who trains and who is held out, fold by fold."""

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
from ..problem.validation import check_weights

# Of a hold-out without a random_state: the same input gives the same model.
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
    """Training and test samples of every fold.

    Parameters
    ----------
    cv : int, float, splitter, iterable or None
        A float holds that share out, once.
    y : ndarray of shape (n_samples,)
    groups : array-like of shape (n_samples,) or None
    random_state : int, RandomState or None
        Of the share that is held out.

    Returns
    -------
    list of (ndarray, ndarray)
    """
    if isinstance(cv, Real) and not isinstance(cv, Integral):
        cv = StratifiedShuffleSplit(1, test_size=float(cv), random_state=SEED if random_state is None else random_state)
    every = np.arange(len(y))
    # Splitters look at the number of samples only, and indices may be masks.
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
    """A part of the samples to train on, and one to be tested on.

    Attributes
    ----------
    train, test : ndarray of int64
        Samples; one that is named twice counts twice.
    times : ndarray of shape (n_samples,)
        How often each sample is in `train`.
    weight : ndarray of shape (n_samples,)
        Its own weight times that; 0 outside.
    class_weight : ndarray of shape (n_classes,)
        Worked out on the training part; 1 for a class that is not there.
    cap : ndarray of shape (n_samples,)
        The largest multiplier of each sample for C = 1; 0 outside.
    present : ndarray of shape (n_classes,), bool
        Which classes have samples to train on.
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
        """Work out weights and caps as a fit on the training part alone would.

        Parameters
        ----------
        train, test : ndarray of int64
        class_index : ndarray of shape (n_samples,)
        labels : ndarray of shape (n_classes,)
        class_weight : dict, "balanced" or None
        weight : ndarray of shape (n_samples,)
            Of each sample.

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
        """Whether every class has samples to train on."""
        return bool(self.present.all())
