"""Whether samples have only finite numbers."""

import numpy as np
import pytest
import scipy.sparse as sp

from dagmar import _core


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (2000, 200)])
def test_finite_samples(rng, dtype, shape):
    """One number that is not finite is found wherever it stands; the largest and smallest of numbers are finite."""
    largest, smallest = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    X = rng.choice(np.array([largest, -largest, smallest, -smallest, 0.0, -0.0, 1.0], dtype=dtype), shape)
    for n_threads in (1, 3):
        assert _core.finite_samples(X, n_threads)
        for place in (0, X.size // 2, X.size - 1):
            for wrong in (np.inf, -np.inf, np.nan, -np.nan):
                other = X.copy()
                other.flat[place] = wrong
                assert not _core.finite_samples(other, n_threads)


def test_what_is_no_array_of_samples_has_no_finite_samples():
    """Nothing is converted."""
    X = np.ones((2, 3))
    for other in (X.astype(int), X.astype(">f8"), X.T, X[0], X[:0], X[:, :0], X.tolist(), sp.csr_matrix(X)):
        assert not _core.finite_samples(other, 1)
