"""The answers must agree before their speed is compared."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels

from .cases import Case

MOST_ACCURACY_APART = 0.1  # points
LEAST_EQUAL_LABELS = 99.9  # percent
MOST_OBJECTIVE_APART = 1e-4  # relative, all pairs together
NEAR_ZERO = 2e-3  # of the largest value, but of no less than 1: two solutions within tol may differ by so much


@dataclass(frozen=True)
class Check:
    """One thing that must hold."""

    what: str
    value: float
    limit: float
    passed: bool


def pair_objectives(model: Any, case: Case) -> NDArray[np.float64]:
    """The dual objective of every pair, from nothing but the dual coefficients.

    For a pair with coefficients c (label times multiplier) this is ½ Σ c_k c_l K(x_k, x_l) − Σ |c_k|, to be minimised.
    Computed in float64 in the same way for either library, whatever it solved in and whatever it prints.

    Parameters
    ----------
    model : fitted SVC
        With scikit-learn's `support_`, `n_support_` and `dual_coef_`.
    case : Case

    Returns
    -------
    ndarray of shape (n_pairs,)
        In the order (0, 1), (0, 2), ...
    """
    ends = np.cumsum(model.n_support_)
    support = case.X_train[model.support_]
    dual = model.dual_coef_.toarray() if issparse(model.dual_coef_) else np.asarray(model.dual_coef_)
    vectors = [support[end - n : end] for end, n in zip(ends, model.n_support_, strict=True)]
    coefs = np.split(dual, ends[:-1], axis=1)  # row r of class c: against the r-th other class

    kernel = kernel_of(case)
    # cᵀKc of a pair falls into a block of each class and one between them; the own blocks serve all pairs of a class.
    own = [np.einsum("rk,rk->r", c @ kernel(v, v), c) for v, c in zip(vectors, coefs, strict=True)]
    objectives = []
    for i, j in np.stack(np.triu_indices(len(vectors), k=1), axis=1).tolist():
        of_i, of_j = coefs[i][j - 1], coefs[j][i]
        between = of_i @ kernel(vectors[i], vectors[j]) @ of_j
        square = own[i][j - 1] + own[j][i] + 2 * between
        objectives.append(square / 2 - np.abs(of_i).sum() - np.abs(of_j).sum())
    return np.array(objectives)


def kernel_of(case: Case) -> Callable[[Any, Any], NDArray[np.float64]]:
    """The kernel of a case as a function of two arrays of samples."""
    if case.kernel == "tanimoto":
        return tanimoto
    if case.kernel == "laplacian":
        return partial(laplacian_kernel, gamma=case.gamma)
    return partial(pairwise_kernels, metric=case.kernel, filter_params=True, gamma=case.gamma, coef0=0.0)


def tanimoto(X: Any, Z: Any) -> NDArray[np.float64]:
    """The Tanimoto kernel of two arrays of bits; products of single precision are the fastest, and exact for bits."""
    products = np.matmul(X.astype(np.float32), Z.T.astype(np.float32)).astype(np.float64)
    either = np.add.outer(X.sum(axis=1), Z.sum(axis=1))
    either -= products
    values: NDArray[np.float64] = np.divide(products, either, out=np.ones_like(either), where=either > 0)
    return values


def compare_objectives(ours: Any, theirs: Any, case: Case) -> dict[str, float]:
    """Both totals, their relative difference, and the largest relative difference of a pair; positive if ours is worse.

    Parameters
    ----------
    ours, theirs : fitted SVC
    case : Case

    Returns
    -------
    dict of str to float
    """
    a, b = pair_objectives(ours, case), pair_objectives(theirs, case)
    apart = (a - b) / np.abs(b)
    return {
        "objective": float(a.sum()),
        "objective_of_scikit_learn": float(b.sum()),
        "objective_apart": float((a.sum() - b.sum()) / abs(b.sum())),
        "largest_pair_apart": float(apart[np.argmax(np.abs(apart))]),
    }


def percent_equal(a: NDArray[Any], b: NDArray[Any]) -> float:
    """How many per cent of the entries are equal."""
    return 100 * float(np.mean(a == b))


def near_ties(ours: Any, theirs: Any, X: Any, differ: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The rows whose labels differ for no other reason than that a machine's value is about zero.

    Labels by votes can differ only if the sign of some pair does. In a set of few test rows a single such row is already more
    than the share of labels that may differ.

    Parameters
    ----------
    ours : fitted dagmar.SVC
    theirs : fitted sklearn.svm.SVC
    X : {ndarray, csr_matrix} of shape (n_samples, n_features)
    differ : ndarray of bool, of shape (n_samples,)
        Where the labels do.

    Returns
    -------
    ndarray of bool, of shape (n_samples,)
    """
    near = np.zeros_like(differ)
    if differ.any():
        a = ours.pair_decisions(X[differ])
        b = copy.copy(theirs).set_params(decision_function_shape="ovo").decision_function(X[differ])
        b = b[:, None] if b.ndim == 1 else -b  # only with two classes is a positive value for the later one
        other_sign = (a > 0) != (b > 0)
        small = np.maximum(np.abs(a), np.abs(b)) <= NEAR_ZERO * max(1.0, float(np.abs(b).max()))
        near[differ] = other_sign.any(axis=1) & (small | ~other_sign).all(axis=1)
    return near


def checks(accuracy_apart: float, equal_labels: float, objective_apart: float) -> list[Check]:
    """What must hold between our max-wins and scikit-learn.

    Parameters
    ----------
    accuracy_apart : float
        Points between the two.
    equal_labels : float
        Per cent.
    objective_apart : float
        Relative difference of the total dual objective.

    Returns
    -------
    list of Check
    """
    accuracy, objective = abs(accuracy_apart), abs(objective_apart)
    return [
        Check("points of accuracy from scikit-learn", accuracy, MOST_ACCURACY_APART, accuracy <= MOST_ACCURACY_APART),
        Check("% of labels as scikit-learn", equal_labels, LEAST_EQUAL_LABELS, equal_labels >= LEAST_EQUAL_LABELS),
        Check("relative distance of objectives", objective, MOST_OBJECTIVE_APART, objective <= MOST_OBJECTIVE_APART),
    ]
