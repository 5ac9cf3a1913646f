"""The multiclass machine of Crammer & Singer with a kernel, for small sets: one problem for all classes together."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack, solve_triangular
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import LinearSVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from dagmar import InvalidParameterError
from dagmar.base.typing import Array, Index, Labels

KERNELS = ("rbf", "linear")
MAX_ROWS = 4000  # the factor of the kernel matrix then takes 128 MB, and a fit already many minutes


class CrammerSinger(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Crammer & Singer's direct formulation of the multiclass support vector machine.

    It minimises ``1/2 sum_r |w_r|^2 + C sum_i xi_i`` subject to ``w_y . phi(x_i) - w_r . phi(x_i) >= 1 - xi_i`` for the class y
    of each row and every other class r. The answer is the class with the largest ``w_r . phi(x)``.

    scikit-learn's `LinearSVC` solves this problem for plain features. Here its features are the rows of a factor F of the
    kernel matrix, ``K = F F^T``: their inner products are the kernel values, so the solution is that of the kernel machine.

    Parameters
    ----------
    C : float, default=1.0
    kernel : {"rbf", "linear"}, default="rbf"
    gamma : float or "scale", default="scale"
        Of "rbf"; "scale" is ``1 / (n_features * X.var())``.
    tol : float, default=1e-3
        Training ends when no row violates the conditions of optimality by more; the default of `dagmar.SVC`.
    max_iter : int, default=100000
        Limit of passes over the rows.
    random_state : int, default=0
        Of the order of the rows in training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    machine_ : LinearSVC
        Trained on the rows of the factor. It has no intercept, because the formulation has none.
    basis_ : ndarray of shape (rank, n_features)
        The training rows that the factor is built on: all of them, except those that depend on the others up to rounding.
    support_ : ndarray of shape (n_support,)
        The training rows whose margin is at most 1 (and `tol`). Every support vector is among them, as are rows that lie
        exactly on the margin and have no weight, so their number is an upper bound.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Whether `tol` was reached. If not, `LinearSVC` has warned.
    n_features_in_ : int

    Raises
    ------
    InvalidParameterError
        If there are more than 4000 training rows, or the kernel is unknown.

    References
    ----------
    K. Crammer and Y. Singer, "On the algorithmic implementation of multiclass kernel-based vector machines", Journal of Machine
    Learning Research 2 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from experiments.crammer_singer import CrammerSinger
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = CrammerSinger(C=4.0, gamma=0.5).fit(X, y)
    >>> clf.converged_, round(clf.score(X, y), 2)
    (True, 0.97)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        tol: float = 1e-3,
        max_iter: int = 100_000,
        random_state: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows X of shape (n_samples, n_features) with labels y."""
        if self.kernel not in KERNELS:
            raise InvalidParameterError(f"kernel must be one of {KERNELS}, got {self.kernel!r}")
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        if len(labels) > MAX_ROWS:
            raise InvalidParameterError(
                f"CrammerSinger is for at most {MAX_ROWS} training rows, got {len(labels)}: it needs a factor of the whole "
                "kernel matrix"
            )
        self._gamma = self._number(rows)
        pivots, self._triangle, features = factor(self._values(rows, rows))
        self.basis_: Array = rows[pivots]
        self.machine_ = LinearSVC(
            multi_class="crammer_singer",
            fit_intercept=False,
            C=self.C,
            tol=self.tol,
            max_iter=self.max_iter,
            random_state=self.random_state,
        ).fit(features, labels)
        self.classes_: Labels = self.machine_.classes_
        self.n_iter_ = int(self.machine_.n_iter_)
        self.converged_ = self.n_iter_ < self.max_iter
        self.support_ = self._near_margin(features, labels)
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the score of every class; with two classes, that of the second less that of the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
        """
        features = self.features(X)  # raises the error of an estimator without fit
        values: Array = self.machine_.decision_function(features)
        return values

    def predict(self, X: ArrayLike) -> Labels:
        """Return the labels of rows X of shape (n_samples, n_features)."""
        features = self.features(X)
        labels: Labels = self.machine_.predict(features)
        return labels

    def features(self, X: ArrayLike) -> Array:
        """Return features whose inner products with those of the training rows are the kernel values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, rank)
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        solved: Array = solve_triangular(self._triangle, self._values(self.basis_, rows), lower=True)
        return solved.T

    def _number(self, X: Array) -> float:
        if self.gamma != "scale":
            return float(self.gamma)
        variance = float(X.var())
        return 1.0 / (X.shape[1] * variance) if variance else 1.0

    def _values(self, X: Array, Y: Array) -> Array:
        values: Array = pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, gamma=self._gamma)
        return values

    def _near_margin(self, features: Array, y: Any) -> Index:
        scores = self.machine_.decision_function(features)
        if scores.ndim == 1:  # two classes: the second less the first
            scores = np.column_stack([-scores / 2, scores / 2])
        rows, own = np.arange(len(y)), np.searchsorted(self.classes_, y)
        of_own = scores[rows, own]
        scores[rows, own] = -np.inf
        return np.flatnonzero(of_own - scores.max(axis=1) <= 1.0 + self.tol)


def factor(K: Array) -> tuple[Index, Array, Array]:
    """Factor a positive semi-definite matrix, by Cholesky's method with pivots.

    Rows that depend on the others up to rounding (LAPACK's bound: n * eps * the largest diagonal value) are left out of the
    basis, so copies of a row do no harm.

    Parameters
    ----------
    K : ndarray of shape (n, n)

    Returns
    -------
    pivots : ndarray of shape (rank,)
        The rows of the basis.
    triangle : ndarray of shape (rank, rank)
        Lower triangular factor of the matrix of these rows.
    features : ndarray of shape (n, rank)
        With ``features @ features.T`` equal to K up to rounding.
    """
    packed, order, rank, _ = lapack.dpstrf(K, lower=1)
    lower: Array = np.tril(packed)[:, :rank]
    features = np.empty_like(lower)
    features[order - 1] = lower  # LAPACK counts from 1
    return order[:rank] - 1, lower[:rank], features
