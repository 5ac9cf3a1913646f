"""Steps of all free samples at once, on problems where steps of a pair would take for ever."""

import numpy as np
import pytest
from helpers import LEVELS, solve
from reference.kernels import kernel_matrix

CONVERGED, STALLED = 0, 4
SIGNS = np.where(np.arange(20) % 2, 1.0, -1.0)


def gap_of(K, lam, C, s=SIGNS):
    """The KKT gap of a C-SVC problem, in long double."""
    scores = s - K.astype(np.longdouble) @ (s * lam)
    grows, shrinks = lam < C, lam > 0
    up, low = np.where(s > 0, grows, shrinks), np.where(s > 0, shrinks, grows)
    return scores[up].max() - scores[low].min()


@pytest.mark.parametrize("gamma", [0.3, 0.1, 0.03])
@pytest.mark.parametrize("C", [1e3, 1e6, 1e9])
def test_smooth_kernels_at_large_caps(gamma, C, rng):
    """Kernel matrices with eigenvalues over many orders of magnitude are solved in few steps."""
    K = kernel_matrix("rbf", *2 * [rng.normal(size=(20, 2))], gamma)
    found = solve(K, SIGNS, np.ones(20), np.full(20, C))
    assert found.status == CONVERGED
    assert found.iterations < 200_000
    assert gap_of(K, found.lam, C) < 1e-3
    assert abs(SIGNS @ found.lam) <= 1e-12 * found.lam.sum()


@pytest.mark.parametrize(("n", "C", "steps"), [(120, 1e4, 3_000), (900, 1e2, 25_000), (900, 1e4, 800_000)])
def test_overlapping_classes_at_large_caps(n, C, steps):
    """Where a hundred samples stay free and as many end at their caps, steps of all at once save half of the others."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 4))
    s = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    K = kernel_matrix("rbf", X, X, 0.2)
    found = solve(K, s, np.ones(n), np.full(n, C))
    assert found.status == CONVERGED
    assert found.iterations < steps
    assert gap_of(K, found.lam, C, s) < 1e-3
    assert abs(s @ found.lam) <= 1e-12 * found.lam.sum()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [3, 7, 8, 9, 15, 16, 17, 24, 31, 33, 40, 65])
def test_any_number_of_free_samples(level, n):
    """Rows and columns at the edge of a register are factored, solved and taken out like the others."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    s = np.where(np.arange(n) % 2, 1.0, -1.0)
    K = kernel_matrix("rbf", X, X, 0.05)
    for C in (1e3, 1e7):
        found = solve(K, s, np.ones(n), np.full(n, C), level=level)
        assert found.status == CONVERGED
        assert gap_of(K, found.lam, C, s) < 1e-3
        assert abs(s @ found.lam) <= 1e-12 * found.lam.sum()


@pytest.mark.parametrize("C", [1.0, 1e4, 1e8])
def test_duplicates_of_both_classes_end_at_their_caps(C, rng):
    """Between equal samples of both classes the problem has no curvature: only the caps end a step."""
    X = np.repeat(rng.normal(size=(10, 3)), 2, axis=0)
    found = solve(kernel_matrix("rbf", X, X, 0.5), SIGNS, np.ones(20), np.full(20, C))
    assert found.status == CONVERGED
    np.testing.assert_array_equal(found.lam, C)


def test_samples_of_no_length_end_at_their_caps():
    """A linear kernel of zeros is flat in every direction."""
    found = solve(np.zeros((20, 20)), SIGNS, np.ones(20), np.linspace(1e6, 2e6, 20))
    assert found.status == CONVERGED
    assert abs(SIGNS @ found.lam) <= 1e-9 * found.lam.sum()
    at_cap = found.lam == found.U
    assert at_cap[SIGNS > 0].all() or at_cap[SIGNS < 0].all()


@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e140])
def test_indefinite_matrix_keeps_its_balance(scale, rng):
    """Steps over a matrix that is not positive definite end, at multipliers within their caps that balance."""
    K = rng.normal(size=(20, 20)) * scale
    found = solve(K + K.T, SIGNS, np.ones(20), np.full(20, 10.0), tol=1e-12)
    assert found.status in (CONVERGED, STALLED)
    assert ((found.lam >= 0) & (found.lam <= found.U)).all()
    assert abs(SIGNS @ found.lam) <= 1e-8 * found.lam.sum()
