"""Squared norms of samples as given."""

import numpy as np
import pytest
import scipy.sparse as sp

from dagmar import _core
from dagmar.problem.samples import as_data


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 7, 8, 200])
def test_norms_are_those_of_numpy(rng, dtype, n_features):
    """With a centre and without one, whatever is left after groups of eight features."""
    X = rng.normal(size=(50, n_features)).astype(dtype)
    centre = rng.normal(size=n_features)
    as_double = X.astype(np.float64)
    np.testing.assert_allclose(_core.squared_norms(as_data(X), None, 1), (as_double**2).sum(axis=1), rtol=1e-14)
    expected = ((as_double - centre) ** 2).sum(axis=1)
    np.testing.assert_allclose(_core.squared_norms(as_data(X), centre, 1), expected, rtol=1e-13)


def test_norms_are_the_same_bits_for_any_number_of_threads(rng):
    """Threads take whole samples."""
    X, centre = rng.normal(size=(900, 500)), rng.normal(size=500)
    alone = _core.squared_norms(as_data(X), centre, 1)
    for n_threads in (2, 3):
        np.testing.assert_array_equal(_core.squared_norms(as_data(X), centre, n_threads), alone)


def test_norms_that_overflow_are_infinite():
    """Numbers too large for a square are no error here; Python refuses them by name."""
    assert _core.squared_norms(as_data(np.full((1, 9), 1e200)), None, 1) == np.inf


def test_what_does_not_fit_is_refused():
    """A centre has one number per feature; sparse samples are for SciPy."""
    with pytest.raises(ValueError, match="centre must have one number per feature"):
        _core.squared_norms(as_data(np.ones((2, 3))), np.ones(4), 1)
    with pytest.raises(ValueError, match="dense samples"):
        _core.squared_norms(as_data(sp.csr_matrix(np.ones((2, 3)))), None, 1)
