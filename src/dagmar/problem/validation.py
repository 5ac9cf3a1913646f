"""What an estimator is given, made exact or refused, with the errors scikit-learn users know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..base.typing import Array, Features, Index, Labels


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Leave an estimator as it was before if anything stops what is done to it."""
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise


_ACCEPTED = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr", "accept_large_sparse": False}


def check_training_data(estimator: Any, X: Any, y: Any) -> tuple[Features, Labels]:
    """Samples and labels for `fit`; what a callable kernel takes is its own affair and passes as it is."""
    if sp.issparse(X) and estimator.kernel == "precomputed":
        raise TypeError("Sparse precomputed kernels are not supported.")
    if callable(estimator.kernel):
        check_consistent_length(X, y)
    else:
        X, y = validate_data(estimator, X, y, **_ACCEPTED)
        X = _canonical(X)
    y = column_or_1d(y, warn=True)
    check_classification_targets(y)
    if estimator.kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
    return X, y


def check_weights(class_weight: Array, class_index: Index, sample_weight: Any) -> Array:
    """The weight of each sample, 0 for one that is as good as absent.

    Parameters
    ----------
    class_weight : ndarray of shape (n_classes,)
    class_index : ndarray of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), float or None

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    weight = np.ones(len(class_index))
    if sample_weight is not None:
        own = np.asarray(sample_weight, dtype=np.float64)
        if own.ndim > 0 and own.shape != class_index.shape:
            raise ValueError(
                f"sample_weight and X have incompatible shapes: {own.shape!r} vs {class_index.shape!r}; "
                "there must be one weight per sample"
            )
        if not np.isfinite(own).all():
            raise ValueError("Input sample_weight contains NaN or infinity.")
        weight = weight * np.maximum(own, 0.0)
    counts = weight * class_weight[class_index] > 0
    if not counts.any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    if len(np.unique(class_index[counts])) < 2:
        raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
    return weight


def check_samples(estimator: Any, X: Any) -> Features:
    """Samples for a fitted estimator; kernel rows where the kernel is a matrix or a function."""
    if callable(estimator.kernel):
        X = kernel_matrix(estimator.kernel, X, estimator._fit_samples)
    else:
        sparse_model = sp.issparse(estimator.bank_.vectors)
        if sparse_model or not _plainly_fine(estimator, X):
            X = validate_data(estimator, X, reset=False, **_ACCEPTED)
        if sparse_model and not sp.issparse(X):
            X = sp.csr_matrix(X)
        if sp.issparse(X) and not sparse_model:
            raise ValueError(f"cannot use sparse input in {type(estimator).__name__!r} trained on dense data")
        X = _canonical(X)
    if estimator.bank_.vectors is None and X.shape[1] != estimator.shape_fit_[0]:
        raise ValueError(
            f"X.shape[1] = {X.shape[1]} should be equal to {estimator.shape_fit_[0]}, "
            "the number of samples at training time"
        )
    return X


def check_class_index(classes: Labels, samples: Features, y: Any) -> Index:
    """The class of each sample, by its label; ValueError unless the labels are those of `classes`, each at least once."""
    y = column_or_1d(y)
    if len(y) != samples.shape[0]:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[samples.shape[0], len(y)]}")
    labels, place = np.unique(y, return_inverse=True)
    known = np.isin(labels, classes)
    if not known.all():
        raise ValueError(f"y has labels that this model does not know: {_first_few(labels[~known])}")
    there = np.isin(classes, labels)
    if not there.all():
        raise ValueError(f"y has no sample of these classes: {_first_few(classes[~there])}")
    index: Index = np.argsort(classes)[place].astype(np.int64)
    return index


def _first_few(labels: Labels) -> str:
    return ", ".join(str(label) for label in labels[:10]) + (", ..." if len(labels) > 10 else "")


def kernel_matrix(kernel: Callable[..., Any], X: Any, Z: Any) -> Array:
    """The matrix a callable kernel gives for two sets of samples, shape (n_X, n_Z)."""
    matrix = kernel(X, Z)
    if sp.issparse(matrix):
        matrix = matrix.toarray()
    return np.asarray(matrix, dtype=np.float64, order="C")


def _plainly_fine(estimator: Any, X: Any) -> bool:
    """Whether X is just what the core takes, found out at a tenth of the cost of validating it in full.

    One sample at a time, validation would cost more than deciding.
    """

    def finite() -> bool:
        if X.size < 10000:
            return bool(np.isfinite(X).all())
        with np.errstate(over="ignore", invalid="ignore"):  # the full check has the last word
            return bool(np.isfinite(X.sum()))

    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and X.flags.c_contiguous
        and X.shape[0] > 0
        and X.shape[1] == getattr(estimator, "n_features_in_", -1)
        and not hasattr(estimator, "feature_names_in_")
        and finite()
    )


def _canonical(X: Features) -> Features:
    """Sparse rows as the core reads them: double values, sorted, nothing twice."""
    if sp.issparse(X) and (X.dtype != np.float64 or not X.has_canonical_format):
        X = X.astype(np.float64)
        X.sum_duplicates()
    return X
