"""Gradients of machines agree with differences of their values."""

import numpy as np
import pytest
import scipy.sparse as sp

import dagmar
from dagmar import _core
from dagmar.analysis import gradients
from dagmar.analysis.gradients import KERNELS, mean_square_gradients

AVAILABLE = [kernel for kernel in KERNELS if hasattr(_core.KernelType, kernel)]
STEP = 1e-6  # shorter than the way to any corner of a Laplacian kernel


def slow(clf, X, chosen):
    """Mean squares of central differences of values, at the chosen samples of each machine (n_samples, n_machines)."""
    squares = []
    for j in range(X.shape[1]):
        step = STEP * np.eye(X.shape[1])[j]
        change = (clf.pair_decisions(X + step) - clf.pair_decisions(X - step)) / (2 * STEP)
        squares.append(np.average(change**2, axis=0, weights=chosen))
    return np.array(squares).T


@pytest.fixture(params=AVAILABLE)
def fitted(request, seven_blobs):
    X, y = seven_blobs
    X = X / X.std()
    clf = dagmar.SVC(C=2.0, kernel=request.param, gamma=0.3, coef0=0.5, degree=3, precision="double", tol=1e-6)
    return clf.fit(X, y), X + 0.01 * np.random.default_rng(0).normal(size=X.shape), y


def test_agrees_with_differences(fitted, monkeypatch):
    """At all samples, and at those of the two classes of a machine only; in one piece and in many."""
    clf, X, y = fitted
    everywhere = slow(clf, X, np.ones((len(X), len(clf.bank_.pairs))))
    np.testing.assert_allclose(mean_square_gradients(clf.bank_, X), everywhere, rtol=1e-4, atol=1e-9)
    member = (y[:, None, None] == clf.bank_.pairs).any(axis=2)
    of_pairs = slow(clf, X, member)
    np.testing.assert_allclose(mean_square_gradients(clf.bank_, X, y), of_pairs, rtol=1e-4, atol=1e-9)
    monkeypatch.setattr(gradients, "NUMBERS_AT_ONCE", 40 * clf.bank_.n_vectors)
    monkeypatch.setattr(gradients, "GRADIENTS_AT_ONCE", 60)
    np.testing.assert_allclose(mean_square_gradients(clf.bank_, X, y), of_pairs, rtol=1e-4, atol=1e-9)


def test_weights_of_samples(fitted):
    """A sample of weight 2 counts as two samples, and one of weight 0 as none."""
    clf, X, y = fitted
    weight = np.arange(len(X)) % 3
    rows = np.repeat(np.arange(len(X)), weight)
    weighted = mean_square_gradients(clf.bank_, X, y, weight.astype(float))
    np.testing.assert_allclose(weighted, mean_square_gradients(clf.bank_, X[rows], y[rows]), rtol=1e-10)


@pytest.mark.usefixtures("stay_sparse")
def test_sparse_samples(fitted):
    """Sparse samples and vectors give the gradients of dense ones."""
    clf, X, y = fitted
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense, sparse = (dagmar.SVC(**clf.get_params()).fit(samples, y).bank_ for samples in (X, sp.csr_matrix(X)))
    assert sp.issparse(sparse.vectors)
    expected = mean_square_gradients(dense, X, y)
    np.testing.assert_allclose(mean_square_gradients(sparse, sp.csr_matrix(X), y), expected, rtol=1e-4, atol=1e-9)


def test_a_gamma_for_each_pair(seven_blobs):
    """Each machine has the gradient of its own kernel."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=np.linspace(0.02, 0.2, 21), precision="double").fit(X, y)
    expected = slow(clf, X, np.ones((len(X), 21)))
    np.testing.assert_allclose(mean_square_gradients(clf.bank_, X), expected, rtol=1e-4, atol=1e-9)


def test_samples_far_from_the_origin(three_blobs):
    """Differences of large numbers lose no digits that matter."""
    X, y = three_blobs
    near, far = (dagmar.SVC(gamma=0.5).fit(samples, y).bank_ for samples in (X, X + 1e6))
    expected = mean_square_gradients(near, X, y)
    np.testing.assert_allclose(mean_square_gradients(far, X + 1e6, y), expected, rtol=1e-3)


def test_a_machine_without_samples(three_blobs):
    """It has no gradient: zeros, not NaN."""
    X, y = three_blobs
    found = mean_square_gradients(dagmar.SVC().fit(X, y).bank_, X[y == 0], y[y == 0])
    assert (found[:2] > 0).all()
    assert (found[2] == 0).all()


def test_other_kernels_are_refused(three_blobs):
    """A precomputed kernel does not know the features."""
    X, y = three_blobs
    with pytest.raises(ValueError, match="the gradient of a precomputed kernel is not known; only of linear, poly"):
        mean_square_gradients(dagmar.SVC(kernel="precomputed").fit(X @ X.T, y).bank_, X)
