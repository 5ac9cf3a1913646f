"""Samples in class order, and samples as the core reads them."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import pose

from dagmar.problem.samples import as_data


def test_samples_are_sorted_by_class_and_keep_their_order(rng):
    """Within a class, samples stand in the order in which they were given."""
    y = rng.integers(0, 4, 50)
    problem = pose(rng.normal(size=(50, 2)), y)
    for c in range(4):
        own = problem.order[problem.class_start[c] : problem.class_start[c + 1]]
        np.testing.assert_array_equal(own, np.flatnonzero(y == c))
    assert problem.n_classes == 4
    assert problem.class_start[-1] == 50


def test_data_is_dense_or_sparse():
    """The core reads doubles, floats and sparse doubles, and nothing else."""
    X = np.eye(3)
    for samples in (X, X.astype(np.float32), sp.csr_matrix(X)):
        assert as_data(samples) is not None
    for samples in (X.astype(int), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.zeros(3)):
        with pytest.raises(TypeError):
            as_data(samples)


def test_empty_class_has_an_empty_place(rng):
    """A class without samples begins where it ends."""
    y = np.array([0, 2, 0, 2])
    problem = pose(rng.normal(size=(4, 2)), y)
    np.testing.assert_array_equal(problem.class_start, [0, 2, 2, 4])
