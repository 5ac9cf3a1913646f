"""A random rotation of the features."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from experiments.compare.rotation import Rotation


@pytest.mark.parametrize("n_features", [1, 2, 7])
def test_distances_stay_the_same(n_features):
    """Whatever the number of features; with more than one, the features change."""
    X = np.random.default_rng(0).normal(size=(20, n_features))
    turned = Rotation().fit_transform(X)
    np.testing.assert_allclose(pairwise_distances(turned), pairwise_distances(X), atol=1e-12)
    assert np.allclose(turned, X) == (n_features == 1)


def test_seed_decides():
    """The same rotation for test samples and for the same seed, another for another seed."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    fitted = Rotation(random_state=1).fit(X)
    np.testing.assert_array_equal(fitted.transform(X[:3]), Rotation(random_state=1).fit(X[5:]).transform(X[:3]))
    assert not np.allclose(fitted.matrix_, Rotation(random_state=2).fit(X).matrix_)
