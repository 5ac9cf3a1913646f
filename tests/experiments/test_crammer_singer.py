"""Crammer & Singer's machine: the factor is exact, the solution is that of the dual problem, and convergence is reported."""

import numpy as np
import pytest
from helpers import blobs
from scipy.optimize import LinearConstraint, minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from dagmar import InvalidParameterError
from experiments import crammer_singer
from experiments.crammer_singer import CrammerSinger, factor


@pytest.mark.parametrize("gamma", [1e-3, 0.1, 10.0])
def test_inner_products_are_kernel_values(gamma):
    """Of training rows and of new ones, also where rows are copies of others and the matrix is almost singular."""
    X, y = blobs(0, 3, 40, 4, spread=1.0)
    X, y = np.concatenate([X, X[:10]]), np.concatenate([y, y[:10]])
    new, _ = blobs(1, 3, 30, 4, spread=2.0)
    clf = CrammerSinger(gamma=gamma).fit(X, y)
    features = clf.features(X)
    np.testing.assert_allclose(features @ features.T, rbf_kernel(X, gamma=gamma), atol=1e-10)
    np.testing.assert_allclose(clf.features(new) @ features.T, rbf_kernel(new, X, gamma=gamma), atol=1e-10)


def test_factor_of_dependent_rows():
    """The basis has the rank of the matrix, and the features of the basis are its triangle."""
    X = np.random.default_rng(0).normal(size=(12, 3))
    pivots, triangle, features = factor(X @ X.T)
    assert features.shape == (12, 3)
    np.testing.assert_allclose(features @ features.T, X @ X.T, atol=1e-12)
    np.testing.assert_array_equal(features[pivots], triangle)


def solve_dual(K, y, C):
    """Solve the dual problem by a general method.

    Maximise ``sum_i t_i,y_i - 1/2 sum_r t_r' K t_r`` with ``t_i,r <= C if r is the class of i else 0`` and rows that sum to 0.
    """
    n, k = len(y), int(y.max()) + 1
    own = np.eye(k)[y]

    def value(t):
        t = t.reshape(n, k)
        return 0.5 * np.sum(t * (K @ t)) - np.sum(own * t), (K @ t - own).ravel()

    bounds = [(None, C * one) for one in own.ravel()]
    sums = LinearConstraint(np.kron(np.eye(n), np.ones(k)), 0.0, 0.0)
    found = minimize(
        value,
        np.zeros(n * k),
        jac=True,
        bounds=bounds,
        constraints=sums,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    assert found.success
    return found.x.reshape(n, k)


@pytest.mark.parametrize("C", [0.3, 5.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_the_dual_problem(C, n_classes):
    """On a tiny problem with overlapping classes, for training rows and new ones; the support vectors are found."""
    X, y = blobs(3, n_classes, 7, 2, spread=2.0)
    new, _ = blobs(4, n_classes, 7, 2, spread=2.0)
    t = solve_dual(rbf_kernel(X, gamma=0.3), y, C)
    clf = CrammerSinger(C=C, gamma=0.3, tol=1e-6).fit(X, y)
    expected = rbf_kernel(new, X, gamma=0.3) @ t
    scores = clf.decision_function(new)
    np.testing.assert_allclose(scores, expected[:, 1] - expected[:, 0] if n_classes == 2 else expected, atol=1e-4)
    np.testing.assert_array_equal(clf.predict(new), expected.argmax(axis=1))
    assert set(np.flatnonzero(np.abs(t).max(axis=1) > 1e-4 * C)) <= set(clf.support_)
    assert 0 < len(clf.support_) <= len(y)


def test_a_fit_that_does_not_converge_says_so():
    """LinearSVC's warning is not silenced, and the estimator knows."""
    X, y = blobs(0, 3, 20, 2, spread=2.0)
    with pytest.warns(ConvergenceWarning):
        clf = CrammerSinger(C=100.0, max_iter=2).fit(X, y)
    assert not clf.converged_
    assert CrammerSinger(C=1.0).fit(X, y).converged_


def test_large_sets_and_unknown_kernels_are_refused(monkeypatch):
    """With a reason, before any work."""
    X, y = blobs(0, 3, 20, 2)
    with pytest.raises(InvalidParameterError, match="kernel must be one of"):
        CrammerSinger(kernel="sigmoid").fit(X, y)
    monkeypatch.setattr(crammer_singer, "MAX_ROWS", 50)
    with pytest.raises(InvalidParameterError, match="at most 50 training rows, got 60"):
        CrammerSinger().fit(X, y)


@parametrize_with_checks([CrammerSinger()])
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    """All of scikit-learn's checks pass."""
    check(estimator)
