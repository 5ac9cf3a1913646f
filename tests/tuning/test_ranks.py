"""Ranks of features."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata
from sklearn.utils.estimator_checks import parametrize_with_checks

from dagmar.tuning import Ranks


@parametrize_with_checks([Ranks()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_ranks_are_those_of_scipy(rng):
    """Mean ranks of equal values, from 0 to 1, on the grid of 256 levels."""
    X = np.column_stack([rng.normal(size=99), rng.integers(0, 5, 99), np.exp(rng.normal(size=99) * 5)])
    ranks = rankdata(X, axis=0)
    expected = (ranks - ranks.min(axis=0)) / np.ptp(ranks, axis=0)
    np.testing.assert_allclose(Ranks().fit_transform(X), expected, rtol=0, atol=0.5 / 255 + 1e-12)


@given(arrays(np.float64, st.tuples(st.integers(1, 40), st.just(2)), elements=st.floats(-1e6, 1e6, width=32)))
def test_order_is_kept(X):
    """Ranks are on the grid, in the order of values, equal for equal values; the ends are 0 and 1, constants 0."""
    Z = Ranks().fit_transform(X) * 255
    np.testing.assert_allclose(Z, np.rint(Z), atol=1e-9)
    for values, found in zip(X.T, Z.T, strict=True):
        order = np.argsort(values)
        assert (np.diff(found[order]) >= 0).all()
        assert found[order[0]] == 0
        assert round(found[order[-1]]) == (255 if np.ptp(values) > 0 else 0)


def test_new_values_are_between_their_neighbours():
    """Linear in between, the ends beyond; a rare value is as far away as a frequent one."""
    ranks = Ranks().fit([[0.0, 0, 7]] * 99 + [[1.0, 10, 7]])
    new = ranks.transform([[0.5, -1e300, 8], [1.0, 2.5, 7], [-0.1, 1e300, 6]])
    np.testing.assert_allclose(new, [[128 / 255, 0, 0], [1, 64 / 255, 0], [0, 1, 0]], atol=1e-12)


def test_very_large_values_have_ranks():
    X = np.array([[-1.7e308], [1.7e308], [0.0], [1e308]])
    np.testing.assert_allclose(Ranks().fit_transform(X)[:, 0], [0, 1, 1 / 3, 2 / 3], atol=1e-12)


def test_precision_stays_and_sparse_samples_are_refused(rng):
    X = rng.normal(size=(50, 3)).astype(np.float32)
    ranks = Ranks().fit(X)
    assert ranks.transform(X).dtype == np.float32
    np.testing.assert_allclose(ranks.transform(X), ranks.transform(X.astype(np.float64)), rtol=1e-6)
    with pytest.raises(TypeError, match="Sparse"):
        ranks.transform(sp.csr_matrix(X))
